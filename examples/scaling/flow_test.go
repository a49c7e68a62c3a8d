package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/extsolver"
)

// TestFlow: the flow programs that flow.py writes have the optimum of the RDDL.
func TestFlow(t *testing.T) {
	extsolver.Require(t, "cbc", "python3")
	for _, args := range []string{"repair -n 4 -k 2 -size 3 -H 8", "charge -n 2 -H 8", "irrigate -n 3 -H 8", "irrigate -n 2 -H 7 -seed 3"} {
		what, h := load(t, args)
		want := solve(t, search.Engine{}, what, h).Reward
		if got := flow(t, args, h); got != what.Problem.Reward.Float(want) {
			t.Errorf("%s: the flow program has %v, the RDDL %d", args, got, want)
		}
	}
}

// flow is the optimum of the flow program of an instance, by cbc.
func flow(t *testing.T, args string, h int) float64 {
	t.Helper()
	dir := t.TempDir()
	if err := run(append([]string{"-o", dir}, strings.Fields(args)...)); err != nil {
		t.Fatal(err)
	}
	program, err := exec.Command("python3", "flow.py", dir, "-H", fmt.Sprint(h)).Output()
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	file, solution := filepath.Join(dir, "flow.lp"), filepath.Join(dir, "flow.sol")
	if err := os.WriteFile(file, program, 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("cbc", file, "-solve", "-solu", solution, "-quit").CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", args, err, text)
	}
	text, err := os.ReadFile(solution)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	value, optimal := strings.CutPrefix(line, "Optimal - objective value ")
	reward, err := strconv.ParseFloat(value, 64)
	if !optimal || err != nil {
		t.Fatalf("%s: cbc says %q", args, line)
	}
	return reward
}
