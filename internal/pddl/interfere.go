package pddl

import (
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// Two actions interfere if one changes what the other reads, or both set something to different values. Those of a step that do not can be executed in any
// order, with the same result: ∀-step plans (Rintanen, Heljanko and Niemelä, Artificial Intelligence 170, 2006).

// access is what actions do with a fluent, by their numbers in increasing order. Of a number, those at 0 of set change it and those at 1 assign or scale it, and
// those at 0 of hurt read it.
type access struct {
	set  [2][]int // those that may make it false, and true
	hurt [2][]int // those for which it matters that it becomes false, and true
}

func note(list *[]int, k int) {
	if n := len(*list); n == 0 || (*list)[n-1] != k {
		*list = append(*list, k)
	}
}

// parallel has a step be any set of actions that do not interfere, and cost 1.
func (g *grounder) parallel(ops []Operator) {
	of := make([]access, len(g.p.Fluents))
	for k, op := range ops {
		r := &needs{g: g, of: of, action: k, seen: map[[2]int]bool{}}
		for _, n := range op.Needs {
			r.read(n, 1)
		}
		for _, n := range op.Cost {
			r.read(n, bothWays)
		}
		for _, e := range op.Effects {
			r.read(e.When, bothWays)
			r.read(e.Value, bothWays)
			g.sets(&of[e.Fluent], k, op, e)
		}
	}
	for i := range of {
		x := &of[i]
		g.exclude(i, x.set[0], union(x.hurt[0], x.set[1]))
		g.exclude(i, x.set[1], x.hurt[1])
	}
	g.p.MaxActions = -1
	g.p.Reward = &ground.Node{Op: ground.Const, Type: ground.Int, Val: -1}
}

// sets notes what an effect of an action may set. What the action adds whatever holds, it does not delete.
func (g *grounder) sets(x *access, k int, op Operator, e Effect) {
	if g.p.Fluents[e.Fluent].Type != ground.Bool {
		note(&x.set[0], k)
		if e.Op != "increase" && e.Op != "decrease" {
			note(&x.set[1], k)
		}
		return
	}
	adds := func(o Effect) bool { return o.Fluent == e.Fluent && o.Value.Val == 1 && isConst(o.When) }
	if to := int(e.Value.Val); to == 1 || !slices.ContainsFunc(op.Effects, adds) {
		note(&x.set[to], k)
	}
}

// needs notes what an action reads.
type needs struct {
	g      *grounder
	of     []access
	action int
	seen   map[[2]int]bool // derived fluents, and which way
}

// bothWays is the sign of a condition of which both truth values matter; 1 is that of one that must hold, and -1 of one that must not.
const bothWays = 0

// read notes the fluents of a condition or number.
func (r *needs) read(n *ground.Node, sign int) {
	if n.Op == ground.Ref {
		r.fluent(n.Fluent, sign)
		return
	}
	switch n.Op {
	case ground.Not:
		sign = -sign
	case ground.And, ground.Or:
	default:
		sign = bothWays
	}
	for _, a := range n.Args {
		r.read(a, sign)
	}
}

func (r *needs) fluent(i, sign int) {
	f := &r.g.p.Fluents[i]
	if f.Kind == ground.Interm {
		if at := [2]int{i, sign}; !r.seen[at] {
			r.seen[at] = true
			r.read(f.CPF, sign)
		}
		return
	}
	if sign >= 0 || f.Type != ground.Bool {
		note(&r.of[i].hurt[0], r.action)
	}
	if sign <= 0 && f.Type == ground.Bool {
		note(&r.of[i].hurt[1], r.action)
	}
}

// union is the sorted union of two sorted lists.
func union(a, b []int) []int {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// exclude has no action of the one list in a step with another one of the other list. The conditions are linear in the lists.
func (g *grounder) exclude(fluent int, a, b []int) {
	var one, other, both []*ground.Node
	for _, k := range a {
		if _, in := slices.BinarySearch(b, k); in {
			both = append(both, g.ref(g.actions[k]))
		} else {
			one = append(one, g.ref(g.actions[k]))
		}
	}
	for _, k := range b {
		if _, in := slices.BinarySearch(a, k); !in {
			other = append(other, g.ref(g.actions[k]))
		}
	}
	f := &g.p.Fluents[fluent]
	at := pos{f.Pos.File, f.Pos.Line, f.Pos.Col}
	require := func(n *ground.Node) {
		g.p.Preconditions = append(g.p.Preconditions, ground.Condition{Expr: n, Pos: f.Pos, Text: "no action of a step changes " + f.Name + " where another one reads it or sets it otherwise"})
	}
	if len(both) > 1 {
		most := &ground.Node{Op: ground.Const, Type: ground.Int, Val: 1}
		require(node(ground.Le, ground.Bool, at, node(ground.Add, ground.Int, at, both...), most))
	}
	none := func(list []*ground.Node) *ground.Node { return not(all(ground.Or, at, list), at) }
	either := func(x, y []*ground.Node) {
		if len(x) > 0 && len(y) > 0 {
			require(node(ground.Or, ground.Bool, at, none(x), none(y)))
		}
	}
	either(both, slices.Concat(one, other))
	either(one, other)
}
