package explain

import (
	"bytes"
	"context"
	"github.com/fdplan/fdplan/internal/app/bind"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// TestDefinitionsExcludeNothing keeps of C, of every bundled problem with all
// that it states, what defines auxiliary variables: that excludes no state, so that an explanation may take definitions for granted.
func TestDefinitionsExcludeNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	defined := 0
	for _, name := range bundled.Names() {
		p, err := load.Load(context.Background(), load.Ref{Name: name, Source: load.Source{Model: load.RDDL}})
		if err != nil {
			t.Fatal(err)
		}
		q := p.Problem.Clone()
		q.Initial, q.Goal = nil, nil
		q.Transition = nil
		q.Global = slices.DeleteFunc(q.Global, func(c factored.Constraint) bool { return !c.Defines })
		defined += len(q.Global)
		for range 20 {
			now, next := make(factored.Valuation, q.NumBits()), make(factored.Valuation, q.NumBits())
			for b := range now {
				switch q.Kind(factored.Bit(b)) {
				case factored.State:
					now[b], next[b] = r.IntN(2) == 0, r.IntN(2) == 0
				case factored.Action:
					now[b] = r.IntN(2) == 0
				}
			}
			failure, err := validate.CheckStep(q, nil, now, next)
			if err != nil {
				t.Fatal(err)
			}
			if failure != nil {
				t.Fatalf("%s: a definition excludes a step: %v", name, failure)
			}
		}
	}
	if defined == 0 {
		t.Error("no bundled problem has a definition")
	}
}

// TestExplainBundled explains every bundled problem at its own horizon, where each
// has a plan, by two engines: what they prove is the same.
func TestExplainBundled(t *testing.T) {
	for _, name := range bundled.Names() {
		if task, err := bundled.Task(name); err != nil || task.Network == "" {
			continue // all that is known of it is its RDDL
		}
		p, err := load.Load(context.Background(), load.Ref{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		doc, err := plan.Plan(context.Background(), p, plan.Request{Query: plan.Query{Options: registry.Options{Engine: "search"}}, Limits: engine.Limits{Threads: 2}, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := app.WriteJSON(&text, doc); err != nil {
			t.Fatal(err)
		}
		var said [2]*Explanation
		for i, e := range []string{"search", "pb"} {
			said[i], err = Explain(context.Background(), p, Request{Plan: bind.Plan{File: "plan.json", Text: text.Bytes()}, Engine: e, Limits: engine.Limits{Threads: 2}})
			if err != nil {
				t.Fatalf("%s by %s: %v", name, e, err)
			}
		}
		a, b := said[0], said[1]
		if a.Status != "optimal" || b.Status != "optimal" || len(a.Steps) != len(b.Steps) || a.Stopped+b.Stopped != "" {
			t.Fatalf("%s: %s with %d steps, %s with %d", name, a.Status, len(a.Steps), b.Status, len(b.Steps))
		}
		for i := range a.Steps {
			x, y := &a.Steps[i], &b.Steps[i]
			if len(x.Alternatives) != len(y.Alternatives) || !agree(&x.Others.OutcomeLine, &y.Others.OutcomeLine) {
				t.Fatalf("%s step %d: %+v and %+v", name, i+1, x, y)
			}
			for j := range x.Alternatives {
				if !agree(&x.Alternatives[j].OutcomeLine, &y.Alternatives[j].OutcomeLine) {
					t.Fatalf("%s step %d: %+v and %+v", name, i+1, x.Alternatives[j], y.Alternatives[j])
				}
			}
		}
	}
}

// agree compares what two engines proved.
func agree(a, b *OutcomeLine) bool {
	return a.Consequence == b.Consequence && (a.Reward == nil) == (b.Reward == nil) && (a.Reward == nil || *a.Reward == *b.Reward)
}
