package sim

import "errors"

// maxNodes bounds the partial assignments that one enumeration tries.
const maxNodes = 20_000_000

// errTooMany reports that an enumeration was abandoned.
var errTooMany = errors.New("the values that keep the conditions are too rare to be drawn and too many to be listed")

// enumerate assigns every legal assignment of the part in turn and calls found, until found
// returns false. A partial assignment is abandoned as soon as bounds show that a condition
// cannot hold any more.
func (r *Runner) enumerate(pt *part, before []assign, found func() bool) error {
	r.openPart(pt)
	e := enumeration{r: r, pt: pt, before: before, found: found, left: maxNodes}
	e.from(0, pt.max)
	return e.err
}

// openPart bounds the variables of a part by their ranges, and all others by their values.
func (r *Runner) openPart(pt *part) {
	copy(r.work.lo, r.m.vals)
	copy(r.work.hi, r.m.vals)
	for i := range pt.vars {
		v := &pt.vars[i]
		r.work.lo[v.fluent], r.work.hi[v.fluent] = v.lo, v.hi
	}
}

type enumeration struct {
	r      *Runner
	pt     *part
	before []assign
	found  func() bool
	left   int
	stop   bool
	err    error
}

func (e *enumeration) from(i, budget int) {
	if i == len(e.pt.vars) {
		ok, err := e.r.legal(e.pt.conds, e.before)
		if err != nil {
			e.err, e.stop = err, true
		} else if ok && !e.found() {
			e.stop = true
		}
		return
	}
	v := &e.pt.vars[i]
	w := &e.r.work
	for k := uint64(0); k < uint64(v.size()) && !e.stop; k++ {
		x := v.at(k)
		b := budget
		if b >= 0 && x != v.def {
			if b == 0 {
				continue
			}
			b--
		}
		if e.left--; e.left < 0 {
			e.err, e.stop = errTooMany, true
			return
		}
		e.r.m.vals[v.fluent], w.lo[v.fluent], w.hi[v.fluent] = x, x, x
		if e.possible(i) {
			e.from(i+1, b)
		}
	}
	w.lo[v.fluent], w.hi[v.fluent] = v.lo, v.hi
}

// possible reports whether the conditions that read variable i can still hold.
func (e *enumeration) possible(i int) bool {
	for _, c := range e.pt.touched[i] {
		if _, hi := e.r.truth(e.pt.conds[c].src.Expr); hi == 0 {
			return false
		}
	}
	return true
}
