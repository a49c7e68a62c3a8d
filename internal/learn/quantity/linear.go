package quantity

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/leastsquares"
)

// gram has the sums of products of rows (1, terms, target), from which least squares follow.
type gram struct {
	n     float64
	s     []float64 // (terms+2)^2
	whole []float64 // the variances in all rows, of a node of a tree; 0 where conditions are on the column
}

func newGram(terms int) *gram { return &gram{s: make([]float64, (terms+2)*(terms+2))} }

// add adds the row i of a design, whose values it puts into z.
func (g *gram) add(d *design, i int, z []float64) {
	d.values(i, z)
	g.outer(z)
}

// outer adds the products of one row.
func (g *gram) outer(z []float64) {
	g.n++
	for a, x := range z {
		if x != 0 {
			row := g.s[a*len(z)+a : (a+1)*len(z)]
			for b, y := range z[a:] {
				row[b] += x * y
			}
		}
	}
}

// less makes the sums those of a without those of b.
func (g *gram) less(a, b *gram) {
	g.n = a.n - b.n
	for i, x := range a.s {
		g.s[i] = x - b.s[i]
	}
}

func (g *gram) clone() *gram { return &gram{g.n, slices.Clone(g.s), g.whole} }

// merge adds sign times the sums of another.
func (g *gram) merge(o *gram, sign float64) {
	g.n += sign * o.n
	for i, x := range o.s {
		g.s[i] += sign * x
	}
}

// at returns a sum of products; the matrix is symmetric and has its upper half.
func (g *gram) at(k, a, b int) float64 {
	if a > b {
		a, b = b, a
	}
	return g.s[a*k+b]
}

// sse is the sum of squared errors of coefficients.
func (g *gram) sse(beta []float64) float64 {
	k := len(beta) + 1
	sum := g.at(k, k-1, k-1)
	for a, x := range beta {
		if x == 0 {
			continue
		}
		sum -= 2 * x * g.at(k, a, k-1)
		for b, y := range beta {
			sum += x * y * g.at(k, a, b)
		}
	}
	return max(sum, 0)
}

// workspace has the memory for solving again and again.
type workspace struct {
	a, b, beta []float64
	leastsquares.Work
}

// solve returns the least squares of the terms in use (0 is the constant), drawn towards prior as if weight more rows,
// distributed as those of from, had followed it. Terms that are not in use have the coefficient 0. The result is valid until the workspace is used
// again.
func (g *gram) solve(w *workspace, use []int, from *gram, prior []float64, weight float64) []float64 {
	k := int(math.Sqrt(float64(len(g.s))))
	m := len(use)
	w.a, w.b, w.beta = slices.Grow(w.a[:0], m*m)[:m*m], slices.Grow(w.b[:0], m)[:m], slices.Grow(w.beta[:0], k-1)[:k-1]
	a, b, beta := w.a, w.b, w.beta
	scale := 0.0
	if from != nil && from.n > 0 {
		scale = weight / from.n
	}
	for i, u := range use {
		b[i] = g.at(k, u, k-1)
		for j, v := range use[:i+1] {
			x := g.at(k, u, v)
			if scale > 0 {
				y := scale * from.at(k, u, v)
				x += y
				if b[i] += y * prior[v]; j < i {
					b[j] += y * prior[u]
				}
			}
			a[i*m+j] = x
		}
		if scale > 0 && g.varies(u) < hardly*g.whole[u] {
			a[i*m+i] += g.n * g.whole[u]
			b[i] += g.n * g.whole[u] * prior[u]
		}
	}
	clear(beta)
	w.Factor(a, m)
	for i, x := range w.Solve(b) {
		beta[use[i]] = x
	}
	return beta
}

// hardly is the share of its variance in all rows below which a term has the coefficient of the node above, nearly: that of the leaf is known for what
// was seen there only, and where the term does vary, the error would be large. Not so where conditions keep it so: a level
// near the bottom of a well moves little beside that of a full one, and all it does there is in those rows.
const hardly = .01

// varies is the variance of a term.
func (g *gram) varies(a int) float64 {
	k := int(math.Sqrt(float64(len(g.s))))
	mean := g.at(k, 0, a) / g.n
	return g.at(k, a, a)/g.n - mean*mean
}

// choose returns the terms that earn their cost, each penalty of logarithmic likelihood, doubled: first those that help
// most, then without those that others made needless. The constant is always among them; those for which never holds
// are not.
func (g *gram) choose(penalty float64, most int, never func(a int) bool) []int {
	k := int(math.Sqrt(float64(len(g.s))))
	c := chooser{n: g.n, k: k, w: make([]float64, k*k), whole: make([]float64, k), in: make([]bool, k)}
	for a := range k {
		for b := range k {
			c.w[a*k+b] = g.at(k, a, b)
		}
		if c.whole[a] = c.w[a*k+a]; never(a) {
			c.whole[a] = 0
		}
	}
	c.noise = 1e-12*c.whole[k-1] + 1e-300
	c.take(0)
	if k-2 <= manyTerms && g.n > 4*float64(k) {
		for a := 1; a < k-1; a++ {
			if c.adds(a) {
				c.take(a)
			}
		}
	}
	for n := 0; n < most; n++ {
		a := c.best(penalty)
		if a < 0 {
			break
		}
		c.take(a)
	}
	for a := c.needless(penalty); a >= 0; a = c.needless(penalty) {
		pivot(c.w, k, a, -1)
		c.in[a] = false
	}
	var use []int
	for a := range k - 1 {
		if c.in[a] {
			use = append(use, a)
		}
	}
	return use
}

// chooser has the sums of products as they are once some terms explain the others.
type chooser struct {
	n, noise float64
	k        int
	w, whole []float64
	in       []bool
}

func (c *chooser) take(a int) {
	pivot(c.w, c.k, a, 1)
	c.in[a] = true
}

// adds reports whether a term is none of those taken, nor follows from them.
func (c *chooser) adds(a int) bool {
	return !c.in[a] && c.whole[a] > 0 && c.w[a*c.k+a] > 1e-8*c.whole[a]
}

// best is the term that explains most; -1 if none gains the penalty.
func (c *chooser) best(penalty float64) int {
	best, gain, k := -1, penalty, c.k
	for a := 1; a < k-1; a++ {
		if !c.adds(a) {
			continue
		}
		rest, less := max(c.w[k*k-1], 0)+c.noise, c.w[a*k+k-1]*c.w[a*k+k-1]/c.w[a*k+a]
		if x := c.n * math.Log(rest/max(rest-less, c.noise)); x > gain {
			best, gain = a, x
		}
	}
	return best
}

// needless is the term that explains least; -1 if all gain the penalty.
func (c *chooser) needless(penalty float64) int {
	best, loss, k := -1, penalty, c.k
	for a := 1; a < k-1; a++ {
		if !c.in[a] {
			continue
		}
		rest, more := max(c.w[k*k-1], 0)+c.noise, c.w[a*k+k-1]*c.w[a*k+k-1]/-c.w[a*k+a]
		if x := c.n * math.Log((rest+max(more, 0))/rest); x < loss {
			best, loss = a, x
		}
	}
	return best
}

// manyTerms is the number from which terms are not tried all at once.
const manyTerms = 40

// pivot makes a term one of those that explain the others, or with the sign -1 takes that back (Goodnight, "A Tutorial on the
// SWEEP Operator", 1979).
func pivot(w []float64, k, a int, sign float64) {
	d := w[a*k+a]
	for i := range k {
		if i == a {
			continue
		}
		f := w[i*k+a] / d
		if f == 0 {
			continue
		}
		for j := range k {
			if j != a {
				w[i*k+j] -= f * w[a*k+j]
			}
		}
	}
	for i := range k {
		if i != a {
			w[i*k+a] *= sign / d
			w[a*k+i] *= sign / d
		}
	}
	w[a*k+a] = -1 / d
}
