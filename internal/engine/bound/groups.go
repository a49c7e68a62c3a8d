package bound

import (
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// group is some state variables with everything that decides their next
// values.
type group struct {
	units []int   // state variables of the problem
	own   []int32 // their bits at step t that vary
	next  []int32 // the same bits at step t+1, in the same order
	reads []int32 // actions, shared internal variables and foreign state bits at step t
	rows  []int
	hides []int32 // internal variables that nothing outside reads
}

// structure is a relation cut into groups: each row is in a group, or one of
// the rules that couple groups.
type structure struct {
	r         *relation
	d         *definitions
	asks      []assertion
	union     []int // by variable of the problem: another of its group, or itself
	groups    []*group
	rules     []model.Sum // coupling rows, over now, action, after and visible variables
	invariant []bool      // by rule: over the present state alone
	home      []int32     // by variable: the group that owns it, -1 for none
	classes   []class
	links     []bool // by variable: it hands something on in a chain; nil where there are none
	// reads bounds the bits that a group reads beside its own.
	reads int
}

// groupUp builds groups, each made of the units that union says belong
// together, that read so many bits beside their own at most. It gives nil where an
// assertion fits nowhere.
func groupUp(r *relation, d *definitions, asks []assertion, union []int, reads int) *structure {
	s := &structure{r: r, d: d, asks: asks, home: make([]int32, r.numVars+1), reads: reads}
	for v := range s.home {
		s.home[v] = -1
	}
	union = slices.Clone(union)
	s.union = union
	root := func(i int) int {
		for union[i] != i {
			i = union[i]
		}
		return i
	}
	unitOf := func(v int32) int { return int(r.unit(v)) }
	for i := range asks {
		a := &asks[i]
		if len(a.hides) == 0 {
			continue
		}
		first := -1
		for _, v := range a.reads {
			if r.role[v] == after {
				if u := root(unitOf(v)); first < 0 {
					first = u
				} else {
					union[max(u, first)] = min(u, first)
					first = min(u, first)
				}
			}
		}
	}
	s.makeGroups(root)
	s.findLinks()
	if !s.placeTransitions() {
		return nil
	}
	s.placeOthers()
	s.placeLoose()
	s.gatherHomes()
	s.repeatRows()
	if r.stop() {
		return nil // it may be incomplete
	}
	return s
}

// makeGroups makes a group of the units with each root.
func (s *structure) makeGroups(root func(int) int) {
	r := s.r
	at := map[int]int32{}
	p := r.Task.Problem
	for u := range p.Variables {
		if p.Variables[u].Kind != factored.State || !r.varies(u) {
			continue
		}
		k := root(u)
		id, ok := at[k]
		if !ok {
			id = int32(len(s.groups))
			at[k] = id
			s.groups = append(s.groups, &group{})
		}
		g := s.groups[id]
		g.units = append(g.units, u)
		for i := range p.Variables[u].Width {
			v := r.nowVar(p.Variables[u].First + factored.Bit(i))
			if r.fixed[v] == 0 {
				g.own = append(g.own, v)
				g.next = append(g.next, v+r.stride)
				s.home[v], s.home[v+r.stride] = id, id
			}
		}
	}
}

// unit is the variable of the problem that a variable of the model is a bit of.
func (r *relation) unit(v int32) int32 {
	p := r.Task.Problem
	owner, _ := p.Owner(factored.Bit(r.bit[v]))
	i, _ := slices.BinarySearchFunc(p.Variables, owner.First, func(x factored.Variable, first factored.Bit) int { return int(x.First - first) })
	return int32(i)
}

// varies reports whether a state variable has a bit that is not the same at all
// steps.
func (r *relation) varies(u int) bool {
	v := &r.Task.Problem.Variables[u]
	for i := range v.Width {
		if r.fixed[r.nowVar(v.First+factored.Bit(i))] == 0 {
			return true
		}
	}
	return false
}

// wide is how much g reads beside its own bits.
func (s *structure) wide(g *group) (n int) {
	for _, v := range g.reads {
		if s.r.counts(v) && !s.has(g, v) {
			n++
		}
	}
	return n
}

// has reports whether an internal variable follows from one that g is made of.
func (s *structure) has(g *group, v int32) bool {
	u := s.d.unitOf(v)
	return u >= 0 && slices.Contains(g.units, int(u))
}

// adds is how much more g would read with a, and how much of it does not follow from the rest.
func (s *structure) adds(g *group, id int32, a *assertion) (n, free int) {
	for _, v := range a.reads {
		if s.home[v] != id && s.r.counts(v) && !slices.Contains(g.reads, v) && !s.has(g, v) {
			n++
			if !slices.Contains(a.defines, v) {
				free++
			}
		}
	}
	return n, free
}

// fits reports whether g may take a.
func (s *structure) fits(g *group, id int32, a *assertion) bool {
	n, _ := s.adds(g, id, a)
	return s.wide(g)+n <= s.reads
}

// concerns reports whether a reads something that g reads, or has, which is not known at every step.
func (s *structure) concerns(g *group, id int32, a *assertion) bool {
	return slices.ContainsFunc(a.reads, func(v int32) bool {
		return s.home[v] == id || !s.r.isClock[v] && slices.Contains(g.reads, v)
	})
}

// take puts an assertion into a group.
func (s *structure) take(id int32, a *assertion) {
	g := s.groups[id]
	for _, v := range a.reads {
		isOwn := s.home[v] == id && (s.r.role[v] == now || s.r.role[v] == after)
		if !isOwn && !slices.Contains(g.reads, v) {
			g.reads = append(g.reads, v)
		}
	}
	for _, i := range a.rows {
		if !slices.Contains(g.rows, i) {
			g.rows = append(g.rows, i)
		}
	}
	for _, v := range a.hides {
		if !slices.Contains(g.hides, v) {
			g.hides = append(g.hides, v)
		}
	}
}

// couple makes the rows of an assertion rules between groups.
func (s *structure) couple(a *assertion) {
	for _, i := range a.rows {
		w := &s.r.rows[i]
		if w.neuron == nil {
			s.rules = append(s.rules, w.sum)
			s.invariant = append(s.invariant, w.invariant)
			continue
		}
		n := w.neuron
		p, q := int64(n.Threshold), int64(len(n.Inputs)-n.Threshold+1)
		up := model.Sum{Op: factored.GE, K: p, Terms: []model.Term{{Coef: p, Lit: -n.Out}}}
		down := model.Sum{Op: factored.GE, K: q, Terms: []model.Term{{Coef: q, Lit: n.Out}}}
		for _, l := range n.Inputs {
			up.Terms = append(up.Terms, model.Term{Coef: 1, Lit: l})
			down.Terms = append(down.Terms, model.Term{Coef: 1, Lit: -l})
		}
		s.rules = append(s.rules, up, down)
		s.invariant = append(s.invariant, false, false)
	}
}

// placeTransitions puts what mentions the next state into the groups.
func (s *structure) placeTransitions() bool {
	for i := range s.asks {
		a := &s.asks[i]
		if s.r.stop() {
			return false
		}
		var ids []int32
		for _, v := range a.reads {
			if s.r.role[v] == after && !slices.Contains(ids, s.home[v]) {
				ids = append(ids, s.home[v])
			}
		}
		switch {
		case len(ids) == 0:
		case len(ids) == 1 && (s.d.presentReads(a) <= maxReads || len(a.hides) > 0) && s.fits(s.groups[ids[0]], ids[0], a):
			s.take(ids[0], a)
		case len(a.hides) == 0:
			s.couple(a)
		default:
			return false
		}
	}
	return true
}

// placeOthers puts what mentions the present step alone where it adds least,
// and makes rules of what would add anything and can be one.
func (s *structure) placeOthers() {
	for _, owned := range []bool{true, false} { // what groups read by these is theirs
		for i := range s.asks {
			if s.r.stop() {
				return
			}
			a := &s.asks[i]
			if a.couples {
				if owned {
					s.couple(a)
				}
				continue
			}
			if (a.owner > 0) == owned && !slices.ContainsFunc(a.reads, func(v int32) bool { return s.r.role[v] == after }) {
				s.placeOther(a)
			}
		}
	}
}

func (s *structure) placeOther(a *assertion) {
	best, least, most := int32(-1), len(a.reads), 0
	for id, g := range s.groups {
		if a.owner > 0 && slices.Contains(g.units, a.owner-1) {
			best, least = int32(id), 0
			break
		}
		n, free := s.adds(g, int32(id), a)
		if (free < least || free == least && n < most) && s.fits(g, int32(id), a) && s.concerns(g, int32(id), a) {
			best, least, most = int32(id), free, n
		}
	}
	switch {
	case least == 0 && best >= 0, best >= 0 && (len(a.hides) > 0 || a.link):
		s.take(best, a)
	case len(a.hides) == 0 && !a.link:
		s.couple(a)
	default:
		s.groups = append(s.groups, &group{})
		s.take(int32(len(s.groups)-1), a)
	}
}

// placeLoose returns each action and shared variable a home: the first group that reads it,
// or a group of its own.
func (s *structure) placeLoose() {
	most := make([]int, s.r.numVars+1)
	for i := range s.asks {
		for _, v := range s.asks[i].reads {
			if a := &s.asks[i]; s.r.role[v] == action && a.homes > most[v] {
				most[v] = a.homes
				for id, g := range s.groups {
					if slices.Contains(g.units, a.owner-1) {
						s.home[v] = int32(id)
					}
				}
			}
		}
	}
	for id, g := range s.groups {
		for _, v := range g.reads {
			if s.r.role[v] != now && s.home[v] < 0 {
				s.home[v] = int32(id)
			}
		}
	}
	used := make([]bool, s.r.numVars+1)
	for i := range s.rules {
		for _, t := range s.rules[i].Terms {
			used[t.Lit.Var()] = true
		}
	}
	for _, t := range s.r.Task.Problem.Reward.Terms {
		if v := s.r.nowVar(t.Lit.Bit); !t.Lit.Next && s.r.role[v] == action {
			used[v] = true
		}
	}
	for v := int32(1); v <= s.r.numVars; v++ {
		if used[v] && s.home[v] < 0 && s.r.fixed[v] == 0 && (s.r.role[v] == action || s.r.role[v] == internal || s.r.role[v] == quantity) {
			s.home[v] = int32(len(s.groups))
			s.groups = append(s.groups, &group{reads: []int32{v}})
		}
	}
}
