package train

import (
	"reflect"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/bnn"
)

// TestConfusions compares a network of one input, which returns 10 for 0 and 11 for 1, with
// rows counted by hand.
func TestConfusions(t *testing.T) {
	net := &bnn.Network{Layers: []bnn.Layer{{Inputs: 1, Weights: []int8{0, 1}, Thresholds: []int32{0, 1}}}}
	e := &Examples{Inputs: 1, Outputs: 2, In: []uint64{0, 1}, Out: []uint64{0b01, 0b10}, Count: []int32{3, 5}}
	got, err := Confusions(net, e, [][]int{{0, 1}, {1, 0}, {1}})
	want := [][]Confusion{
		{{Truth: 1, Predicted: 3, Rows: 1, Total: 5}, {Truth: 2, Predicted: 2, Rows: 1, Total: 3}},
		{{Truth: 1, Predicted: 1, Rows: 1, Total: 3}, {Truth: 2, Predicted: 3, Rows: 1, Total: 5}},
		{{Truth: 0, Predicted: 0, Rows: 1, Total: 3}, {Truth: 1, Predicted: 1, Rows: 1, Total: 5}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v %+v, want %+v", err, got, want)
	}
	// The cells of many rows add up to the measure.
	many := noise(3*measureBlock+5, 20, 3, 1)
	three := &bnn.Network{Layers: []bnn.Layer{{Inputs: 20, Weights: make([]int8, 60), Thresholds: []int32{0, 1, 0}}}}
	m, err := Test(three, many)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := Confusions(three, many, [][]int{{0}, {1}, {2}, {0, 1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for i, group := range cells {
		wrong, seen, rows := 0, 0, 0
		for _, c := range group {
			rows += c.Rows
			if c.Truth != c.Predicted {
				wrong, seen = wrong+c.Rows, seen+c.Total
			}
		}
		want := [2]int{m.WrongRows, m.TotalRows}
		if i < 3 {
			want = [2]int{m.WrongBits[i], m.TotalBits[i]}
		}
		if wrong != want[0] || seen != want[1] || rows != many.Rows() {
			t.Errorf("group %d: %d wrong, %d seen, of %d", i, wrong, seen, rows)
		}
	}
	for _, c := range []struct {
		groups [][]int
		want   string
	}{{[][]int{{0}, {2}}, "no output bit 2, expected 0..1"}, {[][]int{make([]int, 65)}, "65 output bits"}} {
		if _, err := Confusions(net, e, c.groups); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, err := Confusions(three, e, nil); err == nil {
		t.Error("a network of another shape is measured")
	}
}
