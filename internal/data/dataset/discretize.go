package dataset

import (
	"fmt"
	"math"
	"strings"

	"github.com/fdplan/fdplan/internal/data/bins"
)

// scale is how the levels of a column stand for real numbers: bins, or decimals.
type scale interface {
	Lo() float64 // least and greatest number
	Hi() float64
	Level(x float64) int // of a number in the range
	Center(k int) float64
}

// Discretize returns the schema in which columns contain levels: those that by names, by the
// fluent's name or, for all fluents of that name, by the part before the brackets. They must
// be integers 0..Levels()-1. In files such a column contains the quantity itself: reading
// converts it to its level, writing to the center of the bin.
func (s *Schema) Discretize(by map[string]bins.Bins) (*Schema, error) {
	out := &Schema{Problem: s.Problem, Columns: append([]Column(nil), s.Columns...)}
	byName := map[string]bins.Bins{}
	for name, b := range by {
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
			return nil, fmt.Errorf("column %s is not an integer in 0..%d, expected one for %d levels", c.Name, b.Levels()-1, b.Levels())
		}
		c.scale = b
	}
	return out, nil
}

// Stored returns the schema of files: columns of levels are reals in their range. It is s if
// there are none.
func (s *Schema) Stored() *Schema {
	out := s
	for i, c := range s.Columns {
		if c.scale == nil {
			continue
		}
		if out == s {
			out = &Schema{Problem: s.Problem, Gaps: s.Gaps, Outside: s.Outside, Columns: append([]Column(nil), s.Columns...)}
		}
		stored := Column{Name: c.Name, Role: c.Role, Type: Real, Bounded: true, Lo: c.scale.Lo(), Hi: c.scale.Hi(), Lag: c.Lag, Given: c.Given}
		if d, ok := c.scale.(decimals); ok {
			stored.decimals = &d
		}
		out.Columns[i] = stored
	}
	return out
}

// Quantise returns a view of d, whose schema is s.Stored, with the levels of its quantities.
func (s *Schema) Quantise(d *Data) *Data {
	return &Data{Schema: s, Rows: d.Rows, Rewards: d.Rewards, Line: d.Line, Entity: d.Entity, Begins: d.Begins, Of: d.Of, View: func(i int, row []float64) {
		d.Read(i, row)
		s.toLevels(row)
	}}
}

// toLevels converts rows of a file to rows of s, in place.
func (s *Schema) toLevels(values []float64) {
	for i := range s.Columns {
		c := &s.Columns[i]
		for at := i; c.scale != nil && at < len(values); at += len(s.Columns) {
			if !math.IsNaN(values[at]) {
				values[at] = float64(c.scale.Level(values[at]))
			}
		}
	}
}

// fromLevels does the reverse, in a copy if anything changes.
func (s *Schema) fromLevels(values []float64) []float64 {
	out := values
	for i, c := range s.Columns {
		if c.scale == nil {
			continue
		}
		if &out[0] == &values[0] {
			out = append([]float64(nil), values...)
		}
		for at := i; at < len(out); at += len(s.Columns) {
			out[at] = c.scale.Center(int(values[at]))
		}
	}
	return out
}

// Text returns a value of the column as people read it, a level as its bin.
func (c *Column) Text(v float64) string {
	switch of := c.scale.(type) {
	case bins.Bins:
		if k := int(v); k >= 0 && k < of.Levels() {
			text := fmt.Sprintf("%v–%v", of.Edges[k], of.Edges[k+1])
			if of.Unit != "" {
				text += " " + of.Unit
			}
			return text
		}
	case decimals:
		return of.v.Decimal(int64(v))
	}
	return string(c.format(nil, v))
}
