package synthesis

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/learn/integers"
)

// Sums of so many numbers at least are compared with each of their values, by units of so many wires together at most.
const (
	manyNumbers   = 5
	mostCompared  = 8192
	mostMultiples = 512
)

// compared is the number of a sum of many numbers, with or without limits, by a unit for each value: whether the sum is at
// least that. Units have no weights, so a wire is copied as often as its weight says. That keeps the sum in one piece,
// for solvers and for bounds, where adders cut it into bits. It reports false for other expressions, and large sums.
func (c *circuit) compared(e *integers.Expr) (number, bool) {
	lo, hi := math.MinInt, math.MaxInt
	for (e.Op == integers.Min || e.Op == integers.Max) && e.Args[1].Op == integers.Value {
		if k := e.Args[1].Constant; e.Op == integers.Min {
			hi = max(lo, min(hi, k))
		} else {
			lo = min(hi, max(lo, k))
		}
		e = e.Args[0]
	}
	if e.Op != integers.Sum || len(e.Args) < manyNumbers {
		return number{}, false
	}
	constant, least, most := e.Constant, e.Constant, e.Constant
	weight := map[wire]int{} // of wires that are not negated
	for i, a := range e.Args {
		x := c.value(a)
		least += min(e.Weights[i]*x.lo, e.Weights[i]*x.hi)
		most += max(e.Weights[i]*x.lo, e.Weights[i]*x.hi)
		for j, w := range x.wires {
			k := e.Weights[i] << j
			if j == len(x.wires)-1 {
				k = -k // the sign
			}
			if w&1 == 1 {
				constant, k = constant+k, -k
			}
			weight[w&^1] += k
		}
	}
	constant += weight[high]
	delete(weight, high)
	lo, hi = min(hi, max(lo, least)), max(lo, min(hi, most))
	total := 0
	for _, k := range weight {
		total += max(k, -k)
	}
	if total > mostMultiples || hi-lo > mostCompared || (hi-lo)*total > mostCompared {
		return number{}, false
	}
	var in []wire
	for _, w := range slices.Sorted(maps.Keys(weight)) {
		k := weight[w]
		if k < 0 {
			constant, k, w = constant+k, -k, w^1
		}
		for i := range k {
			in = append(in, c.copied(w, i))
		}
	}
	return c.counted(lo, hi, func(v int) wire { return c.atLeast(v-constant, in...) }), true
}

// copied is a wire, or the i-th copy of it.
func (c *circuit) copied(w wire, i int) wire {
	if i == 0 {
		return w
	}
	return c.gate(fmt.Sprint("copy ", i, w/2), gate{in: []wire{w &^ 1}, threshold: 1}) ^ w&1
}

// counted is the number lo..hi of which atLeast says whether it is v or more. Each bit changes at some values: as many
// of these as the number reaches, and no others, are counted by turns.
func (c *circuit) counted(lo, hi int, atLeast func(v int) wire) number {
	x := number{lo: lo, hi: hi}
	for bit := range widthFor(lo, hi) {
		var changes []wire
		for v := lo + 1; v <= hi; v++ {
			if (v^(v-1))>>bit&1 == 1 {
				changes = append(changes, atLeast(v)^wire(len(changes)&1))
			}
		}
		x.wires = append(x.wires, c.atLeast(1+len(changes)/2, changes...)^wire(lo>>bit&1))
	}
	return x
}
