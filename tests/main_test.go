// Package tests runs the program with all its parts: the commands that the documentation shows,
// sessions of a user, and what signals, limits and full disks do to it.
package tests

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fdplan/fdplan/cluster/part"
	"github.com/fdplan/fdplan/examples/elevator/device"
	"github.com/fdplan/fdplan/internal/command"
	paper "github.com/fdplan/fdplan/paper/part"
)

// TestMain makes the test binary be fdplan when a script calls it so.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fdplan": program, "elevator": elevator})
}

// parts are all there are.
var parts = command.Parts{Cluster: part.Part{}, Laboratory: paper.Part{}}

// program is fdplan with all parts.
func program() { os.Exit(command.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, parts)) }

// elevator is the program in examples/elevator.
func elevator() {
	if err := device.Run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// published is where the FD-SAT-Plan files lie beside a checkout.
const published = "../../shared/data/fd-sat-plan"

// TestScripts runs the sessions in testdata/script.
func TestScripts(t *testing.T) {
	data, err := filepath.Abs(published)
	if err != nil {
		t.Fatal(err)
	}
	logs := filepath.Join(filepath.Dir(data), "logs")
	examples, err := filepath.Abs("../examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("D", data)
			e.Setenv("LOGS", logs)
			e.Setenv("EXAMPLES", examples)
			e.Setenv("PYTHONDONTWRITEBYTECODE", "1")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if at := map[string]string{"published": data, "logs": logs}[cond]; at != "" {
				_, err := os.Stat(at)
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// status wants the exit status of the rest of the line.
			"status": func(ts *testscript.TestScript, _ bool, args []string) {
				err := ts.Exec(args[1], args[2:]...)
				got := "0"
				if err != nil {
					got = strings.TrimPrefix(err.Error(), "exit status ")
				}
				if got != args[0] {
					ts.Fatalf("status %s, expected %s", got, args[0])
				}
			},
			// replace writes a file again with the first of one text replaced by another.
			"replace": func(ts *testscript.TestScript, _ bool, args []string) {
				text := ts.ReadFile(args[2])
				if !strings.Contains(text, args[0]) {
					ts.Fatalf("%s has no %s", args[2], args[0])
				}
				ts.Check(os.WriteFile(ts.MkAbs(args[3]), []byte(strings.Replace(text, args[0], args[1], 1)), 0o600))
			},
			// layout writes a bundled problem below a folder as FD-SAT-Plan has it.
			"layout": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(writeLayout(ts.MkAbs(args[1]), args[0]))
			},
		},
	})
}

// session runs the program in this process.
func session(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = command.Main(args, nil, &out, &errs, parts)
	return status, out.String(), errs.String()
}

// The exit statuses, which docs and scripts rely on.
const (
	exitDone     = 0
	exitInternal = 1
	exitUsage    = 2
	exitLimit    = 3
	exitNo       = 4
)
