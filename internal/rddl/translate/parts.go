package translate

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/problem/factored"
)

// initial compiles I: every state fluent has its initial value.
func (c *compiler) initial() {
	for i, f := range c.g.OfKind(ground.State) {
		v := &c.p.Variables[c.variable[i]]
		x, ok := c.index(i, simplest(f.Initial))
		if !ok || x < v.Lo || x > v.Hi {
			c.refuseAt(f.Pos, "%s starts at %s, outside its range %d..%d", f.Name, simplest(f.Initial), v.Lo, v.Hi)
		}
		val := make(factored.Valuation, c.p.NumBits())
		if err := v.Set(val, x); err != nil {
			c.refuseAt(f.Pos, "%v", err)
		}
		c.p.Initial = append(c.p.Initial, val.Fix(v.Bits(), "init-state")...)
	}
}

// conditions compiles C and G: preconditions, invariants, the bound on actions, the end of a
// plan in a terminal state, and the goal.
func (c *compiler) conditions() {
	c.shown = true
	defer func() { c.shown = false }()
	for i := range c.g.Preconditions {
		p := &c.g.Preconditions[i]
		c.condition(fmt.Sprintf("precondition %d", i+1), p, inSteps, false)
	}
	for i := range c.g.Invariants {
		p, g := &c.g.Invariants[i], invariant
		if c.o.FreeSuccessors {
			g = inSteps
		}
		c.condition(fmt.Sprintf("invariant %d", i+1), p, g, false)
	}
	for i := range c.g.Termination {
		p := &c.g.Termination[i]
		c.condition(fmt.Sprintf("termination %d", i+1), p, inSteps, true)
	}
	c.maxActions()
	if c.o.Goal != nil {
		back := c.enter("goal", c.o.Goal.Pos)
		c.assert(goal, c.o.Goal, false)
		back()
	}
}

func (c *compiler) condition(what string, p *ground.Condition, g group, negate bool) {
	defer c.enter(what, p.Pos, p.Expr.Pos)()
	c.assert(g, p.Expr, negate)
}

// maxActions bounds the number of action fluents that differ from their default.
func (c *compiler) maxActions() {
	if c.g.MaxActions < 0 {
		return
	}
	defer c.enter("max-nondef-actions")()
	var terms []summand
	for i := range c.g.OfKind(ground.Action) {
		terms = append(terms, summand{1, c.nonDefault(i)})
	}
	c.emit(inSteps, terms, factored.LE, int64(c.g.MaxActions))
}

// transitions compiles the known part of T, and the ranges of intermediate fluents.
func (c *compiler) transitions() {
	for _, i := range c.g.Order {
		f := &c.g.Fluents[i]
		switch {
		case c.drawn[i]:
		case f.Kind == ground.State && !c.learned[i]:
			c.transition(i)
		case f.Kind == ground.Interm && f.Type == ground.Int:
			c.intermRange(i)
		}
	}
}

// transition makes fluent i follow its cpf.
func (c *compiler) transition(i int) {
	f := &c.g.Fluents[i]
	if f.CPF == nil {
		c.refuseAt(f.Pos, "%s has no cpf and is not learned", f.Name)
	}
	defer c.enter(f.Name, f.CPF.Pos, f.Pos)()
	next := c.stateBits(fluentKey(i)<<1 | 1)
	if f.Type == ground.Bool {
		c.literal(next.lits[0], f.CPF)
		return
	}
	if g, ok := c.grids[i]; ok {
		c.gridTransition(f, next, &g)
		return
	}
	if len(next.lits) == 0 { // a single value: the fluent has it, or the step is forbidden
		c.within(c.number(f.CPF), next.lo, next.hi)
		return
	}
	if _, ok := c.numberTable(next, f.CPF); ok {
		return
	}
	n := c.number(f.CPF)
	c.within(n, next.lo, next.hi)
	c.emitLinear(inSteps, n.linear.plus(vectorNumber(next).linear, whole(-1)), factored.EQ)
}

// within forbids steps in which n leaves lo..hi.
func (c *compiler) within(n number, lo, hi int64) {
	if n.lo.cmp(whole(lo)) < 0 {
		c.emitLinear(inSteps, n.linear.plus(linear{k: whole(lo)}, whole(-1)), factored.GE)
	}
	if n.hi.cmp(whole(hi)) > 0 {
		c.emitLinear(inSteps, n.linear.plus(linear{k: whole(hi)}, whole(-1)), factored.LE)
	}
}

// intermRange keeps an intermediate integer in its declared range, if it has one. Fluents
// that only learned fluents read are not part of the problem.
func (c *compiler) intermRange(i int) {
	f := &c.g.Fluents[i]
	r, ok := c.rangeOf(f)
	if !ok {
		return
	}
	n := c.intermNumber(i)
	defer c.enter(f.Name, f.CPF.Pos, f.Pos)()
	c.within(n, r.Lo, r.Hi)
}

// reward compiles R over a common scale.
func (c *compiler) reward() {
	if c.g.Reward == nil {
		return
	}
	defer c.enter("reward", c.g.Reward.Pos)()
	c.shown = true
	n := c.number(c.g.Reward)
	if c.steps() {
		n = c.bounded(c.g.Reward)
	}
	n.rounded = false // nothing is compared with it
	terms, k, scale := n.scaled()
	c.p.Reward.Scale, c.p.Reward.Constant = scale, k
	for _, t := range terms {
		w := &c.wires[t.lit.wire()]
		c.p.Reward.Terms = append(c.p.Reward.Terms, factored.RewardTerm{Lit: factored.Lit{Bit: w.bit, Next: w.next}, Weight: t.coef})
	}
}
