package learned

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// MaxSets bounds the sets of variables that are tried for an output.
const MaxSets = 20_000_000

// Checked is what a record shows.
type Checked struct {
	// Optimistic is the problem in which learned bits have any next value that the clauses allow, from the start of
	// the record: no plan of the system has a better reward than the best of its plans.
	Optimistic *factored.Problem
	// Plan is the plan with the states that its steps were seen to lead to; nil for none.
	Plan *factored.Trace
	// All reports that the class has all functions of the variables, so that nothing is assumed of it.
	All bool
}

// checker is one call of Check.
type checker struct {
	p                        *factored.Problem
	r                        *Record
	states, actions, learned []factored.Bit
	rows                     []row
	refused                  []factored.Valuation
	vars                     [][]factored.Bit
	legal                    []map[string]bool
	points                   [][]string // by row, the value of each variable
}

type row struct{ now, next factored.Valuation }

// Check checks that each clause of a record follows from its rows for every function of at most K variables, and that
// its plan was observed step by step. The error says what does not.
func Check(ctx context.Context, p *factored.Problem, r *Record) (*Checked, error) {
	c := &checker{p: p, r: r}
	for _, f := range []func() error{c.readBits, c.readRows, c.readVariables} {
		if err := f(); err != nil {
			return nil, err
		}
	}
	if err := c.clauses(ctx); err != nil {
		return nil, err
	}
	out := &Checked{All: r.K >= len(r.Variables)}
	var err error
	if out.Optimistic, err = c.optimistic(); err != nil {
		return nil, err
	}
	out.Plan, err = c.plan()
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
		if len(parts) != 3 {
			return fmt.Errorf("row %d is %q; expected state, action and next state", i+1, text)
		}
		x := row{make(factored.Valuation, c.p.NumBits()), make(factored.Valuation, c.p.NumBits())}
		err := c.valuation(parts[0], c.states, x.now)
		if err == nil {
			err = c.valuation(parts[1], c.actions, x.now)
		}
		if err == nil && parts[2] != "-" {
			err = c.valuation(parts[2], c.states, x.next)
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
		key := parts[0] + " " + parts[1]
		if was, ok := seen[key]; ok && was != parts[2] {
			return fmt.Errorf("row %d: the same state and action have two outcomes", i+1)
		}
		if seen[key] = parts[2]; parts[2] == "-" {
			c.refused = append(c.refused, x.now)
		} else {
			c.rows = append(c.rows, x)
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
			if _, err := values(text, len(of)); err != nil {
				return fmt.Errorf("variable %d: %w", i, err)
			}
			legal[text] = true
		}
		for _, b := range of {
			if used[b] {
				return fmt.Errorf("%s is in two variables", c.p.BitName(b))
			}
			used[b] = true
		}
		if !c.excluded(of, legal) {
			return fmt.Errorf("variable %d: no rule excludes the values that are not listed", i)
		}
		c.vars, c.legal = append(c.vars, of), append(c.legal, legal)
	}
	for _, b := range c.p.Inputs {
		if !used[b] {
			return fmt.Errorf("%s is in no variable", c.p.BitName(b))
		}
	}
	for i := range c.rows {
		var at []string
		for _, of := range c.vars {
			at = append(at, digits(c.rows[i].now, of))
		}
		c.points = append(c.points, at)
	}
	return nil
}

func digits(val factored.Valuation, of []factored.Bit) string {
	text := make([]byte, len(of))
	for i, b := range of {
		text[i] = '0'
		if val[b] {
			text[i] = '1'
		}
	}
	return string(text)
}

// excluded reports whether rules on these bits alone exclude all values but the legal ones: either all values are
// tried, or the legal ones are those of a rule that at most or exactly one of the bits is true.
func (c *checker) excluded(of []factored.Bit, legal map[string]bool) bool {
	rules := c.rulesOn(of)
	if len(of) <= 16 {
		val := make(factored.Valuation, c.p.NumBits())
		for x := range uint64(1) << len(of) {
			for i, b := range of {
				val[b] = x>>i&1 == 1
			}
			broken := slices.ContainsFunc(rules, func(r *factored.Constraint) bool { return !r.Holds(val, nil) })
			if !legal[digits(val, of)] && !broken {
				return false
			}
		}
		return true
	}
	one := slices.ContainsFunc(rules, func(r *factored.Constraint) bool {
		sign := int64(1)
		if r.Op == factored.GE {
			sign = -1
		}
		n := 0
		for _, t := range r.Terms {
			if t.Coef == sign && !t.Lit.Neg {
				n++
			}
		}
		return r.K == sign && n == len(of) && n == len(r.Terms)
	})
	exactly := slices.ContainsFunc(rules, func(r *factored.Constraint) bool { return r.Op == factored.EQ && r.K == 1 && len(r.Terms) == len(of) })
	for i := range of {
		one = one && legal[strings.Repeat("0", i)+"1"+strings.Repeat("0", len(of)-i-1)]
	}
	return one && (exactly || legal[strings.Repeat("0", len(of))])
}

// rulesOn lists the rules about some bits at one step and no others.
func (c *checker) rulesOn(of []factored.Bit) (out []*factored.Constraint) {
	for i := range c.p.Global {
		r := &c.p.Global[i]
		if !slices.ContainsFunc(r.Terms, func(t factored.Term) bool { return t.Lit.Next || !slices.Contains(of, t.Lit.Bit) }) {
			out = append(out, r)
		}
	}
	return out
}

// clauses checks all clauses, output by output.
func (c *checker) clauses(ctx context.Context) error {
	of := map[string][]int{}
	for i := range c.r.Clauses {
		if !slices.Contains(c.r.Learned, c.r.Clauses[i].Next) {
			return fmt.Errorf("clause %d is about %s, which is not learned", i, c.r.Clauses[i].Next)
		}
		of[c.r.Clauses[i].Next] = append(of[c.r.Clauses[i].Next], i)
	}
	k := min(c.r.K, len(c.vars))
	if n := new(big.Int).Binomial(int64(len(c.vars)), int64(k)); n.Cmp(big.NewInt(MaxSets)) > 0 {
		return fmt.Errorf("%v sets of %d variables are too many to try", n, k)
	}
	for i, name := range c.r.Learned {
		if len(of[name]) == 0 {
			continue
		}
		sets, err := c.consistent(ctx, c.learned[i], k)
		if err != nil {
			return err
		}
		if len(sets) == 0 {
			return fmt.Errorf("no function of %d variables has the next values of %s", k, name)
		}
		for _, n := range of[name] {
			if err := c.clause(&c.r.Clauses[n], c.learned[i], sets); err != nil {
				return fmt.Errorf("clause %d: %w", n, err)
			}
		}
	}
	return nil
}

// consistent lists the sets of k variables on which rows that agree have the same next value of a bit: functions of
// fewer variables are functions of such a set too.
func (c *checker) consistent(ctx context.Context, next factored.Bit, k int) (sets [][]int, err error) {
	var against [][2]int // pairs of rows that refuted a set, the last one first
	set := make([]int, k)
	var walk func(i, from int) error
	walk = func(i, from int) error {
		if i < k {
			for v := from; v <= len(c.vars)-(k-i); v++ {
				set[i] = v
				if err := walk(i+1, v+1); err != nil {
					return err
				}
			}
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for j, pair := range against {
			if c.agree(pair[0], pair[1], set) {
				copy(against[1:j+1], against[:j])
				against[0] = pair
				return nil
			}
		}
		first := map[string]int{}
		for r := range c.rows {
			key := c.cell(r, set)
			if f, ok := first[key]; !ok {
				first[key] = r
			} else if c.rows[f].next[next] != c.rows[r].next[next] {
				against = slices.Insert(against, 0, [2]int{f, r})
				return nil
			}
		}
		sets = append(sets, slices.Clone(set))
		return nil
	}
	return sets, walk(0, 0)
}

func (c *checker) agree(a, b int, set []int) bool {
	for _, v := range set {
		if c.points[a][v] != c.points[b][v] {
			return false
		}
	}
	return true
}

func (c *checker) cell(r int, set []int) string {
	var b strings.Builder
	for _, v := range set {
		b.WriteString(c.points[r][v])
		b.WriteByte(' ')
	}
	return b.String()
}

// clause checks that on each set the rows have the clause's next value at all legal values within its condition.
func (c *checker) clause(x *Clause, next factored.Bit, sets [][]int) error {
	is := map[int]string{}
	for _, f := range x.If {
		if f.Variable < 0 || f.Variable >= len(c.vars) || !c.legal[f.Variable][f.Is] {
			return fmt.Errorf("%q is no legal value of variable %d", f.Is, f.Variable)
		}
		is[f.Variable] = f.Is
	}
	var within []int // rows that have the condition's values, where it has them
	for r := range c.rows {
		if c.rows[r].next[next] == x.Value {
			within = append(within, r)
		}
	}
	for _, set := range sets {
		seen, want := map[string]bool{}, 1
		for _, v := range set {
			if _, ok := is[v]; !ok {
				if want *= len(c.legal[v]); want > len(within) {
					break
				}
			}
		}
	rows:
		for _, r := range within {
			for _, v := range set {
				if value, ok := is[v]; ok && c.points[r][v] != value || !ok && !c.legal[v][c.points[r][v]] {
					continue rows
				}
			}
			seen[c.cell(r, set)] = true
		}
		if len(seen) < want {
			return fmt.Errorf("a function of variables %v agrees with the rows and has another next value of %s", set, x.Next)
		}
	}
	return nil
}

// optimistic is the problem with what was concluded.
func (c *checker) optimistic() (*factored.Problem, error) {
	q := c.p.Clone()
	q.Inputs, q.Outputs, q.Initial = nil, nil, nil
	start := make(factored.Valuation, c.p.NumBits())
	if err := c.valuation(c.r.Start, c.states, start); err != nil {
		return nil, fmt.Errorf("the start: %w", err)
	}
	for _, b := range c.p.Bits(factored.State) {
		q.Initial = append(q.Initial, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: b}}}, Op: factored.EQ, K: one(start[b]), Origin: "start"})
	}
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
		var lits []factored.Lit
		for _, b := range slices.Concat(c.states, c.actions) {
			lits = append(lits, factored.Lit{Bit: b, Neg: now[b]})
		}
		add(lits)
	}
	return q, nil
}

// unlike lists literals one of which holds where a variable has another value: of a variable of which at most one
// bit is true, and a value with one, the negation of that bit.
func (c *checker) unlike(f Condition) (lits []factored.Lit) {
	of := c.vars[f.Variable]
	single := strings.Count(f.Is, "1") == 1
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

func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// plan follows the plan through the rows.
func (c *checker) plan() (*factored.Trace, error) {
	if len(c.r.Plan) == 0 {
		return nil, nil
	}
	if len(c.r.Plan) != c.r.Horizon {
		return nil, fmt.Errorf("the plan has %d steps; expected %d", len(c.r.Plan), c.r.Horizon)
	}
	now := make(factored.Valuation, c.p.NumBits())
	if err := c.valuation(c.r.Start, c.states, now); err != nil {
		return nil, err
	}
	tr := &factored.Trace{}
	for t, text := range c.r.Plan {
		if err := c.valuation(text, c.actions, now); err != nil {
			return nil, fmt.Errorf("step %d of the plan: %w", t+1, err)
		}
		i := slices.IndexFunc(c.rows, func(r row) bool { return slices.Equal(r.now, now) })
		if i < 0 {
			return nil, fmt.Errorf("step %d of the plan was not observed", t+1)
		}
		tr.Steps = append(tr.Steps, now)
		now = slices.Clone(c.rows[i].next)
	}
	tr.Steps = append(tr.Steps, now)
	return tr, nil
}
