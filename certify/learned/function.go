package learned

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// function is one of the record, with the rows of all its learned bits.
type function struct {
	next   []factored.Bit
	views  [][]int
	legal  []map[string]bool // by place in a view, of all learned bits
	points [][]string        // by row, the value of each variable of the view
	on     []bool            // by row, the next value
}

// counted reports whether the numbers of true bits that rules on single bits allow are all legal.
func (c *checker) counted(of []factored.Bit, legal map[string]bool) bool {
	least, most := 0, 0
	for _, b := range of {
		val := make(factored.Valuation, c.p.NumBits())
		rules := c.rulesOn([]factored.Bit{b})
		broken := func(r *factored.Constraint) bool { return !r.Holds(val, nil) }
		off := !slices.ContainsFunc(rules, broken)
		val[b] = true
		if !slices.ContainsFunc(rules, broken) {
			most++
			if !off {
				least++
			}
		}
	}
	for n := least; n <= most; n++ {
		if !legal[fmt.Sprint(n)] {
			return false
		}
	}
	return true
}

// readFunctions makes the functions: each learned bit has one, and each reads as many variables.
func (c *checker) readFunctions() error {
	list := c.r.Functions
	if list == nil {
		all := make([]int, len(c.vars))
		for i := range all {
			all[i] = i
		}
		for _, name := range c.r.Learned {
			list = append(list, Function{[]string{name}, [][]int{all}})
		}
	}
	var done []factored.Bit
	for i, x := range list {
		f := &function{views: x.Views}
		var err error
		if f.next, err = bits(c.p, x.Next); err != nil {
			return fmt.Errorf("function %d: %w", i, err)
		}
		if len(f.next) == 0 || len(f.views) != len(f.next) {
			return fmt.Errorf("function %d has %d views of %d learned bits", i, len(f.views), len(f.next))
		}
		for _, view := range f.views {
			if len(view) != len(f.views[0]) || slices.ContainsFunc(view, func(v int) bool { return v < 0 || v >= len(c.vars) }) {
				return fmt.Errorf("function %d has views that do not fit each other", i)
			}
		}
		done = append(done, f.next...)
		c.fill(f)
		c.functions = append(c.functions, f)
	}
	if !slices.Equal(slices.Sorted(slices.Values(done)), slices.Sorted(slices.Values(c.learned))) {
		return errors.New("the functions are not those of the learned bits, each once")
	}
	return nil
}

// fill gives a function its rows.
func (c *checker) fill(f *function) {
	for at := range f.views[0] {
		legal := map[string]bool{}
		for _, view := range f.views {
			for x := range c.legal[view[at]] {
				legal[x] = true
			}
		}
		f.legal = append(f.legal, legal)
	}
	for i, view := range f.views {
		for _, r := range c.rows {
			var at []string
			for _, v := range view {
				at = append(at, c.value(v, r.now))
			}
			f.points, f.on = append(f.points, at), append(f.on, r.next[f.next[i]])
		}
	}
}

func digits(val factored.Valuation, of []factored.Bit) string {
	text := make([]byte, len(of))
	for i, b := range of {
		text[i] = '0'
		if val[b] {
			text[i] = '1'
		}
	}
	return string(text)
}

// excluded reports whether rules on these bits alone exclude all values but the legal ones: either all values are
// tried, or the legal ones are those of a rule that at most or exactly one of the bits is true.
func (c *checker) excluded(of []factored.Bit, legal map[string]bool) bool {
	rules := c.rulesOn(of)
	if len(of) <= 16 {
		val := make(factored.Valuation, c.p.NumBits())
		for x := range uint64(1) << len(of) {
			for i, b := range of {
				val[b] = x>>i&1 == 1
			}
			broken := slices.ContainsFunc(rules, func(r *factored.Constraint) bool { return !r.Holds(val, nil) })
			if !legal[digits(val, of)] && !broken {
				return false
			}
		}
		return true
	}
	one := slices.ContainsFunc(rules, func(r *factored.Constraint) bool {
		sign := int64(1)
		if r.Op == factored.GE {
			sign = -1
		}
		n := 0
		for _, t := range r.Terms {
			if t.Coef == sign && !t.Lit.Neg {
				n++
			}
		}
		return r.K == sign && n == len(of) && n == len(r.Terms)
	})
	exactly := slices.ContainsFunc(rules, func(r *factored.Constraint) bool { return r.Op == factored.EQ && r.K == 1 && len(r.Terms) == len(of) })
	for i := range of {
		one = one && legal[strings.Repeat("0", i)+"1"+strings.Repeat("0", len(of)-i-1)]
	}
	return one && (exactly || legal[strings.Repeat("0", len(of))])
}

// rulesOn lists the rules about some bits at one step and no others.
func (c *checker) rulesOn(of []factored.Bit) (out []*factored.Constraint) {
	for i := range c.p.Global {
		r := &c.p.Global[i]
		if !slices.ContainsFunc(r.Terms, func(t factored.Term) bool { return t.Lit.Next || !slices.Contains(of, t.Lit.Bit) }) {
			out = append(out, r)
		}
	}
	return out
}
