// Package bins discretises the range of a real quantity into numbered bins, which a network
// and a planner can process.
package bins

import (
	"fmt"
	"math"
	"strconv"
)

// MaxBits bounds the bits of a discretised quantity.
const MaxBits = 16

// Uniform discretises a real quantity to an integer, its level: 2^Bits bins of equal width
// over [Lo, Hi]. Level k contains the values from Edge(k), inclusive, to Edge(k+1),
// exclusive; the last also contains Hi. There is no level outside.
type Uniform struct {
	Lo, Hi float64
	Bits   int
}

// Check reports a number of bits outside 1..MaxBits, and bounds between which floating-point
// numbers cannot tell the bins apart.
func (b Uniform) Check() error {
	switch {
	case b.Bits < 1 || b.Bits > MaxBits:
		return fmt.Errorf("%d bits, expected 1..%d", b.Bits, MaxBits)
	case !(b.Hi-b.Lo > 0) || math.IsInf(b.Hi-b.Lo, 0):
		return fmt.Errorf("the range %s..%s, expected numbers lo < hi", format(b.Lo), format(b.Hi))
	case (b.Hi-b.Lo)/float64(b.Levels()) < 1e-12*max(math.Abs(b.Lo), math.Abs(b.Hi)) || (b.Hi-b.Lo)/float64(b.Levels()) < 1e-300:
		return fmt.Errorf("the range %s..%s is too narrow for %d bits", format(b.Lo), format(b.Hi), b.Bits)
	}
	return nil
}

// Levels returns the number of bins.
func (b Uniform) Levels() int { return 1 << b.Bits }

// Edge returns the start of level k; Edge(Levels()) is Hi.
func (b Uniform) Edge(k int) float64 {
	if k == b.Levels() {
		return b.Hi
	}
	return b.Lo + (b.Hi-b.Lo)*(float64(k)/float64(b.Levels()))
}

// Center returns the value that represents level k: halfway between its edges.
func (b Uniform) Center(k int) float64 { return (b.Edge(k) + b.Edge(k+1)) / 2 }

// Level returns the bin of x, which must be in [Lo, Hi].
func (b Uniform) Level(x float64) int {
	// The quotient determines the bin up to one, because of rounding; the edges decide.
	k := min(max(int((x-b.Lo)/(b.Hi-b.Lo)*float64(b.Levels())), 0), b.Levels()-1)
	for k > 0 && x < b.Edge(k) {
		k--
	}
	for k+1 < b.Levels() && x >= b.Edge(k+1) {
		k++
	}
	return k
}

func format(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
