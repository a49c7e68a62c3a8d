package serve

import (
	"net/http"
	"os"
	"reflect"
	"testing"
)

// TestPolicy finds a policy, and draws runs of it.
func TestPolicy(t *testing.T) {
	x := serveTest(t)
	text, err := os.ReadFile("../../examples/machines/machines.rddl")
	if err != nil {
		t.Fatal(err)
	}
	var p Problem
	x.upload("problems", "files", map[string]string{"machines.rddl": string(text)}, nil, http.StatusCreated, &p)
	j := x.run(obj{"kind": "plan", "problem": p.Problem, "policy": true, "horizon": 3})
	var answer struct {
		Status string
		Table  struct{ Outcomes []any }
	}
	x.answerOf(j, &answer)
	if answer.Status != "optimal" || len(answer.Table.Outcomes) == 0 {
		t.Fatalf("%+v", answer)
	}
	type frames struct{ Frames []struct{ Step, Text string } }
	draw := func(request obj) (f frames) {
		request["job"], request["format"] = j.ID, "parts"
		x.call("POST", "problems/"+p.Problem+"/picture", request, http.StatusOK, &f)
		return f
	}
	likely, others := draw(obj{}), 0
	for seed := range 6 {
		drawn := draw(obj{"seed": seed})
		if again := draw(obj{"seed": seed}); !reflect.DeepEqual(drawn, again) {
			t.Errorf("seed %d draws %+v, then %+v", seed, drawn, again)
		}
		if len(drawn.Frames) != 4 {
			t.Errorf("a run of 3 steps has the states %+v", drawn)
		}
		if !reflect.DeepEqual(drawn, likely) {
			others++
		}
	}
	if others == 0 {
		t.Error("all runs are the most likely one")
	}
	x.run(obj{"kind": "run", "problem": p.Problem, "policy": true, "horizon": 3, "simulator": "rddl"})
}
