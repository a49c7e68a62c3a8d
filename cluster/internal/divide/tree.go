package divide

import (
	"context"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// node is a cube, and what is known of it.
type node struct {
	id       string // the values of the bits that its ancestors were split at
	cube     []model.Given
	parent   *node
	children []*node // none, or one for each value at split

	refuted bool         // by propagation alone
	open    int          // action bits that the cube leaves open
	split   *model.Given // where to split it; nil if nothing is open
	budget  int64        // of work; 0 is none
	asked   int          // how often a worker was asked
	faults  int          // how often there was no outcome then

	outcome *Outcome // nil if there is none
}

// newNode looks at a cube.
func newNode(ctx context.Context, t engine.Task, horizon int, id string, cube []model.Given) (*node, error) {
	n := &node{id: id, cube: cube}
	m, err := model.New(t.Problem, t.Network, horizon, model.Options{Propagate: true, Given: cube, Context: ctx})
	if err != nil {
		return nil, err
	}
	if n.refuted = m.Infeasible(); n.refuted {
		return n, nil
	}
	open := func(step int, kind factored.Kind) {
		for _, b := range t.Problem.Bits(kind) {
			if m.Value(m.Var(step, b)) != 0 {
				continue
			}
			if kind == factored.Action {
				n.open++
			}
			if n.split == nil {
				n.split = &model.Given{Step: step, Bit: b}
			}
		}
	}
	for step := 1; step <= horizon; step++ {
		open(step, factored.Action)
	}
	open(1, factored.State)
	return n, nil
}

// divide gives a leaf its two children.
func (n *node) divide(ctx context.Context, t engine.Task, horizon int, budget int64) error {
	for _, value := range []bool{true, false} {
		id := n.id + "0"
		if value {
			id = n.id + "1"
		}
		cube := append(n.cube[:len(n.cube):len(n.cube)], model.Given{Step: n.split.Step, Bit: n.split.Bit, Value: value})
		child, err := newNode(ctx, t, horizon, id, cube)
		if err != nil {
			n.children = nil
			return err
		}
		child.parent = n
		if child.split != nil {
			child.budget = budget
		}
		n.children = append(n.children, child)
	}
	return nil
}

// leaves appends the leaves below n that propagation does not refute, in the order of their
// bits, true before false.
func (n *node) leaves(out []*node) []*node {
	if len(n.children) == 0 && !n.refuted {
		out = append(out, n)
	}
	for _, c := range n.children {
		out = c.leaves(out)
	}
	return out
}

// widest is the leaf with the most open action bits that can be split, the first of these;
// nil if there is none.
func widest(leaves []*node) *node {
	var best *node
	for _, n := range leaves {
		if n.split != nil && (best == nil || n.open > best.open) {
			best = n
		}
	}
	return best
}

// grow divides n until it has at least so many leaves that propagation does not refute, or
// none can be split any more.
func (n *node) grow(ctx context.Context, t engine.Task, horizon, want int, budget int64) error {
	for {
		leaves := n.leaves(nil)
		next := widest(leaves)
		if len(leaves) >= want || next == nil {
			return nil
		}
		if err := next.divide(ctx, t, horizon, budget); err != nil {
			return err
		}
	}
}

// inherited is the least bound of the nodes above n; at most most.
func (n *node) inherited(most int64, proven bool) int64 {
	for a := n.parent; a != nil; a = a.parent {
		if o := a.told(proven); o != nil && o.Bound != nil {
			most = min(most, *o.Bound)
		}
	}
	return most
}

// told is the outcome of n; nil without one. With proven, it is one with a proof.
func (n *node) told(proven bool) *Outcome {
	if n.outcome == nil || proven && n.outcome.Proof == nil {
		return nil
	}
	return n.outcome
}

// bound is the highest reward that a plan of n can have, by what is known of n and of its
// parts, where above is an upper bound known beforehand. none reports that it has no plan.
// With proven, only what has a proof counts.
func (n *node) bound(above int64, proven bool) (bound int64, none bool) {
	if n.refuted {
		return 0, true
	}
	if o := n.told(proven); o != nil {
		if o.Infeasible {
			return 0, true
		}
		if o.Bound != nil {
			above = min(above, *o.Bound)
		}
	}
	if len(n.children) == 0 {
		return above, false
	}
	none = true
	for _, c := range n.children {
		b, empty := c.bound(above, proven)
		if !empty && (none || b > bound) {
			bound = b
		}
		none = none && empty
	}
	return bound, none
}

// refutations counts the cubes below n that propagation refutes.
func (n *node) refutations() int64 {
	if n.refuted {
		return 1
	}
	var sum int64
	for _, c := range n.children {
		sum += c.refutations()
	}
	return sum
}
