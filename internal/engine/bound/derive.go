package bound

import "slices"

// Gate is true in some cases, which may be about gates before it.
type Gate struct {
	Place int32
	Cases [][]Fact
}

// unsatisfiable splits by the first bit of a value, then by the next, and so on.
func (r *reader) unsatisfiable(v int32, budget *int) bool {
	first := int32(2 + len(r.s.Now))
	if *budget--; v < first || *budget < 0 {
		return v == slotFalse
	}
	bit := v
	for bit >= first {
		x := r.sym.p.code[bit-first]
		if bit = x.a; bit == slotTrue {
			bit = x.b
		}
	}
	for _, on := range []bool{false, true} {
		if !r.unsatisfiable(r.where(v, []Fact{{bit - 2, on}}), budget) {
			return false
		}
	}
	return true
}

// where is a value where facts hold.
func (r *reader) where(v int32, facts []Fact) int32 {
	first := int32(2 + len(r.s.Now))
	is := map[int32]int32{slotFalse: slotFalse, slotTrue: slotTrue}
	for _, f := range facts {
		is[2+f.Place] = slotFalse
		if f.On {
			is[2+f.Place] = slotTrue
		}
	}
	var of func(v int32) int32
	of = func(v int32) int32 {
		out, known := is[v]
		if !known {
			if out = v; v >= first {
				x := r.sym.p.code[v-first]
				out = r.sym.emit(x.op, of(x.a), of(x.b))
			}
			is[v] = out
		}
		return out
	}
	return of(v)
}

// gate is the case that a slot has a value; one of a computed value becomes a gate.
func (r *reader) gate(v int32, want bool) [][]Fact {
	if v >= int32(2+len(r.s.Now)) {
		r.gates[v] = true
	}
	return [][]Fact{{{v - 2, want}}}
}

// define lists the gates, and those that they are made of, each after these.
func (r *reader) define() (out []Gate) {
	first := int32(2 + len(r.s.Now))
	for v := first + int32(len(r.sym.p.code)) - 1; v >= first; v-- {
		if !r.gates[v] {
			continue
		}
		x := r.sym.p.code[v-first]
		g := Gate{Place: v - 2}
		for values := range 4 { // of both operands
			a, b := values > 1, values%2 > 0
			if x.a == slotTrue && !a || x.op == opAnd && !(a && b) || x.op == opOr && !(a || b) || x.op == opAndNot && !(a && !b) || x.op == opXor && a == b {
				continue
			}
			c := r.gate(x.b, b)[0]
			if x.a != slotTrue { // of a complement
				c = append(c, r.gate(x.a, a)[0]...)
			}
			g.Cases = append(g.Cases, c)
		}
		out = append(out, g)
	}
	slices.Reverse(out)
	return out
}
