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
	maxMovesAll    = 100_000 // of all groups: tables are computed anew in every round
	maxReadsMerged = 12      // of a group of several variables
)

// groupReads are bounds on the bits that a group reads beside its own, from the one
// that is tried first. Where groups have too many moves, what reads most becomes a
// rule between groups, or a group of its own.
var groupReads = []int{24, 8}

// split cuts a relation into groups and lists their moves.
func split(ctx context.Context, r *relation) (s *structure, out []*local, constant int64, err error) {
	d := r.define(false)
	asks, _ := d.assertions()
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
	l := &lister{s: s, first: first, last: last, stop: func() bool { return ctx.Err() != nil }}
	union := slices.Clone(single)
	for _, parts := range [][][]int{s.weakComponents(), s.strongComponents(), s.satellites()} {
		for _, units := range parts {
			if l.worthMerging(d, asks, single, union, units) {
				for _, u := range units {
					union[u] = units[0]
				}
			}
		}
	}
	if s = groupUp(r, d, asks, union, reads); s == nil {
		return nil, nil, 0, ErrNoGroups
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
		all -= x.total
		out = append(out, x)
	}
	out, err := l.addClasses(ctx, out, one)
	return s, out, constant, err
}

// worthMerging reports whether units, none of which is merged yet, make a
// group with a small table.
func (l *lister) worthMerging(d *definitions, asks []assertion, single, union []int, units []int) bool {
	if len(units) < 2 {
		return false
	}
	trial := slices.Clone(single)
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
	s := groupUp(l.s.r, d, asks, trial, l.s.reads)
	if s == nil {
		return false
	}
	for _, g := range s.groups {
		if slices.Contains(g.units, units[0]) {
			if len(g.reads) > maxReadsMerged {
				return false
			}
			saved := *l
			defer func() { *l = saved }()
			l.s, l.most = s, maxMovesMerged
			_, err := l.list(g, make([]int64, s.r.numVars+1))
			return err == nil
		}
	}
	return false
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

// satellites gathers each group with those whose state only it reads, such as
// a computer's age with the computer.
func (s *structure) satellites() [][]int {
	n := len(s.groups)
	reader := make([]int, n) // the only other group that reads its state; -1 none, -2 several
	for id := range reader {
		reader[id] = -1
	}
	for id, g := range s.groups {
		for _, v := range g.reads {
			h := int(s.home[v])
			if h < 0 || h == id || s.r.role[v] != now || s.r.clocked(v) {
				continue
			}
			if reader[h] == -1 {
				reader[h] = id
			} else if reader[h] != id {
				reader[h] = -2
			}
		}
	}
	label := make([]int, n)
	for id := range label {
		label[id] = id
		if h := reader[id]; h >= 0 && reader[h] < 0 {
			label[id] = h
		}
	}
	return s.unitsOf(label)
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
