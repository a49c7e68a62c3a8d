package bound

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/randprob"
)

// TestProgram compares a step as straight-line code with propagation, for 64 random states and
// joint actions of random problems at a time: which of them are legal, and what follows.
func TestProgram(t *testing.T) {
	programs, legal, illegal := 0, 0, 0
	for seed := range uint64(1500) {
		p, net, _ := randprob.New(seed, randprob.Options{})
		if net != nil {
			continue
		}
		task := engine.Task{Problem: p}
		code, err := Compile(context.Background(), task)
		if err != nil {
			t.Fatal(err)
		}
		if code == nil {
			continue
		}
		programs++
		s, err := step.New(task)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 11))
		words := make([]uint64, code.Slots())
		given := append(append(s.Now[:0:0], s.Now...), s.Actions...)
		for _, v := range given {
			words[code.Input(v)] = rng.Uint64()
		}
		broken := code.Run(words)
		value := func(at int32, lane int) bool { return words[at]>>lane&1 == 1 }
		st := s.Relation().NewState()
		for lane := range 64 {
			st.Reset()
			ok := st.Consistent()
			for _, v := range given {
				if !value(code.Input(v), lane) {
					v = -v
				}
				ok = ok && st.Assign(v)
			}
			computed := append(append(append(s.Next[:0:0], s.Next...), s.Paid...), s.Aux...)
			ok = ok && st.Satisfiable(computed)
			if ok != (broken>>lane&1 == 0) {
				t.Fatalf("seed %d, lane %d: propagation says that the step is legal: %t, the code %t", seed, lane, ok, !ok)
			}
			if !ok {
				illegal++
				continue
			}
			legal++
			same := func(vars []model.Lit) bool {
				return !slices.ContainsFunc(vars, func(v model.Lit) bool { return (st.Value(v) > 0) != value(code.Value(v), lane) })
			}
			found := false
			st.Each(computed, func() bool {
				if !same(s.Next) {
					t.Fatalf("seed %d, lane %d: the code gives another next state than propagation", seed, lane)
				}
				found = found || same(computed)
				return true
			})
			if !found {
				t.Fatalf("seed %d, lane %d: no completion by propagation has the values of the code", seed, lane)
			}
		}
	}
	if programs < 20 || legal < 500 || illegal < 500 {
		t.Errorf("%d programs with %d legal steps and %d others were compared", programs, legal, illegal)
	}
}
