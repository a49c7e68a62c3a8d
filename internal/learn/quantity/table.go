package quantity

import (
	"math"
	"slices"
)

// Role tells what decides a column.
type Role uint8

// The roles of columns.
const (
	State  Role = iota // the system
	Action             // a plan
	Input              // neither: read and given
)

// Column is a variable of a log.
type Column struct {
	Name string
	Role Role
	Now  []float64 // before each step; of an enumeration the number of the value
	Next []float64 // after it, of a state; nil otherwise
	// Values is the number of values of an enumeration or a Boolean, which have no order; 0 of a number.
	Values int
	// Learn asks for the function of a state. It is of a number.
	Learn bool
	Step  float64 // to which values are rounded; 0 for none
	// Least and Most are the range that next values are clamped to; equal for none.
	Least, Most float64

	lo, hi float64 // bounds at which next values pile up; infinite for none
}

// Table has the steps of a log.
type Table struct {
	Columns []Column
	// Follows tells for each row whether it begins where the row before it ended.
	Follows []bool
	// Of has the number of the machine that each row is about, which a column tells; nil for one machine, or if none does. Blocks of time
	// are of each machine then: one whose rows are all in one block would be predicted without any of them.
	Of []int

	depth []int // the number of rows before each one that lead to it without a gap
	ahead []int // and behind it, itself included
}

// Rows is the number of steps.
func (t *Table) Rows() int { return len(t.Follows) }

// Runs returns for each row the number of rows before it that lead to it without a gap, and that of those from it on.
func (t *Table) Runs() (depth, ahead []int) {
	t.runs()
	return t.depth, t.ahead
}

// runs sets how far the rows go back and ahead.
func (t *Table) runs() {
	n := t.Rows()
	t.depth, t.ahead = make([]int, n), make([]int, n)
	for r := range n {
		if r > 0 && t.Follows[r] {
			t.depth[r] = t.depth[r-1] + 1
		}
	}
	for r := n - 1; r >= 0; r-- {
		t.ahead[r] = 1
		if r+1 < n && t.Follows[r+1] {
			t.ahead[r] += t.ahead[r+1]
		}
	}
}

// Term is what a function reads: the value of a column, Lag steps earlier, or whether an enumeration had a value.
type Term struct {
	Column, Lag int
	Value       int // of an enumeration, from 0; number or change for a number
}

// Values of Term.Value for numbers.
const (
	number = -1 // the value itself
	change = -2 // the present value less that of Lag steps earlier
)

// of returns the value of a term before the step of a row, which must go back far enough.
func (t *Table) of(term Term, row int) float64 {
	now := t.Columns[term.Column].Now
	return term.value(now[row], now[row-term.Lag])
}

// value returns that of a term from the present and the earlier value of the column.
func (t Term) value(now, then float64) float64 {
	switch {
	case t.Value >= 0:
		return indicate(then, t.Value)
	case t.Value == change:
		// Differences of decimals are decimals.
		return math.Round((now-then)*1e9) / 1e9
	}
	return then
}

func indicate(x float64, value int) float64 {
	if int(x) == value {
		return 1
	}
	return 0
}

// terms lists those of a column: one of a number or a Boolean, one less than the values of an enumeration.
func (t *Table) terms(column, lag int) []Term {
	c := &t.Columns[column]
	if c.Values == 0 {
		return []Term{{column, lag, number}}
	}
	var out []Term
	for v := 1; v < c.Values; v++ {
		out = append(out, Term{column, lag, v})
	}
	return out
}

// design is the table of one output: a column for each term, the change that is to be predicted, and the rows.
type design struct {
	terms   []Term
	own     int         // the term that is the output's present value
	in      []int       // the terms that sums of products are of
	x       [][]float64 // by term and row
	now, y  []float64   // the present and the next value
	shift   []float64   // of each term, the mean
	lo, hi  float64     // bounds at which the next value is censored; infinite for none
	present []float64   // y, or what is predicted beyond the bound: the targets
	all     *gram       // of all rows, once a tree grows
	rows    []float64   // then, row by row, 1, the terms in use about their means, and the target
	work    workspace
	scans   scans
	modes   []int // the splits on enumerations where these go before others
	alike   []int // by term the number of a group of which all coefficients have one sign, or 0; nil for none
}

// newDesign collects what the rows say about an output.
func (t *Table) newDesign(output int, terms []Term, rows []int) *design {
	d := &design{terms: terms, own: slices.Index(terms, Term{output, 0, -1})}
	for j, term := range terms {
		d.in = append(d.in, j)
		column := make([]float64, len(rows))
		sum := 0.0
		for i, r := range rows {
			column[i] = t.of(term, r)
			sum += column[i]
		}
		d.x, d.shift = append(d.x, column), append(d.shift, sum/math.Max(1, float64(len(rows))))
	}
	c := &t.Columns[output]
	for _, r := range rows {
		d.now, d.y = append(d.now, c.Now[r]), append(d.y, c.Next[r])
	}
	d.lo, d.hi = c.lo, c.hi
	d.present = slices.Clone(d.y)
	return d
}

// leastCensored is the share of rows that lie exactly on a bound which makes it one of the system, not only
// of the log: clipping to whatever the log's largest value was doubled the error on a log of tanks. A level that turns slowly, logged
// in coarse steps, is at its least value for some rows too, but not again and again: a boiler and an oven, of 1,000 rows each, had 5 and 7
// in one and two visits, and errors three times as large for it.
const leastCensored = .01

// censored returns the bounds at which values pile up; infinite for none.
func censored(y []float64) (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	values := slices.Clone(y)
	slices.Sort(values)
	values = slices.Compact(values)
	n := len(values)
	if n > 1 && piles(y, values[0], values[1]) {
		lo = values[0]
	}
	if n > 1 && piles(y, values[n-1], values[n-2]) {
		hi = values[n-1]
	}
	return lo, hi
}

// piles reports whether values are often at an end, more than next to it, and came there more than once.
func piles(y []float64, end, next float64) bool {
	at, beside, visits := 0, 0, 0
	for k, v := range y {
		switch {
		case v == next:
			beside++
		case v == end:
			if at++; k == 0 || y[k-1] != end {
				visits++
			}
		}
	}
	return at >= max(3, int(math.Ceil(leastCensored*float64(len(y))))) && 2*at > beside && visits > 1
}
