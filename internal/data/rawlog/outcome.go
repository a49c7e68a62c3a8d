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

// AddReward appends the column RewardColumn, a sum of columns times weights. It is missing in rows in which one of these is.
func (t *Table) AddReward(weights map[string]float64) error {
	names := slices.Sorted(maps.Keys(weights))
	var columns []*Column
	for _, name := range names {
		i := t.Column(name)
		if i < 0 {
			return fmt.Errorf("the reward counts column %s; the columns of %s are %s%s", name, t.File, strings.Join(t.names(), ", "), t.hint(name))
		}
		columns = append(columns, &t.Columns[i])
	}
	reward := Column{Name: RewardColumn}
	for i := range t.Rows() {
		sum, all := 0.0, true
		for k, c := range columns {
			x, ok := c.Number(i)
			sum, all = sum+weights[names[k]]*x, all && ok
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
