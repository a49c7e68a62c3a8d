package plan_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
)

// written writes a problem as PDDL.
func written(t *testing.T, p *load.Problem, horizon int) (domain, problem string) {
	t.Helper()
	g, err := inspect.AsPDDL(context.Background(), p, horizon)
	if err != nil {
		t.Fatal(err)
	}
	var d, f bytes.Buffer
	if err := g.Write(&d, &f); err != nil {
		t.Fatal(err)
	}
	return d.String(), f.String()
}

// TestWritePDDL writes known and learned problems as PDDL, and wants the same best rewards of what is read again.
func TestWritePDDL(t *testing.T) {
	for _, c := range []struct {
		name, model string
		horizon     int
	}{{"navigation/3x3", "network", 5}, {"navigation/3x3", "rddl", 5}, {"sysadmin/4", "rddl", 3}, {"sysadmin/4", "network", 2}, {"inventory/2", "network", 4},
		{"inventory/4", "rddl", 3}, {"navigation/4x4", "network", 5}} {
		p, err := load.Load(context.Background(), load.Ref{Name: c.name, Source: load.Source{Model: c.model}})
		if err != nil {
			t.Fatal(err)
		}
		r := plan.Request{Query: plan.Query{Options: registry.Options{Engine: "search"}}, Now: time.Now}
		r.Horizon = bind.Steps(c.horizon)
		want, err := plan.Plan(context.Background(), p, r)
		if err != nil {
			t.Fatal(err)
		}
		domain, problem := written(t, p, c.horizon)
		got := planPDDL(t, domain, problem, "search", 0, false)
		if want.Status != engine.Optimal || got.Status != engine.Optimal {
			t.Fatalf("%s: %s, as PDDL %s", c.name, want.Status, got.Status)
		}
		most := int64(0)
		if reward := &p.Problem.Reward; true {
			most = reward.Constant
			for _, term := range reward.Terms {
				most += max(term.Weight, 0)
			}
		}
		if again := p.Problem.Reward.Float(int64(c.horizon)*most + int64(*got.Reward)); again != *want.Reward {
			t.Errorf("%s: reward %v, as PDDL %v", c.name, *want.Reward, again)
		}
	}
}

// TestWriteRandomPDDL reads random PDDL problems, writes what they are, and wants the same least costs.
func TestWriteRandomPDDL(t *testing.T) {
	for seed := range uint64(*pddlProblems) {
		domain, problem := randomPDDL(*pddlFirst+seed, false)
		want := planPDDL(t, domain, problem, "search", 0, false)
		read := func(file string) ([]byte, error) {
			return []byte(map[string]string{"d.pddl": domain, "p.pddl": problem}[file]), nil
		}
		p, err := load.Load(context.Background(), load.Ref{Name: "p.pddl", Source: load.Source{PDDL: "d.pddl"}, Read: read})
		if err != nil {
			t.Fatal(err)
		}
		domain2, problem2 := written(t, p, 0)
		got := planPDDL(t, domain2, problem2, "search", 0, false)
		if got.Status != want.Status || want.Reward != nil && *got.Reward != *want.Reward {
			t.Fatalf("seed %d: %s, as written %s\n%s\n%s\n%s\n%s", *pddlFirst+seed, want.Status, got.Status, domain, problem, domain2, problem2)
		}
	}
}
