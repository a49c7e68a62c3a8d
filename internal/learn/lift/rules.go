package lift

import "github.com/fdplan/fdplan/problem/factored"

// rules are what the constraints of an instance say of the network's inputs in every legal
// state and action, as far as it is easily seen.
type rules struct {
	forced map[int]bool // inputs that have one value
	most   []atMost
}

// atMost bounds how many of some inputs are true.
type atMost struct {
	inputs map[int]bool
	most   int64
}

func rulesOf(w *World) *rules {
	r := &rules{forced: map[int]bool{}}
	for i := range w.Problem.Global {
		k := &w.Problem.Global[i]
		if len(k.Terms) == 1 {
			r.force(w, k)
		} else if m, ok := atMostOf(w, k); ok {
			r.most = append(r.most, m)
		}
	}
	return r
}

// force takes a constraint with a single bit.
func (r *rules) force(w *World, k *factored.Constraint) {
	t := k.Terms[0]
	in, ok := w.inputs[t.Lit.Bit]
	if !ok || t.Lit.Next {
		return
	}
	if zero, one := holds(k, 0), holds(k, t.Coef); zero != one {
		r.forced[in] = one != t.Lit.Neg
	}
}

// holds reports whether a constraint holds for a value of its sum.
func holds(k *factored.Constraint, sum int64) bool {
	switch k.Op {
	case factored.LE:
		return sum <= k.K
	case factored.GE:
		return sum >= k.K
	}
	return sum == k.K
}

// atMostOf reads a bound on the number of true bits.
func atMostOf(w *World, k *factored.Constraint) (m atMost, ok bool) {
	sign := int64(1)
	if m.most = k.K; k.Op == factored.GE {
		sign, m.most = -1, -k.K
	}
	m.inputs = map[int]bool{}
	for _, t := range k.Terms {
		in, ok := w.inputs[t.Lit.Bit]
		if !ok || t.Lit.Next || t.Lit.Neg || t.Coef != sign {
			return m, false
		}
		m.inputs[in] = true
	}
	return m, true
}

// span is the least and the greatest value of a feature that the rules allow.
func (r *rules) span(g *grounded) (lo, hi float64) {
	lo, hi = g.span(func(b int) int { return bitIn(r.forced, b) })
	for _, m := range r.most {
		if n, ok := m.bound(g); ok {
			hi = max(lo, min(hi, n))
		}
	}
	return lo, hi
}

// bound is the most terms that hold where each has an input of m of its own, or none; ok is
// false where terms share one.
func (m *atMost) bound(g *grounded) (n float64, ok bool) {
	used := map[int]bool{}
	free, bounded := 0.0, 0.0
	for _, term := range g.terms {
		found := false
		for _, l := range term {
			if !l.neg && m.inputs[l.bit] {
				if used[l.bit] {
					return 0, false
				}
				used[l.bit], found = true, true
				break
			}
		}
		if found {
			bounded++
		} else {
			free++
		}
	}
	return free + min(bounded, float64(m.most)), g.count && g.weights == nil
}
