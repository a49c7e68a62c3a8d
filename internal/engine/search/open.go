package search

// entry is a state on the open list.
type entry struct {
	cost  int64 // of the way here and the estimate from here on
	steps int64 // likewise
	past  int64 // the cost of the way here, when this was pushed
	id    uint32
	// broken is how many conditions of the goal fail, where there are no tables to tell how
	// far it is.
	broken int32
}

// before orders entries: of equal cost, those first that break fewer conditions of the goal, and
// then, of as many steps, those with the longer way here, which are nearer the goal.
func (a *entry) before(b *entry) bool {
	switch {
	case a.cost != b.cost:
		return a.cost < b.cost
	case a.broken != b.broken:
		return a.broken < b.broken
	case a.steps != b.steps:
		return a.steps < b.steps
	case a.past != b.past:
		return a.past > b.past
	}
	return a.id < b.id
}

// openList is a binary heap.
type openList []entry

func (h *openList) push(e entry) {
	*h = append(*h, e)
	l := *h
	for i := len(l) - 1; i > 0; {
		up := (i - 1) / 2
		if !l[i].before(&l[up]) {
			return
		}
		l[i], l[up] = l[up], l[i]
		i = up
	}
}

// pop removes the first entry.
func (h *openList) pop() {
	l := *h
	n := len(l) - 1
	l[0] = l[n]
	l = l[:n]
	*h = l
	for i := 0; ; {
		next := 2*i + 1
		if next >= n {
			return
		}
		if next+1 < n && l[next+1].before(&l[next]) {
			next++
		}
		if !l[next].before(&l[i]) {
			return
		}
		l[i], l[next] = l[next], l[i]
		i = next
	}
}
