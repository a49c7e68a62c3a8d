package search_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/problem/fdsat"
)

// published is where the FD-SAT-Plan files lie beside a checkout.
const published = "../../../../shared/data/fd-sat-plan"

// TestPublished has the optima of facts known of the published networks; they
// agree with the MaxSAT Evaluation's.
func TestPublished(t *testing.T) {
	if _, err := os.Stat(published); err != nil {
		t.Skipf("%s is absent: %v", published, err)
	}
	for _, c := range []struct {
		problem string
		horizon int
		ages0   bool
		reward  int64
		status  engine.Status
	}{
		{"navigation/3x3", 3, false, 0, engine.Infeasible},
		{"navigation/3x3", 4, false, -4, engine.Optimal},
		{"navigation/3x3", 5, false, -4, engine.Optimal},
		{"navigation/3x3", 6, false, -4, engine.Optimal},
		{"navigation/5x5", 7, false, 0, engine.Infeasible},
		{"navigation/5x5", 8, false, -8, engine.Optimal},
		{"navigation/5x5", 24, false, -8, engine.Optimal},
		{"navigation/5x5", 60, false, -8, engine.Optimal},
		{"inventory/1", 5, false, 5, engine.Optimal},
		{"inventory/1", 7, false, 7, engine.Optimal},
		{"sysadmin/4", 2, false, 0, engine.Optimal},
		{"sysadmin/4", 3, false, -2, engine.Optimal},
		{"sysadmin/4", 4, false, -3, engine.Optimal},
		{"sysadmin/4", 30, false, -37, engine.Optimal},
		{"sysadmin/4", 60, false, 0, engine.Optimal},
		{"cellda/x", 8, false, 0, engine.Infeasible},
		// One step shorter than the true rules allow: the network errs there.
		{"cellda/x", 9, false, -9, engine.Optimal},
		{"cellda/x", 10, false, -9, engine.Optimal},
		{"cellda/x", 12, false, -9, engine.Optimal},
		{"cellda/x", 18, false, -9, engine.Optimal},
		{"cellda/x", 60, false, -9, engine.Optimal},
	} {
		domain, instance, _ := strings.Cut(c.problem, "/")
		p, net, err := fdsat.Load(published, domain, instance)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		res, err := search.Engine{}.Solve(context.Background(), engine.Query{Task: engine.Task{Problem: p, Network: net}, MinHorizon: c.horizon, MaxHorizon: c.horizon}, engine.Limits{Threads: 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s H %d: %s %d %v %v", c.problem, c.horizon, res.Status, res.Reward, res.Stats, time.Since(began))
		if res.Status != c.status || c.horizon != 60 && res.Reward != c.reward {
			t.Errorf("%s H %d: got %s %d, want %s %d", c.problem, c.horizon, res.Status, res.Reward, c.status, c.reward)
		}
	}
}
