package incremental_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/execution/incremental"
	"github.com/fdplan/fdplan/internal/execution/simulator"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// world is a small problem with a network that is wrong in places.
type world struct {
	p       *factored.Problem
	net     *bnn.Network
	horizon int
	truth   map[string]factored.Valuation // next state by state and action
	dies    int                           // steps after which it crashes; 0 for never
}

const stateBits, actionBits = 4, 2

// newWorld learns all state bits. With blind, the network does not see the last state bit, on
// which the truth depends.
func newWorld(t *testing.T, seed uint64, blind bool) *world {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	w := &world{p: factored.NewProblem("world"), horizon: 2 + rng.IntN(3), truth: map[string]factored.Valuation{}}
	for i := range stateBits + actionBits {
		v := factored.Variable{Name: fmt.Sprint("s", i), Bool: true}
		if i >= stateBits {
			v = factored.Variable{Name: fmt.Sprint("a", i), Bool: true, Kind: factored.Action}
		}
		if _, err := w.p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	lit := func(n int) factored.Lit { return factored.Lit{Bit: factored.Bit(rng.IntN(n)), Neg: rng.IntN(2) == 0} }
	clause := func(n, k int) factored.Constraint {
		c := factored.Constraint{Op: factored.GE, K: 1, Origin: "a clause"}
		for range k {
			c.Terms = append(c.Terms, factored.Term{Coef: 1, Lit: lit(n)})
		}
		return c
	}
	w.p.Global = []factored.Constraint{clause(stateBits, 3), clause(stateBits+actionBits, 3)}
	w.p.Goal = []factored.Constraint{clause(stateBits, 1), clause(stateBits, 2)}
	for b := range factored.Bit(stateBits) {
		if rng.IntN(4) > 0 { // the others are left to the planner
			w.p.Initial = append(w.p.Initial, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: b}}}, Op: factored.EQ, K: int64(rng.IntN(2))})
		}
	}
	for range 4 {
		w.p.Reward.Terms = append(w.p.Reward.Terms, factored.RewardTerm{Lit: lit(stateBits + actionBits), Weight: int64(rng.IntN(9) - 5)})
	}
	for b := range factored.Bit(stateBits + actionBits) {
		if !blind || b != stateBits-1 {
			w.p.Inputs = append(w.p.Inputs, b)
		}
		if b < stateBits {
			w.p.Outputs = append(w.p.Outputs, b)
		}
	}
	w.net = &bnn.Network{}
	for i, sizes := range [][2]int{{len(w.p.Inputs), 6}, {6, stateBits}} {
		w.net.Layers = append(w.net.Layers, bnn.Layer{Inputs: sizes[0]})
		l := &w.net.Layers[i]
		for j := range sizes[1] {
			for range l.Inputs {
				l.Weights = append(l.Weights, int8(rng.IntN(3)-1))
			}
			l.Thresholds = append(l.Thresholds, 0)
			l.Thresholds[j] = int32((l.FanIn(j) + 1) / 2)
		}
	}
	if err := w.p.Check(); err != nil {
		t.Fatal(err)
	}
	e := bnn.NewEvaluator(w.net)
	for x := range 1 << (stateBits + actionBits) {
		now := make(factored.Valuation, w.p.NumBits())
		for b := range now {
			now[b] = x>>b&1 == 1
		}
		in, out := []uint64{0}, []uint64{0}
		for i, b := range w.p.Inputs {
			if now[b] {
				in[0] |= 1 << i
			}
		}
		e.Forward(out, in, e.NewScratch())
		next := make(factored.Valuation, w.p.NumBits())
		for i, b := range w.p.Outputs {
			next[b] = out[0]>>i&1 == 1
		}
		if rng.IntN(4) == 0 || blind && rng.IntN(2) == 0 {
			flip := rng.IntN(stateBits)
			next[flip] = !next[flip]
		}
		w.truth[key(now)] = next
	}
	return w
}

func key(now factored.Valuation) string { return fmt.Sprint(now) }

// system is the truth as a simulator.
type system struct {
	w     *world
	state factored.Valuation
	steps int
}

var errDead = errors.New("the system is dead")

func (s *system) Info() simulator.Info {
	return simulator.Info{Name: "world", AnyState: true, Deterministic: true}
}

func (s *system) Reset(_ context.Context, state factored.Valuation) (*simulator.Answer, error) {
	s.state = make(factored.Valuation, s.w.p.NumBits())
	copy(s.state[:stateBits], state)
	return &simulator.Answer{State: s.state}, nil
}

func (s *system) Step(_ context.Context, action factored.Valuation) (*simulator.Answer, error) {
	if s.steps++; s.w.dies > 0 && s.steps > s.w.dies {
		return nil, errDead
	}
	now := append(append(factored.Valuation{}, s.state[:stateBits]...), action[stateBits:]...)
	s.state = s.w.truth[key(now)]
	return &simulator.Answer{State: s.state}, nil
}

func (s *system) Close() error { return nil }

func (w *world) session(budget int) *simulator.Session {
	return simulator.NewSession(w.p, &system{w: w}, simulator.Options{Rules: []simulator.Rules{simulator.ProblemRules{Problem: w.p}}, MaxSteps: budget})
}

// holds replays a plan found by brute force in the truth.
func (w *world) holds(t *testing.T, x *randprob.Plan) bool {
	t.Helper()
	read := func(text string, at int) factored.Valuation {
		val := make(factored.Valuation, w.p.NumBits())
		for i := range text {
			val[at+i] = text[i] == '1'
		}
		return val
	}
	var actions []factored.Valuation
	for _, a := range x.Actions {
		actions = append(actions, read(a, stateBits))
	}
	run, err := w.session(0).Replay(context.Background(), read(x.Start, 0), actions)
	if err != nil {
		t.Fatal(err)
	}
	return run.Failure == nil
}

func (w *world) solve(e engine.Opener, s *simulator.Session, o incremental.Options) (*incremental.Result, error) {
	o.Limits, o.Now = engine.Limits{Threads: 1}, time.Now
	return incremental.Solve(context.Background(), e, engine.Task{Problem: w.p, Network: w.net}, w.horizon, s, o)
}

// checkEnd compares the end of a run with brute force over plans.
func (w *world) checkEnd(t *testing.T, name string, kind incremental.Kind, res *incremental.Result) {
	t.Helper()
	var left []randprob.Plan
	for _, x := range randprob.Plans(w.p, res.Network, w.horizon) {
		keep := true
		if kind == incremental.Transition {
			for _, f := range res.Known.Failures {
				start, actions := randprob.Spell(w.p, append(f.Trace.Steps[:max(1, len(f.Trace.Steps)):len(f.Trace.Steps)], f.Trace.Steps[0]))
				if x.Begins(start, actions, f.Depth) {
					keep = false
					if x := x; w.holds(t, &x) {
						t.Fatalf("%s: a plan that holds was excluded", name)
					}
				}
			}
		} else {
			keep = w.holds(t, &x)
		}
		if keep {
			left = append(left, x)
		}
	}
	want := top(left)
	switch {
	case want == nil && res.Status != engine.Infeasible:
		t.Fatalf("%s: %s %d, brute force that no plan is left", name, res.Status, res.Reward)
	case want != nil && (res.Status != engine.Optimal || res.Reward != want.Reward):
		t.Fatalf("%s: %s %d, brute force %d", name, res.Status, res.Reward, want.Reward)
	case want != nil && res.Run.Failure != nil:
		t.Fatalf("%s: the plan fails", name)
	}
}

// TestLoop compares the end of the loop, for every engine and kind of landmark, with brute
// force: over the plans that hold in both, or over those of the corrected network. No plan is
// proposed twice, and in total a stronger landmark needs no more iterations.
func TestLoop(t *testing.T) {
	iterations := map[incremental.Kind]int{}
	engines := enginesOf(t)
	failures, fallen, corrected, open := 0, 0, 0, 0
	for i := range *instances {
		seed := uint64(i)
		w := newWorld(t, seed, i%3 == 2)
		if len(w.p.Initial) < stateBits {
			open++
		}
		for _, e := range engines(i) {
			for _, k := range incremental.Kinds {
				name := fmt.Sprintf("seed %d: %s with %s", seed, e.Name(), k)
				res, err := w.solve(e, w.session(0), incremental.Options{Landmarks: k})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				w.checkEnd(t, name, k, res)
				iterations[k] += len(res.Iterations)
				failures += len(res.Known.Failures)
				corrected += res.Corrected
				proposed, fell := map[string]bool{}, false
				for _, it := range res.Iterations {
					if it.Trace == nil {
						continue
					}
					start, actions := randprob.Spell(w.p, it.Trace.Steps)
					plan := fmt.Sprint(start, actions)
					if proposed[plan] {
						t.Fatalf("%s: the plan %s is proposed twice", name, plan)
					}
					proposed[plan] = true
					if it.Fallen != "" {
						fallen++
						fell = true
					}
				}
				if k == incremental.Transition && !fell {
					// Everything is corrected: the landmarks exclude nothing that the
					// corrected network would allow.
					best, ok := randprob.BruteForce(w.p, res.Network, w.horizon)
					if ok != (res.Status == engine.Optimal) || ok && best != res.Reward {
						t.Fatalf("%s: %s %d, the corrected network has %d", name, res.Status, res.Reward, best)
					}
				}
			}
		}
	}
	if failures < 5**instances || corrected == 0 || fallen == 0 || open == 0 {
		t.Errorf("too little is tried: %d failures, %d corrections, %d fallen back, %d with open initial bits", failures, corrected, fallen, open)
	}
	if p := iterations[incremental.Plan]; iterations[incremental.Prefix] >= p || iterations[incremental.Transition] >= p {
		t.Errorf("iterations: %v", iterations)
	}
}

// TestResume: a run is ended by a failed system or a budget, its knowledge is saved to a file
// and read back, and another engine continues with fewer failed plans, to the same end.
func TestResume(t *testing.T) {
	resumed := 0
	for i := range *instances {
		seed := 1000 + uint64(i)
		w := newWorld(t, seed, i%3 == 2)
		for _, k := range incremental.Kinds {
			whole, err := w.solve(search.Engine{}, w.session(0), incremental.Options{Landmarks: k})
			if err != nil {
				t.Fatal(err)
			}
			if len(whole.Known.Failures) < 2 {
				continue
			}
			var saved *incremental.State
			budget := 3
			if i%2 == 0 {
				w.dies, budget = budget, 0
			}
			o := incremental.Options{Landmarks: k, Save: func(s *incremental.State) error { saved = s; return nil }}
			part, err := w.solve(search.Engine{}, w.session(budget), o)
			w.dies = 0
			if err == nil {
				continue // the plans fail early
			}
			if i%2 == 0 && !errors.Is(err, errDead) || i%2 == 1 && !errors.Is(err, simulator.ErrBudget) || part.Status != engine.Unknown {
				t.Fatalf("seed %d: %v, %s", seed, err, part.Status)
			}
			if saved == nil {
				continue
			}
			resumed++
			var file bytes.Buffer
			if err := saved.Write(&file, w.p, w.horizon, "sim"); err != nil {
				t.Fatal(err)
			}
			known, system, err := incremental.Read("saved", file.Bytes(), w.p, w.horizon)
			if err != nil || system != "sim" {
				t.Fatal(err)
			}
			for _, e := range openers {
				name := fmt.Sprintf("seed %d: %s with %s, resumed", seed, e.Name(), k)
				res, err := w.solve(e, w.session(0), incremental.Options{Landmarks: k, Known: known})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if e.Name() == "search" && (len(res.Iterations)+len(saved.Failures) != len(whole.Iterations) || res.Reward != whole.Reward || !reflect.DeepEqual(res.Network, whole.Network)) {
					t.Fatalf("%s: %d iterations after %d failures, %d at once", name, len(res.Iterations), len(saved.Failures), len(whole.Iterations))
				}
				w.checkEnd(t, name, k, res)
			}
		}
	}
	if resumed < *instances/4 {
		t.Errorf("only %d runs were resumed", resumed)
	}
}

// TestRestart: discarding what was learned changes only the effort.
func TestRestart(t *testing.T) {
	for seed := range uint64(10) {
		w := newWorld(t, seed, false)
		for _, e := range openers {
			a, err := w.solve(e, w.session(0), incremental.Options{Landmarks: incremental.Prefix})
			if err != nil {
				t.Fatal(err)
			}
			b, err := w.solve(e, w.session(0), incremental.Options{Landmarks: incremental.Prefix, Restart: true})
			if err != nil || a.Status != b.Status || a.Reward != b.Reward {
				t.Fatalf("seed %d: %s: %s %d, restarted %s %d, %v", seed, e.Name(), a.Status, a.Reward, b.Status, b.Reward, err)
			}
		}
	}
}

// TestReadRefuses: files that belong to another problem.
func TestReadRefuses(t *testing.T) {
	w := newWorld(t, 3, false)
	var file bytes.Buffer
	res, err := w.solve(search.Engine{}, w.session(0), incremental.Options{Landmarks: incremental.Transition})
	if err != nil || len(res.Known.Failures) == 0 {
		t.Fatalf("nothing to save: %v", err)
	}
	if err := res.Known.Write(&file, w.p, w.horizon, "sim"); err != nil {
		t.Fatal(err)
	}
	good := file.String()
	for what, change := range map[string][2]string{
		"not landmarks":   {good, "{"},
		"the schema":      {`"schema":3`, `"schema":1`},
		"another goal":    {`"belongs":"`, `"belongs":"0`},
		"those of world":  {`"problem":"world"`, `"problem":"another"`},
		"of horizon":      {fmt.Sprintf(`"horizon":%d`, w.horizon), `"horizon":99`},
		"other variables": {`"states":["s0"`, `"states":["t0"`},
		"does not fit":    {`"state":"`, `"state":"0`},
		"unknown field":   {`"schema"`, `"more":1,"schema"`},
	} {
		data := reseal(bytes.Replace([]byte(good), []byte(change[0]), []byte(change[1]), 1))
		if _, _, err := incremental.Read("saved", data, w.p, w.horizon); err == nil || !bytes.Contains([]byte(err.Error()), []byte(what)) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// A change that nobody sealed.
	forged := bytes.Replace([]byte(good), []byte(`"failures":[`), []byte(`"failures":[{"state":"","actions":[],"text":""},`), 1)
	if _, _, err := incremental.Read("saved", forged, w.p, w.horizon); err == nil || !strings.Contains(err.Error(), "saved:1: the checksum is ") {
		t.Errorf("a forged landmark: %v", err)
	}
	// A goal that was changed.
	goal := w.p.Goal
	w.p.Goal = nil
	if _, _, err := incremental.Read("saved", []byte(good), w.p, w.horizon); err == nil || !strings.Contains(err.Error(), "another goal") {
		t.Errorf("without the goal: %v", err)
	}
	w.p.Goal = goal
	// Another network may go on with it.
	w.p.Inputs = w.p.Inputs[1:]
	if s, _, err := incremental.Read("saved", []byte(good), w.p, w.horizon); err != nil || !reflect.DeepEqual(s.Failures[0].Observed, res.Known.Failures[0].Observed) {
		t.Errorf("after a change of the network: %v", err)
	}
}

// reseal gives a file the checksum of its text.
func reseal(data []byte) []byte {
	checksum := regexp.MustCompile(`"checksum":"[^"]*"`)
	data = checksum.ReplaceAll(data, []byte(`"checksum":""`))
	return checksum.ReplaceAll(data, fmt.Appendf(nil, `"checksum":"%x"`, sha256.Sum256(data)))
}

// TestRecheck: failures that are none change the answer, and do not when they are
// replayed; those that are remain.
func TestRecheck(t *testing.T) {
	changed := 0
	for seed := range uint64(30) {
		w := newWorld(t, seed, false)
		for _, k := range []incremental.Kind{incremental.Plan, incremental.Prefix, incremental.Transition} {
			whole, err := w.solve(search.Engine{}, w.session(0), incremental.Options{Landmarks: k})
			if err != nil {
				t.Fatal(err)
			}
			if whole.Trace == nil {
				continue
			}
			lie := incremental.Failure{Landmark: engine.Landmark{Trace: whole.Trace, Depth: w.horizon}, Text: "a lie"}
			known := &incremental.State{Failures: append([]incremental.Failure{lie}, whole.Known.Failures...)}
			believed, err := w.solve(search.Engine{}, w.session(0), incremental.Options{Landmarks: k, Known: known})
			if err != nil {
				t.Fatal(err)
			}
			if believed.Trace == nil || believed.Reward != whole.Reward {
				changed++
			}
			checked, err := w.solve(search.Engine{}, w.session(0), incremental.Options{Landmarks: k, Known: known, Recheck: true})
			if err != nil || checked.Status != whole.Status || checked.Reward != whole.Reward || checked.Forgotten != 1 || checked.Rechecked != len(known.Failures) {
				t.Fatalf("seed %d, %s: %s %d, expected %s %d; %d of %d forgotten, %v", seed, k, checked.Status, checked.Reward, whole.Status, whole.Reward, checked.Forgotten, checked.Rechecked, err)
			}
			if len(checked.Iterations) != 1 || !reflect.DeepEqual(checked.Network, whole.Network) {
				t.Fatalf("seed %d, %s: %d iterations after what was known", seed, k, len(checked.Iterations))
			}
		}
	}
	if changed == 0 {
		t.Error("no lie changed an answer")
	}
}

// TestEngineCaught: an engine that ignores landmarks does not make the loop endless, and one
// that invents plans is refused.
func TestEngineCaught(t *testing.T) {
	caught := 0
	for seed := range uint64(20) {
		w := newWorld(t, seed, false)
		_, err := w.solve(deaf{}, w.session(0), incremental.Options{Landmarks: incremental.Plan})
		if err != nil {
			if !errors.Is(err, incremental.ErrEngine) {
				t.Fatal(err)
			}
			caught++
		}
	}
	if caught < 5 {
		t.Errorf("caught %d times", caught)
	}
}

// deaf is search without landmarks.
type deaf struct{ search.Engine }

func (e deaf) Open(ctx context.Context, t engine.Task, h int) (engine.Session, error) {
	s, err := e.Engine.Open(ctx, t, h)
	return deafSession{s}, err
}

type deafSession struct{ engine.Session }

func (deafSession) Exclude(engine.Landmark) error { return nil }
