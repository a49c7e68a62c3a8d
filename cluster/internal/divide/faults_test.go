package divide_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/cluster/internal/divide"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// between is an Executor that passes units and outcomes through JSON, as a queue does, and
// what comes back through a function that may change it: what that returns is delivered.
type between struct {
	divide.Executor
	outcome func(u divide.Unit, o *divide.Outcome) []*divide.Outcome
}

type betweenWorkers struct {
	divide.Workers
	change   func(u divide.Unit, o *divide.Outcome) []*divide.Outcome
	outcomes chan *divide.Outcome
	cancel   context.CancelFunc
	done     sync.WaitGroup

	mu    sync.Mutex
	units map[string]divide.Unit
}

func (b between) Open(ctx context.Context, t engine.Task, horizon int) (divide.Workers, error) {
	inner, err := b.Executor.Open(ctx, t, horizon)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &betweenWorkers{Workers: inner, change: b.outcome, outcomes: make(chan *divide.Outcome), cancel: cancel, units: map[string]divide.Unit{}}
	w.done.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case o := <-inner.Outcomes():
				w.mu.Lock()
				u := w.units[o.ID]
				w.mu.Unlock()
				for _, o := range w.change(u, copied(o)) {
					select {
					case <-ctx.Done():
						return
					case w.outcomes <- o:
					}
				}
			}
		}
	})
	return w, nil
}

// copied is a value after its way through JSON.
func copied[T any](v *T) *T {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	out := new(T)
	if err := json.Unmarshal(text, out); err != nil {
		panic(err)
	}
	return out
}

func (w *betweenWorkers) Start(ctx context.Context, u divide.Unit) error {
	v := copied(&u)
	if len(u.Cube) > 0 && !reflect.DeepEqual(*v, u) {
		panic("a unit is not what it was")
	}
	w.mu.Lock()
	w.units[u.ID] = *v
	w.mu.Unlock()
	return w.Workers.Start(ctx, *v)
}

func (w *betweenWorkers) Outcomes() <-chan *divide.Outcome { return w.outcomes }

func (w *betweenWorkers) Close() error {
	w.cancel()
	w.done.Wait()
	return w.Workers.Close()
}

// TestLost loses outcomes, delivers others twice, and has workers die: the answers and proofs
// are as without all that.
func TestLost(t *testing.T) {
	var extra, repeated int64
	for seed := range uint64(40) {
		p, net, horizon := randprob.New(seed+77, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		rng := rand.New(rand.NewPCG(seed, 0))
		e := between{divide.Threads{N: 2}, func(u divide.Unit, o *divide.Outcome) []*divide.Outcome {
			switch rng.IntN(5) {
			case 0:
				if u.Attempt == 0 {
					return []*divide.Outcome{{ID: o.ID, Fault: "killed"}}
				}
			case 1:
				return []*divide.Outcome{o, o}
			case 2:
				if u.Attempt == 0 {
					return []*divide.Outcome{{ID: o.ID, Fault: "killed"}, o}
				}
			}
			return []*divide.Outcome{o}
		}}
		res := solve(t, divide.Options{Executor: e, Cubes: 6, Work: 60, Proof: true}, task, horizon)
		agrees(t, seed, task, horizon, res)
		proven(t, seed, task, horizon, res, proof.VeriPB20)
		extra += res.Stats["extra_outcomes"]
		repeated += res.Stats["repeated_units"]
	}
	if extra == 0 || repeated == 0 {
		t.Errorf("%d extra outcomes, %d repeated units; expected some", extra, repeated)
	}
}

// planned is a random problem with a plan whose optimum takes several cubes and some work to
// prove.
func planned(t *testing.T) (engine.Task, int) {
	t.Helper()
	for seed := uint64(1); ; seed++ {
		p, net, horizon := randprob.New(seed, randprob.Options{StateBits: 8, ActionBits: 4, Units: 8, Horizon: 4})
		task := engine.Task{Problem: p, Network: net}
		res := solve(t, divide.Options{Executor: divide.Threads{N: 1}, Cubes: 8, Proof: true}, task, horizon)
		if res.Status == engine.Optimal && res.Stats["units"] >= 6 && res.Stats["work"] >= 2000 {
			return task, horizon
		}
	}
}

// TestRefused: outcomes that cannot be are asked again and then an error.
func TestRefused(t *testing.T) {
	task, horizon := planned(t)
	for name, change := range map[string]func(*divide.Outcome){
		"fault":           func(o *divide.Outcome) { *o = divide.Outcome{ID: o.ID, Fault: "out of memory"} },
		"missing proof":   func(o *divide.Outcome) { o.Proof = nil },
		"unsettled":       func(o *divide.Outcome) { o.Infeasible, o.Bound = false, nil },
		"plan too short":  func(o *divide.Outcome) { o.Best = &divide.Best{Reward: 1 << 40, Steps: []string{"0"}} },
		"plan of nothing": func(o *divide.Outcome) { o.Best = &divide.Best{Reward: 1 << 40, Steps: make([]string, horizon+1)} },
		"plan's reward": func(o *divide.Outcome) {
			if o.Best != nil {
				o.Best.Reward += 1000
			} else {
				o.Fault = "no plan to lie about"
			}
		},
	} {
		e := between{divide.Threads{N: 1}, func(_ divide.Unit, o *divide.Outcome) []*divide.Outcome {
			change(o)
			return []*divide.Outcome{o}
		}}
		q := engine.Query{Task: task, MinHorizon: horizon, MaxHorizon: horizon}
		res, err := divide.Engine{Options: divide.Options{Executor: e, Cubes: 8, Proof: true}}.Solve(context.Background(), q, engine.Limits{}, nil)
		if !errors.Is(err, divide.ErrUnit) {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
}

// changed has a proof's text changed.
func changed(t *testing.T, text []byte, change func(string) string) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(change(string(plain)))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// definitions leaves out of a proof what does not define a variable.
func definitions(text string) string {
	var kept []string
	for i, line := range strings.SplitAfter(text, "\n") {
		if word, _, _ := strings.Cut(line, " "); i < 2 || word == "red" || word == "output" || word == "conclusion" || word == "end" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// TestAltered alters the proof or the bound of one unit: the parts are not joined, or the
// checker refuses what comes of it.
func TestAltered(t *testing.T) {
	task, horizon := planned(t)
	opb, _ := problemFile(t, task, horizon, false)
	cut := func(o *divide.Outcome) { o.Proof = o.Proof[:len(o.Proof)/2] }
	edit := func(change func(string) string) func(*divide.Outcome) {
		return func(o *divide.Outcome) { o.Proof = changed(t, o.Proof, change) }
	}
	for name, c := range map[string]struct {
		change func(*divide.Outcome)
		joined bool // and refused by the checker
	}{
		"cut off":            {cut, false},
		"no compression":     {func(o *divide.Outcome) { o.Proof = []byte("pseudo-Boolean proof version 2.0\n") }, false},
		"no end":             {edit(func(s string) string { return s[:strings.Index(s, "output")] }), false},
		"another problem":    {edit(func(s string) string { return strings.Replace(s, "\nf ", "\nf 1", 1) }), false},
		"a solution":         {edit(func(s string) string { return strings.Replace(s, "output", "soli x1\noutput", 1) }), false},
		"an assumption":      {edit(func(s string) string { return strings.Replace(s, "output", "a 1 x1 >= 1 ;\noutput", 1) }), false},
		"a later constraint": {edit(func(s string) string { return strings.Replace(s, "output", "pol 999999\noutput", 1) }), false},
		"the problem's rows": {edit(func(s string) string { return strings.Replace(s, "output", "del id 1\noutput", 1) }), false},
		"no steps": {edit(func(s string) string {
			return strings.Join(strings.SplitAfter(s, "\n")[:2], "") + s[strings.Index(s, "output"):]
		}), false},
		"only definitions": {edit(definitions), true},
		"a false clause": {edit(func(s string) string {
			return strings.Replace(s, "output", "rup 1 ~x1 >= 1 ;\nrup 1 x1 >= 1 ;\noutput", 1)
		}), true},
	} {
		first := ""
		e := between{divide.Threads{N: 1}, func(_ divide.Unit, o *divide.Outcome) []*divide.Outcome {
			if !o.Infeasible && (first == "" || first == o.ID || c.joined) {
				first = o.ID
				c.change(o)
			}
			return []*divide.Outcome{o}
		}}
		res := solve(t, divide.Options{Executor: e, Cubes: 8, Proof: true}, task, horizon)
		var text bytes.Buffer
		_, err := res.Evidence.Write(context.Background(), &text, proof.VeriPB20)
		if c.joined != (err == nil) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if v, err := veripb.Check(bytes.NewReader(opb), &text); err == nil && v.Kind == veripb.Optimal {
			t.Errorf("%s: accepted: %v", name, v)
		}
	}
}

// TestFalseBound has workers claim that the first plan of a cube is its best. Where the answer
// is wrong for that, no proof of it is accepted.
func TestFalseBound(t *testing.T) {
	wrong := 0
	for seed := range uint64(150) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		e := between{divide.Threads{N: 1}, func(_ divide.Unit, o *divide.Outcome) []*divide.Outcome {
			if o.Best != nil && o.Proof != nil {
				low := o.Best.Reward
				o.Bound = &low
			}
			return []*divide.Outcome{o}
		}}
		res := solve(t, divide.Options{Executor: e, Cubes: 2, Work: 20, Proof: true}, task, horizon)
		if reward, feasible := randprob.BruteForce(p, net, horizon); !feasible || res.Reward == reward {
			continue
		}
		wrong++
		opb, _ := problemFile(t, task, horizon, false)
		var text bytes.Buffer
		if _, err := res.Evidence.Write(context.Background(), &text, proof.VeriPB20); err != nil {
			continue
		}
		if v, err := veripb.Check(bytes.NewReader(opb), &text); err == nil && v.Kind == veripb.Optimal {
			t.Errorf("problem %d: the reward %d is accepted as the best", seed, res.Reward)
		}
	}
	if wrong == 0 {
		t.Error("no answer was wrong")
	}
}

// TestStopped ends runs after some outcomes: the bound that is known holds, and the proof of
// what is known is accepted.
func TestStopped(t *testing.T) {
	bounded := 0
	for seed := range uint64(60) {
		p, net, horizon := randprob.New(seed+900, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		ctx, cancel := context.WithCancel(context.Background())
		left := int(seed % 4)
		e := between{divide.Threads{N: 1}, func(_ divide.Unit, o *divide.Outcome) []*divide.Outcome {
			if left--; left < 0 {
				cancel()
				return nil
			}
			return []*divide.Outcome{o}
		}}
		q := engine.Query{Task: task, MinHorizon: horizon, MaxHorizon: horizon}
		res, err := divide.Engine{Options: divide.Options{Executor: e, Cubes: 5, Proof: true}}.Solve(ctx, q, engine.Limits{}, nil)
		cancel()
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		reward, feasible := randprob.BruteForce(p, net, horizon)
		switch res.Status {
		case engine.Optimal, engine.Infeasible:
			agrees(t, seed, task, horizon, res)
		case engine.Feasible, engine.Unknown:
			if feasible && *res.Bound < reward || res.Trace != nil && res.Reward > reward {
				t.Fatalf("%d: %+v, the best is %d", seed, res, reward)
			}
			if res.Reason == "" {
				t.Errorf("%d: no reason", seed)
			}
		}
		opb, m := problemFile(t, task, horizon, false)
		var text bytes.Buffer
		bound, err := res.Evidence.Write(context.Background(), &text, proof.VeriPB20)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		v, err := veripb.Check(bytes.NewReader(opb), &text)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		if bound == nil || m.Infeasible() {
			continue
		}
		if o := format.ObjectiveOf(m, format.OPB); v.Lower == nil || o.Reward(v.Lower.Int64()) != *bound || feasible && *bound < reward {
			t.Fatalf("%d: the proof shows %v, said is the bound %d, the best is %d", seed, v, *bound, reward)
		}
		if res.Status == engine.Feasible {
			bounded++
		}
	}
	if bounded == 0 {
		t.Error("no run was cut short")
	}
}
