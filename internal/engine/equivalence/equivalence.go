// Package equivalence proves that a learned network gives the same next states
// as a problem whose transition is known, in every legal state with every legal
// action, however many these are.
//
// For each output bit it asks the conflict-driven engine for one step after
// which the known bit and that of the network differ: no plan means that they
// are equal, and has a proof; a plan is a counterexample. The question holds the
// part of the network that the output depends on, and no more.
package equivalence

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// ErrStopped is wrapped where the context ended before an answer.
var ErrStopped = errors.New("stopped before an answer")

// Answer is what was found about an output bit.
type Answer struct {
	Equal bool
	// Now has the state and the action of a counterexample, and Known and Learned
	// the values of the bit after it.
	Now            factored.Valuation
	Known, Learned bool
	// OPB and Proof are the certificate of equality, where it was asked for: the
	// question as a pseudo-Boolean problem and the VeriPB proof that it has no
	// solution, which the project's checker has accepted.
	OPB, Proof []byte
}

// Output decides whether output i of the network, one of outputs, always equals
// the bit of that number in known, whose transition is known. The steps are those
// that known allows: where its constraints also restrict the state after a step,
// nothing is said of steps that break them. The network reads inputs. With certify the answer of equality comes with a checked proof.
func Output(ctx context.Context, known *factored.Problem, net *bnn.Network, inputs, outputs []factored.Bit, i int, certify bool) (*Answer, error) {
	task, learned, err := question(known, net, inputs, outputs, i)
	if err != nil {
		return nil, err
	}
	x, err := ask(ctx, task, certify)
	if err != nil {
		return nil, fmt.Errorf("comparing %s: %w", known.BitName(outputs[i]), err)
	}
	if x.trace != nil {
		return &Answer{Now: x.trace.Steps[0], Known: x.trace.Steps[1][outputs[i]], Learned: x.trace.Steps[1][learned]}, nil
	}
	return &Answer{Equal: true, OPB: x.opb, Proof: x.proof}, nil
}

// found is a step, or that there is none, with a certificate if that was asked for.
type found struct {
	trace      *factored.Trace
	opb, proof []byte
}

// ask asks whether a task has a plan of one step.
func ask(ctx context.Context, task engine.Task, certify bool) (x found, err error) {
	var text bytes.Buffer
	e := conflict.PB{}
	if certify {
		e.Proof = &conflict.Proof{W: &text, Format: proof.VeriPB20}
	}
	res, err := e.Solve(ctx, engine.Query{Task: task, MinHorizon: 1, MaxHorizon: 1}, engine.Limits{Threads: 1}, nil)
	switch {
	case err != nil:
		return x, err
	case res.Trace != nil:
		return found{trace: res.Trace}, nil
	case res.Status != engine.Infeasible:
		return x, fmt.Errorf("%w: %s", ErrStopped, res.Reason)
	case certify:
		x.proof = text.Bytes()
		if x.opb, err = certificate(ctx, task, x.proof); err != nil {
			return x, fmt.Errorf("the proof: %w", err)
		}
	}
	return x, nil
}

// certificate writes the question down and has the checker read the proof.
func certificate(ctx context.Context, task engine.Task, text []byte) ([]byte, error) {
	m, err := model.New(task.Problem, task.Network, 1, model.Options{Propagate: true})
	if err != nil {
		return nil, err
	}
	var opb bytes.Buffer
	if _, err := format.Write(ctx, &opb, m, format.Options{Kind: format.OPB}); err != nil {
		return nil, err
	}
	v, err := veripb.Check(bytes.NewReader(opb.Bytes()), bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("the checker refuses it: %w", err)
	}
	if v.Kind != veripb.Unsat {
		return nil, fmt.Errorf("the checker reads %v in it, expected that there is no solution", v.Kind)
	}
	return opb.Bytes(), nil
}

// question is a problem of one step whose goal is that the bit differs; learned
// is the bit that the network gives.
func question(known *factored.Problem, net *bnn.Network, inputs, outputs []factored.Bit, i int) (t engine.Task, learned factored.Bit, err error) {
	p := known.Clone()
	id, err := p.AddVariable(factored.Variable{Name: "learned " + known.BitName(outputs[i]), Kind: factored.State, Bool: true})
	if err != nil {
		return t, 0, err
	}
	learned = p.Variables[id].First
	part, used := cone(net, i)
	p.Initial, p.Inputs, p.Outputs = nil, nil, []factored.Bit{learned}
	for _, k := range used {
		p.Inputs = append(p.Inputs, inputs[k])
	}
	p.Reward = factored.Reward{Scale: 1}
	p.Goal = []factored.Constraint{{
		Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: outputs[i]}}, {Coef: 1, Lit: factored.Lit{Bit: learned}}},
		Op:    factored.EQ, K: 1, Origin: "the bits differ",
	}}
	p.Horizon = 1
	return engine.Task{Problem: p, Network: part}, learned, p.Check()
}

// cone is the part of a network that output i depends on, and the inputs that it
// reads.
func cone(net *bnn.Network, i int) (part *bnn.Network, inputs []int) {
	units := []int{i}
	layers := make([]bnn.Layer, len(net.Layers))
	for k := len(net.Layers) - 1; k >= 0; k-- {
		l := &net.Layers[k]
		read := make([]bool, l.Inputs)
		for _, u := range units {
			for x, w := range l.Row(u) {
				read[x] = read[x] || w != 0
			}
		}
		var from []int
		for x, ok := range read {
			if ok {
				from = append(from, x)
			}
		}
		if len(from) == 0 {
			from = []int{0} // a layer reads something
		}
		layers[k].Inputs = len(from)
		for _, u := range units {
			row := l.Row(u)
			for _, x := range from {
				layers[k].Weights = append(layers[k].Weights, row[x])
			}
			layers[k].Thresholds = append(layers[k].Thresholds, l.Thresholds[u])
		}
		units = from
	}
	return &bnn.Network{Layers: layers}, units
}
