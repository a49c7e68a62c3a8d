package fdplan

import (
	"context"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// Transition is one step that was observed. State and Next name every state
// variable; actions that are not named are 0.
type Transition struct{ State, Action, Next Values }

// LearnOptions are how a network is trained. The zero value trains two hidden
// layers of 128 units for at most 500 epochs, and holds a tenth of the rows out.
type LearnOptions struct {
	Hidden  []int   // units of the hidden layers; 128, 128 when nil
	Epochs  int     // at most; 500 when 0
	Rate    float64 // learning rate at the start; 0.003 when 0
	Seed    uint64
	Threads int // 0 is one for each processor; the network does not depend on it
	// Epoch, when set, is told after each epoch how many of the distinct training
	// rows have a wrong bit.
	Epoch func(epoch, wrong, rows int)
}

// Learned is a network that was learned from transitions.
type Learned struct {
	Problem *Problem // the problem with the network
	Shape   string   // units by layer, such as 7:29:33:5
	Epoch   int      // that the network is from
	Train   Errors
	Test    Errors // on the rows that were held out
	// Stopped is the limit that ended the training; "" when it ended by itself.
	Stopped string

	trained *learn.Trained
}

// Errors count the rows, each as often as it was given, and those whose next state the network has wrong.
type Errors struct{ Rows, Wrong int }

// Write writes the network as a file that a task file can name.
func (l *Learned) Write(w io.Writer) error { return l.trained.Write(w) }

// Learn trains the network of a problem from transitions. The problem has RDDL and
// a task file that lists what is learned; see Source.Model for one without a
// network. When ctx ends, the best network so far is the result.
func (p *Problem) Learn(ctx context.Context, transitions []Transition, o LearnOptions) (*Learned, error) {
	if o.Hidden == nil {
		o.Hidden = []int{128, 128}
	}
	rows := make([]learn.Transition, len(transitions))
	for i, x := range transitions {
		now, err := p.bits(factored.State, x.State, true)
		if err != nil {
			return nil, fmt.Errorf("transition %d: %w", i+1, err)
		}
		action, err := p.bits(factored.Action, x.Action, false)
		if err != nil {
			return nil, fmt.Errorf("transition %d: %w", i+1, err)
		}
		next, err := p.bits(factored.State, x.Next, true)
		if err != nil {
			return nil, fmt.Errorf("transition %d, the state after: %w", i+1, err)
		}
		for b := range now {
			now[b] = now[b] || action[b]
		}
		rows[i] = learn.Transition{Now: now, Next: next}
	}
	t := learn.Training{Config: train.Config{Hidden: o.Hidden, Epochs: o.Epochs, LearningRate: o.Rate, Seed: o.Seed, Threads: o.Threads}, Split: train.SplitRandom}
	if o.Epoch != nil {
		t.Progress = func(e train.Epoch) { o.Epoch(e.Epoch, e.Train.WrongRows, e.Train.Rows) }
	}
	res, err := learn.TrainOn(ctx, p.p, rows, t)
	if err != nil {
		return nil, err
	}
	q, err := learn.With(p.p, res)
	if err != nil {
		return nil, err
	}
	out := &Learned{Problem: &Problem{q}, Shape: res.Network, Epoch: res.Epoch, Train: Errors{res.Train.Rows, res.Train.Wrong}, Stopped: res.Stopped, trained: res}
	if h := res.HeldOut; h != nil {
		out.Test = Errors{h.Rows, h.Wrong}
	}
	return out, nil
}

// Explore draws transitions to learn from by walking through the problem's own
// RDDL, so that rare states are seen too. The same seed gives the same rows.
func (p *Problem) Explore(ctx context.Context, rows int, seed uint64) ([]Transition, error) {
	drawn, err := learn.Explore(ctx, p.p, rows, seed)
	if err != nil {
		return nil, err
	}
	out := make([]Transition, len(drawn))
	for i, x := range drawn {
		out[i] = Transition{State: p.values(factored.State, x.Now, true), Action: p.values(factored.Action, x.Now, false), Next: p.values(factored.State, x.Next, true)}
	}
	return out, nil
}
