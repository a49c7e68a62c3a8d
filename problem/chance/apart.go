package chance

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Part is where some variables have certain values, and how likely the outcomes of a context are there.
type Part struct {
	Values []int64
	Rows   int64     // that tell of it
	Counts []float64 // of them, for each outcome
	Shares []float64 // of the outcomes, with the sum 1
}

// shareUnits is the sum of the weights of a part, about.
const shareUnits = 1_000_000

// Apart returns the model in which parts of a context of a group, where the variables have certain values, are contexts of their own. The
// outcomes stay. What is in no part stays in the context.
func (m *Model) Apart(group, context int, variables []int, parts []Part) (*Model, error) {
	groups := slices.Clone(m.Groups)
	g := &groups[group]
	g.Follows = slices.Clone(g.Follows)
	from := g.Contexts[context]
	var apart []Context
	for _, x := range parts {
		c := Context{Rows: x.Rows, Counts: x.Counts}
		var when []string
		if from.When != "" {
			when = append(when, "("+from.When+")")
		}
		for i, k := range variables {
			v := &m.Problem.Variables[k]
			switch {
			case v.Bool && x.Values[i] == 0:
				when = append(when, "~"+v.Name)
			case v.Bool:
				when = append(when, v.Name)
			default:
				when = append(when, v.Name+" == "+valueText(v, x.Values[i]))
			}
		}
		c.When = strings.Join(when, " ^ ")
		for i, o := range from.Outcomes {
			o.Weight = max(1, int64(math.Round(x.Shares[i]*shareUnits)))
			c.Outcomes, c.Total = append(c.Outcomes, o), c.Total+o.Weight
		}
		apart = append(apart, c)
	}
	g.Contexts = append(append(slices.Clone(g.Contexts[:context]), apart...), g.Contexts[context:]...)
	for {
		out, i, c, err := New(m.Problem, groups)
		if err == nil {
			return out, nil
		}
		// Parts that never are, and what is left of the context where parts are all of it, go.
		if i != group || c < context || c > context+len(apart) || len(g.Contexts) == 1 {
			return nil, fmt.Errorf("parts of a context: %w", err)
		}
		g.Contexts = slices.Delete(g.Contexts, c, c+1)
	}
}
