package integers

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// fitter finds constants, limits and moduli with which features give the values of some rows.
type fitter struct {
	l           *learner
	rows        []int32
	left        []int32   // with those that forms are not chosen by
	least, most int       // values of the rows
	found       []form    // those that give the values of most rows, the best first
	scores      []float64 // of them
	unit        float64   // bits that are worth a row
	pairs       []joint   // of the feature at hand
	table       []int32   // scratch: how many rows have each pair
	tally       tally
	above       tally // by value, the rows at hand that have more than a feature and a constant make
	below       tally // and less
	plain       []shift
	frequent    map[int32]bool // values that more than an eighth of the rows have, as limits do
}

// joint is a value of a feature beside the value to give, and how many rows have both.
type joint struct {
	x, y int32
	n    int
}

// shift is a feature and a constant, and how many rows they explain.
type shift struct {
	of   *feature
	c    int
	rows int
}

func newFitter(l *learner, rows, left []int32) *fitter {
	f := &fitter{l: l, rows: rows, left: left, least: int(l.y[rows[0]]), most: int(l.y[rows[0]]), frequent: map[int32]bool{}, unit: max(1, l.entropy)}
	counts := map[int32]int{}
	for _, r := range rows {
		y := l.y[r]
		f.least, f.most = min(f.least, int(y)), max(f.most, int(y))
		if counts[y]++; 8*counts[y] > len(rows) {
			f.frequent[y] = true
		}
	}
	return f
}

// mostModes is how many constants are tried with a feature.
const mostModes = 3

// worth is how many rows a limit or a modulus must explain.
const worth = 2

// count counts the pairs of a feature, which are far fewer than rows where both have few values; else each row is a pair.
func (f *fitter) count(x *feature) {
	lo, hi := int32(math.MaxInt32), int32(math.MinInt32)
	for _, r := range f.rows {
		lo, hi = min(lo, x.col[r]), max(hi, x.col[r])
	}
	f.pairs = f.pairs[:0]
	least, width := int32(f.least), f.most-f.least+1
	size := (int(hi) - int(lo) + 1) * width
	if size > len(f.rows) {
		for _, r := range f.rows {
			f.pairs = append(f.pairs, joint{x.col[r], f.l.y[r], 1})
		}
		return
	}
	f.table = append(f.table[:0], make([]int32, size)...)
	for _, r := range f.rows {
		f.table[int(x.col[r]-lo)*width+int(f.l.y[r]-least)]++
	}
	for i, n := range f.table {
		if n > 0 {
			f.pairs = append(f.pairs, joint{lo + int32(i/width), least + int32(i%width), int(n)})
		}
	}
}

// feature tries the constants that most rows, and most rows with rare values, ask for.
func (f *fitter) feature(x *feature) {
	f.count(x)
	var tried []int
	for _, inner := range []bool{false, true} {
		for _, c := range f.modes(inner) {
			if !slices.Contains(tried, c) {
				tried = append(tried, c)
				f.shifted(x, c)
			}
		}
	}
}

// modes lists the most frequent differences of the value and the feature, of rows with rare values only if inner.
func (f *fitter) modes(inner bool) []int {
	lo, hi := int32(math.MaxInt32), int32(math.MinInt32)
	for _, p := range f.pairs {
		lo, hi = min(lo, p.y-p.x), max(hi, p.y-p.x)
	}
	if !f.tally.begin(lo, hi) {
		return nil
	}
	n := 0
	for _, p := range f.pairs {
		if !inner || !f.frequent[p.y] {
			f.tally.add(p.y-p.x, p.n)
			n += p.n
		}
	}
	type counted struct{ value, n int }
	var all []counted
	for i, k := range f.tally.counts {
		if k > 1 && 64*int(k) >= n {
			all = append(all, counted{int(lo) + i, int(k)})
		}
	}
	slices.SortStableFunc(all, func(a, b counted) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.value, b.value)) })
	var values []int
	for _, c := range all[:min(mostModes, len(all))] {
		values = append(values, c.value)
	}
	return values
}

// shifted takes the feature and a constant: as they are, with limits, and modulo one more than the greatest value.
func (f *fitter) shifted(x *feature, c int) {
	bits := x.bits + 1
	if c != 0 {
		bits += f.l.forms
	}
	plain, around := f.compare(c)
	f.plain = append(f.plain, shift{x, c, plain})
	f.keep(x, value{by: 1, c: c, low: math.MinInt, high: math.MaxInt}, plain, bits)
	if f.l.boolean {
		f.negated(x)
		return
	}
	low, high := f.limit(&f.above, math.MinInt, f.least), f.limit(&f.below, math.MaxInt, f.most)
	for i := range low {
		if i == 0 || low[i] != low[0] || high[i] != high[0] {
			f.limited(x, value{by: 1, c: c, low: low[i], high: high[i]}, plain, bits)
		}
	}
	if around >= worth {
		f.take(x, value{by: 1, c: c, modulus: f.most + 1}, bits+f.l.forms)
	}
}

// compare counts the rows that the feature and a constant give the value of, those of values above what they make, and those
// below, and the rows that they give only modulo one more than the greatest value.
func (f *fitter) compare(c int) (plain, around int) {
	counted := f.above.begin(int32(f.least), int32(f.most)) && f.below.begin(int32(f.least), int32(f.most))
	m := f.most + 1
	modulo := f.least == 0 && m > 1
	for _, p := range f.pairs {
		v, y := int(p.x)+c, int(p.y)
		if v == y {
			plain += p.n
			continue
		}
		if counted {
			if v < y {
				f.above.add(p.y, p.n)
			} else {
				f.below.add(p.y, p.n)
			}
		}
		if modulo && (v < 0 || v >= m) && remainder(v, m) == y {
			around += p.n
		}
	}
	return plain, around
}

// mostExtended is how many sums are extended by Booleans at a time.
const mostExtended = 12

// extend adds Booleans to the sums that explain most rows, each with the weight that most rows in which it holds ask for, and again
// as long as a sum explains more rows than all before: what a vehicle uses on its way is a sum over the hours. Then it does so with sums
// that have limits.
func (f *fitter) extend() {
	sums := f.plain
	f.extendSums(sums)
	if f.plain = nil; len(f.found) > 0 && f.found[0].count < len(f.rows) {
		f.clip(sums)
		f.extendSums(f.plain)
	}
}

func (f *fitter) extendSums(sums []shift) {
	most := 0
	for f.l.ctx.Err() == nil {
		slices.SortStableFunc(sums, func(a, b shift) int { return cmp.Compare(b.rows, a.rows) })
		if len(sums) == 0 || sums[0].rows <= most {
			return
		}
		if most = sums[0].rows; most == len(f.rows) {
			return
		}
		f.plain = nil
		for _, s := range sums[:min(mostExtended, len(sums))] {
			for i := range f.l.features {
				if b := &f.l.features[i]; b.boolean() {
					f.extended(s, b)
				}
			}
		}
		sums = f.plain
	}
}

// clip adds the sums that explain most rows with the least and the greatest value as limits: what a field holds is limited first, and
// dries then.
func (f *fitter) clip(sums []shift) {
	slices.SortStableFunc(sums, func(a, b shift) int { return cmp.Compare(b.rows, a.rows) })
	for _, s := range sums[:min(mostExtended, len(sums))] {
		x := &feature{col: make([]int32, len(f.l.y)), bits: s.of.bits + 2*f.l.forms}
		lo, hi := math.MinInt, math.MaxInt // those that exclude a value
		for _, r := range f.left {
			v := int(s.of.col[r]) + s.c
			if x.col[r] = int32(min(max(v, f.least), f.most)); v < f.least {
				lo = f.least
			} else if v > f.most {
				hi = f.most
			}
		}
		if lo > math.MinInt || hi < math.MaxInt {
			x.expr = s.of.expr.plus(s.c).Within(lo, hi)
			f.count(x)
			f.shifted(x, 0)
		}
	}
}

// extended tries a sum and a Boolean, unless the same was tried in another order.
func (f *fitter) extended(s shift, b *feature) {
	by, n := f.lift(s, b)
	if by == 0 || n <= worth {
		return
	}
	x := &feature{col: make([]int32, len(f.l.y)), bits: s.of.bits + b.bits + f.l.forms}
	x.expr = &Expr{Op: Sum, Args: []*Expr{s.of.expr, b.expr}, Weights: []int{1, int(by)}}
	if s.of.expr.Op == Sum {
		x.expr = &Expr{Op: Sum, Args: append(slices.Clone(s.of.expr.Args), b.expr), Weights: append(slices.Clone(s.of.expr.Weights), int(by)), Constant: s.of.expr.Constant}
	}
	for _, r := range f.left {
		x.col[r] = s.of.col[r] + by*b.col[r]
	}
	if !slices.ContainsFunc(f.plain, func(p shift) bool { return p.c == s.c && slices.Equal(p.of.col, x.col) }) {
		f.count(x)
		f.shifted(x, s.c)
	}
}

// lift is by how much most rows in which a Boolean holds are above a sum, and how many these are.
func (f *fitter) lift(s shift, b *feature) (by int32, rows int) {
	above := func(r int32) int32 { return f.l.y[r] - s.of.col[r] - int32(s.c) }
	lo, hi := int32(math.MaxInt32), int32(math.MinInt32)
	for _, r := range f.rows {
		lo, hi = min(lo, above(r)), max(hi, above(r))
	}
	if !f.tally.begin(lo, hi) {
		return 0, 0
	}
	for _, r := range f.rows {
		if b.col[r] == 1 {
			f.tally.add(above(r), 1)
		}
	}
	return f.tally.most()
}

// negated takes the negation of a Boolean.
func (f *fitter) negated(x *feature) {
	if x.expr.Op == Var {
		f.take(x, value{by: -1, c: 1, low: math.MinInt, high: math.MaxInt}, x.bits+1)
	}
}

// limited takes a feature and a constant with limits, those that exclude no value being none. plain is how many rows have the
// value without limits, and bits what that takes.
func (f *fitter) limited(x *feature, v value, plain int, bits float64) {
	if v.low > math.MinInt {
		plain += f.above.of(int32(v.low))
		bits += f.l.forms
	}
	if v.high < math.MaxInt {
		plain += f.below.of(int32(v.high))
		bits += f.l.forms
	}
	if (v.low > math.MinInt || v.high < math.MaxInt) && f.best(f.score(plain, bits)) {
		f.take(x, v, bits)
	}
}

// limit returns two limits to try, from the values of rows that are beyond what a feature and a constant make: the value of most of
// them, and the least or greatest value of all. Where few rows have it, it is none, which excludes no value.
func (f *fitter) limit(beyond *tally, none, extreme int) (values [2]int) {
	values = [2]int{none, none}
	if y, n := beyond.most(); n >= worth {
		values[0] = int(y)
	}
	if beyond.of(int32(extreme)) >= worth {
		values[1] = extreme
	}
	return values
}

// value is what a form makes of the feature at hand: so many times it and a constant, with limits, or modulo a number if that is not 0.
type value struct{ by, c, low, high, modulus int }

func (v *value) of(x int32) int {
	y := v.by*int(x) + v.c
	if v.modulus > 0 {
		return remainder(y, v.modulus)
	}
	return min(max(y, v.low), v.high)
}

// expr is the value as an expression.
func (v *value) expr(x *Expr) *Expr {
	if v.by < 0 {
		x = &Expr{Op: Sum, Args: []*Expr{x}, Weights: []int{v.by}}
	}
	x = x.plus(v.c)
	if v.modulus > 0 {
		return &Expr{Op: Mod, Args: []*Expr{x}, Constant: v.modulus}
	}
	if v.low > math.MinInt {
		x = &Expr{Op: Max, Args: []*Expr{x, constant(v.low)}}
	}
	if v.high < math.MaxInt {
		x = &Expr{Op: Min, Args: []*Expr{x, constant(v.high)}}
	}
	return x
}

// score is what a form is worth that gives the value of so many rows and takes so many bits.
func (f *fitter) score(rows int, bits float64) float64 { return float64(rows) - bits/f.unit }

// best reports whether a form of such a score is one of the best.
func (f *fitter) best(score float64) bool {
	return len(f.scores) < mostTried || score > f.scores[mostTried-1]
}

// take keeps a form of a feature, which is the one at hand, if it is one of the best.
func (f *fitter) take(x *feature, v value, bits float64) {
	n := 0
	for _, p := range f.pairs {
		if v.of(p.x) == int(p.y) {
			n += p.n
		}
	}
	f.keep(x, v, n, bits)
}

// keep keeps a form of a feature that gives the value of so many rows, if it is one of the best. The first of equals is preferred.
func (f *fitter) keep(x *feature, v value, rows int, bits float64) {
	score := f.score(rows, bits)
	if !f.best(score) {
		return
	}
	at := sort.Search(len(f.scores), func(i int) bool { return f.scores[i] < score })
	made := form{expr: v.expr(x.expr), count: rows, bits: bits, right: make([]bool, len(f.l.y))}
	for _, r := range f.left {
		made.right[r] = v.of(x.col[r]) == int(f.l.y[r])
	}
	f.scores, f.found = slices.Insert(f.scores, at, score), slices.Insert(f.found, at, made)
	if len(f.found) > mostTried {
		f.scores, f.found = f.scores[:mostTried], f.found[:mostTried]
	}
}
