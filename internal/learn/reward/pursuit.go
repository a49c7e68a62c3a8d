package reward

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
)

const (
	maxTerms  = 100
	maxLits   = 120 // literals that are joined
	beamPairs = 40  // pairs that are extended to triples
)

// pursuit chooses features on some rows. Chosen columns are kept orthonormal. Rows that are means count as often as they were observed: rewards and columns are
// multiplied by the roots of these counts.
type pursuit struct {
	t        *Table
	rows     []int
	counts   []float64 // by place: how often each row counts
	weight   []float64 // roots of these
	total    float64   // of the counts
	y, left  []float64
	pull     []float64   // left times weight, of the term that is looked for
	chosen   [][]int     // literals of each term; the first is the constant
	basis    [][]float64 // orthonormal columns of the terms
	triangle [][]float64 // column of each term in the basis
	tried    map[string]bool
	weighed  [][]float64 // by atom: its column times weight, for those that were asked for
	most     int         // terms, with the constant
	bends    bends
}

func newPursuit(t *Table, rows []int) *pursuit {
	p := &pursuit{t: t, rows: rows, tried: map[string]bool{}}
	for _, r := range rows {
		n := 1.0
		if t.Means {
			n = float64(t.count(r))
		}
		w := math.Sqrt(n)
		p.counts, p.weight, p.total = append(p.counts, n), append(p.weight, w), p.total+n
		p.y = append(p.y, w*t.Rewards[r])
	}
	p.left = slices.Clone(p.y)
	p.add(nil)
	return p
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// add takes a term unless it depends on those that were taken.
func (p *pursuit) add(lits []int) bool {
	col := make([]float64, len(p.rows))
	for i, r := range p.rows {
		col[i] = p.weight[i] * p.t.term(lits, r)
	}
	norm := math.Sqrt(dot(col, col))
	coef := make([]float64, len(p.basis)+1)
	for range 2 { // twice is enough (Kahan, Parlett)
		for k, q := range p.basis {
			c := dot(q, col)
			coef[k] += c
			for i := range col {
				col[i] -= c * q[i]
			}
		}
	}
	rest := math.Sqrt(dot(col, col))
	if rest <= 1e-9*max(1, norm) {
		return false
	}
	coef[len(p.basis)] = rest
	for i := range col {
		col[i] /= rest
	}
	c := dot(col, p.left)
	for i := range p.left {
		p.left[i] -= c * col[i]
	}
	p.chosen, p.basis, p.triangle = append(p.chosen, lits), append(p.basis, col), append(p.triangle, coef)
	return true
}

// drop takes the last term back.
func (p *pursuit) drop() {
	n := len(p.chosen) - 1
	c := dot(p.basis[n], p.y)
	for i := range p.left {
		p.left[i] += c * p.basis[n][i]
	}
	p.chosen, p.basis, p.triangle = p.chosen[:n], p.basis[:n], p.triangle[:n]
}

// exact reports whether nothing is left to explain.
func (p *pursuit) exact() bool {
	for i, x := range p.left {
		if !Same(p.y[i]-x, p.y[i]) {
			return false
		}
	}
	return true
}

// The classes of terms, each with those before it.
const (
	plain   = iota // values of variables
	single         // other features of one variable
	curved         // products of two numbers, and what one is beyond another
	joined         // conjunctions of two and three
	related        // conditions on the next state and relations too
	classes
)

// bends says what becomes of curved features, from their class on.
type bends int

const (
	taken   bends = iota // all are taken, which were chosen together
	offered              // each is tried
	refused              // none is
)

// run adds terms of a class until nothing is left, or none explains more than chance would.
func (p *pursuit) run(ctx context.Context, class int) error {
	most := len(p.rows)/2 + 1
	if p.t.Means {
		most = len(p.rows) // which stand for more observations
	}
	if class >= curved && p.bends == taken {
		p.seed()
	}
	for len(p.chosen) < min(p.most, most) && !p.exact() {
		if err := ctx.Err(); err != nil {
			return err
		}
		lits, candidates := p.best(class)
		if lits == nil {
			return nil
		}
		p.tried[key(lits)] = true
		before := p.squares()
		if !p.add(lits) {
			continue
		}
		n := p.total
		if gain := n * math.Log(before/max(p.squares(), 1e-300)); gain < 2*math.Log(float64(candidates))+math.Log(n)+4 {
			p.drop()
			return nil
		}
	}
	return nil
}

// seed takes the curved features, which were chosen together.
func (p *pursuit) seed() {
	for a := range p.t.Atoms {
		if p.t.Atoms[a].Curved {
			p.tried[key([]int{2 * a})] = true
			p.add([]int{2 * a})
		}
	}
}

// squares is the sum of squares that is left of all observations.
func (p *pursuit) squares() float64 { return p.t.Within + dot(p.left, p.left) }

func key(lits []int) string {
	b := make([]byte, 0, 8*len(lits))
	for _, l := range lits {
		b = append(b, byte(l), byte(l>>8), byte(l>>16), ',')
	}
	return string(b)
}

// candidate is a term with how much of what is left it explains.
type candidate struct {
	lits  []int
	score float64
	on    []int32   // places of the rows in which it holds
	pull  []float64 // pursuit.pull at these places
	holds []float64 // 1 at these places, and 0 at others
	bits  []uint64  // as well, as bits
}

// score is how much a condition explains that holds in n of the observations, with this sum of what
// is left there; what is left sums to 0.
func (p *pursuit) score(n, sum float64) float64 {
	if n == 0 || n == p.total {
		return 0
	}
	return sum * sum / (n * (p.total - n) / p.total)
}

// best is the term that explains most, shorter ones being preferred a little, and how many
// were tried.
func (p *pursuit) best(class int) (lits []int, candidates int) {
	const longer = 0.9 // what the score of a term with one more literal counts
	best := candidate{}
	take := func(a, b *candidate, score float64) {
		candidates++
		for range literals(a, b) - 1 {
			score *= longer
		}
		if score > best.score*(1+1e-9) {
			if lits := both(a, b); !p.tried[key(lits)] {
				best = candidate{lits: lits, score: score}
			}
		}
	}
	p.pull = p.pull[:0]
	for i, x := range p.left {
		p.pull = append(p.pull, p.weight[i]*x)
	}
	singles := p.singles(class, func(c candidate) { take(&c, nil, c.score) })
	if class < joined {
		singles = nil
	}
	var beam []candidate
	for i := range singles {
		p.place(&singles[i])
	}
	for i := range singles {
		for j := i + 1; j < len(singles); j++ {
			score, ok := p.join(&singles[i], &singles[j])
			if !ok {
				continue
			}
			take(&singles[i], &singles[j], score)
			if len(beam) < beamPairs || score > beam[beamPairs-1].score {
				beam = append(beam, candidate{lits: both(&singles[i], &singles[j]), score: score})
			}
		}
		beam = shortened(beam)
	}
	for _, a := range beam {
		a.on = p.places(a.lits)
		p.place(&a)
		for i := range singles {
			if score, ok := p.join(&a, &singles[i]); ok {
				take(&a, &singles[i], score)
			}
		}
	}
	if best.score <= 0 {
		return nil, candidates
	}
	return best.lits, candidates
}

// shortened keeps the best candidates.
func shortened(all []candidate) []candidate {
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	return all[:min(beamPairs, len(all))]
}

// singles tries all atoms, and lists the literals of conditions, of many the best.
func (p *pursuit) singles(class int, take func(candidate)) []candidate {
	var all []candidate
	for a := range p.t.Atoms {
		if !p.tries(&p.t.Atoms[a], class) {
			continue
		}
		col := p.t.Columns[a]
		if p.t.Atoms[a].Negation == "" {
			mean, sum, square := 0.0, 0.0, 0.0
			for i, r := range p.rows {
				mean += col[r] * p.counts[i] / p.total
				sum += col[r] * p.pull[i]
			}
			for i, r := range p.rows {
				square += (col[r] - mean) * (col[r] - mean) * p.counts[i]
			}
			if square > 1e-12 {
				take(candidate{lits: []int{2 * a}, score: sum * sum / square})
			}
			continue
		}
		on, sums, counts := p.divide(col)
		on[0].lits, on[1].lits = []int{2 * a}, []int{2*a + 1}
		for v := range on {
			on[v].score = p.score(counts[v], sums[v])
			if n := len(on[v].on); n > 0 && n < len(p.rows) && (class == related || !p.t.Atoms[a].Later) {
				all = append(all, on[v])
			}
		}
		take(on[0])
	}
	if len(all) > maxLits {
		slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
		all = all[:maxLits]
	}
	return all
}

// tries reports whether a feature is tried in a class.
func (p *pursuit) tries(x *Atom, class int) bool {
	switch {
	case x.Curved:
		return class >= curved && p.bends != refused
	case x.Plain:
		return true
	}
	return class == related || class > plain && !x.Later
}

// divide lists the places of the rows in which a condition holds, and of the others, with the sums of what is left there and their counts.
func (p *pursuit) divide(col []float64) (on [2]candidate, sums, counts [2]float64) {
	places := make([]int32, len(p.rows)) // where it holds from the front, where not from the back
	n, m := 0, len(places)
	for i, r := range p.rows {
		v := 0
		if col[r] == 0 {
			v = 1
			m--
			places[m] = int32(i)
		} else {
			places[n] = int32(i)
			n++
		}
		sums[v] += p.pull[i]
		counts[v] += p.counts[i]
	}
	on[0].on, on[1].on = places[:n:n], places[n:]
	slices.Reverse(on[1].on)
	return on, sums, counts
}

// place prepares a candidate for joins.
func (p *pursuit) place(c *candidate) {
	c.pull, c.holds, c.bits = make([]float64, len(c.on)), make([]float64, len(p.rows)), make([]uint64, (len(p.rows)+63)/64)
	for k, at := range c.on {
		c.pull[k] = p.pull[at]
		c.holds[at] = 1
		c.bits[at/64] |= 1 << (at % 64)
	}
}

// literals is how many literals two candidates have, of which the second may be nil.
func literals(a, b *candidate) int {
	if b == nil {
		return len(a.lits)
	}
	return len(a.lits) + len(b.lits)
}

// both are the literals of two candidates, of which the second may be nil.
func both(a, b *candidate) []int {
	if b == nil {
		return a.lits
	}
	lits := slices.Concat(a.lits, b.lits)
	slices.Sort(lits)
	return lits
}

// join returns the score of a conjunction that was placed with one more literal; false if that is about a variable that is in it.
func (p *pursuit) join(a, b *candidate) (score float64, ok bool) {
	lit := b.lits[0]
	v := p.t.Atoms[lit/2].Variable
	for _, l := range a.lits {
		if p.t.Atoms[l/2].Variable == v {
			return 0, false
		}
	}
	n, sum := 0.0, 0.0
	for k, at := range a.on {
		sum += b.holds[at] * a.pull[k]
	}
	if p.t.Means {
		for _, at := range a.on {
			n += b.holds[at] * p.counts[at]
		}
	} else { // each row counts once
		shared := 0
		for k, x := range a.bits {
			shared += bits.OnesCount64(x & b.bits[k])
		}
		n = float64(shared)
	}
	return p.score(n, sum), true
}

// places lists the places of the rows in which a conjunction holds.
func (p *pursuit) places(lits []int) []int32 {
	var on []int32
	for i, r := range p.rows {
		if p.t.term(lits, r) != 0 {
			on = append(on, int32(i))
		}
	}
	return on
}

// function solves for the weights, from the last term back.
func (p *pursuit) function() *Function {
	n := len(p.chosen)
	w := make([]float64, n)
	for k := n - 1; k >= 0; k-- {
		x := dot(p.basis[k], p.y)
		for j := k + 1; j < n; j++ {
			x -= p.triangle[j][k] * w[j]
		}
		w[k] = x / p.triangle[k][k]
	}
	f := &Function{}
	for k, lits := range p.chosen {
		if lits == nil {
			f.Constant = w[k]
		} else if math.Abs(w[k]) > 1e-9 {
			f.Terms = append(f.Terms, Term{Cases: [][]int{lits}, Weight: w[k]})
		}
	}
	return f
}
