package draw

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/picture"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
)

// planned is the plan document of a problem.
func planned(t *testing.T, r load.Ref) []byte {
	t.Helper()
	p, err := load.Load(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	horizon := p.Problem.Horizon
	d, err := plan.Plan(context.Background(), p, plan.Request{Query: plan.Query{Options: registry.Options{Engine: "search"}, Horizon: bind.Steps(horizon)}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func pictureText(t *testing.T, of load.Ref, data []byte) string {
	t.Helper()
	p, err := Picture(context.Background(), of, "plan.json", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPictureOfQuestion has the goal that was asked for in place of the problem's own, wherever the facts are from.
func TestPictureOfQuestion(t *testing.T) {
	const name = "navigation/3x3"
	own, asked := load.Source{Model: load.RDDL}, load.Source{Model: load.RDDL, Question: load.Question{Goal: "robot-at(x9,y20)"}}
	data := planned(t, load.Ref{Name: name, Source: asked})
	for _, of := range []load.Ref{{}, {Name: name, Source: own}, {Name: name, Source: asked}} {
		p, err := Picture(context.Background(), of, "plan.json", data, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := p.SVG(&b); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); !strings.Contains(text, "goal (x9,y20)") || strings.Contains(text, "goal (x14,y12)") {
			t.Errorf("of %v: the goal is not the one asked for", of)
		}
	}
}

// TestPictureOfBundled has a picture of a plan of every bundled problem, with
// what its RDDL knows.
func TestPictureOfBundled(t *testing.T) {
	for _, name := range bundled.Names() {
		data := planned(t, load.Ref{Name: name, Source: load.Source{Model: load.RDDL}})
		text := pictureText(t, load.Ref{}, data)
		want := map[string]string{"navigation": "Blocked cells and goal are those of " + name, "cellda": "Key, door and blocks are those of " + name,
			"inventory": "The demand is that of " + name, "sysadmin": "Ages after each step"}[strings.Split(name, "/")[0]]
		if !strings.Contains(text, want) {
			t.Errorf("%s: expected %q in\n%s", name, want, text)
		}
		// Under another name the plan alone is shown, unless the problem is named.
		other := bytes.Replace(data, []byte(`"problem":"`+name), []byte(`"problem":"my/own`), 1)
		if !strings.HasPrefix(name, "sysadmin") && !strings.Contains(pictureText(t, load.Ref{}, other), "not known") {
			t.Errorf("%s under another name knows what a plan does not say", name)
		}
		if named := pictureText(t, load.Ref{Name: name}, other); named != strings.Replace(text, name+":", "my/own:", 1) {
			t.Errorf("%s, named, under another name:\n%s", name, named)
		}
	}
}

// TestPictureSurroundings compares the drawn walls, key, door and blocks with
// the comments of the instances.
func TestPictureSurroundings(t *testing.T) {
	for name, want := range map[string]string{
		"navigation/3x3": "  y12    .   G4   3\n  y15    #    #   2\n  y20    .    0   1\n",
		"cellda/x":       "  0 start      \n  . K . .      \n  . # . .      \n  . # . .      \n  C . . E      \n",
		"cellda/y":       "  0 start      \n  . K . D      \n  . # . .      \n  . # . .      \n  C . . E      \n",
	} {
		text := pictureText(t, load.Ref{}, planned(t, load.Ref{Name: name}))
		if lines := strings.Split(want, "\n"); strings.HasPrefix(name, "cellda") {
			for i, l := range strings.Split(text, "\n")[2:7] {
				if !strings.HasPrefix(l, lines[i]) {
					t.Errorf("%s: line %q, expected %q first", name, l, lines[i])
				}
			}
		} else if !strings.Contains(text, want) {
			t.Errorf("%s: expected\n%sin\n%s", name, want, text)
		}
	}
}

// TestPictureOfPublished has plans of the published files, whose integers are
// bits and whose walls only the bundled problems know.
func TestPictureOfPublished(t *testing.T) {
	const dir = "../../../../shared/data/fd-sat-plan"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no published FD-SAT-Plan files at %s", dir)
	}
	for name, want := range map[string]string{
		"navigation/3x3": "Blocked cells and goal are those of navigation/3x3.", "navigation/5x5": "G8",
		"cellda/x": "Key, door and blocks are those of cellda/x.", "inventory/1": "The demand is that of inventory/2.", "sysadmin/4": "Ages after each step",
	} {
		p, err := load.Load(context.Background(), load.Ref{Name: name, Source: load.Source{Files: dir}})
		if err != nil {
			t.Fatal(err)
		}
		h := map[string]int{"navigation/3x3": 4, "navigation/5x5": 8, "cellda/x": 10, "inventory/1": 5, "sysadmin/4": 3}[name]
		d, err := plan.Plan(context.Background(), p, plan.Request{Query: plan.Query{Options: registry.Options{Engine: "search"}, Horizon: bind.Steps(h)}, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		text := pictureText(t, load.Ref{}, data)
		if !strings.Contains(text, want) || strings.Contains(text, "_bit_") {
			t.Errorf("%s: expected %q in\n%s", name, want, text)
		}
		if with := pictureText(t, load.Ref{Source: load.Source{Files: dir}}, data); with != text {
			t.Errorf("%s: with the files themselves:\n%s\nwithout:\n%s", name, with, text)
		}
	}
}

// TestLimits finds the ranges that goal and rules leave to a quantity, and none where a condition is on more than it.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("tanks.rddl", `
domain tanks { pvariables { level : { state-fluent, real, default = 4.0 }; other : { state-fluent, real, default = 4.0 }; pump : { action-fluent, bool, default = false }; };
	cpfs { level' = level + pump / 2; other' = other; }; reward = 0;
	state-invariants { level <= 9; level + other >= 0.5; }; }
instance tank { domain = tanks; horizon = 2; discount = 1.0; }
`)
	write("task.toml", `
domain = "tanks.rddl"
goal = "level >= 4.5 ^ level <= 5 ^ other >= 1"
[ranges]
level = "0..10 by 0.5"
other = "0..10 by 0.5"
`)
	p, err := load.Load(context.Background(), load.Ref{Name: dir + "/task.toml", Source: load.Source{Model: load.RDDL}})
	if err != nil {
		t.Fatal(err)
	}
	got := limits(p.Problem)
	inf := math.Inf(1)
	level, other := got["level"], got["other"]
	if len(got) != 2 || *level.Goal != (picture.Range{Low: 4.5, High: 5}) || *level.Rule != (picture.Range{Low: -inf, High: 9}) ||
		*other.Goal != (picture.Range{Low: 1, High: inf}) || other.Rule != nil {
		t.Errorf("level %+v %+v, other %+v %+v", level.Goal, level.Rule, other.Goal, other.Rule)
	}
}
