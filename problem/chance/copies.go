package chance

import (
	"slices"

	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// Copies returns what is drawn of several systems that are each as that of m: with groups of their own for each, independent of each
// other. q is what Copies of m.Problem returned for them, and may have further variables behind.
func (m *Model) Copies(q *factored.Problem, systems []string) (*Model, error) {
	var groups []Group
	for k, s := range systems {
		of := func(text string) (string, error) {
			return expr.Renamed(m.Problem, text, func(name string) string { return factored.NameOf(name, s) })
		}
		for i := range m.Groups {
			g, err := m.Groups[i].shifted(k*len(m.Problem.Variables), of)
			if err != nil {
				return nil, err
			}
			groups = append(groups, g)
		}
	}
	out, _, _, err := New(q, groups)
	return out, err
}

// shifted returns g about other variables, whose names are put into its conditions by of.
func (g *Group) shifted(by int, of func(text string) (string, error)) (out Group, err error) {
	out = Group{Outputs: slices.Clone(g.Outputs), Blocked: g.Blocked, Noise: g.Noise, Contexts: slices.Clone(g.Contexts)}
	for j := range out.Outputs {
		out.Outputs[j] += by
	}
	for _, s := range g.Sums {
		s = slices.Clone(s)
		for j := range s {
			s[j].Variable += by
		}
		out.Sums = append(out.Sums, s)
	}
	for i := range out.Contexts {
		if out.Contexts[i].When, err = of(out.Contexts[i].When); err != nil {
			return out, err
		}
	}
	for _, f := range g.Follows {
		f = Follow{Output: f.Output, Cases: slices.Clone(f.Cases)}
		for i := range f.Cases {
			if f.Cases[i].When, err = of(f.Cases[i].When); err != nil {
				return out, err
			}
		}
		out.Follows = append(out.Follows, f)
	}
	return out, nil
}
