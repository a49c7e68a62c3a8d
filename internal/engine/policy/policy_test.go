package policy

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"
)

// walk is a process on a line of cells: an action moves by its number, as far as the cells go, or does so twice,
// not at all, or back. The goal is the last cell.
type walk struct {
	cells, moves int
	p            [4]float64
}

func (w *walk) Words() int           { return 1 }
func (w *walk) Start(state []uint64) { state[0] = uint64(w.cells / 2) }
func (w *walk) Kind(s []uint64) (Kind, error) {
	if s[0] == uint64(w.cells-1) {
		return Goal, nil
	}
	return 0, nil
}

func (w *walk) Expand(s []uint64, x *Expansion) error {
	next := []uint64{0}
	for a := range w.moves {
		x.Action(uint32(a))
		for k, times := range [...]int{1, 2, 0, -1} {
			to := int(s[0]) + times*(a-w.moves/2)
			next[0] = uint64(max(0, min(w.cells-1, to)))
			if err := x.Outcome(w.p[k], float64(-times), min(k, 1), next); err != nil {
				return err
			}
		}
	}
	return nil
}

func solve(t testing.TB, w *walk, o Options) *Solution {
	t.Helper()
	o.Memory = 1 << 30
	s, err := Solve(context.Background(), w, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestThreads: the number of threads changes nothing.
func TestThreads(t *testing.T) {
	defer func(usual int) { chunk = usual }(chunk)
	chunk = 1 << 10
	w := &walk{cells: 6000, moves: 5, p: [4]float64{.7, .1, .15, .05}}
	for _, objective := range Objectives {
		one := solve(t, w, Options{Objective: objective, Horizon: 500, Threads: 1})
		four := solve(t, w, Options{Objective: objective, Horizon: 500, Threads: 4})
		if one.Value != four.Value || len(one.changes) != len(four.changes) || one.States != four.States {
			t.Errorf("%s: %v with %d changes, and with four threads %v with %d", objective, one.Value, len(one.changes), four.Value, len(four.changes))
		}
	}
}

// TestSooner: a policy does not postpone the goal where it has steps to spare.
func TestSooner(t *testing.T) {
	w := &walk{cells: 9, moves: 3, p: [4]float64{1, 0, 0, 0}}
	w.p = [4]float64{.5, .25, .125, .125}
	s := solve(t, w, Options{Objective: Success, Horizon: 300, Threads: 1})
	for _, r := range s.Rows() {
		hopeless := 8-int(s.State(r.State)[0]) > 2*(300-r.To+1)
		if r.Action != 2 && !hopeless {
			t.Errorf("in cell %d at steps %d to %d the policy takes action %d", s.State(r.State)[0], r.From, r.To, r.Action)
		}
	}
	if s.Value < .999 || s.Value > 1 {
		t.Errorf("the value is %v", s.Value)
	}
}

func TestTooLarge(t *testing.T) {
	w := &walk{cells: 1 << 20, moves: 5, p: [4]float64{.7, .1, .15, .05}}
	_, err := Solve(t.Context(), w, Options{Objective: Reward, Horizon: 60_000, Threads: 1, Memory: 1 << 20})
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v", err)
	}
	if _, err = Solve(t.Context(), w, Options{Objective: Reward, Horizon: 0, Memory: 1 << 30}); err == nil {
		t.Error("a horizon of 0 is accepted")
	}
	wide := &everywhere{walk: &walk{cells: 1 << 24, moves: 5}}
	if _, err = Solve(t.Context(), wide, Options{Objective: Reward, Horizon: 2, Memory: 1 << 24}); !errors.Is(err, ErrTooLarge) || wide.listed > 1<<20 {
		t.Errorf("error %v after %d outcomes of one state", err, wide.listed)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = Solve(ended, w, Options{Objective: Reward, Horizon: 10, Memory: 1 << 30}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after the context ended", err)
	}
}

// TestRobustWalk: with as many disturbances as wanted, a move of one cell may be undone each time.
func TestRobustWalk(t *testing.T) {
	w := &walk{cells: 9, moves: 3, p: [4]float64{.5, .25, .125, .125}}
	for n := range 4 {
		r, err := Solve(t.Context(), w, Options{Objective: Success, Worst: true, Disturbances: n, MinHorizon: 1, Horizon: 30, Memory: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		if want := 4 + 2*n; !r.Exists() || r.Horizon != want { // each disturbance costs its step, and that back
			t.Errorf("%d disturbances: horizon %d, expected %d", n, r.Horizon, want)
		}
	}
	r, err := Solve(t.Context(), w, Options{Objective: Success, Worst: true, Disturbances: 4, MinHorizon: 1, Horizon: 9, Memory: 1 << 30})
	if err != nil || r.Exists() {
		t.Errorf("%+v, %v", r, err)
	}
}

// BenchmarkSolve measures 10 million pairs of a state and an action with 4 outcomes each, over 40 steps.
func BenchmarkSolve(b *testing.B) {
	w := &walk{cells: 2_500_000, moves: 4, p: [4]float64{.7, .1, .15, .05}}
	for b.Loop() {
		t := &everywhere{walk: w}
		var began time.Time // of the passes over the table
		report := func(_, left int) {
			if left == 40 {
				began = time.Now()
			}
		}
		s, err := Solve(b.Context(), t, Options{Objective: Reward, Horizon: 40, Threads: 1, Memory: 1 << 30, Report: report})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(s.Pairs), "pairs")
		b.ReportMetric(float64(s.Updates)/time.Since(began).Seconds(), "updates/s")
		b.ReportMetric(float64(s.t.bytes()>>20), "MiB")
	}
}

// everywhere is a walk whose first step leads to any cell.
type everywhere struct {
	*walk
	listed int // outcomes of that step
}

func (e *everywhere) Start(state []uint64) { state[0] = math.MaxUint64 }

func (e *everywhere) Expand(s []uint64, x *Expansion) error {
	if s[0] != math.MaxUint64 {
		return e.walk.Expand(s, x)
	}
	x.Action(0)
	for i := range uint64(e.cells) {
		e.listed++
		if err := x.Outcome(1/float64(e.cells), 0, 0, []uint64{i}); err != nil {
			return err
		}
	}
	return nil
}

// digits is a process whose states are numbers of some digits, each of which may become any other at any step.
type digits struct{ states int }

func (d *digits) Words() int                  { return 1 }
func (d *digits) Start(state []uint64)        { state[0] = 0 }
func (d *digits) Kind([]uint64) (Kind, error) { return 0, nil }
func (d *digits) MostStates() float64         { return float64(d.states) }
func (d *digits) Expand(s []uint64, x *Expansion) error {
	x.Action(0)
	for k := range uint64(10) {
		if err := x.Outcome(.1, 0, 0, []uint64{(10*s[0] + k) % uint64(d.states)}); err != nil {
			return err
		}
	}
	return nil
}

// TestExpected: a process that will have too many outcomes is given up long before it has them, and one whose
// states are about to end is not.
func TestExpected(t *testing.T) {
	const most = 1_000_000
	var told int
	o := Options{Objective: Reward, Horizon: 20, Threads: 1, Memory: 1 << 30, Outcomes: most, Report: func(states, _ int) { told = states }}
	if _, err := Solve(context.Background(), &digits{1_000_000_000}, o); !errors.Is(err, ErrTooLarge) || told > most/10 {
		t.Errorf("error %v after %d states", err, told)
	}
	if _, err := Solve(context.Background(), &digits{60_000}, o); err != nil {
		t.Errorf("of 60,000 states with 10 outcomes each: %v", err)
	}
}
