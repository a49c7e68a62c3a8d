package support

import (
	"cmp"
	"maps"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// extents tell which values of numbers the rows with an action have. Few rows have each value of a wide number, so that a single one tells nothing of why an action
// was not taken in it; all values above those with the action, or below, may.
type extents struct {
	numbers []int              // states that are numbers
	rows    []map[int64]int    // of each, by its value
	above   [][]count          // of each, the rows with a value or a greater one; see sum
	taken   map[string][]reach // by action, of each number
}

// count is how many rows have a value or a greater one.
type count struct {
	value int64
	rows  int
}

// reach are the least and the greatest value of a number in rows with an action.
type reach struct{ low, high int64 }

// newExtents lists the numbers of a problem.
func newExtents(p *factored.Problem) *extents {
	e := &extents{taken: map[string][]reach{}}
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == factored.State && !v.Bool && !v.Enumeration() && !v.Quantity() {
			e.numbers, e.rows = append(e.numbers, i), append(e.rows, map[int64]int{})
		}
	}
	return e
}

// add adds rows with an action.
func (e *extents) add(p *factored.Problem, action string, row *Row) {
	all, ok := e.taken[action]
	for k, i := range e.numbers {
		x := p.Variables[i].Value(row.Now)
		e.rows[k][x] += row.Count
		if !ok {
			all = append(all, reach{x, x})
			continue
		}
		all[k] = reach{min(all[k].low, x), max(all[k].high, x)}
	}
	e.taken[action] = all
}

// sum ends the adding.
func (e *extents) sum() {
	for _, rows := range e.rows {
		values := slices.Sorted(maps.Keys(rows))
		above := make([]count, len(values)+1) // the last has no rows
		for i := len(values) - 1; i >= 0; i-- {
			above[i] = count{values[i], above[i+1].rows + rows[values[i]]}
		}
		e.above = append(e.above, above)
	}
}

// from is how many rows have a value of a number or a greater one.
func (e *extents) from(number int, value int64) int {
	above := e.above[number]
	last := len(above) - 1
	at, _ := slices.BinarySearchFunc(above[:last], value, func(c count, x int64) int { return cmp.Compare(c.value, x) })
	return above[at].rows
}

// beyond returns the greatest number of rows that are, in a number, as far beyond all rows with an action as a state is.
func (e *extents) beyond(p *factored.Problem, action string, now factored.Valuation) (rows int) {
	for k, r := range e.taken[action] {
		switch x := p.Variables[e.numbers[k]].Value(now); {
		case x > r.high:
			rows = max(rows, e.from(k, r.high+1))
		case x < r.low:
			rows = max(rows, e.above[k][0].rows-e.from(k, r.low))
		}
	}
	return rows
}
