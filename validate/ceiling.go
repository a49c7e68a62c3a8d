package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Ceiling is a table of upper bounds on what any policy is worth from some states, with some steps left. It
// proves them if each is at least what follows for it from the bounds with one step less, for every legal action:
// then, by induction over the steps, no policy is worth more (the Bellman inequality; Puterman, Markov
// Decision Processes, 1994, theorem 4.3.2). It may come from anywhere; Check trusts none of it.
type Ceiling struct {
	Success bool // bounds are on the probability that the goal is reached; else on rewards
	// Worst says that bounds are on the worst reward of runs with at most so many disturbances: an adversary
	// chooses the outcomes. With Success, each such run has to reach the goal besides.
	Worst        bool
	Disturbances int // that a run may have, with Worst
	Horizon      int
	Unit         uint // a bound is so many times 2^-Unit, of a probability or of the problem's scale; 0 with Worst
	Rows         []CeilingRow
}

// CeilingRow is the bounds of one state.
type CeilingRow struct {
	State        factored.Valuation
	Disturbances int     // left, with Worst
	Left         int     // steps left, of the first bound; each that follows has one more
	Bounds       []int64 // Never says that every policy breaks a rule or, with Worst, misses the goal
}

// The bounds that are no numbers.
const (
	Never  = math.MinInt64 // no policy keeps the rules or, with Worst, reaches the goal
	unsaid = math.MaxInt64 // nothing is said
)

// mostBound is the greatest magnitude of a bound.
const mostBound = 1 << 52

// Ceiled is what Check found.
type Ceiled struct {
	States, Pairs int   // states of the table, and pairs of these and their legal actions
	Bounds        int64 // that were compared with what follows
	Refused       string

	c *ceiling
}

// ceiling is the state of Check.
type ceiling struct {
	graph
	*Ceiling
	one    int64     // the probability 1
	bounds [][]int64 // of each state: by disturbances left, then steps left, from 1
	static []grouped // constraints without next values
	out    *Ceiled
}

// errRefused ends the check of a table; why is in Ceiled.
var errRefused = errors.New("refused")

// Check checks every bound of a table, exactly, in the problem as it is defined. A table that is refused
// proves nothing; an error is about the problem, or the end of ctx.
func (t *Ceiling) Check(ctx context.Context, p *factored.Problem, net *bnn.Network, chance Chance) (*Ceiled, error) {
	if (net == nil) != (len(p.Outputs) == 0) {
		return nil, fmt.Errorf("the problem has %d learned bits but the network is %v", len(p.Outputs), net)
	}
	c := &ceiling{Ceiling: t, one: 1 << t.Unit, out: &Ceiled{}}
	c.out.c = c
	c.prepare(p, net, chance)
	c.whole = true
	for _, g := range c.check.step {
		if !hasNext(g.Constraint) {
			c.static = append(c.static, g)
		}
	}
	err := c.read()
	for i := 0; i < len(c.bounds) && err == nil; i++ {
		if err = ctx.Err(); err == nil && c.bounds[i] != nil {
			err = c.state(i)
		}
	}
	if errors.Is(err, errRefused) {
		err = nil
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return c.out, err
}

func hasNext(c *factored.Constraint) bool {
	return slices.ContainsFunc(c.Terms, func(t factored.Term) bool { return t.Lit.Next })
}

func (c *ceiling) refuse(format string, args ...any) error {
	c.out.Refused = fmt.Sprintf(format, args...)
	return errRefused
}

// read enters the rows.
func (c *ceiling) read() error {
	if c.Unit > 50 || c.Worst && c.Unit != 0 || !c.Worst && c.Disturbances != 0 || c.Disturbances < 0 || c.Horizon < 1 {
		return c.refuse("the unit is 2^-%d, the horizon %d, with %d disturbances; expected at most 2^-50, and none for worst rewards", c.Unit, c.Horizon, c.Disturbances)
	}
	for k := range c.Rows {
		r := &c.Rows[k]
		i, err := c.node(r.State)
		if err != nil {
			return err
		}
		for len(c.bounds) < len(c.nodes) {
			c.bounds = append(c.bounds, nil)
		}
		if r.Left < 1 || len(r.Bounds) > c.Horizon || r.Left > c.Horizon-len(r.Bounds)+1 || r.Disturbances < 0 || r.Disturbances > c.Disturbances {
			return c.refuse("row %d is of %d steps from %d left, with %d disturbances; expected at most %d steps and %d disturbances", k, len(r.Bounds), r.Left, r.Disturbances, c.Horizon, c.Disturbances)
		}
		if c.bounds[i] == nil {
			c.out.States++
			c.bounds[i] = make([]int64, (c.Disturbances+1)*c.Horizon)
			for j := range c.bounds[i] {
				c.bounds[i][j] = unsaid
			}
		}
		for j, x := range r.Bounds {
			at := &c.bounds[i][r.Disturbances*c.Horizon+r.Left-1+j]
			switch {
			case *at != unsaid:
				return c.refuse("row %d has a second bound for %s with %d steps left", k, c.text(i), r.Left+j)
			case x == Never && c.Success && !c.Worst, x != Never && x != unsaid && (x > mostBound || x < -mostBound):
				return c.refuse("row %d has the bound %d; expected a number within ±2^52", k, x)
			}
			*at = x
		}
	}
	return nil
}

// text writes a state.
func (c *ceiling) text(i int) string {
	var values []string
	for k := range c.p.Variables {
		if v := &c.p.Variables[k]; v.Kind == factored.State && v.Clock == 0 {
			values = append(values, fmt.Sprintf("%s=%v", v.Name, v.Show(v.Value(c.nodes[i].state))))
		}
	}
	return "the state " + strings.Join(values, ", ")
}

// at is the bound of a state with some steps and disturbances left.
func (c *ceiling) at(i, left, disturbances int) int64 {
	n := c.nodes[i]
	end := left == 0 || n.ends
	switch {
	case n.broken != nil && (c.Worst || !c.Success):
		return Never
	case n.broken != nil:
		return 0
	case c.Success && n.goal && !c.Worst:
		return c.one
	case c.Success && n.goal:
		return 0
	case end && c.Worst && c.Success:
		return Never
	case end:
		return 0
	case i < len(c.bounds) && c.bounds[i] != nil && c.bounds[i][disturbances*c.Horizon+left-1] != unsaid:
		return c.bounds[i][disturbances*c.Horizon+left-1]
	case c.Success && !c.Worst:
		return c.one
	}
	return unsaid
}

// state checks the bounds of a state.
func (c *ceiling) state(i int) error {
	n := c.nodes[i]
	if n.broken != nil || n.ends || c.Success && n.goal {
		return c.refuse("there is a bound for %s, in which a run ends", c.text(i))
	}
	actions, err := c.legal(n)
	if err != nil {
		return err
	}
	c.out.Pairs += len(actions)
	for d := range c.Disturbances + 1 {
		for left := 1; left <= c.Horizon; left++ {
			bound := c.bounds[i][d*c.Horizon+left-1]
			if bound == unsaid || c.Success && !c.Worst && bound >= c.one {
				continue
			}
			c.out.Bounds++
			if bound < 0 && c.Success && !c.Worst {
				return c.refuse("a bound for %s is below 0", c.text(i))
			}
			for _, b := range actions {
				if ok := c.Worst && c.worst(b, bound, left, d) || !c.Worst && c.mean(b, bound, left); !ok {
					return c.refuse("the bound for %s with %d steps left does not follow: an action may be worth more", c.text(i), left)
				}
			}
		}
	}
	return nil
}

// legal lists what the legal actions in a state lead to.
func (c *ceiling) legal(n *node) (list []*branch, err error) {
	q := newQuestion(c.p, 0)
	for _, b := range c.states {
		q.set(slot{bit: b}, n.state[b])
	}
	c.check.failure = &Failure{Step: math.MaxInt} // none is described
	var candidates []factored.Valuation
	c.check.solve(q, c.static, slots(c.p, factored.Action, false), func() bool {
		if c.check.completable(q, c.static, c.aux) {
			candidates = append(candidates, q.valuation(false))
		}
		return false
	})
	for _, now := range candidates {
		if !c.inRange(now) {
			continue
		}
		draws, err := c.chance.Draws(now)
		if err != nil {
			return nil, err
		}
		b, failure, err := c.outcomes(0, now, draws)
		if err != nil {
			return nil, err
		}
		if failure == nil {
			b.action = now.Key(c.actions)
			b.paid = new(big.Int)
			for k, r := range b.reward {
				b.paid.Add(b.paid, new(big.Int).Mul(big.NewInt(r), b.weight[k]))
			}
			b.paid.Lsh(b.paid, c.Unit)
			list = append(list, b)
		}
	}
	return list, nil
}

func (g *graph) inRange(now factored.Valuation) bool {
	for i := range g.p.Variables {
		v := &g.p.Variables[i]
		if x := v.Value(now); v.Kind == factored.Action && (x < v.Lo || x > v.Hi) {
			return false
		}
	}
	return true
}

// worst reports whether an action has an outcome, within the disturbances left, after which no policy is worth more than a
// bound.
func (c *ceiling) worst(b *branch, bound int64, left, disturbances int) bool {
	for k, j := range b.next {
		if e := b.events[k]; e <= disturbances {
			switch x := c.at(j, left-1, disturbances-e); {
			case x == Never:
				return true
			case x != unsaid && bound != Never && x+b.reward[k] <= bound:
				return true
			}
		}
	}
	return false
}

// mean reports whether an action is worth at most a bound on average.
func (c *ceiling) mean(b *branch, bound int64, left int) bool {
	sum, x, free := new(big.Int), new(big.Int), false
	if !c.Success {
		sum.Set(b.paid)
	}
	for k, j := range b.next {
		next := c.at(j, left-1, 0)
		if next == Never {
			return true
		}
		free = free || next == unsaid
		sum.Add(sum, x.Mul(x.SetInt64(next), b.weight[k]))
	}
	return !free && bound != Never && sum.Cmp(x.Mul(b.total, x.SetInt64(bound))) <= 0
}

// At is the bound that a table gives for a state with all disturbances and some steps left: nil for none,
// and never for a state from which no policy keeps the rules or, with Worst, reaches the goal.
func (c *Ceiled) At(state factored.Valuation, left int) (bound *big.Rat, never bool, err error) {
	i, err := c.c.node(state)
	if err != nil || c.Refused != "" {
		return nil, false, err
	}
	switch x := c.c.at(i, left, c.c.Disturbances); x {
	case unsaid:
		return nil, false, nil
	case Never:
		return nil, true, nil
	default:
		return new(big.Rat).SetFrac(big.NewInt(x), new(big.Int).Lsh(big.NewInt(1), c.c.Unit)), false, nil
	}
}
