package milp

import (
	"cmp"
	"math"
	"slices"
)

// How many variables are tried for a branch, how many steps each side of a try takes, and after how many of them what was gained is known.
const (
	maxTries   = 6
	trialSteps = 12
	reliable   = 2
)

// candidate is a variable to branch on, with how far its value is from whole numbers.
type candidate struct {
	v     int32
	floor int64
	part  float64 // of one
	score float64
}

// branch divides the space at the variable that promises most.
func (s *Search) branch() {
	list := s.candidates()
	if len(list) == 0 {
		s.branchAnyhow()
		return
	}
	base, value := s.lp.value(), s.bounds.value
	tries := 0
	var kept *saved
	for k := range list {
		c := &list[k]
		if s.up[c.v].n >= reliable && s.down[c.v].n >= reliable {
			continue
		}
		if tries++; tries > maxTries {
			break
		}
		if kept == nil {
			kept = s.lp.save()
		}
		down, noDown := s.try(c.v, s.low[c.v], c.floor, base, kept)
		up, noUp := s.try(c.v, c.floor+1, s.high[c.v], base, kept)
		s.down[c.v].add(down / c.part)
		s.up[c.v].add(up / (1 - c.part))
		switch {
		case noDown && noUp:
			s.next()
			return
		case noDown || noUp:
			s.lp.restore(kept)
			if noDown {
				s.narrow(c.v, c.floor+1, s.high[c.v])
			} else {
				s.narrow(c.v, s.low[c.v], c.floor)
			}
			if !s.propagate() {
				s.next()
			}
			return
		}
		c.score = score(down, up)
	}
	if kept != nil {
		s.lp.restore(kept)
	}
	best := 0
	for k := range list {
		if list[k].score > list[best].score {
			best = k
		}
	}
	c := list[best]
	s.divide(c.v, c.floor, value, c.part > .5)
}

// add counts a gain.
func (g *gain) add(x float64) { g.sum, g.n = g.sum+x, g.n+1 }

// score joins the gains of both sides.
func score(down, up float64) float64 { return max(down, 1e-6) * max(up, 1e-6) }

// candidates are the variables whose values are not whole, best first.
func (s *Search) candidates() (out []candidate) {
	var all gain
	for v := range s.up {
		if s.up[v].n > 0 {
			all.add((s.up[v].sum + s.down[v].sum) / float64(s.up[v].n+s.down[v].n))
		}
	}
	mean := 1.0
	if all.n > 0 {
		mean = all.sum/float64(all.n) + 1e-3
	}
	of := func(g gain) float64 {
		if g.n == 0 {
			return mean
		}
		return g.sum / float64(g.n)
	}
	for _, v := range s.lp.head {
		if int(v) >= s.lp.n+s.first {
			continue // the activity of a cut
		}
		x := s.lp.x[v]
		floor := math.Floor(x + 1e-6)
		part := x - floor
		if part < 1e-5 || part > 1-1e-5 || s.low[v] == s.high[v] {
			continue
		}
		out = append(out, candidate{v, int64(floor), part, score(of(s.down[v])*part, of(s.up[v])*(1-part))})
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.v, b.v))
	})
	return out
}

// try gives how much the bound grows where a variable has other bounds, after some steps, and whether there is no solution then.
func (s *Search) try(v int32, low, high int64, base float64, from *saved) (grows float64, none bool) {
	s.lp.restore(from)
	mark := len(s.trail)
	s.narrow(v, low, high)
	if !s.propagate() {
		s.undo(mark)
		return float64(s.limit()) + 1 - base, true
	}
	st := s.steps(trialSteps)
	grows = max(0, s.lp.value()-base)
	none = st != stuck && s.refuted(st)
	s.undo(mark)
	return grows, none
}

// steps takes so many steps of the simplex method at most.
func (s *Search) steps(most int) (st status) {
	for n := 0; n < most && st == paused; n++ {
		st = s.lp.run(float64(s.limit())+1, 1)
	}
	return st
}

// divide opens both sides of a variable's value, in a part of the space whose bound is given; the likelier one is searched first.
func (s *Search) divide(v int32, floor, value int64, upFirst bool) {
	if s.phase == cutting {
		s.phase = branching
	}
	if s.tree == 0 {
		s.tree = s.lp.work
	}
	half := s.share / 2
	s.share = 0
	down := node{v, s.low[v], floor, len(s.trail), value, half}
	up := node{v, floor + 1, s.high[v], len(s.trail), value, half}
	if upFirst {
		s.open = append(s.open, down, up)
	} else {
		s.open = append(s.open, up, down)
	}
	s.next()
}

// branchAnyhow divides the space where the relaxation does not say at what: at the variable with most values.
func (s *Search) branchAnyhow() {
	best := int32(-1)
	for v := range int32(s.lp.n) {
		if s.low[v] < s.high[v] && (best < 0 || s.high[v]-s.low[v] > s.high[best]-s.low[best]) {
			best = v
		}
	}
	if best >= 0 {
		s.divide(best, s.low[best]+(s.high[best]-s.low[best])/2, s.bounds.value, s.lp.x[best]-s.lp.low[best] > s.lp.high[best]-s.lp.x[best])
		return
	}
	if x := slices.Clone(s.low[:s.lp.n]); s.p.keeps(x) {
		s.accept(x)
	}
	s.next()
}

// saved is a basis with its values.
type saved struct {
	x, d, weight []float64
	head, place  []int32
	etas, size   int
	factored     int64
}

func (l *lp) save() *saved {
	return &saved{slices.Clone(l.x), slices.Clone(l.d), slices.Clone(l.weight), slices.Clone(l.head), slices.Clone(l.place), len(l.f.etas), l.f.size, l.f.built}
}

// restore goes back to a basis; the bounds are the caller's.
func (l *lp) restore(b *saved) {
	copy(l.x, b.x)
	copy(l.d, b.d)
	copy(l.weight, b.weight)
	copy(l.head, b.head)
	copy(l.place, b.place)
	l.work += int64(len(l.x))
	if l.f.built == b.factored {
		l.f.etas, l.f.size = l.f.etas[:b.etas], b.size
		l.moved = true
	} else {
		l.stale = true
	}
}
