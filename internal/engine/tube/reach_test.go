package tube

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
)

var instances = flag.Int("instances", 50, "random systems to compare")

// randomLinear draws a form of small coefficients.
func randomLinear(rng *rand.Rand, n, m int, d int64) Linear {
	l := Linear{X: make([]int64, n), U: make([]int64, m), D: d}
	for i := range l.X {
		if rng.IntN(3) > 0 {
			l.X[i] = rng.Int64N(2*d+1) - d
		}
	}
	for j := range l.U {
		l.U[j] = rng.Int64N(2*d+1) - d
	}
	l.C = rng.Int64N(4*d+1) - 2*d
	return l
}

func randomFunction(rng *rand.Rand, n, m, depth int) *Function {
	d := []int64{1, 2, 3, 10, 100}[rng.IntN(5)]
	if depth == 0 || rng.IntN(3) == 0 {
		return &Function{Leaf: randomLinear(rng, n, m, d)}
	}
	a := Atom{Linear: randomLinear(rng, n, m, 1), Strict: rng.IntN(2) == 0}
	return &Function{If: &a, Then: randomFunction(rng, n, m, depth-1), Else: randomFunction(rng, n, m, depth-1)}
}

// randomTask draws a small system with rules and a goal.
func randomTask(rng *rand.Rand) *Task {
	n, m := 1+rng.IntN(3), 1
	t := &Task{Model: &Model{}}
	for i := range n {
		lo := -rng.Int64N(6)
		t.States = append(t.States, Quantity{fmt.Sprintf("x%d", i), lo, 4 + rng.Int64N(12)})
		t.Start = append(t.Start, lo+rng.Int64N(t.States[i].Hi-lo+1))
	}
	for j := range m {
		t.Actions = append(t.Actions, Quantity{fmt.Sprintf("u%d", j), -rng.Int64N(2), 1 + rng.Int64N(2)})
	}
	for i := range n {
		if i == 2 || i == 1 && rng.IntN(2) == 0 { // what the state before it was one step before
			l := Linear{X: make([]int64, n), U: make([]int64, m), D: 1}
			l.X[i-1] = 1
			t.States[i].Lo, t.States[i].Hi, t.Start[i] = t.States[i-1].Lo, t.States[i-1].Hi, t.Start[i-1]
			t.Next = append(t.Next, Next{Function: &Function{Leaf: l}})
			continue
		}
		next := Next{Function: randomFunction(rng, n, m, 2)}
		next.Low = -rng.Int64N(2)
		next.High = next.Low + rng.Int64N(3)
		if rng.IntN(8) == 0 {
			next.Given, next.Function = []int64{1, 2, 0}, nil
		}
		t.Next = append(t.Next, next)
	}
	for range 1 + rng.IntN(2) {
		a := Atom{Linear: randomLinear(rng, n, m, 1), Strict: rng.IntN(2) == 0, Text: "rule"}
		a.C -= 12
		if rng.IntN(2) == 0 {
			clear(a.U)
		}
		t.Rules = append(t.Rules, a)
	}
	g := Atom{Linear: randomLinear(rng, n, m, 1), Text: "goal"}
	clear(g.U)
	g.C -= rng.Int64N(8)
	t.Goal = []Atom{g}
	return t
}

// each calls f for every state after a step.
func (m *Model) each(x, u []int64, t int, f func(next []int64)) {
	errs, next := make([]int64, len(x)), make([]int64, len(x))
	var walk func(i int)
	walk = func(i int) {
		if i == len(x) {
			m.Step(next, x, u, errs, t)
			f(next)
			return
		}
		for e := m.Next[i].Low; e <= m.Next[i].High; e++ {
			errs[i] = e
			walk(i + 1)
		}
	}
	walk(0)
}

// exhaust returns the states that a plan may come to at each step, and the first step at which one breaks something.
func exhaust(t *Task, plan [][]int64) (sets []map[string][]int64, broken int) {
	now := map[string][]int64{fmt.Sprint(t.Start): t.Start}
	for k := 0; ; k++ {
		sets = append(sets, now)
		var u []int64
		if k < len(plan) {
			u = plan[k]
		}
		for _, x := range now {
			bad := t.breaks(x, u, nil) != ""
			for i := range t.Goal {
				bad = bad || k == len(plan) && !t.Goal[i].Holds(x, nil)
			}
			if bad && broken == 0 {
				broken = k + 1
			}
		}
		if u == nil {
			return sets, broken
		}
		next := map[string][]int64{}
		for _, x := range now {
			t.each(x, u, k+1, func(y []int64) { next[fmt.Sprint(y)] = append([]int64(nil), y...) })
		}
		now = next
	}
}

func randomPlan(rng *rand.Rand, t *Task, h int) (plan [][]int64) {
	for range h {
		u := make([]int64, len(t.Actions))
		for j := range u {
			u[j] = t.Actions[j].Lo + rng.Int64N(t.Actions[j].Hi-t.Actions[j].Lo+1)
		}
		plan = append(plan, u)
	}
	return plan
}

// TestReachAll compares tubes with all states that small systems come to.
func TestReachAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	exact, loose, held, missed := 0, 0, 0, 0
	for n := range *instances {
		s := randomTask(rng)
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		plan := randomPlan(rng, s, 1+rng.IntN(6))
		tube, err := s.Reach(context.Background(), plan)
		if err != nil {
			t.Fatal(err)
		}
		sets, broken := exhaust(s, plan)
		if broken > 0 && (tube.Broken == 0 || tube.Broken > broken) {
			t.Fatalf("system %d: broken at step %d, the tube says %d", n, broken, tube.Broken)
		}
		if broken == 0 {
			if held++; tube.Broken != 0 {
				missed++
			}
		}
		for k, set := range sets {
			for i := range s.States {
				low, high := s.States[i].Hi, s.States[i].Lo
				for _, x := range set {
					low, high = min(low, x[i]), max(high, x[i])
				}
				if tube.Low[k][i] > low || tube.High[k][i] < high {
					t.Fatalf("system %d, step %d: x%d is in %d..%d, the tube says %d..%d", n, k+1, i, low, high, tube.Low[k][i], tube.High[k][i])
				}
				if tube.Low[k][i] == low && tube.High[k][i] == high {
					exact++
				} else {
					loose++
				}
			}
		}
	}
	t.Logf("%d bounds are exact, %d are not; %d plans hold, of which %d are not known to", exact, loose, held, missed)
	if loose > exact || held == 0 {
		t.Errorf("%d bounds are loose, %d exact, %d plans hold", loose, exact, held)
	}
}
