package rawlog

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/codelength"
)

// Runs are blocks of rows that a column counts, each from the same number on.
type Runs struct {
	Counter string // the column; empty for none
	Episode string // a column with a value of its own for each run; empty for none
}

const (
	// breakBits is the evidence for each column that it does not go on where a run begins.
	breakBits = 12
	// rounded is how much the steps of a counter may differ, relatively.
	rounded = 1e-6
	// comparedRows bounds the rows whose steps are compared.
	comparedRows = 200_000
	// mostStates bounds the columns of states that are compared.
	mostStates = 64
)

// Runs finds a column that begins again and again with the same number, and counts the rows from there on by equal steps. Such a column may say
// how long a run of an experiment has been on, or be the hour of a day. It counts runs if half of the states or more do not go on where it begins again:
// there they change by other amounts than from row to row. So does one that numbers blocks of rows, if the states do not go on from one to the next. Where
// the episode is known, it is to be the same in a run, and another one in the next. Without runs, both names are empty.
func (t *Table) Runs(episode string, states []*Column) (r Runs) {
	counters := map[*Column]bool{}
	for _, c := range states {
		starts := t.starts(c)
		if starts == nil {
			continue
		}
		counters[c] = true
		of := episode
		if of == "" {
			of = t.nameOf(c, starts)
		} else if !t.changesAt(&t.Columns[t.Column(of)], starts) {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(states), func(o *Column) bool { return o == c || o.Name == of })
		if episode != "" || t.breaks(starts, others) {
			return Runs{c.Name, of}
		}
	}
	if episode != "" {
		return r
	}
	for _, c := range states {
		starts := t.blocks(c)
		if starts == nil {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(states), func(o *Column) bool { return o == c || counters[o] })
		if t.breaks(starts, others) {
			return Runs{"", c.Name}
		}
	}
	return r
}

// blocks lists the rows in which a column that numbers blocks of rows one by one has another number; nil if it does not.
func (t *Table) blocks(c *Column) (rows []int) {
	if c.layout != "" || !c.inBlocks() {
		return nil
	}
	last := math.Inf(-1)
	for i := range t.Rows() {
		v, ok := c.Number(i)
		switch {
		case !ok || v != math.Trunc(v) || i > 0 && v != last && v != last+1:
			return nil
		case v != last:
			rows = append(rows, i)
		}
		last = v
	}
	if len(rows) < leastEnds || t.Rows() < leastRows*len(rows) {
		return nil
	}
	return rows
}

// starts lists the rows in which a counter begins again; nil if the column is none.
func (t *Table) starts(c *Column) (rows []int) {
	if c.layout != "" || c.Unit != "" || unitOf(c.Name) != "" {
		return nil
	}
	first, ok := c.Number(0)
	second, _ := c.Number(min(1, t.Rows()-1))
	last, skips, by := math.Inf(1), 0, second-first
	for i := 0; ok && i < t.Rows(); i++ {
		var v float64
		v, ok = c.Number(i)
		switch {
		case v == last || v < last && v != first:
			return nil
		case v < last:
			rows = append(rows, i)
		case math.Abs(v-last-by) > rounded*by:
			skips++
		}
		last = v
	}
	if n := t.Rows(); !ok || len(rows) < leastEnds || n < leastRows*len(rows) || float64(skips) > (1-clockSteps)*float64(n) {
		return nil
	}
	return rows
}

// nameOf returns the column that has a value of its own for each run; "" for none.
func (t *Table) nameOf(counter *Column, starts []int) string {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name != counter.Name && c.inBlocks() && t.changesAt(&c, starts) })
	if i < 0 {
		return ""
	}
	return t.Columns[i].Name
}

// changesAt reports whether a column changes in some rows and nowhere else.
func (t *Table) changesAt(c *Column, rows []int) bool {
	k := 1 // the first row is one of them
	for i := 1; i < t.Rows(); i++ {
		is := k < len(rows) && rows[k] == i
		if is != (c.cells.at(i) != c.cells.at(i-1)) {
			return false
		}
		if is {
			k++
		}
	}
	return true
}

// breaks reports whether half of the states that change, or more, do not go on into some rows.
func (t *Table) breaks(rows []int, states []*Column) bool {
	at := make([]bool, min(t.Rows(), comparedRows))
	for _, i := range rows {
		if i < len(at) {
			at[i] = true
		}
	}
	changing, broken := 0, 0
	for _, c := range states[:min(mostStates, len(states))] {
		changes, breaks := t.breaksIn(c, at)
		if changes {
			changing++
		}
		if breaks {
			broken++
		}
	}
	return broken > 0 && 2*broken >= changing
}

// stepShares are the shares of the usual steps that are smaller than those of the next kind.
var stepShares = []float64{.5, .9, .99}

// stepKinds is the number of kinds: no change, up to the last one's share, and more.
const stepKinds = 5

// breaksIn reports whether a column changes at all, and whether its steps into some rows are distributed otherwise than those into the others.
func (t *Table) breaksIn(c *Column, at []bool) (changes, breaks bool) {
	var usual []float64
	for i := 1; i < len(at); i++ {
		if d := differ(c, i-1, i); d > 0 && !at[i] {
			usual = append(usual, d)
		}
	}
	if len(usual) == 0 {
		return false, false
	}
	slices.Sort(usual)
	var ends []float64
	for _, share := range stepShares {
		ends = append(ends, usual[int(share*float64(len(usual)-1))])
	}
	ends = slices.Compact(ends)
	var within, into, all [stepKinds]int
	for i := 1; i < len(at); i++ {
		k := 0
		if d := differ(c, i-1, i); d > 0 {
			k = 1 + len(ends)
			if j := slices.IndexFunc(ends, func(end float64) bool { return d <= end }); j >= 0 {
				k = 1 + j
			}
		}
		if at[i] {
			into[k]++
		} else {
			within[k]++
		}
	}
	n := len(ends) + 2
	for k := range all {
		all[k] = within[k] + into[k]
	}
	return true, codelength.KT(all[:n]...)-codelength.KT(within[:n]...)-codelength.KT(into[:n]...) > breakBits
}
