package factored

import (
	"slices"
	"strings"
)

// NameOf is the name of a variable of one of several systems: level(A) of level, and value(c0,A) of value(c0).
func NameOf(name, system string) string {
	if base, ok := strings.CutSuffix(name, ")"); ok {
		return base + "," + system + ")"
	}
	return name + "(" + system + ")"
}

// Copies returns the problem of several systems that are each as p and know nothing of each other: with variables of its own for
// each, by NameOf, whose bits follow each other in the order of p. All rules hold and all goals are to be reached; the
// rewards are summed. p must have no clock.
func (p *Problem) Copies(systems []string) (*Problem, error) {
	q := NewProblem(p.Name)
	q.Horizon, q.Reward.Scale = p.Horizon, p.Reward.Scale
	for _, s := range systems {
		for _, v := range p.Variables {
			v.Name = NameOf(v.Name, s)
			if v.Lagged() {
				v.Lag.Of = NameOf(v.Lag.Of, s)
			}
			if _, err := q.AddVariable(v); err != nil {
				return nil, err
			}
		}
	}
	q.Global = nil // p has the ranges too
	for k, s := range systems {
		by := Bit(k * p.NumBits())
		of := &system{q: q, name: s, from: int(by), bits: p.NumBits()}
		for _, list := range []struct {
			to   *[]Constraint
			from []Constraint
		}{{&q.Initial, p.Initial}, {&q.Global, p.Global}, {&q.Goal, p.Goal}, {&q.Transition, p.Transition}} {
			for _, c := range list.from {
				*list.to = append(*list.to, c.shifted(of))
			}
		}
		for _, f := range p.Functions {
			q.Functions = append(q.Functions, f.shifted(k*len(p.Variables)))
		}
		for _, t := range p.Reward.Terms {
			t.Lit.Bit += by
			q.Reward.Terms = append(q.Reward.Terms, t)
		}
		q.Reward.Constant += p.Reward.Constant
		for _, b := range p.Inputs {
			q.Inputs = append(q.Inputs, b+by)
		}
		for _, b := range p.Outputs {
			q.Outputs = append(q.Outputs, b+by)
		}
	}
	return q, q.Check()
}

// system is where the variables of one of several systems are.
type system struct {
	q          *Problem // of all
	name       string
	from, bits int
}

// written is what was written of one system, as a part of several.
type written struct {
	Statement
	of *system
}

// Holds implements Statement.
func (s *written) Holds(now, next Valuation) bool {
	return s.Statement.Holds(s.of.values(now), s.of.values(next))
}

// Reads implements Statement.
func (s *written) Reads(visit func(v *Variable, next bool)) {
	s.Statement.Reads(func(v *Variable, next bool) {
		w, _ := s.of.q.Owner(v.First + Bit(s.of.from))
		visit(w, next)
	})
}

func (s *written) String() string { return s.Statement.String() + " of " + s.of.name }

// values are those of the system; nil where none are known.
func (x *system) values(all Valuation) Valuation {
	if all == nil {
		return nil
	}
	return all[x.from : x.from+x.bits]
}

// shifted returns c about other bits, those of a system.
func (c Constraint) shifted(of *system) Constraint {
	terms := make([]Term, len(c.Terms))
	for i, t := range c.Terms {
		t.Lit.Bit += Bit(of.from)
		terms[i] = t
	}
	c.Terms = terms
	if c.Origin != "" {
		c.Origin += " of " + of.name
	}
	if c.Written != nil {
		c.Written = &written{c.Written, of}
	}
	return c
}

// shifted returns f over other variables.
func (f Function) shifted(by int) Function {
	f.Variable, f.Root, f.Text = f.Variable+by, f.Root.shifted(by), ""
	return f
}

func (n *FunctionNode) shifted(by int) *FunctionNode {
	if n == nil {
		return nil
	}
	out := &FunctionNode{Sum: n.Sum, Low: n.Low.shifted(by), High: n.High.shifted(by)}
	out.Sum.Terms = slices.Clone(n.Sum.Terms)
	for i := range out.Sum.Terms {
		out.Sum.Terms[i].Variable += by
	}
	return out
}
