package explain_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/explain"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/factored"
)

var (
	instances = flag.Int("instances", 300, "random problems that are explained")
	firstSeed = flag.Uint64("first-seed", 7_000_000, "seed of the first random problem")
)

// with is p with the constraints of a core alone, each at its steps, T as it is.
// A row of state bits tells the steps apart, one for each step. With transition
// false T is left out, and with it the network.
func with(t *testing.T, p *factored.Problem, members []explain.Member, horizon int, transition bool) *factored.Problem {
	t.Helper()
	q := p.Clone()
	q.Initial, q.Global, q.Goal = nil, nil, nil
	q.Transition = slices.Clone(q.Transition)
	if !transition {
		q.Transition, q.Inputs, q.Outputs = nil, nil, nil
	}
	unit := func(b factored.Bit, next bool, k int64) factored.Constraint {
		return factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: b, Next: next}}}, Op: factored.EQ, K: k}
	}
	var clock []factored.Bit
	for step := 1; step <= horizon+1; step++ {
		id, err := q.AddVariable(factored.Variable{Name: fmt.Sprintf("at step %d", step), Kind: factored.State, Bool: true})
		if err != nil {
			t.Fatal(err)
		}
		b := q.Variables[id].First
		k := int64(0)
		if step == 1 {
			k = 1
		} else {
			last := clock[len(clock)-1]
			q.Transition = append(q.Transition, factored.Constraint{
				Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: b, Next: true}}, {Coef: -1, Lit: factored.Lit{Bit: last}}}, Op: factored.EQ,
			})
		}
		q.Initial = append(q.Initial, unit(b, false, k))
		clock = append(clock, b)
	}
	q.Transition = append(q.Transition, unit(clock[0], true, 0))
	// at adds c where the clock shows step: with a weight on the clock that makes
	// c hold elsewhere.
	at := func(c *factored.Constraint, step int) {
		for _, op := range []factored.Op{factored.LE, factored.GE} {
			if c.Op != factored.EQ && c.Op != op {
				continue
			}
			n := factored.Constraint{Terms: slices.Clone(c.Terms), Op: op, K: c.K}
			slack := max(c.K, -c.K)
			for _, x := range c.Terms {
				slack += max(x.Coef, -x.Coef)
			}
			if op == factored.LE {
				slack = -slack
			}
			n.Terms = append(n.Terms, factored.Term{Coef: slack, Lit: factored.Lit{Bit: clock[step-1], Neg: true}})
			q.Global = append(q.Global, n)
		}
	}
	for i := range p.Global {
		if c := &p.Global[i]; c.Defines {
			q.Global = append(q.Global, *c)
		}
	}
	for _, m := range members {
		found := false
		switch m.Group {
		case "initial":
			for i := range p.Initial {
				c := &p.Initial[i]
				if p.Format(c) == m.What || gives(p, c, m.What) {
					q.Initial = append(q.Initial, *c)
					found = true
				}
			}
		case "global":
			for i := range p.Global {
				if c := &p.Global[i]; p.Format(c) == m.What {
					for _, step := range m.Steps {
						at(c, step)
					}
					found = true
					break
				}
			}
		case "goal":
			for i := range p.Goal {
				if c := &p.Goal[i]; p.Format(c) == m.What {
					q.Goal = append(q.Goal, *c)
					found = true
					break
				}
			}
		}
		if !found {
			t.Fatalf("the member %+v is no constraint of the problem", m)
		}
	}
	return q
}

// gives reports whether c gives a bit of the variable that what gives a value to.
func gives(p *factored.Problem, c *factored.Constraint, what string) bool {
	if len(c.Terms) != 1 || c.Op != factored.EQ || c.Terms[0].Coef != 1 {
		return false
	}
	v, _ := p.Owner(c.Terms[0].Lit.Bit)
	return strings.HasPrefix(what, v.Name+" = ")
}

// holds says by brute force whether the members can hold together.
func holds(t *testing.T, task engine.Task, members []explain.Member, horizon int, transition bool) bool {
	q := with(t, task.Problem, members, horizon, transition)
	net := task.Network
	if !transition {
		net = nil
	}
	_, ok := randprob.BruteForce(q, net, horizon)
	return ok
}

// TestRandomCores explains random problems without a plan: by brute force the
// members exclude each other, and without any member, or any step of one, they do
// not.
func TestRandomCores(t *testing.T) {
	ctx := context.Background()
	explained, several, static := 0, 0, 0
	for i := range *instances {
		seed := *firstSeed + uint64(i)
		p, net, horizon := randprob.New(seed, randprob.Options{StateBits: 3, ActionBits: 2, Auxiliaries: 1})
		task := engine.Task{Problem: p, Network: net}
		_, feasible := randprob.BruteForce(p, net, horizon)
		core, err := explain.FindMUS(ctx, task, horizon, engine.Limits{Threads: 1})
		if feasible {
			if !errors.Is(err, explain.ErrFeasible) {
				t.Fatalf("seed %d has a plan; the answer is %+v, %v", seed, core, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !core.Minimal || core.Horizon != horizon {
			t.Fatalf("seed %d: %+v", seed, core)
		}
		if holds(t, task, core.Members, horizon, core.Transition) {
			t.Fatalf("seed %d: the members can hold together: %+v", seed, core)
		}
		if core.Transition && !holds(t, task, core.Members, horizon, false) {
			t.Fatalf("seed %d: the transition is not needed: %+v", seed, core)
		}
		for j := range core.Members {
			for k := range core.Members[j].Steps {
				less := slices.Clone(core.Members)
				if less[j].Steps = slices.Delete(slices.Clone(less[j].Steps), k, k+1); len(less[j].Steps) == 0 {
					less = slices.Delete(less, j, j+1)
				}
				if !holds(t, task, less, horizon, core.Transition) {
					t.Fatalf("seed %d: step %d of %q can go from %+v", seed, core.Members[j].Steps[k], core.Members[j].What, core)
				}
			}
		}
		explained++
		if len(core.Members) > 1 {
			several++
		}
		if !core.Transition {
			static++
		}
	}
	if *instances >= 100 && (explained < *instances/10 || several == 0 || static == 0) {
		t.Errorf("%d of %d problems have no plan; %d cores have several members, %d need no transition", explained, *instances, several, static)
	}
	t.Logf("%d of %d problems explained, %d by several members, %d without the transition", explained, *instances, several, static)
}

// TestMUSLimits ends before anything is known, and asks for nothing.
func TestMUSLimits(t *testing.T) {
	p, net, _ := randprob.New(*firstSeed, randprob.Options{})
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	if _, err := explain.FindMUS(ctx, engine.Task{Problem: p, Network: net}, 2, engine.Limits{}); !errors.Is(err, explain.ErrStopped) {
		t.Errorf("after the end: %v", err)
	}
	if _, err := explain.FindMUS(context.Background(), engine.Task{Problem: p, Network: net}, 0, engine.Limits{}); err == nil {
		t.Error("a horizon of 0 is explained")
	}
}
