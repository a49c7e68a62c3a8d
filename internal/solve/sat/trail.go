package sat

import "slices"

// variable tells how a variable came to its value.
type variable struct {
	reason reason
	level  int32
	pos    int32 // place on the trail
}

// assignment is the values of variables in the order in which they came about.
type assignment struct {
	vals   []int8 // by literal: 1 true, -1 false, 0 open
	vars   []variable
	trail  []Lit
	levels []int32 // length of the trail when each decision was made
	headC  int     // literals of the trail before it are propagated in clauses
	headN  int     // and before it in counters
	// descent is how often assignments were taken back, counted from 1.
	descent uint64
}

func (t *assignment) grow(n int) {
	t.vals = extend(t.vals, 2*n)
	t.vars = extend(t.vars, n)
	t.trail = slices.Grow(t.trail, n)
}

func (t *assignment) decisionLevel() int32 { return int32(len(t.levels)) }

// enqueue makes l true.
func (t *assignment) enqueue(l Lit, r reason) {
	v := l.Var()
	t.vals[l] = 1
	t.vals[l^1] = -1
	t.vars[v] = variable{r, int32(len(t.levels)), int32(len(t.trail))}
	t.trail = append(t.trail, l)
}

// openLevel begins a decision level.
func (t *assignment) openLevel() { t.levels = append(t.levels, int32(len(t.trail))) }

// rootLen is the number of literals that are true whatever is decided.
func (t *assignment) rootLen() int {
	if len(t.levels) > 0 {
		return int(t.levels[0])
	}
	return len(t.trail)
}

// Fixed is 1 or -1 when l is known to be true or false whatever is assumed,
// else 0.
func (s *Solver) Fixed(l Lit) int8 {
	if s.vars[l.Var()].level == 0 {
		return s.vals[l]
	}
	return 0
}

// earliest moves the need literals that were assigned first to the front
// (Hoare's selection).
func (t *assignment) earliest(lits []Lit, need int) {
	for need > 0 && need < len(lits) {
		// The median of three keeps rows that lie in order from costing squares.
		a, b, c := t.place(lits[0]), t.place(lits[len(lits)/2]), t.place(lits[len(lits)-1])
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := 0, len(lits)-1
		for i <= j {
			for t.place(lits[i]) < pivot {
				i++
			}
			for t.place(lits[j]) > pivot {
				j--
			}
			if i <= j {
				lits[i], lits[j] = lits[j], lits[i]
				i++
				j--
			}
		}
		switch {
		case need <= j+1:
			lits = lits[:j+1]
		case need >= i:
			lits, need = lits[i:], need-i
		default:
			return
		}
	}
}

// place is where on the trail a literal, true or false, stands.
func (t *assignment) place(l Lit) int32 { return t.vars[l.Var()].pos }
