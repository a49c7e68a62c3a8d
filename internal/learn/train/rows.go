package train

import (
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/problem/factored"
)

// mapping relates the columns of rows of values to the bits of a problem.
type mapping struct {
	p          *factored.Problem
	now, next  []*factored.Variable // by column; nil if the column is not used
	val, after factored.Valuation
	in, out    []bool
	before     []bool
}

func newMapping(p *factored.Problem) (*mapping, error) {
	if len(p.Inputs) == 0 || len(p.Outputs) == 0 {
		return nil, fmt.Errorf("%s has nothing to learn, expected a problem with learned state fluents", p.Name)
	}
	return &mapping{
		p: p, val: make(factored.Valuation, p.NumBits()), after: make(factored.Valuation, p.NumBits()),
		in: make([]bool, len(p.Inputs)), out: make([]bool, len(p.Outputs)), before: make([]bool, len(p.Outputs)),
	}, nil
}

// set writes a column's value into val.
func set(v *factored.Variable, val factored.Valuation, x float64) error {
	if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return fmt.Errorf("%s cannot be %v, expected a whole number in %d..%d", v.Name, x, v.Lo, v.Hi)
	}
	return v.Set(val, int64(x))
}

// read takes the bits of the row from val and after.
func (m *mapping) read() {
	for i, bit := range m.p.Inputs {
		m.in[i] = m.val[bit]
	}
	for i, bit := range m.p.Outputs {
		m.out[i], m.before[i] = m.after[bit], m.val[bit]
	}
}

// Source is a data set with the weight of its rows; see Examples.Weight.
type Source struct {
	Data   *dataset.Data
	Name   string // of its file; empty for none
	Weight int32  // 0 for ordinary rows
	Cut    int    // the first of the rows that are measured apart, see EachAlike; 0 for none
	// Stored is the data with quantities in their own units, where Data has their levels; nil
	// if there are none.
	Stored *dataset.Data
	// Outside allows values that their variables do not have, which are otherwise errors.
	Outside bool
}

// Logged is the data as it was logged.
func (s *Source) Logged() *dataset.Data {
	if s.Stored != nil {
		return s.Stored
	}
	return s.Data
}

// FromSources returns the examples in several data sets together for problem p: its Inputs before the step, its Outputs
// after it. Columns are matched by the names of fluents. It is an error if a fluent that the network reads or writes has no column, or
// if a value is outside its fluent's range. Rows are counted from 1 in errors; those with a value that is not known are left out.
func FromSources(p *factored.Problem, sources ...Source) (*Examples, error) {
	b := NewBuilder(len(p.Inputs), len(p.Outputs))
	err := EachAlike(p, func(r *Row) {
		if r.InKnown == nil {
			b.AddRow(r)
		}
	}, sources...)
	if err != nil {
		return nil, err
	}
	e := b.Examples()
	return e, e.Check()
}

// Row is a transition as the problem's network reads and writes it.
type Row struct {
	Source, Index int // the number of the data set, and of the row in it, from 0
	Line          int // in its file, or its number from 1
	Count         int // rows that are alike: 1 from EachRow
	// Alike are the first of these, at most MostAlike; nil if there is no other.
	Alike []int32
	// Now and Next are the state and the action, and the state after it, as far as the data
	// have columns for them.
	Now, Next factored.Valuation
	In, Out   []bool
	Before    []bool // the output bits before the step
	// InKnown and OutKnown tell which of the bits are known; nil where all are.
	InKnown, OutKnown []bool
	Weight            int32 // of the source
	// Outside are the values that their variables do not have, whose bits are then false.
	Outside []Outside
}

// Outside is a value that a variable does not have.
type Outside struct {
	Variable *factored.Variable
	Next     bool // after the step
	Value    float64
}

// EachRow calls row for each row of several data sets in turn; the next row
// overwrites it. Errors are those of FromSources.
func EachRow(p *factored.Problem, row func(*Row), sources ...Source) error {
	return EachOf(p, func(int) bool { return true }, row, sources...)
}

// EachOf is EachRow for the rows for which pick holds, by their numbers from 0 in all data sets together.
func EachOf(p *factored.Problem, pick func(i int) bool, row func(*Row), sources ...Source) error {
	before := 0
	return each(p, sources, func(m *mapping, r *Row, s *Source) error {
		defer func() { before += s.Data.Rows }()
		values := make([]float64, len(s.Data.Schema.Columns))
		for i := range s.Data.Rows {
			if !pick(before + i) {
				continue
			}
			if err := m.take(r, s, i, values); err != nil {
				return err
			}
			row(r)
		}
		return nil
	})
}

// MostAlike bounds the rows that are listed of those that are alike.
const MostAlike = 8

// EachAlike calls row once for the rows of a data set that are known to be alike and on the same side
// of its cut, in the order of the first of them. Errors are those of EachRow.
func EachAlike(p *factored.Problem, row func(*Row), sources ...Source) error {
	return each(p, sources, func(m *mapping, r *Row, s *Source) error {
		values := make([]float64, len(s.Data.Schema.Columns))
		for _, part := range [][2]int{{0, s.Cut}, {s.Cut, s.Data.Rows}} {
			err := alike(s.Data, part[0], part[1], func(rows alikes) error {
				if err := m.take(r, s, int(rows.first[0]), values); err != nil {
					return err
				}
				r.Count, r.Alike = rows.count, rows.first
				row(r)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// alikes are rows of one number.
type alikes struct {
	count int
	first []int32 // of the rows
}

// alike divides the rows from one to before another by their values, and calls do for each part, in the order of the first
// of each.
func alike(d *dataset.Data, from, to int, do func(alikes) error) error {
	if d.Of == nil {
		for i := from; i < to; i++ {
			if err := do(alikes{1, []int32{int32(i)}}); err != nil {
				return err
			}
		}
		return nil
	}
	var all []alikes
	var at []int32 // by the number of a row's values, its place in all plus 1
	for i := from; i < to; i++ {
		of := int(d.Of[i])
		if of >= len(at) {
			at = append(at, make([]int32, of+1-len(at))...)
		}
		if at[of] == 0 {
			all = append(all, alikes{})
			at[of] = int32(len(all))
		}
		x := &all[at[of]-1]
		if x.count++; len(x.first) < MostAlike {
			x.first = append(x.first, int32(i))
		}
	}
	for _, rows := range all {
		if err := do(rows); err != nil {
			return err
		}
	}
	return nil
}

// each calls do for each data set, with what reads its rows.
func each(p *factored.Problem, sources []Source, do func(*mapping, *Row, *Source) error) error {
	m, err := newMapping(p)
	if err != nil {
		return err
	}
	for i := range sources {
		s := &sources[i]
		if err := m.match(s.Data); err != nil {
			return err
		}
		r := &Row{Source: i, In: m.in, Out: m.out, Before: m.before, Weight: s.Weight, Now: m.val, Next: m.after, Count: 1}
		if err := do(m, r, s); err != nil {
			return err
		}
	}
	return nil
}

// Line is the line of row i in the file, or its number from 1.
func (s *Source) Line(i int) int {
	if s.Data.Line != nil {
		return s.Data.Line(i)
	}
	return i + 1
}

// take reads row i of a data set.
func (m *mapping) take(r *Row, s *Source, i int, values []float64) error {
	s.Data.Read(i, values)
	r.Index, r.InKnown, r.OutKnown, r.Outside, r.Line = i, nil, nil, r.Outside[:0], s.Line(i)
	for k, x := range values {
		v, next, val := m.now[k], false, m.val
		if v == nil {
			v, next, val = m.next[k], true, m.after
		}
		switch {
		case v == nil:
			continue
		case math.IsNaN(x):
			m.gap(r, m.now[k], m.next[k])
			continue
		}
		switch err := set(v, val, x); {
		case err == nil:
		case !s.Outside:
			return fmt.Errorf("row %d: column %s: %w", i+1, s.Data.Schema.Columns[k].Name, err)
		default:
			clear(val[v.First : int(v.First)+v.Width])
			r.Outside = append(r.Outside, Outside{v, next, x})
		}
	}
	m.read()
	return nil
}

// match finds the variable of each column.
func (m *mapping) match(d *dataset.Data) error {
	width := len(d.Schema.Columns)
	m.now, m.next = make([]*factored.Variable, width), make([]*factored.Variable, width)
	have := map[*factored.Variable][2]bool{}
	for i := range d.Schema.Columns {
		col := &d.Schema.Columns[i]
		name, side, dst := col.Name, 0, m.now
		if col.Role == dataset.Next {
			name, side, dst = name[:len(name)-1], 1, m.next
		}
		v, ok := m.p.Find(name)
		if !ok || v.Kind == factored.Auxiliary {
			continue
		}
		dst[i] = v
		sides := have[v]
		sides[side] = true
		have[v] = sides
	}
	for side, bits := range [2][]factored.Bit{m.p.Inputs, m.p.Outputs} {
		for _, bit := range bits {
			v, _ := m.p.Owner(bit)
			if !have[v][side] {
				return fmt.Errorf("the data has no column %s%s, expected one for each fluent that the network reads or writes", v.Name, "'"[:side])
			}
		}
	}
	return nil
}

// gap marks the bits of a variable before or after the step as unknown.
func (m *mapping) gap(r *Row, now, next *factored.Variable) {
	if r.InKnown == nil {
		r.InKnown, r.OutKnown = all(len(m.in)), all(len(m.out))
	}
	mark := func(known []bool, bits []factored.Bit, v *factored.Variable) {
		for i, b := range bits {
			if v != nil && b >= v.First && b < v.First+factored.Bit(v.Width) {
				known[i] = false
			}
		}
	}
	mark(r.InKnown, m.p.Inputs, now)
	mark(r.OutKnown, m.p.Outputs, next)
}

func all(n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = true
	}
	return out
}
