package serve

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// obj is a JSON object of a request.
type obj = map[string]any

// slow is a job that runs until it is ended: it has more episodes than it can ever take.
var slow = obj{"kind": "run", "problem": "navigation/3x3", "horizon": 4, "simulator": "rddl", "episodes": 1_000_000_000}

// TestPlanJob runs a job and looks at all that is told of it.
func TestPlanJob(t *testing.T) {
	x := serveTest(t)
	j := x.run(obj{"kind": "plan", "problem": "navigation/3x3", "horizon": 4, "require": []string{"~move-west@1"}, "label": "a maze", "certify": true})
	var doc struct {
		Status string
		Reward float64
		Plan   []map[string]bool
		Proof  struct{ Checked bool }
	}
	x.answerOf(j, &doc)
	if doc.Status != "optimal" || doc.Reward != -4 || len(doc.Plan) != 4 || !doc.Proof.Checked {
		t.Errorf("the answer is %s", j.Result)
	}
	if j.Label != "a maze" || *j.Exit != 0 || *j.Reward != -4 || *j.Bound != -4 || !strings.HasPrefix(j.Verdict, "valid and proven optimal") {
		t.Errorf("the job is %+v", j)
	}
	if want := "fdplan plan navigation/3x3 '--require=~move-west@1' --horizon=4 --certify=certificate "; !strings.HasPrefix(j.Command, want) {
		t.Errorf("the command is %s, expected %s…", j.Command, want)
	}
	text := x.call("GET", "jobs/"+j.ID+"/certificate", nil, http.StatusOK, nil)
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	if !slices.Contains(names, "certificate/answer.json") || len(names) < 3 {
		t.Errorf("the certificate has the files %v", names)
	}
	if text := x.call("GET", "jobs/"+j.ID+"/files/answer.json", nil, http.StatusOK, nil); !json.Valid(text) || !strings.Contains(string(text), `"optimal"`) {
		t.Errorf("answer.json is %s", text)
	}
	x.refused("GET", "jobs/"+j.ID+"/files/job.json", nil, http.StatusNotFound, "there is no file")
	x.call("DELETE", "jobs/"+j.ID+"?remove=true", nil, http.StatusNoContent, nil)
	x.refused("GET", "jobs/"+j.ID, nil, http.StatusNotFound, "there is no job")
	if _, err := os.Stat(filepath.Join(x.s.config.Data, "jobs", j.ID)); !os.IsNotExist(err) {
		t.Errorf("the folder of a removed job: %v", err)
	}
}

// TestKindsOfJobs runs a job of each other kind that needs no upload.
func TestKindsOfJobs(t *testing.T) {
	x := serveTest(t)
	found := x.run(obj{"kind": "plan", "problem": "navigation/3x3"})
	for _, c := range []struct {
		request obj
		exit    int
		part    string
	}{
		{obj{"kind": "explain", "problem": "navigation/3x3", "of": found.ID}, 0, `"steps":[`},
		{obj{"kind": "explain", "problem": "navigation/3x3", "horizon": 3}, 4, `"conflict":{`},
		{obj{"kind": "validate", "problem": "navigation/3x3", "plan": json.RawMessage(found.Result), "simulator": "rddl"}, 0, `"valid":{"model":true,"simulator":true}`},
		{obj{"kind": "validate", "problem": "navigation/3x3", "of": found.ID, "set_initial": []string{"robot-at(x14,y20)=false", "robot-at(x9,y20)=true"}}, 4, `"failure":{`},
		{obj{"kind": "verify", "problem": "navigation/3x3", "property": "move-north => ~robot-at(x9,y20)'"}, 0, `"status":"holds"`},
		{obj{"kind": "verify", "problem": "navigation/3x3", "property": "robot-at(x14,y12) => ~move-north"}, 4, `"witness":{`},
		{obj{"kind": "run", "problem": "navigation/3x3", "horizon": 6, "simulator": "rddl", "seed": 3}, 0, `"status":"goal"`},
		{obj{"kind": "learn", "problem": "navigation/3x3", "simulator": "rddl", "resets": "no", "until": "model"}, 0, `"verdict":"Each step of the plan was seen, reward -4. No plan is better, if `},
		{obj{"kind": "plan", "problem": "navigation/3x3", "horizon": "3..5", "reward": "move-east,-1\nmove-west,-5\nmove-north,-1\nmove-south,-1\n"}, 0, `"horizons":[`},
		{obj{"kind": "test", "problem": "navigation/3x3"}, 0, `"legal":{`},
	} {
		j := x.run(c.request)
		var doc any
		x.answerOf(j, &doc)
		if c.request["kind"] == "learn" {
			x.acted(j)
		}
		if *j.Exit != c.exit || !strings.Contains(string(j.Result), c.part) {
			t.Errorf("%s: exit status %d, expected %d and %s: %s", j.Command, *j.Exit, c.exit, c.part, j.Result)
		}
	}
	j := x.run(obj{"kind": "plan", "problem": "navigation/3x3", "require": []string{"robot-at(x99,y12)"}})
	if j.Status != Failed || *j.Exit != 2 || j.Error == nil || !strings.Contains(j.Error.Message, "robot-at(x99,y12)") || j.Result != nil && string(j.Result) != "null" {
		t.Errorf("a wrong rule gives %+v, %+v", j, j.Error)
	}
}

// acted tries what a job that learned by acting has left, and its events.
func (x *testServer) acted(j Job) {
	for _, name := range []string{"answer.json", "rows.csv", "learned.json", "learn.svg", "network.bnn"} {
		x.call("GET", "jobs/"+j.ID+"/files/"+name, nil, http.StatusOK, nil)
	}
	events := string(x.call("GET", "jobs/"+j.ID+"/events", nil, http.StatusOK, nil))
	if !strings.Contains(events, `"bound":-4`) {
		x.t.Errorf("no step has a bound: %s", events)
	}
	picture := string(x.call("POST", "problems/navigation%2F3x3/picture", obj{"job": j.ID}, http.StatusOK, nil))
	if !strings.Contains(picture, "<svg") {
		x.t.Errorf("the plan is drawn as %.100s", picture)
	}
}

// TestEvents follows a job, and follows it again from its middle.
func TestEvents(t *testing.T) {
	x := serveTest(t)
	j := x.run(obj{"kind": "plan", "problem": "inventory/2", "horizon": 4, "engine": "maxsat"})
	all := string(x.call("GET", "jobs/"+j.ID+"/events", nil, http.StatusOK, nil))
	kinds := eventKinds(all)
	for _, want := range []string{"state", "plan", "done"} {
		if !slices.Contains(kinds, want) {
			t.Errorf("there is no event %s in %v", want, kinds)
		}
	}
	if kinds[0] != "state" || kinds[len(kinds)-1] != "done" || slices.Index(kinds, "done") != len(kinds)-1 {
		t.Errorf("the events are %v", kinds)
	}
	req, err := http.NewRequest("GET", x.url+"/api/v1/jobs/"+j.ID+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Last-Event-ID", fmt.Sprint(len(kinds)-2))
	_, _, rest := x.do(req)
	if !strings.HasSuffix(all, string(rest)) || len(eventKinds(string(rest))) != 2 {
		t.Errorf("after all events but two come\n%s", rest)
	}
	req.Header.Set("Last-Event-ID", "x")
	if status, _, _ := x.do(req); status != http.StatusBadRequest {
		t.Errorf("a wrong Last-Event-ID has status %d", status)
	}
	schema := x.api.Components.Schemas["Event"]
	for _, line := range strings.Split(all, "\n") {
		var v any
		if data, ok := strings.CutPrefix(line, "data: "); !ok {
			continue
		} else if err := json.Unmarshal([]byte(data), &v); err != nil {
			t.Error(err)
		} else if why := x.api.validate(schema, v, "event"); why != "" {
			t.Errorf("%s: %s", why, data)
		}
	}
}

// eventKinds are the kinds of the events in a stream, in order.
func eventKinds(text string) []string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if kind, ok := strings.CutPrefix(line, "event: "); ok {
			out = append(out, kind)
		}
	}
	return out
}

// TestCancel cancels a running job while it is followed, and one that waits.
func TestCancel(t *testing.T) {
	x := serveIn(t, t.TempDir(), func(c *Config) { c.Limits.Running = 1 })
	var first, second Job
	x.call("POST", "jobs", slow, http.StatusCreated, &first)
	x.call("POST", "jobs", slow, http.StatusCreated, &second)
	req, err := http.NewRequest("GET", x.url+"/api/v1/jobs/"+first.ID+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxLine)
	asked := false
	last := ""
	for lines.Scan() {
		if kind, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			last = kind
		}
		if !asked && last == "episode" {
			asked = true
			if x.call("GET", "jobs/"+second.ID, nil, http.StatusOK, &second); second.Status != Queued {
				t.Errorf("the second of one job at a time is %s", second.Status)
			}
			x.call("DELETE", "jobs/"+second.ID, nil, http.StatusOK, nil)
			x.call("DELETE", "jobs/"+first.ID, nil, http.StatusOK, nil)
		}
	}
	if last != "done" || !asked {
		t.Errorf("the last event is %q", last)
	}
	first, second = x.wait(first.ID), x.wait(second.ID)
	if first.Status != Cancelled || second.Status != Cancelled || second.Started != nil || first.Error != nil {
		t.Errorf("cancelled jobs are %s (%v) and %s", first.Status, first.Error, second.Status)
	}
	x.call("DELETE", "jobs/"+first.ID, nil, http.StatusOK, nil) // again: nothing changes
	x.refused("DELETE", "jobs/"+first.ID+"?remove=maybe", nil, http.StatusBadRequest, "expected true or false")
	if got := x.run(obj{"kind": "plan", "problem": "navigation/3x3"}); got.Status != Done {
		t.Errorf("a job after cancelled ones is %s", got.Status)
	}
}

// TestRestart ends a server and starts another on the same data: what had ended is there, with
// its events, and what had not is interrupted.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	x := serveIn(t, dir, nil)
	done := x.run(obj{"kind": "plan", "problem": "navigation/3x3"})
	events := x.call("GET", "jobs/"+done.ID+"/events", nil, http.StatusOK, nil)
	var running Job
	x.call("POST", "jobs", slow, http.StatusCreated, &running)
	var p Problem
	x.upload("problems", "files", map[string]string{"switch.rddl": switchRDDL}, nil, http.StatusCreated, &p)
	x.done()

	y := serveIn(t, dir, nil)
	var again Job
	y.call("GET", "jobs/"+done.ID, nil, http.StatusOK, &again)
	if again.Status != Done || !bytes.Equal(again.Result, done.Result) {
		t.Errorf("after a restart the job is %+v", again)
	}
	if got := y.call("GET", "jobs/"+done.ID+"/events", nil, http.StatusOK, nil); !bytes.Equal(got, events) {
		t.Errorf("after a restart the events are\n%s\nexpected\n%s", got, events)
	}
	if y.call("GET", "jobs/"+running.ID, nil, http.StatusOK, &again); again.Status != Interrupted || again.Ended == nil {
		t.Errorf("a job that ran when the server ended is %s", again.Status)
	}
	y.call("GET", "problems/"+p.Problem, nil, http.StatusOK, nil)
	if next := y.run(obj{"kind": "plan", "problem": p.Problem, "horizon": 2}); next.Status != Done || number(&job{dir: next.ID}) <= number(&job{dir: running.ID}) {
		t.Errorf("the first job after a restart is %s, %s", next.ID, next.Status)
	}
	y.done()

	// A server that was killed leaves a job that says it runs, and a folder without one.
	file := filepath.Join(dir, "jobs", done.ID, jobFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]any
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	raw["status"], raw["ended"] = "running", nil
	if err := saveJSON(file, raw); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "jobs", "77"), 0o700); err != nil {
		t.Fatal(err)
	}
	z := serveIn(t, dir, nil)
	if z.call("GET", "jobs/"+done.ID, nil, http.StatusOK, &again); again.Status != Interrupted {
		t.Errorf("a job of a server that was killed is %s", again.Status)
	}
	z.refused("GET", "jobs/77", nil, http.StatusNotFound, "there is no job")
	z.call("GET", "jobs/"+done.ID+"/events", nil, http.StatusOK, nil)
}

// TestConcurrentJobs starts more jobs than may run, and more than may wait; the oldest ended
// ones are removed.
func TestConcurrentJobs(t *testing.T) {
	x := serveIn(t, t.TempDir(), func(c *Config) { c.Limits.Queued, c.Limits.Kept = 3, 4 })
	var ids []string
	for range 5 { // two run, three wait
		var j Job
		x.call("POST", "jobs", slow, http.StatusCreated, &j)
		ids = append(ids, j.ID)
		for len(ids) <= 2 && j.Status == Queued {
			time.Sleep(5 * time.Millisecond)
			x.call("GET", "jobs/"+j.ID, nil, http.StatusOK, &j)
		}
	}
	x.refused("POST", "jobs", slow, http.StatusTooManyRequests, "3 jobs wait already")
	var list struct{ Jobs []Job }
	x.call("GET", "jobs?status=queued&kind=run&problem=navigation%2F3x3&limit=2", nil, http.StatusOK, &list)
	if len(list.Jobs) != 2 || list.Jobs[0].ID != ids[4] || list.Jobs[1].ID != ids[3] {
		t.Errorf("the newest jobs that wait are %+v", list.Jobs)
	}
	for _, id := range ids {
		x.call("DELETE", "jobs/"+id, nil, http.StatusOK, nil)
	}
	for i := range 3 {
		if j := x.run(obj{"kind": "plan", "problem": "navigation/3x3", "horizon": 4 + i}); j.Status != Done {
			t.Errorf("job %s is %s", j.ID, j.Status)
		}
	}
	deadline := time.Now().Add(20 * time.Second)
	for {
		if x.call("GET", "jobs", nil, http.StatusOK, &list); len(list.Jobs) == 4 || time.Now().After(deadline) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if len(list.Jobs) != 4 || list.Jobs[3].ID != ids[4] {
		t.Errorf("%d jobs are kept", len(list.Jobs))
	}
	for _, query := range []string{"kind=cook", "status=lost", "limit=0", "limit=x"} {
		x.refused("GET", "jobs?"+query, nil, http.StatusBadRequest, "expected")
	}
}

// TestJobRequests refuses jobs that make no sense.
func TestJobRequests(t *testing.T) {
	x := serveTest(t)
	for _, c := range []struct {
		request obj
		status  int
		message string
	}{
		{obj{}, 400, "is not a kind of job"},
		{obj{"kind": "cook"}, 400, "is not a kind of job"},
		{obj{"kind": "plan"}, 400, "no problem is named"},
		{obj{"kind": "plan", "problem": "navigation/9x9"}, 404, "there is no problem"},
		{obj{"kind": "plan", "problem": "/etc/passwd"}, 404, "there is no problem"},
		{obj{"kind": "plan", "problem": "--help"}, 404, "there is no problem"},
		{obj{"kind": "plan", "problem": "navigation/3x3", "horizon": 0}, 400, "is not a horizon"},
		{obj{"kind": "plan", "problem": "navigation/3x3", "horizon": "4 --solver=x"}, 400, "is not a horizon"},
		{obj{"kind": "plan", "problem": "navigation/3x3", "solver": "sh -c x"}, 400, "there is no field"},
		{obj{"kind": "plan", "problem": "navigation/3x3", "property": "true"}, 400, "a job of kind plan has no property; expected it with verify"},
		{obj{"kind": "plan", "problem": "navigation/3x3", "time_limit": "soon"}, 400, "is not a time"},
		{obj{"kind": "plan", "problem": "navigation/3x3", "threads": -1}, 400, "expected at least 0"},
		{obj{"kind": "plan", "problem": "navigation/3x3", "simulator": "rm -rf x"}, 404, "there is no simulator"},
		{obj{"kind": "run", "problem": "navigation/3x3"}, 400, "no simulator is named"},
		{obj{"kind": "learn", "problem": "navigation/3x3"}, 400, "no simulator is named"},
		{obj{"kind": "learn", "problem": "navigation/3x3", "simulator": "rddl", "data": "../x"}, 404, "there is no data set"},
		{obj{"kind": "verify", "problem": "navigation/3x3"}, 400, "there is no property"},
		{obj{"kind": "validate", "problem": "navigation/3x3"}, 400, "no plan is given"},
		{obj{"kind": "validate", "problem": "navigation/3x3", "of": "12"}, 404, "there is no job"},
		{obj{"kind": "explain", "problem": "navigation/3x3", "of": "12", "plan": obj{}}, 400, "two plans"},
		{obj{"kind": "train", "problem": "navigation/3x3"}, 400, "has no data set"},
		{obj{"kind": "train", "problem": "navigation/3x3", "data": "../../x"}, 404, "there is no data set"},
		{obj{"kind": "test", "problem": "navigation/3x3", "network": "/etc/passwd"}, 404, "there is no network"},
		{obj{"kind": "test", "problem": "navigation/3x3", "of": "99"}, 404, "there is no job"},
		{obj{"kind": "plan", "problem": "navigation/3x3", "label": strings.Repeat("x", 201)}, 400, "the label has 201 bytes"},
	} {
		x.refused("POST", "jobs", c.request, c.status, c.message)
	}
	var list struct{ Jobs []Job }
	if x.call("GET", "jobs", nil, http.StatusOK, &list); len(list.Jobs) != 0 {
		t.Errorf("refused jobs left %+v", list.Jobs)
	}
	if entries, err := os.ReadDir(filepath.Join(x.s.config.Data, "jobs")); err != nil || len(entries) != 0 {
		t.Errorf("refused jobs left %v, %v", entries, err)
	}
	x.nothingMade()
}

// TestValuesAreNoFlags passes texts to a command that look like flags.
func TestValuesAreNoFlags(t *testing.T) {
	x := serveTest(t)
	for _, text := range []string{"--out=/tmp/x", "-o", "--", "--require=true"} {
		j := x.run(obj{"kind": "plan", "problem": "navigation/3x3", "require": []string{text}})
		if j.Status != Failed || *j.Exit != 2 {
			t.Errorf("the rule %s gives %s, %s", text, j.Status, j.Result)
		}
	}
}

// TestLimits gives a job too little memory, and too little time. Both have an answer, and the
// server lives on.
func TestLimits(t *testing.T) {
	x := serveTest(t)
	for _, c := range []struct {
		field string
		value any
		part  string
	}{{"memory", 48 << 20, "memory"}, {"time_limit", "300ms", "time limit"}} {
		j := x.run(obj{"kind": "plan", "problem": "cellda/x", "horizon": 2000, "engine": "maxsat", c.field: c.value})
		var doc struct{ Stopped string }
		x.answerOf(j, &doc)
		if *j.Exit != exitLimit || !strings.Contains(doc.Stopped, c.part) {
			t.Errorf("a job with %s %v has exit status %d: %s", c.field, c.value, *j.Exit, j.Result)
		}
	}
	x.call("GET", "server", nil, http.StatusOK, nil)
}

// TestEngines has no engine offered whose program is absent.
func TestEngines(t *testing.T) {
	x := serveIn(t, t.TempDir(), nil)
	dir := t.TempDir()
	t.Chdir(dir) // its program is looked for in the folders above, too
	t.Setenv("PATH", dir)
	offered := func(want ...string) {
		t.Helper()
		var about about
		if x.call("GET", "server", nil, http.StatusOK, &about); !slices.Equal(about.Engines, want) {
			t.Errorf("the engines are %v; expected %v", about.Engines, want)
		}
	}
	offered("auto", "search", "pb", "maxsat")
	if err := os.WriteFile(filepath.Join(dir, "highs"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	offered("auto", "search", "pb", "maxsat", "blp")
}

// TestSimulators runs against a simulator of the server's list.
func TestSimulators(t *testing.T) {
	x := serveIn(t, t.TempDir(), func(c *Config) { c.Simulators["broken"] = program + " list" })
	var about about
	if x.call("GET", "server", nil, http.StatusOK, &about); !slices.Equal(about.Simulators, []string{"rddl", "broken"}) {
		t.Errorf("the simulators are %v", about.Simulators)
	}
	j := x.run(obj{"kind": "run", "problem": "navigation/3x3", "horizon": 4, "simulator": "broken"})
	if j.Status != Failed || *j.Exit != 2 || j.Error == nil {
		t.Errorf("a broken simulator gives %s: %s, %v", j.Status, j.Result, j.Error)
	}
}
