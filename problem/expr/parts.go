package expr

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// Part is what a summand of a reward reads, or one side of its disjunction.
type Part struct {
	Truths  []Read    // Booleans
	Sides   []Side    // of numbers and enumerations that are compared with constants
	Signs   [][2]Read // of differences of those that are compared with each other
	Numbers []Read    // that are calculated with
}

// Read is a variable of the state before a step or of its actions, or of the state after it.
type Read struct {
	*factored.Variable
	Next bool
}

// Side tells on which side of constants a number is. Cuts are the least values on the further side of each, in order.
type Side struct {
	Read
	Cuts []int64
}

// Parts returns what each summand of a reward that SetReward has set reads, but for multiples of numbers. Of equal parts there is one. It returns nil for
// other rewards.
func Parts(r *factored.Reward) (parts []Part) {
	w, ok := r.Written.(*payment)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	w.n.split(big.NewRat(1, 1), new(big.Rat), func(n *node, _ *big.Rat) {
		if n.op == "name" && !n.v.Bool {
			return
		}
		for _, n := range n.disjuncts(nil) {
			var p Part
			p.add(n)
			for i := range p.Sides {
				s := &p.Sides[i]
				slices.Sort(s.Cuts)
				s.Cuts = slices.Compact(s.Cuts)
			}
			if key := p.String(); !seen[key] {
				seen[key], parts = true, append(parts, p)
			}
		}
	})
	return parts
}

// disjuncts appends the sides of a disjunction, or n itself.
func (n *node) disjuncts(list []*node) []*node {
	if n.op != "|" {
		return append(list, n)
	}
	for _, a := range n.args {
		list = a.disjuncts(list)
	}
	return list
}

// add adds what n reads.
func (p *Part) add(n *node) {
	if n.op == "name" {
		list := &p.Truths
		if n.isNumber() {
			list = &p.Numbers
		}
		if r := n.read(); !slices.Contains(*list, r) {
			*list = append(*list, r)
		}
		return
	}
	if op, compares := n.op, slices.Contains([]string{"==", "~=", "<", "<=", ">", ">="}, n.op); compares {
		a, b := n.args[0], n.args[1]
		if a.constant() {
			a, b, op = b, a, mirrored(op)
		}
		switch {
		case a.isNumber() && b.isNumber():
			if pair := [2]Read{a.read(), b.read()}; !slices.Contains(p.Signs, pair) {
				p.Signs = append(p.Signs, pair)
			}
			return
		case a.isNumber() && b.constant():
			if k := b.exact(nil, nil); k != nil {
				p.cut(a.read(), op, k)
				return
			}
		}
	}
	for _, a := range n.args {
		p.add(a)
	}
}

// isNumber reports whether n is a variable that is no Boolean.
func (n *node) isNumber() bool { return n.op == "name" && !n.v.Bool }

func (n *node) read() Read { return Read{n.v, n.next} }

// cut adds a comparison with a constant.
func (p *Part) cut(r Read, op string, k *big.Rat) {
	i := slices.IndexFunc(p.Sides, func(s Side) bool { return s.Read == r })
	if i < 0 {
		i = len(p.Sides)
		p.Sides = append(p.Sides, Side{Read: r})
	}
	floor := new(big.Int).Div(k.Num(), k.Denom()).Int64()
	s := &p.Sides[i]
	switch equal := op == "==" || op == "~="; {
	case equal && k.IsInt():
		s.Cuts = append(s.Cuts, floor, floor+1)
	case equal: // never
	case k.IsInt() && (op == ">=" || op == "<"):
		s.Cuts = append(s.Cuts, floor)
	default:
		s.Cuts = append(s.Cuts, floor+1)
	}
}

func (r Read) String() string {
	if r.Next {
		return r.Name + "'"
	}
	return r.Name
}

// String lists what is read: x, y from 2, from 5 on, x with y, number z.
func (p *Part) String() string {
	var out []string
	for _, r := range p.Truths {
		out = append(out, r.String())
	}
	for _, s := range p.Sides {
		out = append(out, fmt.Sprintf("%s from %v", s.Read, s.Cuts))
	}
	for _, pair := range p.Signs {
		out = append(out, fmt.Sprintf("%s with %s", pair[0], pair[1]))
	}
	for _, r := range p.Numbers {
		out = append(out, "number "+r.String())
	}
	return strings.Join(out, ", ")
}
