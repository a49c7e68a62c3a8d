package validate_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// plan builds the actions of a navigation plan; "" is not an action.
func plan(t *testing.T, p *factored.Problem, moves ...string) validate.Plan {
	var out validate.Plan
	for _, m := range moves {
		val := make(factored.Valuation, p.NumBits())
		for _, name := range strings.Fields(m) {
			v, ok := p.Find(name)
			if !ok {
				t.Fatalf("no variable %s", name)
			}
			val[v.First] = true
		}
		out.Actions = append(out.Actions, val)
	}
	return out
}

func maze(t *testing.T) engine.Task {
	c, err := bundled.RDDL(context.Background(), "navigation/3x3", false)
	if err != nil {
		t.Fatal(err)
	}
	const name = "problems/navigation/3x3/network.bnn"
	text, err := bundled.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := bnn.ReadFile(name, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return engine.Task{Problem: c.Problem, Network: f.Network}
}

func TestNavigation(t *testing.T) {
	task := maze(t)
	p := task.Problem
	for _, c := range []struct {
		moves  []string
		reward int64
		fails  string // "" for a valid plan
	}{
		{[]string{"move-east", "move-north", "move-north", "move-west"}, -4, ""},
		{[]string{"", "move-east", "move-north", "move-north", "move-west"}, -4, ""},
		{[]string{"move-north", "move-east", "move-north", "move-north", "move-west"}, -5, ""}, // into the wall first
		{[]string{"move-east", "move-north", "move-north"}, 0, "step 4: the goal constraint robot-at(x14,y12) >= 1 fails (problems/navigation/3x3/task.toml:4 goal); robot-at(x14,y12)=false"},
		{[]string{"move-east move-north", "move-north", "move-north", "move-west"}, 0, "step 1: the global constraint move-east + move-north + move-south + move-west <= 1 fails (max-nondef-actions); move-east=true, move-north=true, move-south=false, move-west=false"},
	} {
		report, err := validate.Check(p, task.Network, plan(t, p, c.moves...))
		if err != nil {
			t.Fatal(err)
		}
		if report.Valid != (c.fails == "") {
			t.Errorf("%v: valid is %v: %v", c.moves, report.Valid, report.Failure)
			continue
		}
		if report.Valid && report.Reward != c.reward {
			t.Errorf("%v: reward %d, want %d", c.moves, report.Reward, c.reward)
		}
		if !report.Valid && report.Failure.Error() != c.fails {
			t.Errorf("%v: %v\nwant %s", c.moves, report.Failure, c.fails)
		}
	}
}

// TestWrongTrace changes one state of a valid trace; the fault must show at the step before
// it.
func TestWrongTrace(t *testing.T) {
	task := maze(t)
	p := task.Problem
	good := plan(t, p, "move-east", "move-north", "move-north", "move-west")
	report, err := validate.Check(p, task.Network, good)
	if err != nil || !report.Valid {
		t.Fatal(report, err)
	}
	for step := range report.Trace.Steps {
		spoiled := validate.Plan{Actions: good.Actions}
		for _, v := range report.Trace.Steps {
			spoiled.States = append(spoiled.States, append(factored.Valuation(nil), v...))
		}
		b := p.Bits(factored.State)[8]
		spoiled.States[step][b] = !spoiled.States[step][b]
		bad, err := validate.Check(p, task.Network, spoiled)
		if err != nil {
			t.Fatal(err)
		}
		if bad.Valid {
			t.Errorf("step %d: a changed state is not seen", step+1)
			continue
		}
		wantStep, wantGroup := max(step, 1), "network"
		if step == 0 {
			wantGroup = "initial"
		}
		if f := bad.Failure; f.Step != wantStep || f.Group != wantGroup {
			t.Errorf("step %d: the fault is said to be %v", step+1, f)
		}
	}
}

func TestMalformed(t *testing.T) {
	task := maze(t)
	good := plan(t, task.Problem, "move-east")
	if _, err := validate.Check(task.Problem, nil, good); err == nil {
		t.Error("a missing network is not seen")
	}
	if _, err := validate.Check(task.Problem, task.Network, validate.Plan{}); err == nil {
		t.Error("an empty plan is not seen")
	}
	good.States = make([]factored.Valuation, 1)
	if _, err := validate.Check(task.Problem, task.Network, good); err == nil {
		t.Error("a short trace is not seen")
	}
}

// TestCheckStepAgainstDefinition compares single steps with an implementation of the
// definitions in another package.
func TestCheckStepAgainstDefinition(t *testing.T) {
	right := 0
	for seed := range uint64(300) {
		p, net, _ := randprob.New(seed, randprob.Options{StateBits: 4, ActionBits: 2, Auxiliaries: 1 + 2*int(seed%2)})
		p.Initial, p.Goal = nil, nil
		// CheckStep does not check C at the following state; leave out the constraints that
		// would.
		var global []factored.Constraint
		for _, c := range p.Global {
			if p.HasAction(&c) {
				global = append(global, c)
			}
		}
		p.Global = global
		bits := p.NumBits()
		for i := range 200 {
			now, next := make(factored.Valuation, bits), make(factored.Valuation, bits)
			x := uint64(i)*0x9E3779B97F4A7C15 + seed
			for b := range bits {
				if kind := p.Kind(factored.Bit(b)); kind != factored.Auxiliary {
					now[b] = x>>(2*b)&1 == 1
					next[b] = kind == factored.State && x>>(2*b+1)&1 == 1
				}
			}
			want := false
			aux := p.Bits(factored.Auxiliary)
			for k := range 1 << (2 * len(aux)) { // auxiliary bits of both steps
				here, then := append(factored.Valuation(nil), now...), append(factored.Valuation(nil), next...)
				for j, b := range aux {
					here[b], then[b] = k>>(2*j)&1 == 1, k>>(2*j+1)&1 == 1
				}
				if _, err := randprob.Replay(p, net, []factored.Valuation{here, then}); err == nil {
					want = true
				}
			}
			failure, err := validate.CheckStep(p, net, now, next)
			if err != nil {
				t.Fatal(err)
			}
			if (failure == nil) != want {
				t.Fatalf("seed %d: CheckStep says %v, the definition %v", seed, failure, want)
			}
			if want {
				right++
			}
		}
	}
	if right < 100 {
		t.Errorf("only %d of the steps were right", right)
	}
}

// BenchmarkAuxiliary checks a step whose auxiliary bits have to be found one after the other: of each two, one is true.
func BenchmarkAuxiliary(b *testing.B) {
	p := factored.NewProblem("choices")
	add := func(name string, kind factored.Kind) factored.Lit {
		v, err := p.AddVariable(factored.Variable{Name: name, Kind: kind, Bool: true})
		if err != nil {
			b.Fatal(err)
		}
		return factored.Lit{Bit: p.Variables[v].First}
	}
	add("on", factored.State)
	add("act", factored.Action)
	for i := range 2000 {
		x, y := add(fmt.Sprintf("x%d", i), factored.Auxiliary), add(fmt.Sprintf("y%d", i), factored.Auxiliary)
		p.Global = append(p.Global, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: x}, {Coef: 1, Lit: y}}, Op: factored.EQ, K: 1})
	}
	now := make(factored.Valuation, p.NumBits())
	for b.Loop() {
		if failure, err := validate.CheckStep(p, nil, now, now); failure != nil || err != nil {
			b.Fatal(failure, err)
		}
	}
}
