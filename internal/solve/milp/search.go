package milp

import (
	"math"
	"slices"
)

// Search looks for a solution that costs less than a cutoff, until there is none. Its work is cut into turns.
type Search struct {
	p          *Program
	lp         *lp
	low, high  []int64 // of columns and activities of rows, as in the relaxation
	unit       int64   // parts of a unit of cost
	scaled     []int64 // costs in these
	cutoff     int64   // between what no solution costs less and what none costs more than
	least      int64   // the former
	best       []int64
	found      int // solutions that were the best
	trail      []change
	open       []node
	bounds     bounds
	y          []float64
	lower      int64 // no solution costs less, in parts of a unit, from the root alone
	nodes      int64
	share      float64 // of the node at hand
	explored   float64 // of all nodes that are done with
	tree       int64   // work before the first division
	rounds     int     // of cuts
	idle       int     // rounds that gained little
	before     int64   // lower, when one gained more
	first      int     // rows that are no cuts
	phase      phase
	queue      []int32 // rows that bounds of columns have changed in
	queued     []bool
	up, down   []gain // by variable: pseudo-costs
	dives      int64  // nodes before the next dive
	sum, coefs sparse // of a cut
	stuck      int    // relaxations whose numbers were too bad
	broken     bool
}

// maxStuck is after how many such relaxations the search gives up.
const maxStuck = 1000

type phase uint8

const (
	cutting phase = iota
	branching
	ended
)

// change is a variable's bounds before they were narrowed.
type change struct {
	v         int32
	low, high int64
}

// node is a part of the space that is still to be searched: bounds of a variable after the trail was so long.
type node struct {
	v         int32
	low, high int64
	trail     int
	value     int64   // of its parent, in parts of a unit
	share     float64 // of the whole space, each division halving it
}

// gain is how much the bound grows for a unit that a variable is moved, on average.
type gain struct {
	sum float64
	n   int
}

// New begins a search for a solution that costs less than cutoff. The program is the search's own.
func New(p *Program, cutoff int64) *Search {
	s := &Search{share: 1, p: p, cutoff: cutoff, first: len(p.Rows), lower: math.MinInt64}
	s.low, s.high = slices.Clone(p.Low), slices.Clone(p.High)
	for i := range p.Rows {
		r := &p.Rows[i]
		p.close(r)
		s.low, s.high = append(s.low, r.Low), append(s.high, r.High)
		if r.Low > r.High {
			s.phase = ended
		}
	}
	s.chooseUnit()
	s.lp = newLP(p)
	s.queued = make([]bool, len(p.Rows))
	s.grow()
	for i := range p.Rows {
		s.enqueue(int32(i))
	}
	if !s.propagate() {
		s.phase = ended
	}
	s.trail = s.trail[:0]
	return s
}

// grow makes room for what is kept by variable.
func (s *Search) grow() {
	for len(s.up) < len(s.low) {
		s.up, s.down = append(s.up, gain{}), append(s.down, gain{})
	}
}

// Done reports whether no solution costs less than the cutoff.
func (s *Search) Done() bool { return s.phase == ended }

// Broken reports whether the search gave up, since numbers got out of hand.
func (s *Search) Broken() bool { return s.broken }

// Best is the best solution found; nil for none.
func (s *Search) Best() []int64 { return s.best }

// Work is what was done so far, in coefficients that were looked at.
func (s *Search) Work() int64 { return s.lp.work }

// Divided reports whether the space was divided: before, all work is about its root.
func (s *Search) Divided() bool { return s.tree > 0 }

// Left is about how much work is left, as far as the part of the space tells that is searched; math.MaxInt64 where nothing is known.
func (s *Search) Left() int64 {
	if s.explored < .01 {
		return math.MaxInt64
	}
	return int64(float64(s.lp.work-s.tree) * (1 - s.explored) / s.explored)
}

// Lower is a cost that no solution is below, or the cutoff; math.MinInt64 for none.
func (s *Search) Lower() int64 {
	switch {
	case s.phase == ended && !s.broken:
		return s.cutoff
	case s.lower == math.MinInt64:
		return s.lower
	}
	return ceilDiv(s.lower, s.unit)
}

// SetCutoff looks only for solutions that cost less than cutoff, which another has found.
func (s *Search) SetCutoff(cutoff int64) { s.cutoff = max(min(s.cutoff, cutoff), s.least) }

// Advance searches on until so much work is done, in coefficients, and reports whether there is a better solution.
func (s *Search) Advance(work int64) (better bool) {
	before := s.found
	s.advance(s.lp.work + work)
	return s.found > before
}

func (s *Search) advance(end int64) {
	for s.phase != ended && s.lp.work < end {
		switch st := s.lp.run(float64(s.limit())+1, end-s.lp.work); st {
		case paused:
			return
		case stuck:
			s.lp.stale = true
			if s.stuck++; s.stuck > maxStuck {
				s.broken, s.phase = true, ended
				return
			}
			s.bounds.value = math.MinInt64
			s.branchAnyhow()
		default:
			s.settle(st)
		}
	}
}

// settle goes on from a relaxation that is solved.
func (s *Search) settle(st status) {
	if s.refuted(st) {
		s.next()
		return
	}
	if s.lp.priced {
		s.lp.unprice()
		return
	}
	if len(s.open) == 0 && s.phase == cutting {
		s.lower = max(s.lower, s.bounds.value)
	}
	if s.tighten(); !s.propagate() {
		s.next()
		return
	}
	if s.lp.moved && st == solved && s.outside() {
		return // bounds have cut the point off
	}
	if st != solved {
		s.branchAnyhow()
		return
	}
	if s.take() {
		return
	}
	if s.phase == cutting {
		if s.cut() {
			return
		}
		s.phase = branching
	}
	if s.nodes >= s.dives {
		s.dives = 2*s.nodes + 10
		cutoff := s.cutoff
		if s.dive(); s.cutoff < cutoff {
			return // the point at hand may be worth nothing now
		}
	}
	s.branch()
}

// outside reports whether the point at hand is outside the bounds.
func (s *Search) outside() bool {
	for v, x := range s.lp.x {
		if x < s.lp.low[v]-feasibility || x > s.lp.high[v]+feasibility {
			return true
		}
	}
	return false
}

// next goes to the next open node.
func (s *Search) next() {
	s.explored += s.share
	for len(s.open) > 0 {
		n := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		s.undo(n.trail)
		if n.value > s.limit()*s.unit {
			s.explored += n.share
			continue
		}
		s.nodes++
		s.share = n.share
		s.narrow(n.v, max(n.low, s.low[n.v]), min(n.high, s.high[n.v]))
		if s.low[n.v] <= s.high[n.v] && s.propagate() {
			return
		}
		s.explored += n.share
		s.forget()
	}
	s.phase = ended
}

// take makes the point at hand the best solution, if it is one; the search goes on from there.
func (s *Search) take() bool {
	x := s.solution()
	if x == nil {
		return false
	}
	s.accept(x)
	if s.refuted(solved) {
		s.next()
	} else {
		s.branchAnyhow()
	}
	return true
}
