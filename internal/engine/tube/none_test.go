package tube

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
)

// plans calls f for each plan of h steps until it returns false.
func (t *Task) plans(h int, f func(plan [][]int64) bool) bool {
	plan := make([][]int64, h)
	for k := range plan {
		plan[k] = make([]int64, len(t.Actions))
	}
	var walk func(k, j int) bool
	walk = func(k, j int) bool {
		if k == h {
			return f(plan)
		}
		if j == len(t.Actions) {
			return walk(k+1, 0)
		}
		for u := t.Actions[j].Lo; u <= t.Actions[j].Hi; u++ {
			if plan[k][j] = u; !walk(k, j+1) {
				return false
			}
		}
		return true
	}
	return walk(0, 0)
}

// exists reports whether a plan of h steps holds against every error.
func (t *Task) exists(h int) bool {
	return !t.plans(h, func(plan [][]int64) bool {
		_, broken := exhaust(t, plan)
		return broken != 0
	})
}

// TestNoneAll compares proofs that there is no plan with all plans of small systems.
func TestNoneAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	proven, open, plans, anywhere := 0, 0, 0, 0
	for n := range *instances {
		s := randomTask(rng)
		h := 1 + rng.IntN(3)
		exists := s.exists(h)
		p, err := s.None(context.Background(), h)
		switch {
		case err != nil && !errors.Is(err, ErrUndecided):
			t.Fatal(err)
		case exists && p != nil:
			t.Fatalf("system %d: a plan of %d steps exists, and there is a proof that none does: %+v", n, h, p)
		case exists:
			plans++
		case p == nil:
			open++
		default:
			if proven++; p.Anywhere {
				anywhere++
			}
		}
	}
	t.Logf("%d systems have plans; of %d others there is a proof, %d from anywhere; of %d there is none", plans, proven, anywhere, open)
	if proven < open {
		t.Errorf("%d systems without plans are proven, %d are not", proven, open)
	}
}
