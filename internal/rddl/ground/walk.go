package ground

import "iter"

// Walk calls f for n and the nodes below it, parents first, each node once even if it is
// shared. It descends below a node only if f returns true.
func (n *Node) Walk(f func(*Node) bool) {
	walk(n, map[*Node]bool{}, f)
}

func walk(n *Node, seen map[*Node]bool, f func(*Node) bool) {
	if n == nil || len(n.Args) > 0 && seen[n] {
		return
	}
	if len(n.Args) > 0 {
		seen[n] = true
	}
	if !f(n) {
		return
	}
	for _, a := range n.Args {
		walk(a, seen, f)
	}
}

// OfKind gives the fluents of one kind with their indices, in order.
func (p *Problem) OfKind(k Kind) iter.Seq2[int, *Fluent] {
	return func(yield func(int, *Fluent) bool) {
		for i := range p.Fluents {
			if f := &p.Fluents[i]; f.Kind == k && !yield(i, f) {
				return
			}
		}
	}
}

// Expressions lists the expressions of p: those of the fluents, by their
// indices, then reward, preconditions, invariants and termination.
func (p *Problem) Expressions() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for i := range p.Fluents {
			if n := p.Fluents[i].CPF; n != nil && !yield(n) {
				return
			}
		}
		if p.Reward != nil && !yield(p.Reward) {
			return
		}
		for _, list := range [][]Condition{p.Preconditions, p.Invariants, p.Termination} {
			for _, c := range list {
				if !yield(c.Expr) {
					return
				}
			}
		}
	}
}

// Walk calls Node.Walk for all expressions of p; shared nodes are visited once.
func (p *Problem) Walk(f func(*Node) bool) {
	seen := map[*Node]bool{}
	for n := range p.Expressions() {
		walk(n, seen, f)
	}
}

// findRandom returns the first draw in n, or nil if there is none.
func findRandom(n *Node) *Node {
	var found *Node
	n.Walk(func(x *Node) bool {
		if found == nil && x.Op == Random {
			found = x
		}
		return found == nil
	})
	return found
}

// Deterministic reports whether nothing in p is drawn at random; otherwise it also returns
// the first draw, with its position.
func (p *Problem) Deterministic() (bool, *Node) {
	for n := range p.Expressions() {
		if r := findRandom(n); r != nil {
			return false, r
		}
	}
	return true, nil
}

// reaches reports whether f holds for a node of n or of the expression of a fluent that n
// reads in the same step, directly or indirectly.
func (p *Problem) reaches(n *Node, f func(*Node) bool) bool {
	seen := map[*Node]bool{}
	below := map[int]bool{} // fluents whose expressions have been visited
	pending := []*Node{n}
	found := false
	for len(pending) > 0 && !found {
		n, pending = pending[len(pending)-1], pending[:len(pending)-1]
		walk(n, seen, func(x *Node) bool {
			if f(x) {
				found = true
			}
			if x.Op == Ref && p.computed(x) && !below[x.Fluent] {
				below[x.Fluent] = true
				pending = append(pending, p.Fluents[x.Fluent].CPF)
			}
			return !found
		})
	}
	return found
}

// computed reports whether the reference reads a value computed in the same step, not the
// state before the step.
func (p *Problem) computed(ref *Node) bool {
	f := &p.Fluents[ref.Fluent]
	return f.CPF != nil && (f.Kind != State || ref.Primed)
}

// Summands calls term for each term of coef*n, a sum, with its factor: times multiplies a factor by a constant. A sum below a
// condition is one of terms that are 0 where that does not hold, or holds.
func Summands[T any](n *Node, coef T, times func(coef T, by float64) T, term func(n *Node, coef T)) {
	switch {
	case n.Op == Add:
		for _, a := range n.Args {
			Summands(a, coef, times, term)
		}
	case n.Op == Sub && len(n.Args) == 2:
		Summands(n.Args[0], coef, times, term)
		Summands(n.Args[1], times(coef, -1), times, term)
	case n.Op == Neg, n.Op == Sub:
		Summands(n.Args[0], times(coef, -1), times, term)
	case n.Op == Mul && len(n.Args) == 2 && n.Args[0].Op == Const:
		Summands(n.Args[1], times(coef, n.Args[0].Val), times, term)
	case n.Op == Mul && len(n.Args) == 2 && n.Args[1].Op == Const:
		Summands(n.Args[0], times(coef, n.Args[1].Val), times, term)
	case isSum(n):
		zero := &Node{Op: Const, Type: n.Type, Pos: n.Pos}
		below := func(place int) {
			Summands(n.Args[place], coef, times, func(x *Node, coef T) {
				if x.Op == Const && x.Val == 0 {
					return
				}
				y := *n
				y.class, y.Args = 0, []*Node{n.Args[0], zero, zero}
				y.Args[place] = x
				term(&y, coef)
			})
		}
		below(1)
		below(2)
	default:
		term(n, coef)
	}
}

// isSum reports whether an expression is a sum of several terms, or one below a condition.
func isSum(n *Node) bool {
	switch n.Op {
	case Add, Sub:
		return len(n.Args) > 1
	case If:
		return n.Type != Bool && (isSum(n.Args[1]) || isSum(n.Args[2]))
	}
	return false
}
