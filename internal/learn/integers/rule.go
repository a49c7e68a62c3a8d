package integers

import "math"

// rule finds the next rule: the form and the tests that explain most rows and contradict fewest. It returns the rows
// that it says nothing of, and how many of the others it contradicts. Each exception takes so many
// bits. It is nil if no rule saves bits.
func (l *learner) rule(rows []int32, forms []form, exception float64) (best *rule, after []int32, wrong int) {
	most := 0.0
	var kept []int32
	for i := range forms {
		if l.ctx.Err() != nil {
			return nil, nil, 0
		}
		r, inside, value := l.grow(rows, &forms[i], exception)
		if len(r.tests) > 0 && value > most {
			best, kept, most = &r, inside, value
		}
	}
	if best == nil {
		return nil, nil, 0
	}
	for _, r := range kept {
		if !best.form.right[r] {
			wrong++
		}
	}
	return best, without(rows, kept), wrong
}

// grow adds tests to a rule for a form as long as it gains by them. value is the rows explained less those
// contradicted and what the rule takes to say.
func (l *learner) grow(rows []int32, f *form, exception float64) (r rule, inside []int32, value float64) {
	r = rule{form: f, bits: f.bits + 1}
	inside = rows
	value = float64(l.weigh(f, inside)) - r.bits/exception
	for len(r.tests) < mostTests {
		var best cut
		best.value = value
		for i := range l.features {
			if x := &l.features[i]; x.test {
				if c := l.cut(x, inside); c.value-(r.bits+x.bits+l.tests+c.bits)/exception > best.value {
					c.bits += x.bits + l.tests
					c.value -= (r.bits + c.bits) / exception
					best = c
				}
			}
		}
		if best.feature == nil {
			break
		}
		r.tests, r.bits, value = append(r.tests, best.test()), r.bits+best.bits, best.value
		var some []int32
		for _, row := range inside {
			if best.has(best.feature.col[row]) {
				some = append(some, row)
			}
		}
		inside = some
		l.weigh(f, inside)
	}
	return r, inside, value
}

// weigh notes what each of some rows counts for a form, and returns the sum: what the form explains of them, less what it contradicts.
func (l *learner) weigh(f *form, rows []int32) (sum int) {
	l.weights = l.weights[:0]
	for _, r := range rows {
		w := l.weight(f, r)
		l.weights = append(l.weights, int32(w))
		sum += w
	}
	return sum
}

// weight is what a row counts for a form.
func (l *learner) weight(f *form, r int32) int {
	switch {
	case !f.right[r]:
		return -l.impure
	case l.beside && l.base.right[r]:
		return 0
	}
	return 1
}

// cut is a test of a feature: that it is at least from, at most to, or both.
type cut struct {
	feature  *feature
	from, to int32
	low      bool // from counts
	high     bool // to counts
	value    float64
	bits     float64
}

func (c *cut) has(x int32) bool { return (!c.low || x >= c.from) && (!c.high || x <= c.to) }

// test is the cut as an expression.
func (c *cut) test() *Expr {
	switch {
	case c.low && c.high:
		return &Expr{Op: Is, Args: []*Expr{c.feature.expr}, Constant: int(c.from)}
	case c.low:
		return &Expr{Op: AtLeast, Args: []*Expr{c.feature.expr}, Constant: int(c.from)}
	}
	negated := &Expr{Op: Sum, Args: []*Expr{c.feature.expr}, Weights: []int{-1}}
	if c.feature.expr.Op == Sum {
		negated = &Expr{Op: Sum, Args: c.feature.expr.Args}
		for _, w := range c.feature.expr.Weights {
			negated.Weights = append(negated.Weights, -w)
		}
	}
	return &Expr{Op: AtLeast, Args: []*Expr{negated}, Constant: -int(c.to)}
}

// cut finds the best test of a feature for the form that the rows are weighed for. Where rows leave a threshold open, 0 is taken if it
// may be, and else what is nearest to the rows inside.
func (l *learner) cut(x *feature, rows []int32) (best cut) {
	best.value = math.Inf(-1)
	lo, total := l.spread(x, rows)
	if len(l.worth) == 1 {
		return best
	}
	wide := math.Log2(float64(len(l.worth)))
	take := func(c cut, v int) {
		c.feature, c.value, c.bits = x, float64(v), wide
		if c.value > best.value {
			best = c
		}
	}
	below, last := 0, lo
	for i, w := range l.worth {
		v := lo + int32(i)
		if !l.seen[i] {
			continue
		}
		if v > lo {
			from, to := v, last
			if last < 0 && v > 0 {
				from, to = 0, min(last, -1)
				if total-below < below {
					to = 0
				}
			}
			take(cut{low: true, from: from}, total-below)
			take(cut{high: true, to: to}, below)
		}
		if wide > 1 {
			take(cut{low: true, high: true, from: v, to: v}, w)
		}
		below += w
		last = v
	}
	return best
}

// spread adds up the weights of the rows by their value of a feature, from the least one, which it returns with the sum of all.
func (l *learner) spread(x *feature, rows []int32) (lo int32, total int) {
	lo, hi := int32(math.MaxInt32), int32(math.MinInt32)
	for _, r := range rows {
		lo, hi = min(lo, x.col[r]), max(hi, x.col[r])
	}
	n := int(hi) - int(lo) + 1
	l.worth, l.seen = append(l.worth[:0], make([]int, n)...), append(l.seen[:0], make([]bool, n)...)
	for i, r := range rows {
		v, w := x.col[r]-lo, int(l.weights[i])
		l.worth[v] += w
		l.seen[v] = true
		total += w
	}
	return lo, total
}
