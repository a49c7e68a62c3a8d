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

const (
	mostSets = 32  // of a step; joining more to 12 made a tube three times as wide after 4 steps
	mostCols = 240 // symbols of a set
)

// reacher computes the sets of a plan.
type reacher struct {
	t    *Task
	cols int // symbols in use
}

// Reach computes a tube of a plan. What it says of rules and of the goal holds for all states between its bounds that
// the system may come to; it may say that a rule may be broken where none is.
func (t *Task) Reach(ctx context.Context, plan [][]int64) (*Tube, error) {
	r := &reacher{t: t}
	sets := []*set{r.start()}
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
		out.see(t, sets, k+1, u, before, k == len(plan))
		if k == len(plan) {
			return out, nil
		}
		sets = r.step(sets, u, k+1)
		before = u
	}
}

func (r *reacher) start() *set {
	s := &set{x: make([]form, len(r.t.Start))}
	for i, v := range r.t.Start {
		s.x[i] = form{c: float64(v)}
	}
	return s
}

// see notes what is known of step k.
func (o *Tube) see(t *Task, sets []*set, k int, u, before []int64, last bool) {
	n := len(t.States)
	low, high := make([]int64, n), make([]int64, n)
	for i := range n {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, s := range sets {
			hi = max(hi, s.below(s.x[i], hi))
			lo = min(lo, -s.below(negated(s.x[i]), -lo))
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
			worst = max(worst, s.below(a.of(s.x, orZero(u, len(t.Actions))), worst))
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

func orZero(u []int64, n int) []int64 {
	if u == nil {
		return make([]int64, n)
	}
	return u
}

// part is a set in which some states have the same leaf everywhere.
type part struct {
	*set
	leaves []*Linear
}

// step returns sets that contain what a step leads to.
func (r *reacher) step(sets []*set, u []int64, k int) []*set {
	var out []*set
	base := r.cols
	r.cols += len(r.t.States)
	for _, s := range sets {
		parts := []part{{set: s}}
		for i := range r.t.Next {
			var next []part
			for _, p := range parts {
				if r.t.Next[i].Given != nil {
					next = append(next, part{p.set, append(p.leaves[:i:i], nil)})
					continue
				}
				next = split(next, p, r.t.Next[i].Function, u)
			}
			parts = next
		}
		for _, p := range parts {
			out = append(out, r.apply(p, u, k, base)...)
		}
		if len(out) > 4*mostSets {
			out = r.merge(out)
		}
	}
	out = r.merge(out)
	r.within(out)
	r.reduce(out)
	return out
}

// within makes states that are wider than their range, but for rows, as wide as that, so that nothing grows without end.
func (r *reacher) within(sets []*set) {
	for _, s := range sets {
		for i := range s.x {
			q := &r.t.States[i]
			if width := float64(q.Hi - q.Lo); s.x[i].most()+negatedMost(&s.x[i]) > width+1 {
				middle := form{c: float64(q.Lo+q.Hi) / 2} // exact, or half of an odd number
				s.x[i] = middle.plus(r.cols+i, width/2)
			}
		}
	}
	r.cols += len(r.t.States)
}

// split appends the parts of p by leaf of f.
func split(out []part, p part, f *Function, u []int64) []part {
	if f.If == nil {
		n := len(p.leaves)
		return append(out, part{p.set, append(p.leaves[:n:n], &f.Leaf)})
	}
	v := f.If.of(p.x, u)
	if f.If.beats(p.below(v, -1e-9)) {
		return split(out, p, f.Then, u)
	}
	if low := -p.below(negated(v), -1e-9); low > 0 || f.If.Strict && low >= 0 {
		return split(out, p, f.Else, u)
	}
	out = split(out, part{p.with(v), p.leaves}, f.Then, u)
	return split(out, part{p.with(negated(v)), p.leaves}, f.Else, u)
}

// apply returns what a part leads to, in as many sets as the ends of ranges cut it.
func (r *reacher) apply(p part, u []int64, k, base int) []*set {
	made := []*set{{x: nil, rows: p.rows}}
	for i := range r.t.Next {
		n := &r.t.Next[i]
		var v form
		low, high := float64(n.Low), float64(n.High)
		if p.leaves[i] == nil {
			v = form{c: float64(n.given(k))}
		} else if v = p.leaves[i].of(p.x, u); !p.leaves[i].exact() {
			low, high = low-.5, high+.5
		}
		radius := (high - low) / 2
		v.c += (low + high) / 2
		if v.e > 0 || (low+high)/2 != 0 && v.c != math.Trunc(v.c) {
			radius = up(radius+v.e, radius+v.e+math.Abs(v.c), 2)
		}
		v.e = 0
		v = v.plus(base+i, radius)
		var next []*set
		for _, s := range made {
			next = append(next, clamp(s, v, &r.t.States[i])...)
		}
		made = next
	}
	return made
}

// clamp appends a state to a set that is being made, cut off at the ends of its range.
func clamp(s *set, v form, q *Quantity) (out []*set) {
	add := func(s *set, v form) { out = append(out, &set{append(s.x[:len(s.x):len(s.x)], v), s.rows}) }
	lo, hi := float64(q.Lo), float64(q.Hi)
	above, below := s.below(v, hi) > hi, s.below(negated(v), -lo) > -lo
	inner := s
	if above {
		over := v
		over.c -= hi // exact within what up allows for: with rounds outward
		add(s.with(negated(over)), form{c: hi})
		inner = inner.with(over)
	}
	if below {
		under := negated(v)
		under.c += lo
		add(s.with(negated(under)), form{c: lo})
		inner = inner.with(under)
	}
	add(inner, v)
	return out
}

// merge joins the nearest sets until there are few.
func (r *reacher) merge(sets []*set) []*set {
	for len(sets) > mostSets {
		a, b, least := 0, 1, math.Inf(1)
		for i := range sets {
			for j := range i {
				d := 0.0
				for k := range sets[i].x {
					d += math.Abs(sets[i].x[k].c - sets[j].x[k].c)
				}
				if d < least {
					a, b, least = j, i, d
				}
			}
		}
		sets[a] = join(sets[a], sets[b], r.cols)
		r.cols += len(r.t.States)
		sets[b] = sets[len(sets)-1]
		sets = sets[:len(sets)-1]
	}
	return sets
}
