package train

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/bnn"
)

// TestMeasure compares a unit that copies its input, and one that is never active, with rows
// counted by hand.
func TestMeasure(t *testing.T) {
	net := &bnn.Network{Layers: []bnn.Layer{{Inputs: 1, Weights: []int8{1, 0}, Thresholds: []int32{1, 1}}}}
	e := &Examples{Inputs: 1, Outputs: 2, In: []uint64{0, 1}, Out: []uint64{0b11, 0b01}, Count: []int32{3, 5}}
	got, err := Test(net, e)
	want := &Measure{Rows: 2, WrongRows: 1, WrongBits: []int{1, 1}, Total: 8, TotalRows: 3, TotalBits: []int{3, 3}, OutputBits: 2}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v %v, want %+v", got, err, want)
	}
	for _, c := range [][2]float64{{got.BitError(), 6.0 / 16}, {got.RowError(), 3.0 / 8}} {
		if c[0] != c[1] {
			t.Errorf("error %v, want %v", c[0], c[1])
		}
	}
	// More rows than one call of the evaluator takes, on several threads.
	many := noise(3*measureBlock+5, 20, 3, 1)
	res, err := Run(context.Background(), Config{Hidden: []int{9}, Epochs: 1}, many, Options{})
	if err != nil {
		t.Fatal(err)
	}
	one, _ := Test(res.Network, many)
	if three := measure(res.Network, many, 3); !reflect.DeepEqual(one, three) {
		t.Errorf("%+v on one thread, %+v on three", one, three)
	}
}

func TestFile(t *testing.T) {
	c, s := problem(t, "inventory/2")
	e, err := Legal(context.Background(), c, s, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Hidden: []int{8, 9}, Epochs: 2, Seed: 7}
	res, err := Run(context.Background(), cfg, e, Options{Test: e})
	if err != nil {
		t.Fatal(err)
	}
	f, err := File(c.Problem, cfg, res)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := bnn.WriteFile(&text, f); err != nil {
		t.Fatal(err)
	}
	back, err := bnn.ReadFile("network", bytes.NewReader(text.Bytes()))
	if err != nil || !reflect.DeepEqual(back, f) {
		t.Errorf("%v %+v", err, back)
	}
	for _, want := range []string{"meta recipe weights=ternary hidden=8,9 epochs=2 ", "meta seed 7\n", "meta rows 64\n", "input resupply(c1)\n", "output quant(c1)#3\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}
