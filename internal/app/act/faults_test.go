package act

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/execution/acting"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

// faulty is a world that does not keep to what it is.
type faulty struct {
	*world
	steps int
	after func(step int, a *simulator.Answer) (*simulator.Answer, error)
}

func (f *faulty) Step(ctx context.Context, action factored.Valuation) (*simulator.Answer, error) {
	a, err := f.world.Step(ctx, action)
	if err != nil {
		return nil, err
	}
	f.steps++
	if a, err = f.after(f.steps, a); err == nil && a.State != nil {
		f.now = a.State
	}
	return a, err
}

// TestFaults has systems that die, change, and pay otherwise: each is named, and what was seen is kept.
func TestFaults(t *testing.T) {
	dead := errors.New("it died")
	for _, c := range []struct {
		name  string
		after func(w *world) func(step int, a *simulator.Answer) (*simulator.Answer, error)
		want  string
	}{
		{"dies", func(*world) func(int, *simulator.Answer) (*simulator.Answer, error) {
			return func(step int, a *simulator.Answer) (*simulator.Answer, error) {
				if step == 3 {
					return nil, dead
				}
				return a, nil
			}
		}, "it died"},
		{"resets itself", func(w *world) func(int, *simulator.Answer) (*simulator.Answer, error) {
			return func(step int, a *simulator.Answer) (*simulator.Answer, error) {
				if step%3 == 0 {
					return &simulator.Answer{State: w.start}, nil
				}
				return a, nil
			}
		}, "it may have reset itself"},
		{"lies", func(*world) func(int, *simulator.Answer) (*simulator.Answer, error) {
			return func(step int, a *simulator.Answer) (*simulator.Answer, error) {
				if step == 2 {
					a.Outside = []simulator.Outside{{Variable: "s0", Value: 99, Expected: "0..1"}}
				}
				return a, nil
			}
		}, "s0=99, which is out of range"},
		{"pays otherwise", func(*world) func(int, *simulator.Answer) (*simulator.Answer, error) {
			return func(step int, a *simulator.Answer) (*simulator.Answer, error) {
				reward := 1e9
				a.Reward = &reward
				return a, nil
			}
		}, "the reward of step 1 is 1e+09"},
		{"ends at times", func(*world) func(int, *simulator.Answer) (*simulator.Answer, error) {
			return func(step int, a *simulator.Answer) (*simulator.Answer, error) {
				a.Terminal = step%3 == 0
				return a, nil
			}
		}, "expected terminal in the same states at all times"},
	} {
		named := 0
		for seed := range uint64(40) {
			w := newWorld(seed, 3)
			f := &faulty{world: w}
			f.after = c.after(w)
			r, err := w.act(f, 3, true)
			if err == nil {
				continue
			}
			if !strings.Contains(err.Error(), c.want) && !errors.Is(err, acting.ErrSystem) {
				t.Errorf("%s: %v", c.name, err)
			}
			if strings.Contains(err.Error(), c.want) {
				named++
			}
			if r.Steps > 1 && len(r.Observed) == 0 {
				t.Errorf("%s: nothing is kept of %d steps", c.name, r.Steps)
			}
		}
		if named == 0 {
			t.Errorf("%s: never named", c.name)
		}
	}
}
