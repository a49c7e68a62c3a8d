package quantity

import (
	"math"
	"slices"
)

// sums are sums of squared errors, one and Far steps ahead.
type sums struct {
	one, far   float64
	n, farRows int
}

func (s *sums) add(step int, e float64) {
	switch step {
	case 0:
		s.one += e * e
		s.n++
	case Far - 1:
		s.far += e * e
		s.farRows++
	}
}

func (s *sums) pair() Pair {
	return Pair{math.Sqrt(s.one / float64(s.n)), math.Sqrt(s.far / float64(s.farRows))}
}

// score is the logarithm of the error: the mean of those one and Far steps ahead.
func (s *sums) score() float64 {
	const least = 1e-12 // exact functions are alike
	p := s.pair()
	score := math.Log(p.One + least)
	if s.farRows > 0 {
		score = (score + math.Log(p.Far+least)) / 2
	}
	if math.IsNaN(score) {
		return math.Inf(1)
	}
	return score
}

// starts is the number of rows of a block, about, from which runs are predicted to compare functions.
const starts = 400

// measure scores a function in a block; the other outputs are predicted beside it.
func (l *learner) measure(b, i int, f *Function) float64 {
	var e sums
	functions := append([]*Function{}, l.now[b]...)
	functions[i] = f
	l.each(b, functions, f.Output, starts, func(row, step int, predicted float64) {
		e.add(step, l.t.Columns[f.Output].Next[row]-predicted)
	})
	return e.score()
}

// each predicts an output from all rows of a block one step ahead, and from some of them Far steps.
func (l *learner) each(b int, functions []*Function, output, most int, see func(row, step int, predicted float64)) {
	var w window
	alone := slices.DeleteFunc(slices.Clone(functions), func(f *Function) bool { return f == nil || f.Output != output })
	rows := l.fold[b]
	stride := max(1, len(rows)/most)
	for k, r := range rows {
		steps, with := 1, alone
		if k%stride == 0 && l.t.ahead[r] >= Far && r+Far <= l.until[r]+1 {
			steps, with = Far, functions
		}
		l.t.follow(&w, with, l.o.Lags, r, steps, func(step, of int, predicted float64) {
			if of == output {
				see(r+step, step, predicted)
			}
		})
	}
}

// compare measures the chosen function of an output on all rows of the blocks, beside what is simpler.
func (l *learner) compare(i int) {
	o := l.outs[i]
	var mine, plain, still, bins sums
	column := &l.t.Columns[o.Column]
	for b := range blocks {
		l.each(b, l.now[b], o.Column, len(l.rows), func(row, step int, predicted float64) {
			e := column.Next[row] - predicted
			mine.add(step, e)
			still.add(step, column.Next[row]-column.Now[row-step])
			switch step {
			case 0:
				o.Residuals, o.Rows = append(o.Residuals, e), append(o.Rows, row)
			case Far - 1:
				o.FarResiduals, o.FarRows = append(o.FarResiduals, e), append(o.FarRows, row)
			}
		})
		l.compareBins(&bins, b, o.Column)
		linear := append([]*Function{}, l.now[b]...)
		for k := range l.outs {
			linear[k] = l.learn(k, l.plain(), l.train[b])[0]
		}
		l.each(b, linear, o.Column, len(l.rows), func(row, step int, predicted float64) { plain.add(step, column.Next[row]-predicted) })
	}
	o.Errors = Errors{Function: mine.pair(), Unchanged: still.pair(), Linear: plain.pair(), Bins: bins.pair(), Rows: mine.n}
}

// compareBins adds the errors of a prediction in bins.
func (l *learner) compareBins(e *sums, b, column int) {
	bins := newBinned(l.t, column, l.train[b])
	c := &l.t.Columns[column]
	for _, r := range l.fold[b] {
		x := c.Now[r]
		for s := range Far {
			if s > 0 && (l.t.ahead[r] < Far || r+Far > l.until[r]+1) {
				break
			}
			x = bins.next(r+s, x)
			e.add(s, c.Next[r+s]-x)
		}
	}
}
