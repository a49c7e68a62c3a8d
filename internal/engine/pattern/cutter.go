package pattern

import (
	"math"
	"math/bits"

	"github.com/fdplan/fdplan/internal/engine/step"
)

// Cutter computes bounds. It belongs to one goroutine.
type Cutter struct {
	Work int64 // what it has looked at

	c     *Cut
	ops   []opState
	value []int32 // of facts: h_max
	queue radixQueue
	now   []int32 // the facts of the state
	seen  []int32 // of facts: the round in which they came to the zone, or to what is reached from without it
	zone  []bool  // of facts seen: the zone
	round int32
	stack []int32
	maybe []int32 // operators that add to the zone at a cost
	inCut []int32 // of actions: the round
	cut   []int32
}

// opState is what a bound knows of an operator.
type opState struct {
	open  int32 // needs that are not reached yet
	worst int32 // the need with the largest value; -1 for none
	from  int32 // that value
	cost  int32 // that is left, in units
}

// unreached is the value of facts that are not reached.
const unreached = math.MaxInt32 / 2

// NewCutter returns a cutter.
func (c *Cut) NewCutter() *Cutter {
	facts := len(c.facts)
	return &Cutter{c: c, ops: make([]opState, len(c.ops)), value: make([]int32, facts), seen: make([]int32, facts), zone: make([]bool, facts), inCut: make([]int32, len(c.cost))}
}

// Of is a lower bound on the cost from a packed state to the goal; Never where no way leads there.
func (k *Cutter) Of(key []uint64) int64 {
	k.now = k.now[:0]
	for f, x := range k.c.facts {
		if step.Bit(key, x.Place) == x.On {
			k.now = append(k.now, int32(f))
		}
	}
	k.spread()
	for sum := int64(0); ; {
		most, at := int32(-1), int32(-1)
		for _, f := range k.c.goal {
			if k.value[f] > most {
				most, at = k.value[f], f
			}
		}
		switch {
		case most >= unreached:
			return Never
		case most == 0:
			return sum * k.c.unit
		}
		sum += int64(k.take(at))
		k.lower()
	}
}

// spread computes h_max of all facts from a state (Bonet and Geffner 2001).
func (k *Cutter) spread() {
	for f := range k.value {
		k.value[f] = unreached
	}
	k.queue.clear()
	for _, f := range k.now {
		k.value[f] = 0
		k.queue.push(0, f)
	}
	for i := range k.ops {
		o := &k.c.ops[i]
		k.ops[i] = opState{open: int32(len(o.needs)), worst: -1, cost: k.c.units[o.action]}
	}
	k.Work += int64(len(k.ops) + len(k.value))
	for _, i := range k.c.free {
		k.fire(i, k.ops[i].cost)
	}
	for {
		value, f, ok := k.queue.pop()
		if !ok {
			return
		}
		if value > k.value[f] {
			continue
		}
		list := k.c.reads.at(f)
		k.Work += int64(len(list))
		for _, i := range list {
			o := &k.ops[i]
			if o.open--; o.open == 0 {
				o.worst, o.from = f, value // facts come by increasing value
				k.fire(i, value+o.cost)
			}
		}
	}
}

// fire gives the facts that an operator adds the value that they have by it, if that is less.
func (k *Cutter) fire(i, to int32) {
	list := k.c.adds.at(i)
	k.Work += int64(len(list))
	for _, f := range list {
		if to < k.value[f] {
			k.value[f] = to
			k.queue.push(to, f)
		}
	}
}

// lower updates h_max after the actions of a cut have become cheaper.
func (k *Cutter) lower() {
	k.queue.clear()
	for _, a := range k.cut {
		for _, i := range k.c.of.at(a) {
			if o := &k.ops[i]; o.open == 0 {
				k.fire(i, o.from+o.cost)
			}
		}
	}
	for {
		value, f, ok := k.queue.pop()
		if !ok {
			return
		}
		if value > k.value[f] {
			continue
		}
		list := k.c.reads.at(f)
		k.Work += int64(len(list))
		for _, i := range list {
			o := &k.ops[i]
			if o.worst != f || o.open > 0 || o.from <= value {
				continue
			}
			was := o.from
			o.from = -1
			for _, g := range k.c.needs.at(i) {
				if k.value[g] > o.from {
					o.worst, o.from = g, k.value[g]
				}
			}
			if o.from < was {
				k.fire(i, o.from+o.cost)
			}
		}
	}
}

// take finds the cut before a goal, and has its actions cost less, by the least cost of one, which it returns. The cut are the actions that lead into
// the facts from which the goal costs nothing, along the worst needs, from facts that are reached without these.
func (k *Cutter) take(goal int32) int32 {
	limit := k.value[goal]
	k.mark(goal)
	k.cut = k.cut[:0]
	least := int32(unreached)
	for _, i := range k.maybe {
		o, a := &k.ops[i], k.c.ops[i].action
		if k.inCut[a] == k.round || o.worst >= 0 && !k.outside(o.worst, limit) {
			continue
		}
		k.inCut[a] = k.round
		k.cut = append(k.cut, a)
		least = min(least, o.cost)
	}
	for _, a := range k.cut {
		for _, i := range k.c.of.at(a) {
			k.ops[i].cost -= least
		}
	}
	return least
}

// mark finds the facts from which the goal costs nothing, and the operators that add to these at a cost.
func (k *Cutter) mark(goal int32) {
	k.round++
	k.seen[goal], k.zone[goal] = k.round, true
	k.maybe = k.maybe[:0]
	k.stack = append(k.stack[:0], goal)
	for len(k.stack) > 0 {
		f := k.stack[len(k.stack)-1]
		k.stack = k.stack[:len(k.stack)-1]
		list := k.c.added.at(f)
		k.Work += int64(len(list))
		for _, i := range list {
			o := &k.ops[i]
			switch {
			case o.open > 0:
			case o.cost > 0:
				k.maybe = append(k.maybe, i)
			case o.worst >= 0 && k.seen[o.worst] != k.round:
				k.seen[o.worst], k.zone[o.worst] = k.round, true
				k.stack = append(k.stack, o.worst)
			}
		}
	}
}

// outside reports whether a fact is reached without the zone, all of whose facts have at least the value limit: that is so for each fact of a
// smaller value, by the facts that it has it from.
func (k *Cutter) outside(fact, limit int32) bool {
	if k.value[fact] < limit {
		return true
	}
	if k.seen[fact] == k.round {
		return !k.zone[fact]
	}
	// Backwards from the fact; what was looked at on the way to nothing is as good as in the zone.
	from := len(k.stack)
	visited := []int32{fact}
	k.stack = append(k.stack, fact)
	k.seen[fact], k.zone[fact] = k.round, true
	found := false
	for len(k.stack) > from && !found {
		f := k.stack[len(k.stack)-1]
		k.stack = k.stack[:len(k.stack)-1]
		list := k.c.added.at(f)
		k.Work += int64(len(list))
		for _, i := range list {
			o := &k.ops[i]
			if o.open > 0 {
				continue
			}
			if o.worst < 0 || k.value[o.worst] < limit || k.seen[o.worst] == k.round && !k.zone[o.worst] {
				found = true
				break
			}
			if k.seen[o.worst] != k.round {
				k.seen[o.worst], k.zone[o.worst] = k.round, true
				visited = append(visited, o.worst)
				k.stack = append(k.stack, o.worst)
			}
		}
	}
	k.stack = k.stack[:from]
	if found { // of the others, nothing is known
		for _, f := range visited {
			k.seen[f] = 0
		}
		k.seen[fact], k.zone[fact] = k.round, false
	}
	return found
}

// radixQueue is a queue of facts, or of entries of a table, by values that never go below what was taken (Ahuja, Mehlhorn, Orlin and Tarjan, JACM 37, 1990).
type radixQueue struct {
	last    int32
	buckets [32][]radixEntry // by the highest bit in which a value differs from the last
	some    uint32           // which have entries
}

type radixEntry struct{ value, item int32 }

func (q *radixQueue) clear() {
	for some := q.some; some != 0; some &= some - 1 {
		i := bits.TrailingZeros32(some)
		q.buckets[i] = q.buckets[i][:0]
	}
	q.last, q.some = 0, 0
}

func (q *radixQueue) push(value, item int32) {
	i := bits.Len32(uint32(value ^ q.last))
	q.buckets[i] = append(q.buckets[i], radixEntry{value, item})
	q.some |= 1 << i
}

func (q *radixQueue) pop() (value, item int32, ok bool) {
	if q.some == 0 {
		return 0, 0, false
	}
	if i := bits.TrailingZeros32(q.some); i > 0 {
		list := q.buckets[i]
		q.last = list[0].value
		for _, e := range list {
			q.last = min(q.last, e.value)
		}
		q.buckets[i] = list[:0]
		q.some &^= 1 << i
		for _, e := range list {
			q.push(e.value, e.item)
		}
	}
	list := q.buckets[0]
	e := list[len(list)-1]
	if q.buckets[0] = list[:len(list)-1]; len(list) == 1 {
		q.some &^= 1
	}
	return e.value, e.item, true
}
