package chance

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/problem/expr"
)

// Follow gives an output of a group its next value by the next values of others of the group, as the ground follows
// from where a robot stands. The effects of outcomes on it count for nothing.
type Follow struct {
	Output int    // number among those of the group
	Cases  []Case // the first that holds counts; the last one always does

	inputs []input
	table  []int64 // the value for each joint value of inputs
}

// Case is a condition on next values, written as one on present ones, and the value that follows from it.
type Case struct {
	When  string // an expression of package expr; empty where it always holds
	Value int64
}

// follows returns what gives an output its value; nil for outcomes.
func (g *Group) follows(output int) *Follow {
	i := slices.IndexFunc(g.Follows, func(f Follow) bool { return f.Output == output })
	if i < 0 {
		return nil
	}
	return &g.Follows[i]
}

// follow sets the outputs of which Follows tells.
func (g *Group) follow(values []int64) {
	for i := range g.Follows {
		f := &g.Follows[i]
		at := int64(0)
		for _, in := range f.inputs {
			at += (values[in.variable] - g.p.Variables[g.Outputs[in.variable]].Lo) * in.stride
		}
		values[f.Output] = f.table[at]
	}
}

// prepare checks a follow and lists its values.
func (f *Follow) prepare(g *Group) error {
	v := &g.p.Variables[g.Outputs[f.Output]]
	var when []*expr.Expr
	var reads []int
	for i, c := range f.Cases {
		if last := i+1 == len(f.Cases); c.When == "" != last {
			return fmt.Errorf("%s follows from a condition in each case but the last", v.Name)
		}
		if c.Value < v.Lo || c.Value > v.Hi {
			return fmt.Errorf("%s cannot be %v; its range is %s", v.Name, v.Show(c.Value), v.RangeText())
		}
		if c.When == "" {
			continue
		}
		e, err := expr.Parse(g.p, c.When, expr.Options{})
		if err != nil {
			return err
		}
		now, next := e.Variables()
		for _, w := range now {
			k := g.p.Index(w)
			if j := slices.Index(g.Outputs, k); j < 0 || g.follows(j) != nil || len(next) > 0 {
				return fmt.Errorf("%s follows from %s; expected other fluents that the group draws", v.Name, w.Name)
			}
			reads = append(reads, k)
		}
		when = append(when, e)
	}
	slices.Sort(reads)
	inputs, size := inputsOf(g.p, slices.Compact(reads))
	if size == 0 {
		return fmt.Errorf("%s follows from more than %d joint values", v.Name, maxTable)
	}
	f.table, f.inputs = make([]int64, size), nil
	for _, in := range inputs {
		f.inputs = append(f.inputs, input{slices.Index(g.Outputs, in.variable), in.stride})
	}
	first, err := firstOf(g.p, inputs, size, when)
	for i, k := range first {
		if k < 0 {
			k = int32(len(f.Cases) - 1)
		}
		f.table[i] = f.Cases[k].Value
	}
	return err
}

// Cases lists the cases of a follow: the condition, empty for the last one, and NAME = VALUE.
func (g *Group) Cases(follow int) (all [][2]string) {
	f := &g.Follows[follow]
	v := &g.p.Variables[g.Outputs[f.Output]]
	for _, c := range f.Cases {
		all = append(all, [2]string{c.When, v.Name + " = " + valueText(v, c.Value)})
	}
	return all
}

// parseFollow reads NAME = VALUE when CONDITION, a case of what a variable follows from.
func (g *Group) parseFollow(text string) error {
	effect, when, _ := strings.Cut(text, " when ")
	j, e, err := g.parseEffect(effect)
	switch {
	case err != nil:
		return err
	case e.Kind != Set:
		return errors.New("expected follow NAME = VALUE when CONDITION")
	}
	f := g.follows(j)
	if f == nil {
		g.Follows = append(g.Follows, Follow{Output: j})
		f = &g.Follows[len(g.Follows)-1]
	}
	f.Cases = append(f.Cases, Case{strings.TrimSpace(when), e.By})
	return nil
}
