package dataset

import (
	"fmt"
	"math"
	"strings"
)

// MaxBits bounds the bits of a discretised quantity.
const MaxBits = 16

// Bins say how a real quantity becomes an integer, its level: 2^Bits bins of equal
// width over [Lo, Hi]. Level k holds the values from Edge(k), inclusive, to
// Edge(k+1), exclusive; the last holds Hi too. There is no level outside.
type Bins struct {
	Lo, Hi float64
	Bits   int
}

// Check reports bounds between which floating-point numbers cannot tell the bins
// apart, and a number of bits that is not 1..MaxBits.
func (b Bins) Check() error {
	switch {
	case b.Bits < 1 || b.Bits > MaxBits:
		return fmt.Errorf("%d bits, expected 1..%d", b.Bits, MaxBits)
	case !(b.Hi-b.Lo > 0) || math.IsInf(b.Hi-b.Lo, 0):
		return fmt.Errorf("the range %s..%s, expected numbers lo < hi", number(b.Lo), number(b.Hi))
	case (b.Hi-b.Lo)/float64(b.Levels()) < 1e-12*max(math.Abs(b.Lo), math.Abs(b.Hi)) || (b.Hi-b.Lo)/float64(b.Levels()) < 1e-300:
		return fmt.Errorf("the range %s..%s is too narrow for %d bits", number(b.Lo), number(b.Hi), b.Bits)
	}
	return nil
}

// Levels is the number of bins.
func (b Bins) Levels() int { return 1 << b.Bits }

// Edge is where level k begins; Edge(Levels()) is Hi.
func (b Bins) Edge(k int) float64 {
	if k == b.Levels() {
		return b.Hi
	}
	return b.Lo + (b.Hi-b.Lo)*(float64(k)/float64(b.Levels()))
}

// Center is the value that stands for level k: halfway between its edges.
func (b Bins) Center(k int) float64 { return (b.Edge(k) + b.Edge(k+1)) / 2 }

// Level is the bin of x, which must be in [Lo, Hi].
func (b Bins) Level(x float64) int {
	// The quotient gives the place; rounding may have moved it by one, and what
	// decides is the edges.
	k := min(max(int((x-b.Lo)/(b.Hi-b.Lo)*float64(b.Levels())), 0), b.Levels()-1)
	for k > 0 && x < b.Edge(k) {
		k--
	}
	for k+1 < b.Levels() && x >= b.Edge(k+1) {
		k++
	}
	return k
}

// Discretize gives the schema in which columns hold levels: those that bins name,
// by the fluent's name or, for all fluents of that name, its part before the
// brackets. They must be integers 0..Levels()-1. In files such a column holds the
// quantity itself: reading gives its level, writing the center of the bin.
func (s *Schema) Discretize(bins map[string]Bins) (*Schema, error) {
	out := &Schema{Problem: s.Problem, Columns: append([]Column(nil), s.Columns...)}
	byName := map[string]Bins{}
	for name, b := range bins {
		byName[canonical(name)] = b
	}
	for i := range out.Columns {
		c := &out.Columns[i]
		name := canonical(strings.TrimSuffix(c.Name, "'"))
		base, _, _ := strings.Cut(name, "(")
		b, ok := byName[name]
		if !ok {
			b, ok = byName[base]
		}
		if !ok {
			continue
		}
		if err := b.Check(); err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		if c.Type != Int || !c.Bounded || c.Lo != 0 || c.Hi != float64(b.Levels()-1) {
			return nil, fmt.Errorf("column %s is no integer in 0..%d, expected one for levels of %d bits", c.Name, b.Levels()-1, b.Bits)
		}
		c.bins = &b
	}
	return out, nil
}

// Stored is the schema as files have it: columns of levels are reals in their
// range. It is s where there are none.
func (s *Schema) Stored() *Schema {
	out := s
	for i, c := range s.Columns {
		if c.bins == nil {
			continue
		}
		if out == s {
			out = &Schema{Problem: s.Problem, Columns: append([]Column(nil), s.Columns...)}
		}
		out.Columns[i] = Column{Name: c.Name, Role: c.Role, Type: Real, Bounded: true, Lo: c.bins.Lo, Hi: c.bins.Hi}
	}
	return out
}

// toLevels turns rows as files have them into those of s, in place.
func (s *Schema) toLevels(values []float64) {
	for i, c := range s.Columns {
		for at := i; c.bins != nil && at < len(values); at += len(s.Columns) {
			values[at] = float64(c.bins.Level(values[at]))
		}
	}
}

// fromLevels does the reverse, into a copy where there is something to do.
func (s *Schema) fromLevels(values []float64) []float64 {
	out := values
	for i, c := range s.Columns {
		if c.bins == nil {
			continue
		}
		if &out[0] == &values[0] {
			out = append([]float64(nil), values...)
		}
		for at := i; at < len(out); at += len(s.Columns) {
			out[at] = c.bins.Center(int(values[at]))
		}
	}
	return out
}
