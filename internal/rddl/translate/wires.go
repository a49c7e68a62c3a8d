package translate

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/problem/factored"
)

// lit is a wire of the circuit or, if negative, its negation. A wire is a bit of the factored
// problem at this step or the next; wire 1 is the constant true.
type lit int32

const (
	yes lit = 1
	no  lit = -1
)

// reach is what a wire depends on besides the present state. It determines the steps at which
// the constraints that define the wire can hold.
type reach uint8

const (
	onState  reach = 0
	onAction reach = 1
	onNext   reach = 2
)

type wire struct {
	bit    factored.Bit
	next   bool
	action bool // is an action bit itself
	reach  reach
}

func (l lit) wire() int32 {
	if l < 0 {
		return int32(-l)
	}
	return int32(l)
}

// group is the destination of a constraint.
type group uint8

const (
	defining  group = iota // part of the definition of an auxiliary variable
	invariant              // at steps 1..H+1, or 1..H if an action matters
	inSteps                // at steps 1..H
	goal                   // at step H+1
)

// wireOf returns the wire of a factored bit.
func (c *compiler) wireOf(b factored.Bit, next bool, r reach) lit {
	key := factored.Lit{Bit: b, Next: next}
	if l, ok := c.byBit[key]; ok {
		return l
	}
	c.wires = append(c.wires, wire{bit: b, next: next, action: c.p.Kind(b) == factored.Action, reach: r})
	l := lit(len(c.wires) - 1)
	c.byBit[key] = l
	return l
}

// freshVariable adds an auxiliary variable. Without a name, or if the name is taken, it is
// named after the present construct.
func (c *compiler) freshVariable(v factored.Variable) *factored.Variable {
	v.Kind = factored.Auxiliary
	_, taken := c.p.Lookup(v.Name)
	for v.Name == "" || taken {
		c.serial[c.what]++
		v.Name = fmt.Sprintf("%s/%d", c.what, c.serial[c.what])
		_, taken = c.p.Lookup(v.Name)
	}
	id, err := c.p.AddVariable(v)
	if err != nil {
		c.refuse("%v", err)
	}
	return &c.p.Variables[id]
}

// summand is one term of a linear constraint over wires.
type summand struct {
	coef int64
	lit  lit
}

// emit adds sum op k. Constants are folded; a constraint that always holds is omitted.
func (c *compiler) emit(g group, terms []summand, op factored.Op, k int64) {
	n := factored.Constraint{Op: op, K: k, Origin: c.origin}
	var r reach
	action := false
	var least, most int64
	for _, t := range terms {
		switch t.lit {
		case yes:
			n.K -= t.coef
			continue
		case no:
			continue
		}
		w := &c.wires[t.lit.wire()]
		n.Terms = append(n.Terms, factored.Term{Coef: t.coef, Lit: factored.Lit{Bit: w.bit, Next: w.next, Neg: t.lit < 0}})
		r |= w.reach
		action = action || w.action
		least += min(t.coef, 0)
		most += max(t.coef, 0)
	}
	if (op == factored.GE || least == most && least == n.K) && least >= n.K || op == factored.LE && most <= n.K {
		return
	}
	c.readable(&n)
	switch {
	case g == goal:
		if r != onState {
			c.refuse("the goal depends on an action or on the next state; expected an expression over the state alone")
		}
		c.p.Goal = append(c.p.Goal, n)
	case g == defining && r == onState:
		n.Defines = true
		c.p.Global = append(c.p.Global, n)
	case g == invariant && r == onState, g != defining && action && r&onNext == 0:
		c.p.Global = append(c.p.Global, n)
	default:
		// Without an action bit of its own, a constraint of C would hold at step H+1, where
		// what it depends on does not exist.
		n.Gate = g == defining
		c.p.Transition = append(c.p.Transition, n)
	}
}

// readable negates a constraint if no coefficient is positive, and divides it by the common
// divisor of its coefficients.
func (c *compiler) readable(n *factored.Constraint) {
	if len(n.Terms) == 0 {
		return
	}
	var g int64
	positive := false
	for _, t := range n.Terms {
		g = integer.GCD(g, t.Coef)
		positive = positive || t.Coef > 0
	}
	if !positive {
		for i := range n.Terms {
			n.Terms[i].Coef *= -1
		}
		n.Op, n.K = [...]factored.Op{factored.LE: factored.GE, factored.GE: factored.LE, factored.EQ: factored.EQ}[n.Op], -n.K
	}
	if g > 1 && (n.Op != factored.EQ || n.K%g == 0) {
		for i := range n.Terms {
			n.Terms[i].Coef /= g
		}
		if n.Op == factored.GE {
			n.K = -integer.FloorDiv(-n.K, g)
		} else {
			n.K = integer.FloorDiv(n.K, g)
		}
	}
}

// clause adds a disjunction.
func (c *compiler) clause(g group, lits ...lit) {
	lits = slices.Clone(lits)
	slices.Sort(lits)
	lits = slices.Compact(lits)
	var terms []summand
	for _, l := range lits {
		if l == yes || l != no && slices.Contains(lits, -l) {
			return
		}
		if l != no {
			terms = append(terms, summand{1, l})
		}
	}
	c.emit(g, terms, factored.GE, 1)
}

// reachOf returns what any of lits depends on.
func (c *compiler) reachOf(lits []lit) reach {
	var r reach
	for _, l := range lits {
		if l != yes && l != no {
			r |= c.wires[l.wire()].reach
		}
	}
	return r
}
