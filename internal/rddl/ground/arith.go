package ground

import (
	"math"
	"slices"
)

// add returns the sum of args. If the sum is exact in any order, nested sums are flattened
// and the constants are collected in one at the end. Otherwise the order, and so the
// rounding, is that of the source.
func (b *builder) add(pos Pos, args ...*Node) *Node {
	t := numeric(args...)
	if b.plain {
		return b.op(Add, t, pos, args...)
	}
	free := t == Int || !slices.ContainsFunc(args, func(a *Node) bool { return !fine(a, 3) })
	var flat []*Node
	sum := 0.0
	var gather func(a *Node, first bool)
	gather = func(a *Node, first bool) {
		switch {
		case a.Op == Const && (free || len(flat) == 0):
			sum += a.Val
		case a.IsConst(0):
		case a.Op == Add && (free || first && sum == 0):
			for i, x := range a.Args {
				gather(x, first && i == 0)
			}
		default:
			if !free && len(flat) == 0 && sum != 0 {
				flat = append(flat, b.number(pos, t, sum))
				sum = 0
			}
			flat = append(flat, a)
		}
	}
	for i, a := range args {
		gather(a, i == 0)
	}
	if sum != 0 || len(flat) == 0 {
		flat = append(flat, b.number(pos, t, sum))
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return b.op(Add, t, pos, flat...)
}

// fine reports whether n is a number without rounding: an integer, or a multiple of a small
// power of two, so that sums with other such numbers are exact. It looks no deeper than
// depth.
func fine(n *Node, depth int) bool {
	if n.Type != Real {
		return true
	}
	switch n.Op {
	case Const:
		scaled := n.Val * (1 << 20)
		return math.Abs(n.Val) < 1<<31 && scaled == math.Trunc(scaled)
	case Add, Sub, Neg, Min, Max:
		if depth > 0 {
			return !slices.ContainsFunc(n.Args, func(a *Node) bool { return !fine(a, depth-1) })
		}
	case If:
		return depth > 0 && fine(n.Args[1], depth-1) && fine(n.Args[2], depth-1)
	case Mul:
		for i, a := range n.Args {
			if a.Type == Real && (i > 0 || !fine(a, 0)) {
				return false
			}
		}
		return true
	}
	return false
}

func (b *builder) sub(pos Pos, x, y *Node) *Node {
	t := numeric(x, y)
	if !b.plain {
		switch {
		case isConst(x) && isConst(y):
			return b.number(pos, t, x.Val-y.Val)
		case y.IsConst(0):
			return x
		case x.IsConst(0):
			return b.neg(pos, y)
		case isConst(y):
			return b.add(pos, x, b.number(y.Pos, y.Type, -y.Val))
		case x.class == y.class:
			return b.number(pos, t, 0)
		case y.Op == Neg:
			return b.add(pos, x, y.Args[0])
		}
	}
	return b.op(Sub, t, pos, x, y)
}

func (b *builder) neg(pos Pos, x *Node) *Node {
	if !b.plain {
		switch {
		case isConst(x):
			return b.number(pos, numeric(x), -x.Val)
		case x.Op == Neg:
			return x.Args[0]
		case x.Op == Mul && isConst(x.Args[0]):
			return b.mul(pos, b.number(pos, Int, -1), x)
		}
	}
	return b.op(Neg, numeric(x), pos, x)
}

// mul returns the product of args. If the product is the same in any order, nested products
// are flattened and the constants are collected in one at the front.
func (b *builder) mul(pos Pos, args ...*Node) *Node {
	t := numeric(args...)
	if b.plain {
		return b.op(Mul, t, pos, args...)
	}
	var flat []*Node
	factor, negative := 1.0, false
	rounding := 0 // factors that are neither Boolean nor a power of two: two of them round once
	var gather func(a *Node)
	gather = func(a *Node) {
		switch a.Op {
		case Const:
			factor *= a.Val
			if m, _ := math.Frexp(a.Val); math.Abs(m) != 0.5 {
				rounding++
			}
		case Mul:
			for _, x := range a.Args {
				gather(x)
			}
		case Neg:
			negative = !negative
			gather(a.Args[0])
		default:
			flat = append(flat, a)
			if a.Type != Bool {
				rounding++
			}
		}
	}
	for _, a := range args {
		gather(a)
	}
	if negative {
		factor = -factor
	}
	switch {
	case factor == 0 || len(flat) == 0 && (t == Int || rounding <= 2):
		return b.number(pos, t, factor)
	case t == Real && rounding > 2:
		return b.mulInOrder(pos, args)
	case factor == -1:
		return b.neg(pos, b.mul(pos, flat...))
	case factor != 1:
		flat = slices.Insert(flat, 0, b.number(pos, t, factor))
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return b.op(Mul, t, pos, flat...)
}

// mulInOrder keeps the order of the factors, except for leading constants.
func (b *builder) mulInOrder(pos Pos, args []*Node) *Node {
	var kept []*Node
	factor := 1.0
	for _, a := range args {
		switch {
		case len(kept) == 0 && isConst(a):
			factor *= a.Val
		case !a.IsConst(1):
			if len(kept) == 0 && factor != 1 {
				kept = append(kept, b.number(pos, Real, factor))
			}
			kept = append(kept, a)
		}
	}
	switch len(kept) {
	case 0:
		return b.number(pos, Real, factor)
	case 1:
		return kept[0]
	}
	return b.op(Mul, Real, pos, kept...)
}

func (b *builder) div(pos Pos, x, y *Node) *Node {
	if !b.plain {
		switch {
		case y.IsConst(0):
			b.fault(pos, "division by zero: this divisor is always 0")
		case y.IsConst(1):
			return x
		case isConst(x) && isConst(y):
			return b.number(pos, Real, x.Val/y.Val)
		}
	}
	return b.op(Div, Real, pos, x, y)
}

// extreme returns the least (Min) or greatest (Max) of args, which must not be empty.
func (b *builder) extreme(op Op, pos Pos, args ...*Node) *Node {
	t := numeric(args...)
	if b.plain {
		return b.op(op, t, pos, args...)
	}
	var flat []*Node
	limit, some := 0.0, false
	var gather func(a *Node)
	gather = func(a *Node) {
		switch {
		case isConst(a):
			switch {
			case !some:
				limit = a.Val
			case op == Min:
				limit = min(limit, a.Val)
			default:
				limit = max(limit, a.Val)
			}
			some = true
		case a.Op == op:
			for _, x := range a.Args {
				gather(x)
			}
		case !slices.ContainsFunc(flat, func(f *Node) bool { return f.class == a.class }):
			flat = append(flat, a)
		}
	}
	for _, a := range args {
		gather(a)
	}
	if some {
		flat = append(flat, b.number(pos, t, limit))
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return b.op(op, t, pos, flat...)
}

// call applies a function.
func (b *builder) call(pos Pos, name string, args ...*Node) *Node {
	if (name == "min" || name == "max") && len(args) > 0 {
		if name == "min" {
			return b.extreme(Min, pos, args...)
		}
		return b.extreme(Max, pos, args...)
	}
	o := (&Node{Op: Func, Name: name}).Operator()
	last := args[len(args)-1]
	t := Real
	if o.IsInt(numeric(args...) == Int, last.Val, isConst(last)) {
		t = Int
	}
	if !b.plain {
		if allConst(args) {
			v, err := o.Call(values(args)...)
			if err == nil {
				return b.number(pos, t, v)
			}
			b.fault(pos, "%v", err)
		} else if len(args) == 1 && numeric(args...) == Int && (name == "round" || name == "floor" || name == "ceil") {
			return args[0]
		}
		if o.Divides && last.IsConst(0) {
			b.fault(pos, "division by zero: the divisor of %s is always 0", name)
		}
	}
	return b.intern(Node{Op: Func, Type: t, Name: name, Args: args, Pos: pos})
}

func values(args []*Node) []float64 {
	out := make([]float64, len(args))
	for i, a := range args {
		out[i] = a.Val
	}
	return out
}

// draw is a draw from a distribution other than Discrete.
func (b *builder) draw(pos Pos, name string, t Type, args ...*Node) *Node {
	if name == "KronDelta" || name == "DiracDelta" {
		return args[0]
	}
	if allConst(args) && !b.plain {
		v := values(args)
		if err := DistributionError(name, v...); err != nil {
			b.fault(pos, "%v", err)
		} else if name == "Bernoulli" && (v[0] == 0 || v[0] == 1) {
			return b.boolean(pos, v[0] == 1)
		}
	}
	return b.intern(Node{Op: Random, Type: t, Name: name, Args: args, Pos: pos})
}

// discrete draws one of the branches' values; their results are the weights.
func (b *builder) discrete(pos Pos, name string, values []string, branches []branch) *Node {
	n := Node{Op: Random, Type: Enum, Name: name, Values: values, Pos: pos}
	var weights []float64
	certain := true
	for _, br := range branches {
		certain = certain && isConst(br.result)
		weights = append(weights, br.result.Val)
		if br.result.IsConst(0) && !b.plain {
			continue
		}
		n.Args = append(n.Args, b.value(pos, values, br.value), br.result)
	}
	if certain && !b.plain {
		if err := DistributionError(name, weights...); err != nil {
			b.fault(pos, "%v", err)
		} else if len(n.Args) == 2 {
			return n.Args[0]
		}
	}
	return b.intern(n)
}
