package divide

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/problem/factored"
)

// ErrEngine is wrapped by the error for an engine that does not solve cubes, or writes no
// proofs of them.
var ErrEngine = errors.New("engine not for cubes")

// errBudget is why a unit stops whose budget of work is used up.
var errBudget = errors.New("the budget of work was used up")

// job is a unit that is being done.
type job struct {
	task  engine.Task
	unit  Unit
	cube  []model.Given
	board Board

	shared *engine.Exchange
	known  *int64 // the reward of the best plan that board and shared both have
	work   int64
	stop   context.CancelCauseFunc
}

// Run does a unit: it is what a worker calls. The error is about a unit that makes no sense,
// or is an engine's; that a limit was reached is said in the outcome.
func Run(ctx context.Context, t engine.Task, u Unit, board Board) (*Outcome, error) {
	cube, err := given(t.Problem, u.Cube)
	if err != nil {
		return nil, err
	}
	j := &job{task: t, unit: u, cube: cube, board: board, shared: &engine.Exchange{}}
	ctx, j.stop = context.WithCancelCause(ctx)
	defer j.stop(nil)
	j.exchange(nil, nil)
	switch {
	case u.Engine == (conflict.PB{}).Name():
		return j.conflict(ctx)
	case u.Engine == (search.Engine{}).Name() && !u.Proof:
		return j.search(ctx)
	case u.Engine == (search.Engine{}).Name():
		return nil, fmt.Errorf("%w: %s writes no proofs of cubes", ErrEngine, u.Engine)
	}
	return nil, fmt.Errorf("%w: %q", ErrEngine, u.Engine)
}

// Engines names the engines that solve cubes. The first writes proofs.
func Engines() []string { return []string{conflict.PB{}.Name(), search.Engine{}.Name()} }

// exchange publishes a plan, if there is one, and takes a better one from the board, unless
// the checker refuses that.
func (j *job) exchange(t *factored.Trace, reward *int64) {
	if t != nil && reward != nil && (j.known == nil || *reward > *j.known) {
		r := *reward
		j.known = &r
		j.board.Publish(*bestOf(t, r))
	}
	b := j.board.Best()
	if b == nil || j.known != nil && b.Reward <= *j.known {
		return
	}
	tr, counted, err := b.checked(j.task, j.unit.Horizon)
	if err != nil {
		j.board.Refuse(b, err)
		return
	}
	j.known = &counted
	j.shared.Offer(tr, counted)
}

// report is called by the engine while it works.
func (j *job) report(p engine.Progress) {
	j.work = p.Work
	j.exchange(p.Trace, p.Reward)
	if j.unit.Work > 0 && p.Work >= j.unit.Work {
		j.stop(errBudget)
	}
}

// query asks about the horizon of the unit alone.
func (j *job) query(t engine.Task) engine.Query {
	return engine.Query{Task: t, MinHorizon: j.unit.Horizon, MaxHorizon: j.unit.Horizon}
}

func (j *job) limits() engine.Limits {
	return engine.Limits{Threads: 1, Memory: j.unit.Memory, Shared: j.shared}
}

// conflict has the conflict engine do the unit.
func (j *job) conflict(ctx context.Context) (*Outcome, error) {
	e := conflict.PB{Within: j.cube}
	var text bytes.Buffer
	var z *gzip.Writer
	var done atomic.Bool
	if j.unit.Proof {
		file, err := model.New(j.task.Problem, j.task.Network, j.unit.Horizon, model.Options{Propagate: !j.unit.Literal, Context: ctx})
		if err != nil {
			return nil, err
		}
		if z, err = gzip.NewWriterLevel(&text, gzip.BestSpeed); err != nil {
			return nil, fmt.Errorf("holding a proof: %w", err)
		}
		e.Proof = &conflict.Proof{W: z, Format: proof.VeriPB20, File: file, Part: true, Done: &done}
	}
	res, err := e.Solve(ctx, j.query(j.task), j.limits(), j.report)
	if err != nil {
		return nil, err
	}
	o := j.outcome(res)
	if z != nil && done.Load() {
		if err := z.Close(); err != nil {
			return nil, fmt.Errorf("holding a proof: %w", err)
		}
		o.Proof = text.Bytes()
	}
	return o, nil
}

// outcome is a result as plain data.
func (j *job) outcome(res *engine.Result) *Outcome {
	o := &Outcome{ID: j.unit.ID, Infeasible: res.Status == engine.Infeasible, Bound: res.Bound, Reason: res.Reason, Work: j.work}
	if res.Trace != nil {
		o.Best = bestOf(res.Trace, res.Reward)
	}
	return o
}

// search has the forward search do the unit: the cube becomes constraints of the problem,
// each with the clock of its step as its condition.
func (j *job) search(ctx context.Context) (*Outcome, error) {
	bits := j.task.Problem.NumBits()
	p := j.task.Problem.Clone()
	clock := map[factored.Bit]int{} // the steps of clocks
	for _, g := range j.cube {
		v, err := p.AddClock(g.Step)
		if err != nil {
			return nil, err
		}
		at := factored.Lit{Bit: v.First, Neg: true}
		p.Global = append(p.Global, factored.Constraint{
			Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: g.Bit, Neg: !g.Value}}, {Coef: 1, Lit: at}},
			Op:    factored.GE, K: 1, Origin: "cube",
		})
	}
	for i := range p.Variables {
		if v := &p.Variables[i]; int(v.First) >= bits {
			clock[v.First] = v.Clock
		}
	}
	t := engine.Task{Problem: p, Network: j.task.Network}
	l := j.limits()
	if known, reward := j.shared.Best(); known != nil {
		l.Shared = &engine.Exchange{}
		l.Shared.Offer(withClocks(known, clock), reward)
	} else {
		l.Shared = nil
	}
	res, err := search.Engine{}.Solve(ctx, j.query(t), l, func(p engine.Progress) {
		if p.Trace != nil {
			p.Trace = withoutClocks(p.Trace, bits)
		}
		j.report(p)
	})
	if err != nil {
		return nil, err
	}
	if res.Trace != nil {
		res.Trace = withoutClocks(res.Trace, bits)
	}
	return j.outcome(res), nil
}

// withClocks adds the values of clocks, bit -> step, to a trace.
func withClocks(t *factored.Trace, clock map[factored.Bit]int) *factored.Trace {
	out := &factored.Trace{}
	for i, step := range t.Steps {
		v := append(step[:len(step):len(step)], make(factored.Valuation, len(clock))...)
		for b, at := range clock {
			v[b] = at == i+1
		}
		out.Steps = append(out.Steps, v)
	}
	return out
}

// withoutClocks leaves out all but the first bits of each step.
func withoutClocks(t *factored.Trace, bits int) *factored.Trace {
	out := &factored.Trace{}
	for _, step := range t.Steps {
		out.Steps = append(out.Steps, step[:bits:bits])
	}
	return out
}
