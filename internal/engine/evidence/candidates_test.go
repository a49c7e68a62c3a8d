package evidence

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// question is a random problem with its true answer and its file.
type question struct {
	task     engine.Task
	m        *model.Model
	opb      []byte
	reward   int64
	feasible bool
	answer   Answer
}

func newQuestion(t *testing.T, p *factored.Problem, net *bnn.Network, horizon int) *question {
	t.Helper()
	q := &question{task: engine.Task{Problem: p, Network: net}}
	q.reward, q.feasible = randprob.BruteForce(p, net, horizon)
	res, err := search.Engine{}.Solve(t.Context(), engine.Query{Task: q.task, MinHorizon: horizon, MaxHorizon: horizon}, engine.Limits{Threads: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	q.answer = Answer{Horizon: horizon, Status: res.Status, Trace: res.Trace, Reward: res.Reward, Bound: res.Bound}
	if q.m, err = model.New(p, net, horizon, model.Options{Propagate: true}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := format.Write(t.Context(), &b, q.m, format.Options{Kind: format.OPB}); err != nil {
		t.Fatal(err)
	}
	q.opb = b.Bytes()
	return q
}

// prove has an answer proven, with proofs of no more than these sizes, and reads what the proof shows.
func (q *question) prove(t *testing.T, a Answer, most sizes) (*prover, veripb.Verdict, error) {
	t.Helper()
	var text bytes.Buffer
	p, err := a.prove(t.Context(), q.task, Options{W: &text, Format: proof.VeriPB20}, q.m, q.m, most)
	if err != nil {
		return p, veripb.Verdict{}, err
	}
	v, err := veripb.Check(bytes.NewReader(q.opb), &text)
	if err != nil {
		t.Fatalf("%s: %v", q.task.Problem.Name, err)
	}
	return p, v, nil
}

// The sizes that allow each kind of proof, all without those about steps, those that are of tables and prices alone, and none.
var (
	anySize  = sizes{1 << 20, 1 << 20, 1 << 20, 1 << 20, 100}
	noSteps  = sizes{1, 1 << 20, 1 << 20, 1 << 20, 100}
	noStates = sizes{1, 1 << 20, 0, 0, 1}
	nothing  = sizes{1, 1, 0, 0, 1}
)

func questions(t *testing.T) (out []*question) {
	for seed := range uint64(40) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		out = append(out, newQuestion(t, p, net, horizon))
		if seed%3 == 0 {
			p, net := randprob.Machines(seed, 3)
			out = append(out, newQuestion(t, p, net, 3))
		}
	}
	return out
}

// TestCandidates has each kind of proof asked for, and compares what it shows with brute force: about steps
// between states, of tables and prices, of states that these leave, and by the conflict engine.
func TestCandidates(t *testing.T) {
	for _, q := range questions(t) {
		for _, sizes := range []sizes{anySize, noSteps, noStates, nothing} {
			_, v, err := q.prove(t, q.answer, sizes)
			if err != nil {
				t.Fatalf("%s, %v: %v", q.task.Problem.Name, sizes, err)
			}
			lower := format.ObjectiveOf(q.m, format.OPB)
			switch {
			case !q.feasible && v.Kind != veripb.Unsat:
				t.Errorf("%s, %v: there is no plan, the proof shows %v", q.task.Problem.Name, sizes, v)
			case q.feasible && (v.Kind != veripb.Optimal || lower.Reward(v.Lower.Int64()) != q.reward):
				t.Errorf("%s, %v: the reward is %d, the proof shows %v", q.task.Problem.Name, sizes, q.reward, v)
			}
		}
	}
}

// TestWeaker proves what is known of runs that were cut short: the proof shows no more than is true, and all that the answer
// then says.
func TestWeaker(t *testing.T) {
	bounded := 0
	for _, q := range questions(t) {
		if !q.feasible {
			continue
		}
		a := q.answer
		a.Status = engine.Feasible
		for _, sizes := range []sizes{anySize, noSteps, noStates} {
			p, v, err := q.prove(t, a, sizes)
			if err != nil {
				continue // the plan alone takes more steps than were allowed
			}
			objective := format.ObjectiveOf(q.m, format.OPB)
			if p.answer.Bound != nil {
				bounded++
				if *p.answer.Bound < q.reward || v.Lower == nil || objective.Reward(v.Lower.Int64()) > *p.answer.Bound {
					t.Errorf("%s, %v: the best reward is %d, the answer says at most %d, the proof shows %v", q.task.Problem.Name, sizes, q.reward, *p.answer.Bound, v)
				}
			}
			if v.Lower != nil && objective.Reward(v.Lower.Int64()) < q.reward || v.Upper != nil && objective.Reward(v.Upper.Int64()) > q.reward {
				t.Errorf("%s, %v: the best reward is %d, the proof shows %v", q.task.Problem.Name, sizes, q.reward, v)
			}
		}
	}
	if bounded < 50 {
		t.Errorf("only %d bounds are shown", bounded)
	}
}

// TestFalse wants answers refused that are not true, whoever would prove them.
func TestFalse(t *testing.T) {
	for _, q := range questions(t) {
		if !q.feasible {
			continue
		}
		low := q.reward - 1
		tight, none := q.answer, Answer{Horizon: q.answer.Horizon, Status: engine.Infeasible}
		tight.Bound, tight.Trace = &low, nil
		for _, sizes := range []sizes{anySize, noSteps} {
			for name, a := range map[string]Answer{"a bound that is too low": tight, "that there is no plan": none} {
				if _, v, err := q.prove(t, a, sizes); err == nil {
					t.Errorf("%s, %v: %s is shown by %v, the best reward is %d", q.task.Problem.Name, sizes, name, v, q.reward)
				}
			}
		}
		if _, err := Prove(t.Context(), q.task, none, Options{W: &bytes.Buffer{}, Format: proof.VeriPB20}); !errors.Is(err, ErrFalse) {
			t.Errorf("%s: there is a plan, and its absence is answered by %v", q.task.Problem.Name, err)
		}
	}
}

// TestExcluded proves, by the conflict engine, what is best among the plans that do not begin as the best one does, and
// refuses another reward.
func TestExcluded(t *testing.T) {
	proven := 0
	for _, q := range questions(t) {
		if !q.feasible {
			continue
		}
		h := q.answer.Horizon
		best := engine.Landmark{Trace: q.answer.Trace, Depth: h}
		start, actions := randprob.Spell(q.task.Problem, best.Trace.Steps)
		a := Answer{Horizon: h, Status: engine.Infeasible, Excluded: []engine.Landmark{best}}
		for _, p := range randprob.Plans(q.task.Problem, q.task.Network, h) {
			if !p.Begins(start, actions, h) && (a.Status == engine.Infeasible || p.Reward > a.Reward) {
				a.Status, a.Reward = engine.Optimal, p.Reward
			}
		}
		a.Bound = &a.Reward
		o := Options{W: &bytes.Buffer{}, Format: proof.VeriPB20}
		if _, err := Prove(t.Context(), q.task, a, o); err != nil {
			t.Errorf("%s: %v", q.task.Problem.Name, err)
		}
		a.Status, a.Reward = engine.Optimal, a.Reward+1
		if _, err := Prove(t.Context(), q.task, a, o); !errors.Is(err, ErrFalse) {
			t.Errorf("%s: a reward that is too high is answered by %v", q.task.Problem.Name, err)
		}
		proven++
	}
	if proven < 20 {
		t.Errorf("only %d problems", proven)
	}
}

// TestNoProof wants an error where nothing is known, where plans are excluded from a run that was cut short, and after the end of the context.
func TestNoProof(t *testing.T) {
	q := questions(t)[0]
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	bound := int64(1 << 30)
	for name, c := range map[string]struct {
		ctx context.Context
		a   Answer
	}{
		"nothing is known": {t.Context(), Answer{Horizon: 2}},
		"excluded":         {t.Context(), Answer{Horizon: 2, Status: engine.Feasible, Bound: &bound, Excluded: []engine.Landmark{{}}}},
		"ended":            {ended, q.answer},
	} {
		if _, err := Prove(c.ctx, q.task, c.a, Options{W: &bytes.Buffer{}, Format: proof.VeriPB20}); err == nil || c.ctx.Err() == nil && !errors.Is(err, ErrNoProof) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
