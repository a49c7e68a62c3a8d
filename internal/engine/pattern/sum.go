package pattern

import (
	"context"
	"math/bits"
	"slices"
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
// states such as these, packed. It reports whether there are any.
func (l *Least) Grow(ctx context.Context, entries int, like [][]uint64) bool {
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
	var sums []*sum
	for _, p := range parts {
		s := l.newSum(ctx, p)
		if s == nil {
			return false
		}
		sums = append(sums, s)
	}
	l.sums = sums
	return true
}

// newSum builds the tables of a partition; nil when the context ended.
func (l *Least) newSum(ctx context.Context, parts [][]int) *sum {
	s := &sum{entry: make([]entry, len(l.place))}
	for i := range s.entry {
		s.entry[i].table = -1
	}
	for id, members := range parts {
		if ctx.Err() != nil {
			return nil
		}
		var vars []*variable
		for _, i := range members {
			vars = append(vars, l.single[i].vars[0])
		}
		t := l.b.build(vars)
		s.tables = append(s.tables, t)
		for k, x := range vars {
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
	var parts [][]int // of single, each ascending
	for i := range l.single {
		parts = append(parts, []int{i})
	}
	size := func(part []int) int {
		n := 1
		for _, i := range part {
			n = min(n*len(l.single[i].left), entries+1)
		}
		return n
	}
	gain := func(x, y []int) (sum float64) {
		for _, a := range x {
			for _, b := range y {
				sum += affinity[a][b] / float64(int(1)<<(2*covered[a][b]))
			}
		}
		return sum
	}
	for {
		at, with, most := -1, -1, 0.0
		for i, x := range parts {
			for j, y := range parts[:i] {
				if g := gain(x, y); g > most && size(x)*size(y) <= entries {
					at, with, most = i, j, g
				}
			}
		}
		if at < 0 {
			break
		}
		parts[with] = append(parts[with], parts[at]...)
		parts = slices.Delete(parts, at, at+1)
	}
	for moved := true; moved; {
		moved = false
		for i := range parts {
			for k := len(parts[i]) - 1; k >= 0; k-- {
				x := parts[i][k : k+1 : k+1]
				at, most := -1, gain(x, parts[i])-affinity[x[0]][x[0]]+1e-9
				for j, y := range parts {
					if g := gain(x, y); j != i && g > most && size(y)*size(x) <= entries {
						at, most = j, g
					}
				}
				if at >= 0 {
					parts[at] = append(parts[at], x[0])
					parts[i] = slices.Delete(parts[i], k, k+1)
					moved = true
				}
			}
		}
	}
	parts = slices.DeleteFunc(parts, func(p []int) bool { return len(p) == 0 })
	for _, p := range parts {
		slices.Sort(p)
	}
	slices.SortFunc(parts, slices.Compare)
	return parts
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
