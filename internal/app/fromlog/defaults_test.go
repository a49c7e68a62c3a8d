package fromlog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/problem/factored"
)

// walk is a log of a walk in a row of cells, by actions with these names.
func walk(names [3]string) string {
	var b strings.Builder
	b.WriteString("cell,move\n")
	cell := 3
	for i := range 300 {
		k := (i*i + i/7) % 3
		fmt.Fprintf(&b, "%d,%s\n", cell, names[k])
		cell = min(9, max(0, cell+[]int{0, 1, -1}[k]))
	}
	return b.String()
}

// TestDefaults follows the value that does nothing from the log to a plan.
func TestDefaults(t *testing.T) {
	for name, c := range map[string]struct {
		moves   [3]string
		given   []string
		omitted string // of the written task; empty if every step has the action
		want    string // in the report, or in the error
	}{
		"texts":          {moves: [3]string{"off", "right", "left"}, want: "move, enum: left, off, right (3 different texts; no value is known to do nothing; else --default move=VALUE)"},
		"a name":         {moves: [3]string{"Noop", "right", "left"}, omitted: "Noop", want: "Noop does nothing)"},
		"given":          {moves: [3]string{"off", "right", "left"}, given: []string{"move=off"}, omitted: "off", want: "off does nothing)"},
		"integers":       {moves: [3]string{"0", "1", "2"}, want: "move, int 0..2 (3 different whole numbers; no value is known"},
		"given integer":  {moves: [3]string{"1", "2", "3"}, given: []string{"move=1"}, omitted: "1", want: "1 does nothing)"},
		"0 and 1":        {moves: [3]string{"0", "1", "0"}, want: "move, bool (its values are 0 and 1; no value is known"},
		"given 0":        {moves: [3]string{"0", "1", "0"}, given: []string{"move=0"}, omitted: "false", want: "0 does nothing)"},
		"false and true": {moves: [3]string{"false", "true", "false"}, omitted: "false", want: "false does nothing)"},
		"no value":       {moves: [3]string{"off", "right", "left"}, given: []string{"move=up"}, want: `--default move=up: "up" is not a value of move`},
		"no action":      {moves: [3]string{"off", "right", "left"}, given: []string{"cell=1"}, want: "--default cell=1: expected ACTION=VALUE with one of the actions, move"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("log.csv", []byte(walk(c.moves)), 0o666); err != nil {
				t.Fatal(err)
			}
			res, err := Init(t.Context(), Request{Log: "log.csv", Out: "out", Default: c.given, Actions: []string{"move"}})
			if err != nil {
				if !strings.Contains(err.Error(), c.want) {
					t.Fatalf("%v, want %s", err, c.want)
				}
				return
			}
			var b strings.Builder
			if err := res.WriteText(&b); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), c.want) {
				t.Errorf("no %q in\n%s", c.want, b.String())
			}
			k, err := task.Load(filepath.Join("out", taskFile), nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := k.Factored("walk")
			if err != nil {
				t.Fatal(err)
			}
			v, _ := p.Lookup("move")
			for x := v.Lo; x <= v.Hi; x++ {
				val := make(factored.Valuation, p.NumBits())
				if err := v.Set(val, x); err != nil {
					t.Fatal(err)
				}
				step := app.ValuesOf(p, factored.Action, val, false)
				if omitted := len(step) == 0; omitted != (fmt.Sprint(v.Show(x)) == c.omitted) {
					t.Errorf("the step with %v is %v", v.Show(x), step)
				}
			}
			_, err = app.ReadPlan(p, "plan.json", []byte(`{"schema":1,"plan":[{}]}`))
			if (err != nil) != (c.omitted == "") {
				t.Errorf("a plan without the action: %v", err)
			}
		})
	}
}
