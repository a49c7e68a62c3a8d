package translate

import (
	"fmt"
	"math/big"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/problem/factored"
)

// Parts computes the parts of a step with exact fractions: next values, whether they are drawn or decided, summands of the reward and
// conjuncts of a goal. It belongs to one goroutine.
type Parts struct {
	*Outcomes
	factors []drawing
	terms   []part
	goals   []part
}

// part is an expression with what it reads.
type part struct {
	node  *ground.Node
	coef  rat
	reads []int
}

// Steps prepares to compute next values alone.
func (c *Compiled) Steps() *Parts {
	p := &Parts{Outcomes: c.Outcomes()}
	decided, _ := c.Ground.Groups()
	for _, i := range decided {
		if f := &c.Ground.Fluents[i]; f.Kind == ground.State {
			reads, _ := c.Ground.DecidedBy(f.CPF)
			p.factors = append(p.factors, drawing{ground.Group{Fluents: []int{i}, Reads: reads}, map[string]*factored.Draw{}})
		}
	}
	for _, g := range p.groups {
		for _, i := range g.Fluents {
			if c.Ground.Fluents[i].Kind == ground.State {
				p.factors = append(p.factors, g)
				break
			}
		}
	}
	return p
}

// Parts prepares to compute the parts of steps. goal may be nil.
func (c *Compiled) Parts(goal *ground.Node) (*Parts, error) {
	p := c.Steps()
	for _, t := range summands(c.Ground.Reward) {
		reads, drawn := c.Ground.DecidedBy(t.node)
		if drawn {
			return nil, fmt.Errorf("the reward depends on what is drawn")
		}
		p.terms = append(p.terms, part{t.node, t.coef, reads})
	}
	for open := []*ground.Node{goal}; goal != nil && len(open) > 0; {
		n := open[0]
		if open = open[1:]; n.Op == ground.And {
			open = append(append([]*ground.Node{}, n.Args...), open...)
			continue
		}
		reads, drawn := c.Ground.DecidedBy(n)
		if drawn {
			return nil, fmt.Errorf("the goal depends on what is drawn")
		}
		p.goals = append(p.goals, part{node: n, reads: reads})
	}
	return p, nil
}

// variables are those of fluents.
func (p *Parts) variables(fluents []int) (list []int) {
	for _, i := range fluents {
		list = append(list, p.of.variable[i])
	}
	return list
}

// Factors is that of validate.Parts.
func (p *Parts) Factors() (list []factored.Scope) {
	for i := range p.factors {
		g := &p.factors[i]
		x := factored.Scope{Reads: p.variables(g.Reads)}
		for _, f := range g.Fluents {
			if p.of.Ground.Fluents[f].Kind == ground.State {
				x.Writes = append(x.Writes, p.of.variable[f])
			}
		}
		list = append(list, x)
	}
	return list
}

// Next is that of validate.Parts.
func (p *Parts) Next(factor int, now factored.Valuation) (d *factored.Draw, err error) {
	defer p.failed(&err)
	return p.drawOf(&p.factors[factor], now)
}

func (p *Parts) list(parts []part) (list []factored.Scope) {
	for _, x := range parts {
		list = append(list, factored.Scope{Reads: p.variables(x.reads)})
	}
	return list
}

// Terms is that of validate.Parts.
func (p *Parts) Terms() []factored.Scope { return p.list(p.terms) }

// Goals is that of validate.Parts.
func (p *Parts) Goals() []factored.Scope { return p.list(p.goals) }

// worth evaluates a part.
func (p *Parts) worth(x *part, now factored.Valuation) value {
	s := &scene{c: p.c, val: p.given(x.reads, now), memo: map[int]value{}}
	return s.eval(x.node)
}

// Term is that of validate.Parts.
func (p *Parts) Term(i int, now factored.Valuation) (r *big.Rat, err error) {
	defer p.failed(&err)
	v := p.worth(&p.terms[i], now)
	if v.inexact {
		return nil, fmt.Errorf("the reward %v is not a fraction", v.float)
	}
	r = big.NewRat(v.N, v.D)
	return r.Mul(r, big.NewRat(p.terms[i].coef.N, p.terms[i].coef.D)), nil
}

// Holds is that of validate.Parts.
func (p *Parts) Holds(i int, now factored.Valuation) (holds bool, err error) {
	defer p.failed(&err)
	return p.worth(&p.goals[i], now).isTrue(), nil
}

// MayEnd is that of validate.Parts.
func (p *Parts) MayEnd() bool { return len(p.of.Ground.Termination) > 0 }
