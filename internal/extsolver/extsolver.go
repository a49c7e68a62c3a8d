// Package extsolver runs the solvers of the Linux distribution on files that
// tests have written, and reads their answers. Only tests use it.
package extsolver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// RequireVariable names the environment variable that, when it is not empty,
// turns a missing solver from a reason to skip a test into a failure.
const RequireVariable = "FDPLAN_REQUIRE_TOOLS"

// debianPackage gives the Debian package that holds a solver.
func debianPackage(tool string) string {
	switch tool {
	case "cbc":
		return "coinor-cbc"
	case "glpsol":
		return "glpk-utils"
	}
	return tool
}

// Require skips the test when one of the tools is not installed, or fails it
// when RequireVariable is set. The message names the tool and its package.
func Require(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		}
		if os.Getenv(RequireVariable) != "" {
			t.Fatalf("%s is not installed (Debian package %s), and %s is set", tool, debianPackage(tool), RequireVariable)
		}
		t.Skipf("%s is not installed (Debian package %s)", tool, debianPackage(tool))
	}
}

// Status is a solver's verdict.
type Status uint8

// The verdicts. Unknown is what a time limit leaves.
const (
	Unknown Status = iota
	Satisfiable
	Unsatisfiable
	Optimal
)

func (s Status) String() string {
	return [...]string{"unknown", "satisfiable", "unsatisfiable", "optimal"}[s]
}

// Result is a solver's answer.
type Result struct {
	Status    Status
	Objective int64          // the file's own, with Optimal; MIP solvers' values are rounded
	True      map[int32]bool // file variables by number that are true, x12 being 12
}

// ErrOutput is wrapped by the error for an answer that cannot be read.
var ErrOutput = errors.New("solver output not understood")

// run executes a solver, with stdin on its standard input and limit as its wall-clock limit, and gives its
// standard output. An exit status is no error if it is among accepted; that
// the time is over is none either, and ended is false then.
func run(limit time.Duration, stdin io.Reader, accepted []int, tool string, args ...string) (out []byte, ended bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, args...)
	var stdout, stderr bytes.Buffer
	cmd.WaitDelay = time.Second
	cmd.Stdin = stdin
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if ctx.Err() != nil {
		return stdout.Bytes(), false, nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		for _, code := range accepted {
			if exit.ExitCode() == code {
				return stdout.Bytes(), true, nil
			}
		}
		return nil, true, fmt.Errorf("%s: %w\n%s%s", tool, err, &stdout, &stderr)
	}
	if err != nil {
		return nil, true, fmt.Errorf("%s: %w", tool, err)
	}
	return stdout.Bytes(), true, nil
}

// withTemp calls f with the name of a file in a new folder that is gone
// afterwards.
func withTemp(f func(file string) error) error {
	dir, err := os.MkdirTemp("", "fdplan-extsolver-")
	if err != nil {
		return err
	}
	return errors.Join(f(filepath.Join(dir, "solution")), os.RemoveAll(dir))
}
