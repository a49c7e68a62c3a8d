package learn

import (
	"context"
	"flag"
	"fmt"
	"github.com/fdplan/fdplan/internal/app/bind"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	appsupport "github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

var worlds = flag.Int("worlds", 30, "random small worlds that are learned and bracketed")

// world is a random system of a few bits, each next bit a random function of at most three
// others, with the rewards of random literals.
type world struct {
	*rand.Rand
	states, actions int
	reads           [][]int  // by state bit, what its next value depends on
	tables          []uint64 // by state bit, its next value, a bit a joint value
	p               *factored.Problem
	start           uint64
}

func newWorld(seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 0x776f726c64))}
	w.states, w.actions = 3+w.IntN(4), 1+w.IntN(3)
	w.p = factored.NewProblem(fmt.Sprintf("world %d", seed))
	add := func(name string, kind factored.Kind) {
		if _, err := w.p.AddVariable(factored.Variable{Name: name, Kind: kind, Bool: true}); err != nil {
			panic(err)
		}
	}
	for i := range w.states {
		add(fmt.Sprintf("s%d", i), factored.State)
		w.p.Outputs = append(w.p.Outputs, factored.Bit(i))
	}
	for i := range w.actions {
		add(fmt.Sprintf("a%d", i), factored.Action)
	}
	bits := w.states + w.actions
	for i := range bits {
		w.p.Inputs = append(w.p.Inputs, factored.Bit(i))
	}
	for range w.states {
		k := w.IntN(4)
		w.reads = append(w.reads, w.Perm(bits)[:k])
		table := w.Uint64()
		if w.IntN(3) == 0 { // a rare case
			table = 1 << w.IntN(1<<k)
		}
		w.tables = append(w.tables, table)
	}
	w.start = w.Uint64() & (1<<w.states - 1)
	for i := range w.states {
		c := factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: factored.Bit(i)}}}, Op: factored.EQ, K: int64(w.start >> i & 1)}
		w.p.Initial = append(w.p.Initial, c)
	}
	for b := range bits {
		if w.IntN(2) == 0 {
			w.p.Reward.Terms = append(w.p.Reward.Terms, factored.RewardTerm{Lit: factored.Lit{Bit: factored.Bit(b)}, Weight: int64(w.IntN(13) - 6)})
		}
	}
	if w.IntN(2) == 0 {
		goal := factored.Lit{Bit: factored.Bit(w.IntN(w.states))}
		w.p.Goal = []factored.Constraint{{Terms: []factored.Term{{Coef: 1, Lit: goal}}, Op: factored.GE, K: 1}}
	}
	return w
}

// next is the state after a state with an action, in the bits above it.
func (w *world) next(now uint64) uint64 {
	var out uint64
	for i, reads := range w.reads {
		at := 0
		for _, b := range reads {
			at = at<<1 | int(now>>b&1)
		}
		out |= w.tables[i] >> at & 1 << i
	}
	return out
}

func (w *world) valuation(now uint64) factored.Valuation {
	val := make(factored.Valuation, w.states+w.actions)
	for i := range val {
		val[i] = now>>i&1 == 1
	}
	return val
}

// best is the greatest reward of a plan, nil if it has no plan.
func (w *world) best(horizon int) *int64 {
	at := map[uint64]int64{w.start: 0}
	for range horizon {
		then := map[uint64]int64{}
		for s, r := range at {
			for a := range uint64(1) << w.actions {
				now := s | a<<w.states
				n := w.next(now)
				sum := r + w.p.Reward.StepReward(w.valuation(now), w.valuation(n))
				if old, ok := then[n]; !ok || sum > old {
					then[n] = sum
				}
			}
		}
		at = then
	}
	var best *int64
	for s, r := range at {
		if len(w.p.Goal) == 0 || w.p.Goal[0].Holds(w.valuation(s), nil) {
			if best == nil || r > *best {
				best = &r
			}
		}
	}
	return best
}

// rows draws transitions, of one walk or from states drawn anew.
func (w *world) rows(n int, walk bool) *dataset.Data {
	schema, err := dataset.OfProblem(w.p)
	if err != nil {
		panic(err)
	}
	d := &dataset.Data{Schema: schema}
	s := w.start
	for range n {
		if !walk || w.IntN(10) == 0 {
			s = w.Uint64() & (1<<w.states - 1)
			if walk {
				s = w.start
			}
		}
		now := s | w.Uint64()&(1<<w.actions-1)<<w.states
		s = w.next(now)
		var row []float64
		for i := range w.states + w.actions {
			row = append(row, float64(now>>i&1))
		}
		for i := range w.states {
			row = append(row, float64(s>>i&1))
		}
		d.Add(row)
	}
	return d
}

// TestBracket learns random small worlds from few rows, and compares what is certain and what
// nothing can beat with the best plan of the world itself.
func TestBracket(t *testing.T) {
	certain, tight, open := 0, 0, 0
	for seed := range uint64(*worlds) {
		w := newWorld(seed)
		rows := 10 << w.IntN(5)
		d := w.rows(rows, w.IntN(2) == 0)
		horizon := 1 + w.IntN(4)
		p := &load.Problem{Task: engine.Task{Problem: w.p}}
		trained, err := trainFrom(context.Background(), p, &sourced{data: []train.Source{{Data: d}}}, Training{Recipe: RecipeStructure, Config: train.Config{Threads: 1}})
		if err != nil {
			t.Fatalf("world %d: %v", seed, err)
		}
		if p, err = With(p, trained); err != nil {
			t.Fatalf("world %d: %v", seed, err)
		}
		r := plan.Request{
			Query: plan.Query{Options: registry.Options{Engine: registry.Search}, Horizon: bind.Steps(horizon)}, Limits: engine.Limits{Threads: 1}, Now: time.Now,
		}
		safe, err := appsupport.Safe(p)
		if err != nil {
			t.Fatalf("world %d: %v", seed, err)
		}
		doc, err := plan.Plan(context.Background(), safe, r)
		if err == nil {
			err = doc.Bracket(context.Background(), p, r, nil)
		}
		if err != nil {
			t.Fatalf("world %d: %v", seed, err)
		}
		best, b := w.best(horizon), doc.Safe
		switch {
		case b.Impossible && best != nil:
			t.Errorf("world %d, %d rows: no plan is said to exist, and there is one of %d", seed, rows, *best)
		case b.Reward != nil && (best == nil || *b.Reward > float64(*best)):
			t.Errorf("world %d, %d rows: %v is said to be certain; the best plan has %v", seed, rows, *b.Reward, best)
		case b.BoundUnseen != nil && best != nil && float64(*best) > *b.BoundUnseen:
			t.Errorf("world %d, %d rows: nothing is said to beat %v; the best plan has %d", seed, rows, *b.BoundUnseen, *best)
		}
		if b.Reward != nil {
			certain++
			if b.BoundUnseen != nil && *b.BoundUnseen == *b.Reward {
				tight++
			}
		} else if best != nil {
			open++
		}
	}
	t.Logf("%d worlds: a plan is certain in %d, and the best in %d of these; %d have a plan and none is certain", *worlds, certain, tight, open)
}
