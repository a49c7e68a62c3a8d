package sat

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"
)

var randomInstances = flag.Int("instances", 300, "random instances to compare with brute force")

// puzzle is a small random problem that is also kept for brute force.
type puzzle struct {
	vars    int32
	clauses [][]Lit
	neurons []testNeuron
	linears []testLinear
}

type testNeuron struct {
	out       Lit
	inputs    []Lit
	threshold int
}

type testLinear struct {
	terms []Term
	k     int64
}

func randomLit(r *rand.Rand, n int32) Lit {
	return Pos(1+r.Int32N(n)) ^ Lit(r.IntN(2))
}

func randomPuzzle(r *rand.Rand) *puzzle {
	p := &puzzle{vars: 4 + r.Int32N(8)}
	for range r.IntN(int(p.vars) * 3) {
		var c []Lit
		for range 1 + r.IntN(4) {
			c = append(c, randomLit(r, p.vars))
		}
		p.clauses = append(p.clauses, c)
	}
	for range r.IntN(8) {
		n := testNeuron{out: randomLit(r, p.vars)}
		for range r.IntN(8) {
			n.inputs = append(n.inputs, randomLit(r, p.vars))
		}
		n.threshold = r.IntN(len(n.inputs)+3) - 1
		p.neurons = append(p.neurons, n)
	}
	for range r.IntN(4) {
		var l testLinear
		big := int64(1 + r.IntN(20))
		for range r.IntN(7) {
			l.terms = append(l.terms, Term{r.Int64N(2*big+1) - big, randomLit(r, p.vars)})
		}
		l.k = r.Int64N(4*big+1) - 2*big
		p.linears = append(p.linears, l)
	}
	return p
}

func (p *puzzle) solver(t *testing.T, o Options) *Solver {
	s := New(o)
	s.Grow(p.vars)
	for _, c := range p.clauses {
		s.AddClause(c...)
	}
	for _, n := range p.neurons {
		if _, err := s.AddNeuron(n.out, n.inputs, n.threshold); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range p.linears {
		if _, err := s.AddLinear(append([]Term(nil), l.terms...), l.k); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (p *puzzle) holds(value func(Lit) bool) bool {
	for _, c := range p.clauses {
		ok := false
		for _, l := range c {
			ok = ok || value(l)
		}
		if !ok {
			return false
		}
	}
	for _, n := range p.neurons {
		count := 0
		for _, l := range n.inputs {
			if value(l) {
				count++
			}
		}
		if value(n.out) != (count >= n.threshold) {
			return false
		}
	}
	for _, l := range p.linears {
		var sum int64
		for _, t := range l.terms {
			if value(t.Lit) {
				sum += t.Coef
			}
		}
		if sum < l.k {
			return false
		}
	}
	return true
}

// possible asks every assignment that makes the assumptions true.
func (p *puzzle) possible(assumptions []Lit) bool {
	for bits := range 1 << p.vars {
		value := func(l Lit) bool { return bits>>(l.Var()-1)&1 != 0 != l.Negative() }
		ok := true
		for _, a := range assumptions {
			ok = ok && value(a)
		}
		if ok && p.holds(value) {
			return true
		}
	}
	return false
}

// TestRandom compares answers, models and cores with brute force, over calls
// that assume something else each time and add constraints between.
func TestRandom(t *testing.T) {
	answers := map[Status]int{}
	for seed := range uint64(*randomInstances) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := randomPuzzle(r)
		o := Options{StateNogoods: r.IntN(2) == 0, FixedOrder: r.IntN(2) == 0, CuttingPlanes: r.IntN(2) == 0}
		s := p.solver(t, o)
		for v := int32(1); v <= p.vars; v++ {
			if r.IntN(2) == 0 {
				s.SetPriority(v, r.Int32N(3))
			}
			s.SetStage(v, r.Int32N(4))
		}
		for call := range 4 {
			var assumptions []Lit
			for range r.IntN(4) {
				assumptions = append(assumptions, randomLit(r, p.vars))
			}
			got := s.Solve(context.Background(), assumptions, Budget{})
			answers[got]++
			want := p.possible(assumptions)
			switch got {
			case Satisfiable:
				if !want || !p.holds(s.Value) {
					t.Fatalf("seed %d call %d: satisfiable, brute force says %v; the model holds: %v", seed, call, want, p.holds(s.Value))
				}
				for _, a := range assumptions {
					if !s.Value(a) {
						t.Fatalf("seed %d: assumption %v is not true in the model", seed, a)
					}
				}
			case Unsatisfiable:
				if want {
					t.Fatalf("seed %d call %d: unsatisfiable, brute force finds a solution", seed, call)
				}
				if p.possible(s.Core()) {
					t.Fatalf("seed %d: the core %v can hold", seed, s.Core())
				}
			default:
				t.Fatalf("seed %d: %v without a limit", seed, got)
			}
			c := []Lit{randomLit(r, p.vars), randomLit(r, p.vars)}
			p.clauses = append(p.clauses, c)
			s.AddClause(c...)
		}
	}
	t.Logf("%v", answers)
}

// TestTighten minimizes a sum by a limit that gets stronger, beside other constraints, and compares with brute force.
func TestTighten(t *testing.T) {
	tightened, dropped := 0, 0
	for seed := range uint64(*randomInstances) {
		r := rand.New(rand.NewPCG(seed, 2))
		p := randomPuzzle(r)
		s := p.solver(t, Options{StateNogoods: r.IntN(2) == 0, CuttingPlanes: r.IntN(2) == 0})
		var terms []Term
		for v := int32(1); v <= p.vars; v++ {
			terms = append(terms, Term{r.Int64N(5) - 1, Pos(v)})
		}
		cost := func(value func(Lit) bool) (c int64) {
			for _, x := range terms {
				if value(x.Lit) {
					c += x.Coef
				}
			}
			return c
		}
		want, possible := int64(0), false
		for bits := range 1 << p.vars {
			value := func(l Lit) bool { return bits>>(l.Var()-1)&1 != 0 != l.Negative() }
			if c := cost(value); p.holds(value) && (!possible || c < want) {
				want, possible = c, true
			}
		}
		var limit Limit
		guard := s.NewVar()
		best, found := int64(0), false
		for s.Solve(context.Background(), []Lit{guard}, Budget{}) == Satisfiable {
			best, found = cost(s.Value), true
			less := []Term{{100, guard.Not()}} // guard => the sum is at most best-1
			for _, x := range terms {
				less = append(less, Term{-x.Coef, x.Lit})
			}
			if limit.set {
				dropped++
			}
			if _, err := s.Tighten(&limit, less, 1-best); err != nil {
				t.Fatal(err)
			}
			tightened++
		}
		if found != possible || best != want {
			t.Fatalf("seed %d: %d, %v; brute force finds %d, %v", seed, best, found, want, possible)
		}
		if answer := s.Solve(context.Background(), nil, Budget{}); (answer == Satisfiable) != possible {
			t.Fatalf("seed %d: without the limit %v, brute force says %v", seed, answer, possible)
		}
	}
	if tightened == 0 || dropped == 0 {
		t.Errorf("%d limits, %d of them in place of another; expected some", tightened, dropped)
	}
}
