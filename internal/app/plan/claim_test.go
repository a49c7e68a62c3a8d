package plan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/bind"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// said is the lines of a solver that claims a plan of the problem to be the best:
// the best plan, or the worst.
func said(t *testing.T, p *load.Problem, horizon int, best bool) string {
	t.Helper()
	task := p.Task
	if !best {
		other := *task.Problem
		other.Reward.Terms = slices.Clone(other.Reward.Terms)
		for i := range other.Reward.Terms {
			other.Reward.Terms[i].Weight *= -1
		}
		task.Problem = &other
	}
	r, err := conflict.PB{}.Solve(context.Background(), engine.Query{Task: task, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
	if err != nil || r.Status != engine.Optimal {
		t.Fatal(r, err)
	}
	m, err := model.New(p.Problem, p.Network, horizon, model.Options{Propagate: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("s OPTIMUM FOUND\nv")
	for step := 1; step <= horizon+1; step++ {
		for bit, value := range r.Trace.Steps[step-1] {
			if step > horizon && p.Problem.Kind(factored.Bit(bit)) == factored.Action {
				continue
			}
			sign := "-"
			if value {
				sign = ""
			}
			fmt.Fprintf(&b, " %sx%d", sign, m.Var(step, factored.Bit(bit)))
		}
	}
	return b.String()
}

// TestClaims: what an outside solver says has its name, is checked when that was
// asked, and is refuted where it is wrong.
func TestClaims(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is not installed")
	}
	p, err := load.Load(context.Background(), load.Ref{Name: "navigation/3x3", Source: load.Source{Model: load.RDDL}})
	if err != nil {
		t.Fatal(err)
	}
	const enough, few = 6, 3 // steps, with a plan and without one
	for name, c := range map[string]struct {
		says    string
		horizon int
		confirm bool
		status  engine.Status
		checked bool
		refuted string // "" where it is not
	}{
		"optimal":                 {said(t, p, enough, true), enough, false, engine.Optimal, false, ""},
		"optimal, confirmed":      {said(t, p, enough, true), enough, true, engine.Optimal, true, ""},
		"a worse plan":            {said(t, p, enough, false), enough, false, engine.Optimal, false, ""},
		"a worse plan, refuted":   {said(t, p, enough, false), enough, true, "", false, "is the best reward, and there is a plan of"},
		"infeasible":              {"s UNSATISFIABLE", few, false, engine.Infeasible, false, ""},
		"infeasible, confirmed":   {"s UNSATISFIABLE", few, true, engine.Infeasible, true, ""},
		"not infeasible":          {"s UNSATISFIABLE", enough, false, engine.Infeasible, false, ""},
		"not infeasible, refuted": {"s UNSATISFIABLE", enough, true, "", false, "it claims that there is no plan, and there is one of"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "says")
			if err := os.WriteFile(file, []byte(c.says+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			// The file to solve is $1, which the shell does not read.
			d, err := Plan(context.Background(), p, Request{
				Query:  Query{Options: registry.Options{Engine: "pb", Solver: "sh -c 'cat " + file + "' {in}"}, Horizon: bind.Steps(c.horizon), Confirm: c.confirm},
				Limits: engine.Limits{Threads: 1},
			})
			if c.refuted != "" {
				var refuted *ContradictionError
				if !errors.As(err, &refuted) || refuted.Solver != "sh" || !strings.Contains(err.Error(), c.refuted) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || d.Status != c.status || d.Proof == nil || d.Proof.By != "sh" || d.Proof.Checked == nil || *d.Proof.Checked != c.checked || !d.ByOther() {
				t.Fatalf("%+v with %+v, %v", d, d.Proof, err)
			}
		})
	}
	// Its own proofs have its own name, and nobody is said to have checked them.
	d, err := Plan(context.Background(), p, Request{Query: Query{Options: registry.Options{Engine: "search"}, Horizon: bind.Steps(enough), Confirm: true}})
	if err != nil || d.Proof == nil || d.Proof.By != "fdplan search" || d.Proof.Checked != nil || d.ByOther() {
		t.Errorf("%+v, %v", d.Proof, err)
	}
}
