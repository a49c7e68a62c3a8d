package cnf

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/model"
)

var all = []Encoding{Default, Paper, Published, Unidirectional}

// complete lists the encodings that Definition 1 holds for.
var complete = []Encoding{Default, Paper, Published}

// largest is the largest number of inputs for which neurons are tested exhaustively.
func largest() int {
	if *exhaustive {
		return 9
	}
	return 7
}

// oneNeuron encodes a neuron whose inputs are variables 1..n and whose output
// is variable n+1, in the polarities of signs.
func oneNeuron(e Encoding, n, p int, signs uint) (*memory, model.Neuron) {
	m := &memory{next: model.Lit(n + 1)}
	lit := func(i int) model.Lit {
		if signs>>i&1 == 1 {
			return -model.Lit(i + 1)
		}
		return model.Lit(i + 1)
	}
	u := model.Neuron{Out: lit(n), Threshold: p}
	for i := range n {
		u.Inputs = append(u.Inputs, lit(i))
	}
	e.Neurons(m, []model.Neuron{u})
	return m, u
}

func polarities(n int) []uint {
	return []uint{0, 1<<(n+1) - 1, 0x155 & (1<<(n+1) - 1), 1 << n}
}

// TestNeuronModels compares the models, projected to inputs and output, with
// the definition.
func TestNeuronModels(t *testing.T) {
	for _, e := range all {
		for n := 1; n <= largest(); n++ {
			for p := 1; p <= n; p++ {
				for _, signs := range polarities(n) {
					m, u := oneNeuron(e, n, p, signs)
					pr := newPropagator(t, m)
					pr.each(append(u.Inputs, u.Out), false, func(values []int8, ok bool) {
						count := 0
						for _, b := range values[:n] {
							if b > 0 {
								count++
							}
						}
						if values[n] == 0 {
							t.Fatalf("%v n=%d p=%d: inputs %v have no output", e, n, p, values)
						}
						want := (count >= p) == (values[n] > 0)
						if got := ok && pr.satisfiable(); got != want {
							t.Fatalf("%v n=%d p=%d: %v is a model: %v, want %v", e, n, p, values, got, want)
						}
					})
				}
			}
		}
	}
}

// incomplete finds a partial assignment under which unit propagation misses
// one of the inferences of Definition 1, or "".
func incomplete(pr *propagator, u *model.Neuron) string {
	n, p, miss := len(u.Inputs), u.Threshold, ""
	pr.each(append(append([]model.Lit(nil), u.Inputs...), u.Out), true, func(values []int8, ok bool) {
		if miss != "" {
			return
		}
		miss = judge(pr, u, values[:n], values[n], ok)
		if miss != "" {
			miss = fmt.Sprintf("n=%d p=%d, %v: %s", n, p, values, miss)
		}
	})
	return miss
}

// judge describes what is wrong after values were assigned to inputs and output.
func judge(pr *propagator, u *model.Neuron, values []int8, v int8, ok bool) string {
	n, p := len(u.Inputs), u.Threshold
	var yes, no int
	for _, b := range values {
		switch b {
		case 1:
			yes++
		case -1:
			no++
		}
	}
	possible := v >= 0 && no <= n-p || v <= 0 && yes <= p-1
	if !ok || !possible {
		if ok != possible {
			return fmt.Sprintf("propagation finds no conflict: %v, but it is possible: %v", ok, possible)
		}
		return ""
	}
	want := v
	if yes >= p {
		want = 1
	} else if no >= n-p+1 {
		want = -1
	}
	if got := pr.val(u.Out); got != want {
		return fmt.Sprintf("output is %d, want %d", got, want)
	}
	for i, b := range values {
		if want == 1 && no == n-p && b == 0 {
			b = 1
		}
		if want == -1 && yes == p-1 && b == 0 {
			b = -1
		}
		if got := pr.val(u.Inputs[i]); got != b {
			return fmt.Sprintf("input %d is %d, want %d", i, got, b)
		}
	}
	return ""
}

// TestNeuronPropagation tests Definition 1 on every partial assignment.
func TestNeuronPropagation(t *testing.T) {
	for _, e := range complete {
		for n := 1; n <= largest(); n++ {
			for p := 1; p <= n; p++ {
				for i, signs := range polarities(n) {
					if i > 0 && n > 6 && !*exhaustive {
						break
					}
					m, u := oneNeuron(e, n, p, signs)
					if miss := incomplete(newPropagator(t, m), &u); miss != "" {
						t.Fatalf("%v: %s", e, miss)
					}
				}
			}
		}
	}
}

// guarded is a Sink that adds a literal to every clause.
type guarded struct {
	*memory
	lit model.Lit
}

func (g guarded) Clause(lits ...model.Lit) { g.memory.Clause(append(lits, g.lit)...) }

// TestUnidirectional shows which inferences two one-directional counters miss. With the
// literal on v in the threshold clauses only, as in Unidirectional, all inferences of
// Definition 1 are made, but the forward pass does not determine the counters. With the
// literal on v in all clauses, v is not inferred.
func TestUnidirectional(t *testing.T) {
	open, missed := false, false
	for n := 1; n <= largest()-1; n++ {
		for p := 1; p <= n; p++ {
			m, u := oneNeuron(Unidirectional, n, p, 0)
			pr := newPropagator(t, m)
			if miss := incomplete(pr, &u); miss != "" {
				t.Fatal(miss)
			}
			pr.each(u.Inputs, false, func(_ []int8, ok bool) {
				open = open || ok && len(pr.trail) < int(m.next)
			})

			m = &memory{next: model.Lit(n + 1)}
			sequentialAtMost(guarded{m, -u.Out}, negated(u.Inputs), n-p)
			sequentialAtMost(guarded{m, u.Out}, u.Inputs, p-1)
			missed = missed || incomplete(newPropagator(t, m), &u) != ""
		}
	}
	if !open {
		t.Error("the forward pass determines all counters")
	}
	if !missed {
		t.Error("counters that depend on v as a whole are unit propagation complete")
	}
}

// forced is the plan of a merge by residues, regardless of its cost.
func (c *costs) forced(a, b, r int, s span) mergePlan {
	_, subs := c.combining(a, b, r, s, both)
	return mergePlan{perClause, r, subs}
}

// TestMerges tests Definition 1 with every way to merge forced in turn.
func TestMerges(t *testing.T) {
	limit := 7
	if *exhaustive {
		limit = 10
	}
	for r := 0; r <= maxResidues; r++ {
		if r == 1 {
			continue
		}
		c := newCosts()
		for a := 1; a <= limit; a++ {
			for b := 0; b <= a; b++ {
				for lo := 1; lo <= a+b; lo++ {
					for hi := lo; hi <= a+b; hi++ {
						if 0 < r && r <= a && b > 0 {
							c.merges[need{int32(a), int32(b), int32(lo), int32(hi), both}] = c.forced(a, b, r, span{lo, hi})
						}
					}
				}
			}
		}
		for n := 2; n <= limit; n++ {
			for first := 1; first < n; first++ {
				for p := 1; p <= n; p++ {
					m := &memory{next: model.Lit(n + 1)}
					u := model.Neuron{Out: -model.Lit(n + 1), Threshold: p}
					for i := range n {
						u.Inputs = append(u.Inputs, model.Lit(i+1)*model.Lit(1-i%3%2*2))
					}
					pl := newPlan(c)
					v := pl.merged(pl.set(u.Inputs[:first]), pl.set(u.Inputs[first:])).view
					v.require(span{p, p}, both)
					pl.settle()
					v.define(&writer{emitter: emitter{Sink: m}, costs: c}, p, u.Out)
					if miss := incomplete(newPropagator(t, m), &u); miss != "" {
						t.Fatalf("r=%d first=%d: %s", r, first, miss)
					}
				}
			}
		}
	}
}

// randomLayer makes neurons over some of n variables; without is the share of inputs left
// out.
func randomLayer(rng *rand.Rand, n, units int, missing float64) (*memory, []model.Neuron) {
	m := &memory{next: model.Lit(n)}
	var neurons []model.Neuron
	for range units {
		var u model.Neuron
		for _, i := range rng.Perm(n) {
			if rng.Float64() >= missing || len(u.Inputs) == 0 {
				u.Inputs = append(u.Inputs, model.Lit(i+1)*model.Lit(1-2*rng.Intn(2)))
			}
		}
		u.Threshold = 1 + rng.Intn(len(u.Inputs))
		if rng.Intn(3) > 0 { // near half, as in networks
			u.Threshold = max(1, min(len(u.Inputs), len(u.Inputs)/2+rng.Intn(5)-2))
		}
		u.Out = m.NewVar() * model.Lit(1-2*rng.Intn(2))
		neurons = append(neurons, u)
		if rng.Intn(6) == 0 && len(neurons) < units { // the same inputs, or all negated
			w := model.Neuron{Inputs: u.Inputs, Threshold: u.Threshold, Out: m.NewVar()}
			if rng.Intn(2) == 0 {
				w.Inputs, w.Threshold = negated(u.Inputs), 1+rng.Intn(len(u.Inputs))
			}
			neurons = append(neurons, w)
		}
	}
	return m, neurons
}

// TestLayers tests Definition 1 at the thresholds, and the forward pass, on
// random layers whose neurons share lists.
func TestLayers(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	rounds := 40
	if *exhaustive {
		rounds = 300
	}
	for round := range rounds {
		n := 2 + rng.Intn(39)
		missing := []float64{0, 0, 0.1, 0.5, 0.8}[rng.Intn(5)]
		m, neurons := randomLayer(rng, n, 1+rng.Intn(12), missing)
		Default.Neurons(m, neurons)
		pr := newPropagator(t, m)
		if !pr.ok {
			t.Fatalf("round %d: conflict", round)
		}
		base := len(pr.trail)
		for i := range neurons {
			for range 10 {
				if miss := atThreshold(rng, pr, &neurons[i]); miss != "" {
					t.Fatalf("round %d, neuron %d, n=%d p=%d: %s", round, i, len(neurons[i].Inputs), neurons[i].Threshold, miss)
				}
				pr.undo(base)
			}
		}
		for range 10 {
			for v := 1; v <= n; v++ {
				if !pr.assume(model.Lit(v) * model.Lit(1-2*rng.Intn(2))) {
					t.Fatalf("round %d: conflict in the forward pass", round)
				}
			}
			for i, u := range neurons {
				count := 0
				for _, l := range u.Inputs {
					count += int(pr.val(l)+1) / 2
				}
				if got := pr.val(u.Out) > 0; pr.val(u.Out) == 0 || got != (count >= u.Threshold) {
					t.Fatalf("round %d, neuron %d: %d of threshold %d, output %d", round, i, count, u.Threshold, pr.val(u.Out))
				}
			}
			if len(pr.trail) != int(m.next) {
				t.Fatalf("round %d: the forward pass leaves %d variables open", round, int(m.next)-len(pr.trail))
			}
			pr.undo(base)
		}
	}
}

// atThreshold assigns exactly as many inputs as one of the inferences needs.
func atThreshold(rng *rand.Rand, pr *propagator, u *model.Neuron) string {
	n, p := len(u.Inputs), u.Threshold
	kind := rng.Intn(4)
	count := []int{n - p, p - 1, p, n - p + 1}[kind]
	sign := []int8{-1, 1, 1, -1}[kind]
	v := []int8{1, -1, 0, 0}[kind]
	values := make([]int8, n)
	ok := true
	if v != 0 {
		ok = pr.assume(u.Out * model.Lit(v))
	}
	order := rng.Perm(n)
	// Sometimes also assign others the opposite way, as far as possible.
	extra := 0
	if left := n - count; left > 0 && rng.Intn(2) == 0 {
		extra = rng.Intn(left + 1)
	}
	for j, i := range order[:count+extra] {
		values[i] = sign
		if j >= count {
			values[i] = -sign
		}
		ok = ok && pr.assume(u.Inputs[i]*model.Lit(values[i]))
	}
	return judge(pr, u, values, v, ok)
}

// TestSharing tests that sharing never makes a layer larger, and that the same layer always
// has the same clauses.
func TestSharing(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	rounds := 20
	if *exhaustive {
		rounds = 200
	}
	for round := range rounds {
		n := 2 + rng.Intn(60)
		m, neurons := randomLayer(rng, n, 1+rng.Intn(20), []float64{0, 0, 0.1, 0.5, 0.8}[rng.Intn(5)])
		again := &memory{next: m.next}
		apart := Counter{Next: m.next}
		for _, u := range neurons {
			Default.Neurons(&apart, []model.Neuron{u})
		}
		Default.Neurons(m, neurons)
		if int64(len(m.clauses)) > apart.Clauses {
			t.Errorf("round %d: %d clauses, %d without sharing", round, len(m.clauses), apart.Clauses)
		}
		Default.Neurons(again, neurons)
		if !slices.EqualFunc(m.clauses, again.clauses, slices.Equal) {
			t.Fatalf("round %d: the clauses differ from one call to the next", round)
		}
	}
}
