package sat

// The heap holds, at least, all open variables; the one to decide next is at
// its top: the lowest priority while priorities count, then the highest
// activity, then the lowest number.

func (s *Solver) before(a, b int32) bool {
	if !s.free && s.priority[a] != s.priority[b] {
		return s.priority[a] < s.priority[b]
	}
	if s.activity[a] != s.activity[b] {
		return s.activity[a] > s.activity[b]
	}
	return a < b
}

func (s *Solver) heapInsert(v int32) {
	s.heapAt[v] = int32(len(s.heap))
	s.heap = append(s.heap, v)
	s.heapUp(s.heapAt[v])
}

func (s *Solver) heapUp(i int32) {
	v := s.heap[i]
	for i > 0 {
		up := (i - 1) / 2
		if !s.before(v, s.heap[up]) {
			break
		}
		s.heap[i] = s.heap[up]
		s.heapAt[s.heap[i]] = i
		i = up
	}
	s.heap[i] = v
	s.heapAt[v] = i
}

func (s *Solver) heapDown(i int32) {
	v := s.heap[i]
	n := int32(len(s.heap))
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && s.before(s.heap[child+1], s.heap[child]) {
			child++
		}
		if !s.before(s.heap[child], v) {
			break
		}
		s.heap[i] = s.heap[child]
		s.heapAt[s.heap[i]] = i
		i = child
	}
	s.heap[i] = v
	s.heapAt[v] = i
}

func (s *Solver) heapPop() int32 {
	v := s.heap[0]
	last := s.heap[len(s.heap)-1]
	s.heap = s.heap[:len(s.heap)-1]
	s.heapAt[v] = -1
	if len(s.heap) > 0 {
		s.heap[0] = last
		s.heapAt[last] = 0
		s.heapDown(0)
	}
	return v
}

// heapRemake orders the heap anew after the order has changed.
func (s *Solver) heapRemake() {
	for i := int32(len(s.heap))/2 - 1; i >= 0; i-- {
		s.heapDown(i)
	}
}

// The activity of a variable is how often it took part in conflicts, the
// latest counting most.
const (
	bumpGrowth   = 1 / .95
	activityCeil = 1e100
)

func (s *Solver) bumpVar(v int32) {
	if s.activity[v] += s.bump; s.activity[v] > activityCeil {
		for i := range s.activity {
			s.activity[i] /= activityCeil
		}
		s.bump /= activityCeil
	}
	if s.heapAt[v] >= 0 {
		s.heapUp(s.heapAt[v])
	}
}

// pickDecision gives the literal to decide, or NoLit when all variables have
// values.
func (s *Solver) pickDecision() Lit {
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
	s.levels = append(s.levels, int32(len(s.trail)))
	s.enqueue(l, noReason)
}
