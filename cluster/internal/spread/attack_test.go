package spread

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/cluster/internal/divide"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// warnings collects what clients warn of.
type warnings struct {
	mu  sync.Mutex
	all []string
}

func (w *warnings) add(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, text)
}

// take returns what was collected so far.
func (w *warnings) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.all
	w.all = nil
	return all
}

// stores opens the server's stores as somebody does who knows its secret and has no part of
// this program.
func stores(t *testing.T, url string) (results, boards jetstream.KeyValue) {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err == nil {
		results, err = js.KeyValue(t.Context(), "fdplan-results")
	}
	if err == nil {
		boards, err = js.KeyValue(t.Context(), "fdplan-boards")
	}
	if err != nil {
		t.Fatal(err)
	}
	return results, boards
}

// here is an Executor that does each unit as it is handed in.
type here struct{}

type hereWorkers struct {
	task     engine.Task
	best     *divide.Best
	outcomes chan *divide.Outcome
}

func (here) Open(_ context.Context, t engine.Task, _ int) (divide.Workers, error) {
	return &hereWorkers{task: t, outcomes: make(chan *divide.Outcome, 1)}, nil
}

func (w *hereWorkers) Publish(b divide.Best) {
	if w.best == nil || b.Reward > w.best.Reward {
		w.best = &b
	}
}

func (w *hereWorkers) Best() *divide.Best         { return w.best }
func (w *hereWorkers) Refuse(*divide.Best, error) {}
func (w *hereWorkers) Slots() int                 { return 1 }

func (w *hereWorkers) Start(ctx context.Context, u divide.Unit) error {
	o, err := divide.Run(ctx, w.task, u, w)
	w.outcomes <- o
	return err
}

func (w *hereWorkers) Outcomes() <-chan *divide.Outcome { return w.outcomes }
func (w *hereWorkers) Close() error                     { return nil }

// attacked is a random problem that several cubes have to settle, under a name of its own, so
// that nothing is known of it.
func attacked(name string) (t engine.Task, horizon int, reward int64) {
	for seed := uint64(1); ; seed++ {
		p, net, horizon := randprob.New(seed, randprob.Options{StateBits: 8, ActionBits: 4, Units: 8, Horizon: 4})
		t := engine.Task{Problem: p, Network: net}
		o := divide.Options{Executor: here{}, Cubes: 8, Proof: true}
		res, err := divide.Engine{Options: o}.Solve(context.Background(), engine.Query{Task: t, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{}, func(engine.Progress) {})
		if err == nil && res.Status == engine.Optimal && res.Stats["units"] >= 6 && res.Stats["work"] >= 40 {
			p.Name = name
			reward, _ := randprob.BruteForce(p, net, horizon)
			return t, horizon, reward
		}
	}
}

// planOf solves a problem by the workers alone, or fails.
func planOf(t *testing.T, c *Coordinator, task engine.Task, horizon int, proven bool) (*engine.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	o := divide.Options{Executor: Cubes{c}, Cubes: 8, Proof: proven}
	res, err := divide.Engine{Options: o}.Solve(ctx, engine.Query{Task: task, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{}, nil)
	if ctx.Err() != nil {
		t.Fatal("the plan takes for ever")
	}
	return res, err
}

// boardOf is the name of the board of a problem.
func boardOf(t *testing.T, task engine.Task, horizon int) string {
	t.Helper()
	text, err := divide.Encode(task)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s-%d", cluster.HashOf(text), horizon)
}

// TestWrongBoard puts all kinds of texts on the board of a problem, before the work begins and
// while it goes on. The answer is the true one, and whoever finds a wrong plan warns of it.
func TestWrongBoard(t *testing.T) {
	said := &warnings{}
	c, url := startWarned(t, 2, said.add)
	_, boards := stores(t, url)
	task, horizon, reward := attacked("a plan")
	res, err := planOf(t, c, task, horizon, false)
	if err != nil || res.Reward != reward {
		t.Fatalf("%+v, %v", res, err)
	}
	var good divide.Best
	if b := shown(t.Context(), c.Session.Client(), boardOf(t, task, horizon)); b == nil {
		t.Fatal("the best plan is not on the board")
	} else {
		good = b.Best
	}
	said.take()
	with := func(change func(*divide.Best)) string {
		b := divide.Best{Reward: good.Reward, Steps: append([]string(nil), good.Steps...)}
		change(&b)
		text, _ := json.Marshal(b)
		return string(text)
	}
	flipped := func(line string) string {
		return strings.NewReplacer("0", "1", "1", "0").Replace(line)
	}
	for _, x := range []struct {
		name, text string
		warned     bool
	}{
		{"no steps", with(func(b *divide.Best) { b.Reward++; b.Steps = []string{} }), true},
		{"the greatest reward", with(func(b *divide.Best) { b.Reward = math.MaxInt64; b.Steps = nil }), true},
		{"a lie about the reward", with(func(b *divide.Best) { b.Reward++ }), true},
		{"too few steps", with(func(b *divide.Best) { b.Reward += 9; b.Steps = b.Steps[:1] }), true},
		{"too many steps", with(func(b *divide.Best) { b.Reward += 9; b.Steps = append(b.Steps, b.Steps...) }), true},
		{"short steps", with(func(b *divide.Best) { b.Reward += 9; b.Steps = []string{"0", "1", "0", "1"} }), true},
		{"no bits", with(func(b *divide.Best) {
			b.Reward += 9
			b.Steps[0] = strings.Repeat("x", len(b.Steps[0]))
		}), true},
		{"another start", with(func(b *divide.Best) { b.Reward += 9; b.Steps[0] = flipped(b.Steps[0]) }), true},
		{"another end", with(func(b *divide.Best) { b.Reward += 9; b.Steps[len(b.Steps)-1] = flipped(b.Steps[len(b.Steps)-1]) }), true},
		{"zeros", with(func(b *divide.Best) {
			b.Reward += 9
			for i, line := range b.Steps {
				b.Steps[i] = strings.Repeat("0", len(line))
			}
		}), true},
		{"as long as can be", with(func(b *divide.Best) { b.Reward += 9; b.Steps[0] = strings.Repeat("0", 500_000) }), true},
		{"a wrong one that is worse", with(func(b *divide.Best) { b.Reward -= 1000; b.Steps = nil }), true},
		{"nothing in it", "{}", true},
		{"null", "null", true},
		{"no object", `[1, 2]`, false},
		{"no JSON", "\xff\x00{", false},
		{"an empty text", "", false},
		{"the best plan", with(func(*divide.Best) {}), false},
		{"the best plan, modestly", with(func(b *divide.Best) { b.Reward -= 5 }), false},
	} {
		for _, proven := range []bool{false, true} {
			task.Problem.Name = fmt.Sprint(x.name, " ", proven)
			if _, err := boards.Put(t.Context(), boardOf(t, task, horizon), []byte(x.text)); err != nil {
				t.Fatal(err)
			}
			res, err := planOf(t, c, task, horizon, proven)
			if err != nil || res.Status != engine.Optimal || res.Reward != reward {
				t.Errorf("%s: %+v, %v; the best reward is %d", task.Problem.Name, res, err, reward)
			}
			if all := said.take(); (len(all) == 1 && strings.Contains(all[0], "set aside")) != x.warned || len(all) > 1 {
				t.Errorf("%s: warnings %q", task.Problem.Name, all)
			}
		}
	}
	// Again and again, while units run.
	task.Problem.Name = "again and again"
	name, lie := boardOf(t, task, horizon), []byte(with(func(b *divide.Best) { b.Reward += 3; b.Steps = nil }))
	ctx, cancel := context.WithCancel(t.Context())
	var liar sync.WaitGroup
	liar.Go(func() {
		for ctx.Err() == nil {
			boards.Put(ctx, name, lie)
			time.Sleep(5 * time.Millisecond)
		}
	})
	res, err = planOf(t, c, task, horizon, true)
	cancel()
	liar.Wait()
	if err != nil || res.Reward != reward || res.Status != engine.Optimal {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestUnitAndBoard has a unit of a worker judge what is on the board, without the coordinator.
func TestUnitAndBoard(t *testing.T) {
	said := &warnings{}
	c, _ := startWarned(t, 1, said.add)
	ctx, client := t.Context(), c.Session.Client()
	task, horizon, reward := attacked("one unit")
	w, err := Cubes{c}.Open(ctx, task, horizon)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	board := boardOf(t, task, horizon)
	if err := improve(ctx, client, board, divide.Best{Reward: reward + 1}); err != nil {
		t.Fatal(err)
	}
	if err := w.Start(ctx, divide.Unit{ID: "", Horizon: horizon, Cube: []divide.Literal{}, Engine: divide.Engines()[0]}); err != nil {
		t.Fatal(err)
	}
	if o := <-w.Outcomes(); o.Fault != "" || o.Best == nil || o.Best.Reward != reward || o.Bound == nil || *o.Bound != reward {
		t.Errorf("%+v; the best reward is %d", o, reward)
	}
	// The unit is soon done, and the worker compares board and folder every second.
	x := &exchange{c: client, board: board, dir: t.TempDir()}
	unit := &folder{dir: x.dir}
	x.once(ctx)
	b := unit.Best()
	if b == nil || b.Reward != reward+1 {
		t.Fatalf("%+v", b)
	}
	unit.Refuse(b, b.Judge(task, horizon))
	if unit.Best() != nil {
		t.Error("a plan that was refused is still there")
	}
	unit.Publish(divide.Best{Reward: reward, Steps: []string{"mine"}})
	for range 3 {
		x.once(ctx)
	}
	if b := shown(ctx, client, board); b == nil || b.Best.Reward != reward || b.Best.Steps[0] != "mine" {
		t.Errorf("%+v", b)
	}
	if all := said.take(); len(all) != 1 || !strings.Contains(all[0], "a wrong plan was on the board") {
		t.Errorf("warnings %q", all)
	}
	for _, put := range []struct{ reward, want int64 }{{reward - 2, reward}, {reward + 7, reward + 7}} {
		if err := improve(ctx, client, board, divide.Best{Reward: put.reward}); err != nil {
			t.Fatal(err)
		}
		if b := shown(ctx, client, board); b == nil || b.Best.Reward != put.want {
			t.Errorf("%d was put up: %+v", put.reward, b)
		}
	}
	if err := client.Improve(ctx, board, make([]byte, cluster.MaxBoard+1), func([]byte) bool { return true }); err == nil {
		t.Error("a board of any size")
	}
}

// TestForeignOutcomes alters the stored results of all cubes of a problem, as somebody can who
// knows the server's secret: they are refused and done again.
func TestForeignOutcomes(t *testing.T) {
	said := &warnings{}
	c, url := startWarned(t, 2, said.add)
	results, _ := stores(t, url)
	ctx := t.Context()
	// rehashed makes the digest of a result fit.
	type stored struct {
		Unit    cluster.Hash            `json:"unit"`
		Kind    string                  `json:"kind"`
		Output  json.RawMessage         `json:"output"`
		Files   map[string]cluster.Hash `json:"files,omitempty"`
		Worker  string                  `json:"worker"`
		Seconds float64                 `json:"seconds"`
		Digest  cluster.Hash            `json:"digest"`
	}
	rehashed := func(r stored) []byte {
		sum := r
		sum.Worker, sum.Seconds, sum.Digest = "", 0, ""
		text, _ := json.Marshal(sum)
		r.Digest = cluster.HashOf(text)
		text, _ = json.Marshal(r)
		return text
	}
	plain := func(r stored) []byte { text, _ := json.Marshal(r); return text }
	for i, x := range []struct {
		name  string
		alter func(own, other stored) []byte
	}{
		{"the files of another", func(own, other stored) []byte { own.Files = other.Files; return plain(own) }},
		{"the files of another, with a digest", func(own, other stored) []byte { own.Files = other.Files; return rehashed(own) }},
		{"the outcome of another, with a digest", func(own, other stored) []byte {
			own.Files[outcomeFile] = other.Files[outcomeFile]
			return rehashed(own)
		}},
		{"the proof of another, with a digest", func(own, other stored) []byte {
			own.Files[cubeProof] = other.Files[cubeProof]
			return rehashed(own)
		}},
		{"no proof", func(own, _ stored) []byte { delete(own.Files, cubeProof); return rehashed(own) }},
		{"no files", func(own, _ stored) []byte { own.Files = nil; return rehashed(own) }},
		{"another result", func(_, other stored) []byte { return plain(other) }},
		{"another output", func(own, _ stored) []byte { own.Output = json.RawMessage(`{"a":1}`); return plain(own) }},
		{"another kind", func(own, _ stored) []byte { own.Kind = "collect"; return rehashed(own) }},
		{"a file outside", func(own, _ stored) []byte {
			own.Files["../"+outcomeFile] = own.Files[outcomeFile]
			return rehashed(own)
		}},
		{"no JSON", func(stored, stored) []byte { return []byte("{") }},
		{"nothing", func(stored, stored) []byte { return nil }},
	} {
		task, horizon, reward := attacked(x.name)
		if res, err := planOf(t, c, task, horizon, true); err != nil || res.Reward != reward {
			t.Fatalf("%s: %+v, %v", x.name, res, err)
		}
		said.take()
		keys, err := results.Keys(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var all []stored
		for _, key := range keys {
			e, err := results.Get(ctx, key)
			var r stored
			if err != nil || json.Unmarshal(e.Value(), &r) != nil {
				t.Fatal(key, err)
			}
			if r.Kind == "cube" && r.Files[cubeProof] != "" {
				all = append(all, r)
			}
		}
		for j, r := range all {
			if _, err := results.Put(ctx, string(r.Unit), x.alter(r, all[(j+1)%len(all)])); err != nil {
				t.Fatal(err)
			}
		}
		if len(all) < 2 {
			t.Fatalf("%s: only %d cubes", x.name, len(all))
		}
		res, err := planOf(t, c, task, horizon, true)
		if err != nil || res.Status != engine.Optimal || res.Reward != reward {
			t.Errorf("%s: %+v, %v; the best reward is %d", x.name, res, err, reward)
			continue
		}
		// A session warns once.
		if texts := said.take(); (len(texts) == 1 && strings.Contains(texts[0], "is refused")) != (i == 0) || len(texts) > 1 {
			t.Errorf("%s: warnings %q", x.name, texts)
		}
		jointProof(t, x.name, res, task, horizon)
		if err := purge(ctx, results); err != nil {
			t.Fatal(err)
		}
	}
}

// purge empties a store.
func purge(ctx context.Context, kv jetstream.KeyValue) error {
	keys, err := kv.Keys(ctx)
	for _, key := range keys {
		if err == nil {
			err = kv.Purge(ctx, key)
		}
	}
	return err
}

// jointProof has the checker read the joint proof of a result.
func jointProof(t *testing.T, what string, res *engine.Result, task engine.Task, horizon int) {
	t.Helper()
	m, err := model.New(task.Problem, task.Network, horizon, model.Options{Propagate: !res.Evidence.Literal})
	if err != nil {
		t.Fatal(err)
	}
	var opb, text bytes.Buffer
	if _, err := format.Write(t.Context(), &opb, m, format.Options{Kind: format.OPB}); err != nil {
		t.Fatal(err)
	}
	if _, err := res.Evidence.Write(t.Context(), &text, proof.VeriPB20); err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	v, err := veripb.Check(&opb, &text)
	o := format.ObjectiveOf(m, format.OPB)
	if err != nil || v.Kind != veripb.Optimal || o.Reward(v.Lower.Int64()) != res.Reward {
		t.Errorf("%s: the proof shows %v, %v", what, v, err)
	}
}
