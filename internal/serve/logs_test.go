package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/fromlog"
	"github.com/fdplan/fdplan/internal/app/inspect"
)

// tank is the log of a tank that a pump fills by one unit a step and a valve drains.
func tank() string {
	var b strings.Builder
	b.WriteString("time;level;valve;pump\n")
	level, seed := 0, uint32(7)
	for i := range 400 {
		seed = seed*1664525 + 1013904223
		pump, valve := seed>>30&1, seed>>29&1
		fmt.Fprintf(&b, "%d;%d;%s;%s\n", i, level, []string{"shut", "open"}[valve], []string{"off", "on"}[pump])
		if pump == 1 {
			level = min(level+1, 3)
		}
		if valve == 1 {
			level = max(level-1, 0)
		}
	}
	return b.String()
}

// TestLearn goes from a log to a plan: upload, columns, problem, training, network, errors.
func TestLearn(t *testing.T) {
	x := serveTest(t)
	var l Log
	x.upload("logs", "file", map[string]string{"Tank 1.csv": tank()}, nil, http.StatusCreated, &l)
	if l.ID != "log-tank-1" || l.Rows != 400 || len(l.Columns) != 4 {
		t.Fatalf("the log is %+v", l)
	}
	var again Log
	if x.call("GET", "logs/"+l.ID, nil, http.StatusOK, &again); len(again.Columns) != 4 {
		t.Errorf("the same log is %+v", again)
	}
	level := l.Columns[slices.IndexFunc(l.Columns, func(c fromlog.Column) bool { return c.Column == "level" })]
	if level.Type != "int" || *level.Min != 0 || *level.Max != 3 || level.Missing != 0 || len(level.Histogram.Counts) != 4 {
		t.Errorf("the column of levels is %+v", level)
	}
	var made struct {
		Problem Problem
		Init    fromlog.Result
	}
	x.call("POST", "logs/"+l.ID+"/problem", obj{
		"name": "tank", "actions": []string{"pump", "valve"}, "rules": []string{"level >= 3 => valve == @ajar"},
	}, http.StatusBadRequest, nil) // there is no such value
	x.call("POST", "logs/"+l.ID+"/problem", obj{
		"name": "tank", "actions": []string{"pump", "valve"}, "goal": "level == 3", "reward": "-pump", "initial": []string{"level=1"}, "rename": obj{"pump": "fill"}, "missing": "drop",
	}, http.StatusBadRequest, nil) // the reward is of the former name
	x.call("POST", "logs/"+l.ID+"/problem", obj{
		"name": "tank", "actions": []string{"pump", "valve"}, "goal": "level == 3", "reward": "-pump", "initial": []string{"level=1"},
	}, http.StatusCreated, &made)
	id := made.Problem.Problem
	if id != "tank" || made.Problem.Network != "" || made.Init.Transitions == 0 || made.Problem.Log != l.ID {
		t.Fatalf("the problem is %+v", made)
	}
	if want := "fdplan init 'Tank 1.csv' --out=tank --actions=pump,valve '--goal=level == 3' --reward=-pump --initial=level=1"; made.Problem.Command != want {
		t.Errorf("the problem is made by %s, expected %s", made.Problem.Command, want)
	}
	if zip := x.call("GET", "problems/"+id+"/folder", nil, http.StatusOK, nil); !bytes.HasPrefix(zip, []byte("PK")) || !bytes.Contains(zip, []byte("tank/task.toml")) {
		t.Errorf("the folder is no archive with the task")
	}
	x.refused("GET", "problems/navigation%2F3x3/folder", nil, http.StatusNotFound, "there is no folder of the bundled problem")
	var sum inspect.Summary
	if x.call("GET", "problems/"+id, nil, http.StatusOK, &sum); !sum.Untrained || len(sum.Variables) != 3 {
		t.Errorf("the problem is %+v", sum)
	}
	x.refused("GET", "problems/"+id+"/network", nil, http.StatusNotFound, "there is no network")
	if text := x.call("GET", "problems/"+id+"/contradictions", nil, http.StatusOK, nil); !strings.Contains(string(text), `"contradictions":[]`) {
		t.Errorf("the contradictions are %s", text)
	}
	j := x.run(obj{"kind": "train", "problem": id, "recipe": "structure"})
	var trained struct{ Network string }
	x.answerOf(j, &trained)
	if !slices.ContainsFunc(j.Files, func(f File) bool { return f.Name == "structure.json" }) || !slices.ContainsFunc(j.Files, func(f File) bool { return f.Name == networkFile }) {
		t.Errorf("training wrote %+v", j.Files)
	}
	for _, f := range j.Files {
		x.call("GET", "jobs/"+j.ID+"/files/"+f.Name, nil, http.StatusOK, nil)
	}
	var network inspect.NetworkDocument
	x.call("GET", "problems/"+id+"/network", nil, http.StatusOK, &network)
	if network.Shape != trained.Network || !slices.Contains(network.Outputs, "level#0") {
		t.Errorf("the network is %s with outputs %v, training says %s", network.Shape, network.Outputs, trained.Network)
	}
	var full inspect.Summary
	if x.call("GET", "problems/"+id, nil, http.StatusOK, &full); full.Untrained || full.Network == nil {
		t.Errorf("the trained problem is %+v", full)
	}
	j = x.run(obj{"kind": "plan", "problem": id, "horizon": 4})
	if x.answerOf(j, &trained); *j.Reward != -2 {
		t.Errorf("the plan has the reward %v: %s", *j.Reward, j.Result)
	}
	for _, q := range []obj{{"data": l.ID}, {}, {"network": "network.bnn", "samples": 10}} {
		q["kind"], q["problem"] = "test", id
		j := x.run(q)
		x.answerOf(j, &trained)
		if !strings.Contains(string(j.Result), `"wrong":0`) {
			t.Errorf("%s: %s", j.Command, j.Result)
		}
	}
	x.call("DELETE", "logs/"+l.ID, nil, http.StatusNoContent, nil)
	x.refused("GET", "logs/"+l.ID, nil, http.StatusNotFound, "there is no log")
	if j := x.run(obj{"kind": "train", "problem": id, "recipe": "dense", "hidden": []int{8, 8}, "epochs": 3, "install": false}); j.Status != Done {
		t.Errorf("training without the log is %s, %v", j.Status, j.Error)
	}
	var same inspect.NetworkDocument
	if x.call("GET", "problems/"+id+"/network", nil, http.StatusOK, &same); same.Shape != network.Shape {
		t.Errorf("a network that was not to be installed is: %s", same.Shape)
	}
}

// TestLogs lists logs, and refuses what is none.
func TestLogs(t *testing.T) {
	dir := t.TempDir()
	x := serveIn(t, dir, nil)
	x.upload("logs", "file", map[string]string{"a.csv": "level,pump\n0,on\n1,off\n"}, nil, http.StatusCreated, nil)
	x.upload("logs", "file", map[string]string{"a.csv": "level|pump\n0|on\n1|off\n"}, map[string]string{"delimiter": "|"}, http.StatusCreated, nil)
	x.upload("logs", "file", map[string]string{"b.jsonl": `{"level":0,"pump":true}` + "\n" + `{"level":1,"pump":false}` + "\n"}, nil, http.StatusCreated, nil)
	for name, c := range map[string]struct {
		files  map[string]string
		fields map[string]string
		part   string
	}{
		"text":      {map[string]string{"a.doc": "x"}, nil, "is no log by its ending"},
		"empty":     {map[string]string{"a.csv": ""}, nil, `"file":"a.csv"`},
		"two":       {map[string]string{"a.csv": "x", "b.csv": "x"}, nil, "expected one log"},
		"binary":    {map[string]string{"a.parquet": "\x00\x01"}, nil, "a.parquet"},
		"delimiter": {map[string]string{"a.csv": "a,b\n1,2\n"}, map[string]string{"delimiter": "--json"}, "expected one character"},
		"broken":    {map[string]string{"a.csv": "a,b\n1,2\n3\n"}, nil, `"line":3`},
	} {
		if text := string(x.upload("logs", "file", c.files, c.fields, http.StatusBadRequest, nil)); !strings.Contains(text, c.part) || strings.Contains(text, dir) {
			t.Errorf("%s: %s, expected %s", name, text, c.part)
		}
	}
	// A log may have the name of a file that init writes.
	var l Log
	x.upload("logs", "file", map[string]string{"dropped.csv": tank()}, nil, http.StatusCreated, &l)
	var made struct{ Problem Problem }
	if x.call("POST", "logs/"+l.ID+"/problem", obj{"actions": []string{"pump", "valve"}}, http.StatusCreated, &made); made.Problem.Data != "log-dropped.csv" || made.Problem.Problem != "dropped" {
		t.Errorf("the problem of the log is %+v", made.Problem)
	}
	x.call("DELETE", "problems/dropped", nil, http.StatusNoContent, nil)
	x.call("DELETE", "logs/"+l.ID, nil, http.StatusNoContent, nil)
	check := func(x *testServer) {
		t.Helper()
		var list struct{ Logs []Log }
		x.call("GET", "logs", nil, http.StatusOK, &list)
		if len(list.Logs) != 3 || list.Logs[0].Name != "b.jsonl" || list.Logs[1].ID != "log-a-2" || list.Logs[1].Delimiter != "|" {
			t.Errorf("the logs are %+v", list.Logs)
		}
	}
	check(x)
	for body, part := range map[string]string{`{"actions":["pump,level"]}`: "there is no column pump,level", `{"actions":["valve"]}`: "there is no column valve", `{}`: "which columns are actions", `{"nothing":1}`: "there is no field"} {
		x.refused("POST", "logs/log-a/problem", json.RawMessage(body), http.StatusBadRequest, part)
	}
	x.refused("POST", "logs/nothing/problem", obj{}, http.StatusNotFound, "there is no log")
	x.nothingMade()
	x.done()
	check(serveIn(t, dir, nil))
	for _, folder := range []string{"logs", "problems"} {
		want := map[string]int{"logs": 3}[folder]
		if entries, err := os.ReadDir(filepath.Join(dir, folder)); err != nil || len(entries) != want {
			t.Errorf("%s has %d entries, expected %d: %v", folder, len(entries), want, err)
		}
	}
}
