package chance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// Term is a variable of a sum.
type Term struct {
	Variable int // of the problem
	Negative bool
}

// Sum is a sum of values before a step. Its variables are integers, or all quantities with the same step.
type Sum []Term

// value returns the sum, given the values of all variables.
func (s Sum) value(now []int64) (x int64) {
	for _, t := range s {
		if t.Negative {
			x -= now[t.Variable]
		} else {
			x += now[t.Variable]
		}
	}
	return x
}

// check reports what is wrong with the variables of a sum.
func (s Sum) check(p *factored.Problem) error {
	for _, t := range s {
		v, first := &p.Variables[t.Variable], &p.Variables[s[0].Variable]
		switch {
		case v.Kind == factored.Auxiliary:
			return fmt.Errorf("a sum depends on %s; expected states and actions alone", v.Name)
		case v.Bool || v.Enumeration() || v.Quantity():
			return fmt.Errorf("%s is no number to add; expected integers or quantities of fixed decimals", v.Name)
		case v.Step().Cmp(first.Step()) != 0:
			return fmt.Errorf("%s and %s have different steps; expected the same step in a sum", v.Name, first.Name)
		}
	}
	return nil
}

// Text writes a sum as the effects of an outcome have it.
func (s Sum) Text(p *factored.Problem) string {
	var b strings.Builder
	for i, t := range s {
		switch {
		case t.Negative:
			b.WriteString(" - ")
		case i > 0:
			b.WriteString(" + ")
		}
		b.WriteString(p.Variables[t.Variable].Name)
	}
	return strings.TrimPrefix(b.String(), " ")
}

// parseSum reads the variables at the beginning of a text, and returns what follows them, which is empty or
// begins with a sign. It reports false where the text does not begin with a variable.
func (g *Group) parseSum(text string) (s Sum, rest string, ok bool) {
	for rest = strings.TrimSpace(text); rest != ""; {
		t, body := Term{}, rest
		if t.Negative = body[0] == '-'; t.Negative || body[0] == '+' && len(s) > 0 {
			body = strings.TrimSpace(body[1:])
		} else if len(s) > 0 {
			return nil, "", false
		}
		name := body
		for _, sign := range []string{" + ", " - "} {
			if a, _, found := strings.Cut(name, sign); found {
				name = a
			}
		}
		v, found := g.p.Find(strings.TrimSpace(name))
		if !found {
			return s, rest, len(s) > 0 && strings.ContainsAny(rest[:1], "+-")
		}
		t.Variable = g.p.Index(v)
		s, rest = append(s, t), strings.TrimSpace(body[len(name):])
	}
	return s, "", len(s) > 0
}

// sum returns the number, from 1, of a sum among those of the group, to which it adds it.
func (g *Group) sum(s Sum) int {
	if i := slices.IndexFunc(g.Sums, func(t Sum) bool { return slices.Equal(s, t) }); i >= 0 {
		return i + 1
	}
	g.Sums = append(g.Sums, s)
	return len(g.Sums)
}
