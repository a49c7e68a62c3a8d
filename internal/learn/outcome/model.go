package outcome

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// maxValues bounds the values of a variable that contexts test.
const maxValues = 1 << 14

// Source has the rows of a problem as a table.
type Source struct {
	Table
	p       *factored.Problem
	of      []int // the variable of the problem that each variable of the table is
	outputs []int // and each output
}

// NewSource returns an empty table of the states and actions of a problem, with the next values of some states.
// Variables with very many values are left out.
func NewSource(p *factored.Problem, outputs []int) *Source {
	s := &Source{p: p}
	number := map[int]int{}
	kinds := map[string]int{}
	for i := range p.Variables {
		v := &p.Variables[i]
		if v.Kind == factored.Auxiliary || v.Hi-v.Lo >= maxValues {
			continue
		}
		number[i] = len(s.of)
		s.of = append(s.of, i)
		s.Variables = append(s.Variables, Variable{
			Values: int32(v.Hi - v.Lo + 1), Ordered: !v.Enumeration() && !v.Bool, Kind: kindOf(v, kinds),
			Base: v.Lo, Whole: !v.Bool && v.View == nil,
		})
	}
	for _, o := range outputs {
		if i, ok := number[o]; ok {
			s.Outputs, s.outputs = append(s.Outputs, i), append(s.outputs, o)
		}
	}
	s.Now, s.Next = make([][]int32, len(s.of)), make([][]int32, len(s.Outputs))
	return s
}

// kindOf numbers the kinds of variables that an expression can compare.
func kindOf(v *factored.Variable, kinds map[string]int) int {
	key := "integer"
	switch {
	case v.Quantity(), v.Bool:
		return -1
	case v.Enumeration():
		key = strings.Join(v.View.Names, "\x00")
	case v.Fixed():
		key = "step " + v.Step().String()
	}
	if _, ok := kinds[key]; !ok {
		kinds[key] = len(kinds)
	}
	return kinds[key]
}

// Add takes a row: the values of all variables of the problem before and after a step. begins tells that
// the row before it is another run's.
func (s *Source) Add(now, next []int64, begins bool) {
	s.Begins = append(s.Begins, begins)
	for i, v := range s.of {
		s.Now[i] = append(s.Now[i], int32(now[v]-s.p.Variables[v].Lo))
	}
	for j, v := range s.outputs {
		s.Next[j] = append(s.Next[j], int32(next[v]-s.p.Variables[v].Lo))
	}
}

// Variable returns the number in the problem of an output of the table.
func (s *Source) Variable(output int) int { return s.outputs[output] }

// Chance returns a group as one of the problem.
func (s *Source) Chance(g *Group) (*chance.Group, error) {
	var names []string
	for _, o := range g.Outputs {
		names = append(names, s.p.Variables[s.outputs[o]].Name)
	}
	out, err := chance.NewGroup(s.p, names)
	if err != nil {
		return nil, err
	}
	out.Blocked, out.Noise = g.Blocked, g.Noise
	number := make([]int, len(g.Outputs)) // of each output's sum, from 1
	for j, sum := range g.x.sums {
		var terms chance.Sum
		for _, k := range sum {
			terms = append(terms, chance.Term{Variable: s.of[k.variable], Negative: k.negative})
		}
		if terms != nil {
			out.Sums = append(out.Sums, terms)
			number[j] = len(out.Sums)
		}
	}
	for i := range g.Leaves {
		l := &g.Leaves[i]
		c := chance.Context{When: s.text(l.When), Rows: l.Rows, Total: l.Total}
		if i+1 == len(g.Leaves) {
			c.When = "" // the leaves are all there is
		}
		for _, o := range l.Outcomes {
			w := chance.Outcome{Weight: o.Weight}
			for j, e := range o.Effects {
				if e.Kind == chance.Set {
					e.By += s.p.Variables[out.Outputs[j]].Lo
				}
				if e.Sum > 0 {
					e.Sum = number[j]
				}
				w.Effects = append(w.Effects, e)
			}
			c.Outcomes = append(c.Outcomes, w)
		}
		out.Contexts = append(out.Contexts, c)
	}
	for i := range g.Follows {
		f := &g.Follows[i]
		v := &s.p.Variables[s.outputs[f.Output]]
		w := chance.Follow{Output: len(g.x.outputs) + i}
		for j := range f.Leaves {
			c := chance.Case{When: s.text(f.Leaves[j].When), Value: min(v.Lo+f.Leaves[j].value(), v.Hi)}
			if j+1 == len(f.Leaves) {
				c.When = ""
			}
			w.Cases = append(w.Cases, c)
		}
		out.Follows = append(out.Follows, w)
	}
	return out, nil
}

// text writes conditions as an expression.
func (s *Source) text(when []Condition) string {
	var parts []string
	for _, c := range when {
		v := &s.p.Variables[s.of[c.Variable]]
		if c.Sign != 0 {
			sign, op := "+", ">"
			if c.Sign < 0 {
				sign = "-"
			}
			if c.Equal {
				op = "<="
			}
			parts = append(parts, fmt.Sprintf("%s %s %s %s %d", v.Name, sign, s.p.Variables[s.of[c.Other]].Name, op, c.Value))
			continue
		}
		if c.Values == nil {
			op := "~="
			if c.Equal {
				op = "=="
			}
			parts = append(parts, fmt.Sprintf("%s %s %s", v.Name, op, s.p.Variables[s.of[c.Other]].Name))
			continue
		}
		if part := among(v, c.Values); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ^ ")
}

// among writes that a variable has one of some values; empty for all of them.
func among(v *factored.Variable, values []bool) string {
	type run struct{ from, to int }
	var runs []run
	count := 0
	for i, in := range values {
		if !in {
			continue
		}
		if count++; len(runs) > 0 && runs[len(runs)-1].to == i-1 && !v.Enumeration() {
			runs[len(runs)-1].to = i
		} else {
			runs = append(runs, run{i, i})
		}
	}
	switch {
	case count == len(values):
		return ""
	case v.Bool && values[1]:
		return v.Name
	case v.Bool:
		return "~" + v.Name
	}
	last := len(values) - 1
	if len(values)-count == 1 && !v.Quantity() {
		for i, in := range values {
			if !in {
				return v.Name + " ~= " + literal(v, i)
			}
		}
	}
	var parts []string
	for _, r := range runs {
		switch {
		case r.from == r.to && !v.Quantity():
			parts = append(parts, v.Name+" == "+literal(v, r.from))
		case r.from == 0:
			parts = append(parts, upTo(v, r.to))
		case r.to == last:
			parts = append(parts, from(v, r.from))
		default:
			parts = append(parts, from(v, r.from)+" ^ "+upTo(v, r.to))
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " | ") + ")"
}

// literal writes the i-th value of a variable.
func literal(v *factored.Variable, i int) string {
	if v.Enumeration() {
		return `"` + v.View.Names[i] + `"`
	}
	return fmt.Sprint(v.Show(v.Lo + int64(i)))
}

// upTo and from write a bound on a variable; those of a quantity are edges of bins.
func upTo(v *factored.Variable, i int) string {
	if v.Quantity() {
		return v.Name + " < " + edge(v, i+1)
	}
	return v.Name + " <= " + literal(v, i)
}

func from(v *factored.Variable, i int) string {
	if v.Quantity() {
		return v.Name + " >= " + edge(v, i)
	}
	return v.Name + " >= " + literal(v, i)
}

func edge(v *factored.Variable, i int) string {
	x := v.View.Edges[i]
	if x == 0 {
		x = math.Abs(x)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
