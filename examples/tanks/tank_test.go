package main

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine/tube"
)

var (
	replays = flag.Int("replays", 40, "runs of the tanks")
	logs    = flag.String("logs", "../../../shared/data/logs", "folder of the logs of two tanks")
)

func fitted(t *testing.T, name string) *tanks {
	f, err := os.Open(*logs + "/" + name)
	if err != nil {
		t.Skipf("no log of tanks: %v", err)
	}
	defer f.Close()
	s, err := readSeries(f)
	if err != nil {
		t.Fatal(err)
	}
	p := fit(s)
	square := 0.0
	for _, e := range p.residuals {
		square += e * e
	}
	t.Logf("%s: %+.4v, rms of a whole run %.3f, one sample ahead %.4f", name, p.vector(), math.Sqrt(p.loss(s)), math.Sqrt(square/float64(len(p.residuals))))
	return p
}

// learned is a function of two parts that least squares found in tq_est, in hundredths of a volt, with a band of 99 %.
func learned() *tube.Task {
	linear := func(x1, x2, x3, u, c int64) *tube.Function {
		return &tube.Function{Leaf: tube.Linear{X: []int64{x1, x2, x3}, U: []int64{u}, C: c, D: 10000}}
	}
	split := &tube.Function{
		If:   &tube.Atom{Linear: tube.Linear{X: []int64{1, 0, 0}, U: []int64{0}, C: -550, D: 1}},
		Then: linear(14065, -744, -3306, 204, -57486), Else: linear(13465, 2124, -5584, 129, -45898),
	}
	keep := func(i int) *tube.Function {
		l := tube.Linear{X: make([]int64, 3), U: make([]int64, 1), D: 1}
		l.X[i] = 1
		return &tube.Function{Leaf: l}
	}
	q := func(n string) tube.Quantity { return tube.Quantity{Name: n, Hi: 1000} }
	atom := func(x, c int64, text string) tube.Atom {
		return tube.Atom{Linear: tube.Linear{X: []int64{x, 0, 0}, U: []int64{0}, C: c, D: 1}, Text: text}
	}
	return &tube.Task{
		Model: &tube.Model{
			States: []tube.Quantity{q("level"), q("level_1"), q("level_2")}, Actions: []tube.Quantity{{Name: "pump", Hi: 1000}},
			Next: []tube.Next{{Function: split, Low: -13, High: 13}, {Function: keep(0)}, {Function: keep(1)}},
		},
		Start: []int64{300, 300, 300},
		Rules: []tube.Atom{atom(1, -900, "level <= 9")},
		Goal:  []tube.Atom{atom(-1, 700, "level >= 7"), atom(1, -800, "level <= 8")},
	}
}

func TestTankNone(t *testing.T) {
	task := learned()
	if err := task.Check(); err != nil {
		t.Fatal(err)
	}
	plan, reach, err := task.Robust(context.Background(), 30, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{1, 3, 5, 10, 20, 30} {
		t.Logf("step %d: %d..%d", k, reach.Low[k][0], reach.High[k][0])
	}
	t.Logf("%v: broken at %d, %s, %d sets", plan, reach.Broken, reach.Text, reach.Sets)
	began := time.Now()
	p, err := task.None(context.Background(), 30, false)
	if t.Logf("%+v, %v, %v", p, err, time.Since(began)); err != nil || !p.Anywhere {
		t.Error("expected a proof that no plan holds, whatever its length")
	}
}

func TestTankRuns(t *testing.T) {
	p := &plant{tanks: fitted(t, "tq_val_t.csv"), rng: rand.New(rand.NewPCG(1, 1))}
	for _, open := range []bool{true, false} {
		within, end, broken, calls, took := 0, 0, 0, 0, time.Duration(0)
		for range *replays {
			task := learned()
			p.reset(3)
			x := []int64{300, 300, 300}
			var plan [][]int64
			reached, bad := false, false
			for k := range 30 {
				if !open || k == 0 {
					task.Start = x
					began := time.Now()
					plan, _ = tube.NewPlanner(task, tube.Aim{Horizon: 30 - k}).Plan(plan)
					took, calls = took+time.Since(began), calls+1
				}
				u := plan[0]
				plan = plan[1:]
				p.step(float64(u[0]) / 100)
				x = []int64{int64(math.RoundToEven(p.lower * 100)), x[0], x[1]}
				task.Before = slices.Clone(u)
				bad = bad || p.lower > 9
				reached = reached || !bad && p.lower >= 7 && p.lower <= 8
			}
			if reached {
				within++
			}
			if bad {
				broken++
			} else if p.lower >= 7 && p.lower <= 8 {
				end++
			}
		}
		t.Logf("open loop %v: %d of %d within 30 samples, %d at the end, %d broke the rule; %v a plan", open, within, *replays, end, broken, took/time.Duration(calls))
	}
}
