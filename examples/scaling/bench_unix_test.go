//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/blp"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/validate"
)

// patience is how long a run of BenchmarkScaling may take: seconds of CPU.
const patience = 60

// openPatience is how long a row may take of which no proof is expected.
const openPatience = 30

// early is after how many seconds of CPU BenchmarkScaling measures the gap.
const early = 10

// cpu is the time that the process has computed, in seconds.
func cpu(t testing.TB) float64 { return cpuOf(t, syscall.RUSAGE_SELF) }

// cpuOf is the time of the process, or of its children that have ended.
func cpuOf(t testing.TB, whose int) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(whose, &u); err != nil {
		t.Fatal(err)
	}
	seconds := func(v syscall.Timeval) float64 { return float64(v.Sec) + float64(v.Usec)/1e6 }
	return seconds(u.Utime) + seconds(u.Stime)
}

// BenchmarkScaling solves each row on one thread: by search, and, on the OPB file that fdplan
// compile writes, by clasp with its default strategy and from unsatisfiable cores; and its flow program by cbc. It measures
// seconds of CPU, which other work on the machine changes less than time; the reward of the best
// plan; and of search the gap after early seconds, in percent.
func BenchmarkScaling(b *testing.B) {
	for _, r := range rows {
		b.Run(strings.ReplaceAll(r.args, " ", "_"), func(b *testing.B) {
			what, h := load(b, r.args)
			b.Run("search", func(b *testing.B) { benchSearch(b, r, what, h) })
			b.Run("flow", func(b *testing.B) { benchFlow(b, r, what, h) })
			b.Run("clasp", func(b *testing.B) { benchClasp(b, r, what, h) })
			b.Run("clasp-usc", func(b *testing.B) { benchClasp(b, r, what, h, "--opt-strategy=usc") })
		})
	}
}

// benchSearch solves a row by search.
func benchSearch(b *testing.B, r row, what engine.Task, h int) {
	before := cpu(b)
	var res *engine.Result
	var gap float64
	for b.Loop() {
		limit := patience
		if r.open {
			limit = openPatience
		}
		res, gap = solveEarly(b, search.Engine{}, what, h, float64(limit))
		if done := res.Status == engine.Optimal; done != !r.open || done && res.Reward != r.reward {
			b.Fatalf("%s %d, expected %d", res.Status, res.Reward, r.reward)
		}
	}
	b.ReportMetric((cpu(b)-before)/float64(b.N), "cpu-s/op")
	b.ReportMetric(100*gap, "gap-%")
	b.ReportMetric(float64(res.Reward), "reward")
}

// benchFlow has cbc solve the flow program of a row, for openPatience seconds at most. Where it proves an optimum, that must be the row's.
func benchFlow(b *testing.B, r row, what engine.Task, h int) {
	extsolver.Require(b, "cbc")
	cbc, err := external.Lookup(external.MILP, "cbc")
	if err != nil {
		b.Fatal(err)
	}
	began := cpu(b) + cpuOf(b, syscall.RUSAGE_CHILDREN)
	for b.Loop() {
		ctx, cancel := context.WithTimeout(context.Background(), openPatience*time.Second)
		q := engine.Query{Task: what, MinHorizon: h, MaxHorizon: h}
		res, err := blp.Engine{Solver: &cbc, Help: blp.Flow}.Solve(ctx, q, engine.Limits{Threads: 1, Memory: 4 << 30}, nil)
		cancel()
		if err != nil {
			b.Fatal(err)
		}
		proven := res.Status == engine.Optimal
		if proven && res.Reward != r.reward && !r.open {
			b.Fatalf("cbc proves %d, expected %d", res.Reward, r.reward)
		}
		if res.Trace != nil {
			b.ReportMetric(float64(res.Reward), "reward")
		}
		b.ReportMetric(map[bool]float64{true: 1}[proven], "proven")
	}
	b.ReportMetric((cpu(b)+cpuOf(b, syscall.RUSAGE_CHILDREN)-began)/float64(b.N), "cpu-s/op")
}

// solveEarly solves a task, for limit seconds of CPU at most, and returns the gap that was
// left after early seconds, 1 where there was no plan or no bound.
func solveEarly(b *testing.B, e engine.Engine, what engine.Task, h int, limit float64) (*engine.Result, float64) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	start, gap := cpu(b), 1.0
	report := func(p engine.Progress) {
		switch spent := cpu(b) - start; {
		case spent > limit:
			cancel()
		case spent <= early && p.Reward != nil && p.Bound != nil:
			gap = float64(*p.Bound-*p.Reward) / float64(max(1, *p.Reward, -*p.Reward))
		}
	}
	res, err := e.Solve(ctx, engine.Query{Task: what, MinHorizon: h, MaxHorizon: h}, engine.Limits{Threads: 1, Memory: 4 << 30}, report)
	if err != nil {
		b.Fatal(err)
	}
	if res.Trace != nil {
		checked, err := validate.Check(what.Problem, what.Network, validate.FromTrace(res.Trace))
		if err != nil || !checked.Valid || checked.Reward != res.Reward {
			b.Fatalf("the checker says %+v, %v of a plan of %d", checked, err, res.Reward)
		}
	}
	if res.Status == engine.Optimal && cpu(b)-start <= early {
		gap = 0
	}
	return res, gap
}

// benchClasp solves a row by clasp, for patience seconds of CPU at most. Where it proves an optimum,
// that must be the row's.
func benchClasp(b *testing.B, r row, what engine.Task, h int, args ...string) {
	extsolver.Require(b, "clasp")
	file := filepath.Join(b.TempDir(), "instance.opb")
	if err := os.WriteFile(file, compile(b, what, h), 0o600); err != nil {
		b.Fatal(err)
	}
	m, err := model.New(what.Problem, what.Network, h, model.Options{Propagate: true})
	if err != nil {
		b.Fatal(err)
	}
	objective := format.ObjectiveOf(m, format.OPB)
	var spent time.Duration
	for b.Loop() {
		c := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -t %d; exec clasp "$@"`, patience), "sh", file}, args...)...)
		out, err := c.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) { // clasp tells by its status what it found
			b.Fatal(err)
		}
		spent += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		cost, found, proven := readClasp(out)
		reward := objective.Reward(cost)
		if proven && (reward < r.reward || reward > r.reward && !r.open) {
			b.Fatalf("clasp proves %d, expected %d", reward, r.reward)
		}
		if found {
			b.ReportMetric(float64(reward), "reward")
		}
		b.ReportMetric(map[bool]float64{true: 1}[proven], "proven")
	}
	b.ReportMetric(spent.Seconds()/float64(b.N), "cpu-s/op")
}

// readClasp reads the last cost that clasp printed, and whether it is proven.
func readClasp(out []byte) (cost int64, found, proven bool) {
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if _, err := fmt.Sscanf(lines.Text(), "o %d", &cost); err == nil {
			found = true
		}
		proven = proven || lines.Text() == "s OPTIMUM FOUND"
	}
	return cost, found, proven
}
