package outcomes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/app/load"
)

// What makes more than an accident of a dependence on the row before: shuffles of the outcomes show by how much they depend on anything by
// chance, and farMore is how many standard deviations more it must be. What is less than leastBits a row matters to no plan.
const (
	shuffles  = 20
	farMore   = 8
	leastBits = .01
	likeRows  = 8       // of one state and action, at least
	mostLinks = 1 << 15 // rows that are compared
)

// earlier tells whether the outcomes of a drawn group depend on the row before where state and action are the same: then the rows refute
// that the state decides what may follow. It is nil if they do not show that. It looks at whole states and actions, so that it does not rest on contexts.
func (x *chanceRows) earlier(line *Line) *load.Earlier {
	if line.Reading != readChance {
		return nil // wrong records tell of rows before, too
	}
	alike := x.alike(x.linked())
	var best *load.Earlier
	for i := range line.groups {
		outputs := line.groups[i].Outputs
		cells := outcomesOf(alike, func(r int) string {
			var values []int64
			for _, v := range outputs {
				values = append(values, x.next[r][v])
			}
			return fmt.Sprint(values)
		})
		for v := range x.p.Problem.Variables {
			if bits, rows := depend(cells, func(r int) int64 { return x.now[r-1][v] }); bits >= leastBits && (best == nil || bits > best.Bits) {
				best = &load.Earlier{Fluents: x.names(&line.groups[i]), Of: x.p.Problem.Variables[v].Name, Bits: bits, Rows: rows, Lags: x.lags() + 1}
			}
		}
	}
	return best
}

// lags is how many rows back the states go.
func (x *chanceRows) lags() (most int) {
	for i := range x.p.Problem.Variables {
		most = max(most, x.p.Problem.Variables[i].Lag.By)
	}
	return most
}

// linked lists the first rows that begin as the one before them ended.
func (x *chanceRows) linked() (rows []int) {
	for r := 1; r < len(x.now) && len(rows) < mostLinks; r++ {
		if !x.begins[r] && !slices.ContainsFunc(x.outputs, func(v int) bool { return x.next[r-1][v] != x.now[r][v] }) {
			rows = append(rows, r)
		}
	}
	return rows
}

// alike puts rows of the same state and action together, in the order in which they are met, without those that few rows share.
func (x *chanceRows) alike(rows []int) [][]int {
	of, most := numbered(rows, func(r int) string { return fmt.Sprint(x.now[r]) })
	all := make([][]int, most)
	for i, r := range rows {
		all[of[i]] = append(all[of[i]], r)
	}
	return slices.DeleteFunc(all, func(rows []int) bool { return len(rows) < likeRows })
}

// numbered numbers what rows have from 0, in the order in which it is met, and returns how many numbers there are.
func numbered[T comparable](rows []int, of func(r int) T) (numbers []int, most int) {
	known := map[T]int{}
	for _, r := range rows {
		what := of(r)
		n, ok := known[what]
		if !ok {
			n = len(known)
			known[what] = n
		}
		numbers = append(numbers, n)
	}
	return numbers, len(known)
}

// cell has rows of one state and action, and the outcome of each as a number.
type cell struct {
	rows     []int
	outcomes []int
	most     int // outcomes
}

// outcomesOf numbers the outcomes of rows that are alike, without rows that all have one.
func outcomesOf(alike [][]int, of func(r int) string) (out []*cell) {
	for _, rows := range alike {
		if outcomes, most := numbered(rows, of); most > 1 {
			out = append(out, &cell{rows, outcomes, most})
		}
	}
	return out
}

// depend returns how many bits a row the outcomes of cells are more certain where a value is known of each row, beyond what they are by accident, and
// the number of rows; 0 where that may be an accident.
func depend(cells []*cell, of func(r int) int64) (bits float64, rows int) {
	gain, squares, sum := 0.0, 0.0, 0.0
	r := rand.New(rand.NewPCG(1, 1))
	drawn := make([]float64, shuffles)
	for _, c := range cells {
		values, number := numbered(c.rows, of)
		rows += len(c.rows)
		if number < 2 {
			continue
		}
		gain += c.shared(values, number)
		for k := range drawn {
			r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			drawn[k] += c.shared(values, number)
		}
	}
	for _, d := range drawn {
		sum += d
		squares += d * d
	}
	mean := sum / shuffles
	deviation := math.Sqrt(max(squares/shuffles-mean*mean, 0))
	if more := gain - mean; more > noAccident && more > farMore*deviation {
		return more / float64(rows), rows
	}
	return 0, rows
}

// shared is the information in bits that values have of the outcomes of a cell, over its rows.
func (c *cell) shared(values []int, number int) float64 {
	both, ofValue, ofOutcome := make([]float64, number*c.most), make([]float64, number), make([]float64, c.most)
	for i, v := range values {
		both[v*c.most+c.outcomes[i]]++
		ofValue[v]++
		ofOutcome[c.outcomes[i]]++
	}
	n, bits := float64(len(values)), 0.0
	for v := range number {
		for o := range c.most {
			if k := both[v*c.most+o]; k > 0 {
				bits += k * math.Log2(k*n/(ofValue[v]*ofOutcome[o]))
			}
		}
	}
	return bits
}
