package reward

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Atom is a feature of a single variable.
type Atom struct {
	Text     string // as an expression
	Negation string // of a condition, as an expression; empty for a feature that is not joined
	Variable int    // that it is about: those of one variable are not joined with each other
	Plain    bool   // the value of the variable itself, which is preferred
}

// Table holds observed rows.
type Table struct {
	Atoms   []Atom
	Columns [][]float64 // by atom, its value in each row: 0 or 1 for a condition
	Rewards []float64   // by row
}

// Term is a product of the values of one to three literals, with a weight.
type Term struct {
	Literals []int // 2i for the atom i, 2i+1 for its negation
	Weight   float64
}

// Function is a sum of terms and a constant.
type Function struct {
	Terms    []Term
	Constant float64
	// Exact reports that the weights are decimal fractions which give the reward of
	// the rows exactly, but for those that are wrong.
	Exact bool
	Error float64 // mean absolute error over the rows, the wrong ones of an exact function apart
}

// value of a literal in a row.
func (t *Table) value(lit, row int) float64 {
	v := t.Columns[lit/2][row]
	if lit%2 == 1 {
		return 1 - v
	}
	return v
}

// term is the product of literals in a row.
func (t *Table) term(lits []int, row int) float64 {
	p := 1.0
	for _, l := range lits {
		p *= t.value(l, row)
	}
	return p
}

// Eval returns the reward that a function gives a row.
func (t *Table) Eval(f *Function, row int) float64 {
	sum := f.Constant
	for _, m := range f.Terms {
		sum += m.Weight * t.term(m.Literals, row)
	}
	return sum
}

// tolerance is how far a reward may be from a sum that equals it, for rounding.
const tolerance = 1e-7

// Same reports whether two rewards are equal but for rounding.
func Same(a, b float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

// Wrong lists the rows to which a function gives another reward.
func (t *Table) Wrong(f *Function) []int {
	var rows []int
	for r := range t.Rewards {
		if !Same(t.Eval(f, r), t.Rewards[r]) {
			rows = append(rows, r)
		}
	}
	return rows
}

// Text returns a function as an expression.
func (t *Table) Text(f *Function) string {
	var b strings.Builder
	add := func(w float64, what string) {
		sign := " + "
		if w < 0 {
			sign = " - "
		}
		if b.Len() == 0 {
			sign = map[bool]string{true: "-"}[w < 0]
		}
		n := strconv.FormatFloat(math.Abs(w), 'f', -1, 64)
		switch {
		case what == "":
			what = n
		case n != "1":
			what = n + "*" + what
		}
		b.WriteString(sign + what)
	}
	for _, m := range f.Terms {
		var parts []string
		for _, l := range m.Literals {
			a := &t.Atoms[l/2]
			parts = append(parts, map[bool]string{false: a.Text, true: a.Negation}[l%2 == 1])
		}
		text := strings.Join(parts, " ^ ")
		if strings.Contains(text, " ") {
			text = "(" + text + ")"
		}
		add(m.Weight, text)
	}
	if f.Constant != 0 || b.Len() == 0 {
		add(f.Constant, "")
	}
	return b.String()
}

// check reports columns of other lengths than the rewards.
func (t *Table) check() error {
	if len(t.Columns) != len(t.Atoms) || slices.ContainsFunc(t.Columns, func(c []float64) bool { return len(c) != len(t.Rewards) }) {
		return fmt.Errorf("%d columns for %d features, expected one each of %d rows", len(t.Columns), len(t.Atoms), len(t.Rewards))
	}
	if len(t.Rewards) == 0 {
		return fmt.Errorf("no row has a reward, expected one at least")
	}
	return nil
}
