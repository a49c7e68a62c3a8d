package quantity

import (
	"math"
	"slices"
)

// choose picks the function of an output by its errors in the blocks, with the functions of the other outputs as they are.
func (l *learner) choose(i int) error {
	if len(l.tried) == i {
		all, err := l.try(i)
		if err != nil {
			return err
		}
		l.tried = append(l.tried, all)
	}
	all := l.tried[i]
	score := make([][blocks]float64, len(all))
	err := l.all(len(all), func(k int) {
		for b, f := range all[k].by {
			score[k][b] = l.measure(b, i, f)
		}
	})
	if err != nil {
		return err
	}
	best, _ := pick(all, score, 0)
	t, least, err := l.finished(i, all[best], score[best])
	less := muchLess * min(1, math.Sqrt(manyRows/float64(len(l.rows))))
	for bold := 1; bold <= boldest && err == nil; bold++ {
		if k, low := pick(all, score, bold); k >= 0 && mean(low) < mean(score[best])-less {
			var c trial
			if c, low, err = l.finished(i, all[k], score[k]); mean(low) < mean(least)-less {
				t, least = c, low
			}
		}
		less = muchLess
	}
	if err != nil {
		return err
	}
	l.outs[i].chosen = t.c
	for b, f := range t.by {
		l.now[b][i] = f
	}
	return nil
}

// finished returns a trial and its scores with limits and with coefficients for several steps ahead, where these are better.
func (l *learner) finished(i int, t trial, score [blocks]float64) (trial, [blocks]float64, error) {
	for _, high := range []bool{false, true} {
		t, score = l.limit(i, t, score, high)
	}
	return l.ahead(i, t, score)
}

// limits are the shares of next values beyond which a limit is looked for that noise hides: a measured level of a full tank is on both
// sides of it. The logarithm of the error must fall by limited: one that fell by a hundredth with a limit where the tanks' log happens to
// end doubled on another log.
var limits = []float64{.005, .01, .02, .05}

const limited = .1

// limit returns a trial and its scores, with a limit at one end if that is better and in no block worse.
func (l *learner) limit(i int, t trial, base [blocks]float64, high bool) (trial, [blocks]float64) {
	best, least := t, base
	for _, share := range limits {
		c := t
		if c.by = nil; high {
			c.c.high = &share
		} else {
			c.c.low = &share
		}
		var score [blocks]float64
		for b, f := range t.by {
			f = l.limited(i, f, c.c, l.train[b])
			if score[b] = l.measure(b, i, f); score[b] > base[b] {
				break
			}
			c.by = append(c.by, f)
		}
		if len(c.by) == blocks && mean(score) < min(mean(base)-limited, mean(least)) {
			best, least = c, score
		}
	}
	return best, least
}

// ahead returns a trial with coefficients for predictions some steps ahead if it is better with them by more than chance.
func (l *learner) ahead(i int, t trial, base [blocks]float64) (trial, [blocks]float64, error) {
	if t.c.still {
		return t, base, nil
	}
	c := t
	c.c.ahead, c.by = true, make([]*Function, blocks)
	var score [blocks]float64
	err := l.all(blocks, func(b int) {
		c.by[b] = l.farther(i, t.by[b], t.c, l.train[b], l.now[b])
		score[b] = l.measure(b, i, c.by[b])
	})
	if mean(score) < mean(base) && !notWorse(base, score) {
		return c, score, err
	}
	return t, base, err
}

// limited returns f within the limits of a candidate, at the values that these shares of rows are beyond.
func (l *learner) limited(i int, f *Function, c candidate, rows []int) *Function {
	if c.low == nil && c.high == nil {
		return f
	}
	out := *f
	var y []float64
	for _, r := range rows {
		y = append(y, l.t.Columns[l.outs[i].Column].Next[r])
	}
	slices.Sort(y)
	if c.low != nil {
		out.Lo = max(out.Lo, y[int(*c.low*float64(len(y)))])
	}
	if c.high != nil {
		out.Hi = min(out.Hi, y[len(y)-1-int(*c.high*float64(len(y)))])
	}
	return &out
}

// muchLess is by how much the logarithm of the error must fall for conditions on how much an action does, with up to manyRows
// rows. With so few rows, trees with them are better by a tenth by chance, and plans make use of what is not there; with more, by
// less, as the root of their number. For steps of an action that undo each other it must fall as much whatever their number.
const (
	muchLess = .2
	manyRows = 300
)

// bold is 0 for a candidate that plans can trust with actions, 1 with conditions on how much an action does, 2 where the
// steps of an action may undo each other.
func (c candidate) bold() int {
	switch {
	case c.free:
		return boldest
	case c.acts:
		return 1
	}
	return 0
}

const boldest = 2

// pick returns the best of the trials that are as bold, -1 for none, and the least scores of them: the smallest that is hardly
// worse than the best.
func pick(all []trial, score [][blocks]float64, bold int) (best int, least [blocks]float64) {
	best = -1
	for k := range all {
		if all[k].c.bold() == bold && (best < 0 || mean(score[k]) < mean(least)) {
			best, least = k, score[k]
		}
	}
	for k := range all {
		if all[k].c.bold() == bold && all[k].cost < all[best].cost && notWorse(score[k], least) {
			best = k
		}
	}
	return best, least
}

// alike is the part of the error by which a function may be worse if it is smaller.
const alike = .003

func mean(x [blocks]float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / blocks
}

// notWorse reports whether scores in blocks are those of another within a quarter of a standard error of their difference, or
// nearly (Breiman and others, "Classification and Regression Trees", 1984, have a whole one: here that cost 3 to 7 %, and a half 3 %).
func notWorse(x, least [blocks]float64) bool {
	var d [blocks]float64
	for b := range d {
		if d[b] = x[b] - least[b]; math.IsNaN(d[b]) {
			return false
		}
	}
	m, square := mean(d), 0.0
	for _, v := range d {
		square += (v - m) * (v - m)
	}
	return m <= max(alike, math.Sqrt(square/(blocks-1)/blocks)/4)
}

// size counts what a function consists of.
func (f *Function) size() int {
	n := 0
	f.Root.visit(func(l *Node) {
		n++
		for _, w := range l.Weights {
			if w != 0 {
				n++
			}
		}
	})
	return n
}
