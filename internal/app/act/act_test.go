package act_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/act"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
)

// learn learns a bundled problem in its RDDL.
func learn(t *testing.T, name string, r act.Request) *act.Document {
	t.Helper()
	d, err := act.Run(context.Background(), problem(t, name), execute.SimulatorRef{Name: "rddl"}, complete(r))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func problem(t *testing.T, name string) *load.Problem {
	t.Helper()
	p, err := load.Load(context.Background(), load.Ref{Name: name, Untrained: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func complete(r act.Request) act.Request {
	r.Now, r.Limits.Threads = time.Now, 1
	if r.Variables == 0 {
		r.Variables = 2
	}
	return r
}

// A collection of garbage for every few megabytes takes a quarter of the time of these tests.
func init() { debug.SetGCPercent(400) }

var bundled = flag.Bool("bundled", false, "learn all bundled problems by acting, those that take some seconds too")

// TestBundled learns the bundled problems from nothing: the optimum is certified within so many steps.
func TestBundled(t *testing.T) {
	most := 0.0
	for i, c := range []struct {
		problem string
		request act.Request
		reward  float64
		steps   int
	}{
		{"navigation/3x3", act.Request{Resets: act.ResetsNo}, -4, 70},
		{"inventory/2", act.Request{}, -9, 25},
		{"sysadmin/4", act.Request{}, -3, 60},
		{"sysadmin/4", act.Request{Resets: act.ResetsAny}, -3, 60},
		{"sysadmin/4", act.Request{Lift: true}, -3, 40},
		{"navigation/3x3", act.Request{Lift: true, Resets: act.ResetsNo}, -4, 70},
		{"sysadmin/4", act.Request{Lift: true, Most: &most}, -3, 80},
		{"navigation/3x3", act.Request{Most: &most}, -4, 110},
		{"cellda/y", act.Request{}, -6, 80},
		// From here on with -bundled only.
		{"cellda/x", act.Request{Resets: act.ResetsAny}, -9, 80},
		{"navigation/4x4", act.Request{Resets: act.ResetsNo}, -5, 110},
		{"inventory/4", act.Request{}, -10, 50},
		{"sysadmin/5", act.Request{}, -4, 60},
		{"sysadmin/5", act.Request{Lift: true}, -4, 40},
		{"navigation/4x4", act.Request{Lift: true, Resets: act.ResetsNo}, -5, 40},
		{"navigation/5x5", act.Request{Resets: act.ResetsNo}, -8, 150},
		{"cellda/x", act.Request{}, -9, 80},
		{"sysadmin/4", act.Request{Most: &most}, -3, 80},
	} {
		if i >= 9 && !*bundled {
			break
		}
		t.Run(c.problem, func(t *testing.T) {
			c.request.Folder = t.TempDir()
			d := learn(t, c.problem, c.request)
			if d.Status != engine.Optimal || *d.Reward != c.reward || d.Steps > c.steps || d.Certificate == nil {
				t.Errorf("%s after %d steps, %s; expected %v within %d", d.Status, d.Steps, d.Verdict, c.reward, c.steps)
			}
			r, err := act.Certify(context.Background(), c.request.Folder, problem(t, c.problem))
			if err != nil || !r.Accepted {
				t.Errorf("the certificate is refused: %v %v", r, err)
			}
		})
	}
}

// TestResume stops after some steps, and goes on.
func TestResume(t *testing.T) {
	r := act.Request{Folder: t.TempDir(), Steps: 20}
	first := learn(t, "sysadmin/4", r)
	if first.Status == engine.Optimal || first.Steps != 20 || first.Experiment == nil || first.Stopped == "" || first.Bound == nil {
		t.Errorf("after 20 steps: %+v", first)
	}
	if _, err := act.Run(context.Background(), problem(t, "sysadmin/4"), execute.SimulatorRef{Name: "rddl"}, complete(r)); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("the steps of another run are not refused: %v", err)
	}
	drawing, err := os.ReadFile(filepath.Join(r.Folder, act.DrawingFile))
	if err != nil || !strings.Contains(string(drawing), "bound for all plans") {
		t.Errorf("the drawing: %v, %.100s", err, drawing)
	}
	r.Resume, r.Steps = true, 200
	if d := learn(t, "sysadmin/4", r); d.Status != engine.Optimal || *d.Reward != -3 || d.Rows <= first.Rows {
		t.Errorf("resumed: %+v", d)
	}
}

// TestReopened has a plan proven with functions of one variable, and goes on with rows that refute it.
func TestReopened(t *testing.T) {
	dir := t.TempDir()
	first := learn(t, "navigation/3x3", act.Request{Folder: dir, Variables: 1, Steps: 3})
	if first.K != 1 || !strings.Contains(first.Assuming, "more than 1 recorded variable") {
		t.Errorf("it assumes %s", first.Assuming)
	}
	if d := learn(t, "navigation/3x3", act.Request{Folder: dir, Variables: 1, Resume: true}); d.K != 2 || d.Status != engine.Optimal || *d.Reward != -4 {
		t.Errorf("k %d, %s", d.K, d.Verdict)
	}
}

// TestCertifyRefuses changes what was concluded.
func TestCertifyRefuses(t *testing.T) {
	dir := t.TempDir()
	learn(t, "inventory/4", act.Request{Folder: dir})
	name := filepath.Join(dir, act.LearnedFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	row := 0
	for i, l := range lines {
		if strings.Contains(l, `"rows":[`) {
			row = i + 1
		}
	}
	for what, changed := range map[string]string{
		"a row less":           strings.Join(append(append([]string{}, lines[:row]...), lines[row+1:]...), "\n"),
		"another next value":   strings.Replace(string(text), `"value":true`, `"value":false`, 1),
		"functions of more":    strings.Replace(string(text), `"k":3`, `"k":4`, 1),
		"functions of fewer":   strings.Replace(string(text), `"k":3`, `"k":2`, 1),
		"a condition less":     strings.Replace(string(text), `"if":[{`, `"if":[],"was":[{`, 1),
		"a value that is left": strings.Replace(string(text), `"legal":["0000",`, `"legal":[`, 1),
	} {
		if changed == string(text) {
			t.Fatalf("%s: nothing is changed", what)
		}
		if err := os.WriteFile(name, []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
		if r, err := act.Certify(context.Background(), dir, problem(t, "inventory/4")); err == nil && r.Accepted {
			t.Errorf("%s: accepted", what)
		}
	}
}

// TestStarts has the system reset to chosen states, in which it can never be without.
func TestStarts(t *testing.T) {
	dir := t.TempDir()
	states := filepath.Join(dir, "states.csv")
	for text, want := range map[string]string{
		"": "is empty", "robot-at(x21,y12)\ntrue\n": "states.csv:1",
		"month,quant(c1),threshold_met(c1)\n0,77,true\n": "states.csv:2", "month,quant(c1),threshold_met(c1)\n": "no states",
	} {
		if err := os.WriteFile(states, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := act.Run(context.Background(), problem(t, "inventory/4"), execute.SimulatorRef{Name: "rddl"}, complete(act.Request{Folder: filepath.Join(dir, "none"), Starts: states}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; expected %s", text, err, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
			t.Errorf("%q: a folder is left", text)
		}
	}
	text := "month,quant(c1),threshold_met(c1)\n"
	for month := range 4 {
		for quant := range 16 {
			text += fmt.Sprintf("%d,%d,true\n", month, quant)
		}
	}
	if err := os.WriteFile(states, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	d := learn(t, "inventory/4", act.Request{Folder: filepath.Join(dir, "rows"), Starts: states})
	if d.Status != engine.Optimal || *d.Reward != -10 || d.Steps > 40 {
		t.Errorf("%d steps, %s", d.Steps, d.Verdict)
	}
}

// TestNamedRewards learns a system whose reward has terms of auxiliary bits.
func TestNamedRewards(t *testing.T) {
	dir := t.TempDir()
	task := filepath.Join(dir, "lamp.toml")
	text := "goal = \"lamp == @on\"\nreward = \"-(do ~= @wait)\"\nhorizon = 2\n" +
		"[[state]]\nname = \"lamp\"\nvalues = [\"off\", \"warm\", \"on\"]\ninitial = \"off\"\n" +
		"[[action]]\nname = \"do\"\nvalues = [\"wait\", \"press\", \"turn\"]\ndefault = \"wait\"\n"
	if err := os.WriteFile(task, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	// The lamp warms up when the knob is turned, and then goes on by itself.
	script := filepath.Join(dir, "lamp.sh")
	text = `lamp=off
while read -r line; do
	id=${line#*\"id\":}; id=${id%%[,\}]*}
	case $line in
	*'"hello"'*) echo "{\"id\":$id,\"version\":1,\"deterministic\":true}"; continue;;
	*'"reset"'*) lamp=off;;
	*) case $lamp in warm) lamp=on;; *) case $line in *turn*) lamp=warm;; *) lamp=off;; esac;; esac;;
	esac
	echo "{\"id\":$id,\"state\":{\"lamp\":\"$lamp\"}}"
done
`
	if err := os.WriteFile(script, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := act.Run(context.Background(), problem(t, task), execute.SimulatorRef{Name: "sh " + script}, complete(act.Request{Folder: filepath.Join(dir, "out")}))
	if err != nil || d.Status != engine.Optimal || *d.Reward != -1 {
		t.Errorf("%v, %v", d.Verdict, err)
	}
}

// TestQuantities refuses quantities of many values, and learns one of few.
func TestQuantities(t *testing.T) {
	dir := t.TempDir()
	for step, want := range map[string]string{"0.01": "level is a quantity", "1": ""} {
		task := filepath.Join(dir, "tank.toml")
		text := "goal = \"level == 4\"\nreward = \"-pump\"\nhorizon = 2\n[[action]]\nname = \"pump\"\n" +
			"[[state]]\nname = \"level\"\nrange = \"0..10.0 by " + step + "\"\ninitial = 3\n"
		script := filepath.Join(dir, "tank.sh")
		err := errors.Join(os.WriteFile(task, []byte(text), 0o666), os.WriteFile(script, []byte(`level=3
while read -r line; do
	id=${line#*\"id\":}; id=${id%%[,\}]*}
	case $line in
	*'"hello"'*) echo "{\"id\":$id,\"version\":1,\"deterministic\":true}"; continue;;
	*'"reset"'*) level=3;;
	*true*) [ $level -lt 10 ] && level=$((level + 2));;
	*) [ $level -gt 0 ] && level=$((level - 1));;
	esac
	[ $level -le 10 ] || level=10
	echo "{\"id\":$id,\"state\":{\"level\":$level}}"
done
`), 0o666))
		if err != nil {
			t.Fatal(err)
		}
		d, err := act.Run(context.Background(), problem(t, task), execute.SimulatorRef{Name: "sh " + script}, complete(act.Request{Folder: filepath.Join(dir, "out"+step)}))
		switch {
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("by %s: %v", step, err)
		case want == "" && (err != nil || d.Status != engine.Optimal || *d.Reward != -1):
			t.Errorf("by %s: %v, %v", step, d, err)
		}
	}
}
