package search

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
)

// Session is one problem over one horizon from which plans are excluded one
// after another. The graph is explored once. What is excluded is a tree of
// action sequences, and every plan that leaves the tree is worth what the
// dynamic program says: excluding a plan excludes no state.
type Session struct {
	task    engine.Task
	horizon int
	run     *run                   // with all its values; nil until a call came so far
	waiting []engine.Landmark      // excluded before that
	roots   map[uint32]*node       // by initial state
	known   map[uint32]*successors // of the states inside the tree
}

// node is a sequence of joint actions that some excluded sequence begins with.
type node struct {
	dead     bool             // the sequence itself is excluded
	children map[string]*node // by packed joint action
}

// Open prepares for queries about one horizon.
func (Engine) Open(_ context.Context, t engine.Task, horizon int) (engine.Session, error) {
	if horizon < 1 || horizon > t.Problem.MaxHorizon() {
		return nil, fmt.Errorf("the horizon is %d; it must lie in 1..%d", horizon, t.Problem.MaxHorizon())
	}
	return &Session{task: t, horizon: horizon, roots: map[uint32]*node{}, known: map[uint32]*successors{}}, nil
}

// Solve finds an optimal plan among those that are not excluded. When a call
// was cut short by a limit before the graph was whole, the next starts over.
func (x *Session) Solve(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	if x.run == nil {
		res, err := x.explore(ctx, l, report)
		if err != nil || x.run == nil || len(x.waiting) == 0 {
			return res, err
		}
		for _, mark := range x.waiting {
			x.plant(mark)
		}
		x.waiting = nil
	}
	w := x.run.g.s.newWorker(ctx, 0)
	best, from := int64(none), uint32(0)
	for i := range uint32(x.run.g.depth[0]) {
		v := x.value(w, x.roots[i], i, x.horizon)
		if ctx.Err() != nil {
			return &engine.Result{Status: engine.Unknown, Reason: context.Cause(ctx).Error()}, nil
		}
		if v > best {
			best, from = v, i
		}
	}
	res := &engine.Result{Status: engine.Infeasible, Stats: map[string]int64{"states": int64(x.run.g.states.Len()), "forward_passes": x.run.g.passes}}
	if best != none {
		res.Status, res.Horizon, res.Reward, res.Bound = engine.Optimal, x.horizon, best, &best
		res.Trace = &factored.Trace{}
		x.follow(w, x.roots[from], from, x.horizon, res.Trace)
	}
	return res, nil
}

// explore builds the graph with its values. It gives what is known of the plans
// that are not excluded when it could not, or when none is excluded.
func (x *Session) explore(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	s, err := newRelation(x.task)
	if err != nil {
		return nil, err
	}
	if report == nil {
		report = func(engine.Progress) {}
	}
	if len(x.waiting) > 0 {
		// Plans found here may be excluded, and what others know holds only for
		// the plans that are left.
		l.Shared = nil
	}
	r := &run{q: engine.Query{Task: x.task, MinHorizon: x.horizon, MaxHorizon: x.horizon}, g: newGraph(s), limits: l, report: report, whole: true}
	for range max(1, l.Threads) {
		r.workers = append(r.workers, s.newWorker(ctx, l.Memory))
	}
	res := r.conclude(ctx, r.explore(ctx))
	switch {
	case len(r.values) > x.horizon && r.values[x.horizon] != nil:
		x.run = r
	case len(x.waiting) > 0 && res.Status != engine.Infeasible:
		// The plan at hand, from a beam, may be one that is excluded. The
		// bound holds for the others too.
		if res.Status == engine.Optimal {
			res.Reason = "a limit was reached before the plans that are left could be compared"
		}
		res.Trace, res.Horizon, res.Reward, res.Status = nil, 0, 0, engine.Unknown
	}
	return res, nil
}

// Exclude adds an action sequence to the tree.
func (x *Session) Exclude(l engine.Landmark) error {
	if err := l.Check(x.horizon); err != nil {
		return err
	}
	if x.run == nil {
		x.waiting = append(x.waiting, l)
	} else {
		x.plant(l)
	}
	return nil
}

// plant puts a landmark into the tree.
func (x *Session) plant(l engine.Landmark) {
	g := x.run.g
	key := make([]uint64, g.s.StateWords())
	pack(key, l.Trace.Steps[0], g.s.StateBits)
	id, ok := g.states.find(key)
	if !ok || int(id) >= g.depth[0] {
		return // no plan begins there
	}
	n := x.roots[id]
	if n == nil {
		n = &node{}
		x.roots[id] = n
	}
	for t := range l.Depth {
		action := make([]uint64, g.s.ActionWords())
		pack(action, l.Trace.Steps[t], g.s.ActionBits)
		if n.children == nil {
			n.children = map[string]*node{}
		}
		name := keyText(action)
		child := n.children[name]
		if child == nil {
			child = &node{}
			n.children[name] = child
		}
		n = child
	}
	n.dead = true
}

// value is the best reward of k more steps from a state, having come there by
// the actions of n; nil is outside the tree.
func (x *Session) value(w *worker, n *node, state uint32, k int) int64 {
	switch {
	case n == nil:
		return x.run.values[k][state]
	case n.dead:
		return none
	case k == 0 || len(n.children) == 0:
		return x.run.values[k][state]
	}
	best := int64(none)
	x.each(w, n, state, func(child *node, _ []uint64, to uint32, reward int64) {
		if v := x.value(w, child, to, k-1); v != none {
			best = max(best, v+reward)
		}
	})
	return best
}

// each visits all successors of a state inside the tree, those included that
// the graph leaves out because another action does the same at no less reward.
func (x *Session) each(w *worker, n *node, state uint32, visit func(child *node, action []uint64, to uint32, reward int64)) {
	g := x.run.g
	f := x.known[state]
	if f == nil {
		f = &successors{}
		w.expand(g.states.key(state), f)
		if w.ctx.Err() != nil {
			return // it may be incomplete; the caller looks too
		}
		x.known[state] = f
	}
	sw, aw := g.s.StateWords(), g.s.ActionWords()
	for i, reward := range f.rewards {
		action := f.actions[i*aw : (i+1)*aw]
		if to, ok := g.states.find(f.states[i*sw : (i+1)*sw]); ok {
			visit(n.children[keyText(action)], action, to, reward)
		}
	}
}

// follow appends the best plan of k more steps to a trace.
func (x *Session) follow(w *worker, n *node, state uint32, k int, tr *factored.Trace) {
	if n == nil || k == 0 || len(n.children) == 0 {
		x.run.follow(int(state), k, tr)
		return
	}
	want := x.value(w, n, state, k)
	found := false
	var next *node
	var to uint32
	var by []uint64
	x.each(w, n, state, func(child *node, action []uint64, succ uint32, reward int64) {
		if v := x.value(w, child, succ, k-1); !found && v != none && v+reward == want {
			found, next, to, by = true, child, succ, action
		}
	})
	tr.Steps = append(tr.Steps, x.run.g.s.valuation(x.run.g.states.key(state), by))
	x.follow(w, next, to, k-1, tr)
}

// pack writes the bits of a valuation that make a key.
func pack(key []uint64, v factored.Valuation, bits []factored.Bit) {
	for i, b := range bits {
		if v[b] {
			key[i/64] |= 1 << (i % 64)
		}
	}
}

// keyText makes a packed key usable in maps.
func keyText(key []uint64) string {
	b := make([]byte, 0, 8*len(key))
	for _, w := range key {
		for i := range 8 {
			b = append(b, byte(w>>(8*i)))
		}
	}
	return string(b)
}

// Explored reports whether the graph is whole, so that what is still to come is
// quick.
func (x *Session) Explored() bool { return x.run != nil }
