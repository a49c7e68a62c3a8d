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
func (t *Table) judge(out int, o *Output) Verdict {
	if o.Wrong == 0 {
		return Exact
	}
	const (
		least   = 3 // exceptions to be expected in a cell
		ratio   = 3 // of the statistic to its degrees of freedom
		extreme = 6 // standard deviations
	)
	cases, total := t.Cases(out, o.Inputs), 0
	for _, c := range cases {
		total += c.Zeros + c.Ones
	}
	rate := float64(o.Wrong) / float64(total)
	sum, df := 0.0, -1
	add := func(n, wrong int) {
		want := rate * float64(n)
		sum += (float64(wrong) - want) * (float64(wrong) - want) / (want * (1 - rate))
		df++
	}
	rest, missed := 0, 0
	for _, c := range cases {
		n, wrong := c.Zeros+c.Ones, c.Ones
		if o.Eval(t.Input(c.Row)) {
			wrong = c.Zeros
		}
		if rate*float64(n) >= least {
			add(n, wrong)
		} else {
			rest, missed = rest+n, missed+wrong
		}
	}
	if rest > 0 {
		add(rest, missed)
	}
	if df > 0 && sum > ratio*float64(df) && sum-float64(df) > extreme*math.Sqrt(2*float64(df)) {
		return Hidden
	}
	return Noise
}
