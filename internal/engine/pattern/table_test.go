package pattern

import (
	"slices"
	"testing"
)

// TestCoarse fills a table whose entries do not fit the unit: what it says is rounded down,
// by less than one part in twenty, and a move lowers it by its own cost at most.
func TestCoarse(t *testing.T) {
	const n = 200
	x := &variable{size: n, moves: make([][]move, n)}
	want := make([]int64, n)
	for v := 1; v < n; v++ {
		cost := 1_000_003 + int64(v)*int64(v)
		want[v] = want[v-1] + cost
		x.moves[v] = []move{{v - 1, cost}, {0, want[v] + 7}}
	}
	s := &spreading{table: &table{vars: []*variable{x}, stride: []int{1}, unit: 1, left: make([]uint16, n)}, conflict: [][][]bool{{nil}}}
	s.fill([]int32{0})
	if s.unit == 1 {
		t.Fatal("the unit is still 1")
	}
	for v := range n {
		if got := s.at(v); got > want[v] || got < want[v]-want[v]/20 {
			t.Errorf("value %d: %d, expected %d or a little less", v, got, want[v])
		}
		for _, m := range x.moves[v] {
			if s.at(v) > s.at(m.to)+m.cost {
				t.Errorf("the move from %d to %d of cost %d lowers the entry from %d to %d", v, m.to, m.cost, s.at(v), s.at(m.to))
			}
		}
	}
}

// TestUnreached wants Never where no move leads to the goal.
func TestUnreached(t *testing.T) {
	x := &variable{size: 3, moves: [][]move{nil, {{0, 4}}, nil}}
	s := &spreading{table: &table{vars: []*variable{x}, stride: []int{1}, unit: 4, left: make([]uint16, 3)}, conflict: [][][]bool{{nil}}}
	s.fill([]int32{0})
	if got := []int64{s.at(0), s.at(1), s.at(2)}; !slices.Equal(got, []int64{0, 4, Never}) {
		t.Errorf("entries %v, expected 0, 4 and Never", got)
	}
}

// Tables is the number of tables, and the number of variables that they are about.
func (l *Least) Tables() (tables, variables int) {
	for _, s := range l.sums {
		tables += len(s.tables)
	}
	return tables, len(l.single)
}
