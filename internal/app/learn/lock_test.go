package learn

import (
	"context"
	"flag"
	"fmt"
	"github.com/fdplan/fdplan/internal/app/bind"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	appsupport "github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/train"
)

var locks = flag.Int("locks", 2, "combination locks that are learned and bracketed")

// lockFiles writes a combination lock. Its stage grows where the dial has the number of the
// stage, enter is pressed and it is not locked out: a condition of four variables. A wrong
// number locks it out, in most locks beyond a stage only.
func lockFiles(t *testing.T, r *rand.Rand) (task string, horizon int) {
	t.Helper()
	stages, numbers := 3+r.IntN(2), 5+r.IntN(4)
	code, at := make([]string, stages), 0
	for i := range code {
		n := r.IntN(numbers)
		horizon += min((n-at+numbers)%numbers, (at-n+numbers)%numbers) + 1
		at = n
		code[i] = fmt.Sprintf("(stage == %d ^ dial == %d)", i, n)
	}
	strict := r.IntN(stages)
	domain := fmt.Sprintf(`domain lock {
  pvariables {
    stage   : { state-fluent, int, default = 0 };
    dial    : { state-fluent, int, default = 0 };
    lockout : { state-fluent, bool, default = false };
    hour    : { state-fluent, int, default = 0 };
    lamp    : { state-fluent, bool, default = false };
    flip    : { action-fluent, bool, default = false };
    up      : { action-fluent, bool, default = false };
    down    : { action-fluent, bool, default = false };
    enter   : { action-fluent, bool, default = false };
    release : { action-fluent, bool, default = false };
  };
  cpfs {
    stage' = if (enter ^ ~lockout ^ (%[1]s)) then stage + 1 else if (release) then 0 else stage;
    dial' = if (up) then (if (dial == %[2]d) then 0 else dial + 1) else if (down) then (if (dial == 0) then %[2]d else dial - 1) else dial;
    lockout' = if (release) then false else lockout | (enter ^ stage >= %[3]d ^ stage < %[4]d ^ ~(%[1]s));
    hour' = if (hour == 5) then 0 else hour + 1;
    lamp' = if (flip) then ~lamp else lamp;
  };
  reward = -(up + down + enter + release);
}
instance lock_1 { domain = lock; max-nondef-actions = 1; horizon = 40; discount = 1.0; }
`, strings.Join(code, " | "), numbers-1, strict, stages)
	dir := t.TempDir()
	task = filepath.Join(dir, "task.toml")
	text := fmt.Sprintf("domain = \"lock.rddl\"\ngoal = \"stage == %d\"\nhorizon = %d\nlearned = [\"stage\", \"dial\", \"lockout\", \"hour\", \"lamp\"]\nnetwork = \"n.bnn\"\n[ranges]\nstage = [0, %d]\ndial = [0, %d]\nhour = [0, 5]\n", stages, horizon+2, stages, numbers-1)
	for name, text := range map[string]string{task: text, filepath.Join(dir, "lock.rddl"): domain} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return task, horizon + r.IntN(4)
}

// TestLocks: nothing false is said of combination locks, whose condition of four variables a log
// hardly shows.
func TestLocks(t *testing.T) {
	none, beaten, open, sure, wrong := 0, 0, 0, 0, 0
	for seed := range uint64(*locks) {
		r := rand.New(rand.NewPCG(seed, 0x6c6f636b))
		file, horizon := lockFiles(t, r)
		p, err := load.Load(context.Background(), load.Ref{Name: file, Untrained: true})
		if err != nil {
			t.Fatal(err)
		}
		truth, err := load.Load(context.Background(), load.Ref{Name: file, Source: load.Source{Model: load.RDDL}})
		if err != nil {
			t.Fatal(err)
		}
		n := []int{300, 1000, 3000}[r.IntN(3)]
		policy := []collect.Policy{collect.Exploration, collect.Random, collect.Restart}[r.IntN(3)]
		res, err := Train(context.Background(), p, collected(t, p, collect.Options{Rows: n, Policy: policy, Seed: seed}), Training{Recipe: RecipeStructure, Config: train.Config{Threads: 1, Seed: 1}})
		if err != nil {
			t.Fatal(err)
		}
		q, err := With(p, res)
		if err != nil {
			t.Fatal(err)
		}
		req := plan.Request{Query: plan.Query{Options: registry.Options{Engine: registry.Search}, Horizon: bind.Steps(horizon)}, Limits: engine.Limits{Threads: 1}, Now: time.Now}
		best, err := plan.Plan(context.Background(), truth, req)
		if err != nil {
			t.Fatal(err)
		}
		safe, err := appsupport.Safe(q)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := plan.Plan(context.Background(), safe, req)
		if err == nil {
			err = doc.Bracket(context.Background(), q, req, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if q.Support != nil {
			rows, err := measuredSources(t.Context(), p, collected(t, p, collect.Options{Rows: 4000, Policy: collect.Restart, Seed: seed + 99}))
			if err != nil {
				t.Fatal(err)
			}
			c, _, err := countErrors(p, measure.Network(q.Network), nil, rows.data)
			if err != nil {
				t.Fatal(err)
			}
			line := supported(load.Scoped(q).Support, c)
			sure, wrong = sure+line.Rows, wrong+line.Wrong
			t.Logf("lock %d, %d rows of policy %s: %d of %d rows supported, %d wrong; %v", seed, n, policy, line.Rows, c.Measure().Rows, line.Wrong, doc.Safe)
		}
		switch b := doc.Safe; {
		case b.Impossible:
			none++
			if best.Reward != nil {
				t.Errorf("lock %d, %d rows of policy %s: no plan is said to exist, and there is one of %v", seed, n, policy, *best.Reward)
			}
		case b.Reward != nil && (best.Reward == nil || *b.Reward > *best.Reward):
			t.Errorf("lock %d, %d rows of policy %s: %v is said to be certain; the best plan has %v", seed, n, policy, *b.Reward, best.Reward)
		case b.BoundUnseen != nil && best.Reward != nil && *best.Reward > *b.BoundUnseen:
			t.Errorf("lock %d, %d rows of policy %s: nothing is said to beat %v; the best plan has %v", seed, n, policy, *b.BoundUnseen, *best.Reward)
		case b.BoundUnseen != nil:
			beaten++
		default:
			open++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d supported rows are wrong", wrong, sure)
	}
	t.Logf("%d locks: no plan exists of %d, a bound stands of %d, %d are open; %d rows supported, %d wrong", *locks, none, beaten, open, sure, wrong)
}
