package validate

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// Walk takes single steps of a problem with chance and without a network, from the definition of the problem. States
// have numbers from 0 in the order in which they were seen. It belongs to one goroutine.
type Walk struct {
	e       *graph
	choices []*factored.Draw // of Draw
	reads   []factored.Bit   // next values that the rules of a step read
}

// Arrival is what a step can lead to.
type Arrival struct {
	State        int
	P            float64 // the probability
	Reward       int64   // of the step, in the scale of the problem
	Disturbances int     // draws that do not have their most likely outcome
	Sure         float64 // of Draw: the share of P that the ranges of the draws leave at least
}

// NewWalk returns a walk through the states of a problem.
func NewWalk(p *factored.Problem, chance Chance) *Walk {
	e := &graph{}
	e.prepare(p, nil, chance)
	return walkOf(e)
}

func walkOf(e *graph) *Walk {
	w := &Walk{e: e}
	for _, g := range e.check.step {
		for _, t := range g.Terms {
			if t.Lit.Next {
				w.reads = append(w.reads, t.Lit.Bit)
			}
		}
	}
	return w
}

// States is the number of states that were seen.
func (w *Walk) States() int { return len(w.e.nodes) }

// Number returns the number of a state.
func (w *Walk) Number(state factored.Valuation) (int, error) { return w.e.node(state) }

// State returns a state by its number; nil for what stands for those with a value that a variable does not have.
func (w *Walk) State(i int) factored.Valuation { return w.e.nodes[i].state }

// Goal reports whether the goal holds in a state.
func (w *Walk) Goal(i int) bool { return w.e.nodes[i].goal }

// Over reports whether a run cannot go on from a state: it ends there, or breaks a rule.
func (w *Walk) Over(i int) bool { return w.e.nodes[i].ends || w.e.nodes[i].broken != nil }

// Step lists what an action in a state can lead to; nil if it is not legal. The error wraps ErrManyStates if that is too many.
func (w *Walk) Step(i int, action factored.Valuation) ([]Arrival, error) {
	b, failure, err := w.e.branch(1, w.e.nodes[i], action)
	if err != nil || failure != nil {
		return nil, err
	}
	if b.pruned {
		return nil, fmt.Errorf("%w: not all outcomes are listed", ErrManyStates)
	}
	return b.arrivals(), nil
}

func (b *branch) arrivals() []Arrival {
	out := make([]Arrival, len(b.next))
	for k, j := range b.next {
		out[k] = Arrival{State: j, P: b.p[k], Reward: b.reward[k], Disturbances: b.events[k]}
	}
	return out
}

// Draw draws what an action in a state leads to; nil if it is not legal. The joint outcomes are not listed, so that
// there may be any number. The error wraps ErrManyStates if a rule of the step depends on what is drawn, as then all
// of them would have to be looked at.
func (w *Walk) Draw(i int, action factored.Valuation, rng *rand.Rand) (*Arrival, error) {
	e := w.e
	now := slices.Clone(e.nodes[i].state)
	for _, b := range e.actions {
		now[b] = action[b]
	}
	draws, err := e.chance.Draws(now)
	if err != nil {
		return nil, err
	}
	w.choices = w.choices[:0]
	p, sure, open := 1.0, 1.0, make([]bool, e.p.NumBits())
	for _, d := range draws {
		k := draw(d, rng)
		f, _ := d.Probability[k].Float64()
		p *= f
		if d.Range != nil {
			sure *= min(1, d.Range.Low[k]/f)
		}
		w.choices = append(w.choices, &factored.Draw{
			Variables: d.Variables, Values: d.Values[k : k+1], Probability: []*big.Rat{big.NewRat(1, 1)}, Disturbances: d.Disturbances[k : k+1],
		})
		for _, i := range d.Variables {
			v := &e.p.Variables[i]
			for b := range v.Width {
				open[v.First+factored.Bit(b)] = len(d.Values) > 1
			}
		}
	}
	for _, b := range w.reads {
		if open[b] {
			return nil, fmt.Errorf("%w: a rule reads what is drawn", ErrManyStates)
		}
	}
	b, failure, err := e.outcomes(1, now, w.choices)
	if err != nil || failure != nil {
		return nil, err
	}
	a := b.arrivals()[0]
	a.P, a.Sure = p, sure
	return &a, nil
}

// draw chooses an outcome of d.
func draw(d *factored.Draw, rng *rand.Rand) int {
	x := rng.Float64()
	for k, p := range d.Probability {
		f, _ := p.Float64()
		if x -= f; x < 0 {
			return k
		}
	}
	return len(d.Probability) - 1
}
