package policy_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/problem/factored"
)

func pits(t *testing.T) *load.Problem {
	t.Helper()
	p, err := load.Load(t.Context(), load.Ref{
		Source: load.Source{Domain: "../../../examples/drift/drift.rddl", Instance: "../../../examples/drift/pits.rddl", Question: load.Question{Goal: "x == SIDE ^ y == SIDE ^ ~lost"}}, Chance: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFile reads policies that were written, also after changes to them.
func TestFile(t *testing.T) {
	p := pits(t)
	for _, robust := range []*policy.Robust{nil, {Disturbances: 2}} {
		r := policy.Request{Robust: robust, Now: time.Now, Started: time.Now()}
		r.Limits.Memory = 1 << 30
		d, err := policy.Plan(t.Context(), p, r)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		first := text[strings.Index(text, `"rows":[[`)+len(`"rows":[[`):]
		first = first[:strings.Index(first, "]")]
		for _, c := range []struct {
			from, to string
			valid    bool
			says     string // of the verdict, or of the error
		}{
			{"", "", true, "reaches the goal within 12 steps"},
			{`"value":`, `"value":0.5,"was":`, false, "the file says another value"},
			{`"horizon":12`, `"horizon":6`, false, ""},
			{`"horizon":12`, `"horizon":0`, false, "the horizon is 0"},
			{`"problem":"drift/pits"`, `"problem":"drift/wind"`, false, "expected one for drift/pits"},
			{`"east":true`, `"fly":true`, false, `no action variable "fly"`},
			{`"variables":["x"`, `"variables":["z"`, false, "the table is of the variables"},
			{"[[" + first + "]", "[[0,1,12]", false, "row 0 is [0 1 12]"},
			{"[[" + first + "]", "[[-1,1,12,0]", false, "row 0 is [-1 1 12 0]"},
			{`"table":`, `"tables":`, false, "there is no table"},
			{`"next":[[`, `"next":[[99,0.5,0,0],[`, false, "there is no state 99"},
			{`"next":[[`, `"next":[[0,0.5,0,0],[`, false, "their probabilities sum to 1.5"},
			{`"next":[[`, `"next":[[0,2,0,0],[`, false, "an outcome is [0 2 0 0]"},
			{`"next":[[1,`, `"next":[[2,`, false, "the file says other outcomes"},
			{`"goals":[`, `"goals":[1,`, false, "the file says other outcomes"},
			{`"states":[[0,`, `"states":[[9,`, false, "state 0: x cannot be 9"},
			{`"states":[[0,`, `"states":[["a",`, false, `state 0: "a" is not a value for x`},
			{`"states":[[0,`, `"states":[[`, false, "state 0 has 2 values; expected 3"},
		} {
			changed := strings.Replace(text, c.from, c.to, 1)
			if changed == text && c.from != "" {
				t.Fatalf("%s does not occur", c.from)
			}
			valid, says := false, ""
			read, err := policy.Read(p, "file", []byte(changed))
			if err == nil {
				var v *policy.Verdict
				if v, err = read.Judge(p); err == nil {
					valid, says = v.Valid, v.Says
				}
			}
			if err != nil {
				says = err.Error()
			}
			if valid != c.valid || !strings.Contains(says, c.says) {
				t.Errorf("%s for %s: %v, %s; expected %v, %s", c.to, c.from, valid, says, c.valid, c.says)
			}
		}
	}
}

// TestPending follows the exact policy as soon as it is there, and has none on one thread.
func TestPending(t *testing.T) {
	p := pits(t)
	for _, threads := range []int{2, 1} {
		release := make(chan struct{})
		r := policy.Request{Now: time.Now, Started: time.Now(), PlanTime: time.Microsecond, Report: func(int, int) { <-release }}
		if threads == 1 { // the run waits: until the time for dynamic programming is over
			r.Report = func(int, int) { time.Sleep(20 * time.Millisecond) }
		}
		r.Limits.Memory, r.Limits.Threads = 1<<30, threads
		f, err := policy.NewFollower(t.Context(), p, nil, r)
		if err != nil {
			t.Fatal(err)
		}
		state := make([]bool, p.Problem.NumBits())
		choose := func() (action factored.Valuation, exact bool) {
			action, planned, err := f.Choose(t.Context(), 1, state)
			if err != nil || action == nil {
				t.Fatalf("action %v, %v", action, err)
			}
			return action, planned == ""
		}
		if _, exact := choose(); exact {
			t.Errorf("on %d threads the exact policy is followed before it is there", threads)
		}
		close(release)
		exact := false
		for n := 0; !exact && (threads > 1 || n < 100); n++ {
			_, exact = choose()
		}
		if exact != (threads > 1) {
			t.Errorf("on %d threads the exact policy is followed: %v", threads, exact)
		}
		if !exact {
			continue
		}
		g, err := policy.NewFollower(t.Context(), p, nil, policy.Request{Now: time.Now, Started: time.Now(), Limits: r.Limits})
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := g.Choose(t.Context(), 1, state)
		if got, _ := choose(); err != nil || !slices.Equal(got, want) {
			t.Errorf("action %v, in place of %v, %v", got, want, err)
		}
	}
}

// TestPlanTime bounds the time of dynamic programming where no run goes on beside it, and has an interval for the value then.
func TestPlanTime(t *testing.T) {
	r := policy.Request{Now: time.Now, Started: time.Now(), PlanTime: time.Microsecond, Report: func(int, int) { time.Sleep(20 * time.Millisecond) }}
	r.Limits.Memory, r.Limits.Threads = 1<<30, 2
	d, err := policy.Plan(t.Context(), pits(t), r)
	if err != nil || d.Engine != "bounds" || d.Value == nil {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestFollower looks up states that the policy reaches, and plans again from one that it does not.
func TestFollower(t *testing.T) {
	p := pits(t)
	r := policy.Request{Now: time.Now, Started: time.Now()}
	r.Limits.Memory = 1 << 30
	f, err := policy.NewFollower(t.Context(), p, nil, r)
	if err != nil {
		t.Fatal(err)
	}
	state := make([]bool, p.Problem.NumBits())
	if action, planned, err := f.Choose(t.Context(), 1, state); err != nil || planned != "" || action == nil {
		t.Errorf("at the start: %v, planned %v, %v", action, planned, err)
	}
	y, _ := p.Problem.Lookup("y")
	if err := y.Set(state, 4); err != nil { // out of reach in one step
		t.Fatal(err)
	}
	if action, planned, err := f.Choose(t.Context(), 2, state); err != nil || planned == "" || action == nil {
		t.Errorf("where the policy does not lead: %v, planned %v, %v", action, planned, err)
	}
	now := make([]bool, p.Problem.NumBits())
	seen, err := f.See(now, state) // a jump of four cells
	if err != nil || seen != 0 || !strings.Contains(f.Drift(), "never leads") {
		t.Errorf("probability %v, drift %q, %v", seen, f.Drift(), err)
	}
	g := f.Again()
	for range 30 { // gusts, each with probability 0.2
		if err := y.Set(state, 1); err != nil {
			t.Fatal(err)
		}
		if seen, err = g.See(now, state); err != nil || seen != 0.2 {
			t.Fatalf("probability %v, %v", seen, err)
		}
	}
	if !strings.Contains(g.Drift(), "less likely") {
		t.Errorf("after 30 gusts: %q", g.Drift())
	}
}

// A worker repairs one of fourteen machines, or walks: in turn, so that there is no step in which anything goes. In two places at once a machine would be
// repaired with probability 1.2.
const repairs = `
domain repairs {
	types { machine : object; cell : object; };
	pvariables {
		at(cell)        : { state-fluent, bool, default = false };
		works(machine)  : { state-fluent, bool, default = false };
		tired           : { state-fluent, bool, default = false };
		repair(machine) : { action-fluent, bool, default = false };
		walk(cell)      : { action-fluent, bool, default = false };
	};
	cpfs {
		at'(?c) = if (exists_{?d : cell} [walk(?d)]) then walk(?c) else at(?c);
		works'(?m) = if (repair(?m)) then Bernoulli(sum_{?c : cell} [0.6 * at(?c)]) else works(?m);
		tired' = ~tired;
	};
	reward = sum_{?m : machine} [works(?m)];
	action-preconditions {
		((sum_{?m : machine} [repair(?m)]) + (sum_{?c : cell} [walk(?c)])) == 1;
		tired => exists_{?c : cell} [walk(?c)];
	};
}`

const repairsOf14 = `
non-fluents nf { domain = repairs; objects { machine : { m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14 }; cell : { c1, c2 }; }; }
instance fourteen { domain = repairs; non-fluents = nf; init-state { at(c1); }; max-nondef-actions = pos-inf; horizon = 8; discount = 1.0; }`

// TestLegal follows a search where no action is legal in all states, where a precondition bounds how many are taken, and where a probability is none in states
// that do not occur.
func TestLegal(t *testing.T) {
	folder := t.TempDir()
	src := load.Source{Domain: filepath.Join(folder, "domain.rddl"), Instance: filepath.Join(folder, "instance.rddl")}
	for name, text := range map[string]string{src.Domain: repairs, src.Instance: repairsOf14} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := load.Load(t.Context(), load.Ref{Source: src, Chance: true})
	if err != nil {
		t.Fatal(err)
	}
	r := policy.Request{Now: time.Now, Started: time.Now(), PlanTime: time.Microsecond, Report: func(int, int) { time.Sleep(20 * time.Millisecond) }}
	r.Limits.Memory, r.Limits.Threads = 1<<30, 1
	f, err := policy.NewFollower(t.Context(), p, nil, r)
	if err != nil {
		t.Fatal(err)
	}
	for _, tired := range []bool{false, true} {
		state := make(factored.Valuation, p.Problem.NumBits())
		for name, x := range map[string]int64{"at(c1)": 1, "tired": map[bool]int64{true: 1}[tired]} {
			if v, ok := p.Problem.Lookup(name); !ok || v.Set(state, x) != nil {
				t.Fatalf("no %s", name)
			}
		}
		action, planned, err := f.Choose(t.Context(), 1, state)
		if err != nil || planned == "" {
			t.Fatalf("planned %q, %v", planned, err)
		}
		var taken []string
		for _, v := range p.Problem.OfKind(factored.Action) {
			if v.Value(action) == 1 {
				taken = append(taken, v.Name)
			}
		}
		if len(taken) != 1 || strings.HasPrefix(taken[0], "repair") == tired {
			t.Errorf("tired %v: it takes %q", tired, taken)
		}
	}
	if d, err := policy.Plan(t.Context(), p, r); err != nil || d.Status != "optimal" {
		t.Errorf("without bounds: %+v, %v; expected that dynamic programming has all the time", d, err)
	}
	r.Limits.Memory = 1000
	if _, err := policy.Plan(t.Context(), p, r); err == nil || !strings.Contains(err.Error(), "no legal action") {
		t.Errorf("bounds: %v; expected that there may be no legal action", err)
	}
}
