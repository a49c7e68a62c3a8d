package rawlog

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/integer"
)

// arrange finds the columns that say which rows belong together, and puts the rows of each entity
// together, in the order of time.
func (x *reader) arrange() {
	x.mark()
	if x.entity != nil {
		x.group(x.entity)
	}
	if x.episode != nil && x.isInterleaved(x.episode) {
		x.group(x.episode)
	}
	if x.time == nil {
		return
	}
	if x.isBackwards() {
		x.backwards()
	} else if x.isScattered() {
		x.sort()
	}
	x.dropRepeated()
}

// mark finds the columns that say which rows belong together.
func (x *reader) mark() {
	x.episode, x.time, x.entity = x.t.find(x.r.Episode), x.t.find(x.r.Time), x.t.find(x.r.Entity)
	for _, name := range x.r.Ends {
		if c := x.t.find(name); c != nil {
			x.ends = append(x.ends, newEnd(c))
		}
	}
}

// marked reports whether some column says where episodes begin.
func (x *reader) marked() bool { return x.episode != nil || x.entity != nil || len(x.ends) > 0 }

// seldom is the share of the rows that may have the time of the row before, or an earlier one, for these to be faults of the log: one that
// has more is written several times in a second, or in another order, or whatever its stamps tell.
const seldom = .05

// dropRepeated takes rows out of the order that say the same as the one before, time included: exports and transmissions
// repeat rows, and a repeated row is no step in which nothing changes.
func (x *reader) dropRepeated() {
	same := 0
	repeated := map[int]bool{}
	for k := 1; k < x.t.Rows(); k++ {
		a, ok1 := x.time.seconds(x.row(k - 1))
		b, ok2 := x.time.seconds(x.row(k))
		if !ok1 || !ok2 || a != b || x.apart(k) {
			continue
		}
		same++
		if x.t.equalRows(x.row(k-1), x.row(k)) {
			repeated[k] = true
		}
	}
	if len(repeated) == 0 || float64(same) > seldom*float64(x.t.Rows()) {
		return
	}
	order := make([]int32, 0, x.t.Rows()-len(repeated))
	for k := range x.t.Rows() {
		if repeated[k] {
			x.repeated = append(x.repeated, int32(x.row(k)))
		} else {
			order = append(order, int32(x.row(k)))
		}
	}
	x.order = order
}

// equalRows reports whether two rows have the same cells.
func (t *Table) equalRows(i, j int) bool {
	for c := range t.Columns {
		if cells := &t.Columns[c].cells; cells.at(i) != cells.at(j) {
			return false
		}
	}
	return true
}

// rows is the number of rows in order.
func (x *reader) rows() int { return x.t.Rows() - len(x.repeated) }

// end is a column that is true where a row ends its episode.
type end struct {
	from  *Column
	cells map[uint64]bool // that are true
}

func newEnd(c *Column) end {
	e := end{c, map[uint64]bool{}}
	for _, cell := range c.cells.values {
		if b, _ := Truth(c.text(cell)); b {
			e.cells[cell] = true
		}
	}
	return e
}

// at reports whether the column is true in a row.
func (e *end) at(row int) bool { return e.cells[e.from.cells.at(row)] }

// ending returns a function that reports whether a row ends its episode, as one of some columns says.
func (t *Table) ending(columns []string) func(row int) bool {
	var ends []end
	for _, name := range columns {
		ends = append(ends, newEnd(&t.Columns[t.Column(name)]))
	}
	return func(row int) bool { return slices.ContainsFunc(ends, func(e end) bool { return e.at(row) }) }
}

// row returns the row at a place in order.
func (x *reader) row(k int) int {
	if x.order == nil {
		return k
	}
	return int(x.order[k])
}

// group puts the rows together that have the same cell of a column, in the order in which the
// cells first occur. Rows of the same cell keep their order.
func (x *reader) group(c *Column) {
	n := x.t.Rows()
	number := map[uint64]int32{}
	groups := make([]int32, n)
	sorted := true
	for k := range n {
		cell := c.cells.at(x.row(k))
		g, ok := number[cell]
		if !ok {
			g = int32(len(number))
			number[cell] = g
		}
		groups[k] = g
		sorted = sorted && (k == 0 || groups[k-1] <= g)
	}
	if sorted {
		return
	}
	places := integer.Below[int32](n)
	slices.SortStableFunc(places, func(a, b int32) int { return cmp.Compare(groups[a], groups[b]) })
	for i, k := range places {
		places[i] = int32(x.row(int(k)))
	}
	x.order = places
}

// isInterleaved reports whether rows of the same episode belong together although others stand
// between them: its times go on, or without times hardly two rows of it stand together.
func (x *reader) isInterleaved(c *Column) bool {
	runs, ids := 0, map[uint64]float64{}
	goesOn := x.time != nil
	for k := range x.t.Rows() {
		cell := c.cells.at(x.row(k))
		if k == 0 || cell != c.cells.at(x.row(k-1)) {
			runs++
		}
		before, seen := ids[cell]
		ids[cell] = 0
		if goesOn {
			at, ok := x.time.seconds(x.row(k))
			goesOn = !ok || !seen || at >= before
			ids[cell] = at
		}
	}
	return runs > len(ids) && (goesOn || x.time == nil && runs > 2*len(ids) && x.t.Rows() < 2*runs)
}

// isBackwards reports whether almost all rows come before the one above them.
func (x *reader) isBackwards() bool {
	rises, falls := 0, 0
	for k := 1; k < min(x.rows(), 10_001); k++ {
		a, ok1 := x.time.seconds(x.row(k - 1))
		b, ok2 := x.time.seconds(x.row(k))
		if ok1 && ok2 && !x.apart(k) {
			switch {
			case b > a:
				rises++
			case b < a:
				falls++
			}
		}
	}
	return falls > 9*rises && falls > 0
}

// backwards turns the order round.
func (x *reader) backwards() {
	order := make([]int32, x.t.Rows())
	for k := range order {
		order[len(order)-1-k] = int32(x.row(k))
	}
	x.order = order
}

// isScattered reports whether the rows of an entity and episode stand in no order of their times, which differ: then the file was put
// together or sorted by something else. A row now and then that comes before the one above it, and times that begin again, are no reason.
func (x *reader) isScattered() bool {
	type course struct{ entity, episode uint64 }
	of := func(row int) course { return course{x.entity.id(row), x.episode.id(row)} }
	ends := map[course]float64{} // the time of the last row of each, but for the course at hand
	var c course
	last, met, falls, timed := 0.0, false, 0, 0
	for k := range x.t.Rows() {
		at, ok := x.time.seconds(x.row(k))
		if !ok {
			continue
		}
		if now := of(x.row(k)); now != c {
			if met {
				ends[c] = last
			}
			c = now
			last, met = ends[c]
		}
		if met && at < last {
			falls++
		}
		last, met = at, true
		timed++
	}
	if float64(falls) <= seldom*float64(timed) {
		return false
	}
	type place struct {
		course
		at float64
	}
	seen := map[place]bool{}
	for row := range x.t.Rows() {
		if at, ok := x.time.seconds(row); ok {
			seen[place{of(row), at}] = true
		}
	}
	return float64(timed-len(seen)) <= seldom*float64(timed)
}

// sort puts the rows of each entity and episode together, in the order of their times; those without one come last.
func (x *reader) sort() {
	x.sorted = true
	for _, c := range []*Column{x.episode, x.entity} {
		if c != nil {
			x.group(c)
		}
	}
	n := x.t.Rows()
	order, blocks, times := make([]int32, n), make([]int32, n), make([]float64, n)
	for k := range n {
		row := x.row(k)
		order[k] = int32(row)
		if k > 0 {
			blocks[row] = blocks[order[k-1]]
			if x.apart(k) {
				blocks[row]++
			}
		}
		if at, ok := x.time.seconds(row); ok {
			times[row] = at
		} else {
			times[row] = math.Inf(1)
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(blocks[a], blocks[b]), cmp.Compare(times[a], times[b]))
	})
	x.order = order
}

// apart reports whether the row at place k is of another entity or episode than the one before.
func (x *reader) apart(k int) bool {
	for _, c := range []*Column{x.entity, x.episode} {
		if c != nil && c.cells.at(x.row(k)) != c.cells.at(x.row(k-1)) {
			return true
		}
	}
	return false
}

// ended reports whether an episode ended with the row before place k.
func (x *reader) ended(k int) bool {
	for i := range x.ends {
		if x.ends[i].at(x.row(k - 1)) {
			return true
		}
	}
	return x.apart(k)
}

// together reports whether the row at place k follows the one before it.
func (x *reader) together(k int, gap float64) bool {
	if x.ended(k) {
		return false
	}
	if x.time == nil || gap == 0 {
		return true
	}
	a, ok1 := x.time.seconds(x.row(k - 1))
	b, ok2 := x.time.seconds(x.row(k))
	return ok1 && ok2 && b >= a && b-a <= gap
}

// Steps yields, for each step of a log, the row with the state before it and the one with the state after it; one row where rows have next
// states.
func Steps(t *Table, r Reading) iter.Seq2[int, int] {
	return func(yield func(now, then int) bool) {
		if t.hasNext(r) {
			for i := 0; i < t.Rows() && yield(i, i); i++ {
			}
			return
		}
		x := &reader{t: t, r: r}
		x.arrange()
		gap := x.gap()
		for k := 1; k < x.rows(); k++ {
			if x.together(k, gap) && !yield(x.row(k-1), x.row(k)) {
				return
			}
		}
	}
}

// hasNext reports whether rows have next states.
func (t *Table) hasNext(r Reading) bool { return len(r.Next) > 0 || t.hasPrimes() }

// hasPrimes reports whether some column is named as one of next states in a data set.
func (t *Table) hasPrimes() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return strings.HasSuffix(c.Name, "'") })
}
