package events

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/progress"
	"github.com/fdplan/fdplan/problem/factored"
)

// recorded returns a reporter and a function that returns the events so far, as JSON.
func recorded() (*progress.Reporter, func() string) {
	var b strings.Builder
	now := time.Unix(0, 0)
	r := progress.New(&b, progress.JSON, func() time.Time { return now }, now)
	return r, func() string { return strings.ReplaceAll(b.String(), `"seconds":0,`, "") }
}

// TestPlanning: a report of an engine is a plan, a bound or a phase by what is new in it.
func TestPlanning(t *testing.T) {
	p, err := load.Load(t.Context(), load.Ref{Name: "navigation/3x3", Source: load.Source{Model: load.RDDL}})
	if err != nil {
		t.Fatal(err)
	}
	r, got := recorded()
	planning := NewPlanning(r, p.Task)
	at := func(x int64) *int64 { return &x }
	steps := &factored.Trace{}
	for range 2 {
		steps.Steps = append(steps.Steps, make(factored.Valuation, p.Problem.NumBits()))
	}
	east, ok := p.Problem.Lookup("move-east")
	if !ok {
		t.Fatal("no move-east")
	}
	if err := east.Set(steps.Steps[0], 1); err != nil {
		t.Fatal(err)
	}
	for _, e := range []engine.Progress{
		{Phase: "a"}, {Phase: "b", Bound: at(-3)}, {Phase: "c", Bound: at(-3), Reward: at(-6), Trace: steps}, {Phase: "d", Bound: at(-3), Reward: at(-6), Trace: steps}, {Phase: "e", Bound: at(-4), Reward: at(-6)},
	} {
		planning.Engine(e)
	}
	want := `{"event":"phase","phase":"a"}
{"event":"bound","phase":"b","bound":-3}
{"event":"plan","phase":"c","reward":-6,"bound":-3,"gap":0.5,"plan":[{"move-east":true}],"horizon":1}
{"event":"phase","phase":"d","reward":-6,"bound":-3,"gap":0.5}
{"event":"bound","phase":"e","reward":-6,"bound":-4,"gap":0.3333333333333333}
`
	if got() != want {
		t.Errorf("%s, expected\n%s", got(), want)
	}
}

// TestIteration: a plan that fails in the simulator leaves a landmark.
func TestIteration(t *testing.T) {
	r, got := recorded()
	planning := NewPlanning(r, engine.Task{})
	reward, depth := -4.0, 2
	plan := []app.Values{{{Name: "a", Value: true}}}
	planning.Iteration(execute.IterationLine{Iteration: 1, Reward: &reward, Plan: plan, Failure: &app.Fault{Text: "step 2: no"}, Depth: &depth})
	planning.Iteration(execute.IterationLine{Iteration: 2, Reward: &reward, Plan: plan})
	planning.Iteration(execute.IterationLine{Iteration: 3}) // no plan is left
	want := `{"event":"simulation","reward":-4,"iteration":1,"holds":false}
{"event":"iteration","reward":-4,"iteration":1,"text":"step 2: no"}
{"event":"landmark","iteration":1,"landmarks":1,"depth":2}
{"event":"simulation","reward":-4,"iteration":2,"holds":true}
`
	if got() != want {
		t.Errorf("%s, expected\n%s", got(), want)
	}
}

// TestAccuracy: the share is of rows as often as they were seen.
func TestAccuracy(t *testing.T) {
	if a := accuracy(nil); a != nil {
		t.Error(*a)
	}
	if a := accuracy(&train.Measure{}); a != nil {
		t.Error(*a)
	}
	text, err := json.Marshal(accuracy(&train.Measure{Rows: 4, WrongRows: 2, Total: 8, TotalRows: 2}))
	if err != nil || string(text) != "0.75" {
		t.Errorf("%s, %v", text, err)
	}
}
