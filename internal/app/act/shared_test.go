package act

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/acting"
	"github.com/fdplan/fdplan/problem/factored"
)

// newNetwork is a random graph of objects that share two functions, each of at most k of their own bits, their number of neighbours, and the
// numbers of those of which a bit holds.
func newNetwork(seed uint64, k int) *world {
	w := &world{seed: seed, p: factored.NewProblem(fmt.Sprint("network ", seed)), r: rand.New(rand.NewPCG(seed, uint64(k)))}
	p, n := w.p, 2+w.r.IntN(2)
	var on, age, act []factored.Bit
	for _, kind := range []struct {
		name string
		kind factored.Kind
		bits *[]factored.Bit
	}{{"on", factored.State, &on}, {"age", factored.State, &age}, {"act", factored.Action, &act}} {
		for i := range n {
			v, err := p.AddVariable(factored.Variable{Name: fmt.Sprint(kind.name, i), Kind: kind.kind, Bool: true})
			if err != nil {
				panic(err)
			}
			*kind.bits = append(*kind.bits, p.Variables[v].First)
		}
	}
	p.Inputs, p.Outputs = append(p.Bits(factored.State), p.Bits(factored.Action)...), p.Bits(factored.State)
	for _, b := range p.Inputs {
		p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: factored.Lit{Bit: b}, Weight: int64(w.r.IntN(7) - 3)})
	}
	if w.r.IntN(2) == 0 {
		p.Goal = append(p.Goal, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: on[0]}}}, Op: factored.GE, K: 1, Origin: "goal"})
	}
	near := make([][]int, n)
	for i := range n {
		for j := range i {
			if w.r.IntN(3) > 0 {
				near[i], near[j] = append(near[i], j), append(near[j], i)
			}
		}
	}
	w.shared = []acting.Shared{{Outputs: on}, {Outputs: age}}
	for i := range n {
		count := func(name string, of []factored.Bit) acting.Variable {
			var bits []factored.Bit
			for _, j := range near[i] {
				bits = append(bits, of[j])
			}
			return acting.CountOf(p, name, bits)
		}
		var view []acting.Variable
		for _, b := range []factored.Bit{on[i], age[i], act[i]} {
			v, _ := p.Owner(b)
			view = append(view, acting.VariableOf(p, v))
		}
		view = append(view, acting.Variable{Name: "neighbours", Legal: []uint64{uint64(len(near[i]))}}, count("on", on), count("act", act))
		for f := range w.shared {
			w.shared[f].Views = append(w.shared[f].Views, view)
		}
	}
	for range w.shared {
		w.reads = append(w.reads, w.r.Perm(len(w.shared[0].Views[0]))[:1+w.r.IntN(k)])
	}
	w.start, w.horizon = make(factored.Valuation, p.NumBits()), 2+w.r.IntN(3)
	return w
}

// pooled is the state after a step of objects that share functions.
func (w *world) pooled(now factored.Valuation) factored.Valuation {
	out := make(factored.Valuation, w.p.NumBits())
	for f, s := range w.shared {
		for i, b := range s.Outputs {
			h := fnv.New64a()
			if w.odd && i == 0 {
				h.Write([]byte("odd "))
			}
			for _, x := range w.reads[f] {
				v, sum := s.Views[i][x], uint64(0)
				for _, b := range v.Bits {
					if now[b] {
						sum++
					}
				}
				if len(v.Bits) == 0 {
					sum = v.Legal[0]
				}
				fmt.Fprint(h, sum, " ")
			}
			out[b] = rand.New(rand.NewPCG(w.seed+uint64(f), h.Sum64())).IntN(2) == 1
		}
	}
	return out
}

// TestUnlike acts in random graphs, one object of which is unlike the others: where that was seen, each bit has a function of its own, of
// any number of variables, and each stop is right.
func TestUnlike(t *testing.T) {
	parted := 0
	for seed := range uint64(*worlds) / 2 {
		w := newNetwork(seed, 2)
		w.odd = true
		r := w.learn(t, 9, seed%4 != 0, func(o *acting.Options) { o.Shared = w.shared })
		if r.Model.Shared() == nil {
			parted++
			if best := w.best(); !right(r, best) {
				t.Errorf("%s: %s %v, brute force %v", w.p.Name, r.Status, value(r.Reward), value(best))
			}
		}
		w.checked(t, r)
	}
	if parted < *worlds/8 {
		t.Errorf("%d of %d were parted: too few", parted, *worlds/2)
	}
	t.Logf("%d of %d parted", parted, *worlds/2)
}

// TestShared acts in random graphs of objects that share functions: each stop is right, and the checker accepts what was concluded.
func TestShared(t *testing.T) {
	proven := 0
	for seed := range uint64(*worlds) {
		k := 1 + int(seed%3)
		w := newNetwork(seed, k)
		r := w.learn(t, k, seed%4 != 0, func(o *acting.Options) { o.Shared, o.Effort = w.shared, int64(seed%3) })
		if best := w.best(); !right(r, best) {
			t.Errorf("%s, k %d: %s %v, brute force %v", w.p.Name, k, r.Status, value(r.Reward), value(best))
		}
		if r.Status != engine.Unknown {
			proven++
		}
		w.checked(t, r)
	}
	if proven < *worlds*3/4 {
		t.Errorf("%d of %d were proven: too few", proven, *worlds)
	}
	t.Logf("%d of %d proven", proven, *worlds)
}
