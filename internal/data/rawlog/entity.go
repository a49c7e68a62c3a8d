package rawlog

import (
	"context"
	"math"
	"slices"
)

// Bounds of what is looked at to find the column of an entity.
const (
	entityRows    = 20_000
	entityColumns = 64   // that are compared
	mostEntities  = 1000 // values of the column
	leastRows     = 4    // of an entity, on average
	smoother      = 0.5  // how much the rows of one entity differ at most, in what the rows of the file do
)

// Interleaved is a column by which the rows belong to several entities that stand between each
// other.
type Interleaved struct {
	Column   string
	Entities int
	Ratio    float64 // of the differences between the rows of one entity to those between the rows of the file
	Stamps   bool    // rows of different entities have the same time
	// Clock is a column that counts the rows of each entity, where that is what tells; empty otherwise.
	Clock string
}

// Entities finds a column of whose values each has a smooth course, or rows that another column counts, although the rows of the file
// jump between them: then the id of a device was taken for its state. It is nil if there is none.
func Entities(ctx context.Context, t *Table, fluents []Fluent, r Reading) (*Interleaved, error) {
	if r.Entity != "" || len(r.Next) > 0 {
		return nil, nil
	}
	var states []*Column
	for i := range fluents {
		if f := &fluents[i]; f.Use == AsState && len(states) < entityColumns {
			states = append(states, &t.Columns[t.Column(f.Column)])
		}
	}
	x := &reader{t: t, r: r}
	x.arrange()
	var best *Interleaved
	tried := 0
	for i := range fluents {
		f := &fluents[i]
		c := &t.Columns[t.Column(f.Column)]
		if f.Use != AsState && f.Use != Dropped || f.Kind == Real || c.layout != "" || tried == entityColumns {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows, n := alternates(x, c)
		if rows == nil {
			continue
		}
		tried++
		if clock := t.clockOf(c, fluents); clock != "" {
			return &Interleaved{Column: f.Column, Entities: n, Clock: clock}, nil
		}
		ratio, compared := smoothness(x, rows, states, c)
		if compared && ratio <= smoother && (best == nil || ratio < best.Ratio) {
			if stamps, one := sameTimes(x, c); one {
				best = &Interleaved{Column: f.Column, Entities: n, Ratio: ratio, Stamps: stamps}
			}
		}
	}
	return best, nil
}

// clockOf returns a column that counts the rows of each value of another one, of which several have the same number; "" if there is none.
func (t *Table) clockOf(by *Column, fluents []Fluent) string {
	for i := range fluents {
		c := &t.Columns[t.Column(fluents[i].Column)]
		if use := fluents[i].Use; use != AsState && use != AsTime || c == by || len(c.cells.values) > t.Rows()/2 {
			continue
		}
		if t.isClock(c, by.Name) {
			return c.Name
		}
	}
	return ""
}

// alternates puts the first rows in the order of the values of a column, if there are several with
// some rows each, and the rows of the file change between them; else it returns nil.
func alternates(x *reader, c *Column) (rows []int32, values int) {
	n := min(x.rows(), entityRows)
	lists := map[uint64][]int32{}
	var order []uint64
	changes, empty := 0, 0
	for k := range n {
		cell := c.cells.at(x.row(k))
		if cell == missing { // as in a line of totals
			if empty++; 100*empty > n {
				return nil, 0
			}
			continue
		}
		if _, seen := lists[cell]; !seen {
			if order = append(order, cell); len(order) > mostEntities {
				return nil, 0
			}
		}
		lists[cell] = append(lists[cell], int32(k))
		if k > 0 && cell != c.cells.at(x.row(k-1)) {
			changes++
		}
	}
	if len(order) < 2 || n < leastRows*len(order) || changes < n/8 || changes < 2*len(order) {
		return nil, 0
	}
	for _, cell := range order {
		rows = append(rows, lists[cell]...)
	}
	return rows, len(order)
}

// smoothness is how much rows with the same value of a column differ from one to the next, in the
// part of what the rows of the file do: what a third of the other states has at most, without
// those that go with the column, since what all devices share is no smoother. Numbers differ by their distance, texts by being others. It is false if nothing
// can be compared.
func smoothness(x *reader, rows []int32, states []*Column, by *Column) (ratio float64, compared bool) {
	var ratios []float64
	for _, c := range states {
		if c == by {
			continue
		}
		within, between := 0.0, 0.0
		for i := 1; i < len(rows); i++ {
			a, b := x.row(int(rows[i-1])), x.row(int(rows[i]))
			if by.cells.at(a) == by.cells.at(b) {
				within += differ(c, a, b)
			}
			between += differ(c, x.row(i-1), x.row(i))
		}
		if between > 0 && within > 0 {
			ratios = append(ratios, within/between)
		}
	}
	if len(ratios) == 0 {
		return 0, false
	}
	slices.Sort(ratios)
	return ratios[(len(ratios)-1)/3], true
}

// differ is how much two cells of a column differ.
func differ(c *Column, i, j int) float64 {
	a, ok1 := c.Number(i)
	b, ok2 := c.Number(j)
	switch {
	case ok1 && ok2:
		return math.Abs(b - a)
	case c.cells.at(i) != c.cells.at(j):
		return 1
	}
	return 0
}

// sameTimes reports whether many rows have the time of the row before, of another entity, and whether hardly any has that of
// the same entity, which is in one state at a time.
func sameTimes(x *reader, c *Column) (stamps, one bool) {
	if x.time == nil {
		return false, true
	}
	same, twice, n := 0, 0, min(x.rows(), entityRows)
	for k := 1; k < n; k++ {
		a, ok1 := x.time.seconds(x.row(k - 1))
		b, ok2 := x.time.seconds(x.row(k))
		switch {
		case !ok1 || !ok2 || a != b:
		case c.cells.at(x.row(k)) != c.cells.at(x.row(k-1)):
			same++
		default:
			twice++
		}
	}
	return 4*same > n, float64(twice) <= seldom*float64(same+twice)
}

// EntityValues lists the values of a column, at most limit of them.
func (t *Table) EntityValues(column string, limit int) []string {
	var out []string
	c := &t.Columns[t.Column(column)]
	seen, before := map[uint64]bool{missing: true}, uint64(missing)
	for i := 0; i < c.cells.rows && len(out) < limit; i++ {
		cell := c.cells.at(i)
		if cell == before || seen[cell] {
			continue
		}
		before, seen[cell] = cell, true
		if text := c.Text(i); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// ConstantFor reports whether a column has one value for each value of another one, and several in all.
func (t *Table) ConstantFor(column, by string) bool {
	c, ids := &t.Columns[t.Column(column)], &t.Columns[t.Column(by)]
	of, seen := map[uint64]uint64{}, map[uint64]bool{}
	for i := range t.Rows() {
		cell := c.cells.at(i)
		if cell == missing {
			continue
		}
		id := ids.cells.at(i)
		if before, ok := of[id]; ok && before != cell {
			return false
		}
		of[id], seen[cell] = cell, true
	}
	return len(seen) > 1
}

// FirstWhere returns the first value as text in the rows in which another column has a value; "" if there is none.
func (c *Column) FirstWhere(by *Column, value string) string {
	for i := range c.cells.rows {
		if by.Text(i) == value && !c.Missing(i) {
			return c.Text(i)
		}
	}
	return ""
}
