package rawlog

import (
	"context"
	"slices"
)

// leastPer is the number of rows that each combination of actions has at least, on average, before
// a column counts as decided by them.
const leastPer = 8

// DecidedByActions lists the columns of states that have the same value wherever the actions of the
// row are the same, and not one value only: what an action costs or leads to, recorded beside it.
// Such a column is no state before the action.
func DecidedByActions(ctx context.Context, t *Table, fluents []Fluent) []string {
	var actions, states []*Column
	for i := range fluents {
		switch c := &t.Columns[t.Column(fluents[i].Column)]; fluents[i].Use {
		case AsAction:
			actions = append(actions, c)
		case AsState:
			states = append(states, c)
		}
	}
	cells := make([]map[string]uint64, len(states)) // by the actions; nil if these do not decide it
	values := make([]map[uint64]bool, len(states))
	for j := range states {
		cells[j], values[j] = map[string]uint64{}, map[uint64]bool{}
	}
	var key []byte
	for i, left := 0, len(states); i < t.Rows() && left > 0; i++ {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil // the caller is late
		}
		key = appendCells(key[:0], actions, i)
		for j, c := range states {
			if cells[j] == nil || c.Missing(i) {
				continue
			}
			cell := c.cells.at(i)
			old, seen := cells[j][string(key)]
			if seen && old != cell || leastPer*len(cells[j]) > t.Rows() {
				cells[j], left = nil, left-1
			} else if !seen {
				cells[j][string(key)], values[j][cell] = cell, true
			}
		}
	}
	var out []string
	for j, c := range states {
		if cells[j] != nil && len(values[j]) > 1 {
			out = append(out, c.Name)
		}
	}
	return out
}

// A column may be an outcome of its own row if the states and actions of the row and the states of the next one leave at most betterShare of the
// variation that the row before leaves. It is one, of the action, if that is at most ownShare, and if without the action and what comes of it twice as
// much is left, and apartShare of all.
const (
	betterShare = .9
	ownShare    = .5
	apartShare  = .05
	ratherShare = .1
	// sameShare is what states with fewer values leave, at most, of one that says what they say.
	sameShare = 1e-3
)

// Outcome is a column that follows from its own row.
type Outcome struct {
	Column string
	Sure   bool // from the action and what comes of it, by far; else the states of the row may tell it, or the row before hardly less
}

// Outcomes lists the numeric columns of states that follow from their own row and what comes of it rather than from the row before: what a
// step costs or yields, recorded beside the action. A state follows from the row before. Where rows have next states,
// these are the numeric columns without one.
func Outcomes(ctx context.Context, t *Table, fluents []Fluent, r Reading) (out []Outcome) {
	if t.hasNext(r) {
		for i := range fluents {
			if f := &fluents[i]; f.Use == Dropped && f.Why == noNext && isNumeric(&t.Columns[t.Column(f.Column)]) {
				out = append(out, Outcome{f.Column, true})
			}
		}
		return out
	}
	x := newExplained(t, fluents, r)
	if len(x.actions) == 0 {
		return nil
	}
	ago := map[*Column]float64{} // what the row before leaves
	told := map[*Column]bool{}   // whether states with fewer values say the same
	row := append(x.look(x.before, x.states), x.look(x.before, x.actions)...)
	for _, c := range x.states {
		if ctx.Err() != nil {
			return nil // the caller is late
		}
		ago[c] = x.left(c, row)
		plain := slices.DeleteFunc(slices.Clone(x.states), func(o *Column) bool { return len(o.cells.values) >= len(c.cells.values) })
		told[c] = x.numeric[c] && x.left(c, x.look(x.own, plain)) <= sameShare
	}
	for _, c := range x.states {
		if ctx.Err() != nil {
			return nil
		}
		if !x.numeric[c] || ago[c] == 0 {
			continue
		}
		if told[c] {
			out = append(out, Outcome{c.Name, false})
			continue
		}
		// Others follow from the row before, or by far rather than this one: a queue does, where many come by chance, and what it earns hardly does.
		others := slices.DeleteFunc(slices.Clone(x.states), func(o *Column) bool { return o == c || told[o] || ago[o] > max(ownShare, ago[c]-ratherShare) })
		beside := x.look(x.own, others)
		comes := slices.Concat(beside, x.look(x.own, x.actions), x.look(x.own, x.ends), x.look(x.next, others))
		if left := x.left(c, comes); left <= betterShare*ago[c] {
			out = append(out, Outcome{c.Name, left <= ownShare*ago[c] && x.left(c, beside) >= max(2*left, apartShare)})
		}
	}
	return out
}
