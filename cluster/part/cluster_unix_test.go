//go:build unix

package part

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/command/commandtest"
)

// faultRounds is the number of rounds of TestClusterFaults.
var faultRounds = flag.Int("faults", 1, "rounds of the test that kills workers, servers and coordinators")

// runningProcess is a program that a test has started.
type runningProcess struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan struct{}
}

// kill ends a process as nothing can prevent.
func (p *runningProcess) kill() {
	p.cmd.Process.Kill()
	<-p.ended
}

// testCluster is a server with workers that a test may kill.
type testCluster struct {
	t       *testing.T
	program string
	dir     string
	store   string // folder of the server; empty for one in dir
	url     string
	broker  *runningProcess
	workers []*runningProcess
}

// start starts the program with arguments.
func (c *testCluster) start(args ...string) *runningProcess {
	c.t.Helper()
	p := &runningProcess{cmd: exec.Command(c.program, args...), ended: make(chan struct{})}
	p.cmd.Dir = c.dir
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if err := p.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go func() { p.cmd.Wait(); close(p.ended) }()
	c.t.Cleanup(p.kill)
	return p
}

// run runs the program to its end.
func (c *testCluster) run(args ...string) {
	c.t.Helper()
	p := c.start(args...)
	<-p.ended
	if !p.cmd.ProcessState.Success() {
		c.t.Fatalf("%v: %v\n%s", args, p.cmd.ProcessState, p.stderr.String())
	}
}

// serve starts the server, again if it ran before.
func (c *testCluster) serve() {
	c.t.Helper()
	listen := "127.0.0.1:0"
	if c.url != "" {
		listen = strings.TrimPrefix(c.url, "nats://")
	}
	if c.store == "" {
		c.store = filepath.Join(c.dir, "store")
	}
	p := &runningProcess{cmd: exec.Command(c.program, "broker", c.store, "--listen", listen, "--max-store", "2GiB"), ended: make(chan struct{})}
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		c.t.Fatalf("the server does not start: %v\n%s", err, p.stderr.String())
	}
	go func() { p.cmd.Wait(); close(p.ended) }()
	c.t.Cleanup(p.kill)
	c.url, c.broker = strings.TrimSpace(line), p
}

// work starts worker i.
func (c *testCluster) work(i int) {
	c.workers[i] = c.start("worker", "--connect", c.url, "--slots", "1", "--lease", "1s", "--quiet", "--dir", filepath.Join(c.dir, fmt.Sprint("worker", i)))
}

func newTestCluster(t *testing.T, workers int) *testCluster {
	t.Helper()
	dir := t.TempDir()
	c := &testCluster{t: t, dir: dir, program: commandtest.Link(t, dir), workers: make([]*runningProcess, workers)}
	c.serve()
	for i := range c.workers {
		c.work(i)
	}
	return c
}

// status returns the state of the cluster.
func (c *testCluster) status() (s struct {
	Done, Failed, Waiting, Running int
	Workers                        []struct{ Slots int }
}) {
	c.t.Helper()
	code, out, stderr := session("cluster", "--connect", c.url, "--json")
	if code != 0 || json.Unmarshal([]byte(out), &s) != nil {
		c.t.Fatalf("exit %d: %s%s", code, out, stderr)
	}
	return s
}

// clusterTimes matches what differs between runs in JSON: times, sizes in memory and the
// machine.
var clusterTimes = regexp.MustCompile(`"(seconds|cpu_seconds|peak_bytes)":[^,}]*|,"worker":"[^"]*"`)

// journalLines returns the lines of the runs in a bench's journal, in the order of
// their IDs, without times.
func journalLines(t *testing.T, dir string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		// The total of a document's seconds has the same name as that of its parts.
		line = regexp.MustCompile(`"seconds":\{[^}]*\}`).ReplaceAllString(line, "")
		if !strings.Contains(line, `"kind":"machine"`) {
			out = append(out, clusterTimes.ReplaceAllString(line, ""))
		}
	}
	slices.Sort(out)
	return out
}

// clusterWork is a command whose work is spread, with what its result must equal.
type clusterWork struct {
	name string
	args func(out string) []string
	same func(t *testing.T, one, many string)
}

// sameBytes compares files.
func sameBytes(t *testing.T, one, many string) {
	t.Helper()
	a, err1 := os.ReadFile(one)
	b, err2 := os.ReadFile(many)
	if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("%s and %s differ: %d and %d bytes, %v, %v", one, many, len(a), len(b), err1, err2)
	}
}

// clusterWorks are the commands of a round; data is a data set of sysadmin/4.
func clusterWorks(seed int, data string) []clusterWork {
	s := fmt.Sprint(seed)
	return []clusterWork{
		{"rows.parquet", func(out string) []string {
			return []string{"collect", "sysadmin/4", "-n", "200000", "--seed", s, "-o", out}
		}, sameBytes},
		{"bench", func(out string) []string {
			// Runs take milliseconds, but the machine may be busy: a limit must not end them.
			return []string{"bench", "paper", "--quick", "--solver", "none", "--engines", "search", "--tables", "figure1,engines", "--time-limit", "5m", "--total-time", "0", "--seed", s, "-o", out}
		}, func(t *testing.T, one, many string) {
			t.Helper()
			a, b := journalLines(t, one), journalLines(t, many)
			if !slices.Equal(a, b) {
				t.Errorf("%d and %d lines of journals differ", len(a), len(b))
				for i := range min(len(a), len(b)) {
					if a[i] != b[i] {
						t.Fatalf("%s\n%s", a[i], b[i])
					}
				}
			}
		}},
		{"network.bnn", func(out string) []string {
			return []string{"train", data, "--task", "sysadmin/4", "--grid", "--widths", "6,10,14", "--depths", "1,2", "--epochs", "20", "--target-error", "0.0001", "--seed", s, "-o", out}
		}, sameBytes},
	}
}

// TestCluster compares the results of three workers with those of one process.
func TestCluster(t *testing.T) {
	c := newTestCluster(t, 3)
	data := filepath.Join(c.dir, "data.parquet")
	c.run("collect", "sysadmin/4", "-n", "3000", "-o", data)
	for _, w := range clusterWorks(1, data) {
		one, many := filepath.Join(c.dir, "one-"+w.name), filepath.Join(c.dir, "many-"+w.name)
		c.run(w.args(one)...)
		c.run(append(w.args(many), "--connect", c.url)...)
		w.same(t, one, many)
	}
	c.solve()
	if s := c.status(); s.Failed+s.Waiting+s.Running != 0 || len(s.Workers) != 3 {
		t.Errorf("%+v", s)
	}
	for _, w := range c.workers {
		w.cmd.Process.Signal(syscall.SIGTERM)
	}
	for _, w := range c.workers {
		<-w.ended
		if !w.cmd.ProcessState.Success() {
			t.Errorf("after SIGTERM: %v\n%s", w.cmd.ProcessState, w.stderr.String())
		}
	}
	if s := c.status(); len(s.Workers) != 0 {
		t.Errorf("%+v", s)
	}
}

// solve compares the answer and the proof of a worker with those of one process.
func (c *testCluster) solve() {
	c.t.Helper()
	file := filepath.Join(c.dir, "maze.opb")
	c.run("compile", "navigation/3x3", "-H", "4", "--format", "opb", "-o", file)
	one, many := filepath.Join(c.dir, "one.pbp"), filepath.Join(c.dir, "many.pbp")
	status, want, stderr := session("solve", file, "--proof", one)
	if status != 30 {
		c.t.Fatal(stderr)
	}
	if status, got, stderr := session("solve", file, "--proof", many, "--connect", c.url); status != 30 || got != want {
		c.t.Errorf("exit %d: %s\n%s\nnot\n%s", status, stderr, got, want)
	}
	sameBytes(c.t, one, many)
	if status, _, stderr := session("solve", filepath.Join(c.dir, "data.parquet"), "--connect", c.url); status != 2 || !strings.Contains(stderr, "data.parquet") {
		c.t.Errorf("a file of another kind: exit %d: %s", status, stderr)
	}
}

// TestClusterFaults kills workers, the server and the coordinator at moments drawn at random
// while the coordinator wants results. Nothing may be lost, doubled or different.
func TestClusterFaults(t *testing.T) {
	for round := range *faultRounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) { faultRound(t, round) })
	}
}

func faultRound(t *testing.T, round int) {
	rng := rand.New(rand.NewPCG(uint64(round), 7))
	c := newTestCluster(t, 4)
	data := filepath.Join(c.dir, "data.parquet")
	c.run("collect", "sysadmin/4", "-n", "3000", "-o", data)
	kills := map[string]int{}
	for _, w := range clusterWorks(100+round, data) {
		one, many := filepath.Join(c.dir, "one-"+w.name), filepath.Join(c.dir, "many-"+w.name)
		c.run(w.args(one)...)
		args := append(w.args(many), "--connect", c.url)
		coordinator := c.start(args...)
		// Each pause is longer than the one before: on a slow machine, too, there is one
		// that is long enough.
		pause := 200 * time.Millisecond
		for done := false; !done; pause += pause / 8 {
			select {
			case <-coordinator.ended:
				done = true
				if !coordinator.cmd.ProcessState.Success() {
					t.Fatalf("%v: %v\n%s", args, coordinator.cmd.ProcessState, coordinator.stderr.String())
				}
			case <-time.After(pause + time.Duration(rng.Int64N(int64(pause)))):
				switch victim := rng.IntN(8); {
				case victim < 5:
					kills["worker"]++
					i := rng.IntN(len(c.workers))
					c.workers[i].kill()
					c.work(i)
				case victim < 7:
					kills["server"]++
					c.broker.kill()
					time.Sleep(time.Duration(rng.Int64N(int64(300 * time.Millisecond))))
					c.serve()
				default:
					kills["coordinator"]++
					coordinator.kill()
					coordinator = c.start(args...)
				}
			}
		}
		w.same(t, one, many)
	}
	s := c.status()
	if s.Failed != 0 {
		t.Errorf("%+v", s)
	}
	t.Logf("%d units; killed %v", s.Done, kills)
}
