package cnf

import "github.com/fdplan/fdplan/internal/model"

// A list is a set of literals together with its sorted outputs: output i holds if at least i
// of the literals do. Outputs are made on first use, in the directions requested, so that
// nothing is written that no neuron depends on. (Omitting comparators that do not lead to an
// output in use does not weaken unit propagation: the inferences of Definition 1 pass along
// the others.)
//
// The sorted negations of a list are its outputs negated and reversed, so a list is stored in
// one polarity, the one in which its first literal is positive, and read through views.
type list struct {
	lits  []model.Lit // by variable, the first one positive
	parts [2]view     // the lists it is merged from, if prescribed or decided
	want  span        // outputs that will be requested
	dirs  directions
	how   uint8
	merge *merge   // of the outputs, when how is byMerge
	outs  []output // by index from 1; nil until one is requested
}

// The ways to make a list's outputs.
const (
	stated  uint8 = iota // directly over the literals
	byMerge              // by merging the parts
)

// output is one output: its literal, once it has one, and the directions in
// which it is defined.
type output struct {
	lit  model.Lit
	made directions
}

// view is a list, or the list of its literals' negations.
type view struct {
	list *list
	neg  bool
}

func (v view) not() view { return view{v.list, !v.neg} }

func (v view) size() int { return len(v.list.lits) }

// require records that outputs lo..hi of v will be requested.
func (v view) require(s span, dirs directions) {
	if s.lo == 0 {
		return
	}
	if v.neg {
		n := v.size()
		s.lo, s.hi = n+1-s.hi, n+1-s.lo
		dirs = dirs.mirrored()
	}
	v.list.want.add(s.lo, s.hi)
	v.list.dirs |= dirs
}

// define makes out the literal (or constant) of output i, or reports that it equals the
// literal already used for this output.
func (v view) define(w *writer, i int, out model.Lit) {
	dirs := both
	switch out {
	case litTrue:
		dirs = backward
	case litFalse:
		dirs = forward
	}
	if v.neg {
		i, out, dirs = v.size()+1-i, -out, dirs.mirrored()
	}
	l := v.list
	l.prepare(w.costs)
	if len(l.lits) == 1 || l.outs[i].lit != 0 {
		x := l.at(w, i, dirs)
		w.clause(-x, out)
		w.clause(x, -out)
		return
	}
	l.outs[i].lit = out
	l.at(w, i, dirs)
}

// prepare allocates the outputs when the first one is requested.
func (l *list) prepare(c *costs) {
	if l.outs != nil {
		return
	}
	l.outs = make([]output, len(l.lits)+1)
	if l.how == byMerge {
		l.merge = newMerge(c, l.parts[0].all(), l.parts[1].all(), l.want, l.dirs)
	}
}

// at returns output i of v; any i is allowed.
func (v view) at(w *writer, i int, dirs directions) model.Lit {
	if !v.neg {
		return v.list.at(w, i, dirs)
	}
	return -v.list.at(w, v.size()+1-i, dirs.mirrored())
}

func (l *list) at(w *writer, i int, dirs directions) model.Lit {
	switch {
	case i < 1:
		return litTrue
	case i > len(l.lits):
		return litFalse
	case len(l.lits) == 1:
		return l.lits[0]
	}
	l.prepare(w.costs)
	if l.how == byMerge {
		return l.merge.at(w, l.outs, i, dirs)
	}
	o := &l.outs[i]
	if o.lit == 0 {
		o.lit = w.NewVar()
	}
	missing := dirs &^ o.made
	o.made |= missing
	if missing&forward != 0 {
		w.subsets(negated(l.lits), i, o.lit)
	}
	if missing&backward != 0 {
		w.subsets(l.lits, len(l.lits)-i+1, -o.lit)
	}
	return o.lit
}

// settle decides how the list's outputs are made, once it is known which are wanted, and
// returns the price.
func (l *list) settle(c *costs) price {
	n := len(l.lits)
	a, b := l.parts[0], l.parts[1]
	plan := c.merge(a.size(), b.size(), l.want, l.dirs)
	if p := statedPrice(n, l.want, l.dirs); p <= plan.price {
		l.how = stated
		return p
	}
	l.how = byMerge
	a.require(partSpan(a.size(), b.size(), l.want.lo, l.want.hi), l.dirs)
	b.require(partSpan(b.size(), a.size(), l.want.lo, l.want.hi), l.dirs)
	return plan.price
}

// sequence is every step-th output of a view.
type sequence struct {
	of          view
	first, step int
	n           int
}

func (v view) all() sequence { return sequence{v, 1, 1, v.size()} }

func (s *sequence) residue(q, r int) sequence {
	return sequence{s.of, s.first + (q-1)*s.step, s.step * r, countResidue(s.n, q, r)}
}

func (s *sequence) at(w *writer, i int, dirs directions) model.Lit {
	switch {
	case i < 1:
		return litTrue
	case i > s.n:
		return litFalse
	}
	return s.of.at(w, s.first+(i-1)*s.step, dirs)
}

// merge is one merge of two sequences, direct or by residues.
type merge struct {
	a, b     sequence
	residues *residues // nil for the direct merge
	subs     []*merge
	outs     []output // of a sub-merge; a list keeps its own
}

func newMerge(c *costs, a, b sequence, s span, dirs directions) *merge {
	m := &merge{a: a, b: b}
	plan := c.merge(a.n, b.n, s, dirs)
	r := plan.residues
	if r == 0 {
		return m
	}
	m.residues = c.residues[r]
	m.subs = make([]*merge, r+1)
	for q := 1; q <= r; q++ {
		m.subs[q] = newMerge(c, a.residue(q, r), b.residue(q, r), plan.subs[q], dirs)
		m.subs[q].outs = make([]output, m.subs[q].a.n+m.subs[q].b.n+1)
	}
	return m
}

func (m *merge) sub(w *writer, q, i int, dirs directions) model.Lit {
	s := m.subs[q]
	return s.at(w, s.outs, i, dirs)
}

// at returns output i, 1 <= i <= a.n+b.n.
func (m *merge) at(w *writer, outs []output, i int, dirs directions) model.Lit {
	if m.b.n == 0 {
		return m.a.at(w, i, dirs)
	}
	if m.a.n == 0 {
		return m.b.at(w, i, dirs)
	}
	o := &outs[i]
	missing := dirs &^ o.made
	if missing == 0 {
		return o.lit
	}
	o.made |= missing
	if m.residues != nil {
		if q, j, ok := m.residues.alias(m.a.n, m.b.n, i); ok {
			x := m.sub(w, q, j, missing)
			if o.lit == 0 {
				o.lit = x
			} else if o.lit != x {
				w.clause(-x, o.lit)
				w.clause(x, -o.lit)
			}
			return o.lit
		}
	}
	if o.lit == 0 {
		o.lit = w.NewVar()
	}
	for d := forward; d <= backward; d <<= 1 {
		if missing&d == 0 {
			continue
		}
		if m.residues == nil {
			m.direct(w, o.lit, i, d)
		} else {
			m.combine(w, o.lit, i, d)
		}
	}
	return o.lit
}

func (m *merge) direct(w *writer, out model.Lit, i int, d directions) {
	if d == forward {
		for j := max(0, i-m.b.n); j <= min(m.a.n, i); j++ {
			x, y := m.a.at(w, j, d), m.b.at(w, i-j, d)
			w.clause(-x, -y, out)
		}
		return
	}
	for j := max(0, i-1-m.b.n); j <= min(m.a.n, i-1); j++ {
		x, y := m.a.at(w, j+1, d), m.b.at(w, i-j, d)
		w.clause(x, y, -out)
	}
}

func (m *merge) combine(w *writer, out model.Lit, i int, d directions) {
	var buf [maxResidues]combination
	n := m.residues.combinations(m.a.n, m.b.n, i, d == backward, &buf)
	for k := range buf[:n] {
		c := &buf[k]
		var lits [maxResidues + 1]model.Lit
		for l := range c.n {
			x := m.sub(w, int(c.q[l]), int(c.i[l]), d)
			if d == forward {
				x = -x
			}
			lits[l] = x
		}
		lits[c.n] = out
		if d == backward {
			lits[c.n] = -out
		}
		w.clause(lits[:c.n+1]...)
	}
}

// writer writes the clauses of lists.
type writer struct {
	emitter
	costs *costs
	pick  []model.Lit
}

// subsets writes a clause for every k of lits, with last added to each.
func (w *writer) subsets(lits []model.Lit, k int, last model.Lit) {
	w.pick = w.pick[:0]
	w.choose(lits, k, last)
}

func (w *writer) choose(lits []model.Lit, k int, last model.Lit) {
	if k == 0 {
		w.clause(append(w.pick, last)...)
		return
	}
	for i := 0; i+k <= len(lits); i++ {
		w.pick = append(w.pick, lits[i])
		w.choose(lits[i+1:], k-1, last)
		w.pick = w.pick[:len(w.pick)-1]
	}
}
