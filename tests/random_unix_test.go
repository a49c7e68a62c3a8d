//go:build unix

package tests

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
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
	commandLines = flag.Int("command-lines", 40, "random command lines to run")
	commandSeed  = flag.Uint64("command-seed", 0, "seed of the first random command line")
)

// killed is a program that something else ends.
const killed = "sh -c 'sleep .02; kill -9 $$' {in}"

// fault is what goes wrong around a run.
type fault uint8

const (
	noFault    fault = iota
	fullDisk         // files may have 4 KiB
	fullOutput       // standard output is on a full disk
	deafOutput       // nobody reads standard output
)

// faulty returns the command with a fault, and what to close when it has started.
func faulty(t *testing.T, f fault, program string, args []string, stdout io.Writer) (*exec.Cmd, io.Closer) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stdout = stdout
	switch f {
	case fullDisk:
		cmd = exec.Command("sh", append([]string{"-c", `ulimit -f 8; exec "$0" "$@"`, program}, args...)...)
		cmd.Stdout = stdout
	case fullOutput:
		if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil { // Linux
			cmd.Stdout = full
			return cmd, full
		}
	case deafOutput:
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		cmd.Stdout = w
		return cmd, w
	}
	return cmd, io.NopCloser(nil)
}

// randomLine draws a command line: a command, flags that fit it or do not, values
// in and out of their ranges, and files of every kind.
func randomLine(rng *rand.Rand, dir string) []string {
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	file := func() string {
		return filepath.Join(dir, pick("nothing", "empty", "text", "noise", "plan.json", "data.csv", "folder", "locked/out"))
	}
	problem := func() string {
		return pick("navigation/3x3", "sysadmin/4", "inventory/2", "cellda/x", "nobody/1", "", "\x1b[31m", file())
	}
	number := func() string {
		return pick("1", "2", "3", "4", "4..6", "0", "-1", "99999999999999999999", "x", "1e3", "3..1")
	}
	args := []string{pick("check", "list", "show", "plan", "plan", "plan", "compile", "simulate", "collect", "train", "convert", "test", "validate", "verify", "explain", "solve", "run", "report", "man", "nonsense")}
	for range rng.IntN(3) {
		args = append(args, problem())
	}
	for range rng.IntN(6) {
		args = append(args, [][]string{
			{"-H", number()}, {"--engine", pick("auto", "search", "pb", "maxsat", "blp", "none")}, {"--encoding", pick("default", "paper", "published", "unidirectional", "x")},
			{"--json"}, {"--quiet"}, {"--threads", number()}, {"--seed", number()}, {"--memory", pick("64MiB", "200MB", "1", "lots", "-1GiB")},
			{"--time-limit", pick("50ms", "300ms", "1s", "0s", "-1s", "soon")}, {"-o", file()}, {"--format", pick("cnf", "wcnf", "wcnf-old", "opb", "lp", "mps", "pdf")},
			{"--task", problem()}, {"--files", file()}, {"--reward", file()}, {"--initial", file()}, {"--set-initial", pick("a=1", "robot-at(x14,y20)=1", "=")},
			{"--require", pick("move-east,<=,0", "move-east + move-west <= 1", "(((", "")}, {"--incremental"}, {"--simulator", pick("rddl", "cat", "false", "'", killed)}, {"--model", pick("rddl", "network")},
			{"--property", pick("move-east", "~(move-east)", "?")}, {"-n", number()}, {"--steps", number()}, {"--policy", pick("noop", "random", "exploration", "restart", "best")},
			{"--solver", pick("false {in}", "cat {in}", "sleep 5", "nobody", killed)}, {"--confirm"}, {"--plan", file()}, {"--resume", file()}, {"--recheck"}, {"--map", file()}, {"--stats"},
		}[rng.IntN(31)]...)
	}
	return args
}

// TestRandomCommandLines drives the program with random flags, files, signals and
// faults, and holds every run to the contract: an exit status that is documented
// and is not that of a bug, at most some lines of at most 300 characters on standard
// error, none of them a trace, the first one its own, with --json one object or
// nothing, and no file beside those that were asked for.
func TestRandomCommandLines(t *testing.T) {
	bin := t.TempDir()
	program := commandtest.Link(t, bin)
	for i := range uint64(*commandLines) {
		seed := *commandSeed + i
		rng := rand.New(rand.NewPCG(seed, 11))
		dir := faultyFolder(t, rng)
		args := randomLine(rng, dir)
		if !slices.Contains(args, "--time-limit") {
			args = append(args, "--time-limit", "2s")
		}
		var stdout, stderr strings.Builder
		f := []fault{noFault, noFault, noFault, fullDisk, fullOutput, deafOutput}[rng.IntN(6)]
		cmd, end := faulty(t, f, program, args, &stdout)
		cmd.Dir, cmd.Stderr = dir, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		end.Close()
		signalled := rng.IntN(3) == 0
		if signalled {
			wait, signal := time.Duration(rng.IntN(500))*time.Millisecond, []os.Signal{os.Interrupt, syscall.SIGTERM}[rng.IntN(2)]
			time.AfterFunc(wait, func() { _ = cmd.Process.Signal(signal) }) // it may have ended
		}
		hang := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		_ = cmd.Wait() // the exit status tells
		hung := !hang.Stop()
		for _, fault := range faults(args, cmd.ProcessState, signalled || f == deafOutput, hung, stdout.String(), stderr.String()) {
			t.Errorf("seed %d, fault %d: fdplan %q: %s\n%s%s", seed, f, args, fault, stdout.String(), stderr.String())
		}
		for _, name := range leftovers(t, dir, args) {
			t.Errorf("seed %d: fdplan %q leaves %s", seed, args, name)
		}
	}
}

// faultyFolder makes the files that random command lines name.
func faultyFolder(t *testing.T, rng *rand.Rand) string {
	t.Helper()
	dir := t.TempDir()
	noise := make([]byte, 2000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	for name, text := range map[string]string{
		"empty": "", "text": "a,b,>=,1\nc = 1\n", "noise": string(noise), "data.csv": "a,b,a'\n1,0,1\n",
		"plan.json": `{"schema":1,"plan":[{"move-east":true},{"move-north":true},{"move-north":true},{"move-west":true}]}`,
	} {
		write(t, filepath.Join(dir, name), text)
	}
	for name, mode := range map[string]os.FileMode{"folder": 0o700, "locked": 0o500} {
		if err := os.Mkdir(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// faults lists what breaks the contract.
func faults(args []string, state *os.ProcessState, signalled, hung bool, stdout, stderr string) (out []string) {
	status := state.ExitCode()
	documented := []int{exitDone, exitUsage, exitLimit, exitNo}
	if args[0] == "solve" {
		documented = append(documented, 10, 20, 30)
	}
	refuted := strings.Contains(stderr, "the answer of ")
	switch {
	case hung:
		out = append(out, "it does not end")
	case status < 0 && signalled: // before it could listen, or by SIGPIPE
	case !slices.Contains(documented, status) && !(status == exitInternal && refuted):
		out = append(out, fmt.Sprintf("exit status %d", status))
	}
	if strings.Contains(stderr, "goroutine ") || strings.Contains(stderr, "panic:") {
		out = append(out, "a trace")
	}
	object := slices.Contains(args, "--json") && strings.HasPrefix(stderr, `{"error":`) && json.Valid([]byte(stderr))
	if status == exitUsage && !strings.HasPrefix(stderr, "fdplan: ") && !object {
		out = append(out, "an error without its name")
	}
	for line := range strings.Lines(stderr) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 300 {
			out = append(out, fmt.Sprintf("a line of %d characters", n))
		}
		if strings.ContainsRune(line, '\x1b') {
			out = append(out, "an escape sequence")
		}
	}
	if slices.Contains(args, "--json") && !slices.Contains(args, "-o") && stdout != "" && !json.Valid([]byte(stdout)) && args[0] != "man" && args[0] != "solve" {
		out = append(out, "no JSON object")
	}
	return out
}

// leftovers lists files that nobody asked for.
func leftovers(t *testing.T, dir string, args []string) (out []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		name := f.Name()
		known := []string{"empty", "text", "noise", "data.csv", "plan.json", "folder", "locked", "nothing"}
		if !slices.Contains(known, name) && !strings.HasPrefix(name, "landmarks-") {
			out = append(out, name)
		}
	}
	return out
}
