package integers

import "math"

const (
	// sampled is how many rows a function is looked for on; see Learn.
	sampled = 1024
	// mostTriples is the most integers of which all sets of three are added up. Of more integers
	// only sums with the one before the step are.
	mostTriples = 10
	// mostIntegers is the most integers that are compared and added in pairs.
	mostIntegers = 24
)

// Sample is the rows that a function is learned from.
type Sample struct {
	// Variables lists what the function may read, the likeliest first.
	Variables []Variable
	In        [][]uint64 // packed inputs of each row
	Out       []int      // the value in each row
	Boolean   bool       // the values are 0 and 1
	// Least and Most bound the values, in rows and elsewhere; both are 0 where nothing is known.
	Least, Most int
	Sets        [][]int // inputs of one kind, such as the hours of a day
	// Exceptions allows rows that do not follow the function where they are fewer than it takes to explain them.
	Exceptions bool
}

// feature is an expression without a constant, and its value in each row.
type feature struct {
	expr *Expr
	col  []int32
	test bool    // it may decide cases
	bits float64 // what it takes to name it
}

// boolean reports whether the feature is a Boolean variable.
func (f *feature) boolean() bool { return f.expr.Op == Var && len(f.expr.Variable.Bits) == 1 }

// features lists the expressions that functions are made of: the variables, and sums, differences, least
// and greatest values of two and three integers.
func features(s *Sample, rows []int32) []feature {
	var list []feature
	add := func(e *Expr, test bool, bits float64, value func(r int) int32) {
		f := feature{expr: e, col: make([]int32, len(rows)), test: test, bits: bits}
		varies := false
		for r := range rows {
			f.col[r] = value(r)
			varies = varies || f.col[r] != f.col[0]
		}
		if varies {
			list = append(list, f)
		}
	}
	name := math.Log2(float64(len(s.Variables) + 1))
	var ints []feature
	for i := range s.Variables {
		v := &s.Variables[i]
		add(&Expr{Op: Var, Variable: v}, true, name, func(r int) int32 { return int32(v.Value(s.In[rows[r]])) })
		if n := len(list); n > 0 && list[n-1].expr.Variable == v && len(v.Bits) > 1 && len(ints) < mostIntegers {
			ints = append(ints, list[n-1])
		}
	}
	for i := range ints {
		for j := range i {
			pair(&ints[j], &ints[i], name, !s.Boolean, add)
		}
	}
	for i := range ints {
		for j := range i {
			for k := range j {
				if k == 0 || len(ints) <= mostTriples {
					triple(&ints[k], &ints[j], &ints[i], name, s.Boolean, add)
				}
			}
		}
	}
	return list
}

// adder takes a feature with its value in a row.
type adder func(e *Expr, test bool, bits float64, value func(r int) int32)

// pair adds the features of two integers.
func pair(a, b *feature, name float64, values bool, add adder) {
	const kinds = 3 // bits
	bits := 2*name + kinds
	x, y := a.col, b.col
	add(sum(1, a, -1, b), true, bits, func(r int) int32 { return x[r] - y[r] })
	add(sum(1, a, 1, b), true, bits, func(r int) int32 { return x[r] + y[r] })
	if !values {
		return
	}
	two := []*Expr{a.expr, b.expr}
	add(&Expr{Op: Min, Args: two}, false, bits, func(r int) int32 { return min(x[r], y[r]) })
	add(&Expr{Op: Max, Args: two}, false, bits, func(r int) int32 { return max(x[r], y[r]) })
	add(&Expr{Op: Abs, Args: []*Expr{sum(1, a, -1, b)}}, false, bits+1, func(r int) int32 { return max(x[r]-y[r], y[r]-x[r]) })
	add(sum(-1, a, 1, b), false, bits, func(r int) int32 { return y[r] - x[r] })
	add(sum(-1, a, -1, b), false, bits+1, func(r int) int32 { return -x[r] - y[r] })
	add(sum(2, a, 1, b), false, bits+1, func(r int) int32 { return 2*x[r] + y[r] })
	add(sum(1, a, 2, b), false, bits+1, func(r int) int32 { return x[r] + 2*y[r] })
	add(sum(1, a, -2, b), false, bits+1, func(r int) int32 { return x[r] - 2*y[r] })
}

// triple adds the sums of three integers, and their least and greatest values.
func triple(a, b, c *feature, name float64, test bool, add adder) {
	const kinds = 4 // bits
	bits := 3*name + kinds
	x, y, z := a.col, b.col, c.col
	for signs := range 8 {
		if test && signs >= 4 {
			break // a threshold is one of the negation too
		}
		u, v, w := int32(1-signs/4*2), int32(1-signs/2%2*2), int32(1-signs%2*2)
		e := &Expr{Op: Sum, Args: []*Expr{a.expr, b.expr, c.expr}, Weights: []int{int(u), int(v), int(w)}}
		add(e, test, bits, func(r int) int32 { return u*x[r] + v*y[r] + w*z[r] })
	}
	if test {
		return
	}
	add(&Expr{Op: Min, Args: []*Expr{{Op: Min, Args: []*Expr{a.expr, b.expr}}, c.expr}}, false, bits, func(r int) int32 { return min(x[r], y[r], z[r]) })
	add(&Expr{Op: Max, Args: []*Expr{{Op: Max, Args: []*Expr{a.expr, b.expr}}, c.expr}}, false, bits, func(r int) int32 { return max(x[r], y[r], z[r]) })
	for _, f := range [3][3]*feature{{a, b, c}, {b, a, c}, {c, a, b}} {
		p, q, s := f[0].col, f[1].col, f[2].col
		// What is left of one when the other two exchange as much as both have.
		lessMin := &Expr{Op: Sum, Args: []*Expr{f[0].expr, {Op: Min, Args: []*Expr{f[1].expr, f[2].expr}}}, Weights: []int{1, -1}}
		add(lessMin, false, bits, func(r int) int32 { return p[r] - min(q[r], s[r]) })
		rest := &Expr{Op: Max, Args: []*Expr{sum(1, f[1], -1, f[2]), constant(0)}}
		add(&Expr{Op: Sum, Args: []*Expr{f[0].expr, rest}, Weights: []int{1, 1}}, false, bits, func(r int) int32 { return p[r] + max(q[r]-s[r], 0) })
		rest = &Expr{Op: Max, Args: []*Expr{sum(-1, f[1], 1, f[2]), constant(0)}}
		add(&Expr{Op: Sum, Args: []*Expr{f[0].expr, rest}, Weights: []int{1, 1}}, false, bits, func(r int) int32 { return p[r] + max(s[r]-q[r], 0) })
	}
}

func sum(v int, a *feature, w int, b *feature) *Expr {
	return &Expr{Op: Sum, Args: []*Expr{a.expr, b.expr}, Weights: []int{v, w}}
}
