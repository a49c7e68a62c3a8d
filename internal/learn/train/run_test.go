package train

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/source"
)

// adder returns all rows of the sum of two numbers of two bits.
func adder() *Examples {
	b := NewBuilder(4, 3)
	for x := range 16 {
		in, out := make([]bool, 4), make([]bool, 3)
		for i := range in {
			in[i] = x>>i&1 == 1
		}
		for i := range out {
			out[i] = (x&3+x>>2)>>i&1 == 1
		}
		b.Add(in, out)
	}
	return b.Examples()
}

// noise returns n rows with random outputs.
func noise(n, inputs, outputs int, seed uint64) *Examples {
	rng := random(seed)
	b := NewBuilder(inputs, outputs)
	for range n {
		in, out := make([]bool, inputs), make([]bool, outputs)
		for i := range in {
			in[i] = rng.IntN(2) == 1
		}
		for i := range out {
			out[i] = rng.IntN(4) == 1
		}
		b.Add(in, out)
	}
	return b.Examples()
}

func TestRunToZero(t *testing.T) {
	e := adder()
	for name, c := range map[string]Config{
		"ternary": {Hidden: []int{24, 24}, Epochs: 3000, WeightThreshold: 0.5, Seed: 1},
		"binary":  {Hidden: []int{32, 32}, Epochs: 3000, Weights: Binary, Seed: 1},
	} {
		epochs := 0
		res, err := Run(context.Background(), c, e, Options{Progress: func(ep Epoch) {
			if epochs++; ep.Epoch != epochs {
				t.Errorf("epoch %d comes after %d others", ep.Epoch, epochs-1)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		m, err := Test(res.Network, e)
		if err != nil || m.WrongRows != 0 || !res.Exact() || epochs != res.Epochs {
			t.Errorf("%s: %d of %d rows wrong after %d epochs: %v", name, m.WrongRows, m.Rows, res.Epochs, err)
		}
		if c.Weights == Binary {
			for _, l := range res.Network.Layers {
				for _, w := range l.Weights {
					if w == 0 {
						t.Fatal("a weight 0 in a binary network")
					}
				}
			}
		}
	}
}

// TestThreads: the same seed gives the same network on any number of threads,
// another seed another.
func TestThreads(t *testing.T) {
	e := noise(700, 12, 5, 1)
	run := func(threads int, seed uint64) *Result {
		res, err := Run(context.Background(), Config{Hidden: []int{33, 65}, Epochs: 6, Batch: 100, Threads: threads, Seed: seed, Multiplicity: 0.5}, e, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	one := run(1, 5)
	for _, threads := range []int{2, 3, 7} {
		if !reflect.DeepEqual(one, run(threads, 5)) {
			t.Errorf("%d threads give another result", threads)
		}
	}
	if reflect.DeepEqual(one.Network, run(1, 6).Network) {
		t.Error("the seed changes nothing")
	}
}

// TestOddShapes: one row, constant outputs, no hidden layer, wide layers.
func TestOddShapes(t *testing.T) {
	constant := noise(50, 5, 2, 1)
	clear(constant.Out)
	for name, c := range map[string]struct {
		e *Examples
		c Config
	}{
		"one row":         {noise(1, 3, 2, 1), Config{Hidden: []int{4}}},
		"constant output": {constant, Config{Hidden: []int{8}}},
		"no hidden layer": {constant, Config{}},
		"wide":            {noise(30, 70, 66, 2), Config{Hidden: []int{200}, Epochs: 600}},
	} {
		c.c.Seed = 3
		res, err := Run(context.Background(), c.c, c.e, Options{})
		if err != nil || !res.Exact() {
			t.Errorf("%s: %v %+v", name, err, res)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	for want, c := range map[string]Config{
		"0 units":              {Hidden: []int{4, 0}},
		"no weights \"dense\"": {Weights: "dense"},
		"-1 epochs":            {Epochs: -1},
		"batches of 1":         {Batch: 1},
		"learning rate -1":     {LearningRate: -1},
		"weight threshold 1":   {WeightThreshold: 1},
		"-1 rounds":            {PruneRounds: -1},
		"expected ternary":     {Prune: true, Weights: Binary},
		"multiplicity -1":      {Multiplicity: -1},
	} {
		if _, err := Run(context.Background(), c, adder(), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := Run(context.Background(), Config{}, &Examples{Inputs: 1, Outputs: 1}, Options{}); !errors.Is(err, ErrEmpty) {
		t.Errorf("no rows: %v", err)
	}
	if _, err := Run(context.Background(), Config{}, adder(), Options{Test: noise(3, 5, 3, 1)}); err == nil {
		t.Error("test rows of another width are taken")
	}
	res, err := Run(context.Background(), Config{Epochs: 1}, adder(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Test(res.Network, noise(3, 5, 3, 1)); err == nil {
		t.Error("rows of another width are measured")
	}
}

// TestCancel: if the context ends, the best result so far is returned soon.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	began := time.Now()
	res, err := Run(ctx, Config{Hidden: []int{64, 64}, Epochs: 1 << 20, Seed: 1}, noise(3000, 12, 6, 1), Options{Progress: func(e Epoch) {
		if e.Epoch == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || res == nil || res.Epochs != 3 {
		t.Errorf("%v %+v", err, res)
	}
	if d := time.Since(began); d > 5*time.Second {
		t.Errorf("stopped after %v", d)
	}
}

// TestRepair plants errors in an exact network and lets the search find them.
func TestRepair(t *testing.T) {
	e := adder()
	res, err := Run(context.Background(), Config{Hidden: []int{24, 24}, Epochs: 3000, WeightThreshold: 0.5, Seed: 1}, e, Options{})
	if err != nil || !res.Exact() {
		t.Fatal(err, res)
	}
	rng := random(5)
	repaired := 0
	const trials = 60
	for range trials {
		net := cloneNetwork(res.Network)
		for range 2 {
			l := &net.Layers[rng.IntN(3)]
			j := rng.IntN(l.Units())
			if rng.IntN(2) == 0 {
				l.Thresholds[j] = min(max(l.Thresholds[j]+int32(2*rng.IntN(2)-1), 0), int32(l.FanIn(j)+1))
			} else {
				l.Row(j)[rng.IntN(l.Inputs)] = int8(rng.IntN(3) - 1)
				l.Thresholds[j] = min(l.Thresholds[j], int32(l.FanIn(j)+1))
			}
		}
		p := newPolisher(net, e)
		before := p.bits
		m, err := Test(net, e)
		if err != nil || m.bitsWrong() != before {
			t.Fatalf("%d bits wrong, measured %d: %v", before, m.bitsWrong(), err)
		}
		if _, err := p.repair(context.Background(), rng, false, 20); err != nil {
			t.Fatal(err)
		}
		m, err = Test(p.net, e)
		if err != nil || m.bitsWrong() != p.bits || p.bits > before {
			t.Fatalf("%d bits wrong after %d, measured %d: %v", p.bits, before, m.bitsWrong(), err)
		}
		if p.bits == 0 {
			repaired++
		}
	}
	if repaired < trials*9/10 {
		t.Errorf("%d of %d networks repaired", repaired, trials)
	}
}

// TestChanges compares the predicted and the actual effect of random changes with an
// evaluation of the changed network.
func TestChanges(t *testing.T) {
	e := noise(150, 8, 4, 7)
	res, err := Run(context.Background(), Config{Hidden: []int{10, 12}, Epochs: 5, WeightThreshold: 0.5, PolishRows: -1}, e, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rng := random(8)
	p := newPolisher(res.Network, e)
	flips := make([]uint64, p.words)
	for range 2000 {
		c := anyChange(p, rng)
		if !p.legal(c, p.net.Layers[c.layer].FanIn(c.unit)) {
			continue
		}
		p.look(c.layer, c.unit)
		p.flips(flips, c)
		want := p.bits + p.cost(c.layer, c.unit, flips, 1<<30)
		p.apply(c, flips)
		if err := p.net.Check(); err != nil {
			t.Fatal(err)
		}
		q := newPolisher(p.net, e)
		if p.bits != want || q.bits != want || !reflect.DeepEqual(p.agree, q.agree) || !reflect.DeepEqual(p.acts, q.acts) || !reflect.DeepEqual(p.wrong, q.wrong) {
			t.Fatalf("change %+v: %d bits wrong foretold, %d made, %d in truth", c, want, p.bits, q.bits)
		}
	}
}

func anyChange(p *polisher, rng *rand.Rand) change {
	i := rng.IntN(len(p.net.Layers))
	l := &p.net.Layers[i]
	j := rng.IntN(l.Units())
	return change{i, j, rng.IntN(l.Inputs), int8(rng.IntN(3) - 1), l.Thresholds[j] + int32(rng.IntN(3)-1)}
}

// TestPrune: pruning changes no row, and a second pruning removes nothing.
func TestPrune(t *testing.T) {
	e := adder()
	res, err := Run(context.Background(), Config{Hidden: []int{24, 24}, Epochs: 3000, WeightThreshold: 0.5, Seed: 1}, e, Options{})
	if err != nil || !res.Exact() {
		t.Fatal(err, res)
	}
	small, err := prune(context.Background(), res.Network, e, 1, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Test(small, e)
	if err != nil || m.WrongRows != 0 {
		t.Fatal(m, err)
	}
	if small.Edges() > res.Network.Edges()/2 || small.Hidden() >= res.Network.Hidden() {
		t.Errorf("%s with %d edges, cut to %s with %d", res.Network.Shape(), res.Network.Edges(), small.Shape(), small.Edges())
	}
	for i := range small.Layers[:2] {
		for j := range small.Layers[i].Units() {
			n := 0
			for k := range small.Layers[i+1].Units() {
				n += b2i(small.Layers[i+1].Row(k)[j] != 0)
			}
			if n == 0 || small.Layers[i].FanIn(j) == 0 {
				t.Errorf("layer %d unit %d reads %d units and is read by %d", i+1, j+1, small.Layers[i].FanIn(j), n)
			}
		}
	}
	// The number of wrong rows does not grow.
	bad := cloneNetwork(small)
	bad.Layers[2].Thresholds[0] = 0
	before, _ := Test(bad, e)
	if bad, err = prune(context.Background(), bad, e, 1, 3, nil); err != nil {
		t.Fatal(err)
	}
	if after, err := Test(bad, e); err != nil || after.bitsWrong() > before.bitsWrong() {
		t.Errorf("%d wrong bits, %d after pruning: %v", before.bitsWrong(), after.bitsWrong(), err)
	}
	tiny, err := prune(context.Background(), res.Network, e, 1, 30, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := Test(tiny, e); err != nil || m.WrongRows != 0 || tiny.Edges() >= small.Edges() {
		t.Errorf("%d edges after 30 rounds, %d before: %v %+v", tiny.Edges(), small.Edges(), err, m)
	}
	pruned, err := Run(context.Background(), Config{Hidden: []int{24, 24}, Epochs: 3000, WeightThreshold: 0.5, Seed: 1, Prune: true}, e, Options{Test: e})
	if err != nil || !pruned.Exact() || !reflect.DeepEqual(pruned.Network, small) {
		t.Errorf("%v %+v", err, pruned)
	}
}

// TestResume: training that is interrupted after any epoch and resumed ends with the same
// network.
func TestResume(t *testing.T) {
	e, test := noise(90, 9, 4, 3), noise(30, 9, 4, 4)
	c := Config{Hidden: []int{8, 10}, Epochs: 12, Batch: 64, Seed: 9, PolishRows: 1000}
	want, err := Run(context.Background(), c, e, Options{Test: test})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "check")
	for _, stop := range []int{1, 9} {
		ctx, cancel := context.WithCancel(context.Background())
		o := Options{Test: test, Checkpoint: file, Progress: func(e Epoch) {
			if e.Epoch == stop {
				cancel()
			}
		}}
		if _, err := Run(ctx, c, e, o); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		epochs := 0
		o.Resume, o.Progress = true, func(Epoch) { epochs++ }
		c := c
		c.Threads = 3
		got, err := Run(context.Background(), c, e, o)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) || epochs != 12-stop {
			t.Errorf("stopped after %d epochs: another network after %d more", stop, epochs)
		}
		again, err := Run(context.Background(), c, e, o)
		if err != nil || !reflect.DeepEqual(again, want) {
			t.Errorf("resumed after the end: %v", err)
		}
	}
	o := Options{Test: test, Checkpoint: file, Resume: true}
	other := c
	other.Seed++
	if _, err := Run(context.Background(), other, e, o); err == nil || !strings.Contains(err.Error(), "other settings") {
		t.Error(err)
	}
	if _, err := Run(context.Background(), c, test, o); err == nil || !strings.Contains(err.Error(), "other rows") {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	var fault *source.Error
	if _, err := Run(context.Background(), c, e, o); !errors.As(err, &fault) || fault.File != file {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// TestRepeatedRows counts the gradient steps of an epoch over rows as often as they were
// seen, and compares with the same rows given one by one.
func TestRepeatedRows(t *testing.T) {
	e := &Examples{Inputs: 2, Outputs: 1, In: []uint64{0, 1, 2, 3}, Out: []uint64{0, 1, 1, 0}, Count: []int32{400, 300, 200, 100}}
	for _, c := range []Config{{Batch: 100}, {Batch: 100, Repeated: true}, {Batch: 300, Repeated: true}} {
		c.Hidden, c.Weights, c.Epochs, c.Threads, c.Seed, c.PolishRows = []int{8}, Binary, 3, 1, 1, -1
		c, err := c.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(c, e, Options{})
		if _, err := r.pass(context.Background()); err != nil {
			t.Fatal(err)
		}
		want := 1
		if c.Repeated {
			want = (1000 + c.Batch/2) / c.Batch
		}
		if r.s.adam.Steps != want {
			t.Errorf("%d steps of an epoch in batches of %d, expected %d", r.s.adam.Steps, c.Batch, want)
		}
		if !c.Repeated {
			continue
		}
		// The moments of batch normalization are those of the rows as they were seen.
		c.Repeated = false
		one := newRun(c, e.Repeated(), Options{})
		if _, err := one.pass(context.Background()); err != nil {
			t.Fatal(err)
		}
		r.s.calibrate()
		one.s.calibrate()
		for i, l := range r.s.layers {
			if o := one.s.layers[i]; !slices.Equal(l.W, o.W) || !slices.Equal(l.Mean, o.Mean) || !slices.Equal(l.Var, o.Var) {
				t.Errorf("layer %d differs from that of rows given one by one", i)
			}
		}
	}
	if _, err := Run(context.Background(), Config{Repeated: true, Multiplicity: 1}, e, Options{}); err == nil || !strings.Contains(err.Error(), "expected one of the two") {
		t.Error(err)
	}
}
