package step_test

import (
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// TestSteps compares, on random problems, the steps that the systems of a layout allow with those
// that the independent checker allows, and the reward of packed bits with that of valuations.
func TestSteps(t *testing.T) {
	for seed := range uint64(40) {
		p, net, _ := randprob.New(seed, randprob.Options{})
		s, err := step.New(engine.Task{Problem: p, Network: net})
		if err != nil {
			t.Fatal(err)
		}
		state, action, next := make([]uint64, s.StateWords()), make([]uint64, s.ActionWords()), make([]uint64, s.StateWords())
		st := s.Relation().NewState()
		steps := 0
		if !st.Consistent() {
			continue
		}
		vars := append(append(append(append(s.Now[:0:0], s.Now...), s.Actions...), s.Paid...), s.Aux...)
		st.Each(append(vars, s.Next...), func() bool {
			now, after := make(factored.Valuation, p.NumBits()), make(factored.Valuation, p.NumBits())
			for _, l := range vars {
				now[s.Bits[l]] = st.Value(l) > 0
			}
			for _, l := range s.Next {
				after[s.Bits[l]] = st.Value(l) > 0
			}
			step.Pack(state, st, s.Now)
			step.Pack(action, st, s.Actions)
			step.Pack(next, st, s.Next)
			if net == nil {
				if failure, err := validate.CheckStep(p, nil, now, after); err != nil || failure != nil {
					t.Fatalf("problem %d: the checker refuses a step: %v, %v", seed, failure, err)
				}
			}
			got := s.Reward(state, action, next, func(b factored.Bit) bool { return now[b] })
			if want := p.Reward.StepReward(now, after); got != want {
				t.Fatalf("problem %d: reward %d, expected %d", seed, got, want)
			}
			for i, b := range s.StateBits {
				if step.Bit(state, int32(i)) != now[b] {
					t.Fatalf("problem %d: packed bit %d is wrong", seed, i)
				}
			}
			if other := s.Relation().NewState(); !step.Assign(other, s.Now, state) {
				t.Fatalf("problem %d: a packed state is refused", seed)
			}
			steps++
			return steps < 200
		})
	}
}
