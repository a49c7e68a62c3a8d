// Package prove implements `fdplan test --prove`: a network is proven equal to
// the RDDL, output bit by output bit, or shown to differ.
package prove

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine/equivalence"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/routine"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Result is the outcome of `fdplan test --prove`.
type Result struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	Network string `json:"network"`
	Equal   bool   `json:"equal"`   // all outputs, in every legal state with every legal action
	Outputs int    `json:"outputs"` // bits
	// Differing names the output bits that differ somewhere.
	Differing []string `json:"differing"`
	// Counterexample is about the first of them, null if there is none.
	Counterexample *Counterexample `json:"counterexample"`
	// Experiments are steps after which outputs differ and that the training rows do not settle, each with one such output: a row of each would show the value.
	// Absent where there are none, or where it is not recorded what the rows settle.
	Experiments []Counterexample `json:"experiments,omitempty"`
	Certified   bool             `json:"certified"` // each equality has a proof that the checker accepted

	shown   []string // the outputs in Differing, as conditions on their fluents
	answers []*equivalence.Answer
}

// Counterexample is a legal state and action after which network and RDDL
// differ.
type Counterexample struct {
	Output  string     `json:"output"`
	State   app.Values `json:"state"`
	Action  app.Values `json:"action"`
	RDDL    bool       `json:"rddl"`    // the bit by the RDDL
	Network bool       `json:"network"` // and by the network
}

// Options say how to prove.
type Options struct {
	Threads  int                  // 0 for one a core
	Certify  bool                 // write proofs and have the checker read them
	Progress func(done, outs int) // called from one goroutine at a time; nil for none
}

// Network decides whether the network in a file gives the same next states as the
// RDDL of the problem that r names, for each output bit and every legal state and
// action. Counterexamples are confirmed by the simulator and by the network's own
// evaluation.
func Network(ctx context.Context, r load.Ref, network string, text []byte, o Options) (*Result, error) {
	r.Untrained, r.IgnoreDiscount = true, true
	learned, err := load.Load(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := learned.Learns(); err != nil {
		return nil, err
	}
	f, err := bnn.ReadFile(network, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if err := load.Fits(network, f, learned.Problem); err != nil {
		return nil, err
	}
	r.Model, r.FreeSuccessors = load.RDDL, true
	known, err := load.Load(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("the RDDL to compare with: %w", err)
	}
	l := learned.Problem
	inputs, outputs, err := sameBits(l, known.Problem)
	if err != nil {
		return nil, err
	}
	answers, err := proveAll(ctx, len(outputs), o, func(i int) (*equivalence.Answer, error) {
		return equivalence.Output(ctx, known.Problem, f.Network, inputs, outputs, i, o.Certify)
	})
	if err != nil {
		return nil, err
	}
	trained, err := load.ReadTrained(network, f)
	if err != nil {
		return nil, err
	}
	out := &Result{Schema: app.Schema, Problem: l.Name, Network: f.Network.Shape(), Equal: true, Outputs: len(outputs), Differing: []string{}, Certified: o.Certify, answers: answers}
	steps := &replay{learned, f.Network, learned.Truth.Sim.NewRunner(nil), bnn.NewEvaluator(f.Network)}
	for i, a := range answers {
		if a.Equal {
			continue
		}
		if err := steps.confirm(i, a); err != nil {
			return nil, fmt.Errorf("%w: a counterexample for %s: %w", app.ErrInternal, l.BitName(l.Outputs[i]), err)
		}
		steps.shrink(i, a)
		name := l.BitName(l.Outputs[i])
		c := counterexample(known.Problem, name, a)
		if out.Equal {
			out.Counterexample = &c
		}
		if s, row := trained.Support, packed(l, a.Now); s != nil && !(s.Known(row) && s.Settles(i, row, a.Learned)) {
			out.Experiments = append(out.Experiments, c)
		}
		out.Equal, out.Differing = false, append(out.Differing, name)
		out.shown = append(out.shown, l.Condition(factored.Lit{Bit: l.Outputs[i]}))
	}
	return out, nil
}

func counterexample(p *factored.Problem, output string, a *equivalence.Answer) Counterexample {
	return Counterexample{
		Output: output, RDDL: a.Known, Network: a.Learned,
		State:  app.ValuesOf(p, factored.State, a.Now, true),
		Action: app.ValuesOf(p, factored.Action, a.Now, true),
	}
}

// sameBits finds the network's bits in the problem that is known.
func sameBits(learned, known *factored.Problem) (inputs, outputs []factored.Bit, err error) {
	find := func(bits []factored.Bit) ([]factored.Bit, error) {
		var found []factored.Bit
		for _, b := range bits {
			v, i := learned.Owner(b)
			w, ok := known.Lookup(v.Name)
			if !ok || w.Width != v.Width || w.Lo != v.Lo || w.Hi != v.Hi {
				return nil, fmt.Errorf("%w: %s is not the same in the RDDL", app.ErrInternal, v.Name)
			}
			found = append(found, w.First+factored.Bit(i))
		}
		return found, nil
	}
	if inputs, err = find(learned.Inputs); err != nil {
		return nil, nil, err
	}
	outputs, err = find(learned.Outputs)
	return inputs, outputs, err
}

// proveAll asks about each output, on several threads.
func proveAll(ctx context.Context, n int, o Options, ask func(i int) (*equivalence.Answer, error)) ([]*equivalence.Answer, error) {
	answers, errs := make([]*equivalence.Answer, n), make([]error, n)
	var mu sync.Mutex
	done := 0
	err := routine.Each(ctx, app.Threads(o.Threads), n, func(i int) {
		answers[i], errs[i] = ask(i)
		mu.Lock()
		defer mu.Unlock()
		if done++; o.Progress != nil {
			o.Progress(done, n)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("%d of %d outputs compared: %w", done, n, context.Cause(ctx))
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return nil, errs[i]
	}
	return answers, nil
}

// replay takes steps by the simulator and by a network.
type replay struct {
	*load.Problem
	net    *bnn.Network
	runner *sim.Runner
	eval   *bnn.Evaluator
}

// step is an output bit after a step, by the simulator and by the network; it is not known of a step that is not legal.
func (r *replay) step(now factored.Valuation, i int) (truth, got, legal bool, err error) {
	c, p := r.Truth.Compiled, r.Problem.Problem
	values := c.Values(now)
	var state, action []float64
	for _, f := range r.Truth.Sim.States() {
		state = append(state, values[f])
	}
	for _, f := range r.Truth.Sim.Actions() {
		action = append(action, values[f])
	}
	next, legal, err := train.Step(r.runner, state, action)
	if err != nil || !legal {
		return false, false, false, err
	}
	after := make(factored.Valuation, p.NumBits())
	for k, f := range r.Truth.Sim.States() {
		if err := c.Variable(f).Set(after, int64(next[k])); err != nil {
			return false, false, false, err
		}
	}
	out := make([]uint64, bnn.Words(r.net.Outputs()))
	r.eval.Forward(out, packed(p, now), r.eval.NewScratch())
	return after[p.Outputs[i]], out[i/64]>>(i%64)&1 == 1, true, nil
}

// confirm replays a counterexample: the step is legal, the simulator gives one value and the network the other.
func (r *replay) confirm(i int, a *equivalence.Answer) error {
	truth, got, legal, err := r.step(a.Now, i)
	switch {
	case err != nil:
		return err
	case !legal:
		return fmt.Errorf("the simulator refuses the step")
	case truth != a.Known || got != a.Learned || truth == got:
		return fmt.Errorf("the simulator gives %v and the network %v, expected %v and %v", truth, got, a.Known, a.Learned)
	}
	return nil
}

// shrink leaves out of a counterexample what is true of the state and makes no difference.
func (r *replay) shrink(i int, a *equivalence.Answer) {
	for _, b := range r.Problem.Problem.Bits(factored.State) {
		if !a.Now[b] {
			continue
		}
		a.Now[b] = false
		truth, got, legal, err := r.step(a.Now, i)
		a.Now[b] = err != nil || !legal || truth != a.Known || got != a.Learned
	}
}

// packed is a state and action as the network's inputs.
func packed(p *factored.Problem, now factored.Valuation) []uint64 {
	row := make([]uint64, bnn.Words(len(p.Inputs)))
	now.Pack(row, p.Inputs)
	return row
}

// Certificates calls write with each file of the proofs: output N's question
// N.opb and its proof N.pbp, numbered from 1.
func (p *Result) Certificates(write func(name string, text []byte) error) error {
	for i, a := range p.answers {
		if a.OPB == nil {
			continue
		}
		if err := write(fmt.Sprintf("%d.opb", i+1), a.OPB); err != nil {
			return err
		}
		if err := write(fmt.Sprintf("%d.pbp", i+1), a.Proof); err != nil {
			return err
		}
	}
	return nil
}

// WriteText writes the outcome for people.
func (p *Result) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", p.Problem, p.Network)
	if p.Equal {
		fmt.Fprintf(&b, "Proven: all %d output bits equal the RDDL's in every legal state with every legal action.\n", p.Outputs)
		if p.Certified {
			fmt.Fprintf(&b, "%s accepted by the checker.\n", counted.Of(p.Outputs, "proof"))
		}
	} else {
		c := p.Counterexample
		fmt.Fprintf(&b, "%d of %d output bits differ from the RDDL's: %s\n", len(p.Differing), p.Outputs, strings.Join(p.shown, ", "))
		fmt.Fprintf(&b, "%s is %v by the RDDL and %v by the network\n", p.shown[0], c.RDDL, c.Network)
		fmt.Fprintf(&b, "  in the state %s\n  after the action %s\n", brief(c.State), brief(c.Action))
		p.writeExperiments(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeExperiments writes the steps that would show what the rows do not.
func (p *Result) writeExperiments(b *strings.Builder) {
	if len(p.Experiments) == 0 {
		return
	}
	const most = 5
	fmt.Fprintf(b, "The training rows do not show what follows there; %s would:\n", counted.Of(len(p.Experiments), "step"))
	for i, x := range p.Experiments {
		if i == most {
			fmt.Fprintf(b, "  and %d more\n", len(p.Experiments)-most)
			break
		}
		fmt.Fprintf(b, "  %s: from %s, %s\n", x.Output, brief(x.State), brief(x.Action))
	}
}

// brief lists the variables that are not false or 0.
func brief(values app.Values) string {
	return slices.DeleteFunc(slices.Clone(values), func(e app.Entry) bool { return e.Value == false || e.Value == int64(0) }).Text()
}
