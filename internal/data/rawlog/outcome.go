package rawlog

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
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
		key = key[:0]
		for _, c := range actions {
			key = binary.LittleEndian.AppendUint64(key, c.cells.at(i))
		}
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

// A column is an outcome of its own row if the states and actions of the row leave at most ownShare of the variation that the row before
// leaves, in pairs of rows of which enoughRows or more, and half of all, have others like them.
const (
	ownShare   = .5
	enoughRows = 50
	mostPairs  = 20_000 // that are looked at
	mostCells  = 64     // different cells of a column that rows are compared by
)

// Outcomes lists the numeric columns of states that follow from the actions of their own row, and not from the row before: what a step
// costs or yields, recorded beside the action. A state follows from the row before. Where rows have next states, these are
// the numeric columns without one.
func Outcomes(ctx context.Context, t *Table, fluents []Fluent, r Reading) (out []string) {
	var numeric, states, actions []*Column
	for i := range fluents {
		f := &fluents[i]
		c := &t.Columns[t.Column(f.Column)]
		few := len(c.cells.values) <= mostCells
		switch {
		case f.Use == Dropped && f.Why == noNext && isNumeric(c):
			out = append(out, c.Name)
		case (f.Use == AsAction || f.Use == AsInput) && few:
			actions = append(actions, c)
		case f.Use == AsState:
			if few {
				states = append(states, c)
			}
			if isNumeric(c) {
				numeric = append(numeric, c)
			}
		}
	}
	if t.hasNext(r) || len(numeric) == 0 || len(actions) == 0 {
		return out
	}
	var before, own []pair
	for now, then := range Steps(t, r) {
		if ctx.Err() != nil {
			return nil // the caller is late
		}
		before, own = append(before, pair{then, now}), append(own, pair{then, then})
		if len(own) == mostPairs {
			break
		}
	}
	row := slices.Concat(states, actions)
	kept := slices.Clone(actions) // and the states that follow from the row before
	for _, c := range states {
		if left, known := c.left(before, row); known && left <= ownShare {
			kept = append(kept, c)
		}
	}
	for _, c := range numeric {
		if slices.Contains(kept, c) {
			continue
		}
		after, known := c.left(before, row)
		beside, both := c.left(own, kept)
		if known && both && beside <= ownShare*after {
			out = append(out, c.Name)
		}
	}
	return out
}

// pair is a row in which a column is looked at, and one in which others are.
type pair struct{ row, others int }

// left returns the share of the variation of a column that is left where other columns are known. It is not known where too few pairs agree in
// the others.
func (c *Column) left(pairs []pair, by []*Column) (share float64, known bool) {
	groups := map[string]*variation{}
	var key []byte
	for _, p := range pairs {
		if c.Missing(p.row) {
			continue
		}
		key = key[:0]
		for _, b := range by {
			key = binary.LittleEndian.AppendUint64(key, b.cells.at(p.others))
		}
		if groups[string(key)] == nil {
			groups[string(key)] = &variation{cells: map[uint64]float64{}}
		}
		groups[string(key)].add(c, p.row)
	}
	all := variation{cells: map[uint64]float64{}}
	within, free := 0.0, 0.0
	for _, g := range groups {
		if g.n > 1 {
			all.join(g)
			within += g.of()
			free += g.n - 1
		}
	}
	if all.n < enoughRows || 2*all.n < float64(len(pairs)) || all.of() <= 0 {
		return 0, false
	}
	return within / free / (all.of() / (all.n - 1)), true
}

// variation is how much the cells of some rows vary: numbers by their squared deviations, texts by how often two differ.
type variation struct {
	n, sum, squares float64
	cells           map[uint64]float64 // of texts: rows
}

func (v *variation) add(c *Column, row int) {
	v.n++
	if x, ok := c.Number(row); ok {
		v.sum += x
		v.squares += x * x
	} else {
		v.cells[c.cells.at(row)]++
	}
}

func (v *variation) join(o *variation) {
	v.n += o.n
	v.sum += o.sum
	v.squares += o.squares
	for cell, n := range o.cells {
		v.cells[cell] += n
	}
}

// of is the variation of all rows together.
func (v *variation) of() float64 {
	if len(v.cells) == 0 {
		return v.squares - v.sum*v.sum/v.n
	}
	same := 0.0
	for _, n := range v.cells {
		same += n * n
	}
	return v.n - same/v.n
}

// AddReward appends the column RewardColumn, a sum of columns times weights. It is missing in rows in which one of these is.
func (t *Table) AddReward(weights map[string]float64) error {
	names := slices.Sorted(maps.Keys(weights))
	for _, name := range names {
		if t.Column(name) < 0 {
			return fmt.Errorf("the reward counts column %s; the columns of %s are %s%s", name, t.File, strings.Join(t.names(), ", "), t.hint(name))
		}
	}
	reward := Column{Name: RewardColumn}
	for i := range t.Rows() {
		sum, all := 0.0, true
		for _, name := range names {
			x, ok := t.Columns[t.Column(name)].Number(i)
			sum, all = sum+weights[name]*x, all && ok
		}
		if all {
			reward.addNumber(sum)
		} else {
			reward.addMissing()
		}
	}
	reward.settle()
	t.Columns = append(t.Columns, reward)
	return nil
}
