package act

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/certify/learned"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/execution/acting"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

var worlds = flag.Int("worlds", 24, "random systems in which it acts; a sixth as many outside of the class")

// world is a random system: each next value is a function of a few variables.
type world struct {
	p       *factored.Problem
	r       *rand.Rand
	horizon int
	seed    uint64
	reads   [][]int // by state variable, places among the variables
	now     factored.Valuation
	start   factored.Valuation
	pay     func(now, next factored.Valuation) int64 // that it sends as reward; nil for none
	ends    func(state factored.Valuation) bool      // runs end there; nil for nowhere
	shared  []acting.Shared                          // functions that objects have in common, of reads among the views; nil for none
	odd     bool                                     // the first object has functions of its own
}

func newWorld(seed uint64, k int) *world {
	w := &world{seed: seed, p: factored.NewProblem(fmt.Sprint("world ", seed)), r: rand.New(rand.NewPCG(seed, uint64(k)))}
	p := w.p
	states := 2 + w.r.IntN(3)
	add := func(name string, kind factored.Kind) {
		v := factored.Variable{Name: name, Kind: kind, Bool: w.r.IntN(2) == 0 || kind == factored.Action, Hi: int64(1 + w.r.IntN(3))}
		if _, err := p.AddVariable(v); err != nil {
			panic(err)
		}
	}
	for i := range states {
		add(fmt.Sprint("s", i), factored.State)
	}
	actions := 1 + w.r.IntN(2)
	for i := range actions {
		add(fmt.Sprint("a", i), factored.Action)
	}
	p.Inputs = append(p.Bits(factored.State), p.Bits(factored.Action)...)
	p.Outputs = p.Bits(factored.State)
	term := func(b factored.Bit) factored.Term { return factored.Term{Coef: 1, Lit: factored.Lit{Bit: b}} }
	if actions == 2 && w.r.IntN(2) == 0 {
		p.Global = append(p.Global, factored.Constraint{Terms: []factored.Term{term(p.Variables[states].First), term(p.Variables[states+1].First)}, Op: factored.LE, K: 1, Origin: "one"})
	}
	lit := func() factored.Lit {
		return factored.Lit{Bit: p.Outputs[w.r.IntN(len(p.Outputs))], Neg: w.r.IntN(2) == 0}
	}
	if w.r.IntN(3) == 0 {
		p.Global = append(p.Global, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: lit()}, {Coef: 1, Lit: lit()}}, Op: factored.GE, K: 1, Origin: "rule"})
	}
	if w.r.IntN(2) == 0 {
		p.Goal = append(p.Goal, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: lit()}}, Op: factored.GE, K: 1, Origin: "goal"})
	}
	for _, b := range p.Inputs {
		p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: factored.Lit{Bit: b}, Weight: int64(w.r.IntN(7) - 3)})
	}
	for range states {
		w.reads = append(w.reads, w.r.Perm(len(p.Variables))[:min(len(p.Variables), w.r.IntN(k+1))])
	}
	w.start = make(factored.Valuation, p.NumBits())
	for try := 0; try == 0 || validate.CheckPart(p, validate.State, w.start) != nil; try++ {
		for i := range states {
			_ = p.Variables[i].Set(w.start, w.r.Int64N(p.Variables[i].Hi+1))
		}
		if try > 100 {
			p.Global = p.Global[:0]
		}
	}
	w.horizon = 2 + w.r.IntN(4)
	return w
}

// next is the state after a step. The values of each function are drawn for their places alone, whoever asks first.
func (w *world) next(now factored.Valuation) factored.Valuation {
	if w.shared != nil {
		return w.pooled(now)
	}
	out := make(factored.Valuation, w.p.NumBits())
	for i := range w.reads {
		v := &w.p.Variables[i]
		var key []byte
		for _, x := range w.reads[i] {
			key = append(key, byte(w.p.Variables[x].Value(now)))
		}
		h := fnv.New64a()
		h.Write(append(key, byte(i)))
		_ = v.Set(out, rand.New(rand.NewPCG(w.seed, h.Sum64())).Int64N(v.Hi+1))
	}
	return out
}

// Info, Reset, Step and Close make it a system.
func (w *world) Info() simulator.Info { return simulator.Info{Name: "world", Deterministic: true} }

func (w *world) Reset(_ context.Context, to factored.Valuation) (*simulator.Answer, error) {
	if w.now = w.start; to != nil {
		w.now = to
	}
	return &simulator.Answer{State: w.now, Terminal: w.ends != nil && w.ends(w.now)}, nil
}

func (w *world) Step(_ context.Context, action factored.Valuation) (*simulator.Answer, error) {
	now := slices.Clone(action)
	for _, b := range w.p.Bits(factored.State) {
		now[b] = w.now[b]
	}
	if w.ends != nil && w.ends(w.now) {
		return nil, errors.New("a step was taken where a run ends")
	}
	w.now = w.next(now)
	a := &simulator.Answer{State: w.now, Terminal: w.ends != nil && w.ends(w.now)}
	if w.pay != nil {
		reward := float64(w.pay(now, w.now)) / 4
		a.Reward = &reward
	}
	return a, nil
}

func (w *world) Close() error { return nil }

// joint lists all actions.
func (w *world) joint() (all []factored.Valuation) {
	bits := w.p.Bits(factored.Action)
	for x := range 1 << len(bits) {
		val := make(factored.Valuation, w.p.NumBits())
		for i, b := range bits {
			val[b] = x>>i&1 == 1
		}
		all = append(all, val)
	}
	return all
}

// best is the best reward by dynamic programming; nil if there is no plan.
func (w *world) best() *int64 {
	at := map[string]int64{}
	vals := map[string]factored.Valuation{}
	key := func(v factored.Valuation) string { return fmt.Sprint(v) }
	at[key(w.start)], vals[key(w.start)] = 0, w.start
	for range w.horizon {
		then := map[string]int64{}
		for k, sum := range at {
			if w.ends != nil && w.ends(vals[k]) {
				continue
			}
			for _, a := range w.joint() {
				now := slices.Clone(a)
				for _, b := range w.p.Bits(factored.State) {
					now[b] = vals[k][b]
				}
				if validate.CheckPart(w.p, validate.Action, now) != nil {
					continue
				}
				next := w.next(now)
				if validate.CheckPart(w.p, validate.State, next) != nil {
					continue
				}
				r, _ := validate.StepReward(w.p, now, next)
				if w.pay != nil {
					r = w.pay(now, next) * acting.RewardScale / 4
				}
				if old, ok := then[key(next)]; !ok || sum+r > old {
					then[key(next)], vals[key(next)] = sum+r, next
				}
			}
		}
		at = then
	}
	var best *int64
	for k, r := range at {
		if validate.CheckPart(w.p, validate.Goal, vals[k]) == nil && (best == nil || r > *best) {
			best = &r
		}
	}
	return best
}

// learn acts in the world.
func (w *world) learn(t *testing.T, k int, reset bool, change ...func(*acting.Options)) *acting.Result {
	t.Helper()
	r, err := w.act(w, k, reset, change...)
	if err != nil {
		t.Fatalf("%s: %v", w.p.Name, err)
	}
	return r
}

// act acts in a system that has the world's problem.
func (w *world) act(sys simulator.System, k int, reset bool, change ...func(*acting.Options)) (*acting.Result, error) {
	s := simulator.NewSession(w.p, sys, simulator.Options{Rules: []simulator.Rules{simulator.ProblemRules{Problem: w.p}}})
	o := acting.Options{
		Horizon: w.horizon, Steps: 3000, Reset: reset, K: k, Limits: engine.Limits{Threads: 1}, Rand: w.r,
		Draw: func(now *simulator.Answer) (factored.Valuation, error) {
			all := w.joint()
			for range 100 {
				if a := all[w.r.IntN(len(all))]; s.Allows(now, a) {
					return a, nil
				}
			}
			return nil, fmt.Errorf("no action is allowed")
		},
	}
	for _, c := range change {
		c(&o)
	}
	return acting.Learn(context.Background(), w.p, s, o)
}

// right reports whether a stop tells the truth.
func right(r *acting.Result, best *int64) bool {
	switch r.Status {
	case engine.Optimal:
		return best != nil && *r.Reward == *best
	case engine.Infeasible:
		return best == nil
	}
	return true
}

// checked has the checker read what was concluded.
func (w *world) checked(t *testing.T, r *acting.Result) *learned.Checked {
	t.Helper()
	rec := recordOf(w.p, w.horizon, r)
	var text bytes.Buffer
	if err := rec.Write(&text); err != nil {
		t.Fatal(err)
	}
	again, err := learned.Read("record", &text)
	if err != nil {
		t.Fatal(err)
	}
	c, err := learned.Check(context.Background(), w.p, again)
	if err != nil {
		t.Errorf("%s: the checker refuses it: %v", w.p.Name, err)
	}
	return c
}

// TestWorlds acts in random systems. Within the class each certified stop is right, and the independent checker accepts
// what was concluded. Outside of it, stops may be wrong; then they assume fewer variables than there are.
func TestWorlds(t *testing.T) {
	proven, steps := 0, 0
	reasons := map[string]int{}
	for seed := range uint64(*worlds) {
		k := 1 + int(seed%3)
		w := newWorld(seed, k)
		best := w.best()
		r := w.learn(t, k, seed%2 == 0, func(o *acting.Options) { o.Effort, o.Anywhere = int64(seed%3), seed%4 == 0 })
		if !right(r, best) {
			t.Errorf("%s, k %d: %s %v, brute force %v", w.p.Name, k, r.Status, value(r.Reward), value(best))
		}
		if r.Status == engine.Unknown {
			reasons[fmt.Sprint(seed%2 == 0, r.Reason)]++
		} else {
			proven++
			steps += r.Steps
		}
		w.checked(t, r)
	}
	if proven < *worlds/2 {
		t.Errorf("%d of %d were proven: too few", proven, *worlds)
	}
	t.Logf("%d of %d proven, %d steps; the others: %v", proven, *worlds, steps, reasons)
	outside, wrong := *worlds/6, 0
	for seed := range uint64(outside) {
		w := newWorld(seed+1_000_000, 4)
		best := w.best()
		r := w.learn(t, 1, seed%2 == 0)
		if !right(r, best) {
			wrong++
			most := 0
			for _, reads := range w.reads {
				most = max(most, len(reads))
			}
			if r.Model.K >= most {
				t.Errorf("%s: %s %v is wrong (brute force %v), and assumes no less than what is so: k %d, %d variables", w.p.Name, r.Status, value(r.Reward), value(best), r.Model.K, most)
			}
		}
	}
	t.Logf("outside: %d of %d wrong", wrong, outside)
}

// TestModel goes on until the model is known: all that brute force finds within reach is, and right.
func TestModel(t *testing.T) {
	done := 0
	for seed := range uint64(*worlds) {
		k := 1 + int(seed%3)
		w := newWorld(seed, k)
		r := w.learn(t, k, seed%2 == 0, func(o *acting.Options) { o.Model = true })
		if r.Extent == nil {
			if r.Reason == "" {
				t.Errorf("%s: it ended for no reason", w.p.Name)
			}
			continue
		}
		done++
		rec := recordOf(w.p, w.horizon, r)
		if _, err := check(context.Background(), w.p, rec); err != nil {
			t.Errorf("%s: the checker refuses it: %v", w.p.Name, err)
		}
		if rec.Rows = rec.Rows[1:]; !strings.HasPrefix(recordOf(w.p, w.horizon, r).Rows[0], rec.Start) {
			t.Errorf("%s: the first step is not from the start", w.p.Name)
		}
		rec.Clauses, rec.Plan = nil, nil
		if _, err := check(context.Background(), w.p, rec); err == nil {
			t.Errorf("%s: the checker accepts a model of which a step is missing", w.p.Name)
		}
		if got := w.reach(t, r); seed%2 == 0 && (got.States != r.Extent.States || got.Steps != r.Extent.Steps) {
			t.Errorf("%s: %+v is within reach, it says %+v", w.p.Name, got, *r.Extent)
		}
	}
	if done < *worlds/2 {
		t.Errorf("%d of %d models are known: too few", done, *worlds)
	}
}

// reach counts what is within reach, and holds all that was concluded against it.
func (w *world) reach(t *testing.T, r *acting.Result) (e acting.Extent) {
	rec := recordOf(w.p, w.horizon, r)
	states, outputs := w.p.Bits(factored.State), w.p.Outputs
	seen := map[string]bool{}
	for _, o := range r.Observed {
		seen[digits(o.Now, w.p.Inputs)] = true
	}
	queue, met := []factored.Valuation{w.start}, map[string]bool{digits(w.start, states): true}
	for ; len(queue) > 0; queue = queue[1:] {
		e.States++
		for _, now := range w.joint() {
			for _, b := range states {
				now[b] = queue[0][b]
			}
			next := w.next(now)
			if validate.CheckPart(w.p, validate.Action, now) != nil || validate.CheckPart(w.p, validate.State, next) != nil {
				continue
			}
			e.Steps++
			said := map[string]bool{}
			for _, c := range rec.Clauses {
				applies := !slices.ContainsFunc(c.If, func(x learned.Condition) bool {
					return x.Is != digits(now, r.Model.Variables[x.Variable].Bits)
				})
				b := outputs[slices.Index(rec.Learned, c.Next)]
				if said[c.Next] = said[c.Next] || applies; applies && next[b] != c.Value {
					t.Errorf("%s: %+v is wrong", w.p.Name, c)
				}
			}
			if slices.ContainsFunc(rec.Learned, func(name string) bool { return !said[name] }) && !seen[digits(now, w.p.Inputs)] {
				t.Errorf("%s: a step within reach is not known", w.p.Name)
			}
			if key := digits(next, states); !met[key] {
				met[key] = true
				queue = append(queue, next)
			}
		}
	}
	return e
}

func value(x *int64) any {
	if x == nil {
		return nil
	}
	return *x
}

// TestEnds has systems that end runs in some states: what is proven is right, and the checker accepts it.
func TestEnds(t *testing.T) {
	proven, ended := 0, 0
	for seed := range uint64(*worlds) {
		k := 1 + int(seed%3)
		w := newWorld(seed, k)
		w.ends = func(state factored.Valuation) bool { return w.p.Variables[0].Value(state) == 0 }
		model := seed%4 == 0
		r := w.learn(t, k, seed%2 == 0, func(o *acting.Options) { o.Model = model })
		if best := w.best(); !right(r, best) {
			t.Errorf("%s, k %d: %s %v, brute force %v", w.p.Name, k, r.Status, value(r.Reward), value(best))
		}
		if r.Status == engine.Optimal {
			proven++
		}
		ended += len(r.Ended)
		rec := recordOf(w.p, w.horizon, r)
		c, err := check(context.Background(), w.p, rec)
		if err != nil {
			t.Errorf("%s: the checker refuses it: %v", w.p.Name, err)
			continue
		}
		x, err := conflict.PB{}.Solve(context.Background(), engine.Query{Task: engine.Task{Problem: c.Optimistic}, MinHorizon: w.horizon, MaxHorizon: w.horizon}, engine.Limits{Threads: 1}, nil)
		if err != nil || r.Status != engine.Unknown && x.Status != r.Status || r.Status == engine.Optimal && x.Reward != *r.Reward {
			t.Errorf("%s: the checker's problem has %+v, the stop %s %v; %v", w.p.Name, x, r.Status, value(r.Reward), err)
		}
	}
	if proven < *worlds/5 || ended < *worlds/4 {
		t.Errorf("of %d, %d were proven, with %d states in which runs end: too few", *worlds, proven, ended)
	}
	w := newWorld(1, 1)
	w.ends = func(factored.Valuation) bool { return true }
	_, err := w.act(w, 1, true, func(o *acting.Options) { o.Ends = func(factored.Valuation) (bool, error) { return false, nil } })
	if !errors.Is(err, acting.ErrSystem) || !strings.Contains(err.Error(), "where the problem says that a run goes on") {
		t.Errorf("an end that the problem does not know: %v", err)
	}
}

// logged is a log of steps from legal states to legal ones, about which someone knew that they were safe.
func (w *world) logged(n int) (known []simulator.Transition) {
	at := w.start
	for range n {
		all := w.joint()
		now := slices.Clone(all[w.r.IntN(len(all))])
		for _, b := range w.p.Bits(factored.State) {
			now[b] = at[b]
		}
		next := w.next(now)
		if validate.CheckPart(w.p, validate.Action, now) != nil || validate.CheckPart(w.p, validate.State, next) != nil {
			continue
		}
		known = append(known, simulator.Transition{Now: now, Next: next})
		if at = next; w.r.IntN(4) == 0 {
			at = w.start
		}
	}
	return known
}

// TestSafe acts in random systems with states that rules forbid, from a log of few safe steps: no step leads to such a
// state, and some plans are proven all the same.
func TestSafe(t *testing.T) {
	proven, barred, broken, n := 0, 0, 0, 5**worlds/3 // few of them would break a rule
	for seed := range uint64(n) {
		k := 1 + int(seed%3)
		w := newWorld(seed, k)
		known := w.logged(10)
		for _, safe := range []bool{true, false} {
			w.now = w.start
			illegal := 0
			r := w.learn(t, k, seed%2 == 0, func(o *acting.Options) {
				o.Safe, o.Known = safe, known
				o.Step = func(s acting.Step) error {
					if s.Next != nil && validate.CheckPart(w.p, validate.State, s.Next) != nil {
						illegal++
					}
					return nil
				}
			})
			switch {
			case !safe:
				broken += illegal
				continue
			case illegal > 0:
				t.Errorf("%s: %d steps broke a rule", w.p.Name, illegal)
			case !right(r, w.best()):
				t.Errorf("%s: %s %v is wrong", w.p.Name, r.Status, value(r.Reward))
			case r.Status == engine.Optimal:
				proven++
			case r.Reason != "" && len(r.Unsafe) > 0:
				barred++
			}
		}
	}
	if proven < n/3 || barred == 0 || broken == 0 {
		t.Errorf("of %d, %d were proven and %d ended before an unsafe step; without, rules were broken %d times", n, proven, barred, broken)
	}
	t.Logf("of %d, %d were proven and %d ended before an unsafe step; without, rules were broken %d times", n, proven, barred, broken)
}
