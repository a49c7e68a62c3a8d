package task

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// Unknown lists the learned fluents without a cpf, by their base names. What follows from the
// RDDL then says nothing about their next values. It is known after Ground and Problem.
func (t *Task) Unknown() []string { return t.unknown }

// complete gives each learned state fluent without a cpf one in which it keeps its value, so
// that the domain can be checked. Nothing reads it: the network has the next values, and there
// is no simulator.
func (t *Task) complete(f *rddl.File) {
	t.unknown = nil
	for _, d := range f.Domains {
		for _, v := range d.PVariables {
			name := v.Name.Name
			has := slices.ContainsFunc(d.CPFs, func(c *rddl.CPF) bool { return c.Name.Name == name })
			if v.Kind != rddl.StateFluent || has || !slices.Contains(t.Learned, name) {
				continue
			}
			c := &rddl.CPF{Name: v.Name, Primed: true}
			same := &rddl.Fluent{Name: name}
			same.Pos = v.Name.Pos
			for i := range v.Params {
				p := &rddl.Param{Name: fmt.Sprintf("x%d", i), Pos: v.Name.Pos}
				x := &rddl.Var{Name: p.Name}
				x.Pos = p.Pos
				c.Params = append(c.Params, p)
				same.Args = append(same.Args, x)
			}
			c.Expr = same
			d.CPFs = append(d.CPFs, c)
			t.unknown = append(t.unknown, name)
		}
	}
}

// checkUnknown refuses a problem that needs a cpf that is not there: to plan by the RDDL, and
// to infer the range of an integer.
func (t *Task) checkUnknown(g *ground.Problem, known bool) error {
	if len(t.unknown) > 0 && known {
		return t.NoTruth()
	}
	for _, f := range g.OfKind(ground.State) {
		if f.Type != ground.Int || !slices.Contains(t.unknown, f.Base) {
			continue
		}
		_, own := t.Ranges[factored.Canonical(f.Name)]
		_, base := t.Ranges[f.Base]
		if !own && !base {
			return t.errorAt([]string{"learned"}, "%s has no cpf from which its range can be inferred; expected %s = [LO, HI] in [ranges], or its bins in [discretize]", f.Name, f.Base)
		}
	}
	return nil
}

// NoTruth returns the error that the RDDL cannot be simulated.
func (t *Task) NoTruth() error {
	return source.Errorf(t.File, 0, 0, "%s has no cpf in the RDDL, which therefore cannot be simulated or planned with; the network alone gives its next values", t.unknown[0])
}
