package chance

import (
	"slices"

	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// inputsOf returns the places of variables in a table of their joint values, and its size; 0 if they are too many.
func inputsOf(p *factored.Problem, reads []int) (inputs []input, size int64) {
	size = 1
	for _, k := range reads {
		inputs = append(inputs, input{k, size})
		n := p.Variables[k].Hi - p.Variables[k].Lo + 1
		if n <= 0 || size == 0 || size > maxTable/n {
			n = 0
		}
		size *= n
	}
	return inputs, size
}

// part is a condition that is no conjunction, as a table of the joint values of what it reads.
type part struct {
	reads []input // by number among the inputs of the whole table
	holds []bool
}

// firstOf returns for each joint value of inputs the first condition that holds, -1 for none; nil stands for one that always holds. Each
// condition is taken apart, since contexts that were learned are conjunctions of many tests, and of few different ones.
func firstOf(p *factored.Problem, inputs []input, size int64, when []*expr.Expr) ([]int32, error) {
	known := map[string]*part{}
	parts := make([][]*part, len(when))
	for k, e := range when {
		if e == nil {
			continue
		}
		for _, c := range e.Conjuncts() {
			if known[c.Text] == nil {
				x, err := newPart(p, inputs, c)
				if err != nil {
					return nil, err
				}
				known[c.Text] = x
			}
			parts[k] = append(parts[k], known[c.Text])
		}
	}
	out, digits := make([]int32, size), make([]int64, len(inputs))
	for i := range out {
		out[i] = int32(slices.IndexFunc(parts, func(all []*part) bool {
			return !slices.ContainsFunc(all, func(x *part) bool { return !x.in(digits) })
		}))
		for j, in := range inputs {
			v := &p.Variables[in.variable]
			if digits[j]++; digits[j] <= v.Hi-v.Lo {
				break
			}
			digits[j] = 0
		}
	}
	return out, nil
}

// newPart tabulates a condition on some of the inputs.
func newPart(p *factored.Problem, inputs []input, e *expr.Expr) (*part, error) {
	now, _ := e.Variables()
	x, size := &part{}, int64(1)
	for j, in := range inputs {
		if v := &p.Variables[in.variable]; slices.Contains(now, v) {
			x.reads = append(x.reads, input{j, size})
			size *= v.Hi - v.Lo + 1
		}
	}
	x.holds = make([]bool, size)
	val := make(factored.Valuation, p.NumBits())
	for i := range size {
		rest := i
		for _, r := range x.reads {
			v := &p.Variables[inputs[r.variable].variable]
			n := v.Hi - v.Lo + 1
			if err := v.Set(val, v.Lo+rest%n); err != nil {
				return nil, err
			}
			rest /= n
		}
		x.holds[i] = e.Eval(val, nil)
	}
	return x, nil
}

// in reports whether a part holds for inputs, each counted from its least value.
func (x *part) in(digits []int64) bool {
	at := int64(0)
	for _, r := range x.reads {
		at += digits[r.variable] * r.stride
	}
	return x.holds[at]
}
