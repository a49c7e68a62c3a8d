package quantity

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"github.com/fdplan/fdplan/internal/routine"
)

// Options limit the functions.
type Options struct {
	Lags    int // the most earlier steps that are read
	Threads int
}

// Far is the number of steps ahead at which functions are compared beside the next one.
const Far = 10

// blocks is the number of blocks of time, each of which is predicted by what the others taught.
const blocks = 5

// ErrFew is the error for too few rows.
var ErrFew = errors.New("too few consecutive rows to learn the functions of quantities from")

// Output is what was learned about a quantity.
type Output struct {
	Column   int
	Function *Function
	// Linear is the linear function of three rows of all columns, for comparison.
	Linear *Function
	// Errors are those of the held-out blocks, by kind of prediction.
	Errors Errors
	// Residuals are logged less predicted values of held-out rows, one and Far steps ahead, and Rows the rows of these.
	Residuals, FarResiduals []float64
	Rows, FarRows           []int

	chosen candidate
}

// Errors are root mean squares on held-out time, one and Far steps ahead; NaN where there are no rows.
type Errors struct {
	Function, Unchanged, Linear, Bins Pair
	Rows                              int
}

// Pair is an error one and Far steps ahead.
type Pair struct{ One, Far float64 }

// candidate is a way to learn a function.
type candidate struct {
	lags, leaves int
	penalty      float64
	plain        bool     // the linear function of three lags of everything
	still        bool     // nothing changes
	acts         bool     // conditions may be on how much an action does
	several      bool     // several steps of an action are read, all of which do the same
	free         bool     // or not: their coefficients have any signs
	modes        bool     // conditions on enumerations go before others
	ahead        bool     // coefficients are not those of least squares one step ahead
	low, high    *float64 // the share of rows beyond a limit that noise hides; nil for none
}

// learner compares functions.
type learner struct {
	ctx    context.Context
	t      *Table
	o      Options
	rows   []int // that go back far enough
	fold   [][]int
	train  [][]int
	until  []int         // by row the last one of its block, of the same machine
	delays [][]int       // by output and column
	slow   []bool        // by column: its lags are collinear
	now    [][]*Function // the functions of all outputs, by fold
	tried  [][]trial
	outs   []*Output
}

// leastRows is the number of rows from which functions are learned.
const leastRows = 30

// Learn learns the functions of all columns that ask for one.
func Learn(ctx context.Context, t *Table, o Options) ([]*Output, error) {
	l := &learner{ctx: ctx, t: t, o: o}
	t.runs()
	for l.rows = t.back(o.Lags); l.o.Lags > 0 && 2*len(l.rows) < t.Rows(); l.rows = t.back(l.o.Lags) {
		l.o.Lags--
	}
	if len(l.rows) < leastRows {
		return nil, ErrFew
	}
	l.divide()
	for c := range t.Columns {
		if t.Columns[c].Learn {
			l.outs = append(l.outs, &Output{Column: c})
			t.Columns[c].lo, t.Columns[c].hi = censored(t.Columns[c].Next)
		}
	}
	if err := l.linear(); err != nil {
		return nil, err
	}
	const rounds = 2 // the second knows what the first chose for the other outputs
	for round := range rounds {
		if round > 0 && len(l.outs) == 1 {
			break
		}
		for i := range l.outs {
			if err := l.choose(i); err != nil {
				return nil, err
			}
		}
	}
	return l.finish()
}

// back lists the rows that go back a number of steps.
func (t *Table) back(lags int) []int {
	var rows []int
	for r, d := range t.depth {
		if d >= lags {
			rows = append(rows, r)
		}
	}
	return rows
}

// divide makes the blocks.
func (l *learner) divide() {
	l.fold, l.train, l.until = make([][]int, blocks), make([][]int, blocks), make([]int, l.t.Rows())
	machines := l.t.machines(l.rows)
	for b := range blocks {
		near := make([]bool, l.t.Rows()) // a row that reads what was to be predicted is no row to learn from
		for _, rows := range machines {
			n := len(rows)
			part := rows[b*n/blocks : (b+1)*n/blocks]
			l.fold[b] = append(l.fold[b], part...)
			for _, r := range part {
				l.until[r] = part[len(part)-1]
				for k := max(0, r-l.o.Lags); k <= min(r+l.o.Lags, len(near)-1); k++ {
					near[k] = true
				}
			}
		}
		for _, r := range l.rows {
			if !near[r] {
				l.train[b] = append(l.train[b], r)
			}
		}
	}
}

// machines divides rows by the machines that they are about.
//
//go:noinline
func (t *Table) machines(rows []int) [][]int {
	if t.Of == nil {
		return [][]int{rows}
	}
	var out [][]int
	for _, r := range rows {
		for len(out) <= t.Of[r] {
			out = append(out, nil)
		}
		out[t.Of[r]] = append(out[t.Of[r]], r)
	}
	return out
}

// terms lists what a function of an output may read: lags of states and inputs, and of each action one.
func (l *learner) terms(output int, c candidate) []Term {
	var all []Term
	for k := range l.t.Columns {
		col := &l.t.Columns[k]
		first, last := 0, c.lags
		switch {
		case col.Role == Action && !c.plain && !c.several && (col.Values > 0 || l.slow[k]):
			first = min(l.delays[output][k], l.o.Lags)
			last = first
		case col.Values > 0 && (col.Role != Action || !c.several):
			last = 0
		}
		for lag := first; lag <= last; lag++ {
			all = append(all, l.t.terms(k, lag)...)
		}
		for lag := 1; col.Values == 0 && col.Role == State && c.leaves > 1 && lag <= c.lags; lag++ {
			all = append(all, Term{k, lag, change})
		}
	}
	return all
}

// splits lists the terms that conditions may be on: present states and inputs, and whatever has no order. A condition on
// how much an action does makes plans jump to where few rows are, and is for candidates of their own.
func (l *learner) splits(terms []Term, c candidate) []int {
	var out []int
	for j, term := range terms {
		acts := l.t.Columns[term.Column].Role == Action
		if term.Value != number || term.Lag == 0 && !acts || acts && c.acts {
			out = append(out, j)
		}
	}
	return out
}

// alike numbers the terms of which all coefficients must have one sign, from 1: the steps of an action, or of one value of it.
func (l *learner) alike(terms []Term) []int {
	groups := make([]int, len(terms))
	for j, term := range terms {
		if l.t.Columns[term.Column].Role == Action {
			first := slices.IndexFunc(terms, func(o Term) bool { return o.Column == term.Column && o.Value == term.Value })
			groups[j] = first + 1
		}
	}
	return groups
}

// plainLags is what the plain linear function reads: three values of each column.
const plainLags = 2

// linear gives every output a linear function in each block, after finding the delays of actions.
func (l *learner) linear() error {
	l.delays = make([][]int, len(l.outs))
	l.now = make([][]*Function, blocks)
	for b := range blocks {
		l.now[b] = make([]*Function, len(l.outs))
	}
	for k := range l.t.Columns {
		l.slow = append(l.slow, l.isSlow(k))
	}
	for i := range l.outs {
		l.delays[i] = make([]int, len(l.t.Columns))
		l.findDelays(i)
		for b := range blocks {
			c := candidate{lags: min(plainLags, l.o.Lags), leaves: 1, penalty: 2}
			l.now[b][i] = l.learn(i, c, l.train[b])[0]
		}
		if err := l.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// collinear is the correlation with the value before from which only one lag of an action is taken: several have the
// same error and opposite coefficients, of which plans make use that the system does not have.
const collinear = .9

// isSlow reports whether the lags of a column are collinear.
func (l *learner) isSlow(k int) bool {
	x := l.t.Columns[k].Now
	var n, sx, sy, xx, yy, xy float64
	for r := range x {
		if l.t.depth[r] > 0 {
			a, b := x[r-1], x[r]
			n, sx, sy, xx, yy, xy = n+1, sx+a, sy+b, xx+a*a, yy+b*b, xy+a*b
		}
	}
	if v := (n*xx - sx*sx) * (n*yy - sy*sy); v > 0 {
		return (n*xy-sx*sy)/math.Sqrt(v) > collinear
	}
	return true
}

// surer is what a delay must gain in doubled logarithmic likelihood over the one before it.
const surer = 10

// findDelays finds for each action the step at which it helps most.
func (l *learner) findDelays(i int) {
	error := func() float64 {
		c := candidate{lags: l.o.Lags}
		terms := l.terms(i, c)
		d := l.t.newDesign(l.outs[i].Column, terms, l.rows)
		g, z := newGram(len(terms)), make([]float64, len(terms)+2) // of the rows that are not at a bound
		for r := range d.y {
			if d.y[r] > d.lo && d.y[r] < d.hi {
				g.add(d, r, z)
			}
		}
		return g.n * math.Log(g.sse(g.solve(&d.work, g.choose(2, len(d.y)/4, func(int) bool { return false }), nil, nil, 0))+1e-12*g.n)
	}
	best := error()
	for k := range l.t.Columns {
		if c := &l.t.Columns[k]; c.Role != Action || c.Values == 0 && !l.slow[k] {
			continue
		}
		kept := 0
		for lag := 1; lag <= l.o.Lags; lag++ {
			l.delays[i][k] = lag
			if e := error(); e < best-surer {
				best, kept = e, lag
			}
		}
		l.delays[i][k] = kept
	}
}

// learn learns from rows by a candidate: functions of 1, 2, … leaves, as many as there are.
func (l *learner) learn(i int, c candidate, rows []int) []*Function {
	return l.penalized(i, c, rows, []float64{c.penalty})[0]
}

// penalized does so for each of some penalties; those by which the same terms are chosen share their functions.
func (l *learner) penalized(i int, c candidate, rows []int, penalties []float64) [][]*Function {
	out := l.outs[i].Column
	terms := l.terms(i, c)
	d := l.t.newDesign(out, terms, rows)
	if c.several && !c.free {
		d.alike = l.alike(terms)
	}
	if c.plain {
		d.lo, d.hi = math.Inf(-1), math.Inf(1)
	}
	splits := l.splits(terms, c)
	for _, s := range splits {
		if c.modes && terms[s].Value >= 0 {
			d.modes = append(d.modes, s)
		}
	}
	var found [][]*Function
	var chosen [][]int
	for k, penalty := range penalties {
		use := d.choose(out, penalty)
		chosen = append(chosen, use)
		if k > 0 && slices.Equal(use, chosen[k-1]) {
			found = append(found, found[k-1])
			continue
		}
		root := d.grow(use, splits, c.leaves)
		var all []*Function
		for n := 1; n <= c.leaves; n++ {
			f := d.function(out, root, n)
			if f.Leaves() < n {
				break
			}
			all = append(all, f)
		}
		found = append(found, all)
	}
	return found
}

// unchanged is a function that keeps the value.
func (f *Function) unchanged() *Function {
	g := &Function{Output: f.Output, Terms: []Term{{f.Output, 0, number}}, Lo: math.Inf(-1), Hi: math.Inf(1)}
	g.Root = f.Root.with(func(*Node) *Node { return &Node{Split: -1, Weights: []float64{1}} })
	return g
}

// plain is the linear function that others are compared with.
func (l *learner) plain() candidate {
	return candidate{lags: min(plainLags, l.o.Lags), leaves: 1, plain: true}
}

// finish learns the chosen functions from all rows.
func (l *learner) finish() ([]*Output, error) {
	for i, o := range l.outs {
		if err := l.ctx.Err(); err != nil {
			return nil, err
		}
		fs := l.learn(i, o.chosen, l.rows)
		f := fs[len(fs)-1]
		if o.chosen.still {
			f = f.unchanged()
		}
		f = l.limited(i, f, o.chosen, l.rows)
		if o.chosen.ahead {
			f = l.farther(i, f, o.chosen, l.rows, l.now[0])
		}
		o.Function = l.rounded(i, f)
		o.Linear = l.rounded(i, l.learn(i, l.plain(), l.rows)[0])
		l.compare(i)
	}
	return l.outs, nil
}

// all calls f for 0..n-1 on several goroutines.
func (l *learner) all(n int, f func(k int)) error {
	var next atomic.Int64
	var g routine.Group
	for range max(1, min(l.o.Threads, n)) {
		g.Go(func() {
			for k := int(next.Add(1)) - 1; k < n && l.ctx.Err() == nil; k = int(next.Add(1)) - 1 {
				f(k)
			}
		})
	}
	g.Wait()
	return l.ctx.Err()
}
