package translate

import (
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
	"github.com/fdplan/fdplan/internal/source"
)

// apply returns the domain of an operation on domains that are not empty: value by value if
// there are few, else by intervals.
func (in *inference) apply(n *ground.Node, args []domain) domain {
	if d, ok := in.pointwise(n, args); ok {
		return d
	}
	o := n.Operator()
	if o.Max != operator.Any {
		return byIntervals(o, args)
	}
	out := args[0]
	for _, b := range args[1:] {
		in.work()
		two := []domain{out, b}
		if d, ok := in.pointwise(n, two); ok {
			out = d
		} else {
			out = byIntervals(o, two)
		}
		if out.isEmpty() {
			return out
		}
	}
	return out
}

// pointwise applies an operation to all choices of values. Choices without a value, such as a
// division by zero, are omitted: an evaluation that meets one fails.
func (in *inference) pointwise(n *ground.Node, args []domain) (out domain, ok bool) {
	choices := 1
	lists := make([][]rat, len(args))
	for i := range args {
		if lists[i], ok = args[i].listed(); !ok || len(lists[i]) == 0 {
			return out, false
		}
		if choices *= len(lists[i]); choices > setPairs {
			return out, false
		}
	}
	at := make([]int, len(args))
	values := make([]value, len(args))
	var exactly []rat
	lo, hi := math.Inf(1), math.Inf(-1)
	for range choices {
		in.work()
		for i := range at {
			values[i] = exact(lists[i][at[i]])
		}
		v, result := in.point(n, values)
		switch {
		case result == overflow:
			return out, false
		case result == noValue:
		case v.inexact:
			lo, hi = min(lo, v.float), max(hi, v.float)
		default:
			exactly = append(exactly, v.rat)
		}
		for i := range at {
			if at[i]++; at[i] < len(lists[i]) {
				break
			}
			at[i] = 0
		}
	}
	out = setDomain(exactly)
	if lo <= hi {
		// Functions are computed with an error of a few units in the last place.
		slack := 1e-12 * (1 + max(math.Abs(lo), math.Abs(hi)))
		out = domain{lo: min(lo-slack, out.lo), hi: max(hi+slack, out.hi)}
		if len(exactly) == 0 {
			out.lo, out.hi = lo-slack, hi+slack
		}
	}
	return out, true
}

// What point found.
const (
	found = iota
	noValue
	overflow
)

// point applies an operation to values.
func (in *inference) point(n *ground.Node, args []value) (v value, result int) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *source.Error:
			result = noValue
		case refusalText:
			result = overflow
		default:
			panic(r)
		}
	}()
	return in.c.apply(n, args), found
}

// byIntervals applies an operator to intervals.
func byIntervals(o *operator.Operator, args []domain) domain {
	return domainOf(o.Over(args[0].interval(), args[len(args)-1].interval()))
}
