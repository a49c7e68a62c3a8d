package structure

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/problem/bnn"
)

// Permutation renames inputs and outputs, as an exchange of two objects does.
type Permutation struct {
	Inputs, Outputs []int // the new number of each
}

// Then is the permutation that renames by p first and by q then.
func (p Permutation) Then(q Permutation) Permutation {
	r := Permutation{make([]int, len(p.Inputs)), make([]int, len(p.Outputs))}
	for i, to := range p.Inputs {
		r.Inputs[i] = q.Inputs[to]
	}
	for o, to := range p.Outputs {
		r.Outputs[o] = q.Outputs[to]
	}
	return r
}

// poolRows bounds the rows that are made of others by symmetries.
const poolRows = 25_000

// image is a row as it is before a permutation, by its place in an orbit's list.
type image struct {
	row int32
	by  int
}

// pooled is a table for output o alone: for each permutation the rows as they
// are before inputs and outputs are renamed. If the system has the symmetry, o depends on
// the inputs of all these rows in one way. A function of o on the pooled rows is one of output
// p.Outputs[o] on the rows themselves, its inputs renamed by p. Where these are more than
// poolRows, all rows of the first permutation are taken, some of the others, and more.
func (t *Table) pooled(rows []int32, o int, by []Permutation, more []image) *Table {
	p := *t
	p.in, p.out, p.inKnown, p.outKnown = nil, nil, nil, nil
	p.Contradictory, p.Repeated, p.alone = false, 0, true
	wi, wo := bnn.Words(t.Inputs), bnn.Words(t.Outputs)
	out := make([]uint64, wo)
	in := make([]uint64, wi)
	known := make([]uint64, wi)
	add := func(r int32, q Permutation) {
		output := q.Outputs[o]
		if !t.Knows(int(r), output) {
			return
		}
		clear(in)
		clear(known)
		from := t.Input(int(r))
		for i := range t.Inputs {
			k := q.Inputs[i]
			in[i/64] |= from[k/64] >> (k % 64) & 1 << (i % 64)
			if t.inKnown == nil || t.inKnown[int(r)*wi+k/64]>>(k%64)&1 == 1 {
				known[i/64] |= 1 << (i % 64)
			}
		}
		out[o/64] = 0
		if t.Output(int(r), output) {
			out[o/64] = 1 << (o % 64)
		}
		if t.inKnown == nil {
			p.Add(in, out, nil, nil)
		} else {
			p.Add(in, out, known, nil)
		}
	}
	step := 1 + (len(rows)*len(by)-1)/poolRows
	for i, r := range rows {
		for k, q := range by {
			if k == 0 || (i+k)%step == 0 {
				add(r, q)
			}
		}
	}
	for _, m := range more {
		add(m.row, by[m.by])
	}
	if p.Rows() > 0 {
		p.distinct()
	}
	return &p
}

// moved is the description of output p.Outputs[o] that follows from that of o.
func (o *Output) moved(p Permutation) Output {
	m := Output{Kind: o.Kind, Open: o.Open, Literals: o.Literals, Bit: o.Bit}
	if o.Form != nil {
		m.Form = o.Form.Renamed(p.Inputs)
		m.Inputs = m.Form.Inputs()
	} else if o.Sum != nil {
		m.Sum = o.Sum.Renamed(p.Inputs)
		m.Inputs = m.Sum.Inputs()
	} else {
		m.Tree = o.Tree.renamed(p.Inputs)
		m.Inputs = m.Tree.Inputs()
	}
	return m
}

// renamed is the tree with other inputs.
func (n *Tree) renamed(to []int) *Tree {
	m := *n
	if n.Zero != nil {
		m.Input, m.Zero, m.One = to[n.Input], n.Zero.renamed(to), n.One.renamed(to)
	}
	return &m
}

// orbit is an output and those that a symmetry makes of it.
type orbit struct {
	first   int
	members []int         // with first
	by      []Permutation // that give each member
	all     []Permutation // that rows are pooled by
}

// orbits divides the outputs by a list of permutations. Of more permutations than rows allow,
// an orbit has those that give its members and the first others.
func (t *Table) orbits(by []Permutation) []orbit {
	taken := make([]bool, t.Outputs)
	var all []orbit
	for o := range t.Outputs {
		if taken[o] {
			continue
		}
		taken[o] = true
		b := orbit{first: o, members: []int{o}, by: []Permutation{identity(t.Inputs, t.Outputs)}}
		var rest []Permutation
		for _, p := range by {
			if to := p.Outputs[o]; !taken[to] {
				taken[to] = true
				b.members, b.by = append(b.members, to), append(b.by, p)
			} else {
				rest = append(rest, p)
			}
		}
		more := max(0, poolRows/t.Rows()-len(b.by))
		b.all = slices.Concat(b.by, rest[:min(len(rest), more)])
		all = append(all, b)
	}
	return all
}

// held counts the rows held out on which the members are wrong.
func (b *orbit) held(st *Structure) (n int) {
	for _, o := range b.members {
		n += st.Outputs[o].Held
	}
	return n
}

// open reports that the rows leave much to the description of a member.
func (b *orbit) open(st *Structure) bool {
	return slices.ContainsFunc(b.members, func(o int) bool { return st.Outputs[o].Open })
}

// settled reports that functions of whole integers explain all members, and others need not be looked for.
func (b *orbit) settled(l *learner, st *Structure) bool {
	return !slices.ContainsFunc(b.members, func(o int) bool { return st.Outputs[o].Kind != ByForm || l.whole[o] != exactly })
}

// literals counts those of all members.
func (b *orbit) literals(st *Structure) (n int) {
	for _, o := range b.members {
		n += st.Outputs[o].Literals
	}
	return n
}

// worst is the orbit with the largest share of wrong rows held out. It is tried even if noise
// may explain them: a function that explains all of them shows that there is none. It is -1
// where rows contradict each other, which no function can explain, and where no row is wrong.
func (l *learner) worst(orbits []orbit, st *Structure) int {
	at, most := -1, 0.0
	if l.t.Contradictory {
		return at
	}
	for i := range orbits {
		if orbits[i].settled(l, st) {
			continue
		}
		if share := float64(orbits[i].held(st)) / float64(len(orbits[i].members)); share > most {
			at, most = i, share
		}
	}
	return at
}

// identity renames nothing.
func identity(inputs, outputs int) Permutation {
	return Permutation{integer.Below[int](inputs), integer.Below[int](outputs)}
}

// shared is how the outputs of an orbit are learned together.
type shared struct {
	orbit *orbit
	kind  Kind
}

// pooledSearch is a search for the function of the first output of an orbit on pooled rows. It
// is nil where these contradict each other and those of the table do not: the symmetry is none.
func (l *learner) pooledSearch(b *orbit, rows []int32, more []image) (*learner, *search) {
	p := l.t.pooled(rows, b.first, b.all, more)
	if p.Rows() == 0 || p.Contradictory && !l.t.Contradictory {
		return nil, nil
	}
	sub := &learner{ctx: l.ctx, t: p, o: l.o, x: newXlog2(p.Rows()), noise: l.noise}
	return sub, sub.searchFor(b.first, p.all())
}

// judgeShared looks for symmetries that make fewer rows held out wrong, and marks these rows.
// It notes, by output, how it is learned with others. exact is that of tryOrbit for some outputs.
func (l *learner) judgeShared(folds []fold, st *Structure, wrong [][][]bool, with []*shared) (exact bool, err error) {
	var accepted [][]Permutation
	try := func(by []Permutation) error {
		orbits := l.t.orbits(by)
		better, right := make([]bool, len(orbits)), make([]bool, len(orbits))
		worst := l.worst(orbits, st)
		err := l.each(len(orbits), func(i int) {
			if orbits[i].settled(l, st) {
				return
			}
			before := orbits[i].held(st)
			if i == worst || orbits[i].open(st) || float64(before) > l.noise*float64(heldRows(folds)*len(orbits[i].members)) {
				better[i], right[i] = l.tryOrbit(&orbits[i], folds, st, wrong, with)
			}
		})
		if slices.Contains(better, true) {
			accepted = append(accepted, by)
		}
		exact = exact || slices.Contains(right, true)
		return err
	}
	for _, by := range l.t.Symmetries {
		if err := try(by); err != nil {
			return false, err
		}
	}
	if len(accepted) > 1 {
		err = try(products(accepted))
	}
	return exact, err
}

// together learns the outputs that are learned with others, from all rows. An output that the
// function of all does not fit is left out, where rows have no exceptions.
func (l *learner) together(rows []int32, short bool, with []*shared) ([]*Output, error) {
	var list []*shared
	for _, s := range with {
		if s != nil && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	found := make([]*Output, l.t.Outputs)
	err := l.each(len(list), func(i int) {
		s := list[i]
		shared := l.describeShared(s, rows, short)
		if shared == nil {
			return
		}
		for m, o := range s.orbit.members {
			if with[o] != s {
				continue
			}
			out := shared.moved(s.orbit.by[m])
			out.Alike = len(s.orbit.members) - 1
			known := l.t.known(rows, o)
			out.Rows = len(known)
			out.Cells, _ = l.t.cells(known, o, out.Inputs)
			if _, out.Wrong = l.t.wrong(&out, o, known); short || l.t.Contradictory || out.Wrong == 0 {
				found[o] = &out
			}
		}
	})
	return found, err
}

// describeShared describes the first output of an orbit. Where that is wrong on rows that were
// not pooled, it is learned again with them. It is nil if the symmetry is none.
func (l *learner) describeShared(s *shared, rows []int32, short bool) *Output {
	const rounds = 4
	var more []image
	var out Output
	for range rounds {
		sub, pooled := l.pooledSearch(s.orbit, rows, more)
		if sub == nil {
			return nil
		}
		out = sub.describe(pooled, short, s.kind)
		missed := l.missed(&out, s.orbit, rows)
		if len(missed) == 0 || short || l.t.Contradictory || l.ctx.Err() != nil {
			break
		}
		more = append(more, missed...)
	}
	return &out
}

// missed lists rows on which a description of an orbit's first output is wrong for one of its
// members.
func (l *learner) missed(out *Output, b *orbit, rows []int32) (missed []image) {
	const most = 1000
	for m, o := range b.members {
		its := out.moved(b.by[m])
		wrong, _ := l.t.wrong(&its, o, rows)
		for i, is := range wrong {
			if is && len(missed) < most {
				missed = append(missed, image{rows[i], m})
			}
		}
	}
	return missed
}

// products lists the permutations of all lists, and those of one followed by one of another.
func products(lists [][]Permutation) []Permutation {
	const most = 1024
	var all []Permutation
	for _, list := range lists {
		before := all
		all = append(all, list...)
		for _, p := range before {
			for _, q := range list {
				if len(all) == most {
					return all
				}
				all = append(all, p.Then(q))
			}
		}
	}
	return all
}

// tryOrbit learns the outputs of an orbit together, and takes that for them if fewer of the
// rows held out are wrong than before, or if none was and one description is shorter than
// those of all. exact reports that of many such rows none is, nor any
// that was learned from.
func (l *learner) tryOrbit(b *orbit, folds []fold, st *Structure, wrong [][][]bool, with []*shared) (better, exact bool) {
	const (
		many  = 10
		small = 16 // conditions that leave nothing to gain
	)
	before := b.held(st)
	if len(b.all) == 1 || before == 0 && (!b.open(st) || l.t.Contradictory) {
		return false, false
	}
	kinds := []Kind{ByTable, ByTree}
	if l.o.Sums && !l.t.Contradictory {
		kinds = []Kind{ByTable, ByRules, ByTree, ByCount}
	}
	subs, searches := make([]*learner, len(folds)), make([]*search, len(folds))
	for i, f := range folds {
		if subs[i], searches[i] = l.pooledSearch(b, f.rows, nil); subs[i] == nil {
			return false, false
		}
	}
	least, size := before, math.MaxInt
	if before == 0 {
		size = b.literals(st)
	}
	for _, kind := range kinds {
		if least == 0 && size <= small {
			break
		}
		bad := make([][][]bool, len(b.members)) // by member and fold, the rows held out
		held, sum, errors, literals := make([]int, len(b.members)), 0, 0, 0
		for i, f := range folds {
			if sum > least {
				break
			}
			out := subs[i].describe(searches[i], st.Noisy, kind)
			errors += out.Wrong
			literals += out.Literals
			for m, o := range b.members {
				its := out.moved(b.by[m])
				w, n := l.t.wrong(&its, o, f.held)
				bad[m] = append(bad[m], w)
				held[m] += n
				sum += n
			}
		}
		// Of kinds that are as good the smaller one is taken.
		if literals /= len(folds); sum > least || sum == least && (before > 0 && least == before || literals >= size) {
			continue
		}
		least, size, better, exact = sum, literals, true, sum+errors == 0 && before >= many
		s := &shared{b, kind}
		for m, o := range b.members {
			wrong[o], with[o] = bad[m], s
			st.Outputs[o].Held, st.Outputs[o].Literals = held[m], literals/len(b.members)
		}
	}
	return better, exact
}

// literals counts the conditions that a description is made of: those of the units of a sum,
// and for a tree those on the ways to its leaves of one value.
func (o *Output) literals() int {
	if o.Form != nil {
		return o.Form.Size()
	}
	if o.Sum != nil {
		n := 0
		for _, u := range o.Sum.Units {
			n += len(u.Literals)
		}
		return n
	}
	return min(o.Tree.conditions(0, true), o.Tree.conditions(0, false))
}

// conditions counts those on the ways to the leaves of one value.
func (n *Tree) conditions(depth int, value bool) int {
	switch {
	case n.Zero != nil:
		return n.Zero.conditions(depth+1, value) + n.One.conditions(depth+1, value)
	case n.Value == value:
		return depth
	}
	return 0
}
