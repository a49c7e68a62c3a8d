package train

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/bnn"
)

// randomNetwork has units of every fan-in and threshold, including constant ones.
func randomNetwork(seed uint64, zeros bool, widths ...int) *bnn.Network {
	rng := random(seed)
	net := &bnn.Network{}
	for k, units := range widths[1:] {
		l := bnn.Layer{Inputs: widths[k], Thresholds: make([]int32, units)}
		for range l.Inputs * units {
			w := int8(2*rng.IntN(2) - 1)
			if zeros && rng.IntN(2) == 0 {
				w = 0
			}
			l.Weights = append(l.Weights, w)
		}
		for j := range units {
			l.Thresholds[j] = int32(rng.IntN(l.FanIn(j) + 2))
		}
		net.Layers = append(net.Layers, l)
	}
	return net
}

// answers returns random rows with the outputs of net.
func answers(net *bnn.Network, n int, seed uint64) *Examples {
	e := noise(n, net.Inputs(), net.Outputs(), seed)
	ev := bnn.NewEvaluator(net)
	ev.ForwardMany(e.Out, e.In, e.Rows(), ev.NewScratch())
	return e
}

// TestInitExact: a network that is right on all rows is the immediate result.
func TestInitExact(t *testing.T) {
	for seed := range uint64(12) {
		weights := []Weights{Ternary, Binary}[seed%2]
		net := randomNetwork(seed, weights == Ternary, 10, 70, 5, 4)
		e := answers(net, 300, seed)
		res, err := Run(context.Background(), Config{Hidden: Hidden(net), Weights: weights, WeightThreshold: 0.7, Seed: seed}, e, Options{
			Init: net, Progress: func(Epoch) { t.Error("an epoch was run") },
		})
		if err != nil || res.Epochs != 0 || !res.Exact() || !reflect.DeepEqual(res.Network, net) {
			t.Errorf("seed %d: another network: %+v, %v", seed, res, err)
		}
	}
}

// TestInitRepairs: a network with a few errors becomes exact, equally on any number of
// threads, and stays closer to the start than a network trained from scratch.
func TestInitRepairs(t *testing.T) {
	e := adder()
	c := Config{Hidden: []int{24, 24}, Epochs: 3000, WeightThreshold: 0.5, Seed: 1}
	exact, err := Run(context.Background(), c, e, Options{})
	if err != nil || !exact.Exact() {
		t.Fatal(err)
	}
	rng := random(7)
	broken := cloneNetwork(exact.Network)
	for range 12 {
		l := &broken.Layers[rng.IntN(3)]
		j := rng.IntN(l.Units())
		l.Row(j)[rng.IntN(l.Inputs)] = 0
		l.Thresholds[j] = int32(rng.IntN(l.FanIn(j) + 2))
	}
	for i := range broken.Layers { // a removed weight may leave an invalid threshold
		l := &broken.Layers[i]
		for j := range l.Units() {
			l.Thresholds[j] = min(l.Thresholds[j], int32(l.FanIn(j)+1))
		}
	}
	m, err := Test(broken, e)
	if err != nil || m.WrongRows == 0 || m.WrongRows == e.Rows() {
		t.Fatalf("%d rows wrong to begin with, expected a few: %v", m.WrongRows, err)
	}
	for _, polish := range []int{0, -1} {
		var results []*Result
		for _, threads := range []int{1, 2} {
			c := c
			c.Threads, c.PolishRows = threads, polish
			res, err := Run(context.Background(), c, e, Options{Init: broken})
			if err != nil || !res.Exact() {
				t.Fatalf("%d rows wrong: %v", res.Train.WrongRows, err)
			}
			results = append(results, res)
		}
		if !reflect.DeepEqual(results[0].Network, results[1].Network) {
			t.Error("1 and 2 threads give different networks")
		}
		if polish < 0 && results[0].Epoch == 0 {
			t.Error("without the discrete search no epoch was needed")
		}
	}
}

func TestInitErrors(t *testing.T) {
	net := randomNetwork(1, true, 10, 6, 4)
	e := answers(net, 50, 1)
	for want, c := range map[string]Config{
		"the initial network is 10:6:4, expected 10 inputs, hidden layers [7]": {Hidden: []int{7}},
		"the initial network has weights 0, expected ternary weights":          {Hidden: []int{6}, Weights: Binary},
	} {
		if _, err := Run(context.Background(), c, e, Options{Init: net}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := Run(context.Background(), Config{Hidden: []int{6}}, e, Options{Init: &bnn.Network{}}); !errors.Is(err, bnn.ErrShape) {
		t.Errorf("an empty network: %v", err)
	}
}

// TestWeights: rows with a weight win contradictions, count more in the loss, and are never
// held out.
func TestWeights(t *testing.T) {
	b := NewBuilder(6, 1)
	bit := func(x int) (in, out []bool) {
		in = make([]bool, 6)
		for i := range in {
			in[i] = x>>i&1 == 1
		}
		return in, []bool{false}
	}
	for range 3 {
		for x := range 64 {
			b.Add(bit(x))
		}
	}
	for x := range 32 {
		in, out := bit(x)
		out[0] = true
		b.AddRow(&Row{In: in, Out: out, Count: 1, Weight: 3 + int32(x%2)}) // 3 votes against 3, or 4
	}
	e := b.Examples()
	if err := e.Check(); err != nil || e.Rows() != 64 || e.Conflicts.Inputs != 32 {
		t.Fatalf("%+v, %v", e, err)
	}
	for i := range 64 {
		wins := i < 32 && i%2 == 1
		if got := e.Output(i)[0] == 1; got != wins || (e.Weight[i] != 0) != wins {
			t.Errorf("row %d: output %v, weight %d", i, got, e.Weight[i])
		}
	}
	w := lossWeights(e, 0)
	if ratio := w[1] / w[0]; ratio != 4 {
		t.Errorf("a row of weight 4 weighs %v times another", ratio)
	}
	for _, mode := range []SplitMode{SplitRandom, SplitDistinct} {
		for seed := range uint64(20) {
			training, testing, err := Split(e, mode, seed)
			if err != nil || testing.Rows() == 0 || testing.Weight == nil || slices.Max(testing.Weight) != 0 || slices.Max(training.Weight) != 4 {
				t.Fatalf("%s: rows with a weight are held out: %v, %v", mode, testing.Weight, err)
			}
			if len(training.Weight) != training.Rows() {
				t.Fatalf("%d weights of %d rows", len(training.Weight), training.Rows())
			}
		}
	}
	if e := b.Examples(); e.Weight != nil {
		t.Error("the builder kept its weights")
	}
}

// TestInitResumes: training from a network can be interrupted, and only resumes from the same
// one.
func TestInitResumes(t *testing.T) {
	net := randomNetwork(3, true, 10, 12, 4)
	e := noise(200, 10, 4, 3)
	c := Config{Hidden: Hidden(net), Epochs: 20, WeightThreshold: 0.7, PolishRows: -1, Seed: 2}
	whole, err := Run(context.Background(), c, e, Options{Init: net})
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if _, err := Run(ctx, c, e, Options{Init: net, Checkpoint: state, Progress: func(ep Epoch) {
		if ep.Epoch == 7 {
			cancel()
		}
	}}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	again, err := Run(context.Background(), c, e, Options{Init: net, Checkpoint: state, Resume: true})
	if err != nil || !reflect.DeepEqual(again.Network, whole.Network) || again.Epoch != whole.Epoch {
		t.Errorf("another network after an interruption: %v", err)
	}
	other := randomNetwork(4, true, 10, 12, 4)
	if _, err := Run(context.Background(), c, e, Options{Init: other, Checkpoint: state, Resume: true}); err == nil || !strings.Contains(err.Error(), "another initial network") {
		t.Errorf("%v, want one about another initial network", err)
	}
	// If training ends before the first epoch, the initial network is the result.
	ended, end := context.WithCancel(context.Background())
	end()
	if res, err := Run(ended, c, e, Options{Init: net}); !errors.Is(err, context.Canceled) || res == nil || !reflect.DeepEqual(res.Network, net) {
		t.Errorf("%+v, %v", res, err)
	}
}
