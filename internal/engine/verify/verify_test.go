package verify_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/verify"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// randomProperty compares sums of a few variables, some of the next state.
func randomProperty(r *rand.Rand, p *factored.Problem) string {
	side := func() string {
		s := fmt.Sprint(r.IntN(4) - 1)
		for range 1 + r.IntN(2) {
			v := &p.Variables[r.IntN(len(p.Variables))]
			if v.Kind == factored.Auxiliary || v.Enumeration() {
				continue
			}
			name := v.Name
			if v.Kind == factored.State && r.IntN(2) == 0 {
				name += "'"
			}
			s += []string{" + ", " - "}[r.IntN(2)] + name
		}
		return s
	}
	compare := func() string { return side() + []string{" <= ", " ~= ", " < "}[r.IntN(3)] + side() }
	return compare() + []string{" | ", " => ", " ^ "}[r.IntN(3)] + compare()
}

// fails looks at every state, action and next state for a counterexample.
func fails(t *testing.T, p *factored.Problem, task engine.Task, e *expr.Expr, steps verify.Steps) bool {
	var bits []factored.Lit
	for b := range p.NumBits() {
		switch p.Kind(factored.Bit(b)) {
		case factored.State:
			bits = append(bits, factored.Lit{Bit: factored.Bit(b)}, factored.Lit{Bit: factored.Bit(b), Next: true})
		case factored.Action:
			bits = append(bits, factored.Lit{Bit: factored.Bit(b)})
		}
	}
	for k := range 1 << len(bits) {
		now, next := make(factored.Valuation, p.NumBits()), make(factored.Valuation, p.NumBits())
		for i, l := range bits {
			if l.Next {
				next[l.Bit] = k>>i&1 == 1
			} else {
				now[l.Bit] = k>>i&1 == 1
			}
		}
		if e.Eval(now, next) {
			continue
		}
		failure, err := validate.CheckStep(p, task.Network, now, next)
		if err != nil {
			t.Fatal(err)
		}
		if failure == nil && (steps == verify.AnyNext || validate.CheckPart(p, validate.State, next) == nil) {
			return true
		}
	}
	return false
}

func TestAgainstEnumeration(t *testing.T) {
	held, failed, differ := 0, 0, 0
	for seed := range uint64(250) {
		r := rand.New(rand.NewPCG(seed, 5))
		p, net, _ := randprob.New(seed, randprob.Options{StateBits: 4, ActionBits: 2, Auxiliaries: 1})
		task := engine.Task{Problem: p, Network: net}
		text := randomProperty(r, p)
		e, err := expr.Parse(p, text, expr.Options{Next: true})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		bits := p.NumBits()
		var holds [2]bool
		for i, steps := range []verify.Steps{verify.AnyNext, verify.LegalNext} {
			res, err := verify.Property(context.Background(), task, e, steps)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, text, err)
			}
			if p.NumBits() != bits {
				t.Fatal("Property changed the problem")
			}
			if want := !fails(t, p, task, e, steps); res.Holds != want {
				t.Fatalf("seed %d: %s: holds is %v for %s next states, by enumeration %v", seed, text, res.Holds, steps, want)
			}
			if holds[i] = res.Holds; res.Holds {
				held++
			} else {
				failed++
				if err := verify.Replay(task, e, res, steps); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		}
		if holds[0] != holds[1] {
			differ++
		}
	}
	if differ < 5 {
		t.Errorf("%d properties hold for legal next states alone: too few", differ)
	}
	if held < 25 || failed < 25 {
		t.Errorf("%d properties held and %d failed: too few of one", held, failed)
	}
}

func TestStops(t *testing.T) {
	p, net, _ := randprob.New(3, randprob.Options{})
	// A problem of many free bits, whose property needs all of them tried.
	for i := range 30 {
		if _, err := p.AddVariable(factored.Variable{Name: fmt.Sprintf("x%d", i), Kind: factored.State, Bool: true}); err != nil {
			t.Fatal(err)
		}
	}
	e, err := expr.Parse(p, "x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9 ~= 5 | x10 + x11 + x12 + x13 + x14 + x15 + x16 + x17 + x18 + x19 <= 8 | 2*x0 + 2*x20 + 2*x21 + 2*x22 + 2*x23 ~= 2*x24 + 2*x25 + 2*x26 + 2*x27 + 1", expr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	if _, err := verify.Property(ctx, engine.Task{Problem: p, Network: net}, e, verify.LegalNext); !errors.Is(err, verify.ErrStopped) {
		t.Errorf("got %v", err)
	}
}
