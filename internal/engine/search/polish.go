package search

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// polisher improves a plan by local search: compiled code tries 64 plans at a time that differ
// from the one at hand in few action bits. The best of them is taken if it is no worse than the
// plan some rounds before (late acceptance; Burke, Bykov 2017). It proves nothing. What it does
// depends on the plan alone.
type polisher struct {
	s       *relation
	w       *worker
	code    *bound.Program
	horizon int
	rng     *rand.Rand
	slots   []uint64
	terms   []paidTerm

	// The plan at hand. A word is 0 or all ones, the same in every lane.
	reward  int64
	states  [][]uint64 // [t][state bit], t in 0..horizon
	actions [][]uint64 // [t][action bit]
	paid    [][]uint64 // [t][term]: whether it counts

	best     int64      // reward of the best plan
	bestPlan [][]uint64 // its actions
	stalled  int        // rounds since it was found
	recent   [recentRounds]int64
	round    int
	cost     int64 // of a round, in nodes of beams
	due      int64 // work that may be done, in nodes
	earlier  int64 // work of the tables that gave its share

	changes [64][]change
	now     []uint64 // state of the lanes
	gain    [64]int64
}

// change turns an action bit of a step round.
type change struct{ t, action int }

// paidTerm is a term of the reward: where its value is found, and what it is worth.
type paidTerm struct {
	slot   int32
	neg    bool
	weight int64
}

const (
	recentRounds = 64
	// patience is after how many rounds without a better plan the best is taken up again.
	patience = 3_000
	// A round counts as a node of a beam for so many instructions.
	slotsPerNode = 100
)

// newPolisher starts from a plan.
func newPolisher(s *relation, w *worker, code *bound.Program, tr *factored.Trace) *polisher {
	p := &polisher{s: s, w: w, code: code, horizon: tr.Horizon(), rng: rand.New(rand.NewPCG(1, 0x706f6c69)), slots: make([]uint64, code.Slots()), now: make([]uint64, len(s.Now))}
	p.cost = 1 + int64(p.horizon)*int64(len(p.slots))/slotsPerNode
	for _, r := range s.p.Reward.Terms {
		x := paidTerm{neg: r.Lit.Neg, weight: r.Weight}
		switch i := s.Place[r.Lit.Bit]; {
		case r.Lit.Next:
			x.slot = code.Value(s.Next[i])
		case s.p.Kind(r.Lit.Bit) == factored.Action:
			x.slot = code.Input(s.Actions[i])
		case s.p.Kind(r.Lit.Bit) == factored.State:
			x.slot = code.Input(s.Now[i])
		default:
			x.slot = code.Value(s.Var(r.Lit.Bit))
		}
		p.terms = append(p.terms, x)
	}
	for t := range p.horizon + 1 {
		p.states = append(p.states, make([]uint64, len(s.Now)))
		if t < p.horizon {
			p.actions = append(p.actions, make([]uint64, len(s.Actions)))
			p.paid = append(p.paid, make([]uint64, len(p.terms)))
		}
	}
	for i, b := range s.StateBits {
		p.states[0][i] = spread(tr.Steps[0][b])
	}
	p.load(tr)
	return p
}

// spread is a bit in all lanes.
func spread(x bool) uint64 {
	if x {
		return ^uint64(0)
	}
	return 0
}

// load makes a plan the one at hand, and the best. It begins in the same state.
func (p *polisher) load(tr *factored.Trace) {
	for t := range p.horizon {
		for i, b := range p.s.ActionBits {
			p.actions[t][i] = spread(tr.Steps[t][b])
		}
	}
	p.follow()
	p.keep()
}

// startsIn reports whether a plan begins in the state of the plan at hand.
func (p *polisher) startsIn(tr *factored.Trace) bool {
	for i, b := range p.s.StateBits {
		if p.states[0][i] != spread(tr.Steps[0][b]) {
			return false
		}
	}
	return true
}

// keep makes the plan at hand the best.
func (p *polisher) keep() {
	p.best, p.stalled, p.bestPlan = p.reward, 0, nil
	for _, a := range p.actions {
		p.bestPlan = append(p.bestPlan, append([]uint64(nil), a...))
	}
	for i := range p.recent {
		p.recent[i] = p.reward
	}
}

// follow computes states and reward of the plan at hand.
func (p *polisher) follow() {
	p.reward = p.s.p.Reward.Constant * int64(p.horizon)
	for t := range p.horizon {
		p.step(t, p.states[t], nil)
		for k, x := range p.terms {
			p.paid[t][k] = p.slots[x.slot]
			if p.slots[x.slot]&1 == 1 != x.neg {
				p.reward += x.weight
			}
		}
		for i, v := range p.s.Next {
			p.states[t+1][i] = p.slots[p.code.Value(v)]
		}
	}
}

// step runs a step from the states of the lanes, with the actions of the plan at hand but for the
// changes. It returns the lanes that break a rule.
func (p *polisher) step(t int, states []uint64, changes *[64][]change) (illegal uint64) {
	for i, v := range p.s.Now {
		p.slots[p.code.Input(v)] = states[i]
	}
	for i, v := range p.s.Actions {
		p.slots[p.code.Input(v)] = p.actions[t][i]
	}
	if changes != nil {
		for lane := range changes {
			for _, c := range changes[lane] {
				if c.t == t {
					p.slots[p.code.Input(p.s.Actions[c.action])] ^= 1 << lane
				}
			}
		}
	}
	return p.code.Run(p.slots)
}

// try computes what each lane gains. It returns the lanes that break a rule.
func (p *polisher) try() (illegal uint64) {
	first, last := p.horizon, 0
	for _, list := range p.changes {
		for _, c := range list {
			first, last = min(first, c.t), max(last, c.t)
		}
	}
	p.gain = [64]int64{}
	copy(p.now, p.states[first])
	for t := first; t < p.horizon; t++ {
		illegal |= p.step(t, p.now, &p.changes)
		if illegal == ^uint64(0) {
			return illegal
		}
		for k, x := range p.terms {
			word := p.slots[x.slot]
			for differ := word ^ p.paid[t][k]; differ != 0; differ &= differ - 1 {
				lane := bits.TrailingZeros64(differ)
				if word>>lane&1 == 1 != x.neg {
					p.gain[lane] += x.weight
				} else {
					p.gain[lane] -= x.weight
				}
			}
		}
		same := true
		for i, v := range p.s.Next {
			p.now[i] = p.slots[p.code.Value(v)]
			same = same && (p.now[i]^p.states[t+1][i])&^illegal == 0
		}
		if same && t >= last {
			copy(p.now, p.states[p.horizon])
			return illegal
		}
	}
	return illegal
}

// draw chooses what the lanes change.
func (p *polisher) draw() {
	steps, bits := p.horizon, len(p.s.Actions)
	for lane := range p.changes {
		list := p.changes[lane][:0]
		c := change{p.rng.IntN(steps), p.rng.IntN(bits)}
		for try := 0; try < 8 && lane%4 != 0 && p.actions[c.t][c.action] == 0; try++ {
			c = change{p.rng.IntN(steps), p.rng.IntN(bits)} // one that is taken, as a rule
		}
		list = append(list, c)
		near := func(t int) int { return min(max(t+p.rng.IntN(5)-2, 0), steps-1) }
		switch p.rng.IntN(5) {
		case 1: // some steps earlier or later
			list = append(list, change{near(c.t), c.action})
		case 2: // another in its place
			list = append(list, change{c.t, p.rng.IntN(bits)})
		case 3: // two others change at about this time
			list = append(list, change{near(c.t), p.rng.IntN(bits)}, change{near(c.t), p.rng.IntN(bits)})
		case 4: // it and another change places in time
			o := change{near(c.t), p.rng.IntN(bits)}
			list = append(list, change{o.t, c.action}, o, change{c.t, o.action})
		}
		p.changes[lane] = list
	}
}

// advance tries 64 plans. It reports whether one is better than the best.
func (p *polisher) advance() bool {
	p.round++
	if p.stalled++; p.stalled%patience == 0 {
		for t := range p.actions {
			copy(p.actions[t], p.bestPlan[t])
		}
		p.follow()
	}
	p.draw()
	legal := ^p.try()
	slot := &p.recent[p.round%recentRounds]
	for legal != 0 {
		lane, gain := -1, int64(0)
		for m := legal; m != 0; m &= m - 1 {
			if l := bits.TrailingZeros64(m); lane < 0 || p.gain[l] > gain {
				lane, gain = l, p.gain[l]
			}
		}
		if gain < 0 && p.reward+gain < *slot {
			break
		}
		if p.mayEnd(lane) {
			for _, c := range p.changes[lane] {
				p.actions[c.t][c.action] = ^p.actions[c.t][c.action]
			}
			p.follow()
			break
		}
		legal &^= 1 << lane
	}
	*slot = p.reward
	if p.reward <= p.best {
		return false
	}
	p.keep()
	return true
}

// mayEnd reports whether a plan may end in the last state of a lane.
func (p *polisher) mayEnd(lane int) bool {
	key := make([]uint64, p.s.StateWords())
	for i, word := range p.now {
		key[i/64] |= word >> lane & 1 << (i % 64)
	}
	return p.w.isFinal(key)
}

// trace is the plan at hand.
func (p *polisher) trace() *factored.Trace {
	tr := &factored.Trace{}
	for t := range p.horizon + 1 {
		v := make(factored.Valuation, p.s.p.NumBits())
		for i, b := range p.s.StateBits {
			v[b] = p.states[t][i]&1 == 1
		}
		if t < p.horizon {
			for i, b := range p.s.ActionBits {
				v[b] = p.actions[t][i]&1 == 1
			}
		}
		tr.Steps = append(tr.Steps, v)
	}
	return tr
}

// Plans are polished when the tables have done polishFrom nodes, with as much work as theirs from
// then on, or where that has found nothing for long, with one part in stalledShare of it.
const (
	polishFrom   = 500_000
	stalledShare = 8
)

// polish gives the local search its turn.
func (r *run) polish(ctx context.Context) error {
	x := &r.tables
	if r.refusedPolish || r.incumbent == nil || r.q.MinHorizon != r.q.MaxHorizon || x.nodes() < polishFrom || x.s.Proven() {
		return nil
	}
	r.takeOffer()
	if r.polisher == nil {
		code, err := r.g.s.stepCode(ctx)
		if r.refusedPolish = err != nil || code == nil || len(r.g.s.Actions) == 0; r.refusedPolish {
			return nil
		}
		r.polisher = newPolisher(r.g.s, r.g.s.newWorker(ctx, 0), code, r.incumbent.Trace)
	}
	p := r.polisher
	if r.incumbent.Reward > p.best && p.startsIn(r.incumbent.Trace) {
		p.load(r.incumbent.Trace)
	}
	better, share := false, x.nodes()-polishFrom-p.earlier
	if p.earlier = x.nodes() - polishFrom; p.stalled > 2*patience {
		share /= stalledShare
	}
	for p.due += share; p.due > 0 && ctx.Err() == nil; p.due -= p.cost {
		better = p.advance() || better
	}
	if !better || p.best <= r.incumbent.Reward {
		return nil
	}
	return r.takePolished()
}

// takePolished makes the best plan of the local search the incumbent.
func (r *run) takePolished() error {
	p := r.polisher
	for t := range p.actions {
		copy(p.actions[t], p.bestPlan[t])
	}
	p.follow()
	tr := p.trace()
	report, err := validate.Check(r.q.Problem, r.q.Network, validate.FromTrace(tr))
	switch {
	case err != nil:
		return fmt.Errorf("checking a plan: %w", err)
	case !report.Valid:
		return fmt.Errorf("the checker refuses a plan: %w", report.Failure)
	case report.Reward != p.best:
		return fmt.Errorf("a plan's reward is counted as %d, the checker gives %d", p.best, report.Reward)
	}
	r.incumbent = &engine.Result{Status: engine.Feasible, Horizon: tr.Horizon(), Trace: tr, Reward: p.best}
	r.limits.Shared.Offer(tr, p.best)
	r.report(engine.Progress{Phase: "search: a plan, improved", Reward: &r.incumbent.Reward, Trace: tr, Work: r.work()})
	return nil
}
