package learn

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/apptest"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

// negative is a problem in which a Boolean and an integer in -2..5 are learned from the
// Boolean alone; a network that outputs the Boolean itself, and -2 where it is false, -1
// where it is true; and two rows.
func negative(t *testing.T) (*load.Problem, *bnn.Network, *train.Examples) {
	t.Helper()
	p := apptest.Integers(t)
	p.Inputs = p.Bits(0)[:1]
	p.Outputs = p.Bits(0)
	net := &bnn.Network{Layers: []bnn.Layer{{Inputs: 1, Weights: []int8{1, 0, 0, 0, 1}, Thresholds: []int32{1, 0, 0, 0, 1}}}}
	rows := &train.Examples{Inputs: 1, Outputs: 5, In: []uint64{0, 1}, Count: []int32{3, 5}, Out: []uint64{
		0b0111_0, // false, -2 as 1110 with its first bit last here: right
		0b1010_1, // true, 5 as 0101: -1 is wrong in two bits
	}}
	return &load.Problem{Task: engine.Task{Problem: p}}, net, rows
}

// TestMeasureLine has errors counted by hand.
func TestMeasureLine(t *testing.T) {
	p, net, rows := negative(t)
	got, err := measure(p, net, load.Trained{Seen: coverage.Of(1, []uint64{0})}, rows)
	one := 1
	values := map[string]string{"on(c1)": "on(c1)", "level#3": "level <= -1", "level#2": "level in -2..-1, 4..5", "level#1": "level in -2..-1, 2..3", "level#0": "level in -1, 1, 3, 5"}
	out := func(bit string, wrong int) OutputLine {
		return OutputLine{bit, values[bit], wrong, 5 * wrong, 0.625 * float64(wrong), 0.5 * float64(wrong)}
	}
	want := &ErrorLine{
		Rows: 2, Wrong: 1, Seen: 8, WrongSeen: 5, RowError: 0.625, BitError: 0.25, DistinctRowError: 0.5, DistinctBitError: 0.2,
		Bits: map[string]float64{"level#3": 0.625, "level#1": 0.625}, Unseen: &one,
		Outputs: []OutputLine{out("on(c1)", 0), out("level#3", 1), out("level#2", 0), out("level#1", 1), out("level#0", 0)},
		Worst: &FluentLine{"level", 1, 5, 0.625, 0.5, []ConfusionLine{
			{int64(5), int64(-1), 1, 5}, {int64(-2), int64(-2), 1, 3},
		}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n got %+v\nwant %+v", err, got, want)
	}
	var b strings.Builder
	tested := &Tested{Problem: "p", Network: "1:5", Trained: &TrainedLine{Rows: 1}, Data: got, Unlisted: "too many to list"}
	if err := tested.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	const text = `p: 1:5
trained on 1 distinct rows
data: 1 of 2 distinct rows wrong; row error 62.500 %, bit error 25.0000 %; worst fluent level, 62.500 %
  at least 1 of 2 distinct rows were not among the training rows
  rows as often as they were seen: 5 of 8 wrong, 62.500 %; distinct rows: 1 of 2, 50.000 %
       wrong      error   distinct      error  output
           0    0.000 %          0    0.000 %  on(c1)
           5   62.500 %          1   50.000 %  level <= -1
           0    0.000 %          0    0.000 %  level in -2..-1, 4..5
           5   62.500 %          1   50.000 %  level in -2..-1, 2..3
           0    0.000 %          0    0.000 %  level in -1, 1, 3, 5
  worst fluent level: 5 wrong, 62.500 %; of distinct rows 1, 50.000 %
       truth  predicted       rows   distinct
           5         -1          5          1
          -2         -2          3          1
all legal rows: too many to list
`
	if b.String() != text {
		t.Errorf("got\n%s\nwant\n%s", b.String(), text)
	}

	// A network that copies the Boolean wrongly: the confusion has Booleans, and the
	// first of two fluents that are as bad is named.
	net.Layers[0].Thresholds[0] = 0
	rows.Count = []int32{5, 5}
	got, err = measure(p, net, load.Trained{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	if f := got.Worst; f.Fluent != "on(c1)" || !reflect.DeepEqual(f.Confusion, []ConfusionLine{{false, true, 1, 5}, {true, true, 1, 5}}) || got.Unseen != nil {
		t.Errorf("%+v, unseen %v", f, got.Unseen)
	}
	rows.Out[0], rows.Out[1] = 0b0111_1, 0b1111_1
	if got, err = measure(p, net, load.Trained{}, rows); err != nil || got.Wrong != 0 || got.Worst != nil {
		t.Errorf("%v %+v", err, got)
	}
}

// TestDrawn: legal rows that are drawn are legal, and all of few are met.
func TestDrawn(t *testing.T) {
	p, err := load.Load(context.Background(), load.Ref{Name: "inventory/2", Untrained: true})
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := draw(context.Background(), p, 3, DrawnRows)
	if err != nil {
		t.Fatal(err)
	}
	legal, err := train.Legal(context.Background(), p.Truth.Compiled, p.Truth.Sim, false, maxLegal)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(drawn.In, legal.In) || !reflect.DeepEqual(drawn.Out, legal.Out) || drawn.Total() != DrawnRows {
		t.Errorf("%d rows are drawn, %d distinct; %d are legal", drawn.Total(), drawn.Rows(), legal.Rows())
	}
	// They stand in where the legal rows are too many to list.
	f := apptest.NetworkFile(t, "inventory/2")
	got, err := test(context.Background(), p, f.Network, load.Trained{Seen: coverage.Of(legal.Inputs, legal.In[4:])}, nil, 3, DrawnRows, 50)
	if err != nil || got.Legal != nil || got.Drawn == nil || got.Drawn.Seen != DrawnRows || got.Drawn.Wrong != 0 || *got.Drawn.Unseen != 4 {
		t.Fatalf("%v %+v", err, got)
	}
	var b strings.Builder
	if err := got.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	const text = "inventory/2: 7:36:5\ntrained on 60 distinct rows\n" +
		"legal rows drawn at random: 0 of 64 distinct rows wrong; row error 0.000 %, bit error 0.0000 %\n" +
		"  4 of 64 distinct rows were not among the training rows\nall legal rows: too many to list: more than 50 steps would be tried; test --prove compares them without a list\n"
	if b.String() != text {
		t.Errorf("got\n%s\nwant\n%s", b.String(), text)
	}
}

// TestTrainedOn: that the training rows were all legal ones is measured where the
// legal rows can be listed; a file that says so of another problem is not believed.
func TestTrainedOn(t *testing.T) {
	for name, legal := range map[string]int{"cellda/x": 1280, "inventory/2": 64} {
		f := apptest.NetworkFile(t, name)
		p, err := load.Load(context.Background(), load.Ref{Name: name, Untrained: true})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := train.Legal(context.Background(), p.Truth.Compiled, p.Truth.Sim, false, maxLegal)
		if err != nil {
			t.Fatal(err)
		}
		width := rows.Inputs
		for _, c := range []struct {
			seen *coverage.Set
			want *TrainedLine
		}{
			{nil, nil},
			{coverage.Of(width, rows.In), &TrainedLine{legal, true, true}},
			{coverage.Of(width, rows.In[1:]), &TrainedLine{legal - 1, false, true}},
			{coverage.Legal(width, legal), &TrainedLine{legal, true, true}},
			{coverage.Legal(width, legal+1), &TrainedLine{legal + 1, false, true}},
		} {
			got, err := test(context.Background(), p, f.Network, load.Trained{Seen: c.seen}, nil, 0, DrawnRows, maxLegal)
			if err != nil || !reflect.DeepEqual(got.Trained, c.want) {
				t.Errorf("%s: %v %+v, want %+v", name, err, got.Trained, c.want)
			}
		}
	}
}
