package format

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/external"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

var (
	instances = flag.Int("instances", 4, "random problems that external solvers are compared on")
	firstSeed = flag.Uint64("first-seed", 0, "seed of the first random problem")
)

const solverLimit = 60 * time.Second

// solver runs an external solver on files of one kind.
type solver struct {
	name, tool string
	kind       Kind
	extension  string
	solve      extsolver.Solve
}

var solvers = []solver{
	{"cadical", "cadical", CNF, "cnf", extsolver.SolveCNF},
	{"clasp-wcnf", "clasp", WCNFOld, "wcnf", extsolver.SolveWCNFOld},
	{"clasp-opb", "clasp", OPB, "opb", extsolver.SolveOPB},
	{"cbc-lp", "cbc", LP, "lp", extsolver.Cbc},
	{"glpsol-lp", "glpsol", LP, "lp", extsolver.GlpsolLP},
	{"cbc-mps", "cbc", MPS, "mps", extsolver.Cbc},
	{"glpsol-mps", "glpsol", MPS, "mps", extsolver.GlpsolMPS},
	{"glpsol-freemps", "glpsol", MPS, "mps", extsolver.GlpsolFreeMPS},
}

func requireAll(t *testing.T) {
	t.Helper()
	extsolver.Require(t, "clasp", "cadical", "cbc", "glpsol")
}

var encodings = []cnf.Encoding{cnf.Default, cnf.Paper, cnf.Published, cnf.Unidirectional}

// instance is a problem with its optimum.
type instance struct {
	p        *factored.Problem
	net      *bnn.Network
	horizon  int
	reward   int64 // scaled
	feasible bool
	quick    bool                       // CBC reads only the files of the model that is not propagated
	answers  map[string]external.Answer // of a solver to the text of a file: encodings often write the same
}

// check solves the instance in every format and compares.
func (in *instance) check(t *testing.T) {
	dir := t.TempDir()
	for _, propagate := range []bool{false, true} {
		m, err := model.New(in.p, in.net, in.horizon, model.Options{Propagate: propagate})
		if err != nil {
			t.Fatal(err)
		}
		for i := range solvers {
			s := &solvers[i]
			if s.tool == "cbc" && propagate && in.quick {
				continue // it takes the most time
			}
			list := encodings
			if !s.kind.Clausal() {
				list = encodings[:1]
			}
			for _, e := range list {
				file := filepath.Join(dir, fmt.Sprintf("%v-%v.%s", propagate, e, s.extension))
				if err := in.solve(m, s, Options{Kind: s.kind, Encoding: e}, file); err != nil {
					t.Errorf("%s, %v, propagate %v: %v", s.name, e, propagate, err)
				}
			}
		}
	}
}

// solve writes m, runs the solver and checks its answer.
func (in *instance) solve(m *model.Model, s *solver, o Options, file string) error {
	if err := writeFile(file, m, o); err != nil {
		return err
	}
	r, err := in.answer(s, file)
	if err != nil {
		return err
	}
	if (r.Status != external.Unsatisfiable) != in.feasible {
		return fmt.Errorf("answer %v, brute force says feasible: %v", r.Status, in.feasible)
	}
	if !in.feasible {
		return nil
	}
	var text bytes.Buffer
	if err := WriteMap(&text, m, o); err != nil {
		return err
	}
	names, err := readMap(&text)
	if err != nil {
		return err
	}
	trace := names.trace(in.p, r.True)
	reward, err := randprob.Replay(in.p, in.net, trace.Steps)
	if err != nil {
		return fmt.Errorf("the answer is not a plan: %w", err)
	}
	var objective int64 // stays 0 if clasp, which found no soft clause, reports none
	if r.Objective != nil {
		objective = *r.Objective
	}
	var again int64
	for i := range in.horizon {
		again += in.p.Reward.StepReward(trace.Steps[i], trace.Steps[i+1])
	}
	switch {
	case again != reward:
		return fmt.Errorf("replay earns %d, package factored says %d", reward, again)
	case s.kind == CNF:
		if reward > in.reward {
			return fmt.Errorf("a plan of reward %d, brute force found %d at best", reward, in.reward)
		}
	case reward != in.reward:
		return fmt.Errorf("reward %d, brute force found %d", reward, in.reward)
	case names.Objective.Reward(objective) != in.reward:
		return fmt.Errorf("objective %d with constant %d, reward is %d", objective, names.Objective.Constant, in.reward)
	}
	return nil
}

// comments are those of all formats; they name the problem and the encoding.
var comments = regexp.MustCompile(`(?m)^[c*\\] .*`)

// answer has the solver read the file, if it has read no file of the same text before.
func (in *instance) answer(s *solver, file string) (external.Answer, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return external.Answer{}, err
	}
	key := s.name + string(comments.ReplaceAll(text, nil))
	if r, ok := in.answers[key]; ok {
		return r, nil
	}
	r, err := s.solve(file, solverLimit)
	if err == nil && r.Status == external.Unknown {
		err = errors.New("no answer")
	}
	if err != nil {
		return r, err
	}
	if in.answers == nil {
		in.answers = map[string]external.Answer{}
	}
	in.answers[key] = r
	return r, nil
}

// writeFile writes a file and checks what Measure and Write report about it.
func writeFile(file string, m *model.Model, o Options) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	wrote, err := Write(context.Background(), f, m, o)
	if err != nil {
		return err
	}
	measured, err := Measure(context.Background(), m, o)
	if err != nil {
		return err
	}
	if wrote != measured {
		return fmt.Errorf("Write counts %+v, Measure %+v", wrote, measured)
	}
	return f.Close()
}

// TestRandom compares all formats, by external solvers, with brute force.
func TestRandom(t *testing.T) {
	requireAll(t)
	n := *instances
	if testing.Short() {
		n = min(n, 5)
	}
	for i := range uint64(n) {
		seed := *firstSeed + i
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			in := &instance{}
			in.p, in.net, in.horizon = randprob.New(seed, randprob.Options{})
			in.reward, in.feasible = randprob.BruteForce(in.p, in.net, in.horizon)
			in.check(t)
		})
	}
}

// TestCorners does the same for models without some of the parts.
func TestCorners(t *testing.T) {
	requireAll(t)
	action := factored.Variable{Name: "go", Kind: factored.Action, Bool: true}
	state := factored.Variable{Name: "done", Bool: true}
	lit := factored.Lit{}
	atLeast := func(k int64) factored.Constraint {
		return factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: lit}}, Op: factored.GE, K: k}
	}
	term := factored.RewardTerm{Lit: lit, Weight: 2}
	cases := []struct {
		name      string
		variables []factored.Variable
		build     func(p *factored.Problem)
	}{
		{"nothing at all", nil, func(*factored.Problem) {}},
		{"a constant alone", nil, func(p *factored.Problem) { p.Reward.Constant = 3 }},
		{"false without variables", nil, func(p *factored.Problem) {
			p.Global = []factored.Constraint{{Op: factored.GE, K: 1}}
		}},
		{"no rows, no objective", []factored.Variable{state, action}, func(*factored.Problem) {}},
		{"no rows, a constant objective", []factored.Variable{state}, func(p *factored.Problem) { p.Reward.Constant = -7 }},
		{"no rows, an objective", []factored.Variable{action}, func(p *factored.Problem) { p.Reward.Terms = []factored.RewardTerm{term} }},
		{"rows, no objective", []factored.Variable{state}, func(p *factored.Problem) { p.Goal = []factored.Constraint{atLeast(1)} }},
		{"rows, a constant objective", []factored.Variable{state}, func(p *factored.Problem) {
			p.Goal = []factored.Constraint{atLeast(1)}
			p.Reward.Constant = 4
		}},
		{"terms that cancel to a constant", []factored.Variable{state}, func(p *factored.Problem) {
			p.Reward.Terms = []factored.RewardTerm{term, {Lit: lit.Not(), Weight: 2}}
		}},
		{"all fixed", []factored.Variable{state, action}, func(p *factored.Problem) {
			p.Global = []factored.Constraint{atLeast(1), {Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: 1}}}, Op: factored.LE}}
			p.Reward.Terms = []factored.RewardTerm{term}
		}},
		{"infeasible at once", []factored.Variable{state}, func(p *factored.Problem) {
			p.Goal = []factored.Constraint{atLeast(2)}
			p.Reward.Terms = []factored.RewardTerm{term}
			p.Reward.Constant = 1
		}},
		{"an equation with a common divisor", []factored.Variable{state, {Name: "too", Bool: true}}, func(p *factored.Problem) {
			// clasp 3.3.5 reports a solution of 2 x + 2 y = 1.
			p.Global = []factored.Constraint{{Terms: []factored.Term{{Coef: 2, Lit: lit}, {Coef: 2, Lit: factored.Lit{Bit: 1}}}, Op: factored.EQ, K: 1}}
		}},
		{"a false constraint without terms", []factored.Variable{action}, func(p *factored.Problem) {
			p.Goal = []factored.Constraint{{Op: factored.EQ, K: 1}}
		}},
		{"a true constraint without terms", []factored.Variable{action}, func(p *factored.Problem) {
			p.Goal = []factored.Constraint{{Op: factored.LE, K: 1}}
		}},
	}
	answers := map[string]external.Answer{} // many cases have the same files
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			in := &instance{p: factored.NewProblem(c.name), horizon: 2, quick: true, answers: answers}
			for _, v := range c.variables {
				if _, err := in.p.AddVariable(v); err != nil {
					t.Fatal(err)
				}
			}
			c.build(in.p)
			if err := in.p.Check(); err != nil {
				t.Fatal(err)
			}
			in.reward, in.feasible = randprob.BruteForce(in.p, in.net, in.horizon)
			in.check(t)
		})
	}
}
