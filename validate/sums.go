package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// Parts tells what the parts of a step depend on, of a problem whose next states are drawn by independent factors.
type Parts interface {
	Chance
	// Factors write each state once. Given state and action, each draws independently of the others.
	Factors() []factored.Scope
	// Next lists what the states of a factor can be after the step of now, of which only what the factor reads counts.
	Next(factor int, now factored.Valuation) (*factored.Draw, error)
	Terms() []factored.Scope // the summands of the reward, in the unit of the problem
	Term(i int, now factored.Valuation) (*big.Rat, error)
	Goals() []factored.Scope // the conjuncts of the goal
	Holds(i int, now factored.Valuation) (bool, error)
	MayEnd() bool // a run may end before the horizon, whatever is planned
}

// Sums says how upper bounds on what any policy is worth follow from tables over parts of the state. A pattern is some state
// variables with some summands of the reward. Its table has what these are worth at most, whatever values the other variables have
// and with a price for each action. If the prices of each action do not sum to less than 0 over the patterns, then the
// sum of the tables is at least what any policy is worth; of the conjuncts of a goal, each table is. Rows are single states in
// which the Bellman inequality tightens the sum. Check computes all of this anew, rounding up; it may come from anywhere.
type Sums struct {
	Success  bool
	Horizon  int
	Unit     uint                 // bounds and prices are multiples of 2^-Unit, of a probability or of the problem's scale
	Actions  []factored.Valuation // that have prices or are in rows; all others have the price 0
	Patterns []Pattern
	Rows     []SumRow
}

// Pattern is a part of the state.
type Pattern struct {
	Variables []int     // states
	Parts     []int     // terms of the reward, each in one pattern at most, or conjuncts of the goal
	Prices    [][]int64 // by steps left, from 1, and action; nil for none
}

// SumRow is a state with some steps left. Next lists actions with what is known of states that they lead to: an action and the
// places of earlier rows, with one step less. A row without Next is known by the tables alone.
type SumRow struct {
	State factored.Valuation
	Left  int
	Next  [][]int
}

const (
	mostChoices = 1 << 10 // combinations of values of variables outside a pattern that are looked at
	mostJoint   = 1 << 14 // joint actions
	mostPlaces  = 1 << 22 // states of a pattern, and what its actions lead to
)

// Summed is what Check found.
type Summed struct {
	Patterns, States int // and the states of their tables
	Rows             int
	Bounds           int64  // that were computed
	Refused          string // why nothing follows; empty if it does
	c                *sums
}

// sums is the state of Check.
type sums struct {
	graph
	*Sums
	parts                 Parts
	factors, terms, goals []factored.Scope
	writer                []int // factor of each variable
	joint                 []factored.Valuation
	places                []int // of joint actions, among Actions; -1 for none
	free                  bool  // legal actions do not depend on the state
	tables                []*table
	apart                 []int     // terms in no pattern
	static                []grouped // constraints without next values
	rest                  int64     // what these pay in a step, at most
	one                   int64
	rows                  map[[2]int]int // by state and steps left
	bounds                []int64        // of rows
	seen                  map[drawnBy]*fold
	out                   *Summed
}

// Check computes the bounds of a problem that begins in a state. An error is about the problem, or the end of ctx.
func (s *Sums) Check(ctx context.Context, p *factored.Problem, parts Parts, start factored.Valuation) (*Summed, error) {
	c := &sums{Sums: s, parts: parts, factors: parts.Factors(), terms: parts.Terms(), goals: parts.Goals(), rows: map[[2]int]int{}, seen: map[drawnBy]*fold{}, out: &Summed{}}
	c.out.c = c
	c.prepare(p, nil, parts)
	err := c.read()
	for k := 0; k < len(s.Patterns) && err == nil; k++ {
		err = c.table(ctx, &s.Patterns[k], start)
	}
	if err == nil {
		err = c.remain()
	}
	for i := 0; i < len(s.Rows) && err == nil; i++ {
		if err = ctx.Err(); err == nil {
			err = c.row(i)
		}
	}
	if errors.Is(err, errRefused) {
		err = nil
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	c.out.Patterns, c.out.Rows = len(c.tables), len(c.bounds)
	return c.out, err
}

func (c *sums) refuse(format string, args ...any) error {
	c.out.Refused = fmt.Sprintf(format, args...)
	return errRefused
}

// read looks at what is said, and lists the joint actions.
func (c *sums) read() error {
	if c.Unit > 50 || c.Horizon < 1 {
		return c.refuse("the unit is 2^-%d, the horizon %d; expected at most 2^-50, and one step at least", c.Unit, c.Horizon)
	}
	c.one = 1 << c.Unit
	c.writer = make([]int, len(c.p.Variables))
	for i := range c.writer {
		c.writer[i] = -1
	}
	for f := range c.factors {
		for _, v := range c.factors[f].Writes {
			if c.writer[v] >= 0 {
				return c.refuse("%s is drawn twice", c.p.Variables[v].Name)
			}
			c.writer[v] = f
		}
	}
	for v := range c.p.Variables {
		if c.p.Variables[v].Kind == factored.State && c.writer[v] < 0 {
			return c.refuse("nothing says what %s is next", c.p.Variables[v].Name)
		}
	}
	if err := c.list(); err != nil {
		return err
	}
	paid := map[int]bool{}
	for k := range c.Patterns {
		if err := c.pattern(k, paid); err != nil {
			return err
		}
	}
	for t := range c.terms {
		if !c.Success && !paid[t] {
			c.apart = append(c.apart, t)
		}
	}
	return c.priced()
}

// list lists the joint actions that may be legal in some state.
func (c *sums) list() error {
	c.free = true
	var rules []grouped
	for _, g := range c.check.step {
		if hasNext(g.Constraint) {
			continue
		}
		if c.static = append(c.static, g); g.Defines {
			continue
		}
		rules = append(rules, g)
		acts, more := false, false
		for _, t := range g.Terms {
			is := c.p.Kind(t.Lit.Bit) == factored.Action
			acts, more = acts || is, more || !is
		}
		if g.Written != nil {
			g.Written.Reads(func(v *factored.Variable, _ bool) { more = more || v.Kind != factored.Action })
		}
		c.free = c.free && !(acts && more)
	}
	known := map[string]int{}
	for i, a := range c.Actions {
		key := a.Key(c.actions)
		if _, twice := known[key]; twice {
			return c.refuse("action %d is another one too", i)
		}
		known[key] = i
	}
	c.check.failure = &Failure{Step: math.MaxInt} // none is described
	q := newQuestion(c.p, 0)
	c.check.solve(q, rules, slots(c.p, factored.Action, false), func() bool {
		now, val := make(factored.Valuation, c.p.NumBits()), q.valuation(false)
		for _, b := range c.actions {
			now[b] = val[b]
		}
		if c.inRange(now) {
			i, ok := known[now.Key(c.actions)]
			if !ok {
				i = -1
			}
			c.joint, c.places = append(c.joint, now), append(c.places, i)
		}
		return len(c.joint) > mostJoint
	})
	if len(c.joint) > mostJoint {
		return c.refuse("there are more than %d joint actions", mostJoint)
	}
	return nil
}

// pattern looks at what is said of a pattern.
func (c *sums) pattern(k int, paid map[int]bool) error {
	p := &c.Patterns[k]
	for i, v := range p.Variables {
		if v < 0 || v >= len(c.p.Variables) || c.p.Variables[v].Kind != factored.State || slices.Contains(p.Variables[:i], v) {
			return c.refuse("pattern %d has a variable %d; expected states, each once", k, v)
		}
	}
	of := len(c.terms)
	if c.Success {
		of = len(c.goals)
	}
	for _, i := range p.Parts {
		if i < 0 || i >= of || !c.Success && paid[i] {
			return c.refuse("pattern %d has a part %d; expected 0 to %d, each in one pattern", k, i, of-1)
		}
		paid[i] = true
	}
	if c.Success && (len(p.Parts) == 0 || p.Prices != nil) {
		return c.refuse("pattern %d has no part of the goal, or prices", k)
	}
	if p.Prices != nil && len(p.Prices) != c.Horizon {
		return c.refuse("pattern %d has prices for %d steps; expected %d", k, len(p.Prices), c.Horizon)
	}
	for left, row := range p.Prices {
		if len(row) != len(c.Actions) || slices.ContainsFunc(row, func(x int64) bool { return x > mostBound || x < -mostBound }) {
			return c.refuse("pattern %d has %d prices with %d steps left; expected %d, each within ±2^52", k, len(row), left+1, len(c.Actions))
		}
	}
	return nil
}

// priced sums the prices of each action.
func (c *sums) priced() error {
	for left := range c.Horizon {
		for a := range c.Actions {
			sum := new(big.Int)
			for k := range c.Patterns {
				if p := &c.Patterns[k]; p.Prices != nil {
					sum.Add(sum, big.NewInt(p.Prices[left][a]))
				}
			}
			if sum.Sign() < 0 {
				return c.refuse("the prices of action %d with %d steps left sum to less than 0", a, left+1)
			}
		}
	}
	return nil
}

// remain bounds what terms in no pattern pay.
func (c *sums) remain() error {
	sum := new(big.Rat)
	for _, t := range c.apart {
		best, err := c.most(t, make(factored.Valuation, c.p.NumBits()), c.terms[t].Reads)
		if err != nil {
			return err
		}
		sum.Add(sum, best)
	}
	rest, err := c.up(sum)
	if c.rest = rest; c.parts.MayEnd() {
		c.rest = max(0, rest)
	}
	return err
}

// most is what a summand of the reward is at most, whatever values some variables have.
func (c *sums) most(term int, now factored.Valuation, hidden []int) (best *big.Rat, err error) {
	ok, err := c.choices(now, hidden, func(now factored.Valuation) error {
		x, err := c.parts.Term(term, now)
		if err == nil && (best == nil || x.Cmp(best) > 0) {
			best = x
		}
		return err
	})
	if err == nil && !ok {
		err = c.refuse("summand %d of the reward depends on too much outside its pattern", term)
	}
	return best, err
}

// up is a reward in units, rounded up.
func (c *sums) up(r *big.Rat) (int64, error) {
	x := new(big.Int).Mul(r.Num(), big.NewInt(c.p.Reward.Scale))
	if ceil(x.Lsh(x, c.Unit), r.Denom()); x.BitLen() > 52 {
		return 0, c.refuse("a reward is not within ±2^52 units")
	}
	return x.Int64(), nil
}

// ceil is x/y rounded up, for a positive y. It changes x.
func ceil(x, y *big.Int) *big.Int {
	rest := new(big.Int)
	x.DivMod(x, y, rest)
	if rest.Sign() > 0 {
		x.Add(x, big.NewInt(1))
	}
	return x
}

// choices calls f with each combination of the values of some variables; false if there are too many.
func (c *sums) choices(now factored.Valuation, variables []int, f func(now factored.Valuation) error) (bool, error) {
	size := 1.0
	for _, v := range variables {
		size *= float64(c.p.Variables[v].Hi-c.p.Variables[v].Lo) + 1
	}
	if size > mostChoices {
		return false, nil
	}
	now = slices.Clone(now)
	var from func(k int) error
	from = func(k int) error {
		if k == len(variables) {
			return f(now)
		}
		v := &c.p.Variables[variables[k]]
		for x := v.Lo; x <= v.Hi; x++ {
			err := v.Set(now, x)
			if err == nil {
				err = from(k + 1)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return true, from(0)
}

// At is the bound of a state with some steps left; nil for none.
func (s *Summed) At(state factored.Valuation, left int) (*big.Rat, error) {
	i, err := s.c.node(state)
	if err != nil || s.Refused != "" {
		return nil, err
	}
	bound, ok := s.c.known(i, left)
	if !ok {
		return nil, nil
	}
	return big.NewRat(bound, s.c.one), nil
}
