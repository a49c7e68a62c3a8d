package learned

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// maxSets bounds the sets of variables that are tried for an output.
const maxSets = 20_000_000

// Checked is what a record shows.
type Checked struct {
	// Optimistic is the problem in which learned bits have any next value that the clauses allow, from the start of
	// the record: no plan of the system has a better reward than the best of its plans.
	Optimistic *factored.Problem
	// Plan is the plan with the states that its steps were seen to lead to; nil for none.
	Plan *factored.Trace
	// Reward is the sum of the rewards of its steps in millionths, where they were observed; 0 where the problem has them.
	Reward int64
	// All reports that the class has all functions of the variables, so that nothing is assumed of it.
	All bool

	checker *checker
}

// checker is one call of Check.
type checker struct {
	p                        *factored.Problem
	r                        *Record
	states, actions, learned []factored.Bit
	rows                     []row
	refused                  []factored.Valuation
	ended                    map[string]bool // states in which a run ends
	vars                     [][]factored.Bit
	legal                    []map[string]bool
	functions                []*function
	payer                    *payer // nil if the problem's reward is right
}

type row struct {
	now, next factored.Valuation
	reward    int64
}

// Check checks that each clause of a record follows from its rows for every function of at most K variables, and that
// its plan was observed step by step. The error says what does not.
func Check(ctx context.Context, p *factored.Problem, r *Record) (*Checked, error) {
	c := &checker{p: p, r: r, ended: map[string]bool{}}
	for _, f := range []func() error{c.readBits, c.readRows, c.readReward, c.readVariables, c.readFunctions} {
		if err := f(); err != nil {
			return nil, err
		}
	}
	if err := c.clauses(ctx); err != nil {
		return nil, err
	}
	out := &Checked{All: true, checker: c}
	for _, f := range c.functions {
		out.All = out.All && r.K >= len(f.views[0])
	}
	var err error
	if out.Optimistic, err = c.optimistic(); err != nil {
		return nil, err
	}
	out.Plan, out.Reward, err = c.plan(out.Optimistic)
	return out, err
}

// readBits matches the names with the problem's.
func (c *checker) readBits() (err error) {
	for _, x := range []struct {
		what  string
		names []string
		want  []factored.Bit
		to    *[]factored.Bit
	}{
		{"states", c.r.States, c.p.Bits(factored.State), &c.states},
		{"actions", c.r.Actions, c.p.Bits(factored.Action), &c.actions},
		{"learned bits", c.r.Learned, c.p.Outputs, &c.learned},
	} {
		if *x.to, err = bits(c.p, x.names); err != nil {
			return fmt.Errorf("%s: %w", x.what, err)
		}
		if !slices.Equal(slices.Sorted(slices.Values(*x.to)), slices.Sorted(slices.Values(x.want))) {
			return fmt.Errorf("the %s are not those of the problem", x.what)
		}
	}
	return nil
}

func (c *checker) valuation(text string, of []factored.Bit, val factored.Valuation) error {
	v, err := values(text, len(of))
	for i, b := range of[:len(v)] {
		val[b] = v[i]
	}
	return err
}

// readRows reads the rows; the same state and action must lead to one state.
func (c *checker) readRows() error {
	seen := map[string]string{}
	for i, text := range c.r.Rows {
		parts := strings.Split(text, " ")
		columns := 3
		if c.r.Reward != nil {
			columns++
		}
		if len(parts) != columns {
			return fmt.Errorf("row %d is %q; expected state, action and next state, and the reward if it is learned", i+1, text)
		}
		x := row{now: make(factored.Valuation, c.p.NumBits()), next: make(factored.Valuation, c.p.NumBits())}
		var err error
		if columns > 3 {
			x.reward, err = strconv.ParseInt(parts[3], 10, 64)
		}
		if err == nil {
			err = c.valuation(parts[0], c.states, x.now)
		}
		ends := parts[1] == "-" && parts[2] == "-"
		if err == nil && !ends {
			err = c.valuation(parts[1], c.actions, x.now)
		}
		if err == nil && parts[2] != "-" {
			err = c.valuation(parts[2], c.states, x.next)
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
		key := parts[0] + " " + parts[1]
		if was, ok := seen[key]; ok && was != strings.Join(parts[2:], " ") {
			return fmt.Errorf("row %d: the same state and action have two outcomes", i+1)
		}
		switch seen[key] = strings.Join(parts[2:], " "); {
		case ends:
			c.ended[parts[0]] = true
		case parts[2] == "-":
			c.refused = append(c.refused, x.now)
		default:
			c.rows = append(c.rows, x)
		}
	}
	for i := range c.rows {
		if state := digits(c.rows[i].now, c.states); c.ended[state] {
			return fmt.Errorf("a run ends in %s, and a step was taken there", state)
		}
	}
	return nil
}

// readVariables reads the variables: each bit that next values may depend on is in one of them, and values that
// are not legal are excluded by a rule.
func (c *checker) readVariables() error {
	used := map[factored.Bit]bool{}
	for i, v := range c.r.Variables {
		of, err := bits(c.p, v.Bits)
		if err != nil {
			return fmt.Errorf("variable %d: %w", i, err)
		}
		legal := map[string]bool{}
		for _, text := range v.Legal {
			if _, err := values(text, len(of)); err != nil && len(of) > 0 && !v.Count {
				return fmt.Errorf("variable %d: %w", i, err)
			}
			legal[text] = true
		}
		if len(of) == 0 && len(legal) != 1 {
			return fmt.Errorf("variable %d is a constant with %d values; expected one", i, len(legal))
		}
		for _, b := range of {
			if used[b] && c.r.Functions == nil {
				return fmt.Errorf("%s is in two variables", c.p.BitName(b))
			}
			used[b] = true
		}
		if v.Count && !c.counted(of, legal) || !v.Count && len(of) > 0 && !c.excluded(of, legal) {
			return fmt.Errorf("variable %d: no rule excludes the values that are not listed", i)
		}
		c.vars, c.legal = append(c.vars, of), append(c.legal, legal)
	}
	for _, b := range c.p.Inputs {
		if !used[b] && c.r.Functions == nil {
			return fmt.Errorf("%s is in no variable", c.p.BitName(b))
		}
	}
	return nil
}

// value is that of a variable in a state with an action.
func (c *checker) value(v int, val factored.Valuation) string {
	text := digits(val, c.vars[v])
	switch {
	case len(c.vars[v]) == 0:
		return c.r.Variables[v].Legal[0]
	case c.r.Variables[v].Count:
		return fmt.Sprint(strings.Count(text, "1"))
	}
	return text
}

// optimistic is the problem with what was concluded.
func (c *checker) optimistic() (*factored.Problem, error) {
	q := c.p.Clone()
	q.Inputs, q.Outputs, q.Initial = nil, nil, nil
	start := make(factored.Valuation, c.p.NumBits())
	if err := c.valuation(c.r.Start, c.states, start); err != nil {
		return nil, fmt.Errorf("the start: %w", err)
	}
	q.Initial = append(q.Initial, start.Fix(c.p.Bits(factored.State), "start")...)
	add := func(lits []factored.Lit) {
		x := factored.Constraint{Op: factored.GE, K: 1, Origin: "learned"}
		for _, l := range lits {
			x.Terms = append(x.Terms, factored.Term{Coef: 1, Lit: l})
		}
		q.Transition = append(q.Transition, x)
	}
	for i := range c.r.Clauses {
		x := &c.r.Clauses[i]
		lits := []factored.Lit{{Bit: c.learned[slices.Index(c.r.Learned, x.Next)], Neg: !x.Value, Next: true}}
		for _, f := range x.If {
			lits = append(lits, c.unlike(f)...)
		}
		add(lits)
	}
	for _, now := range c.refused {
		add(differs(slices.Concat(c.states, c.actions), now))
	}
	for _, state := range slices.Sorted(maps.Keys(c.ended)) {
		now := make(factored.Valuation, c.p.NumBits())
		if err := c.valuation(state, c.states, now); err != nil {
			return nil, err
		}
		add(differs(c.states, now))
	}
	if c.payer != nil {
		return q, c.payer.add(q)
	}
	return q, nil
}

// differs lists literals one of which holds where some bits have other values.
func differs(of []factored.Bit, val factored.Valuation) (lits []factored.Lit) {
	for _, b := range of {
		lits = append(lits, factored.Lit{Bit: b, Neg: val[b]})
	}
	return lits
}

// unlike lists literals one of which holds where a variable has another value: of a variable of which at most one
// bit is true, and a value with one, the negation of that bit.
func (c *checker) unlike(f Condition) (lits []factored.Lit) {
	of := c.vars[f.Variable]
	single := strings.Count(f.Is, "1") == 1 && !c.r.Variables[f.Variable].Count
	for text := range c.legal[f.Variable] {
		single = single && strings.Count(text, "1") <= 1
	}
	for i, b := range of {
		on := f.Is[i] == '1'
		if !single || on {
			lits = append(lits, factored.Lit{Bit: b, Neg: on})
		}
	}
	return lits
}

// plan follows the plan through the rows.
func (c *checker) plan(q *factored.Problem) (tr *factored.Trace, reward int64, err error) {
	if len(c.r.Plan) == 0 {
		return nil, 0, nil
	}
	if len(c.r.Plan) != c.r.Horizon {
		return nil, 0, fmt.Errorf("the plan has %d steps; expected %d", len(c.r.Plan), c.r.Horizon)
	}
	now := make(factored.Valuation, c.p.NumBits())
	if err := c.valuation(c.r.Start, c.states, now); err != nil {
		return nil, 0, err
	}
	tr = &factored.Trace{}
	paid := int64(0)
	if c.payer != nil {
		paid = c.r.Reward.Most
	}
	end := func() {
		state := now
		if c.payer != nil {
			state = c.payer.extend(q, now, paid)
		}
		tr.Steps = append(tr.Steps, state)
	}
	for t, text := range c.r.Plan {
		if err := c.valuation(text, c.actions, now); err != nil {
			return nil, 0, fmt.Errorf("step %d of the plan: %w", t+1, err)
		}
		i := slices.IndexFunc(c.rows, func(r row) bool { return slices.Equal(r.now, now) })
		if i < 0 {
			return nil, 0, fmt.Errorf("step %d of the plan was not observed", t+1)
		}
		end()
		now, paid = slices.Clone(c.rows[i].next), c.rows[i].reward
		reward += paid
	}
	end()
	return tr, reward, nil
}
