package quantity

import (
	"context"
	"math"
)

// Unlikeness is a quantity whose next values are others for one of the machines of a log than for all together.
type Unlikeness struct {
	Column, Machine int
	// Bits are how many fewer describe the machine's errors on held-out rows.
	Bits float64
	Rows int
	// Errors differs if the function is that of all and only the size of its errors is another one.
	Errors bool
	// Own is the root mean square of the machine's errors there by a function of its own, and All by that of all machines. Where only the
	// size differs, both are of the function of all, and All is of all machines.
	Own, All float64
}

// What differs must be sure: the bits of the rows must add up, and in most parts of the time, since errors that follow
// each other are alike, and so is what they say of a machine. Where parts of all blocks show nothing, one mean in 300 is surely standard
// errors above 0.
const (
	parts     = 4
	surely    = 3
	shortRows = 6000 // that a function of all machines is learned from, at most
	mostParts = 8    // leaves of it: one of many would tell machines by their levels
)

// Unlike finds the machine and the quantity that differ most from all others, with more evidence than least bits: the rows of each block of time are
// described by the function that the other blocks of all machines taught, alone and with a linear correction that those of the machine
// itself taught. It is nil where none differs.
func Unlike(ctx context.Context, t *Table, o Options, least float64) (*Unlikeness, error) {
	l := &learner{ctx: ctx, t: t, o: o}
	t.runs()
	if l.rows = t.back(o.Lags); len(l.rows) < leastRows {
		return nil, nil
	}
	l.divide()
	var most *Unlikeness
	for c := range t.Columns {
		if !t.Columns[c].Learn {
			continue
		}
		t.Columns[c].lo, t.Columns[c].hi = censored(t.Columns[c].Next)
		l.outs = append(l.outs, &Output{Column: c})
		u, err := l.unlike(len(l.outs)-1, least)
		if err != nil {
			return nil, err
		}
		for i := range u {
			if most == nil || u[i].Bits > most.Bits {
				most = &u[i]
			}
		}
	}
	return most, nil
}

// compared is what rows say of one machine by the function of all and by one corrected for it.
type compared struct {
	bits     [][2]float64 // by part of the time: of the correction, and of a size of its own of the errors
	own, all float64      // sums of squares
	n        int
}

// differs decides about a machine; nil if it is like the others.
func (c *compared) differs(least float64) (out *Unlikeness) {
	for k, weight := range [][2]float64{{1, 0}, {0, 1}, {1, 1}} {
		sum, square, n := 0.0, 0.0, float64(len(c.bits))
		for _, b := range c.bits {
			x := weight[0]*b[0] + weight[1]*b[1]
			sum, square = sum+x, square+x*x
		}
		if sum <= least || sum/n < surely*math.Sqrt(max(0, square/n-sum*sum/n/n)/(n-1)) || out != nil && sum < out.Bits {
			continue
		}
		errors := k == 1 && out == nil || k == 2 && out != nil && out.Errors
		out = &Unlikeness{Bits: sum, Rows: c.n, Errors: errors, Own: math.Sqrt(c.own / float64(c.n)), All: math.Sqrt(c.all / float64(c.n))}
	}
	return out
}

// code describes errors by Student's distribution with tails degrees of freedom, which some large ones do not make another.
type code struct{ scale float64 }

const (
	tails      = 5
	leastScale = .3 // of a step: what rounding leaves
)

// newCode has the scale that describes errors best, by a few steps of expectation and maximization.
func newCode(errors []float64, least float64) code {
	square := 0.0
	for round := range 6 {
		sum := 0.0
		for _, e := range errors {
			w := 1.0
			if round > 0 {
				w = (tails + 1) / (tails + e*e/square)
			}
			sum += w * e * e
		}
		square = max(sum/float64(len(errors)), least*least)
	}
	return code{math.Sqrt(square)}
}

// bits is the length of the code of an error, but for what is the same for all scales.
func (c code) bits(e float64) float64 {
	z := e / c.scale
	return math.Log2(c.scale) + (tails+1)/2*math.Log2(1+z*z/tails)
}

// unlike compares the machines in one output.
func (l *learner) unlike(i int, least float64) ([]Unlikeness, error) {
	c := candidate{lags: l.o.Lags, leaves: mostParts, several: true, free: true, penalty: 2}
	terms := l.terms(i, c)
	d := l.t.newDesign(l.outs[i].Column, terms, l.rows)
	d.in = nil
	for j, term := range terms {
		if term.Value != change {
			d.in = append(d.in, j)
		}
	}
	functions := make([][]*Function, blocks)
	err := l.all(blocks, func(b int) {
		rows := l.train[b]
		thin := make([]int, 0, shortRows)
		for k, stride := 0, (len(rows)+shortRows-1)/shortRows; k < len(rows); k += stride {
			thin = append(thin, rows[k])
		}
		functions[b] = l.learn(i, c, thin)
	})
	if err != nil {
		return nil, err
	}
	n := mostParts
	for _, fs := range functions {
		n = min(n, len(fs))
	}
	at := make([]int, l.t.Rows()) // of a row in the design
	for k, r := range l.rows {
		at[r] = k
	}
	machines := l.t.machines(l.rows)
	found := make([]compared, len(machines))
	best, fewest := 0, math.Inf(1)
	for leaves := range n {
		sum := 0.0
		for b, fs := range functions {
			for _, r := range l.fold[b] {
				e := d.miss(fs[leaves], at[r], nil)
				sum += e * e
			}
		}
		if sum < fewest {
			best, fewest = leaves, sum
		}
	}
	for b, fs := range functions {
		l.contrast(b, d, fs[best], at, found)
	}
	var out []Unlikeness
	for m := range found {
		if u := found[m].differs(least); u != nil {
			u.Column, u.Machine = l.outs[i].Column, m
			out = append(out, *u)
		}
	}
	return out, nil
}

// miss is the logged less the predicted value of a row of the design, by a function to which a linear one is added; nil for none.
//
//go:noinline
func (d *design) miss(f *Function, i int, more []float64) float64 {
	y := f.Raw(func(j int) float64 { return d.x[j][i] })
	if more != nil {
		y += more[0]
		for x, j := range d.in {
			y += more[x+1] * (d.x[j][i] - d.shift[j])
		}
	}
	return d.y[i] - min(max(y, f.Lo), f.Hi)
}

// misses are those of rows of the table, whose places in the design are at.
func (d *design) misses(f *Function, rows, at []int, more []float64) []float64 {
	out := make([]float64, len(rows))
	for k, r := range rows {
		out[k] = d.miss(f, at[r], more)
	}
	return out
}

// contrast adds what the rows of a block say of each machine.
func (l *learner) contrast(b int, of *design, f *Function, at []int, found []compared) {
	d := *of
	d.present = make([]float64, len(d.y))
	for i, y := range d.now {
		d.present[i] = y + d.miss(f, i, nil)
	}
	teach, grams, every := l.t.machines(l.train[b]), make([]*gram, len(found)), newGram(len(d.in))
	for m, rows := range teach {
		grams[m] = newGram(len(d.in))
		z := make([]float64, len(d.in)+2)
		for _, r := range rows {
			if y := d.y[at[r]]; y > d.lo && y < d.hi {
				grams[m].add(&d, at[r], z)
			}
		}
		every.merge(grams[m], 1)
	}
	every.whole = make([]float64, len(d.in)+2)
	use, none := make([]int, len(d.in)+1), make([]float64, len(d.in)+2)
	for a := range use {
		use[a] = a
	}
	least := max(l.t.Columns[f.Output].Step, 1e-9) * leastScale
	everyones := newCode(d.misses(f, l.train[b], at, nil), least)
	for m, rows := range l.t.machines(l.fold[b]) {
		if m >= len(teach) || len(teach[m]) < leastRows {
			continue
		}
		grams[m].whole = every.whole
		own := grams[m].solve(&d.work, use, every, none, pull)
		as, corrected := newCode(d.misses(f, teach[m], at, nil), least), newCode(d.misses(f, teach[m], at, own), least)
		g := &found[m]
		x, y := d.misses(f, rows, at, nil), d.misses(f, rows, at, own)
		var bits [parts][2]float64
		for k := range rows {
			to := &bits[k*parts/len(rows)]
			to[0] += as.bits(x[k]) - corrected.bits(y[k])
			to[1] += everyones.bits(x[k]) - as.bits(x[k])
			g.own, g.all, g.n = g.own+y[k]*y[k], g.all+x[k]*x[k], g.n+1
		}
		g.bits = append(g.bits, bits[:]...)
	}
}
