package sat

import "math"

// decisions is the order in which variables are decided. The heap holds, at
// least, all open variables; the one to decide next is at its top: the lowest
// priority while priorities count, then the highest activity, then the lowest
// number.
type decisions struct {
	activity []float64
	bump     float64
	priority []int32
	heap     []int32
	heapAt   []int32 // by variable: place in heap, -1 when absent
	free     bool    // priorities are ignored for now
	ranked   bool    // some variable has a priority
}

func (d *decisions) grow(n int) {
	d.activity = extend(d.activity, n)
	for range n {
		d.priority = append(d.priority, math.MaxInt32)
		d.heapAt = append(d.heapAt, -1)
	}
}

// SetPriority sets the priority of a variable. Lower ones are decided first, and
// all of them before variables that have none.
func (s *Solver) SetPriority(v, priority int32) {
	s.priority[v], s.ranked = priority, true
	if s.heapAt[v] >= 0 {
		s.heapUp(s.heapAt[v])
		s.heapDown(s.heapAt[v])
	}
}

func (d *decisions) before(a, b int32) bool {
	if !d.free && d.priority[a] != d.priority[b] {
		return d.priority[a] < d.priority[b]
	}
	if d.activity[a] != d.activity[b] {
		return d.activity[a] > d.activity[b]
	}
	return a < b
}

func (d *decisions) heapInsert(v int32) {
	d.heapAt[v] = int32(len(d.heap))
	d.heap = append(d.heap, v)
	d.heapUp(d.heapAt[v])
}

func (d *decisions) heapUp(i int32) {
	v := d.heap[i]
	for i > 0 {
		up := (i - 1) / 2
		if !d.before(v, d.heap[up]) {
			break
		}
		d.heap[i] = d.heap[up]
		d.heapAt[d.heap[i]] = i
		i = up
	}
	d.heap[i] = v
	d.heapAt[v] = i
}

func (d *decisions) heapDown(i int32) {
	v := d.heap[i]
	n := int32(len(d.heap))
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && d.before(d.heap[child+1], d.heap[child]) {
			child++
		}
		if !d.before(d.heap[child], v) {
			break
		}
		d.heap[i] = d.heap[child]
		d.heapAt[d.heap[i]] = i
		i = child
	}
	d.heap[i] = v
	d.heapAt[v] = i
}

func (d *decisions) heapPop() int32 {
	v := d.heap[0]
	last := d.heap[len(d.heap)-1]
	d.heap = d.heap[:len(d.heap)-1]
	d.heapAt[v] = -1
	if len(d.heap) > 0 {
		d.heap[0] = last
		d.heapAt[last] = 0
		d.heapDown(0)
	}
	return v
}

// heapRemake orders the heap anew after the order has changed.
func (d *decisions) heapRemake() {
	for i := int32(len(d.heap))/2 - 1; i >= 0; i-- {
		d.heapDown(i)
	}
}

// The activity of a variable is how often it took part in conflicts, the
// latest counting most.
const (
	bumpGrowth   = 1 / .95
	activityCeil = 1e100
)

func (d *decisions) bumpVar(v int32) {
	if d.activity[v] += d.bump; d.activity[v] > activityCeil {
		for i := range d.activity {
			d.activity[i] /= activityCeil
		}
		d.bump /= activityCeil
	}
	// While priorities count, variables that have none come after all others: the heap need not order them.
	if d.heapAt[v] >= 0 && (d.free || !d.ranked || d.priority[v] != math.MaxInt32) {
		d.heapUp(d.heapAt[v])
	}
}

// pickDecision returns the literal to decide, or NoLit when all variables have
// values.
func (s *Solver) pickDecision() Lit {
	if len(s.trail) == int(s.NumVars()) {
		// Those in the heap have values too. They stay there: when these are taken back, nothing
		// has to be inserted.
		return NoLit
	}
	for len(s.heap) > 0 {
		v := s.heapPop()
		if s.vals[Pos(v)] != 0 {
			continue
		}
		if s.phase[v] > 0 {
			return Pos(v)
		}
		return Neg(v)
	}
	return NoLit
}

func (s *Solver) decide(l Lit) {
	s.stats.Decisions++
	s.openLevel()
	s.enqueue(l, noReason)
}
