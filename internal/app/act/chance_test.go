package act_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/act"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/acting"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
)

var draws = flag.Int("draws", 16, "runs in systems that draw at random")

// gusts is a domain with a goal, whose states draw at random: what is worth most depends on all of it.
const gusts = `domain gusts { pvariables {
SLIP : { non-fluent, real, default = 0.2 };
at : { state-fluent, int, default = 0 }; lost : { state-fluent, bool, default = false };
walk : { action-fluent, bool, default = false }; run : { action-fluent, bool, default = false };
slips : { interm-fluent, bool }; falls : { interm-fluent, bool };
}; cpfs {
slips = Bernoulli(SLIP); falls = Bernoulli(if (run) then SLIP / 4 else 0);
at' = max[0, min[3, at + if (slips) then 0 else walk + 2 * run]];
lost' = lost | falls;
}; reward = at' - 2 * run - 3 * lost'; termination { lost; }; }
instance gusts { domain = gusts; max-nondef-actions = 1; horizon = 3; discount = 1.0; }
`

// gust writes the task, and loads it to learn and to plan with what its RDDL draws.
func gust(t *testing.T, goal string) (p, exact *load.Problem) {
	t.Helper()
	dir := t.TempDir()
	domain, file := filepath.Join(dir, "gusts.rddl"), filepath.Join(dir, "task.toml")
	text := "domain = \"gusts.rddl\"\nhorizon = 3\nlearned = [\"at\", \"lost\"]\n" + goal + "[ranges]\nat = [0, 3]\n"
	for name, text := range map[string]string{domain: gusts, file: text} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	exact, err := load.Load(context.Background(), load.Ref{Name: file, Chance: true, Source: load.Source{Model: load.RDDL, Determinize: "none"}})
	if err != nil {
		t.Fatal(err)
	}
	return problem(t, file), exact
}

// TestChance acts in RDDL that draws, with many seeds: the intervals hold what dynamic programming says of the best policy.
func TestChance(t *testing.T) {
	for _, goal := range []string{"", "goal = \"at == 3 ^ ~lost\"\n"} {
		p, exact := gust(t, goal)
		d, err := policy.Plan(context.Background(), exact, policy.Request{Now: time.Now, Limits: engine.Limits{Threads: 1, Memory: 1 << 30}})
		if err != nil {
			t.Fatal(err)
		}
		outside, wide := 0, 0.0
		for seed := range uint64(*draws) {
			sys := simulator.NewRDDL(p.Truth.System(), rand.New(rand.NewPCG(seed, 0)))
			s := simulator.NewSession(p.World(), sys, p.SessionOptions(false))
			o := acting.Options{Horizon: 3, Steps: 1000 << (seed % 4), Limits: engine.Limits{Threads: 1}}
			r, err := acting.LearnChance(context.Background(), p.Problem, s, o, acting.Chance{Success: goal != "", Gap: 0.02, Doubt: 0.01})
			if err != nil {
				t.Fatal(err)
			}
			if *d.Value < r.Lower-1e-9 || *d.Value > r.Upper+1e-9 {
				outside++
				t.Logf("seed %d: %v is outside of %v..%v", seed, *d.Value, r.Lower, r.Upper)
			}
			if seed%4 == 3 { // of most steps
				wide = max(wide, r.Upper-r.Lower)
			}
		}
		if outside*100 > *draws || wide > 3 {
			t.Errorf("goal %q: %d of %d intervals do not hold %v; the widest has %v", goal, outside, *draws, *d.Value, wide)
		}
		t.Logf("goal %q: %d of %d intervals do not hold %v; the widest has %v", goal, outside, *draws, *d.Value, wide)
	}
}

// TestChanceFolder acts until the gap is closed, and goes on from the folder.
func TestChanceFolder(t *testing.T) {
	p, exact := gust(t, "goal = \"at == 3 ^ ~lost\"\n")
	best, err := policy.Plan(context.Background(), exact, policy.Request{Now: time.Now, Limits: engine.Limits{Threads: 1, Memory: 1 << 30}})
	if err != nil {
		t.Fatal(err)
	}
	r := complete(act.Request{Folder: t.TempDir(), Gap: 0.1, Success: true, Resets: act.ResetsYes, Steps: 2000})
	first, err := act.Run(context.Background(), p, execute.SimulatorRef{Name: "rddl"}, r)
	if err != nil || first.Status != engine.Unknown || first.Stopped == "" {
		t.Fatalf("after 2000 steps: %+v, %v", first, err)
	}
	r.Resume, r.Steps, r.Seed = true, 0, 1
	d, err := act.Run(context.Background(), p, execute.SimulatorRef{Name: "rddl"}, r)
	if err != nil || d.Status != engine.Feasible || d.Network == nil || len(d.Chance.Policy) == 0 {
		t.Fatalf("resumed: %+v, %v", d, err)
	}
	low, up := *d.Chance.Lower, *d.Chance.Upper
	if low > *best.Value || up < *best.Value || up-low > 0.1+1e-6 || !strings.Contains(d.Verdict, "confidence of 99 %") {
		t.Errorf("%v..%v, the best is %v: %s", low, up, *best.Value, d.Verdict)
	}
	data, err := os.ReadFile(d.Chance.File)
	if err != nil {
		t.Fatal(err)
	}
	found, err := policy.Read(exact, d.Chance.File, data)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := found.Judge(exact); err != nil || !v.Valid || *v.Value < low || *v.Value > *best.Value {
		t.Errorf("the evaluator says %+v, %v of a policy with at least %v", v, err, low)
	}
	*found.Value = *best.Value + 0.01
	if v, err := found.Judge(exact); err != nil || v.Valid {
		t.Errorf("the evaluator says %+v, %v of a policy that claims more than the best", v, err)
	}
	if err := act.Uncertified(r.Folder); err == nil || !strings.Contains(err.Error(), "has no certificate: what is drawn at random") {
		t.Errorf("certify: %v; expected that there is no certificate", err)
	}
	if err := act.Uncertified(t.TempDir()); err != nil {
		t.Errorf("certify of an empty folder: %v; expected nothing about chance", err)
	}
	if first.Chance.Pairs > d.Chance.Pairs || d.Steps < 1000 {
		t.Errorf("%+v after %+v", d.Chance, first.Chance)
	}
}

// lottery is a random decision process over one number, as a system.
type lottery struct {
	p      *factored.Problem
	r      *rand.Rand
	next   [][][]float64 // probabilities by state and action
	now    int
	ends   []bool
	refuse []int // an action by state; -1 for none
}

func newLottery(seed uint64) *lottery {
	l := &lottery{p: factored.NewProblem(fmt.Sprint("lottery ", seed)), r: rand.New(rand.NewPCG(seed, 7))}
	states, actions := 2+l.r.IntN(4), 2+l.r.IntN(2)
	for _, v := range []factored.Variable{{Name: "s", Kind: factored.State, Hi: int64(states - 1)}, {Name: "a", Kind: factored.Action, Hi: int64(actions - 1), Default: -1}} {
		if _, err := l.p.AddVariable(v); err != nil {
			panic(err)
		}
	}
	l.p.Inputs, l.p.Outputs = append(l.p.Bits(factored.State), l.p.Bits(factored.Action)...), l.p.Bits(factored.State)
	for _, b := range l.p.Inputs {
		l.p.Reward.Terms = append(l.p.Reward.Terms, factored.RewardTerm{Lit: factored.Lit{Bit: b, Next: l.p.Kind(b) == factored.State}, Weight: int64(l.r.IntN(7) - 3)})
	}
	for range states {
		var of [][]float64
		for range actions {
			p, sum := make([]float64, states), 0.0
			for i := range p {
				if l.r.IntN(2) == 0 {
					p[i] = l.r.Float64()
				}
				sum += p[i]
			}
			if sum == 0 {
				p[0], sum = 1, 1
			}
			for i := range p {
				p[i] /= sum
			}
			of = append(of, p)
		}
		l.next = append(l.next, of)
		l.ends = append(l.ends, len(l.ends) > 0 && l.r.IntN(6) == 0)
		l.refuse = append(l.refuse, l.r.IntN(3*actions)-2*actions)
	}
	return l
}

func (l *lottery) Info() simulator.Info { return simulator.Info{Name: "lottery"} }
func (l *lottery) Close() error         { return nil }

func (l *lottery) shown() *simulator.Answer {
	val := make(factored.Valuation, l.p.NumBits())
	_ = l.p.Variables[0].Set(val, int64(l.now))
	return &simulator.Answer{State: val, Terminal: l.ends[l.now]}
}

func (l *lottery) Reset(context.Context, factored.Valuation) (*simulator.Answer, error) {
	l.now = 0
	return l.shown(), nil
}

func (l *lottery) Step(_ context.Context, action factored.Valuation) (*simulator.Answer, error) {
	a := int(l.p.Variables[1].Value(action))
	if l.refuse[l.now] == a {
		return &simulator.Answer{Violation: &simulator.Violation{Group: "simulator", Constraint: "no"}}, nil
	}
	x := l.r.Float64()
	for i, p := range l.next[l.now][a] {
		if x -= p; x < 0 || i == len(l.ends)-1 {
			l.now = i
			break
		}
	}
	return l.shown(), nil
}

// worth is what the best policy is worth from a state, or the one that is given, which does the first thing possible where it says nothing, or
// what the system refuses.
func (l *lottery) worth(state, left int, does map[[2]int]int) float64 {
	if left == 0 || l.ends[state] {
		return 0
	}
	best := math.Inf(-1)
	for a, p := range l.next[state] {
		if does != nil {
			if x, ok := does[[2]int{state, left}]; ok && x != a && x != l.refuse[state] {
				continue
			}
		}
		if l.refuse[state] == a {
			continue
		}
		sum := 0.0
		for i, q := range p {
			if q > 0 {
				sum += q * (l.reward(a, i) + l.worth(i, left-1, does))
			}
		}
		if best = max(best, sum); does != nil {
			break
		}
	}
	return best
}

func (l *lottery) reward(action, next int) float64 {
	sum := int64(0)
	for _, t := range l.p.Reward.Terms {
		v, _ := l.p.Owner(t.Lit.Bit)
		x := next
		if v.Kind == factored.Action {
			x = action
		}
		val := make(factored.Valuation, l.p.NumBits())
		_ = v.Set(val, int64(x))
		if val[t.Lit.Bit] {
			sum += t.Weight
		}
	}
	return l.p.Reward.Float(sum)
}

// TestLotteries acts in random decision processes: the best policy and the one that is found are worth what is said of them.
func TestLotteries(t *testing.T) {
	outside, proven := 0, 0
	for seed := range uint64(*draws) {
		l := newLottery(seed)
		s := simulator.NewSession(l.p, l, simulator.Options{Rules: []simulator.Rules{simulator.ProblemRules{Problem: l.p}}})
		r, err := acting.LearnChance(context.Background(), l.p, s, acting.Options{Horizon: 3, Steps: 3000, Limits: engine.Limits{Threads: 1}}, acting.Chance{Gap: 0.5, Doubt: 0.01})
		if err != nil {
			t.Fatalf("%s: %v", l.p.Name, err)
		}
		does := map[[2]int]int{}
		for _, c := range r.Policy {
			does[[2]int{int(l.p.Variables[0].Value(c.Now)), 4 - c.Step}] = int(l.p.Variables[1].Value(c.Now))
		}
		best, own := l.worth(0, 3, nil), l.worth(0, 3, does)
		if best > r.Upper+1e-9 || own < r.Lower-1e-9 {
			outside++
			t.Logf("%s: the best is %v, the policy %v, said are %v..%v", l.p.Name, best, own, r.Lower, r.Upper)
		}
		if r.Proven {
			proven++
		}
	}
	if outside*100 > *draws || proven < *draws/5 {
		t.Errorf("of %d, %d are outside of what is said, %d were proven", *draws, outside, proven)
	}
	t.Logf("of %d, %d are outside of what is said, %d were proven", *draws, outside, proven)
}
