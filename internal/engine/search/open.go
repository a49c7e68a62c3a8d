package search

// rank says when a state on the open list is expanded.
type rank struct {
	cost int64 // of the way here and the estimate from here on
	// broken is how many conditions of the goal fail, where there are no tables to tell how
	// far it is.
	broken int32
	steps  int64 // of the way here and from here on
	past   int64 // the cost of the way here, when this was pushed
	length int32 // the steps of the way here, where only the cost matters
}

// before orders ranks: of equal cost, those first that break fewer conditions of the goal, then
// those with the dearer way here, which are nearer the goal, and then those of fewer steps.
func (a *rank) before(b *rank) bool {
	switch {
	case a.cost != b.cost:
		return a.cost < b.cost
	case a.broken != b.broken:
		return a.broken < b.broken
	case a.past != b.past:
		return a.past > b.past
	case a.steps != b.steps:
		return a.steps < b.steps
	}
	return a.length < b.length
}

// openList has a stack of states for each rank, and the ranks in a binary heap.
type openList struct {
	heap   []ranked
	at     map[rank]int32 // of ranks in the heap: their stack
	stacks [][]uint32
	free   []int32 // stacks of no rank
	last   ranked  // where the last state went
	count  int
}

type ranked struct {
	rank
	stack int32
}

func (h *openList) clear() { *h = openList{} }

// each calls f for all states.
func (h *openList) each(f func(id uint32)) {
	for _, r := range h.heap {
		for _, id := range h.stacks[r.stack] {
			f(id)
		}
	}
}

func (h *openList) push(r rank, id uint32) {
	h.count++
	if len(h.heap) == 0 || h.last.rank != r {
		h.last = ranked{r, h.stack(r)}
	}
	h.stacks[h.last.stack] = append(h.stacks[h.last.stack], id)
}

// stack is that of a rank, which enters the heap if it is new.
func (h *openList) stack(r rank) int32 {
	if at, ok := h.at[r]; ok {
		return at
	}
	if h.at == nil {
		h.at = map[rank]int32{}
	}
	at := int32(len(h.stacks))
	if n := len(h.free); n > 0 {
		at, h.free = h.free[n-1], h.free[:n-1]
	} else {
		h.stacks = append(h.stacks, nil)
	}
	h.at[r] = at
	l := append(h.heap, ranked{r, at})
	for i := len(l) - 1; i > 0; {
		up := (i - 1) / 2
		if !l[i].before(&l[up].rank) {
			break
		}
		l[i], l[up] = l[up], l[i]
		i = up
	}
	h.heap = l
	return at
}

// first is the least rank. The list is not empty.
func (h *openList) first() rank { return h.heap[0].rank }

// pop removes the newest state of the least rank.
func (h *openList) pop() uint32 {
	h.count--
	top := h.heap[0]
	s := h.stacks[top.stack]
	id := s[len(s)-1]
	h.stacks[top.stack] = s[:len(s)-1]
	if len(s) == 1 {
		h.remove()
	}
	return id
}

// remove takes the first rank out of the heap.
func (h *openList) remove() {
	l := h.heap
	delete(h.at, l[0].rank)
	h.free = append(h.free, l[0].stack)
	if h.last.rank == l[0].rank {
		h.last = ranked{rank{cost: -1}, 0}
	}
	n := len(l) - 1
	l[0] = l[n]
	l = l[:n]
	h.heap = l
	for i := 0; ; {
		next := 2*i + 1
		if next >= n {
			return
		}
		if next+1 < n && l[next+1].before(&l[next].rank) {
			next++
		}
		if !l[next].before(&l[i].rank) {
			return
		}
		l[i], l[next] = l[next], l[i]
		i = next
	}
}
