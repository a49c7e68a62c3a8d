package milp

import (
	"math"
	"slices"
)

// Program is an integer program: the least Cost*x, plus a constant that it does not
// know, over whole x from Low to High for which each row is within its range.
type Program struct {
	Low, High, Cost []int64 // by column
	Rows            []Row
	// Step divides the differences of the costs of all solutions; at least 1.
	Step int64
}

// Row is Low <= sum of terms <= High.
type Row struct {
	Terms     []Term
	Low, High int64
	// Basic is a column that is in the first basis in the place of the row's activity, -1 for none.
	Basic int32
	// Price is about what the row's multiplier is in an optimum of the relaxation: it is not negative where more of the row costs more.
	Price float64
}

// Term is a column times a coefficient. No column is twice in a row.
type Term struct {
	Column int32
	Coef   int64
}

// None is a bound of a row that does not limit it: below for Low, above for High.
const None = math.MaxInt64

// AddColumn adds a column, and returns its number.
func (p *Program) AddColumn(low, high, cost int64) int32 {
	p.Low, p.High, p.Cost = append(p.Low, low), append(p.High, high), append(p.Cost, cost)
	return int32(len(p.Low) - 1)
}

// activity is the range of a row's sum within bounds of the columns.
func activity(terms []Term, lows, highs []int64) (low, high int64) {
	for _, t := range terms {
		a, b := t.Coef*lows[t.Column], t.Coef*highs[t.Column]
		low += min(a, b)
		high += max(a, b)
	}
	return low, high
}

// close leaves out terms that are nothing, and replaces bounds of a row that do not limit it by what its columns allow.
func (p *Program) close(r *Row) {
	r.Terms = slices.DeleteFunc(r.Terms, func(t Term) bool { return t.Coef == 0 })
	low, high := activity(r.Terms, p.Low, p.High)
	if r.Low == -None || r.Low < low {
		r.Low = low
	}
	if r.High == None || r.High > high {
		r.High = high
	}
}

// keeps reports whether x is a solution.
func (p *Program) keeps(x []int64) bool {
	for j, v := range x {
		if v < p.Low[j] || v > p.High[j] {
			return false
		}
	}
	for i := range p.Rows {
		sum := int64(0)
		for _, t := range p.Rows[i].Terms {
			sum += t.Coef * x[t.Column]
		}
		if sum < p.Rows[i].Low || sum > p.Rows[i].High {
			return false
		}
	}
	return true
}

// costOf is the cost of x.
func (p *Program) costOf(x []int64) (sum int64) {
	for j, v := range x {
		sum += p.Cost[j] * v
	}
	return sum
}
