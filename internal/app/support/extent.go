package support

import (
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// extents tell which values of numbers the rows with an action have. Few rows have each value of a wide number, so that a single one tells nothing of why an action
// was not taken in it; all values above those with the action, or below, may.
type extents struct {
	numbers []int              // states that are numbers
	values  [][]int64          // of each, in the rows, in order
	taken   map[string][]reach // by action, of each number
}

// reach are the least and the greatest value of a number in rows with an action.
type reach struct{ low, high int64 }

// newExtents lists the numbers of a problem.
func newExtents(p *factored.Problem) *extents {
	e := &extents{taken: map[string][]reach{}}
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == factored.State && !v.Bool && !v.Enumeration() && !v.Quantity() {
			e.numbers, e.values = append(e.numbers, i), append(e.values, nil)
		}
	}
	return e
}

// add adds rows with an action.
func (e *extents) add(p *factored.Problem, action string, row *Row) {
	all, ok := e.taken[action]
	for k, i := range e.numbers {
		x := p.Variables[i].Value(row.Now)
		for range row.Count {
			e.values[k] = append(e.values[k], x)
		}
		if !ok {
			all = append(all, reach{x, x})
			continue
		}
		all[k] = reach{min(all[k].low, x), max(all[k].high, x)}
	}
	e.taken[action] = all
}

// sort ends the adding.
func (e *extents) sort() {
	for _, list := range e.values {
		slices.Sort(list)
	}
}

// beyond returns the greatest number of rows that are, in a number, as far beyond all rows with an action as a state is.
func (e *extents) beyond(p *factored.Problem, action string, now factored.Valuation) (rows int) {
	for k, r := range e.taken[action] {
		list := e.values[k]
		switch x := p.Variables[e.numbers[k]].Value(now); {
		case x > r.high:
			at, _ := slices.BinarySearch(list, r.high+1)
			rows = max(rows, len(list)-at)
		case x < r.low:
			at, _ := slices.BinarySearch(list, r.low)
			rows = max(rows, at)
		}
	}
	return rows
}
