package pattern

import (
	"context"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/routine"
)

// sum is a bound: the sum of tables over disjoint sets of variables.
type sum struct {
	tables []*table
	entry  []entry // by place in a packed state
}

// entry is what a state bit that is true adds to the index of a table, -1 for none.
type entry struct{ table, add int32 }

// maxSums is how many sums there are: each puts other variables together.
const maxSums = 2

// Grow replaces the tables by larger ones, of at most so many entries, that say most of
// states such as these, packed, on so many threads. It reports whether there are any.
func (l *Least) Grow(ctx context.Context, entries int, like [][]uint64, threads int) bool {
	var states []values
	for _, words := range like {
		states = append(states, values{l.place, words})
	}
	affinity := l.b.affinities(l.single, states)
	var parts [][][]int
	covered := make([][]int, len(l.single)) // how many sums have two variables in one table
	for i := range covered {
		covered[i] = make([]int, len(l.single))
	}
	for range maxSums {
		next := l.partition(entries, affinity, covered)
		if slices.ContainsFunc(parts, func(old [][]int) bool { return slices.EqualFunc(old, next, slices.Equal) }) {
			break
		}
		for _, members := range next {
			for _, x := range members {
				for _, y := range members {
					covered[x][y]++
				}
			}
		}
		parts = append(parts, next)
	}
	if slices.EqualFunc(l.parts, parts, func(x, y [][]int) bool { return slices.EqualFunc(x, y, slices.Equal) }) {
		return false
	}
	l.parts = parts
	all := slices.Concat(parts...)
	tables := make([]*table, len(all))
	if routine.Each(ctx, threads, len(all), func(i int) { tables[i] = l.b.alone().build(l.variables(all[i])) }) != nil {
		return false
	}
	l.sums = nil
	for _, p := range parts {
		l.sums = append(l.sums, l.newSum(tables[:len(p)]))
		tables = tables[len(p):]
	}
	return true
}

// variables are those of single tables.
func (l *Least) variables(single []int) (vars []*variable) {
	for _, i := range single {
		vars = append(vars, l.single[i].vars[0])
	}
	return vars
}

// newSum adds tables up.
func (l *Least) newSum(tables []*table) *sum {
	s := &sum{tables: tables, entry: make([]entry, len(l.place))}
	for i := range s.entry {
		s.entry[i].table = -1
	}
	for id, t := range tables {
		for k, x := range t.vars {
			for i, b := range x.bits {
				value := i + x.none
				if !x.isSet {
					value = 1 << i
				}
				s.entry[l.place[b]] = entry{int32(id), int32(value * t.stride[k])}
			}
		}
	}
	return s
}

// partition puts variables together, those first that gain most, while a table of
// them has at most so many entries, and then moves single ones to where they gain more. What two gain counts the less the more sums have them
// in one table.
func (l *Least) partition(entries int, affinity [][]float64, covered [][]int) [][]int {
	p := &parting{l, entries, affinity, covered, nil}
	for i := range l.single {
		p.parts = append(p.parts, []int{i})
	}
	for {
		at, with, most := -1, -1, 0.0
		for i, x := range p.parts {
			for j, y := range p.parts[:i] {
				if g := p.gain(x, y); g > most && p.size(x)*p.size(y) <= entries {
					at, with, most = i, j, g
				}
			}
		}
		if at < 0 {
			break
		}
		p.parts[with] = append(p.parts[with], p.parts[at]...)
		p.parts = slices.Delete(p.parts, at, at+1)
	}
	for p.move() {
	}
	parts := slices.DeleteFunc(p.parts, func(x []int) bool { return len(x) == 0 })
	for _, x := range parts {
		slices.Sort(x)
	}
	slices.SortStableFunc(parts, slices.Compare)
	return parts
}

// parting is a partition under way.
type parting struct {
	l        *Least
	entries  int
	affinity [][]float64
	covered  [][]int
	parts    [][]int // of single
}

// size is the number of entries of a table, or more than may be.
func (p *parting) size(part []int) int {
	n := 1
	for _, i := range part {
		n = min(n*len(p.l.single[i].left), p.entries+1)
	}
	return n
}

// gain is what two parts gain together.
func (p *parting) gain(x, y []int) (sum float64) {
	for _, a := range x {
		for _, b := range y {
			sum += p.affinity[a][b] / float64(int(1)<<(2*p.covered[a][b]))
		}
	}
	return sum
}

// move moves variables to parts where they gain more. It reports whether there were any.
func (p *parting) move() (moved bool) {
	for i := range p.parts {
		for k := len(p.parts[i]) - 1; k >= 0; k-- {
			x := p.parts[i][k : k+1 : k+1]
			at, most := -1, p.gain(x, p.parts[i])+1e-9
			for j, y := range p.parts {
				if g := p.gain(x, y); j != i && g > most && p.size(y)*p.size(x) <= p.entries {
					at, most = j, g
				}
			}
			if at >= 0 {
				p.parts[at] = append(p.parts[at], x[0])
				p.parts[i] = slices.Delete(p.parts[i], k, k+1)
				moved = true
			}
		}
	}
	return moved
}

// Of is the bound of a packed state that keeps the rules; Never where no goal can
// be reached from it.
func (l *Least) Of(state []uint64) int64 {
	var best int64
	for _, s := range l.sums {
		best = max(best, s.of(state))
	}
	return best
}

// of is the bound of a packed state.
func (s *sum) of(state []uint64) int64 {
	var room [64]int32
	index := room[:]
	if len(s.tables) > len(room) {
		index = make([]int32, len(s.tables))
	}
	for w, word := range state {
		for ; word != 0; word &= word - 1 {
			if e := s.entry[64*w+bits.TrailingZeros64(word)]; e.table >= 0 {
				index[e.table] += e.add
			}
		}
	}
	var total int64
	for id, t := range s.tables {
		left := t.left[index[id]]
		if left == far {
			return Never
		}
		total += int64(left) * t.unit
	}
	return total
}
