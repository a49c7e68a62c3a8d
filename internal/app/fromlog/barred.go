package fromlog

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/data/dataset"
)

const (
	// mostOfAction and mostOfState bound the values of an action and a state that are looked at together.
	mostOfAction = 32
	mostOfState  = 64
	// mostPairs bounds the actions times the states.
	mostPairs = 64
	// deviations is how far numbers of rows may be off, in standard deviations.
	deviations = 3
	// fitRounds is how often the factors of states and actions are adapted to each other.
	fitRounds = 60
)

// cross counts the rows with each value of a state and of an action.
type cross struct {
	states, actions []float64   // values, in order
	n               [][]float64 // by state and action
	holes           [][]bool
	row, column     []float64 // factors of the expected numbers
}

// newCross returns nil if a value is not known.
func newCross(counts map[[2]float64]int) *cross {
	x := &cross{}
	for k := range counts {
		if math.IsNaN(k[0]) || math.IsNaN(k[1]) {
			return nil
		}
		if !slices.Contains(x.states, k[0]) {
			x.states = append(x.states, k[0])
		}
		if !slices.Contains(x.actions, k[1]) {
			x.actions = append(x.actions, k[1])
		}
	}
	slices.Sort(x.states)
	slices.Sort(x.actions)
	for _, q := range x.states {
		n, hole := make([]float64, len(x.actions)), make([]bool, len(x.actions))
		for j, a := range x.actions {
			n[j] = float64(counts[[2]float64{q, a}])
			hole[j] = n[j] == 0
		}
		x.n, x.holes = append(x.n, n), append(x.holes, hole)
	}
	x.row, x.column = make([]float64, len(x.states)), slices.Repeat([]float64{1}, len(x.actions))
	return x
}

// fit finds factors of states and actions whose products sum up to the numbers of rows, but for the holes (Goodman, The analysis of
// cross-classified data: independence, quasi-independence, and interactions, 1968).
func (x *cross) fit() {
	scale := func(factors, by []float64, cell func(k, l int) (i, j int)) {
		for k := range factors {
			sum, expected := 0.0, 0.0
			for l, f := range by {
				if i, j := cell(k, l); !x.holes[i][j] {
					sum, expected = sum+x.n[i][j], expected+f
				}
			}
			factors[k] = sum / max(expected, 1e-9)
		}
	}
	for range fitRounds {
		scale(x.row, x.column, func(k, l int) (i, j int) { return k, l })
		scale(x.column, x.row, func(k, l int) (i, j int) { return l, k })
	}
}

// barred reports whether actions are taken whatever the state is, but where no row has them though many would: then these are not possible, while someone who takes an
// action rather in some states than in others leaves it out by choice. The holes are then what is not possible.
func (x *cross) barred() bool {
	for range 3 {
		x.fit()
		for i := range x.holes {
			for j := range x.holes[i] {
				x.holes[i][j] = x.holes[i][j] && x.row[i]*x.column[j] >= avoidedRows
			}
		}
	}
	x.fit()
	cells, holes, off := 0, 0, 0.0
	for i := range x.n {
		for j, n := range x.n[i] {
			if x.holes[i][j] {
				holes++
				continue
			}
			cells++
			if off += 2 * x.row[i] * x.column[j]; n > 0 {
				off += 2 * (n*math.Log(n/(x.row[i]*x.column[j])) - n)
			}
		}
	}
	free := float64(cells - len(x.states) - len(x.actions) + 1)
	return holes > 0 && free >= 1 && x.connected() && off <= free+deviations*math.Sqrt(2*free)
}

// connected reports whether all states and actions can be compared, over others where need be: else each part of them may have actions of its own.
func (x *cross) connected() bool {
	states, actions := make([]bool, len(x.states)), make([]bool, len(x.actions))
	states[0] = true
	for range x.states {
		for i := range x.holes {
			for j, hole := range x.holes[i] {
				if !hole && x.n[i][j] > 0 && (states[i] || actions[j]) {
					states[i], actions[j] = true, true
				}
			}
		}
	}
	return !slices.Contains(states, false) && !slices.Contains(actions, false)
}

// rules writes that actions are not possible, but for one that does nothing.
func (x *cross) rules(state, action *dataset.Column, nothing string) (out []string) {
	for j, a := range x.actions {
		var not, may []float64
		first, last := x.further(j, state.Type == dataset.Int)
		for i, q := range x.states {
			if x.holes[i][j] || i < first || i >= last {
				not = append(not, q)
			} else {
				may = append(may, q)
			}
		}
		if len(not) > 0 && len(may) > 0 && action.Text(a) != nothing {
			out = append(out, is(action, a)+" => "+within(state, not, may))
		}
	}
	return out
}

// further returns the states from the first to before the last beyond which no row has an action, where the next one beyond is a hole: what is not possible with 38 is not with 39
// either, of which few rows are.
func (x *cross) further(action int, ordered bool) (first, last int) {
	last = len(x.states)
	none := func(i int) bool { return x.n[i][action] == 0 }
	if !ordered {
		return first, last
	}
	for first < last && none(first) {
		first++
	}
	for last > first && none(last-1) {
		last--
	}
	if first > 0 && !x.holes[first-1][action] {
		first = 0
	}
	if last < len(x.states) && !x.holes[last][action] {
		last = len(x.states)
	}
	return first, last
}

// is writes that a column has a value.
func is(c *dataset.Column, value float64) string {
	switch {
	case c.Type == dataset.Bool && value == 0:
		return "~" + c.Name
	case c.Type == dataset.Bool:
		return c.Name
	case c.Type == dataset.Enum:
		return fmt.Sprintf("%s == %s", c.Name, valueName(c.Text(value)))
	}
	return fmt.Sprintf("%s == %v", c.Name, value)
}

// within writes that a state has one of some values and none of others, all in order.
func within(c *dataset.Column, not, may []float64) string {
	last := len(not) - 1
	switch {
	case c.Type == dataset.Bool:
		return is(c, may[0])
	case c.Type == dataset.Int && not[last] < may[0]:
		return fmt.Sprintf("%s >= %v", c.Name, may[0])
	case c.Type == dataset.Int && not[0] > may[len(may)-1]:
		return fmt.Sprintf("%s <= %v", c.Name, may[len(may)-1])
	}
	var parts []string
	for _, q := range may {
		parts = append(parts, is(c, q))
	}
	joint := " | "
	if len(not) < len(may) {
		parts, joint = nil, " ^ "
		for _, q := range not {
			parts = append(parts, strings.Replace(is(c, q), "==", "~=", 1))
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, joint) + ")"
}
