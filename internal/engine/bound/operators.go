package bound

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// Operator is what a joint action does where some facts hold: the program of a step with the action put in. An action has several operators
// where it may happen in several ways, and those that do the same may overlap.
type Operator struct {
	Action  int      // by the joint actions that were asked for
	Needs   []Fact   // by place
	Effects []Effect // each on a bit that may be otherwise before
	Reward  int64    // scaled
}

// Fact is that a bit of a packed state has a value, or a gate, whose places follow.
type Fact struct {
	Place int32
	On    bool
}

// Effect makes a fact true where others hold before.
type Effect struct {
	Fact
	When []Fact // by place
}

// Limits of what operators are read from, and of the operators.
const (
	mostCubes     = 24 // of one condition
	mostWays      = 48 // of one action
	mostGatedWays = 4096
	mostSplits    = 40 // to see that a condition never holds
	mostEvaluated = 200_000_000
)

// evaluatedPerUnit is how many instructions count for a unit of engine.Limits.Spend. They take longer: where there are operators, other engines
// seldom help.
const evaluatedPerUnit = 10

// MostJoint is the most joint actions whose operators are worth their room.
const MostJoint = 1 << 17

// Reading says how operators are read from a task.
type Reading struct {
	Most  int  // joint actions; where there are more, there are no operators
	Gated bool // gates are asked for: they stand for conditions with too many cases
	// Rules, if not nil, is asked for rules where effects have conditions, or these too many cases: the operators are right in states that keep the rules then.
	Rules func() ([]Rule, error)
	Spend func(work int64) // as in engine.Limits
}

// Operators lists the joint actions of a task, by the places of their bits, and their operators. There are no operators where the joint actions are too
// many, conditions have too many cases, or the context ended.
func Operators(ctx context.Context, t engine.Task, how Reading) (ops []Operator, joint [][]int, gates []Gate, err error) {
	r, err := newStepRelation(ctx, t)
	if err != nil {
		return nil, nil, nil, err
	}
	r.countWork(how.Spend)
	var own []model.Sum
	for i := range r.rows {
		if r.onActions(&r.rows[i]) {
			own = append(own, r.rows[i].sum)
		}
	}
	st := r.System(own).NewState()
	if !st.Consistent() {
		return nil, nil, nil, ctx.Err()
	}
	whole := st.Each(r.Actions, func() bool {
		var on []int
		for i, l := range r.Actions {
			if st.Value(l) > 0 {
				on = append(on, i)
			}
		}
		joint = append(joint, on)
		return len(joint) <= how.Most && !r.stop()
	})
	if !whole {
		return nil, nil, nil, ctx.Err()
	}
	p := r.compile(8*maxCode, true)
	if p == nil {
		return nil, nil, nil, ctx.Err()
	}
	x := p.newReader(r.Step)
	x.ask = how.Rules
	if how.Gated {
		x.gates = map[int32]bool{}
	}
	for k, places := range joint {
		before := x.evaluated
		x.puts = 0
		more, ok := x.read(k, places, nil)
		if x.err != nil || !ok || k%64 == 0 && r.stop() {
			return nil, nil, nil, cmp.Or(x.err, ctx.Err())
		}
		ops = append(ops, more...)
		r.spend(1 + int64(x.evaluated-before)/evaluatedPerUnit)
	}
	return ops, joint, x.define(), nil
}

// reader puts actions into a program. Values of slots are those of another program, over the bits of the state.
type reader struct {
	p         *Program
	s         *step.Step
	sym       *assembler
	base      []int32 // by slot: its value without an action
	value     []int32 // with the action at hand, where it differs
	stamp     []int32
	now       int32
	users     [][]int32 // by slot: instructions that read it
	waiting   []uint64  // a bit for each instruction: to be evaluated
	first     int       // word of waiting: none before has a bit
	changed   []int32   // slots
	refused   []bool    // by slot
	isNext    [][]int32 // by slot: the places of the state bits that it is the next value of
	held      []int32   // refusals and next values that are not as they should be without an action
	terms     [][]int32 // by slot: terms of the reward
	open      []int32   // slots of terms that are not constant without an action
	reward    int64     // of the others
	cubes     map[[2]int32][][]Fact
	gates     map[int32]bool // slots of sym that facts may be about; nil for bits alone
	evaluated int
	ask       func() ([]Rule, error) // nil once asked
	rules     []Rule
	of        [][]int32 // by place: rules
	puts      int       // of the action at hand
	err       error
}

// newReader evaluates the program without an action.
func (p *Program) newReader(s *step.Step) *reader {
	r := &reader{p: p, s: s, now: 1, base: make([]int32, p.slotNum), value: make([]int32, p.slotNum), stamp: make([]int32, p.slotNum),
		users: make([][]int32, p.slotNum), waiting: make([]uint64, (len(p.code)+63)/64), refused: make([]bool, p.slotNum), isNext: make([][]int32, p.slotNum), terms: make([][]int32, p.slotNum), cubes: map[[2]int32][][]Fact{}}
	r.sym = assemble(&Program{slotNum: 2 + len(s.Now)})
	r.base[slotTrue] = slotTrue
	for i, l := range s.Now {
		r.base[p.Input(l)] = int32(2 + i)
	}
	needed := make([]bool, p.slotNum)
	mark := func(slot int32) { needed[slot] = true }
	for _, slot := range p.refused {
		mark(slot)
		r.refused[slot] = true
	}
	for i, l := range s.Next {
		mark(p.Value(l))
		r.isNext[p.Value(l)] = append(r.isNext[p.Value(l)], int32(i))
	}
	for i, t := range s.Task.Problem.Reward.Terms {
		slot := p.Value(r.term(t.Lit))
		mark(slot)
		r.terms[slot] = append(r.terms[slot], int32(i))
	}
	for i := len(p.code) - 1; i >= 0; i-- {
		if x := p.code[i]; needed[x.dst] {
			mark(x.a)
			mark(x.b)
		}
	}
	for i, x := range p.code {
		if needed[x.dst] {
			r.base[x.dst] = r.sym.emit(x.op, r.base[x.a], r.base[x.b])
			r.users[x.a] = append(r.users[x.a], int32(i))
			if x.b != x.a {
				r.users[x.b] = append(r.users[x.b], int32(i))
			}
		}
	}
	for slot := range needed {
		if r.odd(int32(slot)) {
			r.held = append(r.held, int32(slot))
		}
	}
	r.reward = s.Task.Problem.Reward.Constant
	for slot, list := range r.terms {
		if v := r.base[slot]; v > slotTrue && len(list) > 0 {
			r.open = append(r.open, int32(slot))
		} else {
			r.reward += r.earned(v, list)
		}
	}
	return r
}

// odd reports whether a slot forbids the step, or changes a bit.
func (r *reader) odd(slot int32) bool {
	v := r.at(slot)
	return r.refused[slot] && v != slotFalse || slices.ContainsFunc(r.isNext[slot], func(place int32) bool { return v != 2+place })
}

// term is the variable of a bit that the reward mentions.
func (r *reader) term(l factored.Lit) model.Lit {
	if l.Next {
		return r.s.Next[r.s.Place[l.Bit]]
	}
	return r.s.Var(l.Bit)
}

// at is the value of a slot with the action at hand.
func (r *reader) at(slot int32) int32 {
	if r.stamp[slot] == r.now {
		return r.value[slot]
	}
	return r.base[slot]
}

// put evaluates what depends on the bits of an action, and on bits of the state that are known. It is false where that takes long.
func (r *reader) put(places []int, known []Fact) bool {
	r.now++
	r.changed = r.changed[:0]
	for _, i := range places {
		r.set(r.p.Input(r.s.Actions[i]), slotTrue)
	}
	for _, f := range known {
		value := int32(slotFalse)
		if f.On {
			value = slotTrue
		}
		r.set(r.p.Input(r.s.Now[f.Place]), value)
	}
	for i, ok := r.next(); ok; i, ok = r.next() {
		x := r.p.code[i]
		if v := r.sym.emit(x.op, r.at(x.a), r.at(x.b)); v != r.base[x.dst] {
			r.set(x.dst, v)
		}
		r.evaluated++
	}
	return r.evaluated < mostEvaluated && len(r.sym.p.code) < maxCode*16
}

func (r *reader) set(slot, value int32) {
	r.stamp[slot], r.value[slot] = r.now, value
	r.changed = append(r.changed, slot)
	for _, i := range r.users[slot] {
		r.waiting[i/64] |= 1 << (i % 64)
		r.first = min(r.first, int(i/64))
	}
}

// next takes the first instruction that waits, if any does. What reads its result comes after it.
func (r *reader) next() (i int, ok bool) {
	for ; r.first < len(r.waiting); r.first++ {
		if w := r.waiting[r.first]; w != 0 {
			r.waiting[r.first] &= w - 1
			return 64*r.first + bits.TrailingZeros64(w), true
		}
	}
	return 0, false
}

// way is a part of the states in which an action may happen, and what it earns there.
type way struct {
	needs  []Fact
	reward int64
}

// operators are those of the action at hand where some facts are known.
func (r *reader) operators(action int, known []Fact) ([]Operator, bool) {
	ways := []way{{known, r.reward}}
	ok := true
	also := func(ways []way, slot int32, want bool, reward int64) (out []way) {
		if !ok {
			return nil
		}
		list, fine := r.cases(slot, want)
		most := mostWays
		if r.gates != nil {
			if most = mostGatedWays; len(ways)*len(list) > mostWays {
				list = r.gate(slot, want)
			}
		}
		ok = ok && fine
		for _, w := range ways {
			for _, c := range list {
				if both, can := merge(w.needs, c); can {
					out = append(out, way{both, w.reward + reward})
				}
			}
		}
		ok = ok && len(out) <= most
		return out
	}
	var next []int32
	slots := slices.Concat(r.held, r.open, r.changed)
	slices.Sort(slots)
	slots = slices.Compact(slots)
	for _, slot := range slots {
		if r.refused[slot] && ok && !r.never(r.at(slot)) {
			ways = least(also(ways, r.at(slot), false, 0))
		}
		next = append(next, r.isNext[slot]...)
	}
	ways = r.earn(slots, ways, also)
	slices.Sort(next)
	var out []Operator
	for _, w := range ways {
		o := Operator{Action: action, Needs: w.needs, Reward: w.reward}
		for _, place := range slices.Compact(next) {
			ok = ok && r.effects(&o, place)
		}
		out = append(out, o)
	}
	return out, ok
}

// never reports whether a value is seen to be false in all states.
func (r *reader) never(v int32) bool {
	list, ok := r.cases(v, true)
	budget := mostSplits
	return ok && len(list) == 0 || (!ok || r.gates != nil) && r.unsatisfiable(v, &budget)
}

// effects adds how the bit at a place changes.
func (r *reader) effects(o *Operator, place int32) bool {
	v := r.at(r.p.Value(r.s.Next[place]))
	if v == 2+place {
		return true
	}
	first := len(o.Effects)
	for _, on := range []bool{true, false} {
		needs, can := merge(o.Needs, []Fact{{place, !on}})
		if !can {
			continue // the bit has the value already
		}
		list, ok := r.cases(v, on)
		if !ok {
			list, ok = r.cases(r.where(v, needs), on)
		}
		if !ok {
			return false
		}
		var whens []way
		for _, c := range list {
			if _, can := merge(needs, c); can {
				whens = append(whens, way{needs: slices.DeleteFunc(slices.Clone(c), func(f Fact) bool { return slices.Contains(needs, f) })})
			}
		}
		for _, when := range least(whens) {
			o.Effects = append(o.Effects, Effect{Fact{place, on}, when.needs})
		}
	}
	added := o.Effects[first:]
	if len(added) > 0 && added[0].On != added[len(added)-1].On { // both: each is for one value before
		for i := range added {
			added[i].When, _ = merge(added[i].When, []Fact{{place, !added[i].On}})
		}
	}
	return true
}

// cases are cubes of the states in which a value is what is wanted. It is false where they are too many.
func (r *reader) cases(v int32, want bool) (out [][]Fact, ok bool) {
	first := int32(2 + len(r.s.Now))
	switch {
	case v == slotFalse || v == slotTrue:
		if (v == slotTrue) == want {
			return [][]Fact{nil}, true
		}
		return nil, true
	case v < first:
		return [][]Fact{{{v - 2, want}}}, true
	}
	key := [2]int32{v, 0}
	if want {
		key[1] = 1
	}
	if c, known := r.cubes[key]; known {
		return c, len(c) <= mostCubes
	}
	x := r.sym.p.code[v-first]
	ok = true
	join := func(and, a, b bool) {
		p, fine := r.cases(x.a, a)
		q, fine2 := r.cases(x.b, b)
		if ok = ok && fine && fine2; !ok {
			return
		}
		if !and {
			out = slices.Concat(p, q)
			return
		}
		for _, c := range p {
			for _, d := range q {
				if both, can := merge(c, d); can {
					out = append(out, both)
				}
			}
		}
	}
	switch x.op {
	case opAnd:
		join(want, want, want)
	case opOr:
		join(!want, want, want)
	case opAndNot:
		join(want, want, !want)
	default:
		join(true, true, !want)
		join(true, false, want)
	}
	out = shortest(out)
	switch {
	case r.gates != nil && (!ok || len(out) > mostCubes):
		out = r.gate(v, want)
	case !ok:
		out = make([][]Fact, mostCubes+1)
	}
	r.cubes[key] = out
	return out, len(out) <= mostCubes
}

// shortest leaves out cubes that are in others.
func shortest(list [][]Fact) (out [][]Fact) {
	ways := make([]way, len(list))
	for i, c := range list {
		ways[i].needs = c
	}
	for _, w := range least(ways) {
		out = append(out, w.needs)
	}
	return out
}
