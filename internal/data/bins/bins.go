// Package bins discretises the range of a real quantity into numbered bins, which a network
// and a planner can process.
package bins

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
)

// MaxBits bounds the bits of a discretised quantity.
const MaxBits = 16

// Bins discretise a real quantity to an integer, its level. Level k contains the values from
// Edges[k], inclusive, to Edges[k+1], exclusive; the last also contains its upper edge. There
// is no level outside.
type Bins struct {
	Edges []float64 // increasing, one more than there are levels
	Unit  string    // of the quantity, such as kg; may be empty
}

// Uniform returns 2^bits bins of equal width over [lo, hi], or an error if bits is not in
// 1..MaxBits or if floating-point numbers cannot tell the bins apart.
func Uniform(lo, hi float64, bits int) (Bins, error) {
	if bits < 1 || bits > MaxBits {
		return Bins{}, fmt.Errorf("%d bits, expected 1..%d", bits, MaxBits)
	}
	n := 1 << bits
	switch width := (hi - lo) / float64(n); {
	case !(hi-lo > 0) || math.IsInf(hi-lo, 0):
		return Bins{}, fmt.Errorf("the range %s..%s, expected numbers lo < hi", format(lo), format(hi))
	case width < 1e-12*max(math.Abs(lo), math.Abs(hi)) || width < 1e-300:
		return Bins{}, fmt.Errorf("the range %s..%s is too narrow for %d bits", format(lo), format(hi), bits)
	}
	b := Bins{Edges: make([]float64, n+1)}
	for k := range b.Edges {
		b.Edges[k] = lo + (hi-lo)*(float64(k)/float64(n))
	}
	b.Edges[n] = hi
	return b, nil
}

// Check reports edges that are not at least two increasing numbers, and more than 2^MaxBits
// bins.
func (b Bins) Check() error {
	switch n := len(b.Edges) - 1; {
	case n < 1:
		return errors.New("there are no bins, expected at least two edges")
	case n > 1<<MaxBits:
		return fmt.Errorf("%d bins, expected at most %d", n, 1<<MaxBits)
	}
	for i, e := range b.Edges {
		if math.IsNaN(e) || math.IsInf(e, 0) {
			return fmt.Errorf("the edge %s, expected a finite number", format(e))
		}
		if i > 0 && !(b.Edges[i-1] < e) {
			return fmt.Errorf("the edges %s and %s, expected each greater than the one before", format(b.Edges[i-1]), format(e))
		}
	}
	return nil
}

// Levels returns the number of bins.
func (b Bins) Levels() int { return len(b.Edges) - 1 }

// Lo returns the least value of the quantity.
func (b Bins) Lo() float64 { return b.Edges[0] }

// Hi returns the greatest value of the quantity.
func (b Bins) Hi() float64 { return b.Edges[len(b.Edges)-1] }

// Center returns the value that represents level k: halfway between its edges.
func (b Bins) Center(k int) float64 { return b.Edges[k] + (b.Edges[k+1]-b.Edges[k])/2 }

// Level returns the bin of x, which must be in Lo..Hi.
func (b Bins) Level(x float64) int {
	last := b.Levels() - 1
	return min(sort.Search(last, func(i int) bool { return b.Edges[i+1] > x }), last)
}

func format(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
