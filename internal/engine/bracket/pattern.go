package bracket

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/policy"
)

// pattern is a process over some fields, in which a part of the reward is paid.
type pattern struct {
	fields  []int
	mask    []uint64
	factors []int // that write one of the fields
	terms   []int
	goals   []int // conditions
	rules   []int // that tell actions apart which the classes tell apart
	decided []int // of these, those of which all that they read is in the pattern

	class   []uint32 // of each joint action
	members [][]uint32

	keys  []uint64
	index map[string]uint32
	start uint32
	won   []bool // the conditions hold

	moves []move      // of each state and class
	value [][]float64 // by steps left and state
	// average says that other fields have the values that were seen, in place of the best ones.
	average  bool
	contexts map[int][]seenContext
}

// averaged is p with the values that were seen in place of the best ones.
func (b *builder) averaged(p *pattern) (*pattern, error) {
	q := *p
	q.average, q.value, q.moves, q.contexts = true, nil, make([]move, 0, len(p.moves)), map[int][]seenContext{}
	for i := range p.won {
		if err := b.stop(); err != nil {
			return nil, err
		}
		state := slices.Clone(p.key(uint32(i), b.words))
		for c := range q.members {
			m := move{never: p.moves[i*len(q.members)+c].never}
			if !m.never {
				var err error
				if m, err = b.move(&q, state, q.members[c][0], math.MaxInt); err != nil {
					return nil, err
				}
			}
			q.moves = append(q.moves, m)
		}
	}
	return &q, nil
}

// move is what an action can lead to in a pattern.
type move struct {
	never  bool // no such action is legal
	reward float64
	leaves []uint32 // next states: the product of the values of the folds, in order
	folds  []fold
	open   int       // of the folds, those that have alternatives come first
	joint  []float64 // the distribution over the values of the others together
}

func (p *pattern) key(i uint32, words int) []uint64 {
	return p.keys[int(i)*words : (int(i)+1)*words]
}

// builder makes patterns of a model.
type builder struct {
	m         Model
	words     int
	fields    []Field
	factors   []Scope
	terms     []Scope
	goals     []Scope
	rules     []Scope
	writer    []int // factor of each field
	objective policy.Objective
	actions   int
	buf       []byte
	seen      [][]uint64    // states of runs, for averages
	mates     map[int][]int // fields of which one alone seems to be 1 at a time
	proven    bool          // by Sums
	stop      func() error
}

func newBuilder(m Model, objective policy.Objective) *builder {
	b := &builder{m: m, words: m.Words(), fields: m.Fields(), factors: m.Factors(), goals: m.Conditions(), rules: m.Rules(), objective: objective, actions: m.Actions()}
	if objective == policy.Reward {
		b.terms = m.Terms()
	}
	b.writer = make([]int, len(b.fields))
	for i, f := range b.factors {
		for _, k := range f.Writes {
			b.writer[k] = i
		}
	}
	return b
}

func (b *builder) maskOf(fields []int) []uint64 {
	m := make([]uint64, b.words)
	for _, k := range fields {
		f := b.fields[k]
		m[f.Word] |= widthMask(f.Most) << f.Shift
	}
	return m
}

// widthMask has as many ones as most has binary digits.
func widthMask(most uint64) uint64 {
	w := uint64(0)
	for w < most {
		w = w<<1 | 1
	}
	return w
}

// keyOf makes a map key of the masked words of a state.
func (b *builder) keyOf(state, mask []uint64) []byte {
	b.buf = b.buf[:0]
	for w, m := range mask {
		x := state[w] & m
		for s := 0; s < 64; s += 8 {
			b.buf = append(b.buf, byte(x>>s))
		}
	}
	return b.buf
}

// pattern prepares the pattern of some fields, with the rewards or conditions that are to be paid.
func (b *builder) pattern(fields, terms, goals []int) *pattern {
	p := &pattern{fields: fields, mask: b.maskOf(fields), terms: terms, goals: goals}
	for _, k := range fields {
		if f := b.writer[k]; !slices.Contains(p.factors, f) {
			p.factors = append(p.factors, f)
		}
	}
	seen := map[string]uint32{}
	p.class = make([]uint32, b.actions)
	for a := range p.class {
		b.buf = b.buf[:0]
		add := func(s *Scope) {
			c := s.Classes[a]
			b.buf = append(b.buf, byte(c), byte(c>>8), byte(c>>16))
		}
		for _, f := range p.factors {
			add(&b.factors[f])
		}
		for _, t := range terms {
			add(&b.terms[t])
		}
		c, ok := seen[string(b.buf)]
		if !ok {
			c = uint32(len(seen))
			seen[string(b.buf)] = c
			p.members = append(p.members, nil)
		}
		p.class[a] = c
		p.members[c] = append(p.members[c], uint32(a))
	}
	for i := range b.rules {
		if !b.concerns(&b.rules[i], p) {
			continue
		}
		if p.rules = append(p.rules, i); len(b.hidden(&b.rules[i], p)) == 0 {
			p.decided = append(p.decided, i)
		}
	}
	return p
}

// concerns reports whether a rule says which classes of a pattern are legal: actions of one class are alike to it, and not all are.
func (b *builder) concerns(r *Scope, p *pattern) bool {
	return r.Count >= 2 && b.alike(r, p)
}

// alike reports whether the actions of each class of a pattern are of one class of a scope.
func (b *builder) alike(s *Scope, p *pattern) bool {
	for _, members := range p.members {
		for _, a := range members[1:] {
			if s.Classes[a] != s.Classes[members[0]] {
				return false
			}
		}
	}
	return true
}

// never reports whether a rule forbids a class of actions in a state of a pattern.
func (b *builder) never(p *pattern, state []uint64, class int) (bool, error) {
	for _, i := range p.decided {
		if keeps, err := b.m.Rule(i, state, p.members[class][0]); err != nil || !keeps {
			return err == nil, defined(err)
		}
	}
	return false, nil
}

// hidden lists the fields that a scope reads outside a pattern.
func (b *builder) hidden(s *Scope, p *pattern) (list []int) {
	for _, k := range s.Reads {
		if b.fields[k].Word >= 0 && p.mask[b.fields[k].Word]>>b.fields[k].Shift&1 == 0 {
			list = append(list, k)
		}
	}
	return list
}

// draw takes a step at random, and returns its probability. The next state may be in place of the present one.
func (b *builder) draw(rng *rand.Rand, state []uint64, a uint32, next []uint64) (p float64, err error) {
	var bits [8]uint64
	out := bits[:0]
	for range b.words {
		out = append(out, 0)
	}
	p = 1
	for f := range b.factors {
		d, err := b.m.Draw(f, state, a)
		if err != nil {
			return 0, err
		}
		k := 0
		if len(d.P) > 1 {
			x := rng.Float64()
			for k < len(d.P)-1 && x >= d.P[k] {
				x -= d.P[k]
				k++
			}
		}
		p *= d.P[k]
		for w := range out {
			out[w] |= d.Bits[k*b.words+w]
		}
	}
	copy(next, out)
	return p, nil
}

// most bounds the combinations of hidden values that are looked at.
const mostHidden = 1 << 10

// combinations calls f with the states in which the hidden fields have each combination of values; false if there
// are too many.
func (b *builder) combinations(state []uint64, hidden []int, f func(state []uint64) error) (bool, error) {
	size := 1.0
	for _, k := range hidden {
		size *= float64(b.fields[k].Most + 1)
	}
	if size > mostHidden {
		return false, nil
	}
	now := slices.Clone(state)
	for {
		if err := f(now); err != nil {
			return false, err
		}
		i := 0
		for ; i < len(hidden); i++ {
			x := &b.fields[hidden[i]]
			v := now[x.Word] >> x.Shift & widthMask(x.Most)
			now[x.Word] &^= widthMask(x.Most) << x.Shift
			if v < x.Most {
				now[x.Word] |= (v + 1) << x.Shift
				break
			}
		}
		if i == len(hidden) {
			return true, nil
		}
	}
}

// seenContext is a combination of values of hidden fields that was seen.
type seenContext struct {
	values []uint64 // packed
	weight float64
}

// contexts calls f with the states in which hidden fields have values that were seen, and how often. The key is that of
// the hidden fields.
func (b *builder) contexts(state []uint64, p *pattern, key int, hidden []int, f func(state []uint64, weight float64) error) error {
	if len(hidden) == 0 {
		return f(state, 1)
	}
	mask := b.maskOf(hidden)
	list, ok := p.contexts[key]
	if !ok {
		places := map[string]int{}
		for _, s := range b.seen {
			key := string(b.keyOf(s, mask))
			i, ok := places[key]
			if !ok {
				i = len(list)
				places[key] = i
				list = append(list, seenContext{values: slices.Clone(s)})
				for w := range mask {
					list[i].values[w] &= mask[w]
				}
			}
			list[i].weight += 1 / float64(len(b.seen))
		}
		p.contexts[key] = list
	}
	now := make([]uint64, b.words)
	for i := range list {
		for w := range now {
			now[w] = state[w]&^mask[w] | list[i].values[w]
		}
		if err := f(now, list[i].weight); err != nil {
			return err
		}
	}
	return nil
}

// pay is the reward of the pattern's terms.
func (b *builder) pay(p *pattern, state []uint64, action uint32) (sum float64, err error) {
	for _, t := range p.terms {
		hidden := b.hidden(&b.terms[t], p)
		if p.average {
			err = b.contexts(state, p, -1-t, hidden, func(s []uint64, weight float64) error {
				v, err := b.m.Term(t, s, action)
				if err == nil {
					sum += weight * v
				}
				return defined(err)
			})
			if err != nil {
				return 0, err
			}
			continue
		}
		best := math.Inf(-1)
		all, err := b.combinations(state, hidden, func(s []uint64) error {
			v, err := b.m.Term(t, s, action)
			if err == nil {
				best = max(best, v)
			}
			return defined(err)
		})
		if err != nil {
			return 0, err
		}
		if !all || math.IsInf(best, -1) {
			_, best = b.m.TermRange(t)
		}
		sum += best
	}
	return sum, nil
}

// state returns the number of a state of the pattern, which may be new.
func (b *builder) state(p *pattern, state []uint64) uint32 {
	key := b.keyOf(state, p.mask)
	if i, ok := p.index[string(key)]; ok {
		return i
	}
	i := uint32(len(p.index))
	p.index[string(key)] = i
	for w, m := range p.mask {
		p.keys = append(p.keys, state[w]&m)
	}
	return i
}

// build lists the states of the pattern that can be reached, and their moves. The error is errTooLarge
// beyond a number of leaves.
func (b *builder) build(p *pattern, most int) error {
	p.index, p.keys, p.moves = map[string]uint32{}, nil, nil
	start := make([]uint64, b.words)
	b.m.Start(start)
	p.start = b.state(p, start)
	used := 0
	for i := uint32(0); int(i) < len(p.index); i++ {
		if err := b.stop(); err != nil {
			return err
		}
		state := slices.Clone(p.key(i, b.words))
		won, err := b.wins(p, state)
		if err != nil {
			return err
		}
		p.won = append(p.won, won)
		for c := range p.members {
			never, err := b.never(p, state, c)
			if err != nil {
				return err
			}
			mv := move{never: never}
			if !never {
				if mv, err = b.move(p, state, p.members[c][0], most-used); err != nil {
					return err
				}
			}
			if used += len(mv.leaves) + 1; used > most {
				return errTooLarge
			}
			p.moves = append(p.moves, mv)
		}
	}
	return nil
}

// wins reports whether the pattern's conditions hold.
func (b *builder) wins(p *pattern, state []uint64) (bool, error) {
	for _, g := range p.goals {
		if ok, err := b.m.Condition(g, state); !ok || err != nil {
			return false, err
		}
	}
	return len(p.goals) > 0, nil
}

// move makes a move, unless it has more than a number of leaves.
func (b *builder) move(p *pattern, state []uint64, action uint32, most int) (m move, err error) {
	if m.reward, err = b.pay(p, state, action); err != nil {
		return m, err
	}
	size := 1
	next := make([]uint64, b.words)
	for _, f := range p.factors {
		x, err := b.fold(p, f, state, action)
		if err != nil {
			return m, err
		}
		if x.n == 1 {
			for w := range next {
				next[w] |= x.values[w]
			}
			continue
		}
		if size *= x.n; size > most {
			return m, errTooLarge
		}
		m.folds = append(m.folds, x)
	}
	slices.SortStableFunc(m.folds, func(x, y fold) int { return min(2, len(y.alts)) - min(2, len(x.alts)) })
	m.joint = []float64{1}
	for i := range m.folds {
		if x := &m.folds[i]; len(x.alts) > 1 {
			m.open++
		} else {
			with := make([]float64, 0, len(m.joint)*x.n)
			for _, q := range m.joint {
				for _, w := range x.alts[0] {
					with = append(with, q*w)
				}
			}
			m.joint = with
		}
	}
	m.leaves = make([]uint32, 0, size)
	b.leaf(p, &m, 0, next)
	return m, nil
}

func (b *builder) leaf(p *pattern, m *move, k int, next []uint64) {
	if k == len(m.folds) {
		m.leaves = append(m.leaves, b.state(p, next))
		return
	}
	x := &m.folds[k]
	for i := range x.n {
		with := slices.Clone(next)
		for w := range with {
			with[w] |= x.values[i*b.words+w]
		}
		b.leaf(p, m, k+1, with)
	}
}
