package bound

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/factored"
)

// ditch returns a random problem of sites along which goods run: what is under way to one is what the one before let pass, in the step before.
func ditch(seed uint64) *factored.Problem {
	rng := rand.New(rand.NewPCG(seed, 0x6469746368))
	p := factored.NewProblem(fmt.Sprint("ditch ", seed))
	add := func(name string, kind factored.Kind, hi int64) factored.Bit {
		id, err := p.AddVariable(factored.Variable{Name: name, Kind: kind, Bool: hi == 1, Hi: hi})
		if err != nil {
			panic(err)
		}
		return p.Variables[id].First
	}
	clause := func(list *[]factored.Constraint, lits ...factored.Lit) { *list = append(*list, oneOf(lits...)) }
	pay := func(bit factored.Bit, weight int) {
		p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: factored.Lit{Bit: bit}, Weight: int64(weight)})
	}
	before, passes := add("send", factored.Action, 1), false // what decides what comes, and whether the gate before does, too
	var gate factored.Bit
	pay(before, -rng.IntN(2))
	var gates []factored.Bit
	for i := range 3 + rng.IntN(2) {
		stock, under, take := add(fmt.Sprint("stock", i), factored.State, 3), add(fmt.Sprint("under", i), factored.State, 1), add(fmt.Sprint("take", i), factored.Action, 1)
		next := factored.Lit{Bit: under, Next: true}
		comes := []factored.Lit{{Bit: before}}
		if passes {
			comes = append(comes, factored.Lit{Bit: gate, Neg: true})
		}
		all := []factored.Lit{next}
		for _, l := range comes {
			clause(&p.Transition, next.Not(), l)
			all = append(all, l.Not())
		}
		clause(&p.Transition, all...)
		use := rng.IntN(2)
		for row := range 16 { // the stock, whether something is there, and whether it is taken
			to := max(0, row%4-use)
			if row >= 12 {
				to = min(3, row%4+1+rng.IntN(2))
			}
			var unless []factored.Lit
			for k, b := range []factored.Bit{stock, stock + 1, under, take} {
				unless = append(unless, factored.Lit{Bit: b, Neg: row>>k&1 == 1})
			}
			for k := range 2 {
				clause(&p.Transition, append(unless, factored.Lit{Bit: stock + factored.Bit(k), Next: true, Neg: to>>k&1 == 0})...)
			}
		}
		for _, b := range []factored.Bit{stock, stock + 1, under} {
			clause(&p.Initial, factored.Lit{Bit: b, Neg: rng.IntN(2) == 0})
			pay(b, rng.IntN(5)-b2i(b == under))
		}
		pay(take, -rng.IntN(3))
		if rng.IntN(6) == 0 {
			clause(&p.Goal, factored.Lit{Bit: under, Neg: rng.IntN(2) == 0})
		}
		before, gate, passes, gates = under, take, true, append(gates, take)
	}
	if rng.IntN(2) == 0 {
		c := factored.Constraint{Op: factored.LE, K: 1}
		for _, b := range gates[:1+rng.IntN(len(gates))] {
			c.Terms = append(c.Terms, factored.Term{Coef: 1, Lit: factored.Lit{Bit: b}})
		}
		p.Global = append(p.Global, c)
	}
	return p
}

// TestWaves wants the same bound by waves as by steps for any prices, and plans as good as those of a beam by steps that drops nothing.
func TestWaves(t *testing.T) {
	const horizon, all = 4, 1 << 20
	shifted := 0
	for i := range uint64(*instances) / 25 {
		seed := *firstSeed + i
		task := engine.Task{Problem: ditch(seed)}
		f, err := New(t.Context(), task, horizon, nil)
		if err != nil || f == nil {
			t.Fatalf("seed %d: %v, %v", seed, f, err)
		}
		starts, _ := f.listStarts(t.Context())
		o := f.newOptimizer(scale)
		want := costOf(t, seed, f, f.newBeam(f.newOrder(), o.best, infinite-1, all, 0), starts)
		if res := solveNarrow(t, seed, task, horizon); res == nil || res.Status == engine.Infeasible != (want == infinite) || want < infinite && res.Reward != f.reward(want) {
			t.Errorf("seed %d: %+v, expected %d", seed, res, f.reward(want))
		}
		w := f.newWaves()
		if w == nil {
			continue
		}
		shifted++
		o.improve(t.Context(), int(seed%10), infinite)
		tables := w.tables(o.best)
		if steps, waves := f.root(o.best), w.root(tables); steps != waves {
			t.Errorf("seed %d: the bound is %d by steps, %d by waves", seed, steps, waves)
		}
		b := w.newBeam(w.order, tables, infinite-1, all, 0)
		b.waves = w
		if got := costOf(t, seed, f, b, w.begin(starts)); got != want {
			t.Errorf("seed %d: the least cost is %d by steps, %d by waves", seed, want, got)
		}
	}
	if shifted < *instances/75 {
		t.Errorf("%d problems go by waves", shifted)
	}
}
