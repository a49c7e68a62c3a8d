package learn

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/apptest"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

// negative is a problem in which a Boolean and an integer in -2..5 are learned from the
// Boolean alone; and a network that outputs the Boolean itself, and -2 where it is false, -1
// where it is true.
func negative(t *testing.T) (*load.Problem, *bnn.Network) {
	t.Helper()
	p := apptest.Integers(t)
	p.Inputs = p.Bits(0)[:1]
	p.Outputs = p.Bits(0)
	net := &bnn.Network{Layers: []bnn.Layer{{Inputs: 1, Weights: []int8{1, 0, 0, 0, 1}, Thresholds: []int32{1, 0, 0, 0, 1}}}}
	return &load.Problem{Task: engine.Task{Problem: p}}, net
}

// dataOf makes a data set of rows that each stand there some times: on and level, and both after the step.
func dataOf(t *testing.T, p *load.Problem, rows ...[5]float64) *sourced {
	t.Helper()
	s, err := dataset.OfProblem(p.Problem)
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Data{Schema: s}
	for _, r := range rows {
		for range int(r[4]) {
			d.Add([]float64{r[0], r[1], 0, 0, r[2], r[3]})
		}
	}
	return &sourced{data: []train.Source{{Data: d, Outside: true}}}
}

// TestErrorLine has errors counted by hand: of the rows with one state and action, those with another
// next state than the most frequent are wrong for every network.
func TestErrorLine(t *testing.T) {
	p, net := negative(t)
	from := dataOf(t, p,
		[5]float64{0, -2, 0, -2, 3}, // right
		[5]float64{0, 1, 0, 1, 1},   // contradicts it
		[5]float64{1, 5, 1, 5, 5},   // -1 is wrong in two bits
		[5]float64{1, 5, 1, 9, 1},   // no value
	)
	got, err := test(context.Background(), p, net, load.Trained{Seen: coverage.Of(1, []uint64{0})}, from, Testing{})
	if err != nil {
		t.Fatal(err)
	}
	six := 6
	values := map[string]string{"on(c1)": "on(c1)", "level#3": "level <= -1", "level#2": "level in -2..-1, 4..5", "level#1": "level in -2..-1, 2..3", "level#0": "level in -1, 1, 3, 5"}
	out := func(bit string, wrong int) OutputLine {
		return OutputLine{bit, values[bit], wrong, float64(wrong) / 10}
	}
	want := &ErrorLine{
		Measure: &measure.Measure{Rows: 10, Distinct: 2, Wrong: 7, Floor: 2, Unchanged: 1, OutOfRange: 1, Fluents: measure.Fluents{
			{Name: "on(c1)"},
			{Name: "level", Wrong: 7, Floor: 2, Unchanged: 1, Distance: &measure.Distance{RMS: math.Sqrt((9 + 5*36 + 100) / 10.), RMSUnchanged: math.Sqrt(1.6), Mean: (3 + 30 + 10) / 10., P95: 10}},
		}},
		RowError: .7, BitError: (7 + 2 + 7 + 2) / 50., Bits: map[string]float64{"level#3": .7, "level#2": .2, "level#1": .7, "level#0": .2}, Unseen: &six,
		Outputs: []OutputLine{out("on(c1)", 0), out("level#3", 7), out("level#2", 2), out("level#1", 7), out("level#0", 2)},
		Worst:   &FluentLine{"level", 7, .7, []ConfusionLine{{int64(-2), int64(-2), 3}, {int64(1), int64(-2), 1}, {int64(5), int64(-1), 5}}},
	}
	if !reflect.DeepEqual(got.ErrorLine, want) {
		t.Errorf("\n got %+v %+v %+v\nwant %+v %+v %+v", got.ErrorLine, got.Measure, got.Fluents[1].Distance, want, want.Measure, want.Fluents[1].Distance)
	}
	if c := got.Courses.Fluents[1]; c.Fluent != "level" || !reflect.DeepEqual(c.Logged, []float64{-2, -2, -2, 1, 5, 5, 5, 5, 5}) || !reflect.DeepEqual(c.Predicted, []float64{-2, -2, -2, -2, -1, -1, -1, -1, -1}) {
		t.Errorf("the courses are %+v", got.Courses)
	}
	var b strings.Builder
	if got.Trained.Exact = false; got.WriteText(&b) != nil {
		t.Fatal(err)
	}
	const text = `NO BETTER THAN "NOTHING CHANGES" on data: 70.00 % of the predicted next states are wrong, and 10.00 % if nothing is predicted to change.
Integers: 1:5
trained on 1 distinct states and actions
data: 70.00 % wrong, floor 20.00 %, unchanged 10.00 % (7, 2 and 1 of 10 rows)
  rows with values out of range: 1; a quantity counts in the nearest bin
  at least 6 of 10 rows have a state and an action that no training row has
      wrong     floor unchanged       rms unch. rms      mean      95 %  fluent
    70.00 %   20.00 %   10.00 %     5.376     1.265       4.3        10  level
       wrong      error  output
           0        0 %  on(c1)
           7    70.00 %  level <= -1
           2    20.00 %  level in -2..-1, 4..5
           7    70.00 %  level in -2..-1, 2..3
           2    20.00 %  level in -1, 1, 3, 5
  worst fluent level: 7 wrong, 70.00 %
       truth  predicted       rows
          -2         -2          3
           1         -2          1
           5         -1          5
` + measure.Legend
	if b.String() != text {
		t.Errorf("got\n%s\nwant\n%s", b.String(), text)
	}
	// A network that copies the Boolean wrongly: the confusion has Booleans, and the
	// first of two fluents that are as bad is named.
	net.Layers[0].Thresholds[0] = 0
	got, err = test(context.Background(), p, net, load.Trained{}, dataOf(t, p, [5]float64{0, -2, 0, 1, 5}, [5]float64{1, -1, 1, -1, 5}), Testing{})
	if err != nil {
		t.Fatal(err)
	}
	if f := got.Worst; f.Fluent != "on(c1)" || !reflect.DeepEqual(f.Confusion, []ConfusionLine{{false, true, 5}, {true, true, 5}}) || got.Unseen != nil || got.Trained != nil {
		t.Errorf("%+v, unseen %v", f, got.Unseen)
	}
	if text := got.NoBetter("data"); text == "" {
		t.Errorf("%q of %+v", text, got.Measure)
	}
}

// TestDrawn: legal rows that are drawn are legal, and all of few are met.
func TestDrawn(t *testing.T) {
	p, err := load.Load(context.Background(), load.Ref{Name: "inventory/2", Untrained: true})
	if err != nil {
		t.Fatal(err)
	}
	legal, err := train.Legal(context.Background(), p.Truth.Compiled, p.Truth.Sim, maxLegal)
	if err != nil {
		t.Fatal(err)
	}
	f := apptest.NetworkFile(t, "inventory/2")
	seen := load.Trained{Seen: coverage.Of(legal.Inputs, legal.In[4:])}
	listed, err := test(context.Background(), p, f.Network, seen, nil, Testing{Legal: true})
	if err != nil || listed.Legal == nil || listed.Legal.Rows != 64 || listed.Legal.Wrong != 0 || listed.Legal.Floor != 0 || *listed.Legal.Unseen != 4 {
		t.Fatalf("%v %+v", err, listed)
	}
	// They stand in where the legal rows are too many to list.
	got, err := test(context.Background(), p, f.Network, seen, nil, Testing{Legal: true, Seed: 3, limit: 50})
	if err != nil || got.Legal != nil || got.Drawn == nil || got.Drawn.Rows != DrawnRows || got.Drawn.Distinct != 64 || got.Drawn.Wrong != 0 || *got.Drawn.Unseen == 0 {
		t.Fatalf("%v %+v", err, got)
	}
	var b strings.Builder
	if err := got.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"inventory/2: 7:36:5\ntrained on 60 distinct states and actions\nlegal rows drawn at random: 0 % wrong, floor 0 %, unchanged ",
		" of 200000 rows have a state and an action that no training row has\nall legal rows: too many to list: more than 50 steps would be tried; test --prove compares them without a list\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("got\n%s\nwant\n%s", b.String(), want)
		}
	}
	// Without being asked for, nothing is listed where there are data.
	if got, err = test(context.Background(), p, f.Network, seen, &sourced{data: []train.Source{{Data: drawn(t, p)}}}, Testing{}); err != nil || got.Legal != nil || got.Drawn != nil || got.Unlisted != "" || got.Rows != 100 {
		t.Errorf("%v %+v", err, got)
	}
}

func drawn(t *testing.T, p *load.Problem) *dataset.Data {
	t.Helper()
	d, err := draw(context.Background(), p, 1, 100)
	if err != nil {
		t.Fatal(err)
	}
	return d
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
		rows, err := train.Legal(context.Background(), p.Truth.Compiled, p.Truth.Sim, maxLegal)
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
			got, err := test(context.Background(), p, f.Network, load.Trained{Seen: c.seen}, nil, Testing{Legal: true})
			if err != nil || !reflect.DeepEqual(got.Trained, c.want) {
				t.Errorf("%s: %v %+v, want %+v", name, err, got.Trained, c.want)
			}
		}
	}
}
