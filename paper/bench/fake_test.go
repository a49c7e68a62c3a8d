//go:build unix

package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// fakeMode is the environment variable that makes the test binary the fake program; its value
// selects the behaviour.
const fakeMode = "FDPLAN_BENCH_FAKE"

// fakeLog names a file to which the fake appends one per line time it is run.
const fakeLog = "FDPLAN_BENCH_LOG"

func TestMain(m *testing.M) {
	switch mode := os.Getenv(fakeMode); mode {
	case "":
		os.Exit(m.Run())
	case "bench":
		os.Exit(fakeBench())
	default:
		os.Exit(fake(mode, os.Args[1:]))
	}
}

const fakePlan = `{"schema":1,"problem":"p","horizon":4,"engine":"search","status":"optimal","reward":-4,"bound":-4,"gap":0,` +
	`"plan":[{},{},{},{}],"trace":[{"a":1},{"a":1},{"a":1},{"a":1},{"a":1}],"valid":{"model":true,"simulator":true},"simulated_reward":-4,"landmarks":2,` +
	`"seconds":{"total":0.1},"stats":{"states":7},"incremental":{"iterations":[{},{},{}]}}` + "\n"

// fake is a program that answers like fdplan, or fails to.
func fake(mode string, args []string) int {
	if name := os.Getenv(fakeLog); name != "" {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(f, strings.Join(args, " "))
		f.Close()
	}
	switch mode {
	case "long":
		time.Sleep(1100 * time.Millisecond)
		fmt.Print(fakePlan)
	case "slow":
		time.Sleep(15 * time.Millisecond)
		fallthrough
	case "ok":
		if slices.Contains(args, "compile") {
			fmt.Println(`{"format":"wcnf","variables":10,"clauses":20,"literals":40,"soft_clauses":4,"groups":{"network":{"variables":5,"clauses":6,"literals":7}}}`)
			return 0
		}
		fmt.Print(fakePlan)
	case "unknown":
		fmt.Println(`{"schema":1,"status":"unknown","reward":null,"stopped":"the time limit of 1s was reached","stats":{}}`)
		return 3
	case "infeasible":
		fmt.Println(`{"schema":1,"status":"infeasible","reward":null,"stats":{}}`)
		return 4
	case "silent limit":
		fmt.Fprintln(os.Stderr, "fdplan: no answer yet: the time limit was reached")
		return 3
	case "crash":
		fmt.Print(fakePlan)
		panic("oh")
	case "usage":
		fmt.Fprintln(os.Stderr, "fdplan: unknown flag --incremental\nmore")
		return 2
	case "garbage":
		fmt.Println("Segmentation fault? {")
	case "nothing":
	case "twice":
		fmt.Print(fakePlan, fakePlan)
	case "half":
		fmt.Print(fakePlan[:100])
	case "strange":
		fmt.Print(strings.Replace(fakePlan, "optimal", "brilliant", 1))
	case "schema":
		fmt.Print(strings.Replace(fakePlan, `"schema":1`, `"schema":9`, 1))
	case "no reward":
		fmt.Print(strings.Replace(fakePlan, `"reward":-4`, `"reward":null`, 1))
	case "hang":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		time.Sleep(time.Minute)
	case "polite":
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		<-c
		fmt.Println(`{"schema":1,"status":"unknown","reward":null,"stopped":"asked","stats":{}}`)
		return 3
	case "hungry":
		var blocks [][]byte
		for range 300 {
			block := make([]byte, 1<<20)
			for i := range block {
				block[i] = byte(i)
			}
			blocks = append(blocks, block)
		}
		time.Sleep(time.Minute)
		fmt.Println(len(blocks))
	case "family":
		// Leaves a child in a group of its own, as external solvers are, and hangs.
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fakeMode+"=hang")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		if err := os.WriteFile(args[0], []byte(fmt.Sprint(cmd.Process.Pid)), 0o644); err != nil {
			panic(err)
		}
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Minute)
	default:
		panic("no mode " + mode)
	}
	return 0
}

// fakeBench is a complete bench in a separate process, to be killed: the folder is its
// argument.
func fakeBench() int {
	sum, err := Run(context.Background(), fakeConfig(os.Args[1], "slow"))
	if err != nil || sum.Stopped != "" {
		fmt.Fprintln(os.Stderr, err, sum)
		return 1
	}
	return 0
}

// fakeConfig runs the fake in a mode, without the tables that need other answers.
func fakeConfig(dir, mode string) Config {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Config{
		Dir: dir, Program: self, Env: append(os.Environ(), fakeMode+"="+mode), Tables: []string{"engines", "encodings"}, Engines: []string{"search", "maxsat"},
		Quick: true, TimeLimit: 10 * time.Second, ReachLimit: time.Second, TrainLimit: time.Minute, Memory: 1 << 30, Threads: 1, Parallel: 1, Now: time.Now,
		slack: 200 * time.Millisecond, grace: 300 * time.Millisecond, cells: 1 << 12,
	}
}

// fakeAt is a bench at work in a new folder, with the fake in a mode.
func fakeAt(t *testing.T, mode string) *bench {
	c := fakeConfig(t.TempDir(), mode)
	return &bench{c: c, dir: c.Dir, slack: c.slack, grace: c.grace}
}

func TestOutcomes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, c := range []struct {
		mode, status, err string
	}{
		{"ok", "optimal", ""},
		{"unknown", "unknown", "the time limit of 1s was reached"},
		{"infeasible", "infeasible", ""},
		{"silent limit", "unknown", "no answer yet: the time limit was reached"},
		{"crash", "error", "exit status 2: panic: oh"},
		{"usage", "error", "exit status 2: unknown flag --incremental"},
		{"garbage", "error", "no JSON object"},
		{"nothing", "error", "no JSON object"},
		{"twice", "error", "goes on after"},
		{"half", "error", "no JSON object"},
		{"strange", "error", `status "brilliant"`},
		{"schema", "error", "schema"},
		{"no reward", "error", "reward"},
		{"hang", "unknown", "killed at its time limit"},
		{"polite", "unknown", "killed at its time limit"},
		{"hungry", "unknown", "killed at its memory limit"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			l := limits{time: 20 * time.Second, memory: 1 << 30}
			switch c.mode {
			case "hang", "polite":
				l.time = 100 * time.Millisecond
			case "hungry":
				l.memory = 100 << 20
			}
			b := fakeAt(t, c.mode)
			out, err := b.run(context.Background(), l, b.dir, "plan")
			if err != nil {
				t.Fatal(err)
			}
			var r journal.Record
			readPlan(&r, out)
			if r.Status != c.status || !strings.Contains(r.Error, c.err) || (c.err == "") != (r.Error == "") {
				t.Errorf("%s, %q; expected %s, %q", r.Status, r.Error, c.status, c.err)
			}
			if r.Seconds <= 0 || r.CPU < 0 {
				t.Errorf("%g seconds, %g of CPU", r.Seconds, r.CPU)
			}
			switch c.mode {
			case "ok":
				if *r.Reward != -4 || r.Count != 2 || r.Iterations != 3 || r.Stats["states"] != 7 || !*r.Simulator {
					t.Errorf("%+v", r)
				}
			case "hang":
				if r.Seconds > 10 {
					t.Errorf("it took %g seconds to be killed", r.Seconds)
				}
			case "hungry":
				if r.Memory != 0 && r.Memory < 100<<20 { // 0 if unknown
					t.Errorf("a peak of %d bytes", r.Memory)
				}
			}
		})
	}
}

// TestFamily checks that no process of a killed program is left.
func TestFamily(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("no /proc to find descendants by")
	}
	b := fakeAt(t, "family")
	file := filepath.Join(b.dir, "pid")
	out, err := b.run(context.Background(), limits{time: 2 * time.Second, memory: 1 << 30}, b.dir, file)
	if err != nil || out.killed != "time limit" {
		t.Fatalf("%+v %v", out, err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	fmt.Sscan(string(text), &pid)
	for range 100 {
		// A zombie that nobody waits for is gone as well.
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d goes on", pid)
}
