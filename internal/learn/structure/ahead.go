package structure

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

const (
	aheadRows    = 4096 // rows that pairs are tried on
	aheadClasses = 16   // and classes
	tripleRows   = 1024
	tripleInputs = 300 // more inputs are too many for triples
	pairInputs   = 1000
)

// ahead looks for several inputs that together have a significant gain where no single one
// has: single variables, pairs of variables with whole, pairs and triples of bits, and a sum
// modulo 2. It gives nil if there are none.
func (s *search) ahead(p *partition, used []bool, whole bool) []int {
	q := s.sample(p, aheadClasses, aheadRows)
	var free []int
	for b := range s.t.Inputs {
		if c := q.col(b); !used[b] && varies(c, q) {
			free = append(free, b)
		}
	}
	if !whole {
		for _, g := range s.t.Groups {
			if bits := unused(g, used); len(bits) > 1 && len(bits) <= widestGroup && s.pays(q, bits, len(s.t.Groups)) {
				return bits
			}
		}
	}
	if whole {
		if pair := s.variables(q, used); pair != nil {
			return pair
		}
	}
	if len(free) <= pairInputs {
		if pair := s.pair(q, free); pair != nil {
			return pair
		}
	}
	if s.pairs {
		return nil
	}
	if len(free) <= tripleInputs {
		if triple := s.triple(s.sample(p, 4, tripleRows), free); triple != nil {
			return triple
		}
	}
	return s.parity(p, free)
}

// sample is a partition of the largest classes with at most so many rows.
func (s *search) sample(p *partition, classes, rows int) *partition {
	if len(p.ends) <= classes && len(p.rows) <= rows {
		return p
	}
	order := integer.Below[int](len(p.ends))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.n[b], p.n[a]) })
	order = order[:min(classes, len(order))]
	total := 0
	for _, c := range order {
		total += int(p.n[c])
	}
	step := (total + rows - 1) / rows
	var parts [][]int32
	for _, c := range order {
		var part []int32
		for i := p.ends[c] - p.n[c]; i < p.ends[c]; i += int32(step) {
			part = append(part, p.rows[i])
		}
		parts = append(parts, part)
	}
	q := &partition{t: p.t, out: p.out}
	q.set(parts)
	return q
}

// varies reports whether a column has both values.
func varies(c []uint64, p *partition) bool {
	ones := 0
	for _, w := range c {
		ones += bits.OnesCount64(w)
	}
	return ones > 0 && ones < len(p.rows)
}

// pays reports whether the joint gain of bits, one of so many candidates, is
// significant.
func (s *search) pays(p *partition, bits []int, candidates int) bool {
	if p.pure() {
		return false
	}
	gain, splits := p.gainOf(bits, s.x)
	return splits > 0 && s.paid(p, gain, splits, candidates) > 0
}

// paid is the gain less its price.
func (s *search) paid(p *partition, gain float64, splits, candidates int) float64 {
	return gain - price(len(p.rows), splits) - math.Log2(float64(candidates)) - 2
}

// price is what a gain has to exceed where so many cells are added: half the
// logarithm of the rows of a cell each, as in Schwarz's criterion, and never less
// than what chance gives.
func price(rows, splits int) float64 {
	const least = 1.5
	return float64(splits) * max(least, math.Log2(float64(rows)/float64(splits+1))/2)
}

// pair finds the pair of bits of the greatest joint gain.
func (s *search) pair(p *partition, free []int) []int {
	classes := len(p.ends)
	if p.pure() {
		return nil
	}
	n1, k1 := make([]int32, len(free)*classes), make([]int32, len(free)*classes)
	for i, b := range free {
		c := p.col(b)
		for _, g := range p.segs {
			v := c[g.word] & g.mask
			n1[i*classes+int(g.class)] += int32(bits.OnesCount64(v))
			k1[i*classes+int(g.class)] += int32(bits.OnesCount64(v & p.y[g.word]))
		}
	}
	whole := make([]float64, classes)
	for c := range whole {
		whole[c] = s.x.bits(int(p.n[c]), int(p.k[c]))
	}
	best, bestSplits, found := 0.0, 0, []int(nil)
	for i, a := range free {
		ca := p.col(a)
		for j := i + 1; j < len(free); j++ {
			cb := p.col(free[j])
			gain, splits := 0.0, 0
			var n, k int
			for _, g := range p.segs {
				v := ca[g.word] & cb[g.word] & g.mask
				n += bits.OnesCount64(v)
				k += bits.OnesCount64(v & p.y[g.word])
				if !g.last {
					continue
				}
				c := int(g.class)
				na, ka, nb, kb := int(n1[i*classes+c]), int(k1[i*classes+c]), int(n1[j*classes+c]), int(k1[j*classes+c])
				nn, kk := [4]int{n, na - n, nb - n, int(p.n[c]) - na - nb + n}, [4]int{k, ka - k, kb - k, int(p.k[c]) - ka - kb + k}
				gain += whole[c]
				splits--
				for m := range nn {
					if nn[m] > 0 {
						gain -= s.x.bits(nn[m], kk[m])
						splits++
					}
				}
				n, k = 0, 0
			}
			if gain > best+1e-9 {
				best, bestSplits, found = gain, splits, []int{a, free[j]}
			}
		}
	}
	if found == nil || s.paid(p, best, bestSplits, len(free)*(len(free)-1)/2) <= 0 {
		return nil
	}
	return found
}

// variables finds the pair of variables of the greatest joint gain.
func (s *search) variables(p *partition, used []bool) []int {
	var groups [][]int
	for _, g := range s.t.Groups {
		if free := unused(g, used); len(free) > 0 && len(free) <= 5 {
			groups = append(groups, free)
		}
	}
	const most = 100 // variables
	if len(groups) > most {
		return nil
	}
	best, found := 0.0, []int(nil)
	for i, a := range groups {
		for _, b := range groups[i+1:] {
			both := slices.Concat(a, b)
			gain, splits := p.gainOf(both, s.x)
			if paid := s.paid(p, gain, splits, len(groups)*len(groups)); paid > best {
				best, found = paid, both
			}
		}
	}
	return found
}

// triple finds three bits whose sum modulo 2 tells most about the output in the
// largest classes, and keeps them where their joint gain is significant. Triples are
// compared on the first few rows of the classes before they are on all.
func (s *search) triple(p *partition, free []int) []int {
	if p.pure() {
		return nil
	}
	const (
		brief  = 4  // words of a class for the first comparison
		passed = 96 // triples that pass it
		keep   = 16
	)
	few, all := p.aligned(free, brief), p.aligned(free, math.MaxInt)
	first := newBest(passed)
	z := make([]uint64, len(few.y))
	for i := range free {
		for j := i + 1; j < len(free); j++ {
			for w := range z {
				z[w] = few.y[w] ^ few.cols[i][w] ^ few.cols[j][w]
			}
			for k := j + 1; k < len(free); k++ {
				if v := few.imbalance(z, few.cols[k]); v > first.least() {
					first.take(v, [3]int{i, j, k})
				}
			}
		}
	}
	second := newBest(keep)
	z = make([]uint64, len(all.y))
	for _, f := range first.found {
		i, j, k := f.at[0], f.at[1], f.at[2]
		for w := range z {
			z[w] = all.y[w] ^ all.cols[i][w] ^ all.cols[j][w]
		}
		if v := all.imbalance(z, all.cols[k]); v > second.least() {
			second.take(v, f.at)
		}
	}
	n := len(free)
	best, triple := 0.0, []int(nil)
	for _, f := range second.found {
		inputs := []int{free[f.at[0]], free[f.at[1]], free[f.at[2]]}
		gain, splits := p.gainOf(inputs, s.x)
		if paid := s.paid(p, gain, splits, n*n*n/6+1); paid > best {
			best, triple = paid, inputs
		}
	}
	return triple
}

// aligned holds columns in which each class begins with a word of its own; bits
// beyond its rows are 0 in all columns.
type aligned struct {
	y       []uint64
	cols    [][]uint64
	classes []alignedClass
}

type alignedClass struct {
	words int // that it takes
	rows  float64
}

// aligned copies the columns of some inputs, and of each class at most so many words.
func (p *partition) aligned(inputs []int, most int) *aligned {
	a := &aligned{cols: make([][]uint64, len(inputs))}
	from := int32(0)
	var starts []int32
	for _, to := range p.ends {
		words := min((int(to-from)+63)/64, most)
		a.classes = append(a.classes, alignedClass{words, float64(min(int(to-from), 64*words))})
		starts = append(starts, from)
		from = to
	}
	store := func(c []uint64) []uint64 {
		var out []uint64
		for i, k := range a.classes {
			for w := range k.words {
				at := int(starts[i]) + 64*w
				n := min(64, int(p.ends[i])-at)
				x := c[at/64] >> (at % 64)
				if at%64 > 0 && at%64+n > 64 {
					x |= c[at/64+1] << (64 - at%64)
				}
				out = append(out, x&(^uint64(0)>>(64-n)))
			}
		}
		return out
	}
	a.y = store(p.y)
	for i, b := range inputs {
		a.cols[i] = store(p.col(b))
	}
	return a
}

// imbalance tells how far z + col is from being even, modulo 2, in all classes.
func (a *aligned) imbalance(z, col []uint64) float64 {
	value, w := 0.0, 0
	for _, c := range a.classes {
		d := 0
		for _, x := range z[w : w+c.words] {
			d += bits.OnesCount64(x ^ col[w])
			w++
		}
		v := float64(2*d) - c.rows
		value += v * v / c.rows
	}
	return value
}

// best keeps the few triples of the greatest values; of equal ones, the first.
type best struct {
	most  int
	found []valued
}

type valued struct {
	value float64
	at    [3]int
}

func newBest(most int) *best { return &best{most: most} }

// least is what a value has to exceed.
func (b *best) least() float64 {
	if len(b.found) < b.most {
		return -1
	}
	return b.found[len(b.found)-1].value
}

func (b *best) take(value float64, at [3]int) {
	i, _ := slices.BinarySearchFunc(b.found, value, func(f valued, v float64) int {
		if f.value >= v {
			return -1
		}
		return 1
	})
	b.found = append(b.found, valued{value, at})
	copy(b.found[i+1:], b.found[i:])
	b.found[i] = valued{value, at}
	b.found = b.found[:min(len(b.found), b.most)]
}

// parity solves the largest class for a sum modulo 2 of inputs, by elimination
// over GF(2): right where no row is wrong.
func (s *search) parity(p *partition, free []int) []int {
	const most = 24 // inputs of a sum
	q := s.sample(p, 1, len(p.rows))
	if len(q.rows) < len(free)+20 {
		return nil
	}
	n := len(free) + 1 // the last unknown is the constant
	words := (n + 1 + 63) / 64
	pivot := make([][]uint64, n)
	for i := range q.rows {
		row := make([]uint64, words)
		for j, b := range free {
			row[j/64] |= (q.cols[b*q.words+i/64] >> (i % 64) & 1) << (j % 64)
		}
		row[(n-1)/64] |= 1 << ((n - 1) % 64)
		row[n/64] |= (q.y[i/64] >> (i % 64) & 1) << (n % 64)
		for j := range n {
			if row[j/64]>>(j%64)&1 == 0 {
				continue
			}
			if pivot[j] == nil {
				pivot[j] = row
				row = nil
				break
			}
			for w := range row {
				row[w] ^= pivot[j][w]
			}
		}
		if row != nil && row[n/64]>>(n%64)&1 == 1 {
			return nil // 0 = 1
		}
	}
	return solved(pivot, free, n, most)
}

// solved substitutes back, unknowns without an equation being 0.
func solved(pivot [][]uint64, free []int, n, most int) []int {
	value := make([]uint64, n)
	var inputs []int
	for j := n - 1; j >= 0; j-- {
		if pivot[j] == nil {
			continue
		}
		v := pivot[j][n/64] >> (n % 64) & 1
		for k := j + 1; k < n; k++ {
			v ^= value[k] & (pivot[j][k/64] >> (k % 64))
		}
		if value[j] = v; v == 1 && j < n-1 {
			inputs = append(inputs, free[j])
		}
	}
	if len(inputs) < 2 || len(inputs) > most {
		return nil
	}
	slices.Sort(inputs)
	return inputs
}
