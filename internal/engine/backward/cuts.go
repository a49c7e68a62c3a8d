package backward

import (
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// findRules lists the rules between groups that have a price.
func (b *beam) findRules() error {
	b.rules = make([][]priced, b.m.Horizon)
	return b.eachPriced(b.x, func(t int, p priced) { b.rules[t-1] = append(b.rules[t-1], p) })
}

// step derives what is claimed of the nodes of step t, those of step t+1 being done.
func (b *beam) step(t int) error {
	here := b.relax(t)
	if err := b.chains(t); err != nil {
		return err
	}
	tables := make([]known, len(b.groups)) // by group: its priced costs with its tables
	for id, g := range b.groups {
		tables[id] = g.table(t)
	}
	cuts := b.cuts(t, here, tables)
	lemmas, clauses, err := b.refuteAll(t, cuts)
	if err != nil {
		return err
	}
	b.pass(t, here, tables, cuts)
	b.log.DeleteAll(b.lemmas)
	b.lemmas, b.clauses = lemmas, clauses
	return b.log.Err()
}

// chains derives the tables of the groups at step t.
func (b *beam) chains(t int) error {
	for _, g := range b.groups {
		g.vars = b.vars
		err := g.prove(t)
		b.vars = g.vars
		if err != nil {
			return err
		}
		// What propagation refutes is excluded as a clause, so that the value is known to be.
		l := g.layers[t]
		for i := range l.states {
			if s := &l.states[i]; s.closed {
				var clause []model.Lit
				for k, v := range l.now {
					if s.key[k/8]>>(k%8)&1 == 1 {
						v = -v
					}
					clause = append(clause, l.global(v))
				}
				l.lemmas, l.clauses = append(l.lemmas, b.log.Learn(clause)), append(l.clauses, clause)
			}
		}
	}
	return nil
}

// table takes over what a group's priced costs at step t, and its table after it, are
// at least by its table before; nothing at the last step.
func (w *writer) table(t int) (k known) {
	if t > w.m.Horizon {
		return k
	}
	l, next := w.layers[t], w.layers[t+1]
	sum := w.row(l, next)
	k.addTerms(sum, 1)
	if len(l.values) == 0 {
		k.id = w.nonnegative(sum)
	} else {
		k.addTerms(levels(l.values, l.lits), -1)
		k.id = w.sums[0]
		w.sums = nil
	}
	return k
}

// relax derives that the costs of step t, times the unit, are at least the priced costs
// of the groups.
func (b *beam) relax(t int) known {
	if t > b.m.Horizon {
		return known{}
	}
	a := &addition{w: b.writer}
	for _, r := range b.rules[t-1] {
		a.use(r.known, r.price)
	}
	var want linear
	want.addTerms(b.costsAt(t), b.unit)
	for _, g := range b.groups {
		for _, c := range g.layers[t].costs {
			want.add(g.layers[t].global(c.Lit), -c.Coef)
		}
	}
	a.become(want)
	return a.known()
}

// cuts derives, for each number of groups that are decided, what their new values and
// the old ones of the others cost at most in a plan that is too cheap.
func (b *beam) cuts(t int, here known, tables []known) []known {
	a := &addition{w: b.writer}
	a.use(b.limit, b.unit)
	for _, s := range b.steps[:t-1] {
		a.use(s, b.unit)
	}
	a.use(b.later, 1)
	a.use(here, 1)
	last := len(b.order)
	if t > b.m.Horizon {
		last = 0 // nothing is left to be decided
	}
	out := make([]known, last+1)
	for j := last; j >= 0; j-- {
		if j < last {
			a = &addition{w: b.writer}
			a.use(out[j+1], 1)
			a.use(tables[b.order[j]], 1)
		}
		out[j] = a.known()
	}
	return out
}

// refuteAll derives what is claimed of the nodes of step t.
func (b *beam) refuteAll(t int, cuts []known) (lemmas []proof.ID, clauses [][]model.Lit, err error) {
	if len(b.nodes[t-1]) == 0 {
		return nil, nil, nil
	}
	j := b.joint(t, cuts)
	for _, n := range b.nodes[t-1] {
		var assumed []model.Lit
		if b.enough != 0 {
			assumed = append(assumed, -b.enough)
		}
		if c := b.reached(t, n); c > 0 {
			assumed = append(assumed, b.spent[t-1].lits[c])
		}
		for id := range b.groups {
			for _, x := range b.x.Bits(id, n.Values[id]) {
				assumed = append(assumed, j.l.global(x))
			}
		}
		root, err := j.contradict(assumed)
		if err != nil {
			return nil, nil, err
		}
		id, made := j.write(root)
		b.log.DeleteAll(made)
		lemmas, clauses = append(lemmas, id), append(clauses, root)
	}
	return lemmas, clauses, nil
}

// pass adds step t to the later ones, and deletes what only it needed.
func (b *beam) pass(t int, here known, tables, cuts []known) {
	a := &addition{w: b.writer}
	a.use(b.later, 1)
	a.use(here, 1)
	var done []proof.ID
	for _, k := range tables {
		a.use(k, 1)
		if k.id != 0 {
			done = append(done, k.id)
		}
	}
	later := a.known()
	for i, k := range cuts {
		if k.id != 0 && (i > 0 || t > 1) {
			done = append(done, k.id)
		}
	}
	for _, k := range []known{b.later, here} {
		if k.id != 0 {
			done = append(done, k.id)
		}
	}
	b.later = later
	if t <= b.m.Horizon {
		if x := b.spent[t]; x != nil {
			done = append(done, append(x.when, x.orders...)...)
		}
		for _, g := range b.groups {
			g.retire(g.layers[t+1])
		}
	}
	b.first = cuts[:1]
	b.log.DeleteAll(done)
}
