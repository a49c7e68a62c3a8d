package equivalence

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Written is a problem that is compared with what was written of it: a circuit over its bits, for conditions and effects.
type Written struct {
	task  engine.Task
	p     *factored.Problem // with the gates, whose constraints are in gates
	gates []factored.Constraint
	yes   factored.Lit
	known map[string]factored.Lit // by inputs
	err   error                   // of the first variable that could not be added
}

// Step is a written action: it is of a joint action, possible where Needs holds, and makes each bit of Next what its literal is now; other bits stay.
type Step struct {
	Action []factored.Lit
	Needs  factored.Lit
	Next   map[factored.Bit]factored.Lit
	Reward int64 // scaled
}

// Difference is a state, and the step in which problem and what is written of it differ.
type Difference struct {
	Now, Next factored.Valuation
	Added     bool // what is written allows it, and not the problem; else the other way round
}

// NewWritten begins a comparison.
func NewWritten(t engine.Task) (*Written, error) {
	w := &Written{task: t, p: t.Problem.Clone(), known: map[string]factored.Lit{}}
	w.p.Initial, w.p.Goal, w.p.Functions, w.p.Horizon = nil, nil, nil, 1
	w.p.Reward = factored.Reward{Scale: 1}
	w.yes = w.gate("true")
	w.gates = append(w.gates, clause(w.yes))
	return w, w.err
}

// gate adds a bit.
func (w *Written) gate(name string) factored.Lit {
	return w.bit(fmt.Sprintf("written %s %d", name, len(w.p.Variables)), factored.Auxiliary)
}

// bit adds one with a name. An error is kept for the question.
func (w *Written) bit(name string, kind factored.Kind) factored.Lit {
	id, err := w.p.AddVariable(factored.Variable{Name: name, Kind: kind, Bool: true})
	if err != nil {
		w.err = cmp.Or(w.err, err)
		return factored.Lit{}
	}
	return factored.Lit{Bit: w.p.Variables[id].First}
}

// clause states that one of the literals is true.
func clause(lits ...factored.Lit) factored.Constraint {
	c := factored.Constraint{Op: factored.GE, K: 1, Origin: "written"}
	for _, l := range lits {
		c.Terms = append(c.Terms, factored.Term{Coef: 1, Lit: l})
	}
	return c
}

// True is the literal that is always true.
func (w *Written) True() factored.Lit { return w.yes }

// Or is true where one of the literals is.
func (w *Written) Or(lits ...factored.Lit) factored.Lit {
	for i := range lits {
		lits[i] = lits[i].Not()
	}
	return w.And(lits...).Not()
}

// And is true where all literals are. The list is the caller's no more.
func (w *Written) And(lits ...factored.Lit) factored.Lit {
	slices.SortStableFunc(lits, func(a, b factored.Lit) int { return 4*int(a.Bit-b.Bit) + order(a) - order(b) })
	lits = slices.DeleteFunc(slices.Compact(lits), func(l factored.Lit) bool { return l == w.yes })
	for i, l := range lits {
		if l == w.yes.Not() || i > 0 && lits[i-1] == l.Not() {
			return w.yes.Not()
		}
	}
	switch len(lits) {
	case 0:
		return w.yes
	case 1:
		return lits[0]
	}
	key := fmt.Sprint(lits)
	if g, ok := w.known[key]; ok {
		return g
	}
	g := w.gate("gate")
	all := []factored.Lit{g}
	for _, l := range lits {
		w.gates = append(w.gates, clause(g.Not(), l))
		all = append(all, l.Not())
	}
	w.gates = append(w.gates, clause(all...))
	w.known[key] = g
	return g
}

func order(l factored.Lit) (n int) {
	if l.Next {
		n = 2
	}
	if l.Neg {
		n++
	}
	return n
}

// same is true where two literals have the same value.
func (w *Written) same(a, b factored.Lit) factored.Lit {
	return w.Or(w.And(a, b), w.And(a.Not(), b.Not()))
}

// Begin compares the initial states.
func (w *Written) Begin(ctx context.Context, needs factored.Lit) (*Difference, error) {
	return w.state(ctx, w.task.Problem.Initial, needs)
}

// End compares the states in which a plan may end.
func (w *Written) End(ctx context.Context, needs factored.Lit) (*Difference, error) {
	return w.state(ctx, w.task.Problem.Goal, needs)
}

func (w *Written) state(ctx context.Context, own []factored.Constraint, needs factored.Lit) (*Difference, error) {
	q := w.asked()
	for _, c := range slices.Concat(own, w.task.Problem.Global) {
		if !w.task.Problem.HasAction(&c) {
			q.add(c)
		}
	}
	if d, err := q.missing(ctx, [][]factored.Lit{{needs}}); d != nil || err != nil {
		return d, err
	}
	return q.more(ctx, [][]factored.Lit{{needs}})
}

// Steps compares the steps. Those after which the state is the same need not be written if idle is true.
func (w *Written) Steps(ctx context.Context, steps []Step, idle bool) (*Difference, error) {
	q := w.asked()
	own := w.task.Problem
	for _, c := range slices.Concat(own.Global, own.Transition) {
		q.add(c)
	}
	q.network = w.task.Network
	for _, b := range own.Outputs { // apart from the next state
		l := w.bit("learned "+w.p.BitName(b), factored.State)
		l.Next = true
		q.outputs = append(q.outputs, l.Bit)
		q.must = append(q.must, w.same(l, factored.Lit{Bit: b, Next: true}))
	}
	paid := map[int64]factored.Lit{}
	var lists [][]factored.Lit
	for _, s := range steps {
		if _, ok := paid[s.Reward]; !ok {
			paid[s.Reward] = w.pays(s.Reward)
		}
		all := append(slices.Clone(s.Action), s.Needs)
		for _, b := range own.Bits(factored.State) {
			now := factored.Lit{Bit: b}
			if l, ok := s.Next[b]; ok {
				now = l
			}
			all = append(all, w.same(now, factored.Lit{Bit: b, Next: true}))
		}
		q.reward = append(q.reward, paid[s.Reward])
		lists = append(lists, all)
	}
	var changes []factored.Lit
	for _, b := range own.Bits(factored.State) {
		changes = append(changes, w.same(factored.Lit{Bit: b}, factored.Lit{Bit: b, Next: true}).Not())
	}
	if d, err := q.more(ctx, lists); d != nil || err != nil {
		return d, err
	}
	if idle {
		q.must = append(q.must, w.Or(changes...))
	}
	return q.missing(ctx, lists)
}

// pays is true where the reward of the step is so much.
func (w *Written) pays(reward int64) factored.Lit {
	sum := factored.Constraint{Op: factored.GE, K: reward - w.task.Problem.Reward.Constant, Origin: "reward"}
	for _, t := range w.task.Problem.Reward.Terms {
		sum.Terms = append(sum.Terms, factored.Term{Coef: t.Weight, Lit: t.Lit})
	}
	return w.And(w.holds(sum), w.holds(factored.Constraint{Terms: sum.Terms, Op: factored.LE, K: sum.K, Origin: "reward"}))
}

// holds is true where an inequality does.
func (w *Written) holds(c factored.Constraint) factored.Lit {
	g := w.gate("sum")
	not := c
	not.Op, not.K = factored.LE, c.K-1
	if c.Op == factored.LE {
		not.Op, not.K = factored.GE, c.K+1
	}
	w.gates = append(w.gates, where(g, c), where(g.Not(), not))
	return g
}

// where is an inequality that needs to hold only where a literal is true.
func where(l factored.Lit, c factored.Constraint) factored.Constraint {
	least, most := int64(0), int64(0)
	for _, t := range c.Terms {
		least, most = least+min(t.Coef, 0), most+max(t.Coef, 0)
	}
	terms := slices.Clone(c.Terms)
	if c.Op == factored.LE {
		if slack := most - c.K; slack > 0 {
			return factored.Constraint{Terms: append(terms, factored.Term{Coef: slack, Lit: l}), Op: factored.LE, K: most, Origin: c.Origin}
		}
	} else if slack := c.K - least; slack > 0 {
		return factored.Constraint{Terms: append(terms, factored.Term{Coef: slack, Lit: l.Not()}), Op: factored.GE, K: c.K, Origin: c.Origin}
	}
	return factored.Constraint{Op: factored.GE, Origin: c.Origin}
}

// asked is about what a problem requires of a state or step, beside definitions of auxiliary bits, which exclude nothing.
type asked struct {
	*Written
	network  *bnn.Network
	global   []factored.Constraint // definitions in C
	gated    []factored.Constraint // and in T
	requires []factored.Constraint
	must     []factored.Lit // required, too
	outputs  []factored.Bit
	reward   []factored.Lit // by list of literals: that the reward is the one written; empty for no rewards
}

func (w *Written) asked() *asked { return &asked{Written: w} }

// add adds a constraint of the problem.
func (q *asked) add(c factored.Constraint) {
	switch {
	case c.Defines:
		q.global = append(q.global, c)
	case c.Gate:
		q.gated = append(q.gated, c)
	default:
		q.requires = append(q.requires, c)
	}
}

// missing finds what the problem allows, and none of the lists of literals.
func (q *asked) missing(ctx context.Context, lists [][]factored.Lit) (*Difference, error) {
	all := slices.Clone(q.requires)
	for _, l := range q.must {
		all = append(all, clause(l))
	}
	for i, list := range lists {
		var not []factored.Lit
		for _, l := range list {
			not = append(not, l.Not())
		}
		if len(q.reward) > 0 {
			not = append(not, q.reward[i].Not())
		}
		all = append(all, clause(not...))
	}
	return q.ask(ctx, all, false)
}

// more finds what one of the lists allows, and not the problem.
func (q *asked) more(ctx context.Context, lists [][]factored.Lit) (*Difference, error) {
	var all []factored.Constraint
	var chosen, broken []factored.Lit
	for i, list := range lists {
		g := q.gate("choice")
		chosen = append(chosen, g)
		for _, l := range list {
			all = append(all, clause(g.Not(), l))
		}
		if len(q.reward) > 0 {
			broken = append(broken, q.And(g, q.reward[i].Not()))
		}
	}
	for _, l := range q.must {
		broken = append(broken, l.Not())
	}
	for _, c := range q.requires {
		for _, op := range []factored.Op{factored.GE, factored.LE} {
			if c.Op == op || c.Op == factored.EQ {
				broken = append(broken, q.holds(factored.Constraint{Terms: c.Terms, Op: op, K: c.K, Origin: c.Origin}).Not())
			}
		}
	}
	return q.ask(ctx, append(all, clause(chosen...), clause(broken...)), true)
}

// ask finds a step with more constraints. That there is none has a proof that the checker accepts.
func (q *asked) ask(ctx context.Context, more []factored.Constraint, added bool) (*Difference, error) {
	if q.err != nil {
		return nil, q.err
	}
	p := q.p.Clone()
	p.Global = q.global
	p.Transition = slices.Concat(q.gated, q.gates, more)
	p.Inputs, p.Outputs = nil, nil
	if q.network != nil {
		p.Inputs, p.Outputs = q.task.Problem.Inputs, q.outputs
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	x, err := ask(ctx, engine.Task{Problem: p, Network: q.network}, true)
	if err != nil || x.trace == nil {
		return nil, err
	}
	return &Difference{Now: x.trace.Steps[0], Next: x.trace.Steps[1], Added: added}, nil
}
