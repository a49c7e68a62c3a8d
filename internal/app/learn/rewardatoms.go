package learn

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/reward"
	"github.com/fdplan/fdplan/problem/factored"
)

// rewardAtom is a feature with its value in a row.
type rewardAtom struct {
	reward.Atom
	value func(row []float64) float64
}

const (
	mostValues = 64 // of an integer, for each of which there is a condition
	mostBounds = 16 // values of an integer, for each of which there is a bound
	mostRelate = 40 // variables that are related to each other
)

// atoms are the features of the rows: of the variables, then of those after the step, then
// relations between two variables.
type atoms struct {
	all  []rewardAtom
	text map[string]int // places by text
	next int            // number of a variable for Atom.Variable
}

// rewardAtoms lists the features of a problem's rows.
func rewardAtoms(p *factored.Problem, s *dataset.Schema) []rewardAtom {
	a := &atoms{text: map[string]int{}}
	var sides []side
	for _, later := range []bool{false, true} {
		for i := range s.Columns {
			c := &s.Columns[i]
			v, ok := p.Find(strings.TrimSuffix(c.Name, "'"))
			if ok && (c.Role == dataset.Next) == later {
				x := side{v: v, column: i, name: v.Name, now: v.Name, action: c.Role == dataset.Action}
				if later {
					x.name += "'"
					x.later = true
				}
				sides = append(sides, x)
				a.variable(&x)
			}
		}
	}
	if len(sides) <= 2*mostRelate {
		a.relations(sides)
	}
	return a.all
}

// side is a variable in a relation.
type side struct {
	v             *factored.Variable
	column        int
	name, now     string // now is without a prime
	action, later bool
}

// add adds a feature. One that never differs from another, by its text, is added once.
func (a *atoms) add(x rewardAtom) {
	if _, ok := a.text[x.Text]; ok {
		return
	}
	a.text[x.Text] = len(a.all)
	a.all = append(a.all, x)
}

// plainName matches the values that an expression has without quotes.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*$`)

// written is a value as an expression has it; empty if it cannot be written.
func written(name string) string {
	switch name = strings.TrimPrefix(name, "@"); {
	case plainName.MatchString(name):
		return "@" + name
	case strings.Contains(name, `"`):
		return ""
	}
	return `"` + name + `"`
}

// truth is 1 for true.
func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// variable adds the features of a variable alone.
func (a *atoms) variable(x *side) {
	v, i, number := x.v, x.column, a.next
	a.next++
	all := v.Enumeration() && !slices.ContainsFunc(v.View.Names, func(name string) bool { return written(name) == "" })
	condition := func(text, negation, before string, values int64, value func(row []float64) float64) {
		at := rewardAtom{reward.Atom{Share: float64(values) / float64(v.Hi-v.Lo+1), Text: text, Negation: negation, Variable: number, Plain: text == x.name, Action: x.action, Later: x.later, Value: all}, value}
		if k, ok := a.text[before]; ok && x.later {
			at.Before = k + 1
		}
		a.add(at)
	}
	bound := func(level int64, edge string) {
		condition(x.name+" >= "+edge, x.name+" < "+edge, x.now+" >= "+edge, v.Hi-level+1, func(row []float64) float64 { return truth(row[i] >= float64(level)) })
	}
	value := func(level int64, name string) {
		condition(x.name+" == "+name, x.name+" ~= "+name, x.now+" == "+name, 1, func(row []float64) float64 { return truth(row[i] == float64(level)) })
	}
	same := func(row []float64) float64 { return row[i] }
	if v.Fixed() {
		same = func(row []float64) float64 { return v.Center(int64(row[i])) }
	}
	switch {
	case v.Bool:
		condition(x.name, "~"+x.name, x.now, 0, same)
	case v.Enumeration():
		for k, name := range v.View.Names {
			if name = written(name); name != "" {
				value(v.Lo+int64(k), name)
			}
		}
	case v.Quantity():
		for k := 1; k+1 < len(v.View.Edges); k++ {
			bound(v.Lo+int64(k), strconv.FormatFloat(v.View.Edges[k], 'f', -1, 64))
		}
	default:
		condition(x.name, "", "", 0, same)
		for k := v.Lo + 1; k <= v.Hi && v.Hi-v.Lo < mostBounds; k++ {
			bound(k, fmt.Sprint(v.Show(k)))
		}
		step := max(1, (v.Hi-v.Lo+mostValues-1)/mostValues)
		for k := v.Lo + step; k < v.Hi && v.Hi-v.Lo >= mostBounds; k += step {
			bound(k, fmt.Sprint(v.Show(k)))
		}
		last := min(v.Hi-1, v.Lo+mostValues-2)
		for k := v.Lo; k <= last; k++ {
			value(k, fmt.Sprint(v.Show(k)))
		}
		value(v.Hi, fmt.Sprint(v.Show(v.Hi)))
	}
}

// relations adds whether two variables have the same value, of which not both are actions.
func (a *atoms) relations(sides []side) {
	for i := range sides {
		for j := range i {
			x, y := &sides[i], &sides[j] // x is the later one
			if x.action && y.action || !x.later && y.later {
				continue
			}
			equal, ok := equality(x.v, y.v)
			if !ok || x.v.Bool && x.v != y.v { // of Booleans only whether one changes
				continue
			}
			const eq = " == "
			at := reward.Atom{Text: x.name + eq + y.name, Negation: x.name + " ~= " + y.name, Variable: a.next, Later: true}
			a.next++
			for _, text := range []string{x.now + eq + y.now, y.now + eq + x.now} {
				if k, ok := a.text[text]; ok && x.later {
					at.Before = k + 1
				}
			}
			l, r := x.column, y.column
			a.add(rewardAtom{at, func(row []float64) float64 { return truth(equal(row[l], row[r])) }})
		}
	}
}

// equality compares values of two variables; false if they have nothing in common.
func equality(v, w *factored.Variable) (equal func(x, y float64) bool, ok bool) {
	switch {
	case v.Bool != w.Bool || v.Quantity() || w.Quantity() || v.Enumeration() != w.Enumeration() || v.Step().Cmp(w.Step()) != 0:
		return nil, false
	case !v.Enumeration():
		return func(x, y float64) bool { return x == y }, v.Bool || v.Lo <= w.Hi && w.Lo <= v.Hi && v.Lo < v.Hi && w.Lo < w.Hi
	}
	of := map[float64]float64{} // values of w by those of v
	for i, name := range v.View.Names {
		j := slices.IndexFunc(w.View.Names, func(other string) bool {
			return strings.TrimPrefix(other, "@") == strings.TrimPrefix(name, "@")
		})
		if j >= 0 {
			of[float64(v.Lo)+float64(i)] = float64(w.Lo) + float64(j)
		}
	}
	return func(x, y float64) bool { z, ok := of[x]; return ok && z == y }, len(of) > 1
}
