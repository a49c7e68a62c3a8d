package plan

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
)

// TestNoBits has every engine plan problems whose state has no bits, or that have variables of
// one value, and compares with rewards that are seen at once.
func TestNoBits(t *testing.T) {
	const end = " instance i { domain = d; horizon = 3; discount = 1.0; }"
	for name, c := range map[string]struct {
		rddl string
		want float64
		none bool
	}{
		"no state fluents": {`domain d { pvariables { a : { action-fluent, bool, default = false }; }; reward = a; }` + end, 3, false},
		"no legal action": {`domain d { pvariables { a : { action-fluent, bool, default = false }; }; reward = a;
			action-preconditions { a; ~a; }; }` + end, 0, true},
		"one name": {`domain d { types { e : {@only}; }; pvariables { m : { state-fluent, e, default = @only };
			a : { action-fluent, bool, default = false }; b : { action-fluent, bool, default = false }; };
			cpfs { m' = if (a ^ b) then @only else m; }; reward = a + 2 * b + (m == @only); action-preconditions { ~a | ~b; }; }` + end, 9, false},
		"one object": {`domain d { types { ob : object; }; pvariables { s(ob) : { state-fluent, ob, default = o };
			a(ob) : { action-fluent, bool, default = true }; }; cpfs { s'(?x) = if (a(?x)) then s(?x) else ?x; };
			reward = 1 - (sum_{?x : ob} [a(?x)]); } instance i { domain = d; objects { ob : {o}; }; horizon = 3; discount = 1.0; }`, 3, false},
		"one integer": {`domain d { pvariables { x : { state-fluent, int, default = 0 }; a : { action-fluent, bool, default = false }; };
			cpfs { x' = min[x, 0]; }; reward = x - a; }` + end, 0, false},
		"one integer that has bits": {`domain d { pvariables { x : { state-fluent, int, default = 5 }; a : { action-fluent, bool, default = false }; };
			cpfs { x' = max[min[x + a, 5], 5]; }; reward = x - a; }` + end, 15, false},
		"no action has a bit": {`domain d { types { e : {@only}; }; pvariables { s : { state-fluent, bool, default = true }; a : { action-fluent, e, default = @only }; };
			cpfs { s' = ~s; }; reward = s; }` + end, 2, false},
		"nothing has a bit": {`domain d { types { e : {@only}; }; pvariables { s : { state-fluent, e, default = @only }; };
			cpfs { s' = s; }; reward = 2; }` + end, 6, false},
	} {
		file := filepath.Join(t.TempDir(), "d.rddl")
		if err := os.WriteFile(file, []byte(c.rddl), 0o666); err != nil {
			t.Fatal(err)
		}
		want := &c.want
		if c.none {
			want = nil
		}
		everyEngine(t, name, file, 3, want)
	}
}

// TestNoBitsFound plans the problems of this kind on which engines have failed.
func TestNoBitsFound(t *testing.T) {
	const dir = "../../../../shared/data/attack"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the cases are not there: %v", err)
	}
	for name, want := range map[string]float64{"nostate": 2, "oneenum": 2, "oneplus": 2, "onevalue": 0, "onevalue-int": 0, "onevalue-seed1001": 3.3} {
		everyEngine(t, name, filepath.Join(dir, name+".rddl"), 2, &want)
	}
}

// everyEngine has the engines plan the RDDL of a file. The best reward is want, in the model
// and in the simulator; nil where there is no plan.
func everyEngine(t *testing.T, name, file string, horizon int, want *float64) {
	t.Helper()
	p, err := load.Load(context.Background(), load.Ref{Source: load.Source{Domain: file}})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, e := range registry.All() {
		if !registry.Ready(&e) {
			continue
		}
		d, err := Plan(context.Background(), p, Request{
			Query: Query{Options: registry.Options{Engine: e.Name}, Horizon: bind.Steps(horizon)}, Limits: engine.Limits{Threads: 2}, Now: time.Now,
		})
		switch {
		case err != nil:
			t.Errorf("%s, %s: %v", name, e.Name, err)
		case want == nil && d.Status != engine.Infeasible:
			t.Errorf("%s, %s: %s, expected no plan", name, e.Name, d.Status)
		case want != nil && (d.Status != engine.Optimal || *d.Reward != *want || d.Simulated == nil || *d.Simulated != *want || len(d.Trace) != horizon+1):
			t.Errorf("%s, %s: %+v; want the reward %v", name, e.Name, d, *want)
		}
	}
}
