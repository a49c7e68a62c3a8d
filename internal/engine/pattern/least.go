package pattern

import (
	"cmp"
	"context"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/sat"
	"github.com/fdplan/fdplan/problem/factored"
)

// Least is a lower bound on the cost from a state to one in which a plan may
// end. Only Grow changes it.
type Least struct {
	b      *builder
	single []*table  // of one variable each
	place  []int32   // by bit of the problem: its place in a packed state
	sums   []*sum    // each is a bound
	parts  [][][]int // of each: the variables of its tables
}

// maxStarts bounds the initial states that sets are tried on.
const maxStarts = 64

// values are the bits of a packed state.
type values struct {
	place []int32 // by bit of the problem
	words []uint64
}

func (v values) of(b factored.Bit) bool { return step.Bit(v.words, v.place[b]) }

// Rules are sets of Boolean state bits of which at most one is true in every state that can be reached.
type Rules struct {
	t      engine.Task
	q      *oneStep // with the sets
	place  []int32
	states []values
	sets   []set
}

// NewRules finds rules of a task. The reachable states given, packed as the state bits of the problem come, begin with all initial ones, so many;
// the others show what to expect. It returns nil where the initial states are many.
func NewRules(ctx context.Context, t engine.Task, initial int, reachable [][]uint64) (*Rules, error) {
	if initial == 0 || initial > maxStarts {
		return nil, nil
	}
	r := &Rules{t: t, place: make([]int32, t.Problem.NumBits())}
	for i, b := range t.Problem.Bits(factored.State) {
		r.place[b] = int32(i)
	}
	for _, words := range reachable {
		r.states = append(r.states, values{r.place, words})
	}
	var err error
	r.sets, r.q, err = prove(func() (*oneStep, error) { return newStep(ctx, t) }, holding(suggest(t.Problem), r.states))
	if err != nil || r.q == nil {
		return nil, err
	}
	return r, nil
}

// Places are the rules by places of packed states.
func (r *Rules) Places() (out []bound.Rule) {
	for _, x := range r.sets {
		rule := bound.Rule{One: x.one}
		for _, b := range x.bits {
			rule.Places = append(rule.Places, r.place[b])
		}
		out = append(out, rule)
	}
	return out
}

// New finds variables and builds tables for a task, by its rules. The reachable states given show what to expect. A table of several variables has at
// most so many entries; they are built on so many threads. It returns nil where no table says anything.
func New(ctx context.Context, r *Rules, reachable [][]uint64, entries, threads int) (*Least, error) {
	b, err := newBuilder(r.t, r.sets)
	if err != nil {
		return nil, err
	}
	l := &Least{b: b, single: r.q.choose(b, variables(r.t.Problem, r.sets), r.states), place: r.place}
	if len(l.single) == 0 || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	l.Grow(ctx, entries, reachable, threads)
	return l, ctx.Err()
}

// newBuilder builds tables of a task whose states keep the sets.
func newBuilder(t engine.Task, sets []set) (*builder, error) {
	p := t.Problem
	one, err := step.New(t)
	if err != nil {
		return nil, err
	}
	b := &builder{end: one.Final(), now: make([]model.Lit, p.NumBits())}
	for i := range b.now {
		b.now[i] = one.Var(factored.Bit(i))
	}
	b.final = b.end.NewState()
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

// rated is the table of one variable, and what it says of some states on average.
type rated struct {
	t     *table
	score float64
}

// sampled parts some variables of a family, from all over it, from the others.
func sampled(members []*variable) (sample, rest []*variable) {
	every := (len(members) + familySample - 1) / familySample
	for i, x := range members {
		if i%every == 0 {
			sample = append(sample, x)
		} else {
			rest = append(rest, x)
		}
	}
	return sample, rest
}

// family is the variables of one name, and what a sample of them says.
type family struct {
	rest  []*variable // not rated yet
	rated []rated
	score float64 // of a sample, on average
	size  int
}

// families rates a sample of each family, and sorts them by that.
func (q *oneStep) families(b *builder, all []*variable, states []values) (out []*family) {
	by := map[string]*family{}
	all = slices.DeleteFunc(all, func(x *variable) bool { return !b.matters(x) }) // without a goal for it a variable says nothing
	q.watch(all)
	for _, x := range all {
		f := by[x.family]
		if f == nil {
			f = &family{}
			by[x.family] = f
			out = append(out, f)
		}
		f.rest = append(f.rest, x)
		f.size++
	}
	for _, f := range out {
		var sample []*variable
		sample, f.rest = sampled(f.rest)
		f.rated = q.rate(b, sample, states)
		for _, r := range f.rated {
			f.score += r.score / float64(len(f.rated))
		}
	}
	slices.SortStableFunc(out, func(x, y *family) int { return cmp.Compare(y.score, x.score) })
	return out
}

// complete rates all of a family, the best first.
func (q *oneStep) complete(b *builder, f *family, states []values) {
	f.rated = append(f.rated, q.rate(b, f.rest, states)...)
	f.rest = nil
	slices.SortStableFunc(f.rated, func(x, y rated) int { return cmp.Compare(y.score, x.score) })
}

// take adds the tables of a family whose variables are disjoint from those before and change in no step in which one of these does. It returns what they
// say together.
func (q *oneStep) take(f *family, out []*table) ([]*table, float64) {
	sum := 0.0
	for _, r := range f.rated {
		if slices.Max(r.t.left) > 0 && q.exclusive(r.t.vars[0], out) {
			out = append(out, r.t)
			sum += r.score
		}
	}
	return out, sum
}

// choose picks disjoint variables of which no step changes two, and returns their
// tables. The family comes first whose variables say most together, as the places of tiles do, and not the tiles of places, and in it the
// variable that does.
func (q *oneStep) choose(b *builder, all []*variable, states []values) (out []*table) {
	families := q.families(b, all, states)
	first, most := -1, 0.0
	for i, f := range families {
		if f.score*float64(f.size) > most && f.size <= maxVariables {
			q.complete(b, f, states)
			if list, sum := q.take(f, nil); sum > most {
				first, most, out = i, sum, list
			}
		}
	}
	listed := len(out)
	for i, f := range families {
		if i == first {
			continue
		}
		f.rest = slices.DeleteFunc(f.rest, func(x *variable) bool {
			listed++
			return listed > maxVariables || slices.ContainsFunc(out, func(t *table) bool { return t.vars[0].overlaps(x) })
		})
		q.complete(b, f, states)
		out, _ = q.take(f, out)
	}
	return out
}

// rate lists the moves of variables and builds their tables, while questions may
// be asked.
func (q *oneStep) rate(b *builder, list []*variable, states []values) (out []rated) {
	for _, x := range list {
		if q.exhausted() || !q.list(x) {
			break
		}
		r := rated{t: b.build([]*variable{x})}
		for _, s := range states {
			r.score += float64(r.t.at(x.valueIn(s.of))) / float64(len(states))
		}
		out = append(out, r)
	}
	return out
}

// exclusive reports whether a variable shares no bit with those of the tables,
// and no step changes it and one of them.
func (q *oneStep) exclusive(x *variable, tables []*table) bool {
	other := q.s.NewVar() // implies that one of them changes
	clause := []sat.Lit{other.Not()}
	for _, t := range tables {
		if x.overlaps(t.vars[0]) {
			return false
		}
		clause = append(clause, t.vars[0].change)
	}
	q.s.AddClause(clause...)
	if yes, exact := q.possible(x.change, other); !yes || exact {
		return !yes
	}
	for _, t := range tables { // one after the other is easier
		if q.exhausted() {
			return false
		}
		if yes, _ := q.possible(x.change, t.vars[0].change); yes {
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
// gains over their sum, on some states in particular.
func (b *builder) affinities(single []*table, states []values) [][]float64 {
	out := make([][]float64, len(single))
	for i, x := range single {
		out[i] = make([]float64, len(single))
		for j, y := range single[:i] {
			g := gain(b.build([]*variable{x.vars[0], y.vars[0]}), x, y, states)
			out[i][j], out[j][i] = g, g
		}
	}
	return out
}
