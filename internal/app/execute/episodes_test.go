package execute

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/rddl/sim"
)

// machines are three computers of which running ones fail now and then, most likely not, and
// more often next to one that is down.
const machines = `domain machines {
	types { computer : object; };
	pvariables {
		NEXT(computer, computer) : { non-fluent, bool, default = false };
		running(computer) : { state-fluent, bool, default = true };
		reboot(computer) : { action-fluent, bool, default = false };
	};
	cpfs {
		running'(?c) = if (reboot(?c)) then true
			else if (running(?c)) then Bernoulli(0.9 - 0.5 * exists_{?d : computer} [NEXT(?d, ?c) ^ ~running(?d)])
			else Bernoulli(0.05);
	};
	reward = [sum_{?c : computer} running(?c)] - 0.5 * [sum_{?c : computer} reboot(?c)];
	BLOCK
}
instance three {
	domain = machines;
	objects { computer : {a, b, c}; };
	non-fluents { NEXT(a, b); NEXT(b, c); };
	max-nondef-actions = 1; horizon = 12; discount = 1.0;
}`

func determinized(t *testing.T, block string) *load.Problem {
	t.Helper()
	return determinizedTo(t, block, "")
}

func determinizedTo(t *testing.T, block, goal string) *load.Problem {
	t.Helper()
	file := filepath.Join(t.TempDir(), "machines.rddl")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(machines, "BLOCK", block)), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := load.Load(context.Background(), load.Ref{Source: load.Source{Domain: file, Determinize: "most-likely", Question: load.Question{Goal: goal}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEpisodes(t *testing.T) {
	p := determinized(t, "")
	if p.Determinized != "most-likely" || !p.Truth.Sim.Stochastic() {
		t.Fatal("the model is not determinised, or the simulator is")
	}
	var lines []EpisodeLine
	r := EpisodesRequest{Episodes: 20, Simulator: SimulatorRef{Name: "rddl", Seed: 3}, Episode: func(l EpisodeLine) { lines = append(lines, l) }}
	d, err := Episodes(context.Background(), p, r)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Episodes) != 20 || len(lines) != 20 || d.Stopped != "" {
		t.Fatalf("%d episodes, %d lines, stopped %q", len(d.Episodes), len(lines), d.Stopped)
	}
	surprises := 0
	for i, e := range d.Episodes {
		if e.Steps != 12 || e.Seed != uint64(3+i) || e.Without != 0 || e.Reward.Broken != "" {
			t.Errorf("%+v", e)
		}
		surprises += e.Surprises
	}
	if surprises < 20 {
		t.Errorf("%d surprises; the simulator seems not to draw", surprises)
	}
	if d.Plan.Mean <= d.Noop.Mean || d.Plan.Mean <= d.Random.Mean || d.Plan.Error <= 0 {
		t.Errorf("planning %+v, nothing %+v, random %+v", d.Plan, d.Noop, d.Random)
	}
	// The same seeds give the same rewards, and doing nothing is what the simulator says.
	again, err := Episodes(context.Background(), p, r)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again.Episodes {
		a, b := again.Episodes[i], d.Episodes[i]
		if a.Reward != b.Reward || *a.Noop != *b.Noop || *a.Random != *b.Random {
			t.Errorf("%+v and %+v of the same seed", a, b)
		}
		s, err := Simulate(context.Background(), p, Simulation{Policy: "noop", Seed: a.Seed})
		if err != nil || s.Reward != a.Noop.Reward {
			t.Errorf("doing nothing: %v, and %v by itself, %v", a.Noop, s, err)
		}
	}
}

// TestEpisodesBroken: a rule that ends episodes of a policy is told, not hidden.
func TestEpisodesBroken(t *testing.T) {
	p := determinized(t, "action-preconditions { exists_{?c : computer} [reboot(?c)]; };")
	d, err := Episodes(context.Background(), p, EpisodesRequest{Episodes: 2, Simulator: SimulatorRef{Name: "rddl"}})
	if err != nil {
		t.Fatal(err)
	}
	if d.Noop.Broken != 2 || d.Plan.Broken != 0 || d.Random.Broken != 0 || !strings.Contains(d.Episodes[0].Noop.Broken, "step 1") {
		t.Errorf("%+v", d)
	}
}

// TestGoOnWithoutPlan: when no plan to a goal is found in its time, the run takes no action, or
// a legal one where doing nothing is illegal. Without a goal there is a plan in any time.
func TestGoOnWithoutPlan(t *testing.T) {
	for block, want := range map[string]string{
		"": insteadNoop,
		"action-preconditions { exists_{?c : computer} [reboot(?c)]; };": insteadRandom,
	} {
		for _, goal := range []string{"", "forall_{?c : computer} [~running(?c)]"} {
			p := determinizedTo(t, block, goal)
			real, err := OpenSimulator(context.Background(), p, SimulatorRef{Name: "rddl", Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer real.Close()
			d, err := Run(context.Background(), p, real, RunRequest{PlanTime: 1}) // a nanosecond
			if err != nil {
				t.Fatal(err)
			}
			if d.Status != RunDone && d.Status != RunMissed || len(d.Steps) != 12 {
				t.Fatalf("%s after %d steps: %v", d.Status, len(d.Steps), d.Failure)
			}
			for i, s := range d.Steps {
				switch l := d.Plans[i]; {
				case goal == "" && (l.Instead != "" || l.Reward == nil):
					t.Errorf("step %d: %+v; want a plan", i+1, l)
				case goal != "" && (l.Instead != want || (len(s.Action) == 0) != (want == insteadNoop)):
					t.Errorf("step %d: %+v, %v; want %s", i+1, l, s.Action, want)
				}
			}
		}
	}
}

// TestDeterminizedPlanHolds: a plan of the determinised model has its reward in the simulator
// of that model, and the answer says what it is about.
func TestDeterminizedPlanHolds(t *testing.T) {
	p := determinized(t, "")
	g := p.Truth.Compiled.Ground
	s, err := sim.New(g)
	if err != nil || s.Stochastic() || g.Origin == nil || g.Origin.Problem != p.Truth.Sim.Problem() {
		t.Fatalf("the model is not what the simulator of it says: %v", err)
	}
	d, err := plan.Plan(context.Background(), p, plan.Request{})
	if err != nil || d.Status != engine.Optimal {
		t.Fatalf("%+v, %v", d, err)
	}
	if d.Determinized != "most-likely" || !strings.Contains(d.Note, "most likely") || d.Valid.Simulator != nil {
		t.Errorf("%+v", d)
	}
	var actions sim.Plan
	for _, step := range d.Plan {
		bits, err := app.BitsOf(p.Problem, step)
		if err != nil {
			t.Fatal(err)
		}
		actions = append(actions, p.Truth.System().Action(bits))
	}
	e, err := s.NewRunner(nil).Run(actions, len(actions), nil)
	if err != nil || e.Reward != *d.Reward {
		t.Errorf("%+v, %v; the plan has %v", e, err, *d.Reward)
	}
}
