package execute

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

func loaded(t *testing.T, name string, c load.Changes) *load.Problem {
	t.Helper()
	p, err := load.Load(context.Background(), load.Ref{Name: name})
	if err == nil {
		err = p.Apply(c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// warped is a system with an unexpected side.
type warped struct {
	simulator.System
	steps int
	warp  func(step int, a *simulator.Answer) (*simulator.Answer, error)
}

func (w *warped) Step(ctx context.Context, action factored.Valuation) (*simulator.Answer, error) {
	a, err := w.System.Step(ctx, action)
	w.steps++
	if err == nil && w.warp != nil {
		return w.warp(w.steps, a)
	}
	return a, err
}

// real is the problem's RDDL with a warp, as a process would be: judged by the
// problem's rules.
func real(p *load.Problem, warp func(step int, a *simulator.Answer) (*simulator.Answer, error)) *Real {
	w := &warped{System: simulator.NewRDDL(p.Truth.System(), nil), warp: warp}
	return &Real{Name: "warped", Session: simulator.NewSession(p.Problem, w, p.SessionOptions(true))}
}

// silent takes from an answer what is not an observation.
func silent(_ int, a *simulator.Answer) (*simulator.Answer, error) {
	return &simulator.Answer{State: a.State}, nil
}

// TestRulesAgree: random plans, legal and not, fail in the RDDL exactly where
// the rules say it that are held against a process which only shows states.
func TestRulesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	groups := map[string]int{}
	for _, name := range []string{"navigation/3x3", "inventory/2", "sysadmin/4", "cellda/y"} {
		p := loaded(t, name, load.Changes{})
		bits := p.Problem.Bits(factored.Action)
		for range 300 {
			var plan []factored.Valuation
			for range 1 + rng.IntN(8) {
				a := make(factored.Valuation, p.Problem.NumBits())
				for _, b := range bits {
					a[b] = rng.IntN(len(bits)+1) == 0
				}
				plan = append(plan, a)
			}
			ctx := context.Background()
			own := simulator.NewSession(p.Problem, simulator.NewRDDL(p.Truth.System(), nil), p.SessionOptions(false))
			want, err := own.Replay(ctx, nil, plan)
			if err != nil {
				t.Fatal(err)
			}
			got, err := real(p, silent).Replay(ctx, nil, plan)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case (want.Failure == nil) != (got.Failure == nil):
				t.Fatalf("%s: %v and %v", name, want.Failure, got.Failure)
			case want.Failure != nil:
				groups[want.Failure.Group]++
				if want.Failure.Error() != got.Failure.Error() || want.Failure.Prefix != got.Failure.Prefix {
					t.Fatalf("%s: %v (prefix %d) and %v (prefix %d)", name, want.Failure, want.Failure.Prefix, got.Failure, got.Failure.Prefix)
				}
			case *want.Reward != *got.Reward:
				t.Fatalf("%s: rewards %v and %v", name, *want.Reward, *got.Reward)
			default:
				groups["none"]++
			}
			if want.Failure == nil {
				continue
			}
			// What Prefix says: the same beginning fails with any end.
			for range 3 {
				other := append([]factored.Valuation{}, plan...)
				for i := want.Failure.Prefix; i < len(other); i++ {
					other[i] = plan[rng.IntN(len(plan))]
				}
				again, err := own.Replay(ctx, nil, other)
				if err != nil || again.Failure == nil || again.Failure.Error() != want.Failure.Error() {
					t.Fatalf("%s: %v, prefix %d, but with another end %v, %v", name, want.Failure, want.Failure.Prefix, again.Failure, err)
				}
			}
		}
	}
	for _, g := range []string{"none", "goal", "invariant", "max-nondef-actions"} {
		if groups[g] < 50 {
			t.Errorf("too little is tried: %v", groups)
		}
	}
}

// TestRequiredInSimulator: a constraint of the user's fails in a system that
// goes its own way, though the model keeps it.
func TestRequiredInSimulator(t *testing.T) {
	p := loaded(t, "navigation/3x3", load.Changes{Edits: load.Edits{Require: []string{"~robot-at(x21,y20)", "~move-south", "robot-at(x14,y20) => ~robot-at(x14,y20)'", "move-east,move-west,<=,0"}}})
	name := []string{"move-east", "move-north", "move-south", "move-west"}
	for i, want := range []string{
		"step 1: the require constraint move-east,move-west,<=,0 fails; move-east=true, move-west=false",
		"step 1: the require constraint robot-at(x14,y20) => ~robot-at(x14,y20)' fails; robot-at(x14,y20)=true, robot-at(x14,y20)'=true",
		"step 1: the require constraint ~move-south fails; move-south=true",
	} {
		a, err := app.BitsOf(p.Problem, app.Values{{Name: name[i], Value: true}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*Real{real(p, nil), {Session: simulator.NewSession(p.Problem, simulator.NewRDDL(p.Truth.System(), nil), p.SessionOptions(false))}} {
			run, err := r.Replay(context.Background(), nil, []factored.Valuation{a})
			if err != nil || run.Failure == nil || run.Failure.Error() != want {
				t.Errorf("%s: got %v, %v", name[i], run.Failure, err)
			}
		}
	}
}

// TestRun: what runs do and how they end.
func TestRun(t *testing.T) {
	broken := errors.New("the cable is cut")
	down := func(at int) func(*load.Problem) func(int, *simulator.Answer) (*simulator.Answer, error) {
		return func(p *load.Problem) func(int, *simulator.Answer) (*simulator.Answer, error) {
			v, _ := p.Problem.Lookup("running(c2)")
			return func(step int, a *simulator.Answer) (*simulator.Answer, error) {
				if step == at {
					a.State[v.First] = false
				}
				return &simulator.Answer{State: a.State}, nil
			}
		}
	}
	// stuckAt makes a step have no effect, and the next one what it should have had.
	stuckAt := func(at int) func(*load.Problem) func(int, *simulator.Answer) (*simulator.Answer, error) {
		return func(p *load.Problem) func(int, *simulator.Answer) (*simulator.Answer, error) {
			var before, after *simulator.Answer
			return func(step int, a *simulator.Answer) (*simulator.Answer, error) {
				switch {
				case step == at:
					after = a
					return &simulator.Answer{State: before.State, Reward: a.Reward}, nil
				case step > at:
					return after, nil
				}
				before = a
				return a, nil
			}
		}
	}
	for _, c := range []struct {
		name    string
		problem string
		changes load.Changes
		r       RunRequest
		warp    func(*load.Problem) func(int, *simulator.Answer) (*simulator.Answer, error)
		budget  int
		want    string // status, steps, plans, horizons of plans, reward, surprises
		says    string
		err     error
	}{
		{name: "shrinking horizons", problem: "navigation/3x3",
			want: "goal after 4 steps, plans 4 3 2 1, reward -4, 0 surprises"},
		{name: "two steps a plan", problem: "navigation/3x3", r: RunRequest{Every: 2},
			want: "goal after 4 steps, plans 4 2, reward -4, 0 surprises"},
		{name: "more steps than a plan has", problem: "navigation/3x3", r: RunRequest{Every: 9, Horizon: bind.Steps(6)},
			want: "goal after 6 steps, plans 6, reward -4, 0 surprises"},
		{name: "no plan", problem: "navigation/3x3", r: RunRequest{Horizon: bind.Steps(3)},
			want: "no-plan after 0 steps, plans 3, reward 0, 0 surprises", says: "no plan of horizon 3 exists in the learned model from the state observed at step 1; no step was taken in the simulator, and the system may have a plan"},
		{name: "the deadline is put off", problem: "navigation/3x3", r: RunRequest{Horizon: bind.Steps(3), Steps: 5},
			want: "goal after 4 steps, plans 3 4 3 2 1, reward -4, 0 surprises"},
		{name: "fewer steps than the goal takes", problem: "navigation/3x3", r: RunRequest{Steps: 2},
			want: "missed after 2 steps, plans 4 3, reward -2, 0 surprises"},
		{name: "from a state of the user's", problem: "navigation/3x3", changes: load.Changes{Edits: load.Edits{SetInitial: []string{"robot-at(x14,y20)=0", "robot-at(x9,y20)=1"}}},
			want: "goal after 4 steps, plans 4 3 2 1, reward -3, 0 surprises"},
		{name: "a goal that holds is kept", problem: "inventory/2", r: RunRequest{Steps: 4},
			want: "done after 4 steps, plans 5 5 5 5, reward -9, 0 surprises"},
		{name: "a goal that holds is reached", problem: "inventory/2", r: RunRequest{Until: UntilGoal},
			want: "goal after 0 steps, plans, reward 0, 0 surprises"},
		// Every plan can put the goal off by a step, and the first one does.
		{name: "for the steps, with a goal", problem: "navigation/3x3", r: RunRequest{Until: UntilSteps, Steps: 3, Horizon: bind.Steps(5)},
			want: "done after 3 steps, plans 5 5 5, reward 0, 0 surprises"},
		{name: "the budget", problem: "sysadmin/4", r: RunRequest{Steps: 9}, budget: 3,
			want: "stopped after 3 steps, plans 4 4 4 4, reward -1, 0 surprises", says: "the budget of simulator steps is used up: 3 were allowed"},
		{name: "the reward of the user's", problem: "navigation/3x3", changes: load.Changes{Edits: load.Edits{Reward: bind.Lines{File: "reward"}}},
			want: "goal after 4 steps, plans 4 3 2 1, reward -10, 0 surprises"},
		{name: "a rule is broken", problem: "sysadmin/4", r: RunRequest{Steps: 9}, warp: down(2),
			want: "violated after 2 steps, plans 4 4, reward 0, 1 surprises"},
		{name: "it fails", problem: "navigation/3x3",
			warp: func(*load.Problem) func(int, *simulator.Answer) (*simulator.Answer, error) {
				return func(step int, a *simulator.Answer) (*simulator.Answer, error) {
					if step == 3 {
						return nil, broken
					}
					return a, nil
				}
			},
			want: "failed after 2 steps, plans 4 3 2, reward -2, 0 surprises", says: "the cable is cut", err: broken},
		{name: "it fails at once", problem: "navigation/3x3", err: broken,
			warp: func(*load.Problem) func(int, *simulator.Answer) (*simulator.Answer, error) {
				return func(int, *simulator.Answer) (*simulator.Answer, error) { return nil, broken }
			}},
		{name: "a step has no effect", problem: "navigation/3x3", r: RunRequest{Every: 3, Steps: 6},
			warp: func(p *load.Problem) func(int, *simulator.Answer) (*simulator.Answer, error) {
				before := make(factored.Valuation, p.Problem.NumBits())
				from, _ := p.Problem.Lookup("robot-at(x9,y20)")
				before[from.First] = true
				sys := simulator.NewRDDL(p.Truth.System(), nil)
				late := false
				return func(step int, a *simulator.Answer) (*simulator.Answer, error) {
					if step == 2 { // it stays where it was, and all continues from there
						late = true
						return sys.Reset(context.Background(), before)
					}
					if late {
						up := make(factored.Valuation, p.Problem.NumBits())
						names := map[int]string{3: "move-north", 4: "move-north", 5: "move-west"}
						v, _ := p.Problem.Lookup(names[step])
						up[v.First] = true
						return sys.Step(context.Background(), up)
					}
					return a, nil
				}
			},
			// The plan of 4 is left after its second step; the goal is then 3
			// steps away, which misses the deadline by one.
			want: "goal after 5 steps, plans 4 2 3, reward -5, 1 surprises"},
		{name: "the last step misses the goal", problem: "navigation/3x3", r: RunRequest{Every: 4, Steps: 7}, warp: stuckAt(4),
			want: "goal after 5 steps, plans 4 1, reward -5, 1 surprises"},
		{name: "the last step misses the goal, a range", problem: "navigation/3x3", r: RunRequest{Horizon: bind.Horizon{Min: 1, Max: 4}, Steps: 7}, warp: stuckAt(4),
			want: "goal after 5 steps, plans 4 3 2 1 1, reward -5, 1 surprises"},
		{name: "the last step misses the goal, none is left", problem: "navigation/3x3", warp: stuckAt(4),
			want: "missed after 4 steps, plans 4 3 2 1, reward -4, 1 surprises"},
		{name: "a range is not one length", problem: "navigation/3x3", r: RunRequest{Horizon: bind.Horizon{Min: 2, Max: 9}},
			want: "goal after 4 steps, plans 4 3 2 1, reward -4, 0 surprises"},
		{name: "a range without a goal to reach", problem: "inventory/2", r: RunRequest{Horizon: bind.Horizon{Min: 2, Max: 5}, Steps: 3},
			want: "done after 3 steps, plans 2 2 2, reward -9, 0 surprises"},
		{name: "terminal before the goal", problem: "navigation/3x3",
			warp: func(*load.Problem) func(int, *simulator.Answer) (*simulator.Answer, error) {
				return func(step int, a *simulator.Answer) (*simulator.Answer, error) {
					a.Terminal = step == 2
					return a, nil
				}
			},
			want: "missed after 2 steps, plans 4 3, reward -2, 0 surprises", says: "a termination condition holds"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.changes.Reward.Given() {
				c.changes.Reward = bind.Lines{File: filepath.Join(t.TempDir(), "reward")}
				if err := os.WriteFile(c.changes.Reward.File, []byte("move-east,-1\nmove-north,-4\nmove-west,-1\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			p := loaded(t, c.problem, c.changes)
			r := real(p, nil)
			if c.warp != nil {
				r = real(p, c.warp(p))
			}
			if c.budget > 0 {
				o := p.SessionOptions(false)
				o.MaxSteps = c.budget
				r.Session = simulator.NewSession(p.Problem, simulator.NewRDDL(p.Truth.System(), nil), o)
			}
			told := 0
			c.r.Engine, c.r.Limits, c.r.Now = "auto", engine.Limits{Threads: 1}, time.Now
			c.r.Step = func(RunStep) { told++ }
			if c.r.Until == "" {
				c.r.Until = UntilAuto
			}
			d, err := Run(context.Background(), p, r, c.r)
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v", err)
			}
			if c.want == "" {
				if d != nil {
					t.Errorf("a document: %+v", d)
				}
				return
			}
			plans := ""
			for _, l := range d.Plans {
				plans += fmt.Sprint(" ", l.Horizon)
			}
			got := fmt.Sprintf("%s after %d steps, plans%s, reward %v, %d surprises", d.Status, len(d.Steps), plans, *d.Reward, d.Surprises)
			if got != c.want || d.Says != c.says {
				t.Errorf("got %s (%s), want %s (%s)", got, d.Says, c.want, c.says)
			}
			if told != len(d.Steps) || d.PlanLatency.Count != len(d.Plans) || d.StepLatency.Count != len(d.Steps) || d.Final == nil {
				t.Errorf("%d steps told, latencies of %d plans and %d steps, final %v", told, d.PlanLatency.Count, d.StepLatency.Count, d.Final)
			}
			if c.name == "a rule is broken" && !strings.Contains(d.Failure.Text, "step 3: the invariant does not hold: running(c2)") {
				t.Errorf("failure %+v", d.Failure)
			}
		})
	}
}

// TestRunCancelled: before the first step, and between two.
func TestRunCancelled(t *testing.T) {
	p := loaded(t, "sysadmin/4", load.Changes{})
	why := errors.New("enough")
	for _, after := range []int{0, 2} {
		ctx, cancel := context.WithCancelCause(context.Background())
		if after == 0 {
			cancel(why)
		}
		d, err := Run(ctx, p, real(p, nil), RunRequest{
			Engine: "auto", Steps: 9, Until: UntilAuto, Limits: engine.Limits{Threads: 1}, Now: time.Now,
			Step: func(l RunStep) {
				if l.Step == after {
					cancel(why)
				}
			},
		})
		if err != nil || d.Status != RunStopped || d.Says != "enough" || len(d.Steps) != after {
			t.Errorf("after %d: %+v, %v", after, d, err)
		}
	}
}

// TestStart: initial states that cannot be.
func TestStart(t *testing.T) {
	p := loaded(t, "navigation/3x3", load.Changes{Edits: load.Edits{SetInitial: []string{"robot-at(x9,y20)=0"}}})
	p.Problem.Initial = p.Problem.Initial[1:]
	if _, err := initial(p, real(p, nil)); err == nil || !strings.Contains(err.Error(), "the initial state leaves robot-at(x21,y12) open") {
		t.Errorf("got %v", err)
	}
}

// TestValidateDiffers: the place where the system first goes another way.
func TestValidateDiffers(t *testing.T) {
	p := loaded(t, "navigation/3x3", load.Changes{})
	doc, err := plan.Plan(context.Background(), p, plan.Request{Limits: engine.Limits{Threads: 1}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := app.WriteJSON(&text, doc); err != nil {
		t.Fatal(err)
	}
	at, _ := p.Problem.Lookup("robot-at(x9,y15)")
	to, _ := p.Problem.Lookup("robot-at(x21,y12)")
	v, err := Validate(context.Background(), p, "plan", []byte(text.String()), real(p, func(_ int, a *simulator.Answer) (*simulator.Answer, error) {
		if a.State[at.First] {
			a.State[at.First], a.State[to.First] = false, true
		}
		return a, nil
	}))
	if err != nil || v.Differs == nil || v.Differs.Step != 3 || len(v.Differs.Expected) != 2 || v.Differs.Expected[1].Value != true || v.Simulations != 4 {
		t.Errorf("got %+v, %v", v, err)
	}
}
