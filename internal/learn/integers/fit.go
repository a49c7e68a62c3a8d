package integers

import (
	"cmp"
	"math"
	"slices"
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
	plain := form{expr: x.expr.plus(c), bits: x.bits + 1}
	if c != 0 {
		plain.bits += f.l.forms
	}
	f.plain = append(f.plain, shift{x, c, f.take(plain, x, func(v int) int { return v + c })})
	if f.l.boolean {
		f.negated(x)
		return
	}
	low, high := f.limits(c, true), f.limits(c, false)
	for i := range low {
		if i == 0 || low[i] != low[0] || high[i] != high[0] {
			f.limited(x, c, low[i], high[i], plain)
		}
	}
	around, m := 0, f.most+1
	for _, p := range f.pairs {
		if v := int(p.x) + c; f.least == 0 && (v < 0 || v >= m) && remainder(v, m) == int(p.y) {
			around += p.n
		}
	}
	if around >= worth && m > 1 {
		wrapped := form{expr: &Expr{Op: Mod, Args: []*Expr{plain.expr}, Constant: m}, bits: plain.bits + f.l.forms}
		f.take(wrapped, x, func(v int) int { return remainder(v+c, m) })
	}
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
		f.take(form{expr: (&Expr{Op: Sum, Args: []*Expr{x.expr}, Weights: []int{-1}}).plus(1), bits: x.bits + 1}, x, func(v int) int { return 1 - v })
	}
}

// limited takes a feature and a constant with limits, those that exclude no value being none.
func (f *fitter) limited(x *feature, c, low, high int, plain form) {
	if low > math.MinInt {
		plain.expr = &Expr{Op: Max, Args: []*Expr{plain.expr, constant(low)}}
		plain.bits += f.l.forms
	}
	if high < math.MaxInt {
		plain.expr = &Expr{Op: Min, Args: []*Expr{plain.expr, constant(high)}}
		plain.bits += f.l.forms
	}
	if low > math.MinInt || high < math.MaxInt {
		f.take(plain, x, func(v int) int { return min(max(v+c, low), high) })
	}
}

// limits returns two limits to try: the value of most rows that are above what a feature and a constant
// make, or below it, and the least or greatest value. Where few rows have it, it excludes no value.
func (f *fitter) limits(c int, low bool) (values [2]int) {
	none, extreme := math.MaxInt, f.most
	if low {
		none, extreme = math.MinInt, f.least
	}
	values = [2]int{none, none}
	if !f.tally.begin(int32(f.least), int32(f.most)) {
		return values
	}
	for _, p := range f.pairs {
		if v, y := int(p.x)+c, int(p.y); low && v < y || !low && v > y {
			f.tally.add(p.y, p.n)
		}
	}
	if y, n := f.tally.most(); n >= worth {
		values[0] = int(y)
	}
	if f.tally.of(int32(extreme)) >= worth {
		values[1] = extreme
	}
	return values
}

// take counts the rows of a form, which is a function of the feature at hand, and keeps it if it is one of the best.
func (f *fitter) take(x form, of *feature, value func(int) int) int {
	for _, p := range f.pairs {
		if value(int(p.x)) == int(p.y) {
			x.count += p.n
		}
	}
	score := float64(x.count) - x.bits/f.unit
	at, _ := slices.BinarySearchFunc(f.scores, score, func(s, score float64) int {
		if s >= score { // the first of equals is preferred
			return -1
		}
		return 1
	})
	if at == mostTried {
		return x.count
	}
	x.right = make([]bool, len(f.l.y))
	for _, r := range f.left {
		x.right[r] = value(int(of.col[r])) == int(f.l.y[r])
	}
	f.scores, f.found = append(f.scores, score), append(f.found, x)
	copy(f.scores[at+1:], f.scores[at:])
	copy(f.found[at+1:], f.found[at:])
	if f.scores[at], f.found[at] = score, x; len(f.found) > mostTried {
		f.scores, f.found = f.scores[:mostTried], f.found[:mostTried]
	}
	return x.count
}
