package structure

import "math"

// Verdict is what the rows that a function does not explain look like.
type Verdict string

// The verdicts.
const (
	Exact Verdict = "exact" // every row follows the function
	// Noise: exceptions are as frequent in all cells, as when single values are
	// recorded wrongly.
	Noise Verdict = "noise"
	// Hidden: exceptions gather in some cells, as when the next state depends on
	// something that is not recorded, when inputs are recorded wrongly, or when an
	// input is missing from the function because the rows hardly show it.
	Hidden Verdict = "hidden state"
	// Chance: no inputs tell anything about the value, as of a random column.
	Chance Verdict = "chance"
	// Drawn: the value is the most likely one of several outcomes; see package outcome.
	Drawn Verdict = "drawn"
	// Changed: the function is another one after some row of the log; see FindDrift.
	Changed Verdict = "drift"
)

// judge compares the rates of exceptions of the cells by a chi-squared
// statistic: cells whose expected number of exceptions is too small to tell are
// taken together.
func (t *Table) judge(rows []int32, out int, o *Output) Verdict {
	if o.Wrong == 0 {
		return Exact
	}
	const (
		least   = 3 // exceptions to be expected in a cell
		ratio   = 3 // of the statistic to its degrees of freedom
		extreme = 6 // standard deviations
	)
	type cell struct{ n, wrong int }
	cells := map[uint64]*cell{}
	var order []uint64
	total := 0
	for _, r := range rows {
		if t.filled(r, o.Inputs) {
			continue
		}
		total++
		in := t.Input(int(r))
		key := hash(in, o.Inputs)
		c := cells[key]
		if c == nil {
			c = &cell{}
			cells[key] = c
			order = append(order, key)
		}
		c.n++
		if o.Eval(in) != t.Output(int(r), out) {
			c.wrong++
		}
	}
	rate := float64(o.Wrong) / float64(total)
	var rest cell
	sum, df := 0.0, -1
	add := func(c *cell) {
		want := rate * float64(c.n)
		sum += (float64(c.wrong) - want) * (float64(c.wrong) - want) / (want * (1 - rate))
		df++
	}
	for _, key := range order {
		if c := cells[key]; rate*float64(c.n) >= least {
			add(c)
		} else {
			rest.n, rest.wrong = rest.n+c.n, rest.wrong+c.wrong
		}
	}
	if rest.n > 0 {
		add(&rest)
	}
	if df > 0 && sum > ratio*float64(df) && sum-float64(df) > extreme*math.Sqrt(2*float64(df)) {
		return Hidden
	}
	return Noise
}

// hash is a number of the joint value of some inputs: the value itself where it
// has 64 bits or fewer.
func hash(in []uint64, inputs []int) uint64 {
	var h uint64
	for i, b := range inputs {
		if i > 0 && i%64 == 0 {
			h *= 0x9e3779b97f4a7c15
		}
		h = h<<1 | h>>63
		h ^= in[b/64] >> (b % 64) & 1
	}
	return h
}
