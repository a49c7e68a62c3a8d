package outcome

import (
	"maps"
	"math"
	"slices"
)

// sum is a sum of variables that the effects on an output may add to, as a position moves by a velocity.
type sum []term

// term is a variable of the table in a sum.
type term struct {
	variable int
	negative bool
}

// mostTerms bounds the variables of a sum.
const mostTerms = 3

// column returns the sum in each row, counted from the least value of an output.
func (s sum) column(t *Table, output int) []int32 {
	out := make([]int32, t.Rows())
	for r := range out {
		now := func(v int) int32 { return t.Now[v][r] }
		out[r] = s.value(t, output, now)
	}
	return out
}

// value returns the sum for the values of variables.
func (s sum) value(t *Table, output int, now func(v int) int32) int32 {
	x := -t.Variables[t.Outputs[output]].Base
	for _, k := range s {
		if v := t.Variables[k.variable].Base + int64(now(k.variable)); k.negative {
			x -= v
		} else {
			x += v
		}
	}
	return int32(x)
}

// sumFor finds the sum from which an output differs in the fewest bits; nil if that is its own value.
func (t *Table) sumFor(output int) sum {
	own := t.Outputs[output]
	if v := &t.Variables[own]; !v.Ordered || v.Kind < 0 {
		return nil
	}
	best := sum{{variable: own}}
	bits := t.spread(output, best)
	for len(best) < mostTerms {
		from, found := best, false
		try := func(s sum) {
			if b := t.spread(output, s) + worth; b < bits {
				best, bits, found = s, b, true
			}
		}
		for v := range t.Variables {
			if t.Variables[v].Kind != t.Variables[own].Kind || !t.Variables[v].Ordered || slices.ContainsFunc(from, func(k term) bool { return k.variable == v }) {
				continue
			}
			if len(from) == 1 && from[0].variable == own {
				try(sum{{variable: v}})
			}
			try(append(slices.Clone(from), term{variable: v}))
			try(append(slices.Clone(from), term{variable: v, negative: true}))
		}
		if !found {
			break
		}
	}
	if len(best) == 1 && best[0].variable == own {
		return nil
	}
	return best
}

// spread is what it takes to describe the differences of an output from a sum, whatever the context.
func (t *Table) spread(output int, s sum) float64 {
	counts := map[int32]float64{}
	for r, x := range s.column(t, output) {
		counts[t.Next[output][r]-x]++
	}
	n := float64(t.Rows())
	bits := xlogx(n) + float64(len(counts))*math.Log2(n+1)/2
	for _, c := range slices.Sorted(maps.Values(counts)) {
		bits -= xlogx(c)
	}
	return bits + t.termBits(s)
}

// termBits is what it takes to write down a sum.
func (t *Table) termBits(s sum) float64 {
	return float64(len(s)) * math.Log2(float64(2*len(t.Variables)))
}
