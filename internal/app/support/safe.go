package support

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/cubes"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// ErrNoRecord is wrapped where a network's file does not tell exactly what the training rows
// support.
var ErrNoRecord = errors.New("the network's file does not tell exactly which steps its training rows support")

// origin is where constraints about support come from.
const origin = "supported by the training rows"

// record returns what the rows settle. It is nil if that is every legal step.
func record(p *load.Problem) (*coverage.Support, error) {
	switch {
	case p.Network == nil && p.Functions != nil:
		return nil, fmt.Errorf("%s has functions of quantities and no network: no rows support single values, and bands have their errors (docs/quantities.md)", p.Problem.Name)
	case p.Network == nil:
		return nil, fmt.Errorf("nothing is learned in %s: every step is known", p.Problem.Name)
	case p.Support != nil:
		return p.Support, nil
	case p.Seen == nil || !p.Seen.AllLegal() && p.Seen.Cells() == nil:
		return nil, fmt.Errorf("%w; expected one that fdplan train wrote with --recipe structure", ErrNoRecord)
	case p.Seen.AllLegal():
		return nil, nil
	}
	return ofRows(p), nil
}

// Nowhere names the variables with next values that the rows support in no state and after no action, so that no step is supported.
func Nowhere(p *load.Problem) (names []string) {
	for o, b := range p.Problem.Outputs {
		if s := p.Support; s != nil && len(s.Tables[o]) == 0 && s.Asks(o) {
			owner, _ := p.Problem.Owner(b)
			names = append(names, owner.Name)
		}
	}
	return slices.Compact(names)
}

// ofRows is the support by whole rows: each output has a table over all inputs, whose cells
// are the rows, with the values of the network.
func ofRows(p *load.Problem) *coverage.Support {
	s := &coverage.Support{Inputs: len(p.Problem.Inputs), Outputs: len(p.Problem.Outputs)}
	s.Tables = make([][]coverage.Table, s.Outputs)
	var all []int
	for i := range s.Inputs {
		all = append(all, i)
	}
	for o := range s.Tables {
		s.Tables[o] = []coverage.Table{{Inputs: all}}
	}
	eval := bnn.NewEvaluator(p.Network)
	scratch, out := eval.NewScratch(), make([]uint64, bnn.Words(s.Outputs))
	for _, cell := range p.Seen.Cells() {
		eval.Forward(out, []uint64{cell}, scratch)
		for o := range s.Tables {
			if t := &s.Tables[o][0]; out[o/64]>>(o%64)&1 == 1 {
				t.On = append(t.On, cell)
			} else {
				t.Off = append(t.Off, cell)
			}
		}
	}
	return s
}

// builder adds clauses to the transition of a problem.
type builder struct {
	*factored.Problem
	inputs, outputs []factored.Bit // of the network
}

// clause adds the constraint that one of some literals holds.
func (b *builder) clause(lits ...factored.Lit) {
	if len(lits) == 0 { // never: a bit and its negation
		l := factored.Lit{Bit: b.inputs[0]}
		b.clause(l)
		lits = append(lits, l.Not())
	}
	c := factored.Constraint{Op: factored.GE, K: 1, Origin: origin}
	for _, l := range lits {
		c.Terms = append(c.Terms, factored.Term{Coef: 1, Lit: l})
	}
	b.Transition = append(b.Transition, c)
}

// fails is the literal of an input that does not have a value.
func (b *builder) fails(l coverage.Literal) factored.Lit {
	return factored.Lit{Bit: b.inputs[l/2], Neg: l%2 == 1}
}

// outside lists the literals one of which holds outside of a cube of a table's inputs.
func (b *builder) outside(t *coverage.Table, c cubes.Cube) []factored.Lit {
	var lits []factored.Lit
	for i, in := range t.Inputs {
		if c.Care>>i&1 == 1 {
			lits = append(lits, b.fails(2*in+int(c.Value>>i&1)))
		}
	}
	return lits
}

// next is the literal of an output's next value.
func (b *builder) next(output int, value bool) factored.Lit {
	return factored.Lit{Bit: b.outputs[output], Next: true, Neg: !value}
}

// Safe returns the problem whose steps are those that the training rows support: others are
// excluded by constraints on the state, the action and the learned bits of the next state.
func Safe(p *load.Problem) (*load.Problem, error) {
	s, err := record(load.Scoped(p))
	if err != nil {
		return nil, err
	}
	q := *p
	q.Problem = p.Problem.Clone()
	if s == nil {
		return &q, nil
	}
	b := &builder{q.Problem, p.Problem.Inputs, p.Problem.Outputs}
	exclude := func(all []coverage.Literal) {
		var lits []factored.Lit
		for _, l := range all {
			lits = append(lits, b.fails(l))
		}
		b.clause(lits...)
	}
	for _, c := range s.Unseen {
		exclude(slices.Compact(c[:]))
	}
	for i := range s.Except {
		for _, cube := range s.Except[i].Cubes {
			exclude(cube)
		}
	}
	done := map[string]bool{} // tables with the same gaps
	for o, tables := range s.Tables {
		if len(tables) == 0 && s.Asks(o) {
			b.clause()
		}
		for i := range tables {
			t := &tables[i]
			if key := gapsKey(t); !done[key] {
				done[key] = true
				for _, c := range s.Gaps(t) {
					b.clause(b.outside(t, c)...)
				}
			}
			if i == 0 {
				continue // the network has the values of the first table
			}
			for _, value := range []bool{false, true} {
				for _, c := range s.Side(t, value, false) {
					b.clause(append(b.outside(t, c), b.next(o, value))...)
				}
			}
		}
	}
	return &q, nil
}

// gapsKey identifies the inputs and the cells of a table, whatever their values.
func gapsKey(t *coverage.Table) string {
	cells := slices.Concat(t.On, t.Off)
	slices.Sort(cells)
	return fmt.Sprint(t.Inputs, cells)
}
