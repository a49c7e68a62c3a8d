package outcome

import (
	"cmp"
	"slices"

	"github.com/fdplan/fdplan/problem/chance"
)

// Variable is a state or action that contexts may test.
type Variable struct {
	Values  int32 // 0..Values-1
	Ordered bool  // whether <= means something
	// Kind is equal for variables whose values can be compared, and the value Base is the same in
	// all of them; -1 for none.
	Kind  int
	Base  int64
	Whole bool // a whole number, with which sums are made
}

// Table holds rows, column by column.
type Table struct {
	Variables []Variable
	Outputs   []int     // the variables that are predicted
	Now       [][]int32 // by variable and row
	Next      [][]int32 // by output and row
	// Begins tells of each row whether the row before it is not the step before it.
	Begins []bool
	// Apart tells of each row whether it may not be the step after the row before it, since other rows stand between them in the file; nil
	// if none is.
	Apart []bool
}

// Rows is the number of rows.
func (t *Table) Rows() int {
	if len(t.Now) == 0 {
		return 0
	}
	return len(t.Now[0])
}

// state is what a row has before its step.
func (t *Table) state(row int) []int32 {
	out := make([]int32, len(t.Now))
	for v := range out {
		out[v] = t.Now[v][row]
	}
	return out
}

// without returns a table of the same variables without rows.
func (t *Table) without() *Table {
	return &Table{Variables: t.Variables, Outputs: t.Outputs, Now: make([][]int32, len(t.Now)), Next: make([][]int32, len(t.Next))}
}

// add adds a row, the first of a run: all variables before a step, and the outputs after it.
func (t *Table) add(now, next []int32) {
	for v := range now {
		t.Now[v] = append(t.Now[v], now[v])
	}
	for o := range next {
		t.Next[o] = append(t.Next[o], next[o])
	}
	t.Begins = append(t.Begins, true)
}

// next is what a row has after its step.
func (t *Table) next(row int) []int32 {
	out := make([]int32, len(t.Next))
	for o := range out {
		out[o] = t.Next[o][row]
	}
	return out
}

// pair is what a row says about a group: the values of its outputs before and after a step, and what effects add to,
// which is a sum or the value before the step.
type pair struct{ now, next, from []int32 }

// cell is a pair with the number of rows that have it.
type cell struct {
	pair int32
	n    float64
}

// view is a table as seen by one group of outputs.
type view struct {
	t        *Table
	outputs  []int     // of the table
	sums     []sum     // of each output; nil for its value
	ids      []int32   // the pair of each row
	weight   []float64 // how often each row stands there
	rows     float64   // of them all
	pairs    []pair
	effects  [][]chance.Effect // joint effects that some pair shows
	shows    [][]int32         // by pair, the effects that explain it
	bumps    [][]int32         // by pair, the effects that are blocked where the value of one output is kept
	possible float64           // number of joint effects
	size     []float64         // values of each output
	counts   []float64         // scratch, by pair
	tally    []float64         // scratch, by effect
	place    []int32           // scratch, by value
	table    contingency       // scratch
	terms    []float64         // n log n of each number of rows
	// strides has the long steps of each output, by variable: one number may stand for row and column
	// of a grid, so that a step to the next row adds the number of columns.
	strides map[int][]int32
}

// maxStep is the largest difference that counts as something added, unless values move so far in
// many rows.
const maxStep = 3

// see returns the view of a group, whose effects may add to sums.
func (t *Table) see(outputs []int, sums []sum) *view {
	x := &view{t: t, outputs: outputs, sums: sums, possible: 1, ids: make([]int32, t.Rows()), weight: slices.Repeat([]float64{1}, t.Rows()), rows: float64(t.Rows()), strides: map[int][]int32{}}
	steps, from := make([]map[int32]bool, len(outputs)), make([][]int32, len(outputs))
	for j, o := range outputs {
		n := t.Variables[t.Outputs[o]].Values
		x.size = append(x.size, float64(n))
		if from[j] = t.Now[t.Outputs[o]]; sums[j] != nil {
			from[j] = sums[j].column(t, o)
			x.possible++ // to keep the value
		}
		steps[j] = t.steps(o, from[j])
		x.strides[t.Outputs[o]] = strides(steps[j])
		x.possible *= float64(len(steps[j])) + float64(n)
	}
	index := map[string]int32{}
	key := make([]byte, 0, 64)
	for r := range x.ids {
		key = key[:0]
		for _, o := range outputs {
			a, b := t.Now[t.Outputs[o]][r], t.Next[o][r]
			key = append(key, byte(a), byte(a>>8), byte(a>>16), byte(b), byte(b>>8), byte(b>>16))
		}
		for j, s := range sums {
			if c := from[j][r]; s != nil {
				key = append(key, byte(c), byte(c>>8), byte(c>>16), byte(c>>24))
			}
		}
		id, ok := index[string(key)]
		if !ok {
			id = int32(len(x.pairs))
			index[string(key)] = id
			p := pair{}
			for j, o := range outputs {
				p.now, p.next, p.from = append(p.now, t.Now[t.Outputs[o]][r]), append(p.next, t.Next[o][r]), append(p.from, from[j][r])
			}
			x.pairs = append(x.pairs, p)
		}
		x.ids[r] = id
	}
	for n := range t.Rows() + 1 {
		x.terms = append(x.terms, xlogx(float64(n)))
	}
	x.counts = make([]float64, len(x.pairs))
	x.explain(steps)
	return x
}

// steps lists the differences that count as something added to what an output comes from.
func (t *Table) steps(o int, from []int32) map[int32]bool {
	v := &t.Variables[t.Outputs[o]]
	steps := map[int32]bool{0: true}
	if !v.Ordered {
		return steps
	}
	counts := map[int32]int{}
	for r, x := range from {
		counts[t.Next[o][r]-x]++
	}
	for d, n := range counts {
		// A step that one row in 200 takes is no accident of values that are set.
		if d >= -maxStep && d <= maxStep || 200*n >= t.Rows() {
			steps[d] = true
		}
	}
	return steps
}

// mostStrides bounds the long steps of a number that is a place in a grid: one that moves by more amounts is none.
const mostStrides = 4

// strides lists how far the long steps go; none where they go so far as a number does that is no place in a grid.
func strides(steps map[int32]bool) (out []int32) {
	for d := range steps {
		if d = max(d, -d); d > maxStep && !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	if len(out) > mostStrides {
		return nil
	}
	slices.Sort(out)
	return out
}

// explain lists the joint effects that explain each pair.
func (x *view) explain(steps []map[int32]bool) {
	index := map[string]int32{}
	x.shows = make([][]int32, len(x.pairs))
	for i, p := range x.pairs {
		joint := [][]chance.Effect{nil}
		for j := range x.outputs {
			var more [][]chance.Effect
			d, sum := p.next[j]-p.from[j], 0
			if x.sums[j] != nil {
				sum = j + 1
			}
			for _, e := range joint {
				if steps[j][d] {
					more = append(more, append(slices.Clone(e), chance.Effect{Kind: chance.Add, By: int64(d), Sum: sum}))
				}
				if sum > 0 && p.next[j] == p.now[j] {
					more = append(more, append(slices.Clone(e), chance.Effect{}))
				}
				more = append(more, append(slices.Clone(e), chance.Effect{Kind: chance.Set, By: int64(p.next[j])}))
			}
			joint = more
		}
		for _, e := range joint {
			key := make([]byte, 0, 32)
			for _, f := range e {
				key = append(key, byte(f.Kind), byte(f.Sum), byte(f.By), byte(f.By>>8), byte(f.By>>16))
			}
			id, ok := index[string(key)]
			if !ok {
				id = int32(len(x.effects))
				index[string(key)] = id
				x.effects = append(x.effects, e)
			}
			x.shows[i] = append(x.shows[i], id)
		}
	}
	x.tally = make([]float64, len(x.effects))
	x.findBumps()
}

// findBumps lists the additions that are blocked in each pair, of one output.
func (x *view) findBumps() {
	x.bumps = make([][]int32, len(x.pairs))
	if len(x.outputs) > 1 {
		return
	}
	for id, e := range x.effects {
		if e[0].Kind != chance.Add || e[0].By == 0 {
			continue
		}
		for i, p := range x.pairs {
			if to := p.from[0] + int32(e[0].By); (to < 0 || to >= int32(x.size[0])) && p.next[0] == p.now[0] {
				x.bumps[i] = append(x.bumps[i], int32(id))
			}
		}
	}
}

// cells counts the pairs of some rows.
func (x *view) cells(rows []int32) []cell {
	var cells []cell
	for _, r := range rows {
		id := x.ids[r]
		if x.counts[id] == 0 {
			cells = append(cells, cell{pair: id})
		}
		x.counts[id] += x.weight[r]
	}
	for i := range cells {
		cells[i].n = x.counts[cells[i].pair]
		x.counts[cells[i].pair] = 0
	}
	slices.SortStableFunc(cells, func(a, b cell) int { return cmp.Compare(a.pair, b.pair) })
	return cells
}

// complexity orders effects that explain as many rows: keep before add before set.
func complexity(e []chance.Effect) (c int64) {
	for _, f := range e {
		switch {
		case f.Kind == chance.Set:
			c += 1 << 20
		case f.By != 0 || f.Sum > 0:
			c += 2 + max(f.By, -f.By)
		}
	}
	return c
}
