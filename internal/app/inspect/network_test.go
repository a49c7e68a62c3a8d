package inspect

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/bnn"
)

// TestShowNetwork follows the weights of a network of two layers.
func TestShowNetwork(t *testing.T) {
	f := &bnn.File{
		Network: &bnn.Network{Layers: []bnn.Layer{
			{Inputs: 3, Weights: []int8{1, -1, 0, 0, 0, 1}, Thresholds: []int32{2, 1}},
			{Inputs: 2, Weights: []int8{1, 0, 0, -1, 0, 0}, Thresholds: []int32{1, 1, 0}},
		}},
		Inputs: []string{"a", "b", "c"}, Outputs: []string{"x", "y", "z"},
		Meta: [][2]string{{"seed", "7"}, {"seed", "8"}, {"long", strings.Repeat("x", maxMeta+1)}},
	}
	var text bytes.Buffer
	if err := bnn.WriteFile(&text, f); err != nil {
		t.Fatal(err)
	}
	d, err := ShowNetwork("n.bnn", &text)
	if err != nil {
		t.Fatal(err)
	}
	if want := []DependsLine{{"x", []string{"a", "b"}}, {"y", []string{"c"}}, {"z", []string{}}}; !reflect.DeepEqual(d.Depends, want) {
		t.Errorf("the outputs depend on %v, expected %v", d.Depends, want)
	}
	if d.Edges != 5 || d.Neurons != 5 || d.Shape != "3:2:3" || !reflect.DeepEqual(d.Meta, map[string]string{"seed": "7"}) {
		t.Errorf("the network is %+v", d)
	}
	if want := (UnitLine{2, [][2]int{{0, 1}, {1, -1}}}); !reflect.DeepEqual(d.Layers[0].Units[0], want) {
		t.Errorf("the first unit is %+v, expected %+v", d.Layers[0].Units[0], want)
	}
	var out strings.Builder
	if err := d.WriteText(&out); err != nil || !strings.Contains(out.String(), "x: 2 inputs") {
		t.Errorf("%v: %s", err, out.String())
	}
	if _, err := ShowNetwork("n.bnn", strings.NewReader("fdplan-network 1\n")); err == nil {
		t.Error("a network that ends early is shown")
	}
}
