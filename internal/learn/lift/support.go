package lift

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/learn/coverage"
)

// Test is a comparison of a feature's value.
type Test struct {
	Feature int     `json:"feature"`            // place among the class's
	AtLeast float64 `json:"at_least,omitempty"` // what the value is compared with
	Odd     bool    `json:"odd,omitempty"`      // instead: the count is odd
}

// holds reports whether a value passes the test; NaN, for an unknown one, does not.
func (t *Test) holds(v float64) bool {
	if t.Odd {
		return !math.IsNaN(v) && int64(v)%2 == 1
	}
	return v >= t.AtLeast
}

// explain adds tables that explain a bit as well as its function does.
func (p *pool) explain(bit int, tables []coverage.Table) {
	for _, t := range tables {
		if !slices.ContainsFunc(p.tables[bit], func(has coverage.Table) bool { return slices.Equal(has.Inputs, t.Inputs) }) {
			p.tables[bit] = append(p.tables[bit], t)
		}
	}
}

// tested marks the features that tables read.
func (p *pool) tested(cols []column) []bool {
	tested := make([]bool, len(p.class.Features))
	for _, tables := range p.tables {
		for _, t := range tables {
			for _, c := range t.Inputs {
				tested[cols[c].Feature] = true
			}
		}
	}
	return tested
}

// keepTables takes the tables into the class, over the columns that they read; place has the
// places of the features that are kept. Tables that a file has no room for are left out.
func (p *pool) keepTables(cols []column, place map[int]int) {
	c := p.class
	at := make([]int, len(cols))
	for k := range cols {
		used := slices.ContainsFunc(p.tables, func(tables []coverage.Table) bool {
			return slices.ContainsFunc(tables, func(t coverage.Table) bool { return slices.Contains(t.Inputs, k) })
		})
		if used {
			at[k] = len(c.Tests)
			test := cols[k].Test
			test.Feature = place[test.Feature]
			c.Tests = append(c.Tests, test)
		}
	}
	s := &coverage.Support{Inputs: len(c.Tests), Outputs: len(p.tables), Tables: p.tables}
	for _, tables := range s.Tables {
		for i := range tables {
			inputs := make([]int, len(tables[i].Inputs))
			for k, in := range tables[i].Inputs {
				inputs[k] = at[in]
			}
			tables[i].Inputs = inputs
		}
	}
	lines, err := s.Lines()
	if err != nil {
		c.Tests = nil
		return
	}
	c.Support, c.settled = lines, s
}

// maxCells bounds the cells of a table in an instance.
const maxCells = 1 << 15

// ground returns a table over tests as one over the network's inputs, for the legal values of
// these: a cell is on or off where each feature has a value that some row had, and the table
// settles on it. It has no cells where they are too many to list.
func (c *Class) ground(t *coverage.Table, features []grounded, r *rules) coverage.Table {
	var read []int // features
	for _, k := range t.Inputs {
		read = append(read, c.Tests[k].Feature)
	}
	slices.Sort(read)
	read = slices.Compact(read)
	e := &enumeration{class: c, table: t, features: features, read: read, rules: r, value: map[int]bool{}}
	for _, f := range read {
		for _, term := range features[f].terms {
			for _, l := range term {
				e.out.Inputs = append(e.out.Inputs, l.bit)
			}
		}
	}
	slices.Sort(e.out.Inputs)
	e.out.Inputs = slices.Compact(e.out.Inputs)
	const most = 64
	if len(e.out.Inputs) > most || !e.cells(0, 0) {
		return coverage.Table{}
	}
	slices.Sort(e.out.On)
	slices.Sort(e.out.Off)
	return e.out
}

// enumeration goes through the legal values of a table's inputs.
type enumeration struct {
	class    *Class
	table    *coverage.Table
	features []grounded
	read     []int // the features that the table reads
	rules    *rules
	value    map[int]bool // of the inputs that are decided
	seen     int          // cells
	out      coverage.Table
}

// cells decides the inputs from the given one on both ways; false where there are too many
// cells.
func (e *enumeration) cells(at int, cell uint64) bool {
	if at == len(e.out.Inputs) {
		e.seen++
		e.settle(cell)
		return e.seen <= maxCells
	}
	b := e.out.Inputs[at]
	for _, v := range []bool{false, true} {
		if forced, ok := e.rules.forced[b]; ok && forced != v {
			continue
		}
		e.value[b] = v
		if e.rules.allow(e.value) && !e.cells(at+1, cell|bit64(v)<<at) {
			return false
		}
	}
	delete(e.value, b)
	return true
}

func bit64(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// settle takes a cell if the rows settle it.
func (e *enumeration) settle(cell uint64) {
	values := map[int]float64{}
	for _, f := range e.read {
		v, _ := e.features[f].span(func(b int) int { return int(bit64(e.value[b])) })
		if !slices.Contains(e.class.Features[f].Seen, v) {
			return
		}
		values[f] = v
	}
	var key uint64
	for i, k := range e.table.Inputs {
		test := &e.class.Tests[k]
		key |= bit64(test.holds(values[test.Feature])) << i
	}
	if _, ok := slices.BinarySearch(e.table.On, key); ok {
		e.out.On = append(e.out.On, cell)
	}
	if _, ok := slices.BinarySearch(e.table.Off, key); ok {
		e.out.Off = append(e.out.Off, cell)
	}
}

// allow reports whether known values of inputs are within the bounds on how many are true.
func (r *rules) allow(value map[int]bool) bool {
	for _, m := range r.most {
		n := int64(0)
		for b, v := range value {
			if v && m.inputs[b] {
				n++
			}
		}
		if n > m.most {
			return false
		}
	}
	return true
}
