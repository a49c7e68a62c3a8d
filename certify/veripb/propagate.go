package veripb

import "slices"

type watch struct {
	c       *constraint
	blocker lit // some literal of the clause; if it is true, the clause need not be looked at
}

type occurrence struct {
	c      *constraint
	weight int64
}

// propagator performs unit propagation over a database of constraints. What follows from the
// database alone stays assigned (the root); assumptions are undone after each question.
type propagator struct {
	value   []int8 // by literal: 1 true, -1 false, 0 open
	reason  []*constraint
	at      []int32 // by variable: position on the trail
	uses    []int32 // by variable: number of constraints of the database that contain it
	trail   []lit
	root    int // number of literals at the start of the trail that follow from the database
	clauses int // number of literals on the trail that clauses have processed
	linears int // the same for linear constraints

	watches [][]watch      // by the literal that wakes the clause when it becomes false
	occurs  [][]occurrence // by literal
	wides   []*constraint
	packing

	live     []*constraint // in order of their making
	conflict *constraint   // constraint that contradicts the root
	stale    bool          // a constraint that the root depends on was deleted
	garbage  int           // number of deleted constraints that are still in lists
	kept     int           // number of constraints that are not deleted
}

func (p *propagator) grow(vars int) {
	if p.blocks == nil {
		p.blocks = map[string]*block{}
	}
	for len(p.reason) < vars {
		p.value = append(p.value, 0, 0)
		p.reason = append(p.reason, nil)
		p.at = append(p.at, 0)
		p.uses = append(p.uses, 0)
		p.watches = append(p.watches, nil, nil)
		p.occurs = append(p.occurs, nil, nil)
		p.heads = append(p.heads, nil, nil)
	}
	for 64*len(p.users) < vars {
		p.bits = append(p.bits, 0, 0)
		p.users = append(p.users, nil)
	}
}

func (p *propagator) assign(l lit, why *constraint) {
	p.value[l], p.value[l.not()] = 1, -1
	v := l.variable()
	p.bits[v/64*2+int(l.not()&1)] |= 1 << (v % 64)
	p.reason[v] = why
	p.at[v] = int32(len(p.trail))
	p.trail = append(p.trail, l)
}

// examine propagates a constraint that was just attached. It returns the constraint if it
// contradicts the assignment.
func (p *propagator) examine(c *constraint) *constraint {
	switch c.shape {
	case clause:
		open := lit(-1)
		for _, l := range c.lits {
			switch {
			case p.value[l] > 0, p.value[l] == 0 && open >= 0:
				return nil
			case p.value[l] == 0:
				open = l
			}
		}
		if open < 0 {
			return c
		}
		p.assign(open, c)
	case linear:
		if c.slack < 0 {
			return c
		}
		c.rewind()
		p.force(c)
	case packed:
		return p.countOne(c.place)
	case wide:
		_, conflict := p.scan(c)
		return conflict
	}
	return nil
}

// force assigns the open literals without which a linear constraint cannot hold.
func (p *propagator) force(c *constraint) {
	for ; c.forced < len(c.weights) && c.weights[c.forced] > c.slack; c.forced++ {
		if l := c.lits[c.forced]; p.value[l] == 0 {
			p.assign(l, c)
		}
	}
	c.look()
}

// rewind has force begin with the first literal.
func (c *constraint) rewind() {
	c.forced = 0
	c.look()
}

// look sets what tells whether force has anything to do.
func (c *constraint) look() {
	if c.next = 0; c.forced < len(c.weights) {
		c.next = c.weights[c.forced]
	}
}

// scan propagates a wide constraint; progress reports that a literal followed.
func (p *propagator) scan(c *constraint) (progress bool, conflict *constraint) {
	slack := c.degree.neg()
	for i, l := range c.lits {
		if p.value[l] >= 0 {
			slack = slack.add(c.coef(i))
		}
	}
	if slack.sign() < 0 {
		return false, c
	}
	for i, l := range c.lits {
		if p.value[l] == 0 && slack.less(c.coef(i)) {
			p.assign(l, c)
			progress = true
		}
	}
	return progress, nil
}

// propagate continues until nothing more follows, clauses first. It returns a constraint that
// contradicts the assignment, or nil if there is none.
func (p *propagator) propagate() *constraint {
	for {
		switch {
		case p.clauses < len(p.trail):
			p.clauses++
			if c := p.visitClauses(p.trail[p.clauses-1].not()); c != nil {
				return c
			}
			continue
		case p.linears < len(p.trail):
			p.linears++
			if c := p.visitLinears(p.trail[p.linears-1].not()); c != nil {
				return c
			}
			continue
		case p.packed < len(p.trail):
			p.packed++
			if c := p.visitRows(p.trail[p.packed-1].not()); c != nil {
				return c
			}
			continue
		case len(p.queue) > 0:
			if c := p.countNext(); c != nil {
				return c
			}
			continue
		}
		again := false
		for _, c := range p.wides {
			if c.deleted {
				continue
			}
			progress, conflict := p.scan(c)
			if conflict != nil {
				return conflict
			}
			again = again || progress
		}
		if !again {
			return nil
		}
	}
}

// visitClauses wakes the clauses that watch f, which has become false.
func (p *propagator) visitClauses(f lit) *constraint {
	list := p.watches[f]
	kept := 0
	for i, w := range list {
		if p.value[w.blocker] > 0 {
			list[kept] = w
			kept++
			continue
		}
		c := w.c
		if c.deleted {
			continue
		}
		if c.lits[0] == f {
			c.swap(0, 1)
		}
		first := c.lits[0]
		if p.value[first] > 0 {
			list[kept] = watch{c, first}
			kept++
			continue
		}
		moved := false
		for j := 2; j < len(c.lits); j++ {
			if p.value[c.lits[j]] >= 0 {
				c.swap(1, j)
				p.watches[c.lits[1]] = append(p.watches[c.lits[1]], watch{c, first})
				moved = true
				break
			}
		}
		if moved {
			continue
		}
		list[kept] = w
		kept++
		if p.value[first] < 0 {
			kept += copy(list[kept:], list[i+1:])
			p.watches[f] = list[:kept]
			return c
		}
		p.assign(first, c)
	}
	p.watches[f] = list[:kept]
	return nil
}

// visitLinears lowers the slack of the linear constraints with f, which has become false. It
// lowers all of them even after a conflict, so that undo can raise all of them.
func (p *propagator) visitLinears(f lit) (conflict *constraint) {
	for _, o := range p.occurs[f] {
		c := o.c
		if c.deleted {
			continue
		}
		c.slack -= o.weight
		if c.slack < c.next && conflict == nil {
			if c.slack < 0 {
				conflict = c
			} else {
				p.force(c)
			}
		}
	}
	return conflict
}

// undo unassigns all but the first n literals of the trail.
func (p *propagator) undo(n int) {
	for i := len(p.trail) - 1; i >= n; i-- {
		l := p.trail[i]
		if i < p.linears {
			for _, o := range p.occurs[l.not()] {
				if c := o.c; !c.deleted {
					c.slack += o.weight
					if c.forced > 0 {
						c.rewind()
					}
				}
			}
		}
		p.value[l], p.value[l.not()] = 0, 0
		v := l.variable()
		p.bits[v/64*2+int(l.not()&1)] &^= 1 << (v % 64)
		p.reason[v] = nil
	}
	p.forgetQueue()
	p.trail = p.trail[:n]
	p.clauses = min(p.clauses, n)
	p.linears = min(p.linears, n)
	p.packed = min(p.packed, n)
}

// settle brings the root up to date. It reports whether propagation of the database gives a
// contradiction.
func (p *propagator) settle() bool {
	if p.stale {
		p.stale = false
		p.undo(0)
		p.root, p.conflict = 0, nil
		for _, c := range p.live {
			if c.deleted {
				continue
			}
			if p.conflict = p.examine(c); p.conflict != nil {
				break
			}
		}
	}
	if p.conflict == nil {
		p.conflict = p.propagate()
	}
	p.root = len(p.trail)
	return p.conflict != nil
}

// refute reports whether propagation of the database and the assumptions gives a
// contradiction. The database is left unchanged.
func (p *propagator) refute(assumptions ...*constraint) bool {
	if p.settle() {
		return true
	}
	var found *constraint
	attached := 0
	for _, c := range assumptions {
		attached++
		if found = p.assume(c); found != nil {
			break
		}
	}
	if found == nil {
		found = p.propagate()
	}
	p.undo(p.root)
	for _, c := range slices.Backward(assumptions[:attached]) {
		p.detachLast(c)
	}
	return found != nil
}

// assume attaches a constraint temporarily and propagates it. It returns c if that gives a
// contradiction.
func (p *propagator) assume(c *constraint) *constraint {
	if c.coefs == nil && c.degree.big == nil && c.degree.small == int64(len(c.lits)) {
		// The literals are simply true, as in the negation of a clause.
		c.shape = trivial
		for _, l := range c.lits {
			switch {
			case p.value[l] < 0:
				return c
			case p.value[l] == 0:
				p.assign(l, c)
			}
		}
		return nil
	}
	classify(c)
	if c.shape == clause && len(c.lits) > 1 {
		// Watches cannot be undone in the order in which they were made.
		c.shape, c.coefs, c.degree = linear, nil, one
		c.weights = make([]int64, len(c.lits))
		for i := range c.weights {
			c.weights[i] = 1
		}
	}
	p.attach(c)
	return p.examine(c)
}
