//go:build unix

package external_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/solve/external"
)

// script makes a solver of a shell script that gets the file as $1, and the
// solution file as $2.
func script(t *testing.T, k external.Kind, text string) external.Solver {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fake solver")
	extsolver.WriteScript(t, file, "#!/bin/sh\n"+text)
	line := fmt.Sprintf("'%s' {in}", file)
	if k == external.MILP {
		line += " {out}"
	}
	s, err := external.Command(k, line)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func input(text string) external.Input {
	return external.Input{Write: func(w io.Writer, _ external.Dialect) error {
		_, err := io.WriteString(w, text)
		return err
	}}
}

// TestRun checks how solvers end, and what is made of it.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		name, script string
		kind         external.Kind
		status       external.Status
		objective    int64
		err          string
	}{
		{"answer", "cat $1 && echo o 3 && echo s OPTIMUM FOUND && echo v x1", external.PB, external.Optimal, 3, ""},
		{"answer without a last line end", "echo s OPTIMUM FOUND; printf 'o 3\nv x1'", external.PB, external.Optimal, 3, ""},
		{"answer with a strange exit status", "echo o 3; echo s OPTIMUM FOUND; echo v x1; exit 77", external.PB, external.Optimal, 3, ""},
		{"solution file", "printf 'Optimal - objective value 3\n 0 x1 1 3\n' > $2", external.MILP, external.Optimal, 3, ""},
		{"crash", "echo c working; echo bad luck >&2; exit 3", external.PB, 0, 0, `ended without an answer: exit status 3; its last words: "bad luck"`},
		{"crash of a MILP solver", "echo bad luck; exit 3", external.MILP, 0, 0, "exit status 3"},
		{"killed", "kill -KILL $$", external.MaxSAT, 0, 0, "signal: killed"},
		{"silence", "true", external.PB, 0, 0, "ended without a verdict"},
		{"silence of a MILP solver", "true", external.MILP, 0, 0, "ended without a verdict"},
		{"nonsense", "echo o 3; echo v x1 hello; sleep 60", external.PB, 0, 0, `fake solver is not understood: expected a literal on a v line: "hello"`},
		{"nonsense in the solution file", "echo nonsense > $2", external.MILP, 0, 0, `"nonsense"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			started := time.Now()
			a, err := external.Run(context.Background(), script(t, c.kind, c.script), input("c x\n"), external.Limits{Grace: time.Second}, nil)
			if time.Since(started) > 20*time.Second {
				t.Error("it was waited for")
			}
			if c.err != "" {
				var o *external.OutputError
				var crash *external.CrashError
				if err == nil || !strings.Contains(err.Error(), c.err) || !errors.As(err, &o) && !errors.As(err, &crash) || strings.Contains(err.Error(), "\n") {
					t.Errorf("error %v, expected one line with %q", err, c.err)
				}
				return
			}
			if err != nil || a.Status != c.status || a.Objective == nil || *a.Objective != c.objective || !a.True[1] {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}

// TestStop checks that a solver is asked to stop, then made to, with all that
// it started.
func TestStop(t *testing.T) {
	for _, c := range []struct {
		name, script string
		status       external.Status
	}{
		{"says what it has", "trap 'echo s SATISFIABLE; echo v x1; exit 0' TERM; echo o 3; echo ready; while :; do sleep 0.05; done", external.Satisfiable},
		{"has said it before", "trap '' TERM; echo o 3; echo v x1; echo ready; while :; do sleep 0.05; done", external.Satisfiable},
		{"has nothing", "echo o 3; echo ready; sleep 60", external.Unknown},
		{"starts others", "(trap '' TERM; sleep 60) & echo $! > $(dirname $0)/child; trap '' TERM; echo o 3; echo ready; sleep 60 & wait; wait", external.Unknown},
	} {
		for _, how := range []string{"context", "time limit"} {
			t.Run(c.name+", "+how, func(t *testing.T) {
				t.Parallel()
				s := script(t, external.PB, c.script)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				l := external.Limits{Grace: 500 * time.Millisecond}
				if how == "time limit" {
					l.Time = 500 * time.Millisecond
				}
				reported := false
				started := time.Now()
				a, err := external.Run(ctx, s, input(""), l, func(p external.Progress) {
					if p.Objective != nil && *p.Objective == 3 {
						reported = true
						if how == "context" {
							time.AfterFunc(200*time.Millisecond, cancel)
						}
					}
				})
				if d := time.Since(started); d > 20*time.Second {
					t.Errorf("it took %v", d)
				}
				if err != nil || a.Status != c.status || a.True[1] != (c.status == external.Satisfiable) {
					t.Errorf("%+v, %v; expected %v", a, err, c.status)
				}
				if !reported {
					t.Error("the incumbent was not reported")
				}
				text, err := os.ReadFile(filepath.Join(filepath.Dir(s.Programs[0]), "child"))
				if err != nil {
					return
				}
				child, err := strconv.Atoi(strings.TrimSpace(string(text)))
				if err != nil {
					t.Fatal(err)
				}
				for range 100 {
					if syscall.Kill(child, 0) != nil || zombie(child) {
						return
					}
					time.Sleep(20 * time.Millisecond)
				}
				t.Errorf("its child %d lives on", child)
			})
		}
	}
}

// zombie reports whether a process is dead and only nobody has asked for it, as
// in containers whose first process does not.
func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(text), ") Z ")
}

// TestLongLine checks that a line without an end does not fill the memory.
func TestLongLine(t *testing.T) {
	_, err := external.Run(context.Background(), script(t, external.PB, "yes '' | tr -d '\\n' & yes x | tr -d '\\n'"), input(""), external.Limits{MaxLine: 1 << 20, Grace: time.Second}, nil)
	if err == nil || !strings.Contains(err.Error(), "a line that does not end") {
		t.Error(err)
	}
}

// TestMissing checks that the error names what to install.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Chdir(t.TempDir())
	for _, k := range []external.Kind{external.SAT, external.MaxSAT, external.PB, external.MILP} {
		for _, s := range external.Solvers(k) {
			_, err := external.Run(context.Background(), s, input(""), external.Limits{}, nil)
			var m *external.MissingError
			if !errors.As(err, &m) || s.Install == "" || !strings.Contains(err.Error(), s.Install) || !strings.Contains(err.Error(), s.Name+" is not installed") {
				t.Errorf("%v %s: %v", k, s.Name, err)
			}
		}
	}
}

// TestWriteFails checks that the error of the file's writer comes through.
func TestWriteFails(t *testing.T) {
	want := errors.New("disk on fire")
	_, err := external.Run(context.Background(), script(t, external.PB, ""), external.Input{Write: func(io.Writer, external.Dialect) error { return want }}, external.Limits{}, nil)
	if !errors.Is(err, want) {
		t.Error(err)
	}
}

// Three variables with costs 3, 2, 1; at least one of the first two, and not
// both the second and the third: the optimum is x2 alone, 2.
var small = map[external.Dialect]string{
	external.WCNF:    "c x\nh 1 2 0\nh -2 -3 0\n3 -1 0\n2 -2 0\n1 -3 0\n",
	external.WCNFOld: "p wcnf 3 5 7\n7 1 2 0\n7 -2 -3 0\n3 -1 0\n2 -2 0\n1 -3 0\n",
	external.OPB:     "* #variable= 3 #constraint= 2\nmin: +3 x1 +2 x2 +1 x3 ;\n+1 x1 +1 x2 >= 1 ;\n-1 x2 -1 x3 >= -1 ;\n",
	external.LP:      "Minimize\n obj: 3 x1 + 2 x2 + x3\nSubject To\n c1: x1 + x2 >= 1\n c2: x2 + x3 <= 1\nBinaries\n x1 x2 x3\nEnd\n",
	external.CNF:     "p cnf 3 4\n1 2 0\n-2 -3 0\n-1 0\n-3 0\n",
}

// TestKnown runs each known solver that is installed, with a time limit and
// threads, and demands those of the Linux distribution.
func TestKnown(t *testing.T) {
	for _, k := range []external.Kind{external.SAT, external.MaxSAT, external.PB, external.MILP} {
		for _, s := range external.Solvers(k) {
			t.Run(k.String()+"/"+s.Name, func(t *testing.T) {
				if _, err := s.Program(); err != nil {
					if strings.HasPrefix(s.Install, "Debian package") {
						extsolver.Missing(t, err.Error())
					}
					t.Skip(err)
				}
				in := external.Input{Variables: 3, Write: func(w io.Writer, d external.Dialect) error {
					_, err := io.WriteString(w, small[d])
					return err
				}}
				if s.TakesStart() {
					in.Start = map[int32]int64{1: 1, 7: 1}
				}
				a, err := external.Run(context.Background(), s, in, external.Limits{Time: time.Minute, Threads: 2}, nil)
				if err != nil {
					t.Fatal(err)
				}
				status := external.Optimal
				if k == external.SAT {
					status = external.Satisfiable
				}
				if a.Status != status || a.True[1] || !a.True[2] || a.True[3] {
					t.Errorf("%+v", a)
				}
				if k != external.SAT && (a.Objective == nil || *a.Objective != 2 || a.Bound == nil || *a.Bound != 2) {
					t.Errorf("objective or bound of %+v", a)
				}
			})
		}
	}
}

// pigeons puts as many pigeons as possible into n holes, n+1 there are.
func pigeons(n int) external.Input {
	return external.Input{Write: func(w io.Writer, _ external.Dialect) error {
		var b strings.Builder
		rows := 0
		atMostOne := func(count, first, step int) {
			for i := range count {
				fmt.Fprintf(&b, "-1 x%d ", first+i*step)
			}
			b.WriteString(">= -1 ;\n")
			rows++
		}
		for p := range n + 1 {
			atMostOne(n, p*n+1, 1)
		}
		for h := range n {
			atMostOne(n+1, h+1, n)
		}
		fmt.Fprintf(w, "* #variable= %d #constraint= %d\nmin:", n*(n+1), rows)
		for x := range n * (n + 1) {
			fmt.Fprintf(w, " -1 x%d", x+1)
		}
		_, err := fmt.Fprintf(w, " ;\n%s", &b)
		return err
	}}
}

// split is a market split problem, which takes branch and cut of the order of
// 2^n nodes: four sums of n columns shall hit half their total, or miss it by as
// little as possible, 1000 more or less.
func split(n int) external.Input {
	return external.Input{Write: func(w io.Writer, _ external.Dialect) error {
		rng := rand.New(rand.NewPCG(7, 7))
		const digits = 9
		var cost, miss, rows strings.Builder
		for k := range digits {
			fmt.Fprintf(&cost, " + %d x%d", 1<<k, n+k+1)
			fmt.Fprintf(&miss, " + %d x%d", 1<<k, n+k+1)
		}
		for r := range 4 {
			sum := 0
			var more, less strings.Builder
			for i := range n {
				c := rng.IntN(1000)
				sum += c
				fmt.Fprintf(&more, " + %d x%d", c, i+1)
				fmt.Fprintf(&less, " - %d x%d", c, i+1)
			}
			fmt.Fprintf(&rows, " m%d:%s%s >= %d\n l%d:%s%s >= %d\n", r, &more, &miss, sum/2, r, &less, &miss, -(sum / 2))
		}
		fmt.Fprintf(w, "Minimize\n obj:%s + 1000 one\nSubject To\n%sBounds\n one = 1\nBinaries\n", &cost, &rows)
		for x := range n + digits {
			fmt.Fprintf(w, " x%d", x+1)
		}
		_, err := fmt.Fprint(w, "\nEnd\n")
		return err
	}}
}

// TestLimit checks that solvers stop at their time limit with an incumbent, and
// MILP solvers with a bound.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		kind external.Kind
		name string
		in   external.Input
	}{{external.PB, "clasp", pigeons(14)}, {external.MILP, "glpsol", split(40)}, {external.MILP, "cbc", split(40)}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			extsolver.Require(t, c.name)
			s, err := external.Lookup(c.kind, c.name)
			if err != nil {
				t.Fatal(err)
			}
			var seen []int64
			started := time.Now()
			a, err := external.Run(context.Background(), s, c.in, external.Limits{Time: time.Second, Grace: 10 * time.Second}, func(p external.Progress) {
				if p.Objective != nil {
					seen = append(seen, *p.Objective)
				}
			})
			if d := time.Since(started); d > 20*time.Second {
				t.Errorf("it took %v", d)
			}
			if err != nil || a.Status != external.Satisfiable || a.Objective == nil || a.True == nil {
				t.Fatalf("%+v, %v", a, err)
			}
			if len(seen) == 0 || seen[len(seen)-1] != *a.Objective || !slices.IsSortedFunc(seen, func(x, y int64) int { return int(y - x) }) {
				t.Errorf("incumbents %v, the answer's is %d", seen, *a.Objective)
			}
			if c.kind == external.MILP && (a.Bound == nil || *a.Bound < 1000 || *a.Bound > *a.Objective) {
				t.Errorf("objective %d, bound %v", *a.Objective, a.Bound)
			}
		})
	}
}
