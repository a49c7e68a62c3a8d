package pattern

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/internal/solve/sat"
	"github.com/fdplan/fdplan/problem/factored"
)

// Cut bounds the cost of the way to the goal by LM-cut (Helmert and Domshlak, ICAPS 2009): landmarks of the relaxation in which a
// fact that was true once stays so. A fact is a state bit that is true, or one that is false. What can happen is read from the model
// of a step, not from any syntax: an operator is one action with what it needs wherever it changes some bits.
type Cut struct {
	place []int32   // by bit of the problem: its place in a packed state
	facts []cutFact // those that some operator or the goal reads
	ops   []cutOp
	reads [][]int32 // by fact: the operators that need it
	free  []int32   // operators that need nothing
	cost  []int64   // by action
	goal  []int32
}

// cutFact is the value of a state bit.
type cutFact struct {
	place int32
	on    bool
}

// cutOp is what an action leads to.
type cutOp struct {
	needs, adds []int32
	action      int32
}

// mostOps bounds the operators.
const mostOps = 200_000

// cutReader reads the operators from a step.
type cutReader struct {
	*oneStep
	p       *factored.Problem
	prop    *propagate.State
	actions map[factored.Bit]int32
	cost    []int64
	seen    map[string]int // operators, by action and needs
	number  map[[2]int]int32
	c       *Cut
}

// NewCut reads the operators of a task. It returns nil where they are too many, or where a step can have several actions at once.
func NewCut(ctx context.Context, t engine.Task) (*Cut, error) {
	q, err := newStep(ctx, t)
	if err != nil {
		return nil, err
	}
	p := t.Problem
	r := &cutReader{oneStep: q, p: p, prop: q.Relation().NewState(), actions: map[factored.Bit]int32{}, seen: map[string]int{}, number: map[[2]int]int32{},
		c: &Cut{place: make([]int32, p.NumBits())}}
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == factored.Action && (v.Width != 1 || v.Default != 0) {
			return nil, nil
		}
	}
	bits := p.Bits(factored.State)
	for i, b := range bits {
		r.c.place[b] = int32(i)
	}
	if !r.prop.Consistent() {
		return nil, nil
	}
	for _, b := range bits {
		for _, on := range []bool{false, true} {
			if !r.flips(b, on) || len(r.c.ops) > mostOps {
				return nil, ctx.Err()
			}
		}
	}
	r.goal(t)
	r.c.cost = r.cost
	r.c.index()
	if len(r.c.goal) == 0 {
		return nil, nil
	}
	return r.c, nil
}

// fact is the number of the fact that a bit has a value.
func (r *cutReader) fact(b factored.Bit, on bool) int32 {
	k := [2]int{int(b), 0}
	if on {
		k[1] = 1
	}
	n, ok := r.number[k]
	if !ok {
		n = int32(len(r.c.facts))
		r.number[k] = n
		r.c.facts = append(r.c.facts, cutFact{r.c.place[b], on})
	}
	return n
}

// flips finds the actions with which a bit may get another value. It is false where that is not known, or where several actions are one step.
func (r *cutReader) flips(b factored.Bit, on bool) bool {
	before, after := r.at(1, b), r.at(2, b)
	if on {
		before = before.Not()
	} else {
		after = after.Not()
	}
	other := r.s.NewVar() // the step has none of the actions that were found
	defer r.s.AddClause(other.Not())
	for {
		if r.exhausted() {
			return false
		}
		asked := []sat.Lit{before, after, other}
		yes, exact := r.possible(asked...)
		if !exact {
			return false
		}
		if !yes {
			return true
		}
		var chosen []factored.Bit
		for _, a := range r.p.Bits(factored.Action) {
			if r.s.Value(r.at(1, a)) {
				chosen = append(chosen, a)
			}
		}
		if len(chosen) != 1 {
			return false
		}
		a := chosen[0]
		cost := r.least(append(asked, r.at(1, a)))
		r.add(a, b, on, cost)
		r.s.AddClause(other.Not(), r.at(1, a).Not())
	}
}

// add enters what an action needs to change a bit.
func (r *cutReader) add(a, b factored.Bit, on bool, cost int64) {
	id, known := r.actions[a]
	if !known {
		id = int32(len(r.cost))
		r.actions[a], r.cost = id, append(r.cost, cost)
	}
	r.cost[id] = min(r.cost[id], cost)
	r.prop.Reset()
	literal := func(t int, b factored.Bit, on bool) model.Lit {
		if l := r.Model.Var(t, b); on {
			return l
		} else {
			return -l
		}
	}
	if !r.prop.Assign(literal(1, a, true)) {
		return // not possible after all
	}
	always := r.prop.Value(literal(1, b, true)) != 0 // and not only since the bit changes
	if !r.prop.Assign(literal(1, b, !on)) || !r.prop.Assign(literal(2, b, on)) {
		return
	}
	var needs []int32
	key := []byte{byte(id), byte(id >> 8), byte(id >> 16), byte(id >> 24)}
	for _, x := range r.p.Bits(factored.State) {
		if v := r.prop.Value(literal(1, x, true)); v != 0 && (x != b || always) {
			f := r.fact(x, v > 0)
			needs = append(needs, f)
			key = append(key, byte(f), byte(f>>8), byte(f>>16))
		}
	}
	k, ok := r.seen[string(key)]
	if !ok {
		k = len(r.c.ops)
		r.seen[string(key)] = k
		r.c.ops = append(r.c.ops, cutOp{needs: needs, action: id})
	}
	r.c.ops[k].adds = append(r.c.ops[k].adds, r.fact(b, on))
}

// goal reads what must hold at the end.
func (r *cutReader) goal(t engine.Task) {
	st := r.Final().NewState()
	if !st.Consistent() {
		return
	}
	for _, b := range t.Problem.Bits(factored.State) {
		if v := st.Value(r.Var(b)); v != 0 {
			r.c.goal = append(r.c.goal, r.fact(b, v > 0))
		}
	}
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
	c.reads = make([][]int32, len(c.facts))
	ops := c.ops[:0]
	for _, o := range c.ops {
		if o.adds = slices.DeleteFunc(o.adds, func(f int32) bool { return !used[f] }); len(o.adds) > 0 {
			ops = append(ops, o)
		}
	}
	c.ops = ops
	for i, o := range c.ops {
		for _, f := range o.needs {
			c.reads[f] = append(c.reads[f], int32(i))
		}
		if len(o.needs) == 0 {
			c.free = append(c.free, int32(i))
		}
	}
}

// Cutter computes bounds. It belongs to one goroutine.
type Cutter struct {
	c      *Cut
	cost   []int64 // that is left of each action
	value  []int64 // of facts: h_max
	open   []int32 // of operators: needs that are not reached yet
	worst  []int32 // of operators: the need with the largest value; -1 for none
	from   []int64 // of operators: that value
	heap   []cutEntry
	now    []int32 // the facts of the state
	zone   []byte  // of facts: 1 from which the goal is free, 2 reached before
	stack  []int32
	inCut  []bool // of actions
	listed []int32
	added  [][]int32 // by fact: the operators that add it
	of     [][]int32 // by action: its operators
}

type cutEntry struct {
	value int64
	fact  int32
}

// NewCutter returns a cutter.
func (c *Cut) NewCutter() *Cutter {
	k := &Cutter{c: c, cost: make([]int64, len(c.cost)), value: make([]int64, len(c.facts)), open: make([]int32, len(c.ops)), worst: make([]int32, len(c.ops)),
		from: make([]int64, len(c.ops)), zone: make([]byte, len(c.facts)), inCut: make([]bool, len(c.cost)), added: make([][]int32, len(c.facts)), of: make([][]int32, len(c.cost))}
	for i, o := range c.ops {
		for _, f := range o.adds {
			k.added[f] = append(k.added[f], int32(i))
		}
		k.of[o.action] = append(k.of[o.action], int32(i))
	}
	return k
}

// Of is a lower bound on the cost from a packed state to the goal; Never where no way leads there.
func (k *Cutter) Of(key []uint64) (sum int64) {
	copy(k.cost, k.c.cost)
	k.now = k.now[:0]
	for f, x := range k.c.facts {
		if step.Bit(key, x.place) == x.on {
			k.now = append(k.now, int32(f))
		}
	}
	k.spread()
	for {
		most, at := int64(0), int32(-1)
		for _, f := range k.c.goal {
			if k.value[f] >= Never {
				return Never
			}
			if k.value[f] > most || at < 0 {
				most, at = k.value[f], f
			}
		}
		if most == 0 {
			return sum
		}
		k.markZone(at)
		least := k.cut()
		for _, a := range k.listed {
			k.cost[a] -= least
			k.inCut[a] = false
		}
		sum += least
		k.lower()
	}
}

// spread computes h_max of all facts from a state (Bonet and Geffner 2001).
func (k *Cutter) spread() {
	for f := range k.value {
		k.value[f] = Never
	}
	k.heap = k.heap[:0]
	for _, f := range k.now {
		k.value[f] = 0
		k.heap = append(k.heap, cutEntry{0, f})
	}
	for i := range k.c.ops {
		k.open[i], k.worst[i], k.from[i] = int32(len(k.c.ops[i].needs)), -1, 0
	}
	for _, i := range k.c.free {
		k.fire(i)
	}
	for len(k.heap) > 0 {
		e := k.pop()
		if e.value > k.value[e.fact] {
			continue
		}
		for _, i := range k.c.reads[e.fact] {
			if k.open[i]--; k.open[i] == 0 {
				k.worst[i], k.from[i] = e.fact, e.value // facts come by increasing value
				k.fire(i)
			}
		}
	}
}

// fire gives the facts that an operator adds the value that they have by it, if that is less.
func (k *Cutter) fire(i int32) {
	o := &k.c.ops[i]
	to := k.from[i] + k.cost[o.action]
	for _, f := range o.adds {
		if to < k.value[f] {
			k.value[f] = to
			k.push(cutEntry{to, f})
		}
	}
}

// lower updates h_max after the actions listed have become cheaper.
func (k *Cutter) lower() {
	k.heap = k.heap[:0]
	for _, a := range k.listed {
		for _, i := range k.of[a] {
			if k.open[i] == 0 {
				k.fire(i)
			}
		}
	}
	for len(k.heap) > 0 {
		e := k.pop()
		if e.value > k.value[e.fact] {
			continue
		}
		for _, i := range k.c.reads[e.fact] {
			if k.open[i] > 0 || k.worst[i] != e.fact || k.from[i] <= e.value {
				continue
			}
			was := k.from[i]
			k.from[i] = -1
			for _, f := range k.c.ops[i].needs {
				if k.value[f] > k.from[i] {
					k.worst[i], k.from[i] = f, k.value[f]
				}
			}
			if k.from[i] < was {
				k.fire(i)
			}
		}
	}
}

// markZone marks the facts from which the goal costs nothing, along the worst needs.
func (k *Cutter) markZone(goal int32) {
	clear(k.zone)
	k.zone[goal] = 1
	k.stack = append(k.stack[:0], goal)
	for len(k.stack) > 0 {
		f := k.stack[len(k.stack)-1]
		k.stack = k.stack[:len(k.stack)-1]
		for _, i := range k.added[f] {
			if w := k.worst[i]; w >= 0 && k.open[i] == 0 && k.cost[k.c.ops[i].action] == 0 && k.zone[w] == 0 {
				k.zone[w] = 1
				k.stack = append(k.stack, w)
			}
		}
	}
}

// cut lists the actions that lead into the zone from what is reached without it, and returns the least cost of one.
func (k *Cutter) cut() int64 {
	k.listed = k.listed[:0]
	least := int64(Never)
	visit := func(i int32) {
		o := &k.c.ops[i]
		into := false
		for _, f := range o.adds {
			switch k.zone[f] {
			case 0:
				k.zone[f] = 2
				k.stack = append(k.stack, f)
			case 1:
				into = true
			}
		}
		if into && !k.inCut[o.action] {
			k.inCut[o.action] = true
			k.listed = append(k.listed, o.action)
			least = min(least, k.cost[o.action])
		}
	}
	k.stack = k.stack[:0]
	for _, f := range k.now {
		if k.zone[f] == 0 {
			k.zone[f] = 2
			k.stack = append(k.stack, f)
		}
	}
	for _, i := range k.c.free {
		visit(i)
	}
	for len(k.stack) > 0 {
		f := k.stack[len(k.stack)-1]
		k.stack = k.stack[:len(k.stack)-1]
		for _, i := range k.c.reads[f] {
			if k.open[i] == 0 && k.worst[i] == f {
				visit(i)
			}
		}
	}
	return least
}

func (k *Cutter) push(e cutEntry) {
	k.heap = append(k.heap, e)
	h := k.heap
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up].value <= h[i].value {
			return
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (k *Cutter) pop() cutEntry {
	h := k.heap
	first, n := h[0], len(h)-1
	h[0] = h[n]
	h = h[:n]
	k.heap = h
	for i := 0; ; {
		next := 2*i + 1
		if next >= n {
			return first
		}
		if next+1 < n && h[next+1].value < h[next].value {
			next++
		}
		if h[i].value <= h[next].value {
			return first
		}
		h[i], h[next] = h[next], h[i]
		i = next
	}
}
