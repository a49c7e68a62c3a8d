package scenario

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// Draws tells what is drawn in the steps of a problem.
type Draws interface {
	// Draws lists what is drawn in the step from the state and with the action of now.
	Draws(now factored.Valuation) ([]*factored.Draw, error)
	// Factors write each state that is drawn once. Given state and action, each draws independently of the others.
	Factors() []factored.Scope
	// Next lists what the states of a factor can be after the step of now, of which only what the factor reads counts.
	Next(factor int, now factored.Valuation) (*factored.Draw, error)
	MayEnd() bool // a run may end before the horizon, whatever is planned
	// Ends reports whether a run ends in the state of now, whatever is planned.
	Ends(now factored.Valuation) (bool, error)
}

// Question is what is asked of the plan or policy.
type Question struct {
	Problem      *factored.Problem
	Draws        Draws
	Start        factored.Valuation
	Disturbances int
	Goal         bool // each run is to reach the goal, where it ends; else to keep the rules for the horizon
	Blind        bool // the actions are the same in all runs; else they may differ after different events
	// Above asks for a reward of each run that is above it over at most Horizon steps, in the scale of the problem; nil for any.
	Above   *int64
	Horizon int
}

// ErrUnsuited is wrapped by the error about a question that cannot be asked this way.
var ErrUnsuited = errors.New("scenarios do not fit the problem")

// Joint is the problem of a plan or policy that holds in some scenarios. It has a solution over a horizon if there is a policy that
// holds in all runs with at most so many disturbances.
type Joint struct {
	Problem *factored.Problem
	copies  []run
	q       *Question
	tables  *Tables
}

// run is the copy of the problem for one scenario.
type run struct {
	events  []factored.Event
	bits    []factored.Bit // of the problem's bits
	end     factored.Bit   // the run has ended
	past    factored.Bit   // it had ended a step before
	parent  int            // an earlier scenario with the same events before step differs; -1 for none
	differs int
	total   int // the variable of the reward so far; none without Above
}

// New makes the joint problem. An event is at a step from 1 on, and the disturbances of a scenario are at most those of the question.
func New(q *Question, t *Tables, scenarios [][]factored.Event) (*Joint, error) {
	j := &Joint{Problem: factored.NewProblem(q.Problem.Name), q: q, tables: t}
	if err := j.suits(); err != nil {
		return nil, err
	}
	for w, events := range scenarios {
		most, step := q.Disturbances, 1
		for _, e := range events {
			if most -= e.Most; e.Most < 0 || e.Rank < 1 || e.Step < step || t.of[e.Variable] == nil || most < 0 {
				return nil, fmt.Errorf("event %v of scenario %d is of no draw, not in order, or one too many", e, w)
			}
			step = e.Step
		}
		if err := j.copy(w, events); err != nil {
			return nil, err
		}
	}
	return j, j.Problem.Check()
}

// suits refuses what cannot be asked.
func (j *Joint) suits() error {
	q := j.q
	for i := range q.Problem.Transition {
		c := &q.Problem.Transition[i]
		for _, t := range c.Terms {
			if !t.Lit.Next {
				continue
			}
			if v, _ := q.Problem.Owner(t.Lit.Bit); j.tables.drawn[v.First] && !c.Gate && !c.Defines {
				return fmt.Errorf("%w: a rule is about the next value of %s, which is drawn", ErrUnsuited, v.Name)
			}
		}
	}
	switch {
	case len(q.Problem.Outputs) > 0:
		return fmt.Errorf("%w: a network gives next values", ErrUnsuited)
	case !q.Goal && q.Draws.MayEnd():
		return fmt.Errorf("%w: runs may end, and there is no goal to reach", ErrUnsuited)
	}
	return nil
}

// copy adds the copy of the problem for a scenario.
func (j *Joint) copy(w int, events []factored.Event) error {
	p := j.q.Problem
	r := run{events: events, bits: make([]factored.Bit, p.NumBits()), parent: -1}
	r.parent, r.differs = j.nearest(events)
	for i := range p.Variables {
		v := p.Variables[i]
		if v.Kind == factored.Action && j.q.Blind && w > 0 {
			for b := range v.Width {
				r.bits[int(v.First)+b] = j.copies[0].bits[int(v.First)+b]
			}
			continue
		}
		first, err := j.variable(factored.Variable{Name: fmt.Sprintf("%s@%d", v.Name, w), Kind: v.Kind, Bool: v.Bool, Lo: v.Lo, Hi: v.Hi, Default: v.Default})
		if err != nil {
			return err
		}
		for b := range v.Width {
			r.bits[int(v.First)+b] = first + factored.Bit(b)
		}
	}
	if err := j.ends(w, &r); err != nil {
		return err
	}
	for _, b := range p.Bits(factored.State) {
		value := int64(0)
		if j.q.Start[b] {
			value = 1
		}
		put(&j.Problem.Initial, factored.EQ, value, now(r.bits[b], 1))
	}
	j.rules(&r)
	if err := j.rewards(w, &r); err != nil {
		return err
	}
	j.copies = append(j.copies, r)
	if err := j.draw(&r); err != nil {
		return err
	}
	return j.share(w)
}

func (j *Joint) variable(v factored.Variable) (factored.Bit, error) {
	i, err := j.Problem.AddVariable(v)
	if err != nil {
		return 0, err
	}
	return j.Problem.Variables[i].First, nil
}

// state adds a Boolean state.
func (j *Joint) state(name string) (factored.Bit, error) {
	return j.variable(factored.Variable{Name: name, Kind: factored.State, Bool: true})
}

// nearest is the earlier scenario that has the same events up to the latest step, and the step in which they differ.
func (j *Joint) nearest(events []factored.Event) (parent, differs int) {
	parent = -1
	for k := range j.copies {
		if d := Differ(j.copies[k].events, events); d > differs {
			parent, differs = k, d
		}
	}
	return parent, differs
}

// Differ is the first step with different events.
func Differ(a, b []factored.Event) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	switch {
	case i < len(a) && i < len(b):
		return min(a[i].Step, b[i].Step)
	case i < len(a):
		return a[i].Step
	case i < len(b):
		return b[i].Step
	}
	return 1 << 30
}

// lit is a literal of a bit of a copy.
func (r *run) lit(l factored.Lit) factored.Lit {
	l.Bit = r.bits[l.Bit]
	return l
}

// ends says when the run of a copy has ended: only in a state in which the goal holds, and never without a goal.
func (j *Joint) ends(w int, r *run) (err error) {
	if r.end, err = j.state(fmt.Sprintf("end@%d", w)); err != nil {
		return err
	}
	if r.past, err = j.state(fmt.Sprintf("past@%d", w)); err != nil {
		return err
	}
	p, end, past := j.Problem, factored.Lit{Bit: r.end}, factored.Lit{Bit: r.past}
	put(&p.Initial, factored.EQ, 0, now(r.past, 1))
	put(&p.Transition, factored.EQ, 0, next(r.past, 1), now(r.end, -1))
	if !j.q.Goal {
		put(&p.Global, factored.EQ, 0, now(r.end, 1))
		return nil
	}
	clause(&p.Global, end, past.Not())
	clause(&p.Goal, end)
	for i := range j.q.Problem.Goal {
		j.relaxed(&p.Global, r, &j.q.Problem.Goal[i], end.Not(), past)
	}
	return nil
}

// put adds a sum of terms to a list.
func put(list *[]factored.Constraint, op factored.Op, k int64, terms ...factored.Term) {
	*list = append(*list, factored.Constraint{Terms: terms, Op: op, K: k, Origin: "scenario"})
}

// clause adds a disjunction to a list.
func clause(list *[]factored.Constraint, lits ...factored.Lit) {
	var terms []factored.Term
	for _, l := range lits {
		terms = append(terms, factored.Term{Coef: 1, Lit: l})
	}
	put(list, factored.GE, 1, terms...)
}

// now and next are terms of a bit.
func now(b factored.Bit, coef int64) factored.Term {
	return factored.Term{Coef: coef, Lit: factored.Lit{Bit: b}}
}

func next(b factored.Bit, coef int64) factored.Term {
	return factored.Term{Coef: coef, Lit: factored.Lit{Bit: b, Next: true}}
}

// rules are the constraints of the problem in a copy. Those of states hold until the run has ended a step before, and
// those of steps until it has ended. What defines auxiliary variables excludes nothing, and holds anyway.
func (j *Joint) rules(r *run) {
	p := j.q.Problem
	for i := range p.Global {
		switch c := &p.Global[i]; {
		case c.Defines:
			j.relaxed(&j.Problem.Global, r, c)
		case p.HasAction(c):
			j.relaxed(&j.Problem.Global, r, c, factored.Lit{Bit: r.end})
		default:
			j.relaxed(&j.Problem.Global, r, c, factored.Lit{Bit: r.past})
		}
	}
	for i := range p.Transition {
		c := &p.Transition[i]
		next := slices.ContainsFunc(c.Terms, func(t factored.Term) bool { return t.Lit.Next })
		if (c.Gate || c.Defines) && !next {
			j.relaxed(&j.Problem.Transition, r, c)
		} else {
			j.relaxed(&j.Problem.Transition, r, c, factored.Lit{Bit: r.end})
		}
	}
}

// relaxed adds a constraint of the problem to a list, for a copy, unless one of some literals holds.
func (j *Joint) relaxed(list *[]factored.Constraint, r *run, c *factored.Constraint, unless ...factored.Lit) {
	d := *c
	d.Terms, d.Written, d.Function = nil, nil, false
	for _, t := range c.Terms {
		d.Terms = append(d.Terms, factored.Term{Coef: t.Coef, Lit: r.lit(t.Lit)})
	}
	relax(list, &d, unless...)
}

// relax adds a constraint to a list, unless one of some literals holds.
func relax(list *[]factored.Constraint, c *factored.Constraint, unless ...factored.Lit) {
	for _, sign := range []int64{1, -1} {
		if sign == 1 && c.Op == factored.LE || sign == -1 && c.Op == factored.GE {
			continue
		}
		d := factored.Constraint{Op: factored.GE, K: sign * c.K, Origin: c.Origin, Defines: c.Defines && len(unless) == 0, Gate: c.Gate && len(unless) == 0}
		least := int64(0)
		for _, t := range c.Terms {
			d.Terms = append(d.Terms, factored.Term{Coef: sign * t.Coef, Lit: t.Lit})
			least += min(0, sign*t.Coef)
		}
		if d.K <= least {
			continue // it holds always
		}
		for _, l := range unless {
			d.Terms = append(d.Terms, factored.Term{Coef: d.K - least, Lit: l})
		}
		*list = append(*list, d)
	}
}

// Rewards bounds the reward of a run from below and above.
func (q *Question) Rewards() (lo, hi int64) {
	lo, hi = q.Problem.Reward.Constant, q.Problem.Reward.Constant
	for _, t := range q.Problem.Reward.Terms {
		lo, hi = lo+min(0, t.Weight), hi+max(0, t.Weight)
	}
	return min(0, lo*int64(q.Horizon)), max(0, hi*int64(q.Horizon))
}

// rewards adds the reward so far of a copy, which is to be above that of the question.
func (j *Joint) rewards(w int, r *run) error {
	if j.q.Above == nil {
		return nil
	}
	const most = 1 << 37 // what sums of it hold
	lo, hi := j.q.Rewards()
	if lo < -most || hi > most {
		return fmt.Errorf("%w: rewards of %d to %d", ErrUnsuited, lo, hi)
	}
	var err error
	if r.total, err = j.Problem.AddVariable(factored.Variable{Name: fmt.Sprintf("reward@%d", w), Kind: factored.State, Lo: lo, Hi: hi}); err != nil {
		return err
	}
	p, end, v := j.Problem, factored.Lit{Bit: r.end}, j.Problem.Variables[r.total]
	p.Initial = append(p.Initial, v.Equals(0, "scenario")...)
	var total, gain []factored.Term
	for i, b := range v.Bits() {
		total = append(total, now(b, v.Weight(i)))
		gain = append(gain, next(b, v.Weight(i)), now(b, -v.Weight(i)))
	}
	put(&p.Goal, factored.GE, *j.q.Above+1, total...)
	relax(&p.Transition, &factored.Constraint{Terms: gain, Op: factored.EQ}, end.Not())
	more := factored.Constraint{Terms: slices.Clone(gain), Op: factored.EQ, K: j.q.Problem.Reward.Constant}
	for _, t := range j.q.Problem.Reward.Terms {
		more.Terms = append(more.Terms, factored.Term{Coef: -t.Weight, Lit: r.lit(t.Lit)})
	}
	relax(&p.Transition, &more, end)
	return j.firm(w, r)
}

// firm has the run of a copy end as soon as the goal holds: until then a part of the goal fails.
func (j *Joint) firm(w int, r *run) error {
	if !j.q.Goal {
		return nil
	}
	some := []factored.Lit{{Bit: r.end}}
	var parts []factored.Constraint
	for i := range j.q.Problem.Goal {
		j.relaxed(&parts, r, &j.q.Problem.Goal[i])
	}
	for i, c := range parts {
		b, err := j.state(fmt.Sprintf("fails@%d,%d", w, i))
		if err != nil {
			return err
		}
		fails := factored.Lit{Bit: b}
		some = append(some, fails)
		c.Op, c.K = factored.LE, c.K-1
		relax(&j.Problem.Global, &c, fails.Not())
	}
	clause(&j.Problem.Global, some...)
	return nil
}

// Total is the reward of the run of a scenario before a step of a solution, where it was asked for.
func (j *Joint) Total(t *factored.Trace, scenario, step int) int64 {
	if j.q.Above == nil {
		return 0
	}
	return j.Problem.Variables[j.copies[scenario].total].Value(t.Steps[step-1])
}

// share has a copy do, and be, what an earlier one does and is, until their events differ.
func (j *Joint) share(w int) error {
	r := &j.copies[w]
	if r.parent < 0 {
		return nil
	}
	u := &j.copies[r.parent]
	same, err := j.state(fmt.Sprintf("same@%d", w))
	if err != nil {
		return err
	}
	p := j.Problem
	put(&p.Initial, factored.EQ, 1, now(same, 1))
	changes := []factored.Term{next(same, 1), now(same, -1)}
	if r.differs < 1<<30 {
		clock, err := p.AddClock(r.differs)
		if err != nil {
			return err
		}
		changes = append(changes, now(clock.First, 1))
	}
	put(&p.Transition, factored.EQ, 0, changes...)
	var pairs [][2]factored.Bit
	for b := range r.bits {
		if k := j.q.Problem.Kind(factored.Bit(b)); k != factored.Auxiliary && u.bits[b] != r.bits[b] {
			pairs = append(pairs, [2]factored.Bit{u.bits[b], r.bits[b]})
		}
	}
	pairs = append(pairs, [2]factored.Bit{u.end, r.end})
	if j.q.Above != nil {
		for i, b := range p.Variables[u.total].Bits() {
			pairs = append(pairs, [2]factored.Bit{b, p.Variables[r.total].First + factored.Bit(i)})
		}
	}
	for _, x := range pairs {
		a, b := factored.Lit{Bit: x[0]}, factored.Lit{Bit: x[1]}
		clause(&p.Global, factored.Lit{Bit: same, Neg: true}, a, b.Not())
		clause(&p.Global, factored.Lit{Bit: same, Neg: true}, a.Not(), b)
	}
	return nil
}

// draw gives the drawn states of a copy the outcomes of its scenario.
func (j *Joint) draw(r *run) error {
	for _, t := range j.tables.list {
		var clocks []factored.Lit // of the events
		for _, e := range r.events {
			if e.Variable != t.first {
				continue
			}
			v, err := j.Problem.AddClock(e.Step)
			if err != nil {
				return err
			}
			clock := factored.Lit{Bit: v.First}
			if err := j.outcomes(r, t, e.Rank, e.Most, clock.Not()); err != nil {
				return err
			}
			clocks = append(clocks, clock)
		}
		if err := j.outcomes(r, t, 0, 0, clocks...); err != nil {
			return err
		}
	}
	return nil
}

// outcomes gives the states of a draw the outcomes of a rank in a copy, unless one of some literals holds.
func (j *Joint) outcomes(r *run, t *table, rank, most int, unless ...factored.Lit) error {
	leaves, err := t.leaves(j.q, rank, most)
	for _, c := range leaves {
		lits := slices.Clone(unless)
		for _, l := range c.lits {
			lits = append(lits, r.lit(l))
		}
		if c.fails {
			lits = append(lits, factored.Lit{Bit: r.end})
		}
		clause(&j.Problem.Transition, lits...)
	}
	return err
}

// Actions are what a solution does in the run of a scenario.
func (j *Joint) Actions(t *factored.Trace, scenario int) (list []factored.Valuation) {
	for _, now := range t.Steps[:t.Horizon()] {
		list = append(list, j.part(now, scenario, factored.Action))
	}
	return list
}

// States are those that the run of a scenario passes in a solution, as long as it has not ended.
func (j *Joint) States(t *factored.Trace, scenario int) (list []factored.Valuation) {
	for _, now := range t.Steps[:t.Horizon()] {
		if now[j.copies[scenario].end] {
			break
		}
		list = append(list, j.part(now, scenario, factored.State))
	}
	return list
}

// part is the variables of one kind in a copy.
func (j *Joint) part(now factored.Valuation, scenario int, kind factored.Kind) factored.Valuation {
	out := make(factored.Valuation, len(j.copies[scenario].bits))
	for b, to := range j.copies[scenario].bits {
		out[b] = now[to] && j.q.Problem.Kind(factored.Bit(b)) == kind
	}
	return out
}
