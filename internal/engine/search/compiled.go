package search

import (
	"context"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// compiledStep is a successor generator that expands states by straight-line code, 64 pairs of a state and a joint
// action at a time. It gives what propagation gives, in the same order.
type compiledStep struct {
	code   *bound.Program
	joint  []uint64   // joint actions that the constraints on actions alone allow, packed
	count  int        // of them
	states int        // that are expanded together
	effort int64      // what the code takes for a state, in joint actions tried
	next   []int32    // slot of each state bit's next value
	masks  [][]uint64 // [action bit][word]: the joint actions with that bit, repeated for each state of a run
}

// maxCandidates bounds the joint actions that are tried in every state.
const maxCandidates = 1 << 12

// compile compiles the step; nil where that is not possible.
func (s *relation) compile(ctx context.Context) (*compiledStep, error) {
	code, err := s.stepCode(ctx)
	if err != nil || code == nil {
		return nil, err
	}
	x := &compiledStep{code: code}
	st := s.System(s.own).NewState()
	if st.Consistent() {
		key := make([]uint64, s.ActionWords())
		whole := st.Each(s.Actions, func() bool {
			step.Pack(key, st, s.Actions)
			x.joint = append(x.joint, key...)
			x.count++
			return x.count <= maxCandidates && ctx.Err() == nil
		})
		if !whole {
			return nil, nil
		}
	}
	x.states = statesAtOnce(x.count)
	x.effort = int64(bnn.Words(x.count*x.states)*code.Length()/x.states) / instructionsPerTry
	for _, v := range s.Next {
		x.next = append(x.next, code.Value(v))
	}
	aw := s.ActionWords()
	words := bnn.Words(x.count * x.states)
	for i := range s.ActionBits {
		mask := make([]uint64, words)
		for n := range x.count * x.states {
			if k := n % x.count; x.joint[k*aw+i/64]>>(i%64)&1 == 1 {
				mask[n/64] |= 1 << (n % 64)
			}
		}
		x.masks = append(x.masks, mask)
	}
	return x, nil
}

// instructionsPerTry is how many instructions are run while a legal joint action is taken up.
const instructionsPerTry = 500

// statesAtOnce is how many states with so many joint actions are expanded together: as many as a run takes, or more where that saves one run in ten.
// A run takes 64 pairs of a state and a joint action.
func statesAtOnce(joint int) int {
	best := max(1, 64/max(joint, 1))
	for k := best + 1; k <= 16; k++ {
		if 10*bnn.Words(k*joint)*best < 9*bnn.Words(best*joint)*k {
			best = k
		}
	}
	return best
}

// stepCode is the step as code; nil where it cannot be compiled.
func (s *relation) stepCode(ctx context.Context) (*bound.Program, error) {
	if s.eval != nil || len(s.Free) != len(s.Next) {
		return nil, nil
	}
	return bound.Compile(ctx, s.Task)
}

// expandCompiled expands a few states, at most compiledStep.states of them.
func (w *worker) expandCompiled(x *compiledStep, keys [][]uint64, found []successors) {
	s := w.s
	if len(w.slots) < x.code.Slots() {
		w.slots = make([]uint64, x.code.Slots())
	}
	if n := 64 * s.StateWords(); len(w.rows) < n {
		w.rows = make([]uint64, n)
	}
	for i := range found {
		found[i].reset()
		found[i].effort = x.effort
	}
	total := x.count * len(keys)
	for first := 0; first < total && w.ctx.Err() == nil; first += 64 {
		n := min(64, total-first)
		w.fill(x, keys, first, n)
		legal := ^x.code.Run(w.slots) & (^uint64(0) >> (64 - n))
		for i, v := range x.next {
			w.turned[i%64] = w.slots[v]
			if i%64 == 63 || i == len(x.next)-1 {
				clear(w.turned[i%64+1:])
				bnn.Transpose(&w.turned)
				for m := legal; m != 0; m &= m - 1 {
					lane := bits.TrailingZeros64(m)
					w.rows[lane*s.StateWords()+i/64] = w.turned[lane]
				}
			}
		}
		for ; legal != 0; legal &= legal - 1 {
			lane := bits.TrailingZeros64(legal)
			w.emitLane(x, lane, (first+lane)/x.count, (first+lane)%x.count, keys, found)
		}
	}
}

// fill puts states and actions into the lanes first..first+n-1.
func (w *worker) fill(x *compiledStep, keys [][]uint64, first, n int) {
	s := w.s
	for i, v := range s.Actions {
		w.slots[x.code.Input(v)] = x.masks[i][min(first/64, len(x.masks[i])-1)]
	}
	for _, v := range s.Now {
		w.slots[x.code.Input(v)] = 0
	}
	for k, key := range keys {
		from, to := max(k*x.count, first), min((k+1)*x.count, first+n)
		if from >= to {
			continue
		}
		mask := ^uint64(0) >> (64 - (to - from)) << (from - first)
		for i, v := range s.Now {
			if key[i/64]>>(i%64)&1 == 1 {
				w.slots[x.code.Input(v)] |= mask
			}
		}
	}
}

// emitLane adds the successor that stands in w.rows for a lane.
func (w *worker) emitLane(x *compiledStep, lane, state, action int, keys [][]uint64, found []successors) {
	s := w.s
	f := &found[state]
	if f.tooWide {
		return
	}
	sw, aw := s.StateWords(), s.ActionWords()
	copy(w.next, w.rows[lane*sw:(lane+1)*sw])
	if !w.legal() {
		return
	}
	joint := x.joint[action*aw : (action+1)*aw]
	w.emit(f, joint, s.Reward(keys[state], joint, w.next, func(b factored.Bit) bool {
		return w.slots[x.code.Value(s.Var(b))]>>lane&1 == 1
	}))
}

// onActions gives the constraints that mention actions alone.
func (s *relation) onActions(here *model.Part) []model.Sum {
	isAction := map[int32]bool{}
	for _, v := range s.Actions {
		isAction[v.Var()] = true
	}
	var out []model.Sum
	for _, c := range slices.Concat(here.Sums[model.Global], here.Sums[model.Transition]) {
		if len(c.Terms) > 0 && !slices.ContainsFunc(c.Terms, func(t model.Term) bool { return !isAction[t.Lit.Var()] }) {
			out = append(out, c)
		}
	}
	return out
}

// compileStep compiles the step once some work has been done. Successors are
// the same before and after.
func (r *run) compileStep(ctx context.Context) error {
	if r.compilationTried || r.g.tried < compileFrom {
		return nil
	}
	r.compilationTried = true
	x, err := r.g.s.compile(ctx)
	if err != nil || x == nil {
		return err
	}
	r.g.compiled, r.completed = x, r.g.tried
	for _, w := range r.workers {
		w.compiled = x
	}
	return nil
}

// compileFrom is how many joint actions are tried before the step is compiled.
const compileFrom = 500
