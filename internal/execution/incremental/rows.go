package incremental

import (
	"fmt"

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

// bitsOf reads what bitText writes.
func bitsOf(text string) []bool {
	out := make([]bool, len(text))
	for i := range out {
		out[i] = text[i] == '1'
	}
	return out
}

// rows are the observed transitions, by inputs. The first outcome counts: if another one
// follows, the truth is not a function of the inputs.
type rows struct {
	p       *factored.Problem
	eval    *bnn.Evaluator
	scratch *bnn.Scratch
	outcome map[string]string
	order   []string // inputs that the network has wrong
	wrong   int
}

func newRows(p *factored.Problem, net *bnn.Network) *rows {
	e := bnn.NewEvaluator(net)
	return &rows{p: p, eval: e, scratch: e.NewScratch(), outcome: map[string]string{}}
}

// add adds the inputs of a transition with its outputs, and reports that they do not already have others.
func (r *rows) add(now, next factored.Valuation) (agrees bool) {
	inputs, outputs := bitText(r.p.Inputs, now), bitText(r.p.Outputs, next)
	if known, ok := r.outcome[inputs]; ok {
		return known == outputs
	}
	r.outcome[inputs] = outputs
	if r.predict(inputs) != outputs {
		r.order = append(r.order, inputs)
		r.wrong++
	}
	return true
}

// predict returns the output of the uncorrected network.
func (r *rows) predict(inputs string) string {
	in, out := make([]uint64, bnn.Words(len(r.p.Inputs))), make([]uint64, bnn.Words(len(r.p.Outputs)))
	for i, x := range bitsOf(inputs) {
		if x {
			in[i/64] |= 1 << (i % 64)
		}
	}
	r.eval.Forward(out, in, r.scratch)
	text := make([]byte, len(r.p.Outputs))
	for i := range text {
		text[i] = "01"[out[i/64]>>(i%64)&1]
	}
	return string(text)
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
	r := newRows(p, net)
	r.learn(s)
	out, err := r.correct(net)
	return out, r.wrong, err
}

// correct returns a network corrected to the rows.
func (r *rows) correct(net *bnn.Network) (*bnn.Network, error) {
	out, err := bnn.Correct(net, r.corrections())
	if err != nil {
		return nil, fmt.Errorf("correcting the network: %w", err)
	}
	return out, nil
}

// corrections returns the transitions that the network has wrong, in the order of
// observation.
func (r *rows) corrections() []bnn.Correction {
	var out []bnn.Correction
	for _, in := range r.order {
		out = append(out, bnn.Correction{Inputs: bitsOf(in), Outputs: bitsOf(r.outcome[in])})
	}
	return out
}
