package quantity

import (
	"math"
	"strconv"
	"strings"
)

// Rounding a function's coefficients may cost these shares of its error, and of a step.
const (
	costOfRounding = .001
	stepOfRounding = .01
)

// mostDecimals bounds the decimals of coefficients.
const mostDecimals = 9

// rounded gives a function coefficients of as few decimals as its errors allow, one and Far steps ahead.
func (l *learner) rounded(i int, f *Function) *Function {
	t, step := l.t, l.t.Columns[f.Output].Step
	functions := make([]*Function, len(l.outs))
	copy(functions, l.now[0])
	errors := func(g *Function) Pair {
		var e sums
		functions[i] = g
		stride := max(1, len(l.rows)/(2*starts))
		var w window
		for k := 0; k < len(l.rows); k += stride {
			r, steps := l.rows[k], 1
			if t.ahead[r] >= Far {
				steps = Far
			}
			t.follow(&w, functions, l.o.Lags, r, steps, func(s, output int, predicted float64) {
				if output == f.Output {
					e.add(s, t.Columns[output].Next[r+s]-predicted)
				}
			})
		}
		return e.pair()
	}
	means := make([]float64, len(f.Terms))
	for j, term := range f.Terms {
		for _, r := range l.rows {
			means[j] += t.of(term, r) / float64(len(l.rows))
		}
	}
	exact := errors(f)
	for d := range mostDecimals {
		g := t.decimals(f, d, means)
		e := errors(g)
		near := func(a, b float64) bool {
			return math.IsNaN(b) || a <= b*(1+costOfRounding)+stepOfRounding*step
		}
		if near(e.One, exact.One) && near(e.Far, exact.Far) {
			return g
		}
	}
	return t.decimals(f, mostDecimals, means)
}

// decimals rounds the coefficients to a number of decimals, or to fewer, so that functions can be read; the constants make up for what that does at the
// means, and have two more.
func (t *Table) decimals(f *Function, d int, means []float64) *Function {
	g := *f
	g.Root = f.Root.with(func(n *Node) *Node {
		if n.Split >= 0 {
			return nil
		}
		most := t.mostDecimals(f, n)
		m := &Node{Split: -1, Constant: n.Constant, Weights: make([]float64, len(n.Weights))}
		for j, w := range n.Weights {
			_, of := t.step(f.Terms[j])
			m.Weights[j] = decimal(w, min(d, most-of))
			m.Constant += (w - m.Weights[j]) * means[j]
		}
		m.Constant = decimal(m.Constant, min(d+2, most))
		return m
	})
	return &g
}

// mostDecimals is how many decimals the constant of a leaf and the products of its weights and steps may have: over their common denominator, that has
// at most 40 bits where functions are read (problem/expr), they are integers of as many bits.
func (t *Table) mostDecimals(f *Function, n *Node) int {
	const most, digits = 1 << 39, 12 // a bit is left for what rounding adds
	largest := math.Abs(n.Constant)
	for j, w := range n.Weights {
		step, _ := t.step(f.Terms[j])
		largest = max(largest, math.Abs(w)*step)
	}
	d := digits
	for d > 0 && largest*math.Pow10(d) > most {
		d--
	}
	return d
}

// step is the step of what a term reads, 1 of a condition, and its decimals.
func (t *Table) step(term Term) (step float64, decimals int) {
	if step = t.Columns[term.Column].Step; step <= 0 || term.Value >= 0 {
		return 1, 0
	}
	for x := step; decimals < mostDecimals && math.Abs(x-math.Round(x)) > 1e-6*x; x = step * math.Pow10(decimals) {
		decimals++
	}
	return step, decimals
}

// decimal rounds to a number of decimals; below 0 to tens, hundreds and so on.
func decimal(x float64, d int) float64 {
	if d < 0 {
		return math.Round(x/math.Pow10(-d)) * math.Pow10(-d)
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', d, 64), 64)
	if err != nil {
		return x // never: it was written as a number
	}
	return y
}

// Text writes the function as an expression: name gives the variable of a column some steps earlier, and value a value of an
// enumeration; it is empty for the second value of a Boolean.
func (f *Function) Text(name func(column, lag int) string, value func(column, value int) string) string {
	text := f.node(f.Root, name, value)
	if !math.IsInf(f.Hi, 0) {
		text = "min(" + text + ", " + digits(f.Hi) + ")"
	}
	if !math.IsInf(f.Lo, 0) {
		text = "max(" + text + ", " + digits(f.Lo) + ")"
	}
	return text
}

func digits(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func (f *Function) node(n *Node, name func(int, int) string, value func(int, int) string) string {
	term := func(j int) string {
		t := f.Terms[j]
		switch {
		case t.Value >= 0 && value(t.Column, t.Value) != "":
			return "(" + name(t.Column, t.Lag) + " == " + value(t.Column, t.Value) + ")"
		case t.Value == change:
			return name(t.Column, 0) + " - " + name(t.Column, t.Lag)
		}
		return name(t.Column, t.Lag)
	}
	if n.Split >= 0 {
		return "(if (" + term(n.Split) + " <= " + digits(n.At) + ") then " + f.node(n.Low, name, value) + " else " + f.node(n.High, name, value) + ")"
	}
	var b strings.Builder
	for j, w := range n.Weights {
		switch {
		case w == 0:
			continue
		case b.Len() == 0 && w < 0:
			b.WriteString("-")
		case w < 0:
			b.WriteString(" - ")
		case b.Len() > 0:
			b.WriteString(" + ")
		}
		if math.Abs(w) != 1 {
			b.WriteString(digits(math.Abs(w)) + "*")
		}
		b.WriteString(term(j))
	}
	switch c := n.Constant; {
	case b.Len() == 0:
		return digits(c)
	case c < 0:
		b.WriteString(" - " + digits(-c))
	case c > 0:
		b.WriteString(" + " + digits(c))
	}
	return b.String()
}
