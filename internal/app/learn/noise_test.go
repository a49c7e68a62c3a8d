package learn

import (
	"context"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/outcomes"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

var noisyWorlds = flag.Int("noisy", 1, "random worlds of each kind whose logs are spoilt, and logs of each system from which its reward is learned")

// spoil flips next bits at a rate, with cells those of the state too, and with a hidden region those of
// one output at random where two bits of the state have given values.
func (w *world) spoil(d *dataset.Data, rate float64, hidden, cells bool) (region func(now uint64) bool, output int) {
	a, b, both := w.IntN(w.states), w.IntN(w.states), w.IntN(4)
	region = func(now uint64) bool {
		return hidden && int(now>>a&1) == both&1 && int(now>>b&1) == both>>1
	}
	output = w.IntN(w.states)
	bits := w.states + w.actions
	spoilt := &dataset.Data{Schema: d.Schema}
	for r := range d.Rows {
		row := d.Row(r)
		var now uint64
		for i := range bits {
			now |= uint64(row[i]) << i
		}
		for i := range w.states {
			if w.Float64() < rate || i == output && region(now) && w.IntN(2) == 0 {
				row[bits+i] = 1 - row[bits+i]
			}
			if cells && w.Float64() < rate {
				row[i] = 1 - row[i]
			}
		}
		spoilt.Add(row)
	}
	*d = *spoilt
	return region, output
}

// supportedBits counts the next bits of all states and actions that a record supports, and the
// wrong ones of these.
func (w *world) supportedBits(p *load.Problem, random func(now uint64, output int) bool) (rows, wrongRows int) {
	if p.Support == nil {
		return 0, 0
	}
	eval := bnn.NewEvaluator(p.Network)
	scratch, out := eval.NewScratch(), make([]uint64, 1)
	for now := range uint64(1) << (w.states + w.actions) {
		eval.Forward(out, []uint64{now}, scratch)
		if len(p.Support.Open([]uint64{now}, out)) > 0 {
			continue
		}
		rows++
		next := w.next(now)
		for o := range w.states {
			if random(now, o) || (next^out[0])>>o&1 == 1 {
				wrongRows++
				break
			}
		}
	}
	return rows, wrongRows
}

// TestSpoiltLogs: of the rows that logs with flipped bits, and with a hidden region, support, at
// most one in a thousand is wrong, and long logs with flipped next bits support a third of what they do
// without.
func TestSpoiltLogs(t *testing.T) {
	const long = 1000
	clean := make([]int, *noisyWorlds)
	for _, c := range []struct {
		name          string
		rate          float64
		hidden, cells bool
	}{
		{name: "clean"}, {name: "1 %", rate: 0.01}, {name: "2 %", rate: 0.02}, {name: "3 %", rate: 0.03},
		{name: "hidden", hidden: true}, {name: "hidden, 1 %", rate: 0.01, hidden: true},
		{name: "states too, 1 %", rate: 0.01, cells: true}, {name: "states too, 3 %", rate: 0.03, cells: true},
	} {
		rows, wrong, some, inLong, cleanLong := 0, 0, 0, 0, 0
		for seed := range uint64(*noisyWorlds) {
			w := newWorld(1000 + seed)
			n := []int{100, 300, 1000, 3000}[w.IntN(4)]
			d := w.rows(n, w.IntN(2) == 0)
			region, output := w.spoil(d, c.rate, c.hidden, c.cells)
			p := &load.Problem{Task: engine.Task{Problem: w.p}}
			trained, err := trainFrom(context.Background(), p, &sourced{data: []train.Source{{Data: d}}}, Training{Recipe: RecipeStructure, Config: train.Config{Threads: 1}})
			if err == nil {
				p, err = With(p, trained)
			}
			if err != nil {
				t.Fatalf("world %d: %v", seed, err)
			}
			a, b := w.supportedBits(p, func(now uint64, o int) bool { return o == output && region(now) })
			if c.name == "clean" {
				clean[seed] = a
			}
			if n >= long {
				inLong, cleanLong = inLong+a, cleanLong+clean[seed]
			}
			if b > 0 || a < clean[seed] {
				t.Logf("%s, world %d, %d rows of %d bits: %d of %d wrong, %d are supported of a clean log; %v", c.name, seed, n, w.states+w.actions, b, a, clean[seed], p.Support.Classes)
			}
			if rows, wrong = rows+a, wrong+b; a > 0 {
				some++
			}
		}
		t.Logf("%s: %d of %d logs support some rows; %d of %d supported rows wrong; %d in long logs, %d in clean ones", c.name, some, *noisyWorlds, wrong, rows, inLong, cleanLong)
		if wrong*1000 > rows {
			t.Errorf("%s: %d of %d supported rows are wrong, expected at most one in a thousand", c.name, wrong, rows)
		}
		if !c.hidden && !c.cells && 3*inLong < cleanLong {
			t.Errorf("%s: long logs support %d rows, clean ones %d; expected a third of them", c.name, inLong, cleanLong)
		}
	}
}

// TestSlipperyGrid: grids whose moves work with probability 0.9 to 0.98, so that chance decides
// wherever a move leads elsewhere.
func TestSlipperyGrid(t *testing.T) {
	for _, works := range []float64{0.98, 0.95, 0.9}[:min(3, 2**noisyWorlds-1)] {
		slipperyGrid(t, works)
	}
}

func slipperyGrid(t *testing.T, works float64) {
	rows, wrong := 0, 0
	for seed := range uint64(*noisyWorlds) {
		r := rand.New(rand.NewPCG(seed, 9))
		p, schema := learnable(t, "grid", factored.Variable{Name: "x", Hi: 4}, factored.Variable{Name: "y", Hi: 4}, factored.Variable{Name: "move", Kind: factored.Action, Hi: 3})
		d := &dataset.Data{Schema: schema}
		step := func(x, y, move int) (int, int) {
			dx, dy := []int{1, -1, 0, 0}[move], []int{0, 0, 1, -1}[move]
			return max(0, min(4, x+dx)), max(0, min(4, y+dy))
		}
		for range 2000 {
			x, y, move := r.IntN(5), r.IntN(5), r.IntN(4)
			a, b := x, y
			if r.Float64() < works {
				a, b = step(x, y, move)
			}
			d.Add([]float64{float64(x), float64(y), float64(move), float64(a), float64(b)})
		}
		q := &load.Problem{Task: engine.Task{Problem: p}}
		trained, err := trainFrom(context.Background(), q, &sourced{data: []train.Source{{Data: d}}}, Training{Recipe: RecipeStructure, Config: train.Config{Threads: 1}})
		if err == nil {
			q, err = With(q, trained)
		}
		if err != nil {
			t.Fatal(err)
		}
		if q.Support == nil {
			t.Fatal("nothing is recorded")
		}
		eval := bnn.NewEvaluator(q.Network)
		scratch, out := eval.NewScratch(), make([]uint64, 1)
		for x := range 5 {
			for y := range 5 {
				for move := range 4 {
					var in uint64
					for i := range 3 {
						in |= uint64(x>>(2-i)&1)<<i | uint64(y>>(2-i)&1)<<(3+i)
					}
					for i := range 2 {
						in |= uint64(move>>(1-i)&1) << (6 + i)
					}
					eval.Forward(out, []uint64{in}, scratch)
					if len(q.Support.Open([]uint64{in}, out)) > 0 {
						continue
					}
					rows++
					if a, b := step(x, y, move); a != x || b != y {
						wrong++ // chance decides
					}
				}
			}
		}
	}
	t.Logf("moves work with probability %v: %d of %d supported rows wrong", works, wrong, rows)
	if wrong*1000 > rows {
		t.Errorf("moves work with probability %v: %d of %d supported rows are wrong, expected at most one in a thousand", works, wrong, rows)
	}
}

// TestNextOfErrors: rows that are taken as recording errors are no rows that the network is wrong on.
func TestNextOfErrors(t *testing.T) {
	trained := &Trained{Errors: Errors{Train: &ErrorLine{Measure: &measure.Measure{Rows: 10, Wrong: 3}}}, Chance: &outcomes.Line{Reading: "recording errors"}}
	if next := trained.Next(); len(next) != 1 || !strings.Contains(next[0], "3 of 10 training rows are not as the network says, and are taken as recording errors") {
		t.Errorf("%q", next)
	}
	trained.Chance.Reading = "undecided"
	if next := trained.Next(); len(next) == 0 || !strings.Contains(next[0], "WRONG on 3 of 10") {
		t.Errorf("%q", next)
	}
}
