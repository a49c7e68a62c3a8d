package pattern

import (
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/integer"
)

// Cut bounds the cost of the way to the goal by LM-cut (Helmert and Domshlak, ICAPS 2009): landmarks of the relaxation in which a
// fact that was true once stays so. A fact is a state bit that is true, or one that is false. What can happen is read from the program
// of a step, not from any syntax.
type Cut struct {
	facts []bound.Fact // those that some operator or the goal reads
	ops   []cutOp
	free  []int32 // operators that need nothing
	cost  []int64 // by action
	goal  []int32
	unit  int64   // that all costs are multiples of
	units []int32 // cost in these
	// By operator or fact, as lists: what operators need and add, the operators that need a fact and that add it, and those of an action.
	needs, adds, reads, added, of lists
	number                        map[bound.Fact]int32
}

// lists are many short lists in one.
type lists struct {
	start []int32
	all   []int32
}

func newLists(of [][]int32) (l lists) {
	for _, list := range of {
		l.start = append(l.start, int32(len(l.all)))
		l.all = append(l.all, list...)
	}
	l.start = append(l.start, int32(len(l.all)))
	return l
}

func (l *lists) at(i int32) []int32 { return l.all[l.start[i]:l.start[i+1]] }

// fact is the number of the fact that a bit has a value.
func (c *Cut) fact(f bound.Fact) int32 {
	n, ok := c.number[f]
	if !ok {
		n = int32(len(c.facts))
		c.number[f] = n
		c.facts = append(c.facts, f)
	}
	return n
}

// NewCut prepares for bounds by the operators of a task. It returns nil where no goal is known, or costs are too large.
func NewCut(t engine.Task, ops []bound.Operator) (*Cut, error) {
	one, err := step.New(t)
	if err != nil {
		return nil, err
	}
	c := &Cut{number: map[bound.Fact]int32{}}
	c.take(one, ops)
	if c.aim(one); len(c.goal) == 0 {
		return nil, nil
	}
	c.index()
	if !c.scale() {
		return nil, nil
	}
	return c, nil
}

// scale has costs in units; it is false where sums of them are large.
func (c *Cut) scale() bool {
	most := int64(0)
	for i := range c.ops {
		cost := c.cost[c.ops[i].action]
		c.unit, most = integer.GCD(c.unit, cost), max(most, cost)
	}
	c.unit = max(c.unit, 1)
	for _, cost := range c.cost {
		c.units = append(c.units, int32(min(cost/c.unit, unreached)))
	}
	return most/c.unit <= unreached/int64(len(c.facts)+1)
}

// take makes operators of those of a step.
func (c *Cut) take(s *step.Step, known []bound.Operator) {
	most := s.MostReward()
	numbers := func(facts []bound.Fact) (out []int32) {
		for _, f := range facts {
			out = append(out, c.fact(f))
		}
		return out
	}
	for i := range known {
		o := &known[i]
		if len(o.Effects) == 0 {
			continue
		}
		sure := cutOp{needs: numbers(o.Needs), action: int32(len(c.cost))}
		c.cost = append(c.cost, most-o.Reward)
		for _, e := range o.Effects {
			if len(e.When) == 0 {
				sure.adds = append(sure.adds, c.fact(e.Fact))
				continue
			}
			c.ops = append(c.ops, cutOp{needs: append(slices.Clone(sure.needs), numbers(e.When)...), adds: []int32{c.fact(e.Fact)}, action: sure.action})
		}
		if len(sure.adds) > 0 {
			c.ops = append(c.ops, sure)
		}
	}
}

// aim reads what must hold at the end.
func (c *Cut) aim(s *step.Step) {
	st := s.Final().NewState()
	if !st.Consistent() {
		return
	}
	for i, l := range s.Now {
		if v := st.Value(l); v != 0 {
			c.goal = append(c.goal, c.fact(bound.Fact{Place: int32(i), On: v > 0}))
		}
	}
}

// cutOp is what an action leads to.
type cutOp struct {
	needs, adds []int32
	action      int32
}

// index drops the facts that nothing needs, and lists who needs the others.
func (c *Cut) index() {
	used := make([]bool, len(c.facts))
	for _, f := range c.goal {
		used[f] = true
	}
	for i := range c.ops {
		for _, f := range c.ops[i].needs {
			used[f] = true
		}
	}
	ops := c.ops[:0]
	for _, o := range c.ops {
		o.adds = slices.DeleteFunc(o.adds, func(f int32) bool { return !used[f] || slices.Contains(o.needs, f) })
		if len(o.adds) > 0 {
			ops = append(ops, o)
		}
	}
	c.ops = ops
	reads, added, of := make([][]int32, len(c.facts)), make([][]int32, len(c.facts)), make([][]int32, len(c.cost))
	var needs, adds [][]int32
	for i, o := range c.ops {
		for _, f := range o.needs {
			reads[f] = append(reads[f], int32(i))
		}
		for _, f := range o.adds {
			added[f] = append(added[f], int32(i))
		}
		if len(o.needs) == 0 {
			c.free = append(c.free, int32(i))
		}
		of[o.action] = append(of[o.action], int32(i))
		needs, adds = append(needs, o.needs), append(adds, o.adds)
	}
	c.needs, c.adds, c.reads, c.added, c.of = newLists(needs), newLists(adds), newLists(reads), newLists(added), newLists(of)
}
