package learn

import (
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// sets lists, for each fluent of several arguments or one, its Boolean inputs that agree in all
// arguments but one.
func sets(p *factored.Problem) [][]int {
	var order []string
	members := map[string][]int{}
	for i, b := range p.Inputs {
		v, _ := p.Owner(b)
		name, args, ok := strings.Cut(strings.TrimSuffix(v.Name, ")"), "(")
		if !ok || v.Width > 1 {
			continue
		}
		list := strings.Split(args, ",")
		for k, a := range list {
			list[k] = "?"
			key := name + "(" + strings.Join(list, ",")
			list[k] = a
			if members[key] == nil {
				order = append(order, key)
			}
			members[key] = append(members[key], i)
		}
	}
	var all [][]int
	for _, key := range order {
		if len(members[key]) > 1 {
			all = append(all, members[key])
		}
	}
	return all
}

// own returns, for each output, the input that is the same bit before the step, -1 if no input
// is.
func own(p *factored.Problem) func(output int) int {
	at := map[factored.Bit]int{}
	for i, b := range p.Inputs {
		at[b] = i
	}
	return func(output int) int {
		if i, ok := at[p.Outputs[output]]; ok {
			return i
		}
		return -1
	}
}

// mostTerms is the most terms of a rule whose pairs are looked at.
const mostTerms = 300

// exclusive reports, for two literals of inputs, whether a rule of the problem forbids both at
// once, as for two positions of one robot or two bits of a value that an enumeration lacks.
func exclusive(p *factored.Problem) func(a, b int) bool {
	at := map[factored.Bit]int{}
	for i, b := range p.Inputs {
		at[b] = i
	}
	forbidden := map[[2]int]bool{}
	for i := range p.Global {
		c := &p.Global[i]
		if len(c.Terms) > mostTerms {
			continue
		}
		if c.Op != factored.GE {
			forbid(c.Terms, 1, c.K, at, forbidden)
		}
		if c.Op != factored.LE {
			forbid(c.Terms, -1, -c.K, at, forbidden)
		}
	}
	return func(a, b int) bool { return forbidden[[2]int{a, b}] }
}

// forbid adds the pairs of literals that exceed k in the sum of terms, times sign, whatever the
// other terms are.
func forbid(terms []factored.Term, sign, k int64, at map[factored.Bit]int, forbidden map[[2]int]bool) {
	least := int64(0)
	for _, t := range terms {
		least += min(0, sign*t.Coef)
	}
	// dear returns the value of a term's bit that costs more, as a literal, and by how much.
	dear := func(t factored.Term) (literal int, more int64, ok bool) {
		i, ok := at[t.Lit.Bit]
		if !ok || t.Lit.Next {
			return 0, 0, false
		}
		if more = sign * t.Coef; more < 0 {
			t.Lit.Neg, more = !t.Lit.Neg, -more
		}
		if t.Lit.Neg {
			return 2 * i, more, true
		}
		return 2*i + 1, more, true
	}
	for i, s := range terms {
		a, x, ok := dear(s)
		if !ok {
			continue
		}
		for _, t := range terms[i+1:] {
			if b, y, ok := dear(t); ok && least+x+y > k && a/2 != b/2 {
				forbidden[[2]int{a, b}], forbidden[[2]int{b, a}] = true, true
			}
		}
	}
}
