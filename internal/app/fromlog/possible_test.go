package fromlog

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// initOf makes a task of a log, in out of a folder of its own, the current one.
func initOf(t *testing.T, log string, ask Request) *Result {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("log.csv", []byte(log), 0o666); err != nil {
		t.Fatal(err)
	}
	ask.Log, ask.Out = "log.csv", "out"
	res, err := Init(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// usesOf lists the columns of a log with what they are used for.
func usesOf(r *Result) string {
	var uses []string
	for _, f := range r.Fluents {
		uses = append(uses, f.Column+" "+f.Use)
	}
	return strings.Join(uses, ", ")
}

// taskOf is the task that is made of a log.
func taskOf(t *testing.T, log string, ask Request) string {
	t.Helper()
	initOf(t, log, ask)
	text, err := os.ReadFile("out/task.toml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestEventLog: the task of an event log lets activities be taken where some row has them, and that of another log lets all be taken.
func TestEventLog(t *testing.T) {
	const log = "case,stage,paid,activity\n1,new,no,file\n1,filed,no,pay\n1,filed,yes,grant\n1,granted,yes,\n2,new,no,file\n2,filed,no,pay\n2,filed,yes,refuse\n2,refused,yes,\n" +
		"3,new,no,file\n3,filed,no,pay\n3,filed,yes,grant\n3,granted,yes,\n"
	for name, c := range map[string]struct {
		log  string
		ask  Request
		want string
	}{
		"event log":   {log: log, ask: Request{Actions: []string{"activity"}}, want: `"activity == @grant => stage == @filed", `},
		"own rules":   {log: log, ask: Request{Actions: []string{"activity"}, Rules: []string{"activity == @file => stage == @new"}}, want: `rules = ["activity == @file => stage == @new"]`},
		"other log":   {log: strings.Replace(log, "activity", "action", 1), ask: Request{Actions: []string{"action"}}, want: "# rules = "},
		"no episodes": {log: strings.Replace(log, "case", "level", 1), ask: Request{Actions: []string{"activity"}}, want: "# rules = "},
	} {
		t.Run(name, func(t *testing.T) {
			if text := taskOf(t, c.log, c.ask); !strings.Contains(text, c.want) {
				t.Errorf("%s is missing in\n%s", c.want, text)
			}
		})
	}
}

// TestUntaken: rules forbid the values between others that no row of an integer action has, where that is no accident.
func TestUntaken(t *testing.T) {
	for name, c := range map[string]struct {
		rows    int
		nothing []string
		want    string
	}{
		"many rows":    {100, nil, `rules = ["stake ~= 3"]`},
		"few rows":     {30, nil, "# rules = "},
		"does nothing": {100, []string{"stake=3"}, "# rules = "},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			log.WriteString("money,stake\n")
			for i := range c.rows {
				fmt.Fprintf(&log, "%d,%d\n", i*i%9, []int{0, 1, 2, 4}[i%4])
			}
			if text := taskOf(t, log.String(), Request{Actions: []string{"stake"}, Default: c.nothing}); !strings.Contains(text, c.want) {
				t.Errorf("%s is missing in\n%s", c.want, text)
			}
		})
	}
}
