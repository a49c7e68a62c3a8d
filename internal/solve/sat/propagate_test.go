package sat

import (
	"math/rand/v2"
	"testing"
)

// walk decides open variables in an order that was drawn once, propagating
// after each, until a conflict or until all have values, and goes back. It
// gives the number of literals that were propagated.
type walk struct {
	s      *Solver
	orders [][]Lit
	next   int
}

// newWalk makes a solver of n variables in which one kind of constraint holds,
// all true of one assignment, so that walks are long.
func newWalk(kind string, n int32) *walk {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	planted := make([]Lit, n+1)
	for v := int32(1); v <= n; v++ {
		planted[v] = Pos(v) ^ Lit(r.IntN(2))
	}
	w := &walk{s: New(Options{})}
	w.s.Grow(n)
	for i := range n * 4 {
		size := 3
		if kind != "clauses" {
			size = 30
		}
		lits := make([]Lit, size)
		held := 0
		for j := range lits {
			v := 1 + r.Int32N(n)
			lits[j] = Pos(v) ^ Lit(r.IntN(2))
			if lits[j] == planted[v] {
				held++
			}
		}
		switch {
		case kind == "clauses" && held > 0:
			w.s.AddClause(lits...)
		case kind == "sums" && i%8 == 0:
			terms := make([]Term, size)
			var k int64
			for j, l := range lits {
				terms[j] = Term{int64(1 + j%5), l}
				if l == planted[l.Var()] {
					k += terms[j].Coef
				}
			}
			w.s.AddLinear(terms, k-2)
		case kind == "neurons" && i%8 == 0:
			out := 1 + r.Int32N(n)
			p := held // true, so that the output is
			if planted[out].Negative() {
				p = held + 1
			}
			w.s.AddNeuron(Pos(out), lits, p)
		}
	}
	for range 8 {
		order := make([]Lit, n)
		for i, v := range r.Perm(int(n)) {
			order[i] = planted[v+1]
			if i >= int(n)/8 && r.IntN(4) == 0 {
				order[i] = order[i].Not()
			}
		}
		w.orders = append(w.orders, order)
	}
	return w
}

func (w *walk) run() int64 {
	before := w.s.stats.Propagations
	order := w.orders[w.next%len(w.orders)]
	w.next++
	for _, l := range order {
		if w.s.vals[l] != 0 {
			continue
		}
		w.s.levels = append(w.s.levels, int32(len(w.s.trail)))
		w.s.enqueue(l, noReason)
		if w.s.propagate() != noReason {
			break
		}
	}
	w.s.backtrack(0)
	return w.s.stats.Propagations - before
}

// warm is how many walks it takes until the lists of watches have their sizes.
const warm = 500

var walks = []string{"clauses", "neurons", "sums"}

// TestPropagationAllocates checks that propagation and going back allocate
// nothing.
func TestPropagationAllocates(t *testing.T) {
	for _, kind := range walks {
		w := newWalk(kind, 400)
		if !w.s.Consistent() {
			t.Fatalf("%s: no solution, though one was planted", kind)
		}
		var propagated int64
		for range warm {
			propagated += w.run()
		}
		if propagated < warm*40 {
			t.Errorf("%s: %d walks propagate %d literals", kind, warm, propagated)
		}
		if n := testing.AllocsPerRun(100, func() { w.run() }); n != 0 {
			t.Errorf("%s: %v allocations a walk", kind, n)
		}
	}
}

// BenchmarkPropagate counts the literals that are propagated in a second, what
// it costs to take them back included.
func BenchmarkPropagate(b *testing.B) {
	for _, kind := range walks {
		b.Run(kind, func(b *testing.B) {
			w := newWalk(kind, 20_000)
			for range warm {
				w.run()
			}
			var propagated int64
			b.ReportAllocs()
			for b.Loop() {
				propagated += w.run()
			}
			b.ReportMetric(float64(propagated)/b.Elapsed().Seconds(), "propagations/s")
		})
	}
}
