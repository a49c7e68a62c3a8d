package rawlog

import (
	"math"
)

// SuggestBins gives edges to the quantities that have none. A fluent whose behaviour may
// depend on a quantity is every other one that is not a quantity.
func SuggestBins(t *Table, fluents []Fluent, r Reading) error {
	follows := following(t, r)
	for i := range fluents {
		f := &fluents[i]
		if f.Kind != Real || f.Edges != nil || f.Use != AsState && f.Use != AsAction {
			continue
		}
		c := &t.Columns[t.Column(f.Column)]
		var values []float64
		for k := range c.cells {
			if x, ok := c.Number(k); ok {
				values = append(values, x)
			}
		}
		if j := t.Column(f.Column + "'"); j >= 0 {
			for k := range t.Columns[j].cells {
				if x, ok := t.Columns[j].Number(k); ok {
					values = append(values, x)
				}
			}
		}
		var changes [][]sample
		for j := range fluents {
			if g := &fluents[j]; g.Use == AsState && g.Kind != Real {
				changes = append(changes, changesOf(t, fluents, c, g, follows))
			}
		}
		f.Edges, f.How = edgesOf(values, changes)
	}
	return nil
}

// following returns for each row the column and row of next states: the row after it, -1 for
// none.
func following(t *Table, r Reading) []int {
	x := &reader{t: t, r: r}
	if i := t.Column(r.Episode); r.Episode != "" && i >= 0 {
		x.episode = &t.Columns[i]
	}
	if i := t.Column(r.Time); r.Time != "" && i >= 0 {
		x.time = &t.Columns[i]
	}
	interval := x.interval()
	out := make([]int, t.Rows())
	for i := range out {
		out[i] = -1
		if i+1 < len(out) && x.together(i+1, interval) {
			out[i] = i + 1
		}
	}
	return out
}

// changesOf pairs the values of quantity c with the changes of fluent g that followed.
func changesOf(t *Table, fluents []Fluent, c *Column, g *Fluent, follows []int) []sample {
	now := &t.Columns[t.Column(g.Column)]
	next := now
	primed := t.Column(g.Column+"'") >= 0
	if primed {
		next = &t.Columns[t.Column(g.Column+"'")]
	}
	var actions []*Column
	for i := range fluents {
		if fluents[i].Use == AsAction && fluents[i].Kind != Real {
			actions = append(actions, &t.Columns[t.Column(fluents[i].Column)])
		}
	}
	type key [2]uint64
	codes := map[key]int{}
	code := func(a, b uint64) int {
		k, ok := codes[key{a, b}]
		if !ok {
			k = len(codes)
			codes[key{a, b}] = k
		}
		return k
	}
	var out []sample
	for i, j := range follows {
		if primed {
			j = i
		}
		x, ok := c.Number(i)
		if !ok || j < 0 || now.Missing(i) || next.Missing(j) {
			continue
		}
		var action uint64
		for _, a := range actions {
			action = action*1_000_003 + a.cells[i]
		}
		change := math.Float64bits(math.NaN())
		if a, isNumber := now.Number(i); isNumber {
			if b, ok := next.Number(j); ok {
				change = math.Float64bits(b - a)
			}
		} else {
			change = next.cells[j]<<20 ^ now.cells[i]
		}
		out = append(out, sample{x: x, action: code(action, 0), change: code(action, change|1<<63)})
	}
	return out
}
