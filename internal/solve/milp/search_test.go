package milp

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
)

var instances = flag.Int("instances", 2000, "random programs to compare with all points")

// randomProgram is a program of few columns with small numbers.
func randomProgram(r *rand.Rand) *Program {
	p := &Program{Step: 1}
	n := 3 + r.IntN(9)
	for range n {
		low := int64(r.IntN(3) - 1)
		high := low + 1
		if n < 6 {
			high += int64(r.IntN(3))
		}
		p.AddColumn(low, high, int64(r.IntN(21)-10))
	}
	for range 1 + r.IntN(4) {
		row := Row{Basic: int32(r.IntN(n+1)) - 1}
		for j := range n {
			if r.IntN(3) > 0 {
				row.Terms = append(row.Terms, Term{int32(j), int64(r.IntN(27) - 13)})
			}
		}
		row.Low, row.High = -None, None
		switch k := int64(r.IntN(41) - 20); r.IntN(4) {
		case 0:
			row.Low, row.High = k, k
		case 1:
			row.Low = -k
		default:
			row.High = k
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// eachPoint visits the points that keep all rows.
func (p *Program) eachPoint(visit func(x []int64)) {
	x := make([]int64, len(p.Low))
	var next func(j int)
	next = func(j int) {
		if j < len(x) {
			for x[j] = p.Low[j]; x[j] <= p.High[j]; x[j]++ {
				next(j + 1)
			}
			return
		}
		for _, r := range p.Rows {
			sum := int64(0)
			for _, t := range r.Terms {
				sum += t.Coef * x[t.Column]
			}
			if r.Low != -None && sum < r.Low || r.High != None && sum > r.High {
				return
			}
		}
		visit(x)
	}
	next(0)
}

// best is the least cost of all points.
func (p *Program) best() (least int64, ok bool) {
	p.eachPoint(func(x []int64) {
		if c := p.costOf(x); !ok || c < least {
			least, ok = c, true
		}
	})
	return least, ok
}

// rowsKeep reports whether a point is within the bounds at hand and keeps all rows and cuts.
func (s *Search) rowsKeep(x []int64) bool {
	for j, v := range x {
		if v < s.low[j] || v > s.high[j] {
			return false
		}
	}
	return s.p.keeps(x)
}

// TestCuts holds the cuts of random programs to all points: none is cut off but those that cost too much.
func TestCuts(t *testing.T) {
	cuts := 0
	for n := range *instances {
		r := rand.New(rand.NewPCG(uint64(n), 3))
		p := randomProgram(r)
		var points [][]int64
		p.eachPoint(func(x []int64) { points = append(points, slices.Clone(x)) })
		s := New(p, 1000)
		for s.phase == cutting {
			s.Advance(1)
			cuts += len(s.p.Rows) - s.first
			for _, x := range points {
				if p.costOf(x) <= s.limit() && !s.Divided() && !s.rowsKeep(x) {
					t.Fatalf("program %d: %v is cut off by one of %v", n, x, s.p.Rows[s.first:])
				}
			}
		}
	}
	if cuts < *instances/10 {
		t.Errorf("%d programs have %d cuts", *instances, cuts)
	}
}

// TestRandom compares the answers to random programs with those of trying all points.
func TestRandom(t *testing.T) {
	broken, nodes, feasible := 0, int64(0), 0
	for n := range *instances {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		p := randomProgram(r)
		want, ok := p.best()
		s := New(p, 1000)
		if n%2 == 1 {
			s.rounds = maxRounds // no cuts
		}
		for i := 0; !s.Done(); i++ {
			s.Advance(1 + int64(r.IntN(1000)))
			if i > 100_000 {
				t.Fatalf("program %d: no end", n)
			}
			if s.Lower() > want && ok {
				t.Fatalf("program %d: no solution is said to cost less than %d; want %d", n, s.Lower(), want)
			}
		}
		if s.Broken() {
			broken++
			continue
		}
		nodes += s.nodes
		switch x := s.Best(); {
		case !ok && x != nil, ok && x == nil:
			t.Fatalf("program %d: solution %v; want one: %v", n, x, ok)
		case ok && (!p.keeps(x) || p.costOf(x) != want):
			t.Fatalf("program %d: solution %v costs %d; want %d", n, x, p.costOf(x), want)
		case ok:
			feasible++
		}
	}
	if broken > *instances/100 || nodes < int64(*instances/20) || feasible < *instances/4 {
		t.Errorf("%d of %d programs were given up, %d nodes, %d have solutions", broken, *instances, nodes, feasible)
	}
}
