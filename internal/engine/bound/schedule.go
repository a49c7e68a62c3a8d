package bound

import (
	"cmp"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// stretch is a part of the code with one operation.
type stretch struct {
	op   op
	code []instr
}

// schedule drops what nothing needs, and orders the rest so that instructions
// with one operation stand together: a processor that runs them has few branches
// to guess.
func (p *Program) schedule() {
	needed := make([]bool, p.slotNum)
	needed[p.illegal] = true
	for _, s := range p.refused {
		needed[s] = true
	}
	for v, s := range p.slots {
		if v > 0 {
			needed[s] = true
		}
	}
	level := make([]int32, p.slotNum) // an instruction's is above those of its operands
	for i := len(p.code) - 1; i >= 0; i-- {
		if x := p.code[i]; needed[x.dst] {
			needed[x.a], needed[x.b] = true, true
		}
	}
	code := slices.DeleteFunc(p.code, func(x instr) bool { return !needed[x.dst] })
	for _, x := range code {
		level[x.dst] = 1 + max(level[x.a], level[x.b])
	}
	slices.SortStableFunc(code, func(x, y instr) int {
		return cmp.Or(cmp.Compare(level[x.dst], level[y.dst]), cmp.Compare(x.op, y.op))
	})
	p.code = code
	p.stretches = nil
	for from := 0; from < len(code); {
		to := from + 1
		for to < len(code) && code[to].op == code[from].op {
			to++
		}
		p.stretches = append(p.stretches, stretch{code[from].op, code[from:to]})
		from = to
	}
}

// maxInputs bounds what a definition reads if its values are listed.
const maxInputs = 10

// complete reports whether the sums give v one value, whatever the other
// variables are, so that one side of its definition tells the other.
func complete(sums []*model.Sum, v int32) bool {
	var inputs []int32
	for _, s := range sums {
		for _, t := range s.Terms {
			if x := t.Lit.Var(); x != v && !slices.Contains(inputs, x) {
				inputs = append(inputs, x)
			}
		}
		if len(inputs) > maxInputs {
			return false
		}
	}
	for values := range 1 << len(inputs) {
		allowed := 0
		for own := range 2 {
			if !slices.ContainsFunc(sums, func(s *model.Sum) bool { return !keeps(s, v, own, inputs, values) }) {
				allowed++
			}
		}
		if allowed != 1 {
			return false
		}
	}
	return true
}

// keeps reports whether a sum holds for a value of v and the values of inputs.
func keeps(s *model.Sum, v int32, own int, inputs []int32, values int) bool {
	var sum int64
	for _, t := range s.Terms {
		value := own
		if x := t.Lit.Var(); x != v {
			value = values >> slices.Index(inputs, x) & 1
		}
		if (value == 1) == (t.Lit > 0) {
			sum += t.Coef
		}
	}
	return (s.Op == factored.GE || sum <= s.K) && (s.Op == factored.LE || sum >= s.K)
}
