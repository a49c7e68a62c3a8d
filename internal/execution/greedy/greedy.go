package greedy

import (
	"container/heap"
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/pddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// Plan is a plan that was found.
type Plan struct {
	Cost   float64
	Values [][]float64 // of all fluents before each step, with its action set, and after the last
}

// Planner looks for plans. It belongs to one goroutine.
type Planner struct {
	Work int64 // what it has done, in about 2 ns
	Best *Plan // nil before the first

	t       *task
	r       *relaxed
	weights []float64 // of the searches to come
	ids     map[string]uint32
	keys    []uint64
	nodes   []node
	open    [3]queue // by estimate: all successors, those by preferred operators; by novelty, then estimate: all
	turns   [3]int64
	seen    map[[3]uint64]bool // by estimate: words of states that were met with it
	least   int64              // the best estimate of this search
	pushed  int64
	begun   bool // the initial state was visited
	after   []float64
	key     []uint64
	name    []byte
	memory  int64 // that the lists may take; 0 for any
}

// node is a state that was met.
type node struct {
	parent uint32 // itself for the initial state
	op     int32
	dead   bool
	cost   float64
}

// entry is an operator to take in a state.
type entry struct {
	rank   float64
	order  int64
	parent uint32
	op     int32
}

type queue []entry

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].rank < q[j].rank || q[i].rank == q[j].rank && q[i].order < q[j].order
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(entry)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

// The weights of the estimate, one search after another; the first search looks at nothing else. A preferred operator comes before boost others after progress.
var weights = []float64{math.Inf(1), 5, 3, 2, 1}

const boost = 1000

// Units of work: a step of the estimate, and an entry of a list.
const (
	estimateWork = 3
	entryWork    = 60
)

// stale is what is added to the estimate of a state without a new value.
const stale = 1e12

// New returns a planner for a grounded problem, whose numbers stay within some values. A search that takes more memory, where that is not 0, ends.
func New(g *pddl.Grounded, memory int64, within func(fluent int) (lo, hi float64)) *Planner {
	t := newTask(g, within)
	p := &Planner{t: t, memory: memory, r: newRelaxed(t), weights: weights, after: make([]float64, len(g.Fluents)), key: make([]uint64, t.words())}
	p.begin()
	return p
}

// begin starts a search from the initial state.
func (p *Planner) begin() {
	p.ids, p.keys, p.nodes, p.open = map[string]uint32{}, nil, nil, [3]queue{}
	p.begun, p.turns, p.least, p.seen = false, [3]int64{}, math.MaxInt64, map[[3]uint64]bool{}
	for i := range p.t.p.Fluents {
		p.r.values[i] = p.t.p.Fluents[i].Initial
	}
	p.t.pack(p.r.values, p.key)
	p.add(node{op: -1})
}

// add notes the state in key; it returns the node that has it already, if there is one.
func (p *Planner) add(n node) (id uint32, isNew bool) {
	p.name = p.name[:0]
	for _, w := range p.key {
		p.name = binary.LittleEndian.AppendUint64(p.name, w)
	}
	if id, ok := p.ids[string(p.name)]; ok {
		return id, false
	}
	id = uint32(len(p.nodes))
	p.ids[string(p.name)] = id
	p.nodes, p.keys = append(p.nodes, n), append(p.keys, p.key...)
	return id, true
}

// load writes the values of a state that was met.
func (p *Planner) load(id uint32) {
	n := uint32(p.t.words())
	p.t.unpack(p.keys[id*n:(id+1)*n], p.r.values)
}

// visit estimates a state and puts its operators on the lists. It reports whether the goal holds.
func (p *Planner) visit(id uint32) bool {
	p.load(id)
	before := p.r.work
	defer func() { p.Work += estimateWork * (p.r.work - before) }()
	if !p.r.build() {
		p.nodes[id].dead = true
		return false
	}
	if len(p.r.span) == 1 {
		return true
	}
	size := p.r.rp.extract()
	rank := float64(size)
	if w := p.weights[0]; !math.IsInf(w, 1) {
		rank = p.nodes[id].cost + w*rank
	}
	if size < p.least {
		p.least = size
		p.turns[1] -= boost
	}
	novelty := rank
	if !p.novel(id, size) {
		novelty += stale
	}
	for _, i := range p.r.order {
		if x := &p.t.parts[i]; p.r.since[i] == 0 && x.whole {
			p.push(0, rank, id, x.op)
			p.push(2, novelty, id, x.op)
		}
	}
	slices.Sort(p.r.rp.first)
	for _, op := range p.r.rp.first {
		p.push(1, rank, id, op)
	}
	return false
}

// novel reports whether a state has a value that no state of the same estimate had (Lipovetzky and Geffner, AAAI 2017). What its parent
// has need not be looked at.
func (p *Planner) novel(id uint32, size int64) bool {
	n := uint32(p.t.words())
	own, parent := p.keys[id*n:(id+1)*n], p.keys[p.nodes[id].parent*n:]
	found := false
	for i, w := range own {
		changed := w ^ parent[i]
		if i >= (len(p.t.bools)+63)/64 && changed != 0 {
			found = p.isNew([3]uint64{uint64(size), uint64(i), w}) || found
			continue
		}
		for ; changed != 0; changed &= changed - 1 {
			bit := bits.TrailingZeros64(changed)
			found = p.isNew([3]uint64{uint64(size), uint64(64*i+bit) << 32, w >> bit & 1}) || found
		}
	}
	return found
}

// isNew notes a value, and reports whether it was not known.
func (p *Planner) isNew(key [3]uint64) bool {
	known := p.seen[key]
	p.seen[key] = true
	return !known
}

func (p *Planner) push(list int, rank float64, id uint32, op int32) {
	p.pushed++
	p.Work += entryWork
	heap.Push(&p.open[list], entry{rank, p.pushed, id, op})
}

// Advance works for a while, or until a better plan is found, which it reports. It is done when there is nothing left to look for.
func (p *Planner) Advance(ctx context.Context, work int64) (better, done bool) {
	for until := p.Work + work; p.Work < until && ctx.Err() == nil; {
		if len(p.weights) == 0 {
			return false, true
		}
		list, id, ok := 0, uint32(0), !p.begun
		for i := range p.open {
			if len(p.open[i]) > 0 && (len(p.open[list]) == 0 || p.turns[i] < p.turns[list]) {
				list = i
			}
		}
		switch {
		case ok:
			p.begun = true
		case len(p.open[list]) == 0 || p.memory > 0 && p.bytes() > p.memory:
			p.again()
			continue
		default:
			p.turns[list]++
			id, ok = p.follow(heap.Pop(&p.open[list]).(entry))
		}
		if ok && p.visit(id) {
			p.Best = p.improve(p.steps(id))
			p.again()
			return true, len(p.weights) == 0
		}
	}
	return false, false
}

// bytes is the memory of the lists, about.
func (p *Planner) bytes() int64 {
	return int64(len(p.nodes))*int64(32*p.t.words()+100) + 32*int64(len(p.open[0])+len(p.open[1])+len(p.open[2])) + 80*int64(len(p.seen))
}

// again begins the next search.
func (p *Planner) again() {
	if p.weights = p.weights[1:]; len(p.weights) > 0 {
		p.begin()
	}
}

// follow takes an operator. It is false where that leads to nothing new.
func (p *Planner) follow(e entry) (id uint32, ok bool) {
	p.load(e.parent)
	o := &p.t.ops[e.op]
	p.Work += int64(len(p.r.values))
	cost := p.nodes[e.parent].cost + p.t.cost(o, p.r.values)
	if p.Best != nil && cost >= p.Best.Cost || !p.t.apply(o, p.r.values, p.after, p.key) {
		return 0, false
	}
	n := node{parent: e.parent, op: e.op, cost: cost}
	id, isNew := p.add(n)
	if !isNew {
		if old := &p.nodes[id]; old.dead || cost >= old.cost {
			return id, false
		}
		p.nodes[id] = n
		return id, !math.IsInf(p.weights[0], 1)
	}
	return id, true
}

// steps are the operators that lead to a state.
func (p *Planner) steps(id uint32) (out []int32) {
	for ; p.nodes[id].op >= 0; id = p.nodes[id].parent {
		out = append(out, p.nodes[id].op)
	}
	slices.Reverse(out)
	return out
}

// improve leaves out steps that the plan does without (Nakhost and Müller 2010), with those that then become impossible.
func (p *Planner) improve(steps []int32) *Plan {
	best, _ := p.run(steps, -1)
	for i := 0; i < len(steps); i++ {
		if plan, left := p.run(steps, i); plan != nil && plan.Cost <= best.Cost {
			best, steps = plan, left
			i--
		}
	}
	return best
}

// run executes steps but one and those that are not possible then. The plan is nil where the goal does not hold.
func (p *Planner) run(steps []int32, without int) (*Plan, []int32) {
	values := make([]float64, len(p.after))
	for i := range p.t.p.Fluents {
		values[i] = p.t.p.Fluents[i].Initial
	}
	out, left := &Plan{}, []int32(nil)
	p.t.pack(values, p.key)
	p.t.unpack(p.key, values)
	for i, op := range steps {
		o := &p.t.ops[op]
		p.Work += int64(2 * len(values))
		if i == without || slices.ContainsFunc(o.Needs, func(n *ground.Node) bool { return value(n, values) == 0 }) {
			continue
		}
		cost := p.t.cost(o, values)
		if !p.t.apply(o, values, p.after, p.key) {
			continue
		}
		out.Cost += cost
		left = append(left, op)
		row := slices.Clone(values)
		row[o.Action] = 1
		out.Values = append(out.Values, row)
		p.t.unpack(p.key, values)
	}
	if slices.ContainsFunc(p.t.goal, func(f fact) bool { return !p.t.holds(f, values) }) {
		return nil, nil
	}
	out.Values = append(out.Values, values)
	return out, left
}
