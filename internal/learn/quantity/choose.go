package quantity

import "math"

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
			var e sums
			l.measure(&e, b, i, f)
			score[k][b] = e.score()
		}
	})
	if err != nil {
		return err
	}
	best, least := pick(all, score, 0)
	less := muchLess * min(1, math.Sqrt(manyRows/float64(len(l.rows))))
	for bold := 1; bold <= boldest; bold++ {
		if k, low := pick(all, score, bold); k >= 0 && mean(low) < mean(least)-less {
			best, least = k, low
		}
		less = muchLess
	}
	l.outs[i].chosen = all[best].c
	for b, f := range all[best].by {
		l.now[b][i] = f
	}
	return nil
}

// muchLess is by how much the logarithm of the error must fall for conditions on how much an action does, with up to manyRows
// rows. With so few, trees with them are better by a tenth by chance, and plans make use of what is not there; with more, by
// less, as the root of their number. For steps of an action that undo each other it must fall as much whatever their number.
const (
	muchLess = .2
	manyRows = 300
)

// bold is 0 for a candidate that plans can trust with actions, 1 with conditions on how much an action does, 2 where the steps
// of an action may undo each other.
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

// notWorse reports whether scores in blocks are those of another within half a standard error of their difference, or nearly
// (Breiman and others, "Classification and Regression Trees", 1984, have a whole one: here that cost 3 to 7 %).
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
	return m <= max(alike, math.Sqrt(square/(blocks-1)/blocks)/2)
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
