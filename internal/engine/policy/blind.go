package policy

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// BlindSolution is a plan: what to do at each step, whatever is seen.
type BlindSolution struct {
	Exists   bool    // else no plan keeps the rules, or reaches the goal in all runs
	Value    float64 // the probability of success, the expected reward, or the worst one
	Horizon  int
	Plan     []uint32 // an action of the process for each step, as long as a run can go on
	States   int
	Pairs    int64
	Observed *Solution // sees the states, and bounds what plans are worth
}

// member is a state that a run may be in: with some probability, or, in the worst case, with some disturbances left and a
// reward so far.
type member struct {
	state int32 // ended for runs that are over, in the worst case
	left  int32 // disturbances
	x     float64
}

const ended = -1

// belief is the states that runs may be in, in order.
type belief []member

// beliefs searches plans by the beliefs that they lead to: depth first, with the values of policies that see the
// state as bounds (for conformant planning: Bonet and Geffner, Planning with incomplete information as heuristic
// search in belief space, 2000).
type beliefs struct {
	ctx  context.Context
	t    *table
	o    Options
	n    int         // numbers of disturbances left
	best [][]float64 // by steps left: values of policies that see the state
	memo map[string]judged
	most int // beliefs
	seen int // outcomes
	key  []byte
}

// judged is what is known of a belief with some steps left.
type judged struct {
	value  float64 // or a bound that is not above what was asked for
	action uint32
}

// Blind finds the best plan that sees nothing. The error wraps ErrTooLarge if there are more beliefs than fit memory.
func Blind(ctx context.Context, p Process, o Options) (*BlindSolution, error) {
	q := o
	q.Memory, q.MinHorizon = o.Memory/2, 0
	s, err := Solve(ctx, p, q)
	if err != nil {
		return nil, err
	}
	out := &BlindSolution{Horizon: o.Horizon, States: s.States, Pairs: s.Pairs, Observed: s}
	b := &beliefs{ctx: ctx, o: o, t: s.t, n: s.n, memo: map[string]judged{}, most: int(o.Memory / beliefBytes)}
	if int64(b.t.states())*int64(b.n)*int64(o.Horizon+1)*8 > o.Memory/4 {
		return nil, fmt.Errorf("%w: values of %d states over %d steps", ErrTooLarge, b.t.states(), o.Horizon)
	}
	if err := s.Values(ctx, func(_ int, v []float64) error { b.best = append(b.best, slices.Clone(v)); return nil }); err != nil {
		return nil, err
	}
	for h := cmp.Or(o.MinHorizon, o.Horizon); h <= o.Horizon && !out.Exists; h++ {
		if err := b.plan(out, h); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// beliefBytes is the memory of a belief, about.
const beliefBytes = 512

// plan looks for a plan of some steps.
func (b *beliefs) plan(out *BlindSolution, horizon int) error {
	first := belief{{0, int32(b.n - 1), 0}}
	if !b.o.Worst {
		first[0].x = 1
	}
	over := closed(b.t.kinds[0], b.t.objective)
	v, err := b.bound(first, horizon), error(nil)
	if !over {
		v, err = b.solve(first, horizon, math.Inf(-1))
	}
	if err != nil {
		return err
	}
	out.Value, out.Horizon, out.Exists = v, horizon, !math.IsInf(v, -1)
	for left := horizon; out.Exists && !over && left > 0 && b.open(first); left-- {
		// Rounding may have taken a bound of it for its value.
		if _, err := b.solve(first, left, math.Inf(-1)); err != nil {
			return err
		}
		j, ok := b.memo[string(b.name(first, left))]
		if !ok || j.action == math.MaxUint32 {
			break // nothing that could be done is worth more than nothing
		}
		out.Plan = append(out.Plan, j.action)
		_, _, first, _ = b.step(first, j.action)
	}
	return nil
}

// open reports whether a run may go on.
func (b *beliefs) open(of belief) bool {
	return slices.ContainsFunc(of, func(m member) bool { return m.state != ended })
}

// bound is what no plan exceeds from a belief: what policies are worth that see the state, and the rest of the run.
func (b *beliefs) bound(of belief, left int) float64 {
	if !b.o.Worst {
		sum := 0.0
		for _, m := range of {
			sum += m.x * b.best[left][m.state]
		}
		return sum
	}
	least := math.Inf(1)
	for _, m := range of {
		v := 0.0
		if m.state != ended {
			v = b.best[left][int(m.state)*b.n+int(m.left)]
		}
		least = min(least, m.x+v)
	}
	return least
}

// slackBlind is the difference up to which two plans are equally good on average.
const slackBlind = 1e-12

// solve returns the value of a belief, or, if that is not above alpha, some bound that is not.
func (b *beliefs) solve(of belief, left int, alpha float64) (float64, error) {
	most := b.bound(of, left)
	if most <= alpha || left == 0 || math.IsInf(most, -1) || !b.open(of) {
		return most, nil
	}
	key := string(b.name(of, left))
	if j, ok := b.memo[key]; ok && (j.value <= alpha || j.action != math.MaxUint32) {
		return j.value, nil
	}
	if b.o.Outcomes > 0 && b.seen > b.o.Outcomes {
		return 0, fmt.Errorf("%w: %d sets of states, with %d outcomes", ErrTooLarge, len(b.memo), b.seen)
	}
	if len(b.memo) >= b.most {
		return 0, fmt.Errorf("%w: %d sets of states that plans can lead to", ErrTooLarge, len(b.memo))
	}
	if len(b.memo)%256 == 0 && b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	best, rest, action := alpha, math.Inf(-1), uint32(math.MaxUint32)
	slack := 0.0
	if !b.o.Worst {
		slack = slackBlind
	}
	if none := b.idle(); none > best {
		best = none
	} else {
		rest = none
	}
	for _, c := range b.choices(of, left) {
		if c.most <= best+slack && (action != math.MaxUint32 || c.most <= best) {
			rest = max(rest, c.most)
			break
		}
		v, err := b.solve(c.next, left-1, (best-c.gain)/c.factor)
		if err != nil {
			return 0, err
		}
		// What is not above by more than rounding may be a bound of what is next, and no value.
		if v = c.gain + c.factor*v; math.IsInf(best, -1) && v > best || v > best+slackBlind*math.Max(1, math.Abs(best)) {
			best, action = v, c.action
		} else {
			rest = max(rest, v)
		}
	}
	if action == math.MaxUint32 && best == alpha {
		best = min(rest, alpha)
	}
	b.memo[key] = judged{best, action}
	return best, nil
}

// idle is what it is worth to be where no action is legal.
func (b *beliefs) idle() float64 {
	if b.o.Worst || b.o.Objective == Reward {
		return math.Inf(-1)
	}
	return 0
}

// choice is what an action leads to from a belief: that is worth gain and factor times what next is.
type choice struct {
	action             uint32
	gain, factor, most float64
	next               belief
}

// choices lists the actions, those that may be worth the most first.
func (b *beliefs) choices(of belief, left int) (list []choice) {
	count, open := map[uint32]int{}, 0
	var ids []uint32
	for _, m := range of {
		if m.state == ended || m.state < 0 {
			continue
		}
		open++
		for _, a := range b.t.actions[b.t.firstAction[m.state]:b.t.firstAction[m.state+1]] {
			if count[a]++; count[a] == 1 {
				ids = append(ids, a)
			}
		}
	}
	for _, a := range ids {
		if count[a] < open && (b.o.Worst || b.o.Objective == Reward) {
			continue // not legal in all states that the run may be in
		}
		if gain, factor, next, ok := b.step(of, a); ok {
			c := choice{action: a, gain: gain, factor: factor, next: next}
			c.most = gain + factor*b.bound(next, left-1)
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(x, y choice) int { return cmp.Compare(y.most, x.most) })
	return list
}

// step is what an action leads to; false where it may break a rule.
func (b *beliefs) step(of belief, action uint32) (gain, factor float64, next belief, ok bool) {
	t := b.t
	for _, m := range of {
		if m.state == ended {
			next = append(next, m)
			continue
		}
		a, k := t.firstAction[m.state], t.firstNext[m.state]
		for ; a < t.firstAction[m.state+1] && t.actions[a] != action; a++ {
			k += int64(t.dist[t.distributions[a]].n)
		}
		if a == t.firstAction[m.state+1] {
			continue // such a run has failed
		}
		d := &t.dist[t.distributions[a]]
		b.seen += int(d.n)
		for j := range int64(d.n) {
			o := int64(d.first) + j
			s := int32(t.next[k+j])
			kind, r := t.kinds[s], t.amounts[t.rewards[a]]+t.more[o]
			switch {
			case b.o.Worst && int32(t.events[o]) > m.left:
			case kind&Broken != 0 && (b.o.Worst || b.o.Objective == Reward):
				return 0, 0, nil, false
			case b.o.Worst && closed(kind, t.objective):
				if b.o.Objective == Success && kind&Goal == 0 {
					return 0, 0, nil, false
				}
				next = append(next, member{ended, 0, m.x + r})
			case b.o.Worst:
				next = append(next, member{s, m.left - int32(t.events[o]), m.x + r})
			case b.o.Objective == Reward:
				if gain += m.x * t.p[o] * r; !closed(kind, t.objective) {
					next = append(next, member{s, 0, m.x * t.p[o]})
				}
			case kind&(Goal|Broken) == Goal:
				gain += m.x * t.p[o]
			case !closed(kind, t.objective):
				next = append(next, member{s, 0, m.x * t.p[o]})
			}
		}
	}
	if b.o.Worst {
		gain, next = worstMembers(next)
		return gain, 1, next, true
	}
	factor, next = likelyMembers(next)
	return gain, factor, next, true
}

// worstMembers keeps the members that are not better in all respects than another, and takes their least reward out.
func worstMembers(all belief) (least float64, kept belief) {
	slices.SortStableFunc(all, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.state, b.state), cmp.Compare(b.left, a.left), cmp.Compare(a.x, b.x))
	})
	least = math.Inf(1)
	for _, m := range all {
		// Those of the state before have as many disturbances left, and the last of them the least reward.
		if n := len(kept); n > 0 && kept[n-1].state == m.state && kept[n-1].x <= m.x {
			continue
		}
		kept = append(kept, m)
		least = min(least, m.x)
	}
	for i := range kept {
		kept[i].x -= least
	}
	return least, kept
}

// likelyMembers adds the probabilities of equal states, and divides all by their sum.
func likelyMembers(all belief) (sum float64, kept belief) {
	slices.SortStableFunc(all, func(a, b member) int { return cmp.Compare(a.state, b.state) })
	for _, m := range all {
		if n := len(kept); n > 0 && kept[n-1].state == m.state {
			kept[n-1].x += m.x
		} else {
			kept = append(kept, m)
		}
		sum += m.x
	}
	for i := range kept {
		kept[i].x /= sum
	}
	return sum, kept
}

// name is a map key for a belief; the slice is reused.
func (b *beliefs) name(of belief, left int) []byte {
	k := binary.AppendUvarint(b.key[:0], uint64(left))
	for _, m := range of {
		k = binary.AppendVarint(k, int64(m.state))
		k = binary.AppendUvarint(k, uint64(m.left))
		x := m.x
		if !b.o.Worst {
			x = math.Round(x * 0x1p44) // equal but for rounding
		}
		k = binary.LittleEndian.AppendUint64(k, math.Float64bits(x))
	}
	b.key = k
	return k
}
