package search

import (
	"context"
	"math"

	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// successors are those of one state as a worker found them, in lexicographic
// order of action and successor.
type successors struct {
	actions []uint64 // packed, one after another
	states  []uint64
	rewards []int64
	passes  int64 // forward passes it took
	effort  int64 // of code beside them, in joint actions tried
	tooWide bool  // it was given up: it alone reaches the memory bound, or is not needed any more
}

func (f *successors) reset() {
	f.actions, f.states, f.rewards = f.actions[:0], f.states[:0], f.rewards[:0]
	f.passes, f.effort, f.tooWide = 0, 0, false
}

// worker expands states; each goroutine has its own.
type worker struct {
	s          *relation
	st, fin    *propagate.State
	scratch    *bnn.Scratch
	joint      []uint64 // joint actions of the state at hand
	in, out    []uint64 // packed inputs and outputs of the forward passes
	next       []uint64 // one packed successor
	key        []uint64 // one packed action
	outToState []int32  // place in a packed state of each network output
	inPlace    []int32  // place of each network input in its state or action
	inAction   []bool
	now        values
	most       int         // words of the successors of one state that memory allows
	finalAux   []model.Lit // all auxiliary bits
	ctx        context.Context
	tick       func(tried int64) bool // graph.tick, while a state is expanded alone
	tried      int64
	atMost     int64 // joint actions of a state that are tried; 0 for all

	compiled *compiledStep // nil before the step is compiled, and where it cannot be
	slots    []uint64
	turned   [64]uint64
	one      [1][]uint64
	found    [1]successors
	rows     []uint64 // the packed next state of each lane
}

func (s *relation) newWorker(ctx context.Context, memory int64) *worker {
	w := &worker{s: s, ctx: ctx, st: s.between.NewState(), fin: s.final.NewState(), next: make([]uint64, s.StateWords()), key: make([]uint64, s.ActionWords()), most: math.MaxInt}
	if memory > 0 {
		w.most = int(memory / 64) // action, successor and reward, in every worker
	}
	w.st.SetInterrupt(func() bool { return ctx.Err() != nil })
	w.fin.SetInterrupt(func() bool { return ctx.Err() != nil })
	w.finalAux = append(append(w.finalAux, s.Paid...), s.Aux...)
	if s.eval != nil {
		w.scratch = s.eval.NewScratch()
	}
	for _, b := range s.p.Outputs {
		w.outToState = append(w.outToState, s.Place[b])
	}
	for _, b := range s.p.Inputs {
		w.inPlace = append(w.inPlace, s.Place[b])
		w.inAction = append(w.inAction, s.p.Kind(b) == factored.Action)
	}
	return w
}

// expand finds all successors of state. It gives up, leaving f incomplete,
// when the context ends; the caller checks.
func (w *worker) expand(state []uint64, f *successors) {
	if w.compiled != nil {
		w.one[0], w.found = state, [1]successors{*f}
		w.expandCompiled(w.compiled, w.one[:], w.found[:])
		*f = w.found[0]
		return
	}
	f.reset()
	w.tried = 0
	s, st := w.s, w.st
	if !st.Consistent() {
		return
	}
	st.Reset()
	if !step.Assign(st, s.Now, state) {
		return
	}
	if s.direct {
		w.expandDirect(state, f)
		return
	}
	w.now.state(s, state)
	st.Each(s.Actions, func() bool {
		if f.tooWide = !w.try(); f.tooWide {
			return false
		}
		step.Pack(w.key, st, s.Actions)
		if s.eval != nil {
			w.forward(state, w.key, f)
		}
		mark := st.Mark()
		if (s.eval == nil || step.Assign(st, s.Learned, w.out)) && w.give() {
			w.branch(state, f)
		}
		st.Undo(mark)
		return !f.tooWide
	})
}

// try counts a joint action. It is false where the state is to be given up.
func (w *worker) try() bool {
	w.tried++
	if w.atMost > 0 && w.tried > w.atMost {
		return false
	}
	return w.tick == nil || w.tried%max(1, tickWork/w.s.effort()) != 0 || w.tick(w.tried)
}

// give assigns what functions give with the action in w.key. It returns false if propagation refutes that.
func (w *worker) give() bool {
	s := w.s
	if len(s.given) == 0 {
		return true
	}
	clear(w.next)
	w.now.next(s, w.key, w.next)
	for _, l := range s.given {
		if !step.Bit(w.next, s.Place[s.Bits[l]]) {
			l = -l
		}
		if !w.st.Assign(l) {
			return false
		}
	}
	return true
}

// branch tries every value of the next-state bits that are neither learned nor
// determined.
func (w *worker) branch(state []uint64, f *successors) {
	w.st.Each(w.s.Free, func() bool {
		w.complete(state, w.key, f)
		return !f.tooWide
	})
}

// expandDirect is for states whose successors are what the network and functions give and
// nothing else: all legal joint actions go through it in one batch.
func (w *worker) expandDirect(state []uint64, f *successors) {
	s := w.s
	joint := s.joint
	if joint == nil {
		w.joint = w.joint[:0]
		w.st.Each(s.Actions, func() bool {
			step.Pack(w.key, w.st, s.Actions)
			w.joint = append(w.joint, w.key...)
			f.tooWide = !w.try() || len(w.joint) > w.most
			return !f.tooWide
		})
		if f.tooWide {
			return
		}
		joint = w.joint
	}
	aw, wo := s.ActionWords(), bnn.Words(len(s.p.Outputs))
	if s.eval != nil {
		w.forward(state, joint, f)
	}
	w.now.state(s, state)
	for k := range len(joint) / aw {
		clear(w.next)
		for i, at := range w.outToState {
			w.next[at/64] |= w.out[k*wo+i/64] >> (i % 64) & 1 << (at % 64)
		}
		action := joint[k*aw : (k+1)*aw]
		w.now.next(s, action, w.next)
		if w.legal() {
			w.emit(f, action, s.Reward(state, action, w.next, nil))
		}
	}
}

// forward runs the network on state with each of the joint actions and leaves
// the outputs in w.out.
func (w *worker) forward(state, joint []uint64, f *successors) {
	s := w.s
	aw := s.ActionWords()
	n := len(joint) / aw
	wi, wo := bnn.Words(len(s.p.Inputs)), bnn.Words(len(s.p.Outputs))
	w.in = grow(w.in, n*wi)
	w.out = grow(w.out, n*wo)
	clear(w.in)
	for k := range n {
		action := joint[k*aw : (k+1)*aw]
		in := w.in[k*wi : (k+1)*wi]
		for i, at := range w.inPlace {
			from := state
			if w.inAction[i] {
				from = action
			}
			in[i/64] |= from[at/64] >> (at % 64) & 1 << (i % 64)
		}
	}
	s.eval.ForwardMany(w.out, w.in, n, w.scratch)
	f.passes += int64(n)
}

func grow(s []uint64, n int) []uint64 {
	if cap(s) < n {
		return make([]uint64, n)
	}
	return s[:n]
}

// complete has state, action and successor in place and looks whether the
// auxiliary bits can be completed, with the best reward over those that pay.
func (w *worker) complete(state, action []uint64, f *successors) {
	s, st := w.s, w.st
	step.Pack(w.next, st, s.Next)
	if !w.legal() {
		return
	}
	found := false
	var best int64
	st.Each(s.Paid, func() bool {
		if !st.Satisfiable(s.Aux) {
			return true
		}
		r := s.Reward(state, action, w.next, func(b factored.Bit) bool {
			return st.Value(s.Var(b)) > 0
		})
		if !found || r > best {
			found, best = true, r
		}
		return true
	})
	if found {
		w.emit(f, action, best)
	}
}

// legal refuses successors that break what C fixes at every step.
func (w *worker) legal() bool {
	for i, m := range w.s.fixedMask {
		if w.next[i]&m != w.s.fixedValue[i] {
			return false
		}
	}
	return true
}

// emit adds the successor in w.next to f.
func (w *worker) emit(f *successors, action []uint64, reward int64) {
	f.actions = append(f.actions, action...)
	f.states = append(f.states, w.next...)
	f.rewards = append(f.rewards, reward)
	f.tooWide = len(f.actions)+len(f.states) > w.most
}

// isFinal reports whether a plan may end in state: G and C hold there.
func (w *worker) isFinal(state []uint64) bool {
	st := w.fin
	if !st.Consistent() {
		return false
	}
	st.Reset()
	return step.Assign(st, w.s.Now, state) && st.Satisfiable(w.finalAux)
}
