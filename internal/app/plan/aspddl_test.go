package plan_test

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/prove"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/pddl"
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

// proven reports whether what was written of a problem, and changed, is proven to be it.
func proven(t *testing.T, p *load.Problem, domain, problem string, change func(*pddl.Problem)) bool {
	t.Helper()
	read, err := pddl.Read("d.pddl", []byte(domain), "p.pddl", []byte(problem))
	if err != nil {
		t.Fatal(err)
	}
	change(read)
	got, err := prove.Written(context.Background(), p, read)
	if err != nil {
		t.Fatal(err)
	}
	if got.Equal != (got.Difference == nil) {
		t.Errorf("equal %v with the difference %v", got.Equal, got.Difference)
	}
	return got.Equal
}

func unchanged(*pddl.Problem) {}

// TestProvenPDDL proves that bundled problems are written as they are. TestWritePDDL proves it of others.
func TestProvenPDDL(t *testing.T) {
	for _, name := range []string{"navigation/4x4", "cellda/x"} {
		for _, model := range []string{"network", "rddl"} {
			p, err := load.Load(context.Background(), load.Ref{Name: name, Source: load.Source{Model: model}})
			if err != nil {
				t.Fatal(err)
			}
			if domain, problem := written(t, p, 4); !proven(t, p, domain, problem, unchanged) {
				t.Errorf("%s, %s: not as written", name, model)
			}
		}
	}
}

// TestChangedPDDL changes what was written, and wants it to be told.
func TestChangedPDDL(t *testing.T) {
	p, err := load.Load(context.Background(), load.Ref{Name: "navigation/3x3"})
	if err != nil {
		t.Fatal(err)
	}
	for _, horizon := range []int{0, 3} {
		domain, problem := written(t, p, horizon)
		if !proven(t, p, domain, problem, unchanged) {
			t.Fatal("not as written")
		}
		wrong := func(what string, change func(*pddl.Problem)) {
			if proven(t, p, domain, problem, change) {
				t.Errorf("horizon %d: proven with %s", horizon, what)
			}
		}
		last := func(list *[]*pddl.Expr) { *list = (*list)[:len(*list)-1] }
		wrong("another initial state", func(x *pddl.Problem) { x.Init[0].Name = "robot-at-x21-y12" })
		wrong("another goal", func(x *pddl.Problem) { last(&x.Goal.Args) })
		for i := range 5 {
			wrong("an action less", func(x *pddl.Problem) { x.Actions = slices.Delete(x.Actions, 3*i, 3*i+1) })
			wrong("a condition less", func(x *pddl.Problem) { last(&x.Actions[3*i].Pre.Args) })
			wrong("another cost", func(x *pddl.Problem) {
				e := x.Actions[3*i].Effect.Args
				e[len(e)-1].Args[1].Num++
			})
			wrong("an effect on more", func(x *pddl.Problem) {
				e := x.Actions[3*i].Effect
				e.Args = append(e.Args, &pddl.Expr{Op: "atom", Name: "robot-at-x21-y12"}, &pddl.Expr{Op: "atom", Name: "robot-at-x9-y20"})
			})
		}
	}
}

// TestWritePDDL writes known and learned problems as PDDL, and wants the same best rewards of what is read again.
func TestWritePDDL(t *testing.T) {
	for _, c := range []struct {
		name, model string
		horizon     int
	}{{"navigation/3x3", "network", 5}, {"navigation/3x3", "rddl", 5}, {"sysadmin/4", "rddl", 3}, {"sysadmin/4", "network", 2}, {"inventory/2", "network", 4}, {"inventory/2", "rddl", 3}} {
		t.Run(c.name+" "+c.model, func(t *testing.T) {
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
			if !proven(t, p, domain, problem, unchanged) {
				t.Errorf("%s, %s: not as written", c.name, c.model)
			}
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
		})
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
		if !proven(t, p, domain2, problem2, unchanged) {
			t.Fatalf("seed %d: %s\n%s\nis not as written\n%s\n%s", *pddlFirst+seed, domain, problem, domain2, problem2)
		}
		got := planPDDL(t, domain2, problem2, "search", 0, false)
		if got.Status != want.Status || want.Reward != nil && *got.Reward != *want.Reward {
			t.Fatalf("seed %d: %s, as written %s\n%s\n%s\n%s\n%s", *pddlFirst+seed, want.Status, got.Status, domain, problem, domain2, problem2)
		}
	}
}
