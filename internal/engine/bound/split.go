package bound

import (
	"context"
	"errors"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

// ErrNoGroups reports that a problem does not fall into groups that are small
// enough to be listed.
var ErrNoGroups = errors.New("the problem does not fall into small groups")

const (
	maxGroups      = 4000
	maxMovesMerged = 2500    // of a group of several variables, so that its table stays small
	maxMovesSingle = 50_000  // of one variable's group
	maxMovesAll    = 100_000 // of all groups at a step, on average: tables are computed anew in every round
	manySeasons    = 4       // the moves of more of them count as those of so many: listing them takes time too
	maxReadsMerged = 12      // of a group of several variables
	maxReadsNarrow = 60      // of one that takes the rules that exclude most of what it reads
	followerGrowth = 6       // how many more moves a group may have than those that it replaces
)

// groupReads are bounds on the bits that a group reads beside its own, from the one
// that is tried first. Where groups have too many moves, what reads most becomes a
// rule between groups, or a group of its own.
var groupReads = []int{24, 8}

// split cuts a relation into groups and lists their moves.
func split(ctx context.Context, r *relation, d *definitions, asks []assertion) (s *structure, out []*local, constant int64, err error) {
	for _, reads := range groupReads {
		if s, out, constant, err = splitReading(ctx, r, d, asks, reads); err == nil || ctx.Err() != nil {
			break
		}
	}
	return s, out, constant, err
}

// splitReading cuts a relation into groups that read so many bits beside their own at
// most. Variables that only read each other are put together where that leaves a small
// table: the cells of a robot's map, a pair of coordinates.
func splitReading(ctx context.Context, r *relation, d *definitions, asks []assertion, reads int) (*structure, []*local, int64, error) {
	n := len(r.Task.Problem.Variables)
	single := integer.Below[int](n)
	s := groupUp(r, d, asks, single, reads)
	if s == nil || len(s.groups) > maxGroups {
		return nil, nil, 0, ErrNoGroups
	}
	first, last := r.first.NewState(), r.final.NewState()
	if !first.Consistent() {
		return nil, nil, 0, ErrNoGroups
	}
	l := &lister{s: s, first: first, last: last}
	union := slices.Clone(single)
	asks = slices.Clone(asks)
	for _, parts := range [][][]int{s.weakComponents(), s.strongComponents(), s.twins()} {
		for _, units := range parts {
			if l.worthMerging(d, asks, union, units) {
				for _, u := range units {
					union[u] = units[0]
				}
			}
		}
	}
	if s = groupUp(r, d, asks, union, reads); s == nil {
		return nil, nil, 0, ErrNoGroups
	}
	if union = l.withFollowers(s); union != nil {
		if s = groupUp(r, d, asks, union, reads); s == nil {
			return nil, nil, 0, ErrNoGroups
		}
	}
	return l.listAll(ctx, s, maxMovesSingle, maxMovesAll)
}

// listAll lists the moves of all groups, at most so many of one and of all.
func (l *lister) listAll(ctx context.Context, s *structure, one, all int) (*structure, []*local, int64, error) {
	l.s = s
	costs, constant := s.shares()
	var out []*local
	for id, g := range s.groups {
		l.most = min(one, all)
		x, err := l.list(g, costs[id])
		if err != nil {
			return nil, nil, 0, errors.Join(ErrNoGroups, ctx.Err())
		}
		all -= x.total / min(x.seasons, manySeasons)
		out = append(out, x)
	}
	out, err := l.addClasses(ctx, out, one)
	return s, out, constant, err
}

// worthMerging reports whether units, none of which is merged yet, make a
// group with a small table. Where only rules that it would share with others keep the table
// small, the group takes them.
func (l *lister) worthMerging(d *definitions, asks []assertion, union []int, units []int) bool {
	if len(units) < 2 {
		return false
	}
	trial := integer.Below[int](len(union))
	for _, u := range units {
		if union[u] != u {
			return false
		}
		trial[u] = units[0]
	}
	for x, u := range union {
		if x != u && slices.Contains(units, u) {
			return false
		}
	}
	reads := maxReadsMerged
	for _, rules := range []bool{false, true} {
		s := groupUp(l.s.r, d, asks, trial, l.s.reads)
		if s == nil {
			return false
		}
		g := s.groupOf(units[0])
		if len(g.reads) <= reads && l.moves(s, g, maxMovesMerged) >= 0 {
			return true
		}
		narrow := s.narrowing(g)
		if rules || len(narrow) == 0 || len(g.reads) > groupReads[0] {
			break
		}
		for _, i := range narrow {
			asks[i].owner = units[0] + 1
		}
		reads = maxReadsNarrow
	}
	for i := range asks {
		if asks[i].owner == units[0]+1 {
			asks[i].owner = 0
		}
	}
	return false
}

// groupOf finds the group of a unit.
func (s *structure) groupOf(unit int) *group {
	for _, g := range s.groups {
		if slices.Contains(g.units, unit) {
			return g
		}
	}
	return nil
}

// moves counts the moves of a group; -1 where there are more than most.
func (l *lister) moves(s *structure, g *group, most int) int {
	out := l.free(s, g, most)
	if out == nil {
		return -1
	}
	return out.total
}

// free lists a group that costs nothing; nil where it has more than most moves.
func (l *lister) free(s *structure, g *group, most int) *local {
	x := &lister{s: s, most: most, first: l.first, last: l.last}
	out, err := x.list(g, make([]int64, s.r.numVars+1))
	if err != nil {
		return nil
	}
	return out
}

// narrowing lists the assertions that say how actions that a group reads exclude each other, and others that it does not
// read, such as what a line makes while it is not set up anew.
func (s *structure) narrowing(g *group) (out []int) {
	reads := len(g.reads)
	for i := range s.asks {
		a := &s.asks[i]
		if len(a.hides) > 0 || len(a.reads) < 3 {
			continue
		}
		inside, outside := 0, 0
		for _, v := range a.reads {
			switch {
			case s.r.role[v] == action && slices.Contains(g.reads, v):
				inside++
			case s.r.role[v] == action:
				outside++
			default:
				inside = -len(a.reads)
			}
		}
		if inside >= 2 && outside > 0 && reads+outside <= maxReadsNarrow {
			reads += outside
			out = append(out, i)
		}
	}
	return out
}

// clocked reports whether a variable is known at every step, though it varies.
func (r *relation) clocked(v int32) bool { return r.isClock[v] }

// findClocks finds the variables that are.
func (r *relation) findClocks() {
	r.isClock = make([]bool, r.numVars+1)
	for v := int32(1); v <= r.numVars; v++ {
		r.isClock[v] = true
		for t := 1; t <= r.horizon && r.isClock[v]; t++ {
			r.isClock[v] = r.valueAt(t, v) != 0
		}
	}
}

// readsOf lists for each group the groups whose state bits or actions it reads.
func (s *structure) readsOf() [][]int32 {
	out := make([][]int32, len(s.groups))
	for id, g := range s.groups {
		for _, v := range g.reads {
			if h := s.home[v]; h >= 0 && h != int32(id) && !s.r.clocked(v) && !slices.Contains(out[id], h) {
				out[id] = append(out[id], h)
			}
		}
	}
	return out
}

// twins gathers the groups that read the same actions, several, such as the products that one line may be set up for.
func (s *structure) twins() [][]int {
	label, actions := integer.Below[int](len(s.groups)), s.actions()
	for id, reads := range actions {
		if len(reads) >= 2 {
			label[id] = slices.IndexFunc(actions, func(x []int32) bool { return slices.Equal(x, reads) })
		}
	}
	return s.unitsOf(label)
}

// actions lists the actions that each group reads.
func (s *structure) actions() [][]int32 {
	out := make([][]int32, len(s.groups))
	for id, g := range s.groups {
		for _, v := range g.reads {
			if s.r.role[v] == action && !s.r.clocked(v) {
				out[id] = insert(out[id], v)
			}
		}
		slices.Sort(out[id])
	}
	return out
}

// withFollowers puts groups together with the one that they depend on, such as what is to be unloaded with where the
// ship lies, where the table grows little: those that are coupled with one other alone, rules over more than two groups
// not counted, and those whose actions another reads, too. It gives nil for none.
func (l *lister) withFollowers(s *structure) []int {
	target := s.targets()
	join := func(union []int, id int) {
		to := s.root(s.groups[target[id]].units[0])
		for _, u := range s.groups[id].units {
			union[u] = to
		}
	}
	trial, count := slices.Clone(s.union), l.countMoves(s, target)
	for id, h := range target {
		if h >= 0 {
			join(trial, id)
		}
	}
	x := groupUp(s.r, s.d, s.asks, trial, s.reads)
	if x == nil {
		return nil
	}
	union, found := slices.Clone(s.union), false
	for h := range s.groups {
		sum := count[h]
		for id := range target {
			if target[id] == h {
				sum += count[id]
			}
		}
		if sum <= count[h] {
			continue
		}
		if g := x.groupOf(s.groups[h].units[0]); len(g.reads) <= maxReadsNarrow && l.moves(x, g, min(4*maxMovesMerged, followerGrowth*sum)) >= 0 {
			found = true
			for id := range target {
				if target[id] == h {
					join(union, id)
				}
			}
		}
	}
	if !found {
		return nil
	}
	return union
}

// countMoves counts the moves of the groups that depend on others, and of these; -1 where there are more than of merged groups. Where one of both is a relay
// between several groups, it stays by itself: then no state need tell its value.
func (l *lister) countMoves(s *structure, target []int) []int {
	count, between, couples := make([]int, len(target)), make([]bool, len(target)), s.couples()
	for id, h := range target {
		for _, g := range []int{id, h} {
			if h < 0 || count[g] != 0 {
				continue
			}
			count[g] = -1
			if out := l.free(s, s.groups[g], maxMovesMerged); out != nil {
				count[g], between[g] = out.total, len(couples[g]) > 1 && out.relay() != nil
			}
		}
		if h >= 0 && (between[id] || between[h]) {
			target[id] = -1
		}
	}
	return count
}

// targets lists for each group the one that it depends on; -1 for none.
func (s *structure) targets() []int {
	out, isTarget := make([]int, len(s.groups)), make([]bool, len(s.groups))
	links, actions := s.couples(), s.actions()
	for id := range out {
		out[id] = -1
	}
	for id, g := range s.groups {
		if len(g.units) == 0 || isTarget[id] {
			continue
		}
		for _, h := range links[id] {
			within := !slices.ContainsFunc(actions[id], func(v int32) bool { return !slices.Contains(actions[h], v) })
			if len(s.groups[h].units) > 0 && out[h] < 0 && (len(links[id]) == 1 || within && len(actions[id]) > 0) {
				out[id], isTarget[h] = int(h), true
				break
			}
		}
	}
	return out
}

// couples lists for each group those that it shares a bit or a rule of two with.
func (s *structure) couples() [][]int32 {
	out := make([][]int32, len(s.groups))
	link := func(a, b int32) {
		if a != b {
			out[a], out[b] = insert(out[a], b), insert(out[b], a)
		}
	}
	for id, reads := range s.readsOf() {
		for _, h := range reads {
			link(int32(id), h)
		}
	}
	for i := range s.rules {
		var homes []int32
		for _, t := range s.rules[i].Terms {
			if v := t.Lit.Var(); s.home[v] >= 0 && !s.r.clocked(v) {
				homes = insert(homes, s.home[v])
			}
		}
		if len(homes) == 2 {
			link(homes[0], homes[1])
		}
	}
	return out
}

// unitsOf gathers the units of groups that have the same label.
func (s *structure) unitsOf(label []int) [][]int {
	at := map[int]int{}
	var out [][]int
	for id, g := range s.groups {
		if len(g.units) == 0 {
			continue
		}
		k, ok := at[label[id]]
		if !ok {
			k = len(out)
			at[label[id]] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], g.units...)
	}
	return out
}

// weakComponents gathers the units that are connected by reads.
func (s *structure) weakComponents() [][]int {
	label := integer.Below[int](len(s.groups))
	root := func(i int) int {
		for label[i] != i {
			i = label[i]
		}
		return i
	}
	for id, reads := range s.readsOf() {
		for _, h := range reads {
			a, b := root(id), root(int(h))
			label[max(a, b)] = min(a, b)
		}
	}
	for id := range label {
		label[id] = root(id)
	}
	return s.unitsOf(label)
}

// strongComponents gathers the units that read each other, by Tarjan's
// algorithm.
func (s *structure) strongComponents() [][]int {
	reads := s.readsOf()
	n := len(s.groups)
	index, low, label := make([]int, n), make([]int, n), make([]int, n)
	onStack := make([]bool, n)
	var stack []int
	next := 1
	var visit func(i int)
	visit = func(i int) {
		index[i], low[i] = next, next
		next++
		stack = append(stack, i)
		onStack[i] = true
		for _, h := range reads[i] {
			if j := int(h); index[j] == 0 {
				visit(j)
				low[i] = min(low[i], low[j])
			} else if onStack[j] {
				low[i] = min(low[i], index[j])
			}
		}
		if low[i] != index[i] {
			return
		}
		for {
			j := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			onStack[j] = false
			label[j] = i
			if j == i {
				return
			}
		}
	}
	for i := range n {
		if index[i] == 0 {
			visit(i)
		}
	}
	return s.unitsOf(label)
}
