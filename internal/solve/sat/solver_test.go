package sat

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
)

// TestNeuronPropagation checks the four inferences of the paper's Definition 1
// on every partial assignment of small neurons: what follows from an assignment
// is derived by propagation alone, and nothing else.
func TestNeuronPropagation(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for p := 0; p <= n+1; p++ {
			for code := range pow3(n + 1) {
				s := New(Options{})
				s.Grow(int32(n + 1))
				out := Pos(int32(n + 1))
				var inputs []Lit
				for i := 1; i <= n; i++ {
					inputs = append(inputs, Pos(int32(i))^Lit(i&1))
				}
				if _, err := s.AddNeuron(out, inputs, p); err != nil {
					t.Fatal(err)
				}
				for v, c := int32(1), code; v <= int32(n+1); v, c = v+1, c/3 {
					switch c % 3 {
					case 1:
						s.AddClause(Pos(v))
					case 2:
						s.AddClause(Neg(v))
					}
				}
				s.begin()
				consistent := s.Consistent()
				// What every completion agrees on.
				always, never := (1<<(n+2))-1, (1<<(n+2))-1
				found := false
				for bits := range 1 << (n + 1) {
					value := func(l Lit) bool { return bits>>(l.Var()-1)&1 != 0 != l.Negative() }
					fits := true
					for v, c := int32(1), code; v <= int32(n+1); v, c = v+1, c/3 {
						fits = fits && (c%3 == 0 || value(Pos(v)) == (c%3 == 1))
					}
					count := 0
					for _, l := range inputs {
						if value(l) {
							count++
						}
					}
					if !fits || value(out) != (count >= p) {
						continue
					}
					found = true
					always &= bits
					never &= ^bits
				}
				if found != consistent {
					t.Fatalf("n %d p %d assignment %d: consistent %v, completions exist: %v", n, p, code, consistent, found)
				}
				for v := int32(1); found && v <= int32(n+1); v++ {
					want := int8(0)
					if always>>(v-1)&1 != 0 {
						want = 1
					} else if never>>(v-1)&1 != 0 {
						want = -1
					}
					if got := s.Fixed(Pos(v)); got != want {
						t.Fatalf("n %d p %d assignment %d: variable %d is %d, expected %d", n, p, code, v, got, want)
					}
				}
			}
		}
	}
}

func pow3(n int) int {
	r := 1
	for range n {
		r *= 3
	}
	return r
}

// TestOverflow says of coefficients that do not fit 64 bits that they do not.
func TestOverflow(t *testing.T) {
	for _, c := range []struct {
		terms []Term
		k     int64
		fits  bool
	}{
		{[]Term{{math.MaxInt64, Pos(1)}, {1, Pos(2)}}, 1, false},
		{[]Term{{math.MinInt64, Pos(1)}, {1, Pos(2)}}, 1, false},
		{[]Term{{1 << 60, Pos(1)}, {1 << 60, Pos(2)}}, 1 << 60, true},
		{[]Term{{1 << 61, Pos(1)}, {1 << 61, Pos(2)}, {1 << 61, Pos(3)}}, 1 << 62, false},
		{[]Term{{1 << 61, Pos(1)}, {1 << 61, Pos(2)}, {1 << 61, Pos(3)}}, 3, true}, // no coefficient needs to exceed 3
		{[]Term{{1 << 61, Pos(1)}, {1 << 61, Neg(1)}, {1, Pos(2)}}, 1<<61 + 1, true},
		{[]Term{{1, Pos(1)}}, math.MinInt64, false},
	} {
		s := New(Options{})
		s.Grow(3)
		_, err := s.AddLinear(slices.Clone(c.terms), c.k)
		if c.fits != (err == nil) || err != nil && !errors.Is(err, ErrOverflow) {
			t.Errorf("%v >= %d: %v", c.terms, c.k, err)
		}
		if err != nil && s.Solve(context.Background(), nil, Budget{}) != Satisfiable {
			t.Errorf("%v >= %d was refused and yet left something behind", c.terms, c.k)
		}
	}
}

// pigeons says that n+1 pigeons sit in n holes, alone.
func pigeons(s *Solver, n int) {
	v := func(p, h int) Lit { return Pos(int32(p*n + h + 1)) }
	s.Grow(int32((n + 1) * n))
	for p := range n + 1 {
		var c []Lit
		for h := range n {
			c = append(c, v(p, h))
		}
		s.AddClause(c...)
	}
	for h := range n {
		for p := range n + 1 {
			for q := range p {
				s.AddClause(v(p, h).Not(), v(q, h).Not())
			}
		}
	}
}

// TestLimits stops a hard search by a budget and by the context, and continues with what was
// learned.
func TestLimits(t *testing.T) {
	s := New(Options{})
	pigeons(s, 7)
	if st := s.Solve(context.Background(), nil, Budget{Conflicts: 50}); st != Unknown {
		t.Fatalf("50 conflicts gave %v", st)
	}
	if c := s.Stats().Conflicts; c != 50 {
		t.Errorf("%d conflicts for a budget of 50", c)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if st := s.Solve(ctx, nil, Budget{}); st != Unknown {
		t.Fatalf("an ended context gave %v", st)
	}
	if st := s.Solve(context.Background(), nil, Budget{}); st != Unsatisfiable || len(s.Core()) != 0 {
		t.Fatalf("%v, core %v", st, s.Core())
	}
	if s.Consistent() {
		t.Error("consistent after a refutation")
	}
}

// TestCuttingPlanesPigeons has sums of pigeons refuted: many conflicts for
// clauses, few for cutting planes.
func TestCuttingPlanesPigeons(t *testing.T) {
	const n = 8
	conflicts := map[bool]int64{}
	for _, cp := range []bool{false, true} {
		s := New(Options{CuttingPlanes: cp})
		v := func(p, h int) Lit { return Pos(int32(p*n + h + 1)) }
		for p := range n + 1 {
			var terms []Term
			for h := range n {
				terms = append(terms, Term{1, v(p, h)})
			}
			if _, err := s.AddLinear(terms, 1); err != nil {
				t.Fatal(err)
			}
		}
		for h := range n {
			var terms []Term
			for p := range n + 1 {
				terms = append(terms, Term{-1, v(p, h)})
			}
			if _, err := s.AddLinear(terms, -1); err != nil {
				t.Fatal(err)
			}
		}
		if st := s.Solve(context.Background(), nil, Budget{Conflicts: 20_000}); cp && st != Unsatisfiable {
			t.Fatalf("cutting planes: %v", st)
		}
		conflicts[cp] = s.Stats().Conflicts
	}
	if 10*conflicts[true] > conflicts[false] {
		t.Errorf("cutting planes took %d conflicts, clauses %d", conflicts[true], conflicts[false])
	}
}

// TestDeterministic has two solvers do the same.
func TestDeterministic(t *testing.T) {
	var stats [2]Stats
	for i := range stats {
		s := New(Options{})
		pigeons(s, 7)
		s.Solve(context.Background(), nil, Budget{})
		stats[i] = s.Stats()
	}
	if stats[0] != stats[1] {
		t.Errorf("%+v and %+v", stats[0], stats[1])
	}
}
