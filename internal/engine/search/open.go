package search

// entry is a state on the open list.
type entry struct {
	cost  int64 // of the way here and the estimate from here on
	steps int64 // likewise
	past  int64 // the cost of the way here, when this was pushed
	id    uint32
}

// before orders entries: the longer the way here, the nearer the goal.
func (a *entry) before(b *entry) bool {
	switch {
	case a.cost != b.cost:
		return a.cost < b.cost
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
