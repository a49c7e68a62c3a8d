package greedy

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/pddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// fact is that a Boolean state fluent is true (even) or false (odd), or that a condition holds, which comes after these.
type fact int32

// task is a ground problem as the search reads it.
type task struct {
	p      *ground.Problem
	bools  []int   // fluents that are Boolean states
	nums   []int   // fluents that are numeric states
	place  []int32 // by fluent: in bools or nums
	interm []int   // fluents that are derived, each after those that it reads
	conds  []*ground.Node
	parts  []part
	ops    []pddl.Operator
	goal   []fact
	users  [][]int32 // by fact: parts that need it
	movers [][]mover // by number: what changes it
	within func(fluent int) (lo, hi float64)
}

// part is what an operator does under one condition.
type part struct {
	op    int32
	needs []fact
	adds  []fact
	nums  []*pddl.Effect
	whole bool // it has the needs of the operator alone
}

// mover is an effect on a number.
type mover struct {
	part   int32
	effect *pddl.Effect
}

// newTask reads a grounded problem. within gives the values that a number can have.
func newTask(g *pddl.Grounded, within func(fluent int) (lo, hi float64)) *task {
	t := &task{p: g.Problem, ops: g.Operators, place: make([]int32, len(g.Fluents)), within: within}
	for i := range g.Fluents {
		switch f := &g.Fluents[i]; {
		case f.Kind != ground.State:
		case f.Type == ground.Bool:
			t.place[i] = int32(len(t.bools))
			t.bools = append(t.bools, i)
		default:
			t.place[i] = int32(len(t.nums))
			t.nums = append(t.nums, i)
		}
	}
	for _, i := range g.Order {
		if g.Fluents[i].Kind == ground.Interm {
			t.interm = append(t.interm, i)
		}
	}
	known := map[*ground.Node]fact{}
	t.goal = t.facts(g.Goal, nil, known)
	for k := range t.ops {
		t.read(k, known)
	}
	t.users = make([][]int32, 2*len(t.bools)+len(t.conds))
	t.movers = make([][]mover, len(t.nums))
	for i := range t.parts {
		for _, f := range t.parts[i].needs {
			t.users[f] = append(t.users[f], int32(i))
		}
		for _, e := range t.parts[i].nums {
			n := t.place[e.Fluent]
			t.movers[n] = append(t.movers[n], mover{int32(i), e})
		}
	}
	return t
}

// read makes the parts of an operator: one for what it always does, and one for each condition of an effect. The first has its needs alone.
func (t *task) read(k int, known map[*ground.Node]fact) {
	o := &t.ops[k]
	first := part{op: int32(k), whole: true}
	for _, n := range o.Needs {
		first.needs = t.facts(n, first.needs, known)
	}
	at := len(t.parts)
	t.parts = append(t.parts, first)
	for i := range o.Effects {
		e := &o.Effects[i]
		x := at
		if e.When.Op != ground.Const {
			x = len(t.parts)
			t.parts = append(t.parts, part{op: int32(k), needs: t.facts(e.When, slices.Clone(first.needs), known)})
		}
		if t.p.Fluents[e.Fluent].Type == ground.Bool {
			t.parts[x].adds = append(t.parts[x].adds, t.literal(e.Fluent, e.Value.Val == 1))
		} else {
			t.parts[x].nums = append(t.parts[x].nums, e)
		}
	}
}

// literal is the fact that a Boolean state fluent has a value.
func (t *task) literal(fluent int, on bool) fact {
	f := fact(2 * t.place[fluent])
	if !on {
		f++
	}
	return f
}

// facts adds those that a condition asks for.
func (t *task) facts(n *ground.Node, to []fact, known map[*ground.Node]fact) []fact {
	is := func(n *ground.Node) bool { return n.Op == ground.Ref && t.p.Fluents[n.Fluent].Kind == ground.State }
	f := fact(0)
	switch {
	case n.Op == ground.And:
		for _, a := range n.Args {
			to = t.facts(a, to, known)
		}
		return to
	case n.Op == ground.Const && n.Val == 1:
		return to
	case is(n):
		f = t.literal(n.Fluent, true)
	case n.Op == ground.Not && is(n.Args[0]):
		f = t.literal(n.Args[0].Fluent, false)
	default:
		var ok bool
		if f, ok = known[n]; !ok {
			f = fact(2*len(t.bools) + len(t.conds))
			known[n] = f
			t.conds = append(t.conds, n)
		}
	}
	if slices.Contains(to, f) {
		return to
	}
	return append(to, f)
}

// words is the length of a packed state: bits, then numbers.
func (t *task) words() int { return (len(t.bools)+63)/64 + len(t.nums) }

// pack packs the state in values of fluents.
func (t *task) pack(values []float64, key []uint64) {
	clear(key)
	for i, f := range t.bools {
		if values[f] != 0 {
			key[i/64] |= 1 << (i % 64)
		}
	}
	for i, f := range t.nums {
		key[(len(t.bools)+63)/64+i] = math.Float64bits(values[f] + 0) // no negative zero
	}
}

// unpack writes a state and what is derived from it into values of fluents.
func (t *task) unpack(key []uint64, values []float64) {
	for i, f := range t.bools {
		values[f] = float64(key[i/64] >> (i % 64) & 1)
	}
	for i, f := range t.nums {
		values[f] = math.Float64frombits(key[(len(t.bools)+63)/64+i])
	}
	for _, f := range t.interm {
		values[f] = value(t.p.Fluents[f].CPF, values)
	}
}

// apply writes the state after an operator, packed. It is false where a number leaves the values that it can have.
func (t *task) apply(o *pddl.Operator, values, after []float64, key []uint64) bool {
	copy(after, values)
	for pass := range 2 { // what is added and deleted is true
		for i := range o.Effects {
			e := &o.Effects[i]
			isBool := t.p.Fluents[e.Fluent].Type == ground.Bool
			if late := isBool && e.Value.Val == 1; late != (pass == 1) || value(e.When, values) == 0 {
				continue
			}
			x := pddl.Changed(e.Op, after[e.Fluent], value(e.Value, values))
			if lo, hi := 0.0, 1.0; !isBool {
				if lo, hi = t.within(e.Fluent); !(x >= lo && x <= hi) {
					return false
				}
			}
			after[e.Fluent] = x
		}
	}
	t.pack(after, key)
	return true
}

// cost is that of an operator in a state.
func (t *task) cost(o *pddl.Operator, values []float64) (sum float64) {
	for _, n := range o.Cost {
		sum += value(n, values)
	}
	return sum
}

// holds reports whether a fact is so in a state.
func (t *task) holds(f fact, values []float64) bool {
	if n := int(f) - 2*len(t.bools); n >= 0 {
		return value(t.conds[n], values) != 0
	}
	return (values[t.bools[f/2]] != 0) == (f%2 == 0)
}

// value evaluates an expression.
func value(n *ground.Node, values []float64) float64 {
	lo, _ := span(n, func(f int) (float64, float64) { return values[f], values[f] })
	return lo
}

// huge stands for numbers without bounds, and is small enough to be added up.
const huge = 1e15

// span is the interval of the values that an expression may have where fluents have values in intervals. Truth values are 0 and 1.
func span(n *ground.Node, of func(fluent int) (lo, hi float64)) (lo, hi float64) {
	truth := func(never, always bool) (float64, float64) {
		if never || always {
			return number(always), number(always)
		}
		return 0, 1
	}
	switch n.Op {
	case ground.Const:
		return n.Val, n.Val
	case ground.Ref:
		return of(n.Fluent)
	case ground.Not:
		lo, hi = span(n.Args[0], of)
		return 1 - hi, 1 - lo
	case ground.Neg:
		lo, hi = span(n.Args[0], of)
		return -hi, -lo
	}
	lo, hi = span(n.Args[0], of)
	for _, a := range n.Args[1:] {
		l, h := span(a, of)
		switch n.Op {
		case ground.And:
			lo, hi = min(lo, l), min(hi, h)
		case ground.Or:
			lo, hi = max(lo, l), max(hi, h)
		case ground.Add:
			lo, hi = lo+l, hi+h
		case ground.Sub:
			lo, hi = lo-h, hi-l
		case ground.Mul:
			lo, hi = min(lo*l, lo*h, hi*l, hi*h), max(lo*l, lo*h, hi*l, hi*h)
		case ground.Div:
			if l <= 0 && h >= 0 {
				lo, hi = -huge, huge
			} else {
				lo, hi = min(lo/l, lo/h, hi/l, hi/h), max(lo/l, lo/h, hi/l, hi/h)
			}
		case ground.Eq:
			return truth(hi < l || h < lo, lo == hi && l == h && lo == l)
		case ground.Lt:
			return truth(lo >= h, hi < l)
		case ground.Le:
			return truth(lo > h, hi <= l)
		case ground.Gt:
			return truth(hi <= l, lo > h)
		case ground.Ge:
			return truth(hi < l, lo >= h)
		}
	}
	return max(-huge, lo), min(huge, hi)
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
