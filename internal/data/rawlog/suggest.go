package rawlog

import (
	"math"
	"slices"
)

// The most values that clusters are looked for in, and the most transitions of which the
// behaviour is looked at. Of more, some are drawn.
const (
	mostValues      = 1 << 20
	mostTransitions = 1 << 18
)

// isDrawn reports whether the number i in 0..n-1 is one of about most that are drawn, always the
// same ones; all are if there are no more.
func isDrawn(i, n, most int) bool {
	if n <= most {
		return true
	}
	// What repeats in a log is not in step with a mixed multiple of the golden ratio.
	h := uint64(i) * 0x9e37_79b9_7f4a_7c15
	h = (h ^ h>>29) * 0xbf58_476d_1ce4_e5b9
	return float64(h>>11)/(1<<53) < float64(most)/float64(n)
}

// drawn lists the numbers in 0..n-1 that are drawn.
func drawn(n, most int) []int32 {
	var out []int32
	for i := range n {
		if isDrawn(i, n, most) {
			out = append(out, int32(i))
		}
	}
	return out
}

// SuggestBins gives edges to the quantities that have none. A fluent whose behaviour may
// depend on a quantity is every other one that is not a quantity.
func SuggestBins(t *Table, fluents []Fluent, r Reading) error {
	rows := drawn(t.Rows(), mostValues)
	follows := following(t, r)
	for i := range fluents {
		f := &fluents[i]
		if f.Kind != Real || f.Edges != nil || f.Use != AsState && f.Use != AsAction {
			continue
		}
		c := &t.Columns[t.Column(f.Column)]
		values := c.numbers(rows)
		if j := t.Column(f.Column + "'"); j >= 0 {
			values = append(values, t.Columns[j].numbers(rows)...)
		}
		if len(rows) < t.Rows() {
			values = append(values, f.Lo, f.Hi)
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

// numbers returns the numbers in some rows.
func (c *Column) numbers(rows []int32) []float64 {
	var out []float64
	for _, i := range rows {
		if x, ok := c.Number(int(i)); ok {
			out = append(out, x)
		}
	}
	return out
}

// following returns rows that are followed by the one after them.
func following(t *Table, r Reading) []int32 {
	x := &reader{t: t, r: r}
	if i := t.Column(r.Episode); r.Episode != "" && i >= 0 {
		x.episode = &t.Columns[i]
	}
	if i := t.Column(r.Time); r.Time != "" && i >= 0 {
		x.time = &t.Columns[i]
	}
	gap := x.gap()
	return slices.DeleteFunc(drawn(t.Rows()-1, mostTransitions), func(i int32) bool { return !x.together(int(i)+1, gap) })
}

// changesOf pairs the values of quantity c with the changes of fluent g that followed.
func changesOf(t *Table, fluents []Fluent, c *Column, g *Fluent, follows []int32) []sample {
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
	for _, row := range follows {
		i, j := int(row), int(row)+1
		if primed {
			j = i
		}
		x, ok := c.Number(i)
		if !ok || now.Missing(i) || next.Missing(j) {
			continue
		}
		var action uint64
		for _, a := range actions {
			action = action*1_000_003 + a.cells.at(i)
		}
		change := math.Float64bits(math.NaN())
		if a, isNumber := now.Number(i); isNumber {
			if b, ok := next.Number(j); ok {
				change = math.Float64bits(b - a)
			}
		} else {
			change = next.cells.at(j)<<20 ^ now.cells.at(i)
		}
		out = append(out, sample{x: x, action: code(action, 0), change: code(action, change|1<<63)})
	}
	return out
}
