//go:build unix

package tests

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/command/commandtest"
)

var (
	moments = flag.Int("moments", 0, "interrupt each command at so many random moments and hold it to half a second; 0 is one early moment and a minute")
	tableTo = flag.String("limits-table", "", "write the table of docs/limits.md to this file")
)

// limitCase is a command at work on something large: one row of docs/limits.md.
type limitCase struct {
	command, phase string
	args           []string
	within         time.Duration // the moments are drawn from the beginning until then
	memory         int           // MiB; 0 for a row that is about time alone
	heavy          bool          // runs with -moments only
}

const (
	promised  = 500 * time.Millisecond // what docs/limits.md promises
	mostStart = 5 * time.Second        // a command listens to signals by then
)

// TestLimits interrupts every command at random moments, by signals and by its time
// limit, and compares its peak resident size with its bound on memory.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	program := commandtest.Link(t, dir)
	cases := limitCases(t, program, dir)
	rng := rand.New(rand.NewPCG(1, uint64(len(cases))))
	n, most := 1, time.Minute
	if *moments > 0 {
		n, most = *moments, promised
	}
	var rows strings.Builder
	for _, c := range cases {
		if c.heavy && *moments == 0 {
			continue
		}
		t.Run(c.command+" "+c.phase, func(t *testing.T) {
			var worst time.Duration
			var peak int64
			met := 0 // runs that had not ended by themselves
			for i := range n {
				after := time.Duration(rng.Int64N(int64(c.within)))
				if *moments == 0 {
					after %= 300 * time.Millisecond
				}
				late, size := interrupt(t, program, dir, c, i, after)
				worst, peak = max(worst, late), max(peak, size)
				if late > 0 {
					met++
				}
			}
			if met == 0 && c.memory == 0 { // a bound on memory may end them all
				t.Errorf("ends by itself before it is interrupted")
			}
			if worst > most {
				t.Errorf("ends %v after its limit; expected at most %v", worst, most)
			}
			if bound := int64(c.memory) * 12 / 10 << 20; c.memory > 0 && peak > bound+50_000_000 {
				t.Errorf("peak %d MB with --memory %dMiB", peak/1_000_000, c.memory)
			}
			latest, memory := "-", "-"
			if met > 0 {
				latest = fmt.Sprintf("%.2f s", worst.Seconds())
			}
			if c.memory > 0 {
				memory = fmt.Sprintf("%d MiB, peak %d MB", c.memory, peak/1_000_000)
			}
			fmt.Fprintf(&rows, "| `%s` | %s | %d | %s | %s |\n", c.command, c.phase, met, latest, memory)
		})
	}
	if *tableTo != "" {
		if err := os.WriteFile(*tableTo, []byte(rows.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// interrupt runs a command and ends it after a while, in one of three ways. It
// returns how long the command then took, and its peak resident size.
func interrupt(t *testing.T, program, dir string, c limitCase, way int, after time.Duration) (late time.Duration, peak int64) {
	t.Helper()
	args := slices.Clone(c.args)
	if c.memory > 0 {
		args = append(args, "--memory", fmt.Sprintf("%dMiB", c.memory))
	}
	signal := []os.Signal{os.Interrupt, syscall.SIGTERM, nil}[way%3]
	if c.command == "bench" && signal == nil {
		signal = os.Interrupt // its time limit is that of each run
	}
	if signal == nil {
		after = max(after, time.Millisecond)
		args = append(args, "--time-limit", after.String())
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	if signal != nil {
		go func() {
			select {
			case <-done:
			case <-time.After(after):
				_ = cmd.Process.Signal(signal) // one that has just ended needs none
			}
		}()
	}
	hang := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	_ = cmd.Wait() // the exit status tells
	close(done)
	hang.Stop()
	late = max(0, time.Since(began)-after) // 0: it ended by itself
	if end, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && end.Signaled() && end.Signal() == signal && after < mostStart {
		// The signal may have met it before it could listen, on a machine at work.
		return interrupt(t, program, dir, c, way, 2*after+10*time.Millisecond)
	}
	status := cmd.ProcessState.ExitCode()
	if !slices.Contains([]int{exitDone, exitLimit, exitNo}, status) {
		t.Errorf("%v after %v: exit status %d\n%s%s", args, after, status, stdout.String(), stderr.String())
	}
	for _, never := range []string{"goroutine ", context.Canceled.Error(), context.DeadlineExceeded.Error()} {
		if said := stdout.String() + stderr.String(); strings.Contains(said, never) {
			t.Errorf("%v after %v: prints %q\n%s", args, after, never, said)
		}
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if ok {
		peak = usage.Maxrss << 10
	}
	return late, peak
}

// limitCases makes the inputs. Every one of them takes longer than any moment.
func limitCases(t *testing.T, program, dir string) []limitCase {
	t.Helper()
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, in("many.rddl"), lamps(1000, "-(sum_{?a : lamp, ?b : lamp, ?c : lamp} (toggle(?a) * toggle(?b) * toggle(?c)))"))
	write(t, in("holes.cnf"), pigeons(11))
	if status, _, stderr := session("collect", "sysadmin/4", "--policy", "restart", "-n", "100000", "-o", in("rows.csv")); status != exitDone {
		t.Fatal(stderr)
	}
	write(t, in("noise.csv"), noise(t, in("rows.csv")))
	pipe := in("pipe.toml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	w, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	for _, name := range []string{"pipe.npz", "pipe.json", "pipe.cnf", "pipe.csv", "pipe.bnn"} {
		if err := os.Symlink(pipe, in(name)); err != nil {
			t.Fatal(err)
		}
	}
	sokoban := filepath.Join(dir, "sokoban", "task.toml")
	failing := filepath.Join(dir, "failing", "task.toml")
	if *moments > 0 {
		writeHeavy(t, program, dir)
	}
	eight, err := filepath.Abs("../examples/sysadmin-8")
	if err != nil {
		t.Fatal(err)
	}
	wide := wideLayout(t, 8, 256, 8)
	large := largeLayout(t, 24)
	var gained []string // bits, which seldom are all of them
	for i := range 16 {
		gained = append(gained, fmt.Sprintf("s%d' - s%d", i, i))
	}
	plan := func(engine string) []string {
		return []string{"plan", "--files", large, "large/1", "-H", "12", "--engine", engine}
	}
	const second = time.Second
	return []limitCase{
		{command: "check", phase: "grounding", args: []string{"check", in("many.rddl")}, within: second},
		{command: "show", phase: "reading", args: []string{"show", pipe}, within: second},
		{command: "show", phase: "reading a plan", args: []string{"show", in("pipe.json"), "-o", in("out.svg")}, within: second},
		{command: "plan", phase: "reading", args: []string{"plan", pipe}, within: second},
		{command: "plan", phase: "grounding", args: []string{"plan", "--domain", in("many.rddl")}, within: second},
		{command: "plan", phase: "search", args: plan("search"), within: 3 * second},
		{command: "plan", phase: "search, memory full", args: plan("search"), within: 10 * second, memory: 100, heavy: true},
		{command: "plan", phase: "auto, memory full", args: plan("auto"), within: 6 * second, memory: 100, heavy: true},
		{command: "plan", phase: "pb", args: plan("pb"), within: 2 * second},
		{command: "plan", phase: "bounds", args: []string{"plan", failing}, within: 5 * second, heavy: true},
		{command: "plan", phase: "bounds, memory", args: []string{"plan", failing}, within: 6 * second, memory: 200, heavy: true},
		{command: "plan", phase: "waiting for a simulator", args: []string{"plan", "sysadmin/4", "--incremental", "--simulator", "sleep 1000"}, within: second},
		{command: "plan", phase: "maxsat, encoding", args: []string{"plan", "--files", wide, "wide/1", "-H", "20", "--engine", "maxsat"}, within: 2 * second},
		{command: "plan", phase: "maxsat, memory", args: []string{"plan", "--files", wide, "wide/1", "-H", "20", "--engine", "maxsat", "--encoding", "unidirectional"}, within: 6 * second, memory: 200, heavy: true},
		{command: "compile", phase: "writing", args: []string{"compile", "--files", wide, "wide/1", "-H", "1000", "--format", "wcnf", "-o", in("out.wcnf")}, within: 2 * second},
		{command: "compile", phase: "writing, memory", args: []string{"compile", "--files", wide, "wide/1", "-H", "20", "--format", "cnf", "-o", in("out.cnf")}, within: 10 * second, memory: 100, heavy: true},
		{command: "solve", phase: "reading", args: []string{"solve", in("pipe.cnf")}, within: second},
		{command: "solve", phase: "solving", args: []string{"solve", in("holes.cnf")}, within: 2 * second},
		{command: "simulate", phase: "simulating", args: []string{"simulate", "navigation/3x3", "--policy", "noop", "--steps", "2000000000"}, within: second},
		{command: "collect", phase: "collecting", args: []string{"collect", "sysadmin/5", "-n", "20000000", "-o", in("out.parquet")}, within: 2 * second},
		{command: "collect", phase: "collecting, memory", args: []string{"collect", "sysadmin/5", "-n", "20000000", "-o", in("out.npz")}, within: 3 * second, memory: 100, heavy: true},
		{command: "init", phase: "reading", args: []string{"init", in("pipe.csv"), "-o", in("log")}, within: second},
		{command: "init", phase: "bins", args: []string{"init", in("log.csv"), "-o", in("log"), "--actions", "command"}, within: 5 * second, heavy: true},
		{command: "init", phase: "bins, memory", args: []string{"init", in("log.csv"), "-o", in("log"), "--actions", "command"}, within: 6 * second, memory: 100, heavy: true},
		{command: "train", phase: "structure", args: []string{"train", in("noise.csv"), "--task", "sysadmin/4", "-o", in("net.bnn")}, within: second},
		{command: "train", phase: "lifted structure", args: []string{"train", in("noise.csv"), "--task", "sysadmin/4", "--lift", "-o", in("net.bnn")}, within: 2 * second},
		{command: "lift", phase: "reading", args: []string{"lift", in("pipe.bnn"), "--task", "sysadmin/4", "-o", in("net.bnn")}, within: second},
		{command: "train", phase: "reading, training", args: []string{"train", in("rows.csv"), "--task", "sysadmin/4", "-o", in("net.bnn"), "--hidden", "256,256"}, within: 3 * second},
		{command: "train", phase: "reading, memory", args: []string{"train", in("rows.csv"), "--task", "sysadmin/4", "-o", in("net.bnn"), "--hidden", "256,256"}, within: 20 * second, memory: 100, heavy: true},
		{command: "test", phase: "reading", args: []string{"test", pipe, "--task", "sysadmin/4"}, within: second},
		{command: "test", phase: "all legal rows", args: []string{"test", filepath.Join(eight, "network.bnn"), "--task", filepath.Join(eight, "task.toml")}, within: 3 * second},
		{command: "test", phase: "proof", args: []string{"test", filepath.Join(eight, "network.bnn"), "--task", filepath.Join(eight, "task.toml"), "--prove"}, within: second},
		{command: "convert", phase: "reading", args: []string{"convert", in("pipe.npz"), "--task", "sysadmin/4", "-o", in("net.bnn")}, within: second},
		{command: "validate", phase: "reading", args: []string{"validate", "navigation/3x3", in("pipe.json")}, within: second},
		{command: "certify", phase: "reading", args: []string{"certify", "--cnf", in("pipe.cnf"), "--proof", in("holes.cnf")}, within: second},
		{command: "certify", phase: "checking", args: []string{"certify", "--cnf", in("nine.cnf"), "--proof", in("nine.drat")}, within: 3 * second, heavy: true},
		{command: "verify", phase: "solving", args: []string{"verify", "--files", wideLayout(t, 8, 256, 16), "wide/1", "--property", strings.Join(gained, " + ") + " <= 15"}, within: second},
		{command: "explain", phase: "solving", args: []string{"explain", "--files", large, "large/1", "-H", "9", "--engine", "pb"}, within: second},
		{command: "explain", phase: "bound", args: []string{"explain", sokoban, "--bound"}, within: 4 * second, heavy: true},
		{command: "run", phase: "planning", args: []string{"run", failing, "--simulator", "rddl", "-H", "12"}, within: 4 * second, heavy: true},
		{command: "run", phase: "waiting for a device", args: []string{"run", "sysadmin/4", "--simulator", "sleep 1000"}, within: second},
		{command: "run", phase: "reading", args: []string{"run", pipe, "--simulator", "rddl"}, within: second},
		{command: "bench", phase: "running", args: []string{"bench", "paper", "--quick", "-o", in("bench"), "--solver", "none"}, within: 2 * second},
		{command: "report", phase: "reading", args: []string{"report", reportOf(t, pipe)}, within: second},
	}
}

// writeHeavy makes the inputs that take seconds to make.
func writeHeavy(t *testing.T, program, dir string) {
	t.Helper()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{{"-o", in("failing"), "failing", "-n", "30", "-H", "12"}, {"-o", in("sokoban"), "sokoban", "-H", "37"}} {
		if out, err := exec.Command("go", append([]string{"run", "-C", "../examples", "./scaling"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("examples/scaling: %v\n%s", err, out)
		}
	}
	write(t, in("nine.cnf"), pigeons(9))
	solve := exec.Command(program, "solve", in("nine.cnf"), "--proof", in("nine.drat"))
	if err := solve.Run(); solve.ProcessState.ExitCode() != 20 { // unsatisfiable, as in the SAT competitions
		t.Fatal(err)
	}
	writeLog(t, in("log.csv"), 2_000_000)
}

// writeLog writes the log of a tank with so many rows. It holds little of it: the
// peak size of a process counts for those that it starts.
func writeLog(t *testing.T, name string, rows int) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	log := bufio.NewWriter(f)
	fmt.Fprintln(log, "time,motor,level_l,temp_c,command")
	rng := rand.New(rand.NewPCG(7, 8))
	begin, level, temp := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 100.0, 20.0
	for i := range rows {
		level = min(max(level+18*rng.Float64()-9, 0), 500)
		temp = min(max(temp+4*rng.Float64()-2, 0), 99)
		fmt.Fprintf(log, "%s,%d,%.2f,%.1f,%s\n", begin.Add(time.Duration(i)*time.Second).Format(time.DateTime), rng.IntN(2), level, temp, []string{"up", "down", "wait"}[rng.IntN(3)])
	}
	if err := errors.Join(log.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// noise is a data set with the next states of other rows: they depend on nothing.
func noise(t *testing.T, data string) string {
	t.Helper()
	text, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	now := strings.Count(head[:strings.Index(head, "'")], ",") // columns before the first primed one
	rows := strings.Split(body, "\n")
	var b strings.Builder
	fmt.Fprintln(&b, head)
	for i, row := range rows {
		this, other := strings.Split(row, ","), strings.Split(rows[i*7919%len(rows)], ",")
		fmt.Fprintln(&b, strings.Join(append(this[:now:now], other[now:]...), ","))
	}
	return b.String()
}

// write makes a file.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// lamps is an RDDL domain with n lamps, each toggled by its own action.
func lamps(n int, reward string) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("l%d", i))
	}
	return fmt.Sprintf(`domain lamps {
	types { lamp : object; };
	pvariables { on(lamp) : { state-fluent, bool, default = false }; toggle(lamp) : { action-fluent, bool, default = false }; };
	cpfs { on'(?l) = on(?l) ^ ~toggle(?l) | ~on(?l) ^ toggle(?l); };
	reward = %s;
}
non-fluents nf { domain = lamps; objects { lamp : {%s}; }; }
instance i { domain = lamps; non-fluents = nf; init-state { on(l0) = false; }; max-nondef-actions = pos-inf; horizon = 3; discount = 1.0; }
`, reward, strings.Join(names, ", "))
}

// pigeons says that n+1 pigeons have a hole each of n: unsatisfiable, and hard to
// refute by resolution (Haken, 1985).
func pigeons(n int) string {
	var b strings.Builder
	at := func(p, h int) int { return p*n + h + 1 }
	fmt.Fprintf(&b, "p cnf %d %d\n", (n+1)*n, n+1+n*(n+1)*n/2)
	for p := range n + 1 {
		for h := range n {
			fmt.Fprintf(&b, "%d ", at(p, h))
		}
		fmt.Fprintln(&b, 0)
	}
	for h := range n {
		for p := range n + 1 {
			for q := range p {
				fmt.Fprintf(&b, "-%d -%d 0\n", at(p, h), at(q, h))
			}
		}
	}
	return b.String()
}

// wideLayout writes a problem in the FD-SAT-Plan layout whose network has so many
// layers of so many units, with random weights, and so many state and action bits.
func wideLayout(t *testing.T, layers, width, bits int) string {
	t.Helper()
	dir := t.TempDir()
	var variables, initial []string
	for i := range bits {
		variables = append(variables, fmt.Sprintf("state_data_label: s%d", i))
		initial = append(initial, fmt.Sprintf("s%d,==,1", i))
	}
	for i := range bits {
		variables = append(variables, fmt.Sprintf("action_data: a%d", i))
	}
	rng := rand.New(rand.NewPCG(5, 6))
	var weights, normal strings.Builder
	widths := []int{2 * bits}
	for range layers {
		widths = append(widths, width)
	}
	widths = append(widths, bits)
	weights.WriteString("bnn\n")
	normal.WriteString("normalization\n")
	for k, units := range widths[1:] {
		fmt.Fprintf(&weights, "%d,%d\n", widths[k], units)
		var shifts []string
		for range units {
			row := make([]byte, widths[k])
			for j := range row {
				row[j] = '0' + byte(rng.IntN(2))
			}
			fmt.Fprintf(&weights, "%s\n", row)
			shifts = append(shifts, fmt.Sprintf("%.3f", rng.Float64()*4-2))
		}
		fmt.Fprintln(&normal, strings.Join(shifts, ","))
	}
	for name, text := range map[string]string{
		"bnn/bnn": weights.String(), "normalization/normalization": normal.String(), "translation/pvariables": strings.Join(variables, ","),
		"translation/initial": strings.Join(initial, "\n"), "translation/goals": "s0,==,0", "translation/constraints": "a0,a1,<=,1", "translation/reward": "a0,1",
	} {
		file := filepath.Join(dir, name+"_wide_1.txt")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, file, text)
	}
	return dir
}

// reportOf is a folder whose journal never ends.
func reportOf(t *testing.T, pipe string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(pipe, filepath.Join(dir, "journal.jsonl")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestLimitsTable: every row of the test is one of docs/limits.md, and the other way
// round.
func TestLimitsTable(t *testing.T) {
	f, err := os.Open("../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var documented, tested []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if cells := strings.Split(lines.Text(), " | "); len(cells) == 5 && strings.HasPrefix(cells[0], "| `") {
			documented = append(documented, strings.Trim(cells[0], "| `")+", "+cells[1])
		}
	}
	for _, c := range limitCases(t, "", t.TempDir()) {
		tested = append(tested, c.command+", "+c.phase)
	}
	slices.Sort(documented)
	slices.Sort(tested)
	if !slices.Equal(documented, tested) {
		t.Errorf("documented:\n%s\ntested:\n%s", strings.Join(documented, "\n"), strings.Join(tested, "\n"))
	}
}
