package incremental

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// steps calls f with each observed step of a failure, from state and action to the next state.
func (x *Failure) steps(p *factored.Problem, f func(now, next factored.Valuation)) {
	states, actions := p.Bits(factored.State), p.Bits(factored.Action)
	for t := 1; t < len(x.Observed) && t <= x.Depth; t++ {
		now, next := make(factored.Valuation, p.NumBits()), make(factored.Valuation, p.NumBits())
		if !setBits(now, states, x.Observed[t-1]) || !setBits(next, states, x.Observed[t]) {
			continue // values out of range
		}
		for _, b := range actions {
			now[b] = x.Trace.Steps[t-1][b]
		}
		f(now, next)
	}
}

// bitText writes bits as 0 and 1.
func bitText(bits []factored.Bit, val factored.Valuation) string {
	text := make([]byte, len(bits))
	for i, b := range bits {
		text[i] = '0'
		if val[b] {
			text[i] = '1'
		}
	}
	return string(text)
}

// rows are the observed transitions, in the order of observation. The first outcome of the inputs counts: if another one
// follows, the truth is not a function of the inputs.
type rows struct {
	p       *factored.Problem
	outcome map[string][]bool
	all     []bnn.Correction
}

func newRows(p *factored.Problem) *rows { return &rows{p: p, outcome: map[string][]bool{}} }

// add adds the inputs of a transition with its outputs, and reports that they do not already have others.
func (r *rows) add(now, next factored.Valuation) (agrees bool) {
	pick := func(val factored.Valuation, bits []factored.Bit) (out []bool) {
		for _, b := range bits {
			out = append(out, val[b])
		}
		return out
	}
	key, outputs := now.Key(r.p.Inputs), pick(next, r.p.Outputs)
	if known, ok := r.outcome[key]; ok {
		return slices.Equal(known, outputs)
	}
	r.outcome[key], r.all = outputs, append(r.all, bnn.Correction{Inputs: pick(now, r.p.Inputs), Outputs: outputs})
	return true
}

// learn adds what was observed of all failures.
func (r *rows) learn(s *State) {
	for i := range s.Failures {
		s.Failures[i].steps(r.p, func(now, next factored.Valuation) { r.add(now, next) })
	}
}

// Corrected returns the network corrected to the transitions that were seen, as Solve does it with
// Transition, and how many of them the network had wrong. The error is that of bnn.Correct.
func (s *State) Corrected(p *factored.Problem, net *bnn.Network) (*bnn.Network, int, error) {
	r := newRows(p)
	r.learn(s)
	return r.correct(net)
}

// correct returns a network corrected to the rows, and how many it has wrong: each has a unit in the first layer.
func (r *rows) correct(net *bnn.Network) (*bnn.Network, int, error) {
	out, err := bnn.Correct(net, r.all)
	if err != nil {
		return nil, 0, fmt.Errorf("correcting the network: %w", err)
	}
	return out, len(out.Layers[0].Thresholds) - len(net.Layers[0].Thresholds), nil
}
