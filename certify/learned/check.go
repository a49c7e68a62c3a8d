package learned

import (
	"context"
	"errors"
	"fmt"
	"math/big"
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
	vars                     [][]factored.Bit
	legal                    []map[string]bool
	functions                []*function
	payer                    *payer // nil if the problem's reward is right
}

// function is one of the record, with the rows of all its learned bits.
type function struct {
	next   []factored.Bit
	views  [][]int
	legal  []map[string]bool // by place in a view, of all learned bits
	points [][]string        // by row, the value of each variable of the view
	on     []bool            // by row, the next value
}

type row struct {
	now, next factored.Valuation
	reward    int64
}

// Check checks that each clause of a record follows from its rows for every function of at most K variables, and that
// its plan was observed step by step. The error says what does not.
func Check(ctx context.Context, p *factored.Problem, r *Record) (*Checked, error) {
	c := &checker{p: p, r: r}
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
		if was, ok := seen[key]; ok && was != strings.Join(parts[2:], " ") {
			return fmt.Errorf("row %d: the same state and action have two outcomes", i+1)
		}
		if seen[key] = strings.Join(parts[2:], " "); parts[2] == "-" {
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

// counted reports whether the numbers of true bits that rules on single bits allow are all legal.
func (c *checker) counted(of []factored.Bit, legal map[string]bool) bool {
	least, most := 0, 0
	for _, b := range of {
		val := make(factored.Valuation, c.p.NumBits())
		rules := c.rulesOn([]factored.Bit{b})
		broken := func(r *factored.Constraint) bool { return !r.Holds(val, nil) }
		off := !slices.ContainsFunc(rules, broken)
		val[b] = true
		if !slices.ContainsFunc(rules, broken) {
			most++
			if !off {
				least++
			}
		}
	}
	for n := least; n <= most; n++ {
		if !legal[fmt.Sprint(n)] {
			return false
		}
	}
	return true
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

// readFunctions makes the functions: each learned bit has one, and each reads as many variables.
func (c *checker) readFunctions() error {
	list := c.r.Functions
	if list == nil {
		all := make([]int, len(c.vars))
		for i := range all {
			all[i] = i
		}
		for _, name := range c.r.Learned {
			list = append(list, Function{[]string{name}, [][]int{all}})
		}
	}
	var done []factored.Bit
	for i, x := range list {
		f := &function{views: x.Views}
		var err error
		if f.next, err = bits(c.p, x.Next); err != nil {
			return fmt.Errorf("function %d: %w", i, err)
		}
		if len(f.next) == 0 || len(f.views) != len(f.next) {
			return fmt.Errorf("function %d has %d views of %d learned bits", i, len(f.views), len(f.next))
		}
		for _, view := range f.views {
			if len(view) != len(f.views[0]) || slices.ContainsFunc(view, func(v int) bool { return v < 0 || v >= len(c.vars) }) {
				return fmt.Errorf("function %d has views that do not fit each other", i)
			}
		}
		done = append(done, f.next...)
		c.fill(f)
		c.functions = append(c.functions, f)
	}
	if !slices.Equal(slices.Sorted(slices.Values(done)), slices.Sorted(slices.Values(c.learned))) {
		return errors.New("the functions are not those of the learned bits, each once")
	}
	return nil
}

// fill gives a function its rows.
func (c *checker) fill(f *function) {
	for at := range f.views[0] {
		legal := map[string]bool{}
		for _, view := range f.views {
			for x := range c.legal[view[at]] {
				legal[x] = true
			}
		}
		f.legal = append(f.legal, legal)
	}
	for i, view := range f.views {
		for _, r := range c.rows {
			var at []string
			for _, v := range view {
				at = append(at, c.value(v, r.now))
			}
			f.points, f.on = append(f.points, at), append(f.on, r.next[f.next[i]])
		}
	}
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

// clauses checks all clauses, function by function.
func (c *checker) clauses(ctx context.Context) error {
	of := map[factored.Bit][]int{}
	for i := range c.r.Clauses {
		at := slices.Index(c.r.Learned, c.r.Clauses[i].Next)
		if at < 0 {
			return fmt.Errorf("clause %d is about %s, which is not learned", i, c.r.Clauses[i].Next)
		}
		of[c.learned[at]] = append(of[c.learned[at]], i)
	}
	for _, f := range c.functions {
		if !slices.ContainsFunc(f.next, func(b factored.Bit) bool { return len(of[b]) > 0 }) {
			continue
		}
		k := min(c.r.K, len(f.views[0]))
		if n := new(big.Int).Binomial(int64(len(f.views[0])), int64(k)); n.Cmp(big.NewInt(maxSets)) > 0 {
			return fmt.Errorf("%v sets of %d variables are too many to try", n, k)
		}
		sets, err := f.consistent(ctx, k)
		if err != nil {
			return err
		}
		if len(sets) == 0 {
			return fmt.Errorf("no function of %d variables has the next values of %s", k, c.p.BitName(f.next[0]))
		}
		for i, b := range f.next {
			for _, n := range of[b] {
				if err := c.clause(&c.r.Clauses[n], f, i, sets); err != nil {
					return fmt.Errorf("clause %d: %w", n, err)
				}
			}
		}
	}
	return nil
}

// consistent lists the sets of k variables on which rows that agree have the same next value: functions of fewer
// variables are functions of such a set too.
func (f *function) consistent(ctx context.Context, k int) (sets [][]int, err error) {
	var against [][2]int // pairs of rows that refuted a set, the last one first
	set := make([]int, k)
	var walk func(i, from int) error
	walk = func(i, from int) error {
		if i < k {
			for v := from; v <= len(f.legal)-(k-i); v++ {
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
			if f.agree(pair[0], pair[1], set) {
				copy(against[1:j+1], against[:j])
				against[0] = pair
				return nil
			}
		}
		first := map[string]int{}
		for r := range f.points {
			key := f.cell(r, set)
			if other, ok := first[key]; !ok {
				first[key] = r
			} else if f.on[other] != f.on[r] {
				against = slices.Insert(against, 0, [2]int{other, r})
				return nil
			}
		}
		sets = append(sets, slices.Clone(set))
		return nil
	}
	return sets, walk(0, 0)
}

func (f *function) agree(a, b int, set []int) bool {
	for _, v := range set {
		if f.points[a][v] != f.points[b][v] {
			return false
		}
	}
	return true
}

func (f *function) cell(r int, set []int) string {
	var b strings.Builder
	for _, v := range set {
		b.WriteString(f.points[r][v])
		b.WriteByte(' ')
	}
	return b.String()
}

// conditions are the values of places in the view of a learned bit where a clause about it holds: those that it names, and
// the only ones that others have.
func (c *checker) conditions(x *Clause, view []int) (map[int]string, error) {
	is := map[int]string{}
	for at, v := range view {
		if len(c.legal[v]) == 1 {
			for only := range c.legal[v] {
				is[at] = only
			}
		}
	}
	for _, f := range x.If {
		at := slices.Index(view, f.Variable)
		if at < 0 || len(f.Is) != len(c.vars[f.Variable]) || strings.Trim(f.Is, "01") != "" {
			return nil, fmt.Errorf("%q is no value of variable %d, or %s does not depend on it", f.Is, f.Variable, x.Next)
		}
		value := f.Is
		if c.r.Variables[f.Variable].Count {
			value = fmt.Sprint(strings.Count(f.Is, "1"))
		}
		if !c.legal[f.Variable][value] {
			return nil, fmt.Errorf("%q is no legal value of variable %d", f.Is, f.Variable)
		}
		is[at] = value
	}
	return is, nil
}

// clause checks that on each set the rows have the clause's next value at all legal values within its condition.
func (c *checker) clause(x *Clause, f *function, i int, sets [][]int) error {
	is, err := c.conditions(x, f.views[i])
	if err != nil {
		return err
	}
	var within []int // rows that have the next value
	for r := range f.points {
		if f.on[r] == x.Value {
			within = append(within, r)
		}
	}
	for _, set := range sets {
		seen, want := map[string]bool{}, 1
		for _, v := range set {
			if _, ok := is[v]; !ok {
				if want *= len(f.legal[v]); want > len(within) {
					break
				}
			}
		}
	rows:
		for _, r := range within {
			for _, v := range set {
				if value, ok := is[v]; ok && f.points[r][v] != value || !ok && !f.legal[v][f.points[r][v]] {
					continue rows
				}
			}
			seen[f.cell(r, set)] = true
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
		var lits []factored.Lit
		for _, b := range slices.Concat(c.states, c.actions) {
			lits = append(lits, factored.Lit{Bit: b, Neg: now[b]})
		}
		add(lits)
	}
	if c.payer != nil {
		return q, c.payer.add(q)
	}
	return q, nil
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
