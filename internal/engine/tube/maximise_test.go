package tube

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// TestMaximise compares optima with all plans of small systems.
func TestMaximise(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	plans, none := 0, 0
	for n := range *instances {
		s := randomTask(rng)
		for i := range s.Next {
			s.Next[i].Low, s.Next[i].High = 0, 0
		}
		if rng.IntN(3) == 0 {
			s.Change = []int64{1}
		}
		h := 1 + rng.IntN(4)
		reward := randomLinear(rng, len(s.States), len(s.Actions), 1+rng.Int64N(3))
		best, exists := int64(math.MinInt64), false
		s.plans(h, func(plan [][]int64) bool {
			states, broken, _ := s.Follow(plan, nil)
			if broken == 0 {
				sum := int64(0)
				for k, u := range plan {
					sum += reward.value(states[k], u)
				}
				best, exists = max(best, sum), true
			}
			return true
		})
		bound := int64(math.MaxInt64)
		o := s.Maximise(context.Background(), h, &reward, func(o *Optimum, _ int64) {
			if o.Bound > bound {
				t.Errorf("system %d: the bound rises from %d to %d", n, bound, o.Bound)
			}
			bound = o.Bound
			if exists && o.Bound < best {
				t.Fatalf("system %d: bound %d, best %d", n, o.Bound, best)
			}
		})
		switch {
		case !o.Proven():
			t.Errorf("system %d: %+v is not proven", n, o)
		case exists != (o.Plan != nil) || exists && o.Reward != best:
			t.Fatalf("system %d: %+v, expected %d (%v)", n, o, best, exists)
		case exists:
			plans++
		default:
			none++
		}
	}
	t.Logf("%d have plans, %d have none", plans, none)
	if plans == 0 || none == 0 {
		t.Error("expected systems of both kinds")
	}
}
