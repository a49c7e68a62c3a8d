// Package outcomes implements the part of training that finds what can happen and how often, where state
// and action do not determine the next state.
package outcomes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/outcome"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/routine"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// Line is what was found about outputs whose next value the state and action do not determine in the rows.
type Line struct {
	// Reading is "chance", "recording errors", "recording errors and chance", or "undecided" where the rows do not tell them apart.
	Reading string   `json:"reading"`
	Fluents []string `json:"fluents"`
	// Rows deviate from the most likely outcome. Of those that tell, the next step follows what was recorded, as
	// after chance, or what was predicted, as after a wrong record.
	Deviations  int  `json:"deviations"`
	Recorded    int  `json:"recorded"`
	Predicted   int  `json:"predicted"`
	Consecutive bool `json:"consecutive"`
	// Most is the largest number of next states that one state and action have in the rows.
	Most     int        `json:"most_next_states"`
	Groups   [][]string `json:"groups"` // fluents that are random together; absent if none are
	Contexts int        `json:"contexts"`
	Noise    float64    `json:"noise"` // the largest share of wrong records of a fluent
	// Earlier is that the row before tells of what follows, too; absent where the rows do not show that.
	Earlier *load.Earlier   `json:"earlier,omitempty"`
	HeldOut *outcome.Judged `json:"held_out"` // on the rows held out, of a model learned without them; null if none were
	// Functions give the most likely next values of numbers whose networks would be large, as expr.ParseFunction reads them; absent if there are none.
	Functions []string `json:"functions,omitempty"`

	groups  []chance.Group // with chance
	sure    []chance.Group // one outcome in each context: functions with wrong records
	without *chance.Model  // both, learned without the rows held out
	predict measure.Predict
	// repaired are the rows that functions with wrong records were learned from, if those are not all.
	repaired *chanceRows
	gains    map[int]float64 // by how much sure is better than what was learned from them as from other rows, by variable; see relearn
	told     bool            // that no record is wrong, by the rows after those that deviate
	bits     map[int]float64 // description lengths, by the first variable of a group
	of       map[int]learned // by the first variable of a group
}

// learned is what a group was made of.
type learned struct {
	from  *outcome.Source
	group *outcome.Group
}

// Judged is how what is drawn does on rows.
type Judged = outcome.Judged

// The readings.
const (
	readChance    = "chance"
	readErrors    = "recording errors"
	readBoth      = "recording errors and chance"
	readUndecided = "undecided"
)

// Request says what to look at.
type Request struct {
	Rows  []train.Source
	Noise float64               // the share of wrong cells that the rows are known to have; 0 if it is not known
	Held  func(*train.Row) bool // the rows held out; nil for none
	// Predict is what was learned without these rows. It is compared with outcomes that were.
	Predict measure.Predict
	Threads int
	// Relearn learns the functions of rows whose recording errors were put right.
	Relearn Relearn
}

// Find finds what the rows say about outputs that state and action do not determine, and makes their functions
// in a structure those of the most likely outcomes. It is nil if they determine all of them.
func Find(ctx context.Context, p *load.Problem, r Request, t *structure.Table, st *structure.Structure) (*Line, error) {
	x, err := newChanceRows(p, r.Rows)
	if err != nil || len(x.open) == 0 {
		return nil, err
	}
	x.addOpen(st)
	line, without, err := x.learnBoth(ctx, &r)
	if err != nil {
		return nil, err
	}
	line.Most = x.most
	if line.repaired != nil && r.Relearn != nil {
		if line.gains, err = line.repaired.relearn(ctx, r.Relearn, t, st); err != nil {
			return nil, err
		}
	}
	if err := x.decide(line, without, &r, st); err != nil {
		return nil, err
	}
	if err := line.replace(p.Problem, t, st, structure.Noise); err != nil {
		return nil, err
	}
	for i := range line.groups {
		g := &line.groups[i]
		line.Groups = append(line.Groups, x.names(g))
		line.Contexts += len(g.Contexts)
	}
	for _, g := range slices.Concat(line.groups, line.sure) {
		if slices.Contains(x.disputed, g.Outputs[0]) {
			line.Fluents = append(line.Fluents, x.names(&g)...)
		}
		for _, n := range g.Noise {
			line.Noise = max(line.Noise, n.Rate())
		}
	}
	if line.repaired != nil {
		line.Fluents = x.names(&chance.Group{Outputs: x.disputed})
		logged := *line.repaired
		logged.next = logged.logged
		for v, n := range logged.wrong(nil, predictor(p.Problem, st.Predict)) {
			if !slices.ContainsFunc(line.groups, func(g chance.Group) bool { return slices.Contains(g.Outputs, v) }) {
				line.Noise = max(line.Noise, float64(n)/float64(len(logged.now)))
			}
		}
	}
	if len(line.Fluents) == 0 {
		return nil, nil
	}
	line.Earlier = x.earlier(line)
	return line, nil
}

// learnBoth describes the open outputs from all rows, and without the rows held out, nil if none are.
func (x *chanceRows) learnBoth(ctx context.Context, r *Request) (line, without *Line, err error) {
	both, errs := [2]*Line{}, [2]error{}
	err = routine.Each(ctx, r.Threads, len(both), func(i int) {
		switch {
		case i == 0:
			both[i], errs[i] = x.learn(ctx, nil, r.Noise)
		case r.Held != nil && r.Predict != nil:
			both[i], errs[i] = x.learn(ctx, func(row *train.Row) bool { return !r.Held(row) }, r.Noise)
		}
	})
	return both[0], both[1], cmp.Or(err, errs[0], errs[1])
}

// Judge measures what is drawn beside a network on the complete rows of data sets of a problem. That of the model may have functions and lags, too.
func Judge(p *factored.Problem, m *chance.Model, net *bnn.Network, from []train.Source) (*Judged, error) {
	if len(net.Layers) == 0 {
		net = nil // functions give all next values
	}
	j, t := outcome.NewJudge(m), chance.NewTransition(m.Problem, net, m, nil)
	now := make(factored.Valuation, m.Problem.NumBits())
	err := train.EachRow(p, func(r *train.Row) {
		if r.InKnown == nil && len(r.Outside) == 0 {
			copy(now, r.Now)
			j.Add(valuesOf(p, r.Now), t.Predict(now), valuesOf(p, r.Next))
		}
	}, from...)
	return j.Judged(), err
}

// Predict is the prediction learned without the rows held out: the most likely outcomes, and what was given for the
// other outputs. It is nil if none were held out.
func (l *Line) Predict(f *factored.Problem) measure.Predict {
	if l.without == nil {
		return nil
	}
	drawn := map[int]bool{}
	for _, g := range slices.Concat(l.groups, l.sure) {
		for _, v := range g.Outputs {
			drawn[v] = slices.Contains(l.without.Outputs(), v)
		}
	}
	val := make(factored.Valuation, f.NumBits())
	return func(out, in []uint64) {
		l.predict(out, in)
		for i, b := range f.Inputs {
			val[b] = in[i/64]>>(i%64)&1 == 1
		}
		now := valuesOf(f, val)
		next := slices.Clone(now)
		l.without.Likely(next, now, nil)
		for i, b := range f.Outputs {
			v, k := f.Owner(b)
			if at := f.Index(v); drawn[at] {
				out[i/64] &^= 1 << (i % 64)
				if next[at]>>(v.Width-1-k)&1 == 1 {
					out[i/64] |= 1 << (i % 64)
				}
			}
		}
	}
}

// Meta is what a network's file says of it.
func (l *Line) Meta(p *factored.Problem) (meta [][2]string, err error) {
	meta, err = chanceLines(p, l.groups)
	if err == nil && l.Earlier != nil {
		text, err := json.Marshal(l.Earlier)
		return append(meta, [2]string{load.MetaEarlier, string(text)}), err
	}
	return meta, err
}

// chanceLines is what a network's file says of groups that are drawn.
func chanceLines(p *factored.Problem, groups []chance.Group) (meta [][2]string, err error) {
	m, _, _, err := chance.New(p, groups)
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	for _, line := range m.Lines() {
		meta = append(meta, [2]string{load.MetaChance, line})
	}
	return meta, nil
}

// Defined are the functions that give next values in place of a network; nil if none do.
func (l *Line) Defined() *load.Functions {
	if l == nil || len(l.Functions) == 0 {
		return nil
	}
	return &load.Functions{Texts: l.Functions}
}

// Errors reports whether the rows are read as ones with recording errors, and nothing else.
func (l *Line) Errors() bool { return l.Reading == readErrors }

// String says which readings fit the rows.
func (l *Line) String() string {
	var b strings.Builder
	names := Listed(l.Fluents)
	fmt.Fprintf(&b, "the same state and action lead to up to %d next states (%s): ", l.Most, names)
	tells := fmt.Sprintf("where a row deviates from the most likely outcome, %d following steps continue from what was recorded and %d from what was predicted", l.Recorded, l.Predicted)
	switch l.Reading {
	case readErrors:
		fmt.Fprintf(&b, "recording errors, not chance: %s; up to %.2g %% of the values of a fluent are taken as wrong", tells, 100*l.Noise)
	case readBoth:
		fmt.Fprintf(&b, "recording errors, and chance or something that is not recorded: %s; up to %.2g %% of the values of a fluent are taken as wrong", tells, 100*l.Noise)
	case readChance:
		fmt.Fprintf(&b, "if the log is right this is chance, or something that is not recorded: %s", tells)
	default:
		why := "these rows are not consecutive, so they cannot tell"
		if l.Consecutive {
			why = "too few deviating rows are followed by one that tells"
		}
		fmt.Fprintf(&b, "chance, recording errors, or something that is not recorded: %s (--noise RATE states the share of wrong cells)", why)
	}
	if len(l.groups) > 0 {
		fmt.Fprintf(&b, "\nchance: %d %s drawn in %d contexts; what was never seen is not impossible", len(l.groups), map[bool]string{true: "group of fluents is", false: "groups of fluents are"}[len(l.groups) == 1], l.Contexts)
	}
	for _, f := range l.Functions {
		name, _, _ := strings.Cut(f, "' = ")
		fmt.Fprintf(&b, "\nthe most likely %s' is a function of %d linear parts, not a network", name, 1+strings.Count(f, "(if "))
	}
	if l.HeldOut != nil {
		fmt.Fprintf(&b, "\nchance, held-out rows: log-likelihood %.3f bits a row; %s", l.HeldOut.Bits, l.HeldOut.Said())
	}
	if l.Earlier != nil {
		fmt.Fprintf(&b, "\nWARNING: %s", l.Earlier)
	}
	return b.String()
}

// Listed joins names, of many the first few.
func Listed(names []string) string {
	const most = 5
	text := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		text += ", …"
	}
	return text
}
