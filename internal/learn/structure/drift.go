package structure

import (
	"context"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/codelength"
	"github.com/fdplan/fdplan/internal/learn/rules"
)

// Drift is a change of the system in the middle of a log.
type Drift struct {
	Row      int     // the first one that follows the new system, in the order of the log
	Outputs  []int   // that changed, in increasing order
	Bits     float64 // by which two descriptions are shorter than one
	Old, New int     // rows of either side where the systems differ
	Wrong    int     // of these rows, those that follow the system of the other side
	// Again reports that these gather in time: the system changes more than once, or something
	// that is not recorded does.
	Again bool
}

const (
	// driftBits is how many bits a change has to save: the odds that chance does are below one to
	// a million.
	driftBits = 20
	// changes is the part of the cells of an output that a change is taken to concern.
	changes = 1.0 / 8
	// driftInputs bounds the inputs whose joint values are compared before and after.
	driftInputs = 24
	// driftOutputs bounds the outputs that are compared, where candidates are chosen for each: of
	// more some are.
	driftOutputs = 500
)

// FindDrift looks for the row at which the functions of some outputs changed: rows are in the
// order of the log, so that Close must not have been called. Outputs that are left to chance are
// left out, unless they are not so in a part of the log.
// It is nil where no change is found. An error is that of ctx.
func FindDrift(ctx context.Context, t *Table, chance func(output int) bool) (*Drift, error) {
	d := &drifter{t: t}
	for r := range t.Rows() {
		if t.Complete(r) {
			d.rows = append(d.rows, int32(r))
		}
	}
	const least = 40
	if len(d.rows) < least {
		return nil, nil
	}
	d.x = newXlog2(len(d.rows))
	l := &learner{ctx: ctx, t: t, x: d.x}
	first, last := d.rows[:len(d.rows)/3], d.rows[2*len(d.rows)/3:]
	nearFirst, nearLast := l.neighbours(first), l.neighbours(last)
	step := 1
	if t.screens() {
		d.narrow, d.tables = newScreen(t, d.rows), map[int]*Table{}
		step = (t.Outputs + driftOutputs - 1) / driftOutputs
	}
	for o := 0; o < t.Outputs; o += step {
		if chance == nil || !chance(o) || !l.random(first, nearFirst, o) || !l.random(last, nearLast, o) {
			d.outputs = append(d.outputs, o)
		}
	}
	d.whole = make([][]int, t.Outputs)
	for _, o := range d.outputs {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d.whole[o] = d.inputs(o, 0, len(d.rows))
	}
	var best *Drift
	for _, eighth := range []int{4, 2, 6, 3, 5, 1, 7} {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if found := d.from(eighth * len(d.rows) / 8); found != nil && (best == nil || found.Bits > best.Bits) {
			best = found
		}
	}
	return best, nil
}

type drifter struct {
	t       *Table
	x       xlog2
	rows    []int32
	outputs []int
	whole   [][]int // by output, inputs that describe all rows shortly

	narrow *screen // of a wide table; nil otherwise
	tables map[int]*Table
}

// inputs are those of a short description of some rows, by their places in the rows.
func (d *drifter) inputs(o, from, to int) []int {
	s := &search{t: d.t, x: d.x, rows: d.t.known(d.rows[from:to], o), out: o, pairs: true}
	if len(s.rows) == 0 {
		return nil
	}
	if d.narrow == nil {
		return s.shortest(s.path(false, true)).inputs
	}
	if d.tables[o] == nil {
		d.tables[o], _ = d.narrow.narrow(o)
	}
	before := len(d.t.known(d.rows[:from], o))
	s.t, s.out, s.rows = d.tables[o], 0, d.tables[o].all()[before:before+len(s.rows)]
	return named(d.narrow.candidates(o), s.shortest(s.path(false, true)).inputs)
}

// from looks for a change near a place in the rows, and moves to where it shows best.
func (d *drifter) from(at int) (found *Drift) {
	for range 4 {
		var cells []conflict
		var outputs []int
		saved := -math.Log2(float64(len(d.rows)))
		for _, o := range d.outputs {
			c, bits := d.compare(o, at)
			if bits > 0 {
				outputs, cells, saved = append(outputs, o), append(cells, c...), saved+bits
			}
		}
		if len(cells) == 0 {
			return found
		}
		next, drift := d.place(cells)
		if saved >= driftBits && drift.Old > 0 && drift.New > 0 && (found == nil || saved > found.Bits) {
			drift.Bits, drift.Outputs = saved, outputs
			found = drift
		}
		if next == at || next < 10 || next > len(d.rows)-10 {
			return found
		}
		at = next
	}
	return found
}

// conflict is a row where the majority before a change differs from that after it.
type conflict struct {
	place int  // in rows
	old   bool // it has the value of the majority before
}

// compare tells by how many bits an output is described shorter with a change at a place, and
// lists the rows in which the systems before and after differ: over the inputs that describe all
// rows, too, or over those of either side alone, if no inputs tell the sides apart.
func (d *drifter) compare(o, at int) (found []conflict, bits float64) {
	sides := slices.Concat(d.inputs(o, 0, at), d.inputs(o, at, len(d.rows)))
	found, bits = d.over(o, at, slices.Concat(sides, d.whole[o]))
	if other, more := d.over(o, at, sides); more > bits && d.unexplained(other) {
		return other, more
	}
	return found, bits
}

// unexplained reports whether the place in the log tells rows of the old system from those of the
// new one by many bits better than inputs do.
func (d *drifter) unexplained(rows []conflict) bool {
	const margin = 2 * driftBits
	t := NewTable(d.t.Inputs, 1, d.t.Groups)
	all := make([]int32, len(rows))
	for i, c := range rows {
		out := []uint64{0}
		if c.old {
			out[0] = 1
		}
		t.Add(d.t.Input(int(d.rows[c.place])), out, nil, nil)
		all[i] = int32(i)
	}
	s := &search{t: t, x: d.x, rows: all, pairs: true}
	_, split := d.place(rows)
	time := math.Log2(float64(len(d.rows))) + rules.Log2Choose(len(rows), split.Wrong)
	return s.shortest(s.path(false, true)).score > time+margin
}

// over is compare for given inputs.
func (d *drifter) over(o, at int, inputs []int) (found []conflict, bits float64) {
	slices.Sort(inputs)
	if inputs = slices.Compact(inputs); len(inputs) > driftInputs {
		return nil, 0
	}
	type cell struct{ before, after [2]int }
	cells := map[uint64]*cell{}
	var order []*cell
	for i, r := range d.rows {
		if !d.t.Knows(int(r), o) {
			continue
		}
		key := Cell(d.t.Input(int(r)), inputs)
		c := cells[key]
		if c == nil {
			c = &cell{}
			cells[key] = c
			order = append(order, c)
		}
		y := 0
		if d.t.Output(int(r), o) {
			y = 1
		}
		if i < at {
			c.before[y]++
		} else {
			c.after[y]++
		}
	}
	differs := map[*cell]bool{}
	all, split := 0, 0 // exceptions of one system, and of two
	for _, c := range order {
		one := codelength.KT(c.before[0]+c.after[0], c.before[1]+c.after[1])
		two := codelength.KT(c.before[0], c.before[1]) + codelength.KT(c.after[0], c.after[1])
		bits += math.Log2(1 - changes + changes*math.Exp2(min(500, one-two)))
		all += min(c.before[0]+c.after[0], c.before[1]+c.after[1])
		split += min(c.before[0], c.before[1]) + min(c.after[0], c.after[1])
		differs[c] = (c.before[1]-c.before[0])*(c.after[1]-c.after[0]) < 0
	}
	// Where two systems have nearly as many exceptions as one, something that is not recorded
	// decides, now and again.
	if bits <= 1 || 2*split > all {
		return nil, 0
	}
	for i, r := range d.rows {
		if c := cells[Cell(d.t.Input(int(r)), inputs)]; d.t.Knows(int(r), o) && differs[c] {
			found = append(found, conflict{i, d.t.Output(int(r), o) == (c.before[1] > c.before[0])})
		}
	}
	return found, bits - 1
}

// place puts the change where the fewest of the rows in conflict follow the other system: in the
// middle of such places.
func (d *drifter) place(cells []conflict) (at int, found *Drift) {
	slices.SortStableFunc(cells, func(a, b conflict) int { return a.place - b.place })
	wrong := 0
	for _, c := range cells {
		if c.old {
			wrong++ // with a change before all rows
		}
	}
	least, from, to := wrong, 0, 0
	for i, c := range cells {
		if c.old {
			wrong--
		} else {
			wrong++
		}
		if i+1 < len(cells) && cells[i+1].place == c.place {
			continue
		}
		switch {
		case wrong < least:
			least, from, to = wrong, i+1, i+1
		case wrong == least && to == i:
			to = i + 1
		}
	}
	found = &Drift{Wrong: least, Old: from, New: len(cells) - from, Again: gather(cells[:from]) || gather(cells[from:])}
	before, after := 0, len(d.rows)-1 // the last row that shows the old system, and the first that shows the new one
	if from > 0 {
		before = cells[from-1].place
	}
	if from < len(cells) {
		after = cells[from].place
	}
	at = (before + after + 1) / 2
	found.Row = int(d.rows[at])
	return at, found
}

// gather reports whether the rows that follow the old system, of some in the order of the log,
// are more frequent in one part of them than in the rest.
func gather(cells []conflict) bool {
	const bits = 10
	var all, left [2]int
	index := map[bool]int{true: 1}
	for _, c := range cells {
		all[index[c.old]]++
	}
	most := 0.0
	for _, c := range cells {
		left[index[c.old]]++
		most = max(most, codelength.KT(all[0], all[1])-codelength.KT(left[0], left[1])-codelength.KT(all[0]-left[0], all[1]-left[1]))
	}
	return most-math.Log2(float64(len(cells)+1)) > bits
}
