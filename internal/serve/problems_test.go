package serve

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/inspect"
)

// switchRDDL is a domain with an instance: a lamp that is switched on.
const switchRDDL = `domain lamp {
  pvariables {
    on : { state-fluent, bool, default = false };
    push : { action-fluent, bool, default = false };
  };
  cpfs { on' = on ^ ~push | ~on ^ push; };
  reward = -push;
}
instance lamp1 {
  domain = lamp;
  init-state { on = false; };
  max-nondef-actions = 1;
  horizon = 3;
  discount = 1.0;
}
`

// TestProblems lists, shows and draws bundled problems.
func TestProblems(t *testing.T) {
	x := serveTest(t)
	var list struct{ Problems []Problem }
	x.call("GET", "problems", nil, http.StatusOK, &list)
	if !slices.ContainsFunc(list.Problems, func(p Problem) bool {
		return p.Problem == "navigation/3x3" && p.Source == "bundled" && p.Horizon == 4 && p.States == 9
	}) {
		t.Errorf("the problems are %+v", list.Problems)
	}
	var sum inspect.Summary
	x.call("GET", "problems/navigation%2F3x3", nil, http.StatusOK, &sum)
	if sum.Network == nil || sum.Bits["state"] != 9 || len(sum.Goal) == 0 {
		t.Errorf("the problem is %+v", sum)
	}
	var known inspect.Summary
	if x.call("GET", "problems/navigation%2F3x3?model=rddl", nil, http.StatusOK, &known); known.Network != nil {
		t.Errorf("from its RDDL the problem has a network")
	}
	x.refused("GET", "problems/navigation%2F3x3?model=guess", nil, http.StatusBadRequest, "expected one of network, rddl")
	x.refused("GET", "problems/navigation%2F3x3?determinize=x", nil, http.StatusBadRequest, "expected one of none")
	x.refused("GET", "problems/nothing", nil, http.StatusNotFound, "there is no problem")
	x.refused("GET", "problems/..%2F..%2Fetc%2Fpasswd", nil, http.StatusNotFound, "there is no problem")
	x.refused("DELETE", "problems/navigation%2F3x3", nil, http.StatusConflict, "is bundled")
	x.refused("GET", "problems/navigation%2F3x3/files/task.toml", nil, http.StatusNotFound, "there is no file")

	var copied Problem
	x.call("POST", "problems/navigation%2F3x3/copy", obj{"name": "my own", "goal": "robot-at(x9,y20)", "horizon": 7}, http.StatusCreated, &copied)
	if text := x.call("GET", "problems/my-own/files/task.toml", nil, http.StatusOK, nil); copied.Problem != "my-own" || copied.Horizon != 7 || !strings.Contains(string(text), "robot-at(x9,y20)") {
		t.Errorf("the copy is %+v:\n%s", copied, text)
	}
	x.refused("POST", "problems/navigation%2F3x3/copy", obj{"goal": "nothing-there"}, http.StatusBadRequest, "nothing-there")
	x.call("DELETE", "problems/my-own", nil, http.StatusNoContent, nil)
	var network inspect.NetworkDocument
	x.call("GET", "problems/navigation%2F3x3/network", nil, http.StatusOK, &network)
	if network.Shape != sum.Network.Shape || len(network.Depends) != 9 || len(network.Layers) == 0 || network.Edges != sum.Network.Edges {
		t.Errorf("the network is %+v", network)
	}
	x.refused("GET", "problems/inventory%2F2-text/network", nil, http.StatusNotFound, "there is no network")
}

// TestPictures draws an initial state and a plan.
func TestPictures(t *testing.T) {
	x := serveTest(t)
	path := "problems/navigation%2F3x3/picture"
	start := x.call("POST", path, obj{}, http.StatusOK, nil)
	moved := x.call("POST", path, obj{"set_initial": []string{"robot-at(x14,y20)=false", "robot-at(x9,y20)=true"}}, http.StatusOK, nil)
	if !bytes.Contains(start, []byte("<svg")) || bytes.Equal(start, moved) {
		t.Errorf("the initial states are %s and %s", start, moved)
	}
	var parts struct {
		Frames  []any
		Choices []any
	}
	x.call("POST", path, obj{"format": "parts"}, http.StatusOK, &parts)
	if len(parts.Frames) != 1 || len(parts.Choices) == 0 {
		t.Errorf("the parts of the initial state have %d frames and %d choices", len(parts.Frames), len(parts.Choices))
	}
	j := x.run(obj{"kind": "plan", "problem": "navigation/3x3"})
	x.call("POST", path, obj{"format": "parts", "job": j.ID}, http.StatusOK, &parts)
	if len(parts.Frames) != 5 {
		t.Errorf("a plan of 4 steps has %d frames", len(parts.Frames))
	}
	for _, format := range []string{"svg", "html", "gif", "txt"} {
		if text := x.call("POST", path, obj{"format": format, "plan": j.Result}, http.StatusOK, nil); len(text) < 100 {
			t.Errorf("as %s the plan is %s", format, text)
		}
	}
	for _, c := range []struct {
		request obj
		status  int
		message string
	}{
		{obj{"format": "png"}, 400, "is no form of pictures"},
		{obj{"format": "txt"}, 400, "has no picture as text"},
		{obj{"plan": obj{}, "job": "1"}, 400, "two plans"},
		{obj{"job": "1", "set_initial": []string{"a=b"}}, 400, "drawn as it is"},
		{obj{"job": "99"}, 404, "there is no job"},
		{obj{"plan": obj{"schema": 1}}, 400, `expected a "plan"`},
		{obj{"set_initial": []string{"nothing=1"}}, 400, "nothing"},
	} {
		x.refused("POST", path, c.request, c.status, c.message)
	}
}

// lampPDDL and lampProblem are the same lamp in PDDL.
const (
	lampPDDL    = "(define (domain lamp) (:predicates (on)) (:action push :parameters () :precondition (not (on)) :effect (on)))\n"
	lampProblem = "(define (problem lamp1) (:domain lamp) (:init) (:goal (on)))\n"
)

// TestUploadsInPDDL refuses PDDL files that are no domain with a problem, and copies those of a problem.
func TestUploadsInPDDL(t *testing.T) {
	x := serveTest(t)
	for want, files := range map[string]map[string]string{
		"a problem in none; expected a file with the domain": {"d.pddl": lampPDDL},
		"both have a problem":                                {"d.pddl": lampPDDL + lampProblem, "p.pddl": lampProblem},
		"there are 3 PDDL files":                             {"d.pddl": lampPDDL, "p.pddl": lampProblem, "e.pddl": lampPDDL},
		"p.pddl":                                             {"d.pddl": lampPDDL, "p.pddl": strings.Replace(lampProblem, "(:goal", "(:gaol", 1)},
	} {
		if said := x.upload("problems", "files", files, nil, http.StatusBadRequest, nil); !strings.Contains(string(said), want) {
			t.Errorf("%v: %s; expected %q", files, said, want)
		}
	}
	var p, copied Problem
	x.upload("problems", "files", map[string]string{"d.pddl": lampPDDL, "p.pddl": lampProblem}, nil, http.StatusCreated, &p)
	x.call("POST", "problems/"+p.Problem+"/copy", obj{"name": "edit"}, http.StatusCreated, &copied)
	if copied.Problem != "edit" || len(copied.Files) != 2 {
		t.Errorf("the copy is %+v", copied)
	}
	if j := x.run(obj{"kind": "plan", "problem": "edit"}); j.Status != Done || *j.Exit != 0 {
		t.Errorf("%s is %s, %v", j.Command, j.Status, j.Error)
	}
	x.refused("POST", "jobs", obj{"kind": "train", "problem": "edit"}, http.StatusBadRequest, "nothing to be learned")
}

// TestUploads uploads problems of all layouts, plans in them, and removes them.
func TestUploads(t *testing.T) {
	x := serveTest(t)
	domain, instance, _ := strings.Cut(switchRDDL, "instance ")
	instance = "instance " + instance
	task := "domain = \"lamp.rddl\"\ngoal = \"on\"\n"
	for name, files := range map[string]map[string]string{
		"one file":      {"lamp.rddl": switchRDDL},
		"two files":     {"d.rddl": domain, "i.rddl": instance},
		"a task":        {"lamp.rddl": switchRDDL, "lamp.toml": task},
		"a folder":      {"dir/lamp.rddl": switchRDDL, `C:\dir\lamp.toml`: task},
		"published":     tiny(t),
		"pddl":          {"d.pddl": lampPDDL, "p.PDDL": lampProblem},
		"spaces (copy)": {"my lamp (1).rddl": switchRDDL},
	} {
		var p Problem
		x.upload("problems", "files", files, map[string]string{"name": name, "goal": "on"}, http.StatusCreated, &p)
		if p.Problem != identifier(name) || p.Source != "uploaded" || p.States == 0 {
			t.Errorf("%s: the problem is %+v", name, p)
		}
		if j := x.run(obj{"kind": "plan", "problem": p.Problem, "horizon": 5}); j.Status != Done || *j.Exit != 0 {
			t.Errorf("%s: %s is %s, %v", name, j.Command, j.Status, j.Error)
		}
		for _, f := range p.Files {
			x.call("GET", "problems/"+p.Problem+"/files/"+strings.ReplaceAll(f.Name, " ", "%20"), nil, http.StatusOK, nil)
		}
		x.call("DELETE", "problems/"+p.Problem, nil, http.StatusNoContent, nil)
		x.refused("GET", "problems/"+p.Problem, nil, http.StatusNotFound, "there is no problem")
	}
	var first, second Problem
	x.upload("problems", "files", map[string]string{"lamp.rddl": switchRDDL}, map[string]string{"name": "Lamp"}, http.StatusCreated, &first)
	x.upload("problems", "files", map[string]string{"lamp.rddl": switchRDDL}, map[string]string{"name": "lamp"}, http.StatusCreated, &second)
	if first.Problem != "lamp" || second.Problem != "lamp-2" {
		t.Errorf("two problems of one name are %s and %s", first.Problem, second.Problem)
	}
	var list struct{ Problems []Problem }
	if x.call("GET", "problems", nil, http.StatusOK, &list); list.Problems[len(list.Problems)-1].Problem != "lamp-2" {
		t.Errorf("the last problem is %+v", list.Problems[len(list.Problems)-1])
	}
}

// tiny is a problem in the FD-SAT-Plan layout, as a browser sends a folder.
func tiny(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	names, err := filepath.Glob("../../problem/fdsat/testdata/base/*/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(name)] = string(text)
	}
	return out
}

// TestBadUploads uploads what is no problem. Nothing of it stays.
func TestBadUploads(t *testing.T) {
	x := serveTest(t)
	for name, c := range map[string]struct {
		files  map[string]string
		status int
		part   string
	}{
		"syntax":           {map[string]string{"lamp.rddl": strings.Replace(switchRDDL, "cpfs {", "cpfs [", 1)}, 400, `"line":6`},
		"no instance":      {map[string]string{"lamp.rddl": "domain lamp { }"}, 400, "lack a domain or an instance"},
		"two domains":      {map[string]string{"a.rddl": switchRDDL, "b.rddl": switchRDDL}, 400, "both have a"},
		"two tasks":        {map[string]string{"a.toml": "", "b.toml": ""}, 400, "2 task files"},
		"nothing known":    {map[string]string{"a.doc": ""}, 400, "name no problem"},
		"toml":             {map[string]string{"a.toml": "domain = \n"}, 400, `"file":"a.toml","line":1`},
		"missing file":     {map[string]string{"a.toml": "domain = \"d.rddl\"\n"}, 400, "not among the uploaded files"},
		"path":             {map[string]string{"a.toml": "domain = \"/etc/passwd\"\n"}, 400, "a file of another folder"},
		"path up":          {map[string]string{"a.toml": "domain = \"../../../x.rddl\"\n"}, 400, "a file of another folder"},
		"network path":     {map[string]string{"l.rddl": switchRDDL, "a.toml": "domain = \"l.rddl\"\nlearned = [\"on\"]\nnetwork = \"../n.bnn\"\n"}, 400, "a file of another folder"},
		"instance path":    {map[string]string{"l.rddl": switchRDDL, "a.toml": "domain = \"l.rddl\"\ninstance = \"..\"\n"}, 400, "a file of another folder"},
		"mixed layout":     {map[string]string{"bnn_a_b.txt": "", "x.doc": ""}, 400, "is no file of the layout"},
		"two of layout":    {map[string]string{"bnn_a_b.txt": "", "bnn_a_c.txt": ""}, 400, "expected one problem"},
		"broken published": {map[string]string{"bnn_a_b.txt": "bnn\n"}, 400, "error"},
		"hidden file":      {map[string]string{".bashrc": "x"}, 400, "is not a name for a file"},
		"control":          {map[string]string{"a\x01.rddl": "x"}, 400, "error"},
		"flag":             {map[string]string{"-o.toml": "x"}, 400, "is not a name for a file"},
		"dots":             {map[string]string{"..": "x"}, 400, "error"},
		"no file":          {nil, 400, "there is no file"},
	} {
		text := x.upload("problems", "files", c.files, nil, c.status, nil)
		if !strings.Contains(string(text), c.part) || strings.Contains(string(text), x.s.config.Data) {
			t.Errorf("%s: %s, expected %s and no path of the server", name, text, c.part)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(x.s.config.Data, "problems")); err != nil || len(entries) != 0 {
		t.Errorf("refused uploads left %v, %v", entries, err)
	}
	x.nothingMade()
}

// TestFileNames holds names of uploads to what all systems allow.
func TestFileNames(t *testing.T) {
	for name, want := range map[string]string{
		"a.toml": "a.toml", "dir/a.toml": "a.toml", `C:\x\a.toml`: "a.toml", "../../a.toml": "a.toml", "Aufzug_2 (neu).csv": "Aufzug_2 (neu).csv", "señal.csv": "señal.csv",
		"": "", "..": "", ".": "", ".x": "", "-x": "", "a:b": "", "a\x00b": "", "a\nb": "", "a*": "", "a\"b": "", "\xff.csv": "", "dir/": "", strings.Repeat("x", 101): "",
	} {
		got, err := fileName(name)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("fileName(%q) = %q, %v, expected %q", name, got, err, want)
		}
	}
	for name, want := range map[string]string{"Lift": "lift", "A  b/c": "a-b-c", "--": "", "é": "", strings.Repeat("ab-", 50): strings.Trim(strings.Repeat("ab-", 50)[:40], "-")} {
		if got := identifier(name); got != want {
			t.Errorf("identifier(%q) = %q, expected %q", name, got, want)
		}
	}
}

// TestLimitOfUploads refuses one problem too many.
func TestLimitOfUploads(t *testing.T) {
	x := serveIn(t, t.TempDir(), func(c *Config) { c.Limits.Uploads = 1 })
	x.upload("problems", "files", map[string]string{"a.rddl": switchRDDL}, nil, http.StatusCreated, nil)
	x.upload("problems", "files", map[string]string{"b.rddl": switchRDDL}, nil, http.StatusConflict, nil)
	x.upload("logs", "file", map[string]string{"a.csv": "level,pump\n0,on\n1,off\n"}, nil, http.StatusCreated, nil)
	x.upload("logs", "file", map[string]string{"b.csv": "level,pump\n0,on\n1,off\n"}, nil, http.StatusConflict, nil)
}
