package fromlog

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// takeReward has the reward learned of a request whose reward is a sum of columns and counts outcomes, which are what a step costs or
// yields: no plan knows them before it acts, so that they are no states. A reward of states and actions stays as it is.
func (x *looked) takeReward(ctx context.Context, r *Request) error {
	x.decided = rawlog.DecidedByActions(ctx, x.t, x.fluents)
	x.outcomes = rawlog.Outcomes(ctx, x.t, x.fluents, x.reading)
	if err := ctx.Err(); err != nil || r.Reward == "" {
		return err
	}
	weights := weightsOf(r.Reward, x.fluents)
	if of, named := weights[rawlog.RewardColumn]; named && x.t.Column(rawlog.RewardColumn) >= 0 {
		if of != 1 || len(weights) > 1 {
			return fmt.Errorf("--reward %s counts the column %s, which is learned as it is without --reward; expected that, or another name of the column in the log", r.Reward, rawlog.RewardColumn)
		}
		r.Reward = ""
		return nil
	}
	var counted []*rawlog.Fluent // outcomes
	for i := range x.fluents {
		f := &x.fluents[i]
		if _, named := weights[f.Column]; !named {
			continue
		}
		if x.outcome(f.Column) != nil || slices.Contains(x.decided, f.Column) {
			counted = append(counted, f)
		} else if !f.IsFluent() || f.Kind != rawlog.Int && f.Kind != rawlog.Real {
			return nil
		}
	}
	if len(counted) == 0 {
		return nil
	}
	if x.t.Column(rawlog.RewardColumn) >= 0 {
		return fmt.Errorf("--reward %s: the log has a column %s beside; expected one of them", r.Reward, rawlog.RewardColumn)
	}
	if err := x.t.AddReward(weights); err != nil {
		return err
	}
	for _, f := range counted {
		f.Use, f.Why = rawlog.AsReward, "learned: what a step yields or costs, known after its action"
	}
	x.weights, r.Reward = weights, ""
	return nil
}

// outcome returns what is known of a column that follows from its own row; nil for others.
func (x *looked) outcome(column string) *rawlog.Outcome {
	i := slices.IndexFunc(x.outcomes, func(o rawlog.Outcome) bool { return o.Column == column })
	if i < 0 {
		return nil
	}
	return &x.outcomes[i]
}

var (
	weightBefore = regexp.MustCompile(`^([+-]?)\s*(?:([0-9]+(?:\.[0-9]+)?)\s*\*\s*)?`)
	weightAfter  = regexp.MustCompile(`^\s*\*\s*([0-9]+(?:\.[0-9]+)?)`)
)

// weightsOf reads a sum of columns times numbers, each named as in the log or as its fluent; nil for anything else.
func weightsOf(text string, fluents []rawlog.Fluent) map[string]float64 {
	names := map[string]string{}
	for i := range fluents {
		names[fluents[i].Name], names[fluents[i].Column] = fluents[i].Column, fluents[i].Column
	}
	longest := make([]string, 0, len(names))
	for name := range names {
		longest = append(longest, name)
	}
	slices.SortFunc(longest, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	weights := map[string]float64{}
	for first, rest := true, strings.TrimSpace(text); rest != ""; first = false {
		m := weightBefore.FindStringSubmatch(rest)
		if !first && m[1] == "" {
			return nil
		}
		weight := 1.0
		if m[1] == "-" {
			weight = -1
		}
		rest = rest[len(m[0]):]
		i := slices.IndexFunc(longest, func(name string) bool { return name != "" && strings.HasPrefix(rest, name) })
		if i < 0 {
			return nil
		}
		rest = rest[len(longest[i]):]
		factors := []string{m[2]}
		if after := weightAfter.FindStringSubmatch(rest); after != nil {
			factors, rest = append(factors, after[1]), rest[len(after[0]):]
		}
		for _, factor := range factors {
			if factor == "" {
				continue
			}
			y, err := strconv.ParseFloat(factor, 64)
			if err != nil {
				return nil
			}
			weight *= y
		}
		weights[names[longest[i]]] += weight
		rest = strings.TrimSpace(rest)
	}
	return weights
}
