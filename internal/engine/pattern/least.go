package pattern

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/factored"
)

// Least is a lower bound on the cost from a state to one in which a plan may
// end. Only Grow changes it.
type Least struct {
	b        *builder
	single   []*table    // of one variable each
	affinity [][]float64 // of each two
	place    []int32     // by bit of the problem: its place in a packed state
	tables   []*table
	of       []int32 // by state bit: its table, -1 for none
	add      []int   // by state bit: what it adds to the index there
}

// maxStarts bounds the initial states that sets are tried on.
const maxStarts = 64

// values are the bits of a packed state.
type values struct {
	place []int32 // by bit of the problem
	words []uint64
}

func (v values) of(b factored.Bit) bool { i := v.place[b]; return v.words[i/64]>>(i%64)&1 == 1 }

// New finds variables and builds tables for a task with these initial states,
// packed as the state bits of the problem come. A table of several variables has
// at most so many entries. It returns nil where no table says anything.
func New(ctx context.Context, t engine.Task, starts [][]uint64, entries int) (*Least, error) {
	if len(starts) == 0 || len(starts) > maxStarts {
		return nil, nil
	}
	p := t.Problem
	place := make([]int32, p.NumBits())
	for i, b := range p.Bits(factored.State) {
		place[b] = int32(i)
	}
	var first []values
	for _, words := range starts {
		first = append(first, values{place, words})
	}
	sets, q, err := prove(func() (*oneStep, error) { return newStep(ctx, t) }, holding(suggest(p), first))
	if err != nil || q == nil {
		return nil, err
	}
	b, err := newBuilder(t, sets)
	if err != nil {
		return nil, err
	}
	l := &Least{b: b, single: q.choose(b, variables(p, sets), first), place: place}
	if len(l.single) == 0 || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	l.affinity = l.b.affinities(l.single)
	l.Grow(ctx, entries)
	return l, ctx.Err()
}

// Grow replaces the tables by larger ones, of at most so many entries. It reports
// whether there are any.
func (l *Least) Grow(ctx context.Context, entries int) bool {
	parts := l.partition(entries)
	if len(parts) == len(l.tables) {
		return false
	}
	var tables []*table
	for _, vars := range parts {
		if ctx.Err() != nil {
			return false
		}
		tables = append(tables, l.b.build(vars))
	}
	l.tables = tables
	l.of, l.add = make([]int32, len(l.place)), make([]int, len(l.place))
	for i := range l.of {
		l.of[i] = -1
	}
	for id, t := range tables {
		for k, x := range t.vars {
			for i, b := range x.bits {
				value := i + 1
				if !x.isSet {
					value = 1 << i
				}
				l.of[l.place[b]], l.add[l.place[b]] = int32(id), value*t.stride[k]
			}
		}
	}
	return true
}

// newBuilder builds tables of a task whose states keep the sets.
func newBuilder(t engine.Task, sets []set) (*builder, error) {
	p := t.Problem
	m, err := model.New(p, t.Network, 1, model.Options{})
	if err != nil {
		return nil, err
	}
	last := m.Part(2)
	system := propagate.NewSystem(int(m.NumVars()), slices.Concat(last.Sums[model.Goal], last.Sums[model.Global]), nil)
	b := &builder{final: system.NewState(), now: make([]model.Lit, p.NumBits())}
	for i := range b.now {
		b.now[i] = m.Var(1, factored.Bit(i))
	}
	b.words = (len(sets) + 63) / 64
	b.sets = make([]uint64, p.NumBits()*b.words)
	for i := range sets {
		for _, x := range sets[i].bits {
			b.sets[int(x)*b.words+i/64] |= 1 << (i % 64)
		}
	}
	return b, nil
}

// familySample is how many variables of a family are rated before it is chosen.
const familySample = 3

// rated is the table of one variable and the least that it says of the initial
// states.
type rated struct {
	t     *table
	least int64
}

// choose picks disjoint variables of which no step changes two, and returns their
// tables. The family whose first variables say most comes first, and in it the
// variable that does.
func (q *oneStep) choose(b *builder, all []*variable, starts []values) (out []*table) {
	families := map[string][]*variable{}
	var names []string
	for _, x := range all {
		if b.matters(x) { // without a goal for it a variable says nothing
			if families[x.family] == nil {
				names = append(names, x.family)
			}
			families[x.family] = append(families[x.family], x)
		}
	}
	ratings := map[string][]rated{}
	score := map[string]float64{}
	for _, name := range names {
		members := families[name]
		ratings[name] = q.rate(b, members[:min(familySample, len(members))], starts)
		for _, r := range ratings[name] {
			score[name] += float64(r.least) / float64(len(ratings[name]))
		}
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(score[y], score[x]) })
	listed := 0
	for _, name := range names {
		members := families[name]
		var more []*variable
		for _, x := range members[min(familySample, len(members)):] {
			if listed < maxVariables && !slices.ContainsFunc(out, func(t *table) bool { return t.vars[0].overlaps(x) }) {
				more = append(more, x)
				listed++
			}
		}
		list := append(ratings[name], q.rate(b, more, starts)...)
		slices.SortStableFunc(list, func(x, y rated) int { return cmp.Compare(y.least, x.least) })
		for _, r := range list {
			if slices.Max(r.t.left) > 0 && q.exclusive(r.t.vars[0], out) {
				out = append(out, r.t)
			}
		}
	}
	return out
}

// rate lists the moves of variables and builds their tables, while questions may
// be asked.
func (q *oneStep) rate(b *builder, list []*variable, starts []values) (out []rated) {
	for _, x := range list {
		if q.exhausted() || !q.list(x) {
			break
		}
		r := rated{b.build([]*variable{x}), Never}
		for _, s := range starts {
			r.least = min(r.least, r.t.left[x.valueIn(s.of)])
		}
		out = append(out, r)
	}
	return out
}

// exclusive reports whether a variable shares no bit with those of the tables,
// and no step changes it and one of them.
func (q *oneStep) exclusive(x *variable, tables []*table) bool {
	for _, t := range tables {
		y := t.vars[0]
		if q.exhausted() || x.overlaps(y) {
			return false
		}
		if yes, _ := q.possible(x.change, y.change); yes {
			return false
		}
	}
	return true
}

// overlaps reports whether two variables share a bit.
func (x *variable) overlaps(y *variable) bool {
	return slices.ContainsFunc(x.bits, func(b factored.Bit) bool { return slices.Contains(y.bits, b) })
}

// matters reports whether the goal forbids some value of a variable.
func (b *builder) matters(x *variable) bool {
	for v := range x.size {
		if !b.isGoal([]*variable{x}, []int{v}) {
			return true
		}
	}
	return false
}

// affinities measures for each two tables of one variable what their joint table
// gains over their sum.
func (b *builder) affinities(single []*table) [][]float64 {
	out := make([][]float64, len(single))
	for i, x := range single {
		out[i] = make([]float64, len(single))
		for j, y := range single[:i] {
			g := gain(b.build([]*variable{x.vars[0], y.vars[0]}), x, y)
			out[i][j], out[j][i] = g, g
		}
	}
	return out
}

// partition puts variables together, those first that gain most, while a table of
// them has at most so many entries.
func (l *Least) partition(entries int) (out [][]*variable) {
	type part struct {
		members []int // of single
		size    int
	}
	var parts []part
	for i, t := range l.single {
		parts = append(parts, part{[]int{i}, len(t.left)})
	}
	for {
		at, with, most := -1, -1, 0.0
		for i := range parts {
			for j := range i {
				if parts[i].size*parts[j].size > entries {
					continue
				}
				var sum float64
				for _, x := range parts[i].members {
					for _, y := range parts[j].members {
						sum += l.affinity[x][y]
					}
				}
				if sum > most {
					at, with, most = i, j, sum
				}
			}
		}
		if at < 0 {
			break
		}
		parts[with] = part{slices.Concat(parts[with].members, parts[at].members), parts[with].size * parts[at].size}
		parts = slices.Delete(parts, at, at+1)
	}
	for _, p := range parts {
		var vars []*variable
		for _, i := range p.members {
			vars = append(vars, l.single[i].vars[0])
		}
		out = append(out, vars)
	}
	return out
}

// Of is the bound of a packed state that keeps the rules; Never where no goal can
// be reached from it.
func (l *Least) Of(state []uint64) int64 {
	var room [64]int
	index := room[:]
	if len(l.tables) > len(room) {
		index = make([]int, len(l.tables))
	}
	for w, word := range state {
		for ; word != 0; word &= word - 1 {
			i := 64*w + bits.TrailingZeros64(word)
			if id := l.of[i]; id >= 0 {
				index[id] += l.add[i]
			}
		}
	}
	var sum int64
	for id, t := range l.tables {
		left := t.left[index[id]]
		if left >= Never {
			return Never
		}
		sum += left
	}
	return sum
}

// Tables is the number of tables, and the number of variables in them.
func (l *Least) Tables() (tables, variables int) {
	for _, t := range l.tables {
		variables += len(t.vars)
	}
	return len(l.tables), variables
}
