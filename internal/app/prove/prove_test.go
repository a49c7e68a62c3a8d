package prove

import (
	"bytes"
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

// TestProveAgainstList: for networks changed at random, the outputs that are
// proven equal are those that no legal row shows to be wrong.
func TestProveAgainstList(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, name := range []string{"navigation/3x3", "inventory/2", "sysadmin/4", "cellda/x"} {
		p, err := load.Load(context.Background(), load.Ref{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		legal, err := train.Legal(context.Background(), p.Truth.Compiled, p.Truth.Sim, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		differing := 0
		for range 6 {
			net := &bnn.Network{}
			for _, l := range p.Network.Layers {
				l.Weights, l.Thresholds = slices.Clone(l.Weights), slices.Clone(l.Thresholds)
				net.Layers = append(net.Layers, l)
			}
			for range rng.IntN(3) {
				l := &net.Layers[rng.IntN(len(net.Layers))]
				u := rng.IntN(l.Units())
				l.Row(u)[rng.IntN(l.Inputs)] = int8(rng.IntN(3) - 1)
				l.Thresholds[u] = min(l.Thresholds[u], int32(l.FanIn(u)+1))
			}
			m, err := train.Test(net, legal)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			f := &bnn.File{Network: net, Inputs: load.BitNames(p.Problem, p.Problem.Inputs), Outputs: load.BitNames(p.Problem, p.Problem.Outputs)}
			if err := bnn.WriteFile(&text, f); err != nil {
				t.Fatal(err)
			}
			got, err := Network(context.Background(), load.Ref{Name: name}, "network", text.Bytes(), Options{Threads: 2, Certify: true})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var want []string
			for i, wrong := range m.WrongBits {
				if wrong > 0 {
					want = append(want, p.Problem.BitName(p.Problem.Outputs[i]))
				}
			}
			differing += len(want)
			if !slices.Equal(got.Differing, want) && len(got.Differing)+len(want) > 0 || got.Equal != (len(want) == 0) {
				t.Errorf("%s: the outputs %v differ, expected %v", name, got.Differing, want)
			}
			if (got.Counterexample == nil) != got.Equal {
				t.Errorf("%s: equal %v with the counterexample %v", name, got.Equal, got.Counterexample)
			}
			checkCertificates(t, got)
		}
		if differing == 0 {
			t.Errorf("%s: no changed network was wrong", name)
		}
	}
}

// checkCertificates reads the proofs that are written.
func checkCertificates(t *testing.T, p *Result) {
	t.Helper()
	var opb []byte
	proofs := 0
	err := p.Certificates(func(name string, text []byte) error {
		if opb == nil {
			opb = text
			return nil
		}
		proofs++
		v, err := veripb.Check(bytes.NewReader(opb), bytes.NewReader(text))
		if err == nil && v.Kind != veripb.Unsat {
			t.Errorf("%s shows %v", name, v.Kind)
		}
		opb = nil
		return err
	})
	if err != nil || proofs != p.Outputs-len(p.Differing) {
		t.Errorf("%d proofs of %d outputs, %d of which differ: %v", proofs, p.Outputs, len(p.Differing), err)
	}
}

// TestProveStops: a context that has ended is no answer.
func TestProveStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p, err := load.Load(context.Background(), load.Ref{Name: "sysadmin/4"})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	f := &bnn.File{Network: p.Network, Inputs: load.BitNames(p.Problem, p.Problem.Inputs), Outputs: load.BitNames(p.Problem, p.Problem.Outputs)}
	if err := bnn.WriteFile(&text, f); err != nil {
		t.Fatal(err)
	}
	if _, err := Network(ctx, load.Ref{Name: "sysadmin/4"}, "network", text.Bytes(), Options{}); err == nil {
		t.Error("no error from a context that has ended")
	}
}

// oven is a network of testdata/oven.toml that was learned from all legal rows.
func oven() *bnn.Network {
	row := func(text string) (w []int8) {
		for _, c := range text {
			w = append(w, map[rune]int8{'+': 1, '0': 0, '-': -1}[c])
		}
		return w
	}
	rows := func(texts ...string) (w []int8) {
		for _, text := range texts {
			w = append(w, row(text)...)
		}
		return w
	}
	return &bnn.Network{Layers: []bnn.Layer{
		{Inputs: 6, Weights: rows("0000+0", "00+-0+", "000++0", "+00000", "0+0000", "00++0+"), Thresholds: []int32{1, 2, 2, 1, 1, 2}},
		{Inputs: 6, Weights: rows("+0000+", "0++000", "000+00", "0000+0"), Thresholds: []int32{1, 1, 1, 1}},
	}}
}

// TestUnits plants a wrong weight: the counterexample has quantities and names of values.
func TestUnits(t *testing.T) {
	prove := func(net *bnn.Network) *Result {
		p, err := load.Load(context.Background(), load.Ref{Name: "testdata/oven.toml", Untrained: true})
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		f := &bnn.File{Network: net, Inputs: load.BitNames(p.Problem, p.Problem.Inputs), Outputs: load.BitNames(p.Problem, p.Problem.Outputs)}
		if err := bnn.WriteFile(&text, f); err != nil {
			t.Fatal(err)
		}
		r, err := Network(context.Background(), load.Ref{Name: "testdata/oven.toml"}, "network", text.Bytes(), Options{Certify: true})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := prove(oven()); !r.Equal || !r.Certified {
		t.Errorf("%+v, expected that all outputs are equal", r)
	}
	net := oven()
	net.Layers[0].Weights[6*1+3] = 0 // temp' reads one bit of temp the less
	r := prove(net)
	if !slices.Equal(r.Differing, []string{"temp#0"}) {
		t.Fatalf("the outputs %v differ, expected temp#0", r.Differing)
	}
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if want := regexp.MustCompile(`(?s)temp in 50–90 C, 140–200 C is (true|false) by the RDDL and (true|false) by the network\n  in the state temp=\S+ C, dial=(off|low|high)\n  after the action set=(off|low|high)\n$`); !want.Match(text.Bytes()) {
		t.Errorf("%s\nexpected %v", &text, want)
	}
	checkCertificates(t, r)
}

// TestBrief: what is false or 0 is left out.
func TestBrief(t *testing.T) {
	v := app.Values{{Name: "on", Value: true}, {Name: "off", Value: false}, {Name: "none", Value: int64(0)}, {Name: "some", Value: int64(-2)}, {Name: "colour", Value: "red"}}
	if got := brief(v); got != "on, some=-2, colour=red" {
		t.Error(got)
	}
	if got := brief(v[1:3]); got != "(nothing)" {
		t.Error(got)
	}
}
