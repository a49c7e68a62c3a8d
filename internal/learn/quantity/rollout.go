package quantity

import "math"

// window has the values of all columns at a step and before, for a run that is predicted.
type window struct {
	t    *Table
	back [][]float64 // by lag and column
}

// start sets the window to a row.
func (w *window) start(t *Table, row, lags int) {
	w.t = t
	for len(w.back) <= lags {
		w.back = append(w.back, make([]float64, len(t.Columns)))
	}
	for lag := range w.back {
		for c := range t.Columns {
			w.back[lag][c] = t.Columns[c].Now[max(row-lag, 0)]
		}
	}
}

// value is that of a term.
func (w *window) value(term Term) float64 {
	return term.value(w.back[0][term.Column], w.back[term.Lag][term.Column])
}

// next returns the next value by a function.
func (w *window) next(f *Function) float64 {
	return f.Value(func(j int) float64 { return w.value(f.Terms[j]) })
}

// shift moves to the next row: what is not predicted is as logged.
func (w *window) shift(row int) {
	last := w.back[len(w.back)-1]
	copy(w.back[1:], w.back)
	w.back[0] = last
	for c := range w.t.Columns {
		last[c] = w.t.Columns[c].Now[row]
	}
}

// follow predicts each next value of an output from a row on, steps times, and calls see with the step, from 0, and what
// it predicts. The outputs that functions give are predicted with it, all else is as logged.
func (t *Table) follow(w *window, functions []*Function, lags, row, steps int, see func(step, output int, predicted float64)) {
	w.start(t, row, lags)
	next := make([]float64, len(functions))
	for s := range steps {
		for i, f := range functions {
			if f != nil {
				next[i] = t.round(f.Output, w.next(f))
				see(s, f.Output, next[i])
			}
		}
		if s+1 == steps {
			return
		}
		w.shift(row + s + 1)
		for i, f := range functions {
			if f != nil {
				w.back[0][f.Output] = next[i]
			}
		}
	}
}

// round rounds a value of a column to its step, halves to even, and clamps it to its range.
func (t *Table) round(column int, x float64) float64 {
	c := &t.Columns[column]
	if c.Step > 0 {
		x = math.RoundToEven(x/c.Step) * c.Step
	}
	if c.Least < c.Most {
		x = min(max(x, c.Least), c.Most)
	}
	return x
}
