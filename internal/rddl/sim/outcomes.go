package sim

import (
	"errors"
	"math"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/source"
)

// Outcomes lists what the steps of a problem can lead to, with probabilities. It belongs to one
// goroutine.
type Outcomes struct {
	r        *Runner
	decided  []assign // what the state and the action decide, in order
	groups   []group
	perState bool // the reward depends on what is drawn
	lists    [][]float64
}

// group is a ground.Group compiled.
type group struct {
	assigns []assign
	reads   []int
	rows    []row            // of the present step
	memo    map[string][]row // by the values of reads
	at      int
}

// row is what the fluents of a group can be together.
type row struct {
	values   []float64
	p        float64
	unlikely int  // draws that do not have their most likely outcome, at least
	outside  bool // a value that its fluent cannot have
}

// Outcome is one result of a step; the next values of the state are read with Next.
type Outcome struct {
	P        float64
	Reward   float64
	Unlikely int  // draws that do not have their most likely outcome; of equal results, the least number
	Outside  bool // a fluent has a value that its type or range excludes
}

// maxRows bounds the remembered rows of a group.
const maxRows = 1 << 20

// ErrManyOutcomes reports a step with too many joint outcomes to be listed.
var ErrManyOutcomes = errors.New("a step has more outcomes than can be listed")

// maxOutcomes bounds the joint outcomes of a step.
const maxOutcomes = 1 << 22

// NewOutcomes prepares to list the outcomes of steps.
func (s *Simulator) NewOutcomes() (*Outcomes, error) {
	o := &Outcomes{r: s.NewRunner(nil)}
	decided, random := s.p.Groups()
	of := map[int]assign{}
	for _, a := range s.assigns {
		of[a.fluent] = a
	}
	for _, i := range decided {
		o.decided = append(o.decided, of[i])
	}
	drawn := map[int]bool{}
	for _, g := range random {
		c := group{reads: g.Reads, memo: map[string][]row{}}
		for _, i := range g.Fluents {
			c.assigns = append(c.assigns, of[i])
			drawn[i] = true
		}
		o.groups = append(o.groups, c)
	}
	now, next := refs(s.p, s.p.Reward)
	for _, i := range append(now, next...) {
		if s.p.Fluents[i].Kind == ground.Observ {
			return nil, at(s.p.Reward.Pos, "the reward reads the observation %s; expected states, actions and intermediate fluents", s.p.Fluents[i].Name)
		}
	}
	for _, i := range next {
		o.perState = o.perState || drawn[i]
	}
	for _, i := range now {
		o.perState = o.perState || drawn[i] && s.p.Fluents[i].Kind == ground.Interm
	}
	if draws(s.p.Reward) {
		return nil, at(s.p.Reward.Pos, "the reward draws at random; expected one that follows from states, actions and intermediate fluents")
	}
	if err := s.drawer.unknown(s); err != nil {
		return nil, err
	}
	o.lists = make([][]float64, len(s.drawer.parts))
	return o, nil
}

// Runner is the runner in whose present state the steps are taken; the caller sets it.
func (o *Outcomes) Runner() *Runner { return o.r }

// Actions calls f for each joint action that is legal in the present state, whose values the runner
// then has, in an order that depends on the state alone.
func (o *Outcomes) Actions(f func() error) error {
	d := &o.r.s.drawer
	o.r.setActions(o.r.s.noop)
	if ok, err := o.r.legal(d.fixed, d.before); err != nil || !ok {
		return err
	}
	for k := range d.parts {
		pt := &d.parts[k]
		if pt.continuous() {
			return at(ground.Pos{}, "an action is real, with infinitely many values; expected finitely many")
		}
		list := o.lists[k][:0]
		err := o.r.enumerate(pt, d.before, func() bool {
			for i := range pt.vars {
				list = append(list, o.r.m.vals[pt.vars[i].fluent])
			}
			return true
		})
		if err != nil {
			return err
		}
		if o.lists[k] = list; len(list) == 0 {
			return nil
		}
	}
	return o.product(0, f)
}

// product combines the legal values of the parts.
func (o *Outcomes) product(k int, f func() error) error {
	if k == len(o.lists) {
		return f()
	}
	vars := o.r.s.drawer.parts[k].vars
	for i := 0; i < len(o.lists[k]); i += len(vars) {
		for j := range vars {
			o.r.m.vals[vars[j].fluent] = o.lists[k][i+j]
		}
		if err := o.product(k+1, f); err != nil {
			return err
		}
	}
	return nil
}

// Next is the value of a state fluent after the step.
func (o *Outcomes) Next(fluent int) float64 { return o.r.m.next[fluent] }

// Each calls f for each outcome of the joint action that the runner has; Next has the state after
// it. The probabilities sum to 1 but for rounding. There is no outcome where the state and the action
// decide a value that its fluent cannot have: they forbid the step.
func (o *Outcomes) Each(f func(Outcome) error) error {
	m := &o.r.m
	outside, err := o.compute(o.decided)
	if err != nil || outside {
		return err
	}
	joint := 1.0
	for k := range o.groups {
		g := &o.groups[k]
		if err := o.list(g); err != nil {
			return err
		}
		g.at = 0
		o.set(g)
		joint *= float64(len(g.rows))
	}
	if joint > maxOutcomes {
		return ErrManyOutcomes
	}
	out := Outcome{}
	if !o.perState {
		if out.Reward, err = o.reward(); err != nil {
			return err
		}
	}
	for {
		out.P, out.Unlikely, out.Outside = 1, 0, false
		for k := range o.groups {
			r := &o.groups[k].rows[o.groups[k].at]
			out.P *= r.p
			out.Unlikely += r.unlikely
			out.Outside = out.Outside || r.outside
		}
		if o.perState && !out.Outside {
			if out.Reward, err = o.reward(); err != nil {
				return err
			}
		}
		if err := f(out); err != nil {
			return err
		}
		k := len(o.groups) - 1
		for ; k >= 0; k-- {
			g := &o.groups[k]
			g.at++
			if g.at == len(g.rows) {
				g.at = 0
			}
			if o.set(g); g.at > 0 {
				break
			}
		}
		if k < 0 {
			m.fault = fault{}
			return nil
		}
	}
}

// set gives the fluents of a group the values of its present row.
func (o *Outcomes) set(g *group) {
	for i, a := range g.assigns {
		if v := g.rows[g.at].values[i]; a.next {
			o.r.m.next[a.fluent] = v
		} else {
			o.r.m.vals[a.fluent] = v
		}
	}
}

// list lists what a group can be in this step.
func (o *Outcomes) list(g *group) error {
	var buf [64]byte
	key := buf[:0]
	for _, i := range g.reads {
		switch v := o.r.m.vals[i]; {
		case v == math.Trunc(v) && v >= 0 && v < 255:
			key = append(key, byte(v))
		default:
			key = append(key, 255)
			for b, x := 0, math.Float64bits(v); b < 64; b += 8 {
				key = append(key, byte(x>>b))
			}
		}
	}
	var known bool
	if g.rows, known = g.memo[string(key)]; known {
		return nil
	}
	rows, err := o.enumerate(g)
	if err != nil {
		return err
	}
	if len(g.memo)*len(rows) > maxRows {
		clear(g.memo)
	}
	g.memo[string(key)], g.rows = rows, rows
	return nil
}

// enumerate computes a group for every outcome of its draws. Equal rows become one.
func (o *Outcomes) enumerate(g *group) ([]row, error) {
	m := &o.r.m
	m.fork = &fork{}
	defer func() { m.fork = nil }()
	var rows []row
	same := map[string]int{}
	for more := true; more; more = m.fork.path.Next() {
		m.fork.p, m.fork.unlikely = 1, 0
		outside, err := o.compute(g.assigns)
		if err != nil {
			return nil, err
		}
		r := row{p: m.fork.p, unlikely: m.fork.unlikely, outside: outside}
		var key []byte
		for _, a := range g.assigns {
			v := m.vals[a.fluent]
			if a.next {
				v = m.next[a.fluent]
			}
			r.values = append(r.values, v)
			for b, x := 0, math.Float64bits(v); b < 64 && (a.next || o.perState); b += 8 {
				key = append(key, byte(x>>b))
			}
		}
		if i, ok := same[string(key)]; ok {
			rows[i].p += r.p
			rows[i].unlikely = min(rows[i].unlikely, r.unlikely)
			continue
		}
		same[string(key)] = len(rows)
		if rows = append(rows, r); len(rows) > maxOutcomes {
			return nil, ErrManyOutcomes
		}
	}
	return rows, nil
}

// compute evaluates cpfs in order. outside reports a value that its fluent cannot have.
func (o *Outcomes) compute(list []assign) (outside bool, err error) {
	err = o.r.compute(list, func(*assign, float64) error { outside = true; return nil })
	return outside, err
}

func (o *Outcomes) reward() (float64, error) {
	v := o.r.s.reward(&o.r.m)
	if o.r.m.fault.node != nil {
		return 0, o.r.takeFault("reward")
	}
	if v-v != 0 {
		pos := o.r.s.p.Reward.Pos
		return 0, source.Errorf(pos.File, pos.Line, pos.Col, "the reward is not a finite number")
	}
	return v, nil
}

// Test compiles a condition on states, such as a goal, to a function of the runner's present state.
func (o *Outcomes) Test(n *ground.Node) (func() (bool, error), error) {
	s := o.r.s
	c := newCompiler(s.p)
	cond := ground.Condition{Expr: n, Pos: n.Pos, Text: n.String()}
	holds := c.pred(n)
	if c.err != nil {
		return nil, c.err
	}
	before, err := s.needed([]ground.Condition{cond})
	if err != nil {
		return nil, err
	}
	return func() (bool, error) {
		if err := o.r.compute(before, o.r.badValue); err != nil {
			return false, err
		}
		v := holds(&o.r.m)
		if o.r.m.fault.node != nil {
			return false, o.r.takeFault("goal")
		}
		return v, nil
	}, nil
}
