package rawlog

import (
	"cmp"
	"context"
	"iter"
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

// maxWatched is the most fluents whose changes are looked at for the bins of a quantity, and
// maxChanges the most changes that are looked at for all quantities together.
const (
	maxWatched = 64
	maxChanges = 1 << 24
)

// Quantify gives each quantity that has none a step, where that is asked for, or edges. A fluent
// whose behaviour may depend on a quantity is every other one that is not a quantity; of very many, some are looked at.
func Quantify(ctx context.Context, t *Table, fluents []Fluent, r Reading, s *Spec) error {
	rows := drawn(t.Rows(), mostValues)
	var quantities, rest, others []*Fluent // quantities that are states, those that are not, and states that are none
	for i := range fluents {
		switch f := &fluents[i]; {
		case f.Kind == Real && f.Edges == nil && f.IsFluent() && f.Use == AsState:
			quantities = append(quantities, f)
		case f.Kind == Real && f.Edges == nil && f.IsFluent():
			rest = append(rest, f)
		case f.Use == AsState && f.Kind != Real:
			others = append(others, f)
		}
	}
	if len(quantities)+len(rest) == 0 {
		return nil
	}
	w := newWatch(t, fluents, r)
	most := max(1, min(maxWatched, maxChanges/max(1, len(w.now)*(len(quantities)+len(rest)))))
	for i, g := range others {
		if i*most/len(others) != (i+1)*most/len(others) || len(others) <= most {
			w.changesOf(g)
		}
	}
	summed := false // some state is a number, whose function adds up others
	for _, f := range append(quantities, rest...) {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := &t.Columns[t.Column(f.Column)]
		values := c.numbers(rows)
		if next := w.next(f.Column); next != nil && next != c {
			values = append(values, next.numbers(rows)...)
		}
		if len(rows) < t.Rows() {
			values = append(values, f.Lo, f.Hi)
		}
		digits, asked := s.decimals(f)
		if digits >= 0 && asked {
			f.Step = Step{1, digits}
		}
		if asked || f.Step.Units > 0 || !s.binned(f) && s.Steps && (summed && f.Use != AsState || isGrid(values, f.Hi-f.Lo) || len(clusters(slices.Sorted(slices.Values(values)))) == 0) {
			f.fix(values, w.movesOf(f.Column))
			summed = summed || f.Use == AsState
			continue
		}
		given := f.How == "given"
		lo, hi := f.Lo, f.Hi
		f.Edges, f.How = edgesOf(values, w.samples(c))
		if given {
			f.Edges, f.How = within(f.Edges, lo, hi), f.How+", in the range that was given"
		}
	}
	return nil
}

// within keeps the edges inside a range, and adds its ends.
func within(edges []float64, lo, hi float64) []float64 {
	out := []float64{lo}
	for _, e := range edges {
		if e > lo && e < hi {
			out = append(out, e)
		}
	}
	return append(out, hi)
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

// watch has the changes of fluents that followed rows.
type watch struct {
	t         *Table
	r         Reading
	primed    bool
	now, then []int32  // rows, and those after them
	actions   []uint64 // the joint actions
	codes     map[[2]uint64]int
	action    []int   // by row of now
	changes   [][]int // of each fluent, by row of now; -1 if unknown
}

func newWatch(t *Table, fluents []Fluent, r Reading) *watch {
	w := &watch{t: t, r: r, codes: map[[2]uint64]int{}, primed: t.hasNext(r)}
	for now, then := range Steps(t, r) {
		w.now, w.then = append(w.now, int32(now)), append(w.then, int32(then))
	}
	some := drawn(len(w.now), mostTransitions)
	for i, k := range some {
		w.now[i], w.then[i] = w.now[k], w.then[k]
	}
	w.now, w.then = slices.Clip(w.now[:len(some)]), slices.Clip(w.then[:len(some)])
	var actions []*Column
	for i := range fluents {
		if fluents[i].Use == AsAction && fluents[i].Kind != Real {
			actions = append(actions, &t.Columns[t.Column(fluents[i].Column)])
		}
	}
	for _, i := range w.now {
		var action uint64
		for _, a := range actions {
			action = action*1_000_003 + a.cells.at(int(i))
		}
		w.actions = append(w.actions, action)
		w.action = append(w.action, w.code(action, 0))
	}
	return w
}

// code returns a number for a pair.
func (w *watch) code(a, b uint64) int {
	k, ok := w.codes[[2]uint64{a, b}]
	if !ok {
		k = len(w.codes)
		w.codes[[2]uint64{a, b}] = k
	}
	return k
}

// next returns the column of next states of a column; the column itself if rows are time steps.
func (w *watch) next(column string) *Column {
	name := column
	if w.primed {
		if name = w.r.Next[column]; name == "" {
			name = column + "'"
		}
	}
	if i := w.t.Column(name); i >= 0 {
		return &w.t.Columns[i]
	}
	return nil
}

// changesOf adds the changes of a fluent.
func (w *watch) changesOf(g *Fluent) {
	now, next := &w.t.Columns[w.t.Column(g.Column)], w.next(g.Column)
	if next == nil {
		return
	}
	list := make([]int, len(w.now))
	for k := range list {
		i, j := int(w.now[k]), int(w.then[k])
		if now.Missing(i) || next.Missing(j) {
			list[k] = -1
			continue
		}
		change := math.Float64bits(math.NaN())
		if a, isNumber := now.Number(i); isNumber {
			if b, ok := next.Number(j); ok {
				change = math.Float64bits(b - a)
			}
		} else {
			change = next.cells.at(j)<<20 ^ now.cells.at(i)
		}
		list[k] = w.code(w.actions[k], change|1<<63)
	}
	w.changes = append(w.changes, list)
}

// samples pairs the values of a quantity with the changes of each fluent that followed, in the
// order of the values.
func (w *watch) samples(c *Column) iter.Seq[[]sample] {
	type value struct {
		x float64
		k int32
	}
	return func(yield func([]sample) bool) {
		if len(w.now) < leastSamples || len(w.changes) == 0 {
			return
		}
		var values []value
		for k, i := range w.now {
			if x, ok := c.Number(int(i)); ok {
				values = append(values, value{x, int32(k)})
			}
		}
		slices.SortStableFunc(values, func(a, b value) int { return cmp.Compare(a.x, b.x) })
		for _, changes := range w.changes {
			var list []sample
			for _, v := range values {
				if change := changes[v.k]; change >= 0 {
					list = append(list, sample{x: v.x, action: w.action[v.k], change: change})
				}
			}
			if !yield(list) {
				return
			}
		}
	}
}
