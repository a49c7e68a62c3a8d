package propagate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// randomSystem has sums and neurons over n variables.
func randomSystem(r *rand.Rand, n int) ([]model.Sum, []model.Neuron) {
	pick := func() []model.Lit {
		perm := r.Perm(n)
		lits := make([]model.Lit, 1+r.IntN(n))
		for i := range lits {
			lits[i] = model.Lit(perm[i]+1) * model.Lit(2*r.IntN(2)-1)
		}
		return lits
	}
	var sums []model.Sum
	for range 1 + r.IntN(3) {
		s := model.Sum{Op: factored.Op(r.IntN(3))}
		total := 0
		for _, l := range pick() {
			c := 1 + r.IntN(4)
			total += c
			s.Terms = append(s.Terms, model.Term{Coef: int64(c), Lit: l})
		}
		s.K = int64(r.IntN(total+3) - 1)
		sums = append(sums, s)
	}
	var neurons []model.Neuron
	for range r.IntN(3) {
		lits := pick()
		if len(lits) < 2 {
			continue
		}
		neurons = append(neurons, model.Neuron{Out: lits[0], Inputs: lits[1:], Threshold: r.IntN(len(lits) + 1)})
	}
	return sums, neurons
}

// holds evaluates the definitions over the assignment whose bit v-1 is
// variable v.
func holds(a int, sums []model.Sum, neurons []model.Neuron) bool {
	value := func(l model.Lit) int64 {
		v := int64(a >> (l.Var() - 1) & 1)
		if l < 0 {
			v = 1 - v
		}
		return v
	}
	for _, s := range sums {
		var sum int64
		for _, t := range s.Terms {
			sum += t.Coef * value(t.Lit)
		}
		if s.Op == factored.LE && sum > s.K || s.Op == factored.GE && sum < s.K || s.Op == factored.EQ && sum != s.K {
			return false
		}
	}
	for _, n := range neurons {
		var sum int64
		for _, l := range n.Inputs {
			sum += value(l)
		}
		if (sum >= int64(n.Threshold)) != (value(n.Out) == 1) {
			return false
		}
	}
	return true
}

func TestEachFindsExactlyTheModels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	packed := 0
	for i := range 3000 {
		n := 2 + r.IntN(6)
		if i%10 == 0 {
			n = minDensity + 2 + r.IntN(3)
		}
		sums, neurons := randomSystem(r, n)
		var want, got []int
		for k := range 1 << n {
			a := 0 // k read most significant first, the order of Each
			for v := range n {
				a |= k >> (n - 1 - v) & 1 << v
			}
			if holds(a, sums, neurons) {
				want = append(want, a)
			}
		}
		st := NewSystem(n, sums, neurons).NewState()
		packed += len(st.sys.blocks)
		vars := make([]model.Lit, n)
		for i := range vars {
			vars[i] = model.Lit(i + 1)
		}
		if st.Consistent() {
			for range 2 { // twice, to check that everything is undone
				got = got[:0]
				st.Each(vars, func() bool {
					a := 0
					for v := range n {
						if st.Value(vars[v]) > 0 {
							a |= 1 << v
						}
					}
					got = append(got, a)
					return true
				})
			}
			if st.Satisfiable(vars) != (len(want) > 0) {
				t.Fatalf("Satisfiable is wrong for %+v %+v", sums, neurons)
			}
			st.Reset()
		}
		if !slices.Equal(got, want) {
			t.Fatalf("sums %+v neurons %+v: got %v, want %v", sums, neurons, got, want)
		}
	}
	if packed < 20 {
		t.Errorf("only %d systems have packed neurons", packed)
	}
}

// TestInterrupt expects an enumeration to be stopped soon where its first assignment fixes what is left of each other: one of many.
func TestInterrupt(t *testing.T) {
	const n = 2000
	vars := make([]model.Lit, n)
	one := model.Sum{Op: factored.EQ, K: 1}
	for i := range vars {
		vars[i] = model.Lit(i + 1)
		one.Terms = append(one.Terms, model.Term{Coef: 1, Lit: vars[i]})
	}
	st := NewSystem(n, []model.Sum{one}, nil).NewState()
	visits := 0
	st.SetInterrupt(func() bool { return visits > 0 })
	if st.Each(vars, func() bool { visits++; return true }) || !st.Interrupted() || visits > 300 {
		t.Errorf("an enumeration went on after its interrupt, with %d visits", visits)
	}
}
