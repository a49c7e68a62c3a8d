package support

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Judge tells which steps are supported.
type Judge struct {
	p       *load.Problem
	eval    *bnn.Evaluator
	scratch *bnn.Scratch
	in, out []uint64
	alone   *Judge // of each of several entities; nil for one
}

// NewJudge returns the judge of a problem; nil where nothing is learned or the network's file
// does not tell what it was trained on. A step of several entities is one of each.
func NewJudge(p *load.Problem) *Judge {
	if p.Alone != nil {
		if alone := NewJudge(p.Alone); alone != nil {
			return &Judge{p: p, alone: alone}
		}
		return nil
	}
	if p.Network == nil || p.Support == nil && p.Seen == nil || p.Support == nil && p.Seen.AllLegal() && (p.Truth == nil || p.Truth.Sim.Stochastic()) {
		return nil
	}
	j := &Judge{p: p, eval: bnn.NewEvaluator(p.Network), in: make([]uint64, bnn.Words(len(p.Problem.Inputs))), out: make([]uint64, bnn.Words(len(p.Problem.Outputs)))}
	j.scratch = j.eval.NewScratch()
	return j
}

// Exact reports whether the judge never takes an unsupported step for a seen one for lack of
// room in the network's file.
func (j *Judge) Exact() bool {
	if j.alone != nil {
		return j.alone.Exact()
	}
	return j.p.Support != nil || j.p.Seen.Exact()
}

// ErrUnknown is wrapped where it cannot be told whether a step is supported.
var ErrUnknown = errors.New("it is not known what the training rows support")

// Open lists the learned bits, by their places among the outputs, whose next values in a
// state with an action are not what every function has that the rows support; see Free.
func (j *Judge) Open(now factored.Valuation) ([]int, error) {
	if j.alone != nil {
		var all []int
		for k, part := range j.p.Each(now) {
			open, err := j.alone.Open(part)
			if err != nil {
				return nil, err
			}
			for _, o := range open {
				all = append(all, o+k*len(j.alone.p.Problem.Outputs))
			}
		}
		return all, nil
	}
	now.Pack(j.in, j.p.Problem.Inputs)
	if j.p.Support == nil {
		if seen, err := j.seen(now); seen || err != nil {
			return nil, err
		}
	}
	return j.open(), nil
}

// open lists the outputs of the inputs read last that their support leaves open: all of them
// without one.
func (j *Judge) open() []int {
	if j.p.Support != nil {
		j.eval.Forward(j.out, j.in, j.scratch)
		return j.p.Support.Open(j.in, j.out)
	}
	all := integer.Below[int](len(j.p.Problem.Outputs))
	return all
}

// legal reports whether a state and an action are legal.
func (j *Judge) legal(now factored.Valuation) (bool, error) {
	t := j.p.Truth
	values := t.Compiled.Values(now)
	legal, err := train.IsLegal(t.Sim, pick(values, t.Sim.States()), pick(values, t.Sim.Actions()))
	var evaluation *source.Error
	if errors.As(err, &evaluation) { // what the RDDL cannot evaluate is not known to be legal
		return false, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return legal, err
}

// pick returns the values of some fluents.
func pick(values []float64, fluents []int) []float64 {
	out := make([]float64, len(fluents))
	for i, f := range fluents {
		out[i] = values[f]
	}
	return out
}

// Variables names the variables of outputs, each once.
func Variables(p *factored.Problem, outputs []int) []string {
	var names []string
	for _, o := range outputs {
		v, _ := p.Owner(p.Outputs[o])
		if !slices.Contains(names, v.Name) {
			names = append(names, v.Name)
		}
	}
	return names
}

// Listed joins names, of many the first few.
func Listed(names []string) string {
	const most = 10
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "…")
	}
	return strings.Join(names, ", ")
}
