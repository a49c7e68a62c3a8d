package quantity

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/leastsquares"
)

// Least squares of one step are biased where present values were measured with noise. A function may have other coefficients instead, for which the
// errors one and Far steps ahead are least together (Farina and Piroddi, "Simulation error minimization identification based on
// multi-stage prediction", 2011): at most sweeps Gauss-Newton steps from about as many rows as runs, for at most manyCoefficients of them.
const (
	sweeps           = 4
	runs             = 3000
	manyCoefficients = 250
	damping          = .01 // added to the diagonal, relative to it
)

// descent improves the coefficients of a function.
type descent struct {
	t      *Table
	lags   int
	i      int
	with   []*Function // of all outputs
	starts []int
	alike  []int // by term, as in design
	beta   []float64
	first  []float64 // beta as it was at first, of which few rows are no reason to go far
}

// farther returns f with coefficients for predictions one and Far steps ahead, learned from rows.
func (l *learner) farther(i int, f *Function, c candidate, rows []int, others []*Function) *Function {
	d := &descent{t: l.t, lags: l.o.Lags, i: i, with: slices.Clone(others)}
	if c.several && !c.free {
		d.alike = l.alike(f.Terms)
	}
	for k, stride := 0, max(1, len(rows)/runs); k+Far <= len(rows); k += stride {
		if r := rows[k]; rows[k+Far-1] == r+Far-1 && l.t.ahead[r] >= Far {
			d.starts = append(d.starts, r)
		}
	}
	if d.take(f); len(d.beta) > manyCoefficients || len(d.starts) < 2*len(d.beta) {
		return f
	}
	d.first = d.beta
	_, least := d.run(false)
	for range sweeps {
		to, _ := d.run(true)
		better := false
		for _, share := range []float64{1, .5, .25} {
			g := d.moved(f, to, share)
			if !d.oneSign(g) {
				continue
			}
			d.with[i] = g
			if _, score := d.run(false); score < least {
				better, f, least = true, g, score
				break
			}
		}
		if d.take(f); !better || l.ctx.Err() != nil {
			break
		}
	}
	return f
}

// take makes f the function of the output and lists its coefficients: of each leaf, from its order on, the constant and the weights that are not 0.
func (d *descent) take(f *Function) {
	d.with[d.i], d.beta = f, nil
	f.Root.visit(func(n *Node) {
		n.order = len(d.beta)
		d.beta = append(d.beta, n.Constant)
		for _, w := range n.Weights {
			if w != 0 {
				d.beta = append(d.beta, w)
			}
		}
	})
}

// moved is f with a share of a step added to its coefficients.
func (d *descent) moved(f *Function, step []float64, share float64) *Function {
	g := *f
	g.Root = f.Root.with(func(n *Node) *Node {
		if n.Split >= 0 {
			return nil
		}
		at := n.order
		m := &Node{Split: -1, Constant: n.Constant + share*step[at], Weights: slices.Clone(n.Weights)}
		for j, w := range n.Weights {
			if w != 0 {
				at++
				m.Weights[j] += share * step[at]
			}
		}
		return m
	})
	return &g
}

// oneSign reports whether the steps of an action still do the same.
func (d *descent) oneSign(f *Function) bool {
	good := true
	f.Root.visit(func(n *Node) {
		low, high := make([]float64, len(n.Weights)+1), make([]float64, len(n.Weights)+1)
		for j, g := range d.alike {
			low[g], high[g] = min(low[g], n.Weights[j]), max(high[g], n.Weights[j])
		}
		for g := 1; g < len(low); g++ {
			good = good && low[g]*high[g] >= 0
		}
	})
	return good
}

// run predicts from all starts. It returns the logarithm of the error, and with derive the step that makes it least if the function were linear in
// its coefficients.
func (d *descent) run(derive bool) (step []float64, score float64) {
	var e sums
	var w window
	n := len(d.beta)
	normal := [2]*gram{newGram(n - 1), newGram(n - 1)}
	all, z := newGram(len(d.with[d.i].Terms)-1), make([]float64, len(d.with[d.i].Terms)+1)
	slope := make([][]float64, Far)
	for s := range slope {
		slope[s] = make([]float64, n+1) // the last one is the error
	}
	f, next := d.with[d.i], make([]float64, len(d.with))
	for _, r := range d.starts {
		w.start(d.t, r, d.lags)
		if derive {
			z[0] = 1
			for j, term := range f.Terms {
				z[j+1] = w.value(term)
			}
			all.outer(z)
		}
		for s := range Far {
			for k, g := range d.with {
				if g == nil {
					continue
				}
				if next[k] = w.next(g); k != d.i {
					next[k] = d.t.round(g.Output, next[k])
				}
			}
			miss := d.t.Columns[f.Output].Next[r+s] - next[d.i]
			e.add(s, miss)
			if derive {
				d.derive(&w, slope, s)
				slope[s][n] = miss
				if s == 0 || s == Far-1 {
					normal[s/(Far-1)].outer(slope[s])
				}
			}
			if s+1 < Far {
				w.shift(r + s + 1)
				for k, g := range d.with {
					if g != nil {
						w.back[0][g.Output] = next[k]
					}
				}
			}
		}
	}
	if derive {
		step = d.solve(normal, all, e.pair())
	}
	return step, e.score()
}

// solve is the step that makes the errors one and Far steps ahead least together, of the products of slopes and errors at both.
func (d *descent) solve(normal [2]*gram, all *gram, p Pair) []float64 {
	n := len(d.beta)
	a, b := make([]float64, n*n), make([]float64, n)
	for k, sigma := range []float64{p.One, p.Far} {
		g := normal[k]
		for x := range n {
			b[x] += g.at(n+1, x, n) / (sigma*sigma + 1e-12)
			for y := range n {
				a[x*n+y] += g.at(n+1, x, y) / (sigma*sigma + 1e-12)
			}
		}
	}
	d.pull(a, b, all, pull/(p.One*p.One+1e-12)/float64(len(d.starts)))
	for x := range n {
		a[x*n+x] *= 1 + damping
	}
	return leastsquares.Solve(a, b)
}

// pull draws the coefficients of each leaf towards what they were at first, as if so many rows like all of these had the predictions of then: a leaf
// that few rows reach is used where the rows of a plan are more.
func (d *descent) pull(a, b []float64, all *gram, weight float64) {
	n := len(d.beta)
	d.with[d.i].Root.visit(func(l *Node) {
		of := []int{0} // the terms of the leaf's coefficients
		for j, w := range l.Weights {
			if w != 0 {
				of = append(of, j+1)
			}
		}
		for x, u := range of {
			for y, v := range of {
				q := weight * all.at(len(l.Weights)+1, u, v)
				a[(l.order+x)*n+l.order+y] += q
				b[l.order+x] += q * (d.first[l.order+y] - d.beta[l.order+y])
			}
		}
	})
}

// derive sets by how much the prediction of step s changes with each coefficient.
func (d *descent) derive(w *window, slope [][]float64, s int) {
	f, out := d.with[d.i], slope[s]
	clear(out)
	x := func(j int) float64 { return w.value(f.Terms[j]) }
	n := f.leaf(x)
	if raw := f.Raw(x); raw < f.Lo || raw > f.Hi || math.IsNaN(raw) {
		return
	}
	at := n.order
	out[at] = 1
	for j, weight := range n.Weights {
		if weight == 0 {
			continue
		}
		at++
		term := f.Terms[j]
		out[at] += x(j)
		if from := s - 1 - term.Lag; term.Column == f.Output && from >= 0 {
			for k, y := range slope[from][:len(d.beta)] {
				out[k] += weight * y
			}
		}
	}
}
