package tube

import (
	"context"
	"math"
)

// Tube bounds where a plan may lead for every course of errors within the bands.
type Tube struct {
	// Low and High bound each state, at steps 1..H+1; they are outside of its range where nothing can be there.
	Low, High [][]int64
	// Broken is the first step at which a rule may be broken, or the goal may not hold, from 1; 0 if the plan holds
	// against every error. Text is the rule.
	Broken int
	Text   string
	// Excess is for each state and rule an upper bound on the form of the rule, and beyond the rules on those of the
	// goal at the end.
	Excess [][]float64
	Sets   int // the greatest number of sets at a step
}

// mostSets bounds the sets of a step; joining more to 12 made a tube three times as wide after 4 steps.
const mostSets = 32

// fewSets bounds them from where errors may lead a state anywhere in its range: more would make the tube no narrower.
const fewSets = 4

// reacher computes the sets of a plan.
type reacher struct {
	t    *Task
	vars []box // of the sets: each -1..1
	most int   // sets of a step
	work int64
}

// more adds a variable for each state, and returns the first.
func (r *reacher) more() int {
	n := len(r.vars)
	for range r.t.States {
		r.vars = append(r.vars, box{-1, 1})
	}
	return n
}

// below is an upper bound on a form over a set, or any bound that is at most enough.
func (r *reacher) below(s *set, f row, enough float64) float64 {
	_, most := f.bounds(r.vars)
	if most <= enough || len(s.rows) == 0 {
		return most
	}
	least := f.negated()
	bound, _ := newProgram(r.vars, 1, &r.work, s.rows).least(&least)
	return min(most, -bound)
}

// Reach computes a tube of a plan. What it says of rules and of the goal holds for all states between its bounds that
// the system may come to; it may say that a rule may be broken where none is.
func (t *Task) Reach(ctx context.Context, plan [][]int64) (*Tube, error) {
	r := &reacher{t: t, most: mostSets}
	sets := []*set{{x: constants(t.Start)}}
	out := &Tube{}
	before := t.Before
	for k := 0; ; k++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var u []int64
		if k < len(plan) {
			u = plan[k]
		}
		out.see(r, sets, k+1, u, before, k == len(plan))
		if k == len(plan) {
			return out, nil
		}
		for i, q := range t.States {
			if n := &t.Next[i]; n.Low < n.High && out.Low[k][i] <= q.Lo && out.High[k][i] >= q.Hi {
				r.most = fewSets
			}
		}
		sets = r.step(sets, constants(u), k+1)
		before = u
	}
}

// see notes what is known of step k.
func (o *Tube) see(r *reacher, sets []*set, k int, u, before []int64, last bool) {
	t, n := r.t, len(r.t.States)
	low, high := make([]int64, n), make([]int64, n)
	for i := range n {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, s := range sets {
			hi = max(hi, r.below(s, s.x[i], hi))
			lo = min(lo, -r.below(s, s.x[i].negated(), -lo))
		}
		low[i], high[i] = max(t.States[i].Lo, int64(math.Ceil(lo))), min(t.States[i].Hi, int64(math.Floor(hi)))
	}
	o.Low, o.High, o.Sets = append(o.Low, low), append(o.High, high), max(o.Sets, len(sets))
	var excess []float64
	check := func(a *Atom) {
		worst := math.Inf(-1)
		if a.Acts() && u == nil {
			excess = append(excess, worst)
			return
		}
		for _, s := range sets {
			worst = max(worst, r.below(s, a.over(s.x, constants(u), 1), worst))
		}
		excess = append(excess, worst)
		if !a.beats(worst) && o.Broken == 0 {
			o.Broken, o.Text = k, a.Text
		}
	}
	for i := range t.Rules {
		check(&t.Rules[i])
	}
	if last {
		for i := range t.Goal {
			check(&t.Goal[i])
		}
	}
	o.Excess = append(o.Excess, excess)
	if u != nil && o.Broken == 0 {
		bare := &Task{Model: t.Model, Change: t.Change}
		if b := bare.breaks(t.Start, u, before); b != "" {
			o.Broken, o.Text = k, b
		}
	}
}

// beats reports whether a holds for all integers at which its form is at most x.
func (a *Atom) beats(x float64) bool {
	if a.Strict {
		return x < 0
	}
	return x < 1/float64(a.D)*(1-8*eps) // its numerator is an integer
}

// constants are the rows of numbers.
func constants(x []int64) (out []row) {
	for _, v := range x {
		out = append(out, constant(v))
	}
	return out
}

// part is a set in which some states have the same leaf everywhere.
type part struct {
	*set
	leaves []*Linear
}

// step returns sets that contain what a step leads to.
func (r *reacher) step(sets []*set, u []row, k int) []*set {
	var out []*set
	base := r.more()
	for _, s := range sets {
		parts := []part{{set: s}}
		for i := range r.t.Next {
			var next []part
			for _, p := range parts {
				if r.t.Next[i].Given != nil {
					next = append(next, part{p.set, append(p.leaves[:i:i], nil)})
					continue
				}
				next = r.split(next, p, r.t.Next[i].Function, u)
			}
			parts = next
		}
		for _, p := range parts {
			out = append(out, r.apply(p, u, k, base)...)
		}
		if len(out) > 4*r.most {
			out = r.merge(out)
		}
	}
	return r.within(r.merge(out))
}

// within makes states that are wider than their range, but for rows, as wide as that, so that nothing grows without end.
func (r *reacher) within(sets []*set) []*set {
	base := r.more()
	for _, s := range sets {
		for i := range s.x {
			q := &r.t.States[i]
			if least, most := s.x[i].bounds(r.vars); most-least > float64(q.Hi-q.Lo)+1 {
				middle := row{c: float64(q.Lo+q.Hi) / 2} // exact, or half of an odd number
				s.x[i] = middle.spread(base+i, float64(q.Hi-q.Lo)/2)
			}
		}
	}
	return sets
}

// split appends the parts of p by leaf of f.
func (r *reacher) split(out []part, p part, f *Function, u []row) []part {
	if f.If == nil {
		n := len(p.leaves)
		return append(out, part{p.set, append(p.leaves[:n:n], &f.Leaf)})
	}
	v := f.If.over(p.x, u, 1)
	if f.If.beats(r.below(p.set, v, -1e-9)) {
		return r.split(out, p, f.Then, u)
	}
	if low := -r.below(p.set, v.negated(), -1e-9); low > 0 || f.If.Strict && low >= 0 {
		return r.split(out, p, f.Else, u)
	}
	out = r.split(out, part{p.with(v), p.leaves}, f.Then, u)
	return r.split(out, part{p.with(v.negated()), p.leaves}, f.Else, u)
}

// apply returns what a part leads to, in as many sets as the ends of ranges cut it.
func (r *reacher) apply(p part, u []row, k, base int) []*set {
	made := []*set{{rows: p.rows}}
	for i := range r.t.Next {
		n := &r.t.Next[i]
		var v row
		low, high := float64(n.Low), float64(n.High)
		if p.leaves[i] == nil {
			v = constant(n.given(k))
		} else if v = p.leaves[i].over(p.x, u, 1); !p.leaves[i].exact() {
			low, high = low-.5, high+.5
		}
		if low+high != 0 {
			v = v.plus((low + high) / 2)
		}
		v = v.spread(base+i, (high-low)/2)
		var next []*set
		for _, s := range made {
			next = append(next, r.clamp(s, v, &r.t.States[i])...)
		}
		made = next
	}
	return made
}

// clamp appends a state to a set that is being made, cut off at the ends of its range.
func (r *reacher) clamp(s *set, v row, q *Quantity) (out []*set) {
	add := func(s *set, v row) { out = append(out, &set{append(s.x[:len(s.x):len(s.x)], v), s.rows}) }
	lo, hi := float64(q.Lo), float64(q.Hi)
	above, below := r.below(s, v, hi) > hi, r.below(s, v.negated(), -lo) > -lo
	inner := s
	if above {
		over := v.plus(-hi)
		add(s.with(over.negated()), constant(q.Hi))
		inner = inner.with(over)
	}
	if below {
		under := v.negated().plus(lo)
		add(s.with(under.negated()), constant(q.Lo))
		inner = inner.with(under)
	}
	add(inner, v)
	return out
}

// merge joins the nearest sets until there are few.
func (r *reacher) merge(sets []*set) []*set {
	base := r.more()
	if len(sets) <= r.most {
		return sets
	}
	near, far := make([]int, len(sets)), make([]float64, len(sets)) // the nearest set before each, and how far it is
	look := func(i, j int) {
		if d := sets[i].distance(sets[j]); d < far[i] || d == far[i] && j < near[i] {
			near[i], far[i] = j, d
		}
	}
	lookAll := func(i int) {
		near[i], far[i] = i, math.Inf(1)
		for j := range i {
			look(i, j)
		}
	}
	for i := range sets {
		lookAll(i)
	}
	for len(sets) > r.most {
		b := 0
		for i, d := range far[:len(sets)] {
			if d < far[b] {
				b = i
			}
		}
		a := near[b]
		sets[a] = r.join(sets[a], sets[b], base)
		sets[b] = sets[len(sets)-1]
		sets = sets[:len(sets)-1]
		for i := a; i < len(sets); i++ {
			switch {
			case i == a || i == b || near[i] == a || near[i] == b:
				lookAll(i)
			default:
				look(i, a)
				if i > b {
					look(i, b)
				}
			}
		}
	}
	return sets
}

// distance is how far the middles of two sets are apart.
func (s *set) distance(o *set) (d float64) {
	for k := range s.x {
		d += math.Abs(s.x[k].c - o.x[k].c)
	}
	return d
}

// join returns a set that contains a and b, by variables in common. Those from base on are of its states alone.
func (r *reacher) join(a, b *set, base int) *set {
	out := &set{x: make([]row, len(a.x))}
	for i := range out.x {
		half := sum(0, .5, a.x[i], -.5, b.x[i], 1)
		least, most := half.bounds(r.vars)
		out.x[i] = sum(0, .5, a.x[i], .5, b.x[i], 1).spread(base+i, max(most, -least))
	}
	return out
}
