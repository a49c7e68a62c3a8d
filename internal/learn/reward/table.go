package reward

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Atom is a feature of one variable, or a relation between two.
type Atom struct {
	Text     string // as an expression
	Negation string // of a condition, as an expression; empty for a feature that is not joined
	Variable int    // that it is about: those of one variable are not joined with each other
	Plain    bool   // the value of the variable itself, which is preferred
	Action   bool   // about actions alone
	Value    bool   // that an enumeration has a value; there are atoms for all of them
	// Share is the part of the variable's values of which a condition holds; 0 if unknown.
	Share float64
	// Later marks a condition that is joined only where the others do not do: one on the next
	// state, or a relation.
	Later bool
	// Curved marks a product of two numbers, or what a number is beyond another. Learn takes all of them where the others do not do; see Curves.
	Curved bool
	// Before is, of a condition on the next state, one more than the place of the atom that
	// says the same of the state before the step; 0 for none.
	Before int
}

// Table holds observed rows, each with its own states and action.
type Table struct {
	Atoms   []Atom
	Columns [][]float64 // by atom, its value in each row: 0 or 1 for a condition
	Rewards []float64   // by row
	Counts  []int       // by row, how often it was seen, less how often with another reward; nil for once
	// Contradictory counts further rows that no function is right on.
	Contradictory int
	// Means says that the rewards are means, of as many observations as Counts says, which differ: a function comes near them by least squares. Within is the sum of
	// the squares by which the observations differ from their means.
	Means  bool
	Within float64
}

// Term is a sum's feature with a weight: where one of its cases holds. A case is a conjunction
// of literals; a single literal may also be a number.
type Term struct {
	Cases  [][]int // of literals: 2i for the atom i, 2i+1 for its negation
	Weight float64
	With   []int // literals that the rows do not tell from the others of the only case; see guard
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

// feature is the value of a term's feature in a row.
func (t *Table) feature(m *Term, row int) float64 {
	most := t.term(m.Cases[0], row)
	for _, c := range m.Cases[1:] {
		most = max(most, t.term(c, row))
	}
	return most
}

// count is how often a row was seen.
func (t *Table) count(row int) int {
	if t.Counts == nil {
		return 1
	}
	return t.Counts[row]
}

// Eval returns the reward that a function gives a row.
func (t *Table) Eval(f *Function, row int) float64 {
	sum := f.Constant
	for i := range f.Terms {
		sum += f.Terms[i].Weight * t.feature(&f.Terms[i], row)
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
		var cases []string
		for _, c := range m.Cases {
			cases = append(cases, t.conjunction(c))
		}
		text := strings.Join(cases, " | ")
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

// conjunction writes literals as an expression. Where less is left of the values of an
// enumeration than is excluded, it writes what is left.
func (t *Table) conjunction(lits []int) string {
	var parts []string
	done := map[int]bool{} // variables of which what is left was written
	for _, l := range lits {
		a := &t.Atoms[l/2]
		left := t.left(a.Variable, lits)
		switch {
		case l%2 == 0:
			parts = append(parts, a.Text)
		case !a.Value || len(left) == 0:
			parts = append(parts, a.Negation)
		case !done[a.Variable]:
			done[a.Variable] = true
			text := strings.Join(left, " | ")
			if len(left) > 1 {
				text = "(" + text + ")"
			}
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ^ ")
}

// left lists the values that literals leave to an enumeration, as conditions; none if they
// exclude fewer.
func (t *Table) left(variable int, lits []int) []string {
	var left []string
	excluded := 0
	for i := range t.Atoms {
		switch a := &t.Atoms[i]; {
		case a.Variable != variable || !a.Value:
		case slices.Contains(lits, 2*i+1):
			excluded++
		default:
			left = append(left, a.Text)
		}
	}
	if len(left) > excluded {
		return nil
	}
	return left
}

// check reports columns of other lengths than the rewards.
func (t *Table) check() error {
	if len(t.Columns) != len(t.Atoms) || slices.ContainsFunc(t.Columns, func(c []float64) bool { return len(c) != len(t.Rewards) }) {
		return fmt.Errorf("%d columns for %d features, expected one each of %d rows", len(t.Columns), len(t.Atoms), len(t.Rewards))
	}
	if t.Counts != nil && len(t.Counts) != len(t.Rewards) {
		return fmt.Errorf("%d counts of %d rows, expected one each", len(t.Counts), len(t.Rewards))
	}
	if len(t.Rewards) == 0 {
		return fmt.Errorf("no row has a reward, expected one at least")
	}
	return nil
}
