package incremental

import (
	"fmt"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Seen is an observed transition as far as the network predicts it: the network's inputs, and
// its outputs as observed, as text of 0 and 1 in order.
type Seen struct {
	Inputs, Outputs string
}

// seenOf extracts from a step the network's inputs and outputs.
func seenOf(p *factored.Problem, now, next factored.Valuation) Seen {
	return Seen{Inputs: bitText(p.Inputs, now), Outputs: bitText(p.Outputs, next)}
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
	inputs, outputs int
	eval            *bnn.Evaluator
	scratch         *bnn.Scratch
	outcome         map[string]string
	order           []string // inputs that the network has wrong
	wrong           int
}

func newRows(p *factored.Problem, net *bnn.Network) *rows {
	e := bnn.NewEvaluator(net)
	return &rows{inputs: len(p.Inputs), outputs: len(p.Outputs), eval: e, scratch: e.NewScratch(), outcome: map[string]string{}}
}

// add adds a transition. fresh reports that its inputs are new, agrees that they do not
// already have another outcome.
func (r *rows) add(s Seen) (fresh, agrees bool) {
	if known, ok := r.outcome[s.Inputs]; ok {
		return false, known == s.Outputs
	}
	r.outcome[s.Inputs] = s.Outputs
	if r.predict(s.Inputs) != s.Outputs {
		r.order = append(r.order, s.Inputs)
		r.wrong++
	}
	return true, true
}

// predict returns the output of the uncorrected network.
func (r *rows) predict(inputs string) string {
	in, out := make([]uint64, bnn.Words(r.inputs)), make([]uint64, bnn.Words(r.outputs))
	for i, x := range bitsOf(inputs) {
		if x {
			in[i/64] |= 1 << (i % 64)
		}
	}
	r.eval.Forward(out, in, r.scratch)
	text := make([]byte, r.outputs)
	for i := range text {
		text[i] = "01"[out[i/64]>>(i%64)&1]
	}
	return string(text)
}

// Corrected returns the network corrected to the transitions that were seen, as Solve does it with
// Transition, and how many of them the network had wrong. The error is that of bnn.Correct.
func (s *State) Corrected(p *factored.Problem, net *bnn.Network) (*bnn.Network, int, error) {
	r := newRows(p, net)
	for _, x := range s.Seen {
		r.add(x)
	}
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
