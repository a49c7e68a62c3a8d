package inspect

import (
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/problem/chance"
)

// ChanceLine is a group of variables whose next values are drawn together; see package chance.
type ChanceLine struct {
	Variables []string           `json:"variables"`
	Blocked   string             `json:"blocked"`
	Noise     map[string]float64 `json:"noise"` // the share of wrong records, by variable
	Follows   []FollowLine       `json:"follows,omitempty"`
	Contexts  []ContextLine      `json:"contexts"`
}

// FollowLine is what a fluent is after a step by what others of the group are then.
type FollowLine struct {
	When  string `json:"when"`  // a condition on values after the step; empty where none of those before holds
	Value string `json:"value"` // FLUENT = VALUE
}

// ContextLine is a context with its outcomes.
type ContextLine struct {
	When     string        `json:"when"` // empty where it holds otherwise
	Rows     int64         `json:"rows"` // that the probabilities were counted in; 0 where they are given
	Outcomes []OutcomeLine `json:"outcomes"`
}

// OutcomeLine is an outcome.
type OutcomeLine struct {
	Probability float64 `json:"probability"`
	Weight      int64   `json:"weight"` // the probability is this over the sum of all weights
	Effects     string  `json:"effects"`
}

// chanceLines describes what is drawn.
func chanceLines(m *chance.Model) (out []ChanceLine) {
	if m == nil {
		return nil
	}
	for i := range m.Groups {
		g := &m.Groups[i]
		l := ChanceLine{Blocked: g.Blocked.String(), Noise: map[string]float64{}}
		for j, v := range g.Outputs {
			l.Variables = append(l.Variables, m.Problem.Variables[v].Name)
			l.Noise[l.Variables[j]] = g.Noise[j].Rate()
		}
		for i := range g.Follows {
			for _, c := range g.Cases(i) {
				l.Follows = append(l.Follows, FollowLine{c[0], c[1]})
			}
		}
		for _, c := range g.Contexts {
			k := ContextLine{When: c.When, Rows: c.Rows}
			for _, o := range c.Outcomes {
				k.Outcomes = append(k.Outcomes, OutcomeLine{float64(o.Weight) / float64(c.Total), o.Weight, g.Text(o.Effects)})
			}
			l.Contexts = append(l.Contexts, k)
		}
		out = append(out, l)
	}
	return out
}

// chanceOf reads what a network's file says to be drawn, as far as that is possible without the problem.
func chanceOf(meta [][2]string) (out []ChanceLine, err error) {
	var g *ChanceLine
	for _, kv := range meta {
		if kv[0] != load.MetaChance {
			continue
		}
		word, rest, _ := strings.Cut(kv[1], " ")
		if g == nil && word != "draw" {
			return nil, fmt.Errorf("meta chance %s: expected draw FLUENT, … before it", kv[1])
		}
		switch word {
		case "draw":
			out = append(out, ChanceLine{Variables: strings.Split(rest, ", "), Blocked: chance.Clamp.String(), Noise: map[string]float64{}})
			g = &out[len(out)-1]
		case "blocked":
			g.Blocked = rest
		case "noise":
			at := strings.LastIndexByte(rest, ' ')
			if r, ok := new(big.Rat).SetString(rest[at+1:]); ok && at > 0 {
				g.Noise[rest[:at]], _ = r.Float64()
			}
		case "follow":
			value, when, _ := strings.Cut(rest, " when ")
			g.Follows = append(g.Follows, FollowLine{when, value})
		case "when", "otherwise":
			g.Contexts = append(g.Contexts, ContextLine{When: rest})
		default:
			if len(g.Contexts) == 0 {
				return nil, fmt.Errorf("meta chance %s: expected when CONDITION or otherwise before it", kv[1])
			}
			if err := g.Contexts[len(g.Contexts)-1].read(kv[1]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// read reads a line of a context.
func (c *ContextLine) read(line string) (err error) {
	if rows, ok := strings.CutPrefix(line, "rows "); ok {
		c.Rows, err = strconv.ParseInt(rows, 10, 64)
		return err
	}
	share, effects, ok := strings.Cut(line, ": ")
	number, percent := strings.CutSuffix(share, "%")
	r, valid := new(big.Rat).SetString(strings.TrimSpace(number))
	if !ok || !valid {
		return fmt.Errorf("meta chance %s: expected PROBABILITY: EFFECT, …", line)
	}
	o := OutcomeLine{Effects: effects}
	o.Probability, _ = r.Float64()
	if percent {
		o.Probability /= 100
	}
	if n, _, fraction := strings.Cut(share, "/"); fraction {
		o.Weight, _ = strconv.ParseInt(n, 10, 64)
	}
	c.Outcomes = append(c.Outcomes, o)
	return nil
}

// WriteChance draws the outcomes of each context with their frequencies.
func WriteChance(b io.Writer, groups []ChanceLine) {
	const width = 20 // of a bar of probability 1
	for _, g := range groups {
		fmt.Fprintf(b, "\ndrawn together: %s (the first context that holds counts; an outcome that would leave a range: %s)\n", strings.Join(g.Variables, ", "), g.Blocked)
		for _, f := range g.Follows {
			when := "when " + f.When
			if f.When == "" {
				when = "otherwise"
			}
			fmt.Fprintf(b, "  after the step %s %s\n", f.Value, when)
		}
		for _, c := range g.Contexts {
			when := c.When
			if when == "" {
				when = "otherwise"
			}
			fmt.Fprintf(b, "  %s", when)
			if c.Rows > 0 {
				fmt.Fprintf(b, "    # %s", counted.Of(int(c.Rows), "row"))
			}
			fmt.Fprintln(b)
			for _, o := range c.Outcomes {
				n := int(width*o.Probability + .5)
				fmt.Fprintf(b, "    %6.2f %% %s%s  %s\n", 100*o.Probability, strings.Repeat("█", n), strings.Repeat("·", width-n), o.Effects)
			}
		}
	}
	if len(groups) > 0 {
		fmt.Fprintf(b, "What is not listed was never seen; that does not make it impossible.\n")
	}
}
