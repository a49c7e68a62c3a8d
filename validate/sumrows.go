package validate

import (
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// row computes the bound of a row.
func (c *sums) row(i int) error {
	r := &c.Rows[i]
	j, err := c.node(r.State)
	if err != nil {
		return err
	}
	if _, twice := c.rows[[2]int{j, r.Left}]; twice || r.Left < 0 || r.Left > c.Horizon {
		return c.refuse("row %d has a state and steps left of another row, or %d steps left of %d", i, r.Left, c.Horizon)
	}
	bound, ok := c.known(j, r.Left)
	if !ok {
		return c.refuse("row %d has a state to which nothing leads", i)
	}
	if over := c.over(j, r.Left); !over && r.Next != nil {
		most, found, err := c.backup(i)
		if err != nil {
			return err
		}
		if found {
			bound = min(bound, most)
		}
	}
	c.out.Bounds++
	c.rows[[2]int{j, r.Left}] = i
	c.bounds = append(c.bounds, bound)
	return nil
}

// over reports that a run is over in a state, or that no policy keeps the rules.
func (c *sums) over(i, left int) bool {
	n := c.nodes[i]
	return n.broken != nil || n.ends || c.Success && n.goal || left == 0
}

// known is the bound of a state by its row, where it has one, and else by what ends a run there or by the tables; false where these do
// not have it.
func (c *sums) known(i, left int) (int64, bool) {
	n := c.nodes[i]
	if k, ok := c.rows[[2]int{i, left}]; ok {
		return c.bounds[k], true
	}
	if c.over(i, left) && (n.broken == nil || c.Success) {
		if c.Success && n.goal && n.broken == nil {
			return c.one, true
		}
		return 0, true
	}
	return c.says(n.state, left)
}

// says is what the tables say of a state: their sum, or the least of them.
func (c *sums) says(state factored.Valuation, left int) (int64, bool) {
	sum := c.rest * int64(left)
	if c.Success {
		sum = c.one
	}
	for _, t := range c.tables {
		k, ok := t.index[keyOf(c.see(t, state))]
		if !ok {
			return 0, false
		}
		if v := t.value[left][k]; c.Success {
			sum = min(sum, v)
		} else {
			sum += v
		}
	}
	return sum, true
}

// step is what is known of the actions in a state.
type step struct {
	c      *sums
	now    factored.Valuation
	left   int
	places []int            // of the state, in the tables
	memo   [][]*int64       // what each pattern expects, by class
	draws  []*factored.Draw // of an action
}

// drawnBy is a draw as a fold sees it.
type drawnBy struct {
	x *fold
	d *factored.Draw
}

// mostSeen bounds the draws that are remembered.
const mostSeen = 1 << 18

// backup bounds the value of a row by what follows for its actions; false where none is legal and rewards are bounded.
func (c *sums) backup(i int) (best int64, found bool, err error) {
	r := &c.Rows[i]
	s := &step{c: c, now: slices.Clone(r.State), left: r.Left}
	for _, t := range c.tables {
		s.memo, s.places = append(s.memo, make([]*int64, len(t.first))), append(s.places, t.index[keyOf(c.see(t, r.State))])
	}
	known := map[int][]int{}
	for _, list := range r.Next {
		if len(list) < 2 || list[0] < 0 || list[0] >= len(c.Actions) || known[list[0]] != nil {
			return 0, false, c.refuse("row %d has a list without an action and rows that it leads to, or a second one for an action", i)
		}
		for k, q := range list[1:] {
			if q < 0 || q >= i || c.Rows[q].Left != r.Left-1 || slices.Contains(list[1:1+k], q) {
				return 0, false, c.refuse("row %d says that it leads to row %d; expected earlier rows with one step less, each once", i, q)
			}
		}
		known[list[0]] = list[1:]
	}
	found = c.Success
	for a, joint := range c.joint {
		for _, b := range c.actions {
			s.now[b] = joint[b]
		}
		if !c.free && !c.legal(s.now) {
			continue
		}
		x, err := s.worth(a, known[c.places[a]])
		if err != nil {
			return 0, false, err
		}
		if !found || x > best {
			best, found = x, true
		}
	}
	return best, found, nil
}

// legal reports whether the rules about states and actions allow an action.
func (c *sums) legal(now factored.Valuation) bool {
	q := newQuestion(c.p, 0)
	for _, list := range [][]factored.Bit{c.states, c.actions} {
		for _, b := range list {
			q.set(slot{bit: b}, now[b])
		}
	}
	return c.check.completable(q, c.static, c.aux)
}

// worth is what an action is worth at most: what the tables expect, but for the rows that it is known to lead to.
func (s *step) worth(a int, rows []int) (int64, error) {
	c := s.c
	s.draws = nil
	sum := c.rest * int64(s.left-1)
	for _, t := range c.apart {
		x, err := c.term(t, s.now)
		if err != nil {
			return 0, err
		}
		sum += x
	}
	var list []int64 // of each pattern, where the least counts
	for k, t := range c.tables {
		x := &s.memo[k][t.class[a]]
		if *x == nil {
			v, err := s.expects(k, t.class[a])
			if err != nil {
				return 0, err
			}
			*x = &v
		}
		sum += **x
		list = append(list, **x)
	}
	if len(list) == 0 {
		list = append(list, c.one)
	}
	for _, q := range rows {
		if err := s.less(q, &sum, list); err != nil {
			return 0, err
		}
	}
	if !c.Success {
		return sum, nil
	}
	return slices.Min(list), nil
}

// term is a summand of the reward in units, rounded up.
func (c *sums) term(t int, now factored.Valuation) (int64, error) {
	x, err := c.parts.Term(t, now)
	if err != nil {
		return 0, err
	}
	return c.up(x)
}

// expects is what a pattern expects of an action in the state itself, whose draws are known.
func (s *step) expects(k, class int) (int64, error) {
	c, t := s.c, s.c.tables[k]
	m := t.moves[s.places[k]][class]
	folds := make([]*fold, 0, len(m.folds))
	for _, y := range m.folds {
		x, err := s.drawn(t, y)
		if err != nil {
			return 0, err
		}
		folds = append(folds, x)
	}
	sum := expect(folds, m.leaves, t.value[s.left-1])
	if c.Success {
		return sum, nil
	}
	for _, k := range t.Parts {
		x, err := c.term(k, s.now)
		if err != nil {
			return 0, err
		}
		sum += x
	}
	return sum, nil
}

// drawn is what a factor draws in the state itself, over the values of a fold.
func (s *step) drawn(t *table, y *fold) (*fold, error) {
	c, f := s.c, s.c.writer[t.Variables[y.at[0]]]
	d, err := c.parts.Next(f, s.now)
	if err != nil {
		return nil, err
	}
	if x := c.seen[drawnBy{y, d}]; x != nil {
		return x, nil
	}
	x := &fold{at: y.at, values: slices.Clone(y.values)}
	rats, err := c.drawn(t, x, f, s.now)
	if err != nil {
		return nil, err
	}
	if len(x.values) > len(y.values) {
		return nil, c.refuse("a state leads to what its pattern does not")
	}
	x.dists = []dist{x.weigh(rats)}
	if len(c.seen) >= mostSeen {
		clear(c.seen)
	}
	c.seen[drawnBy{y, d}] = x
	return x, nil
}

// less takes from what the tables say of an action what a row that it leads to is known to be worth less.
func (s *step) less(q int, sum *int64, list []int64) error {
	c := s.c
	if s.draws == nil {
		for f := range c.factors {
			d, err := c.parts.Next(f, s.now)
			if err != nil {
				return err
			}
			s.draws = append(s.draws, d)
		}
	}
	state, p := c.Rows[q].State, big.NewRat(1, 1)
	for _, d := range s.draws {
		odds := new(big.Rat)
		for i, row := range d.Values {
			if row != nil && c.is(state, d.Variables, row) {
				odds.Add(odds, d.Probability[i])
			}
		}
		if p.Mul(p, odds); p.Sign() == 0 {
			return nil
		}
	}
	take := func(from *int64, said int64) {
		if said > c.bounds[q] {
			gain := big.NewInt(said - c.bounds[q])
			*from -= gain.Quo(gain.Mul(gain, p.Num()), p.Denom()).Int64()
		}
	}
	if !c.Success {
		if said, ok := c.says(state, s.left-1); ok {
			take(sum, said)
		}
		return nil
	}
	for k, t := range c.tables {
		if i, ok := t.index[keyOf(c.see(t, state))]; ok {
			take(&list[k], t.value[s.left-1][i])
		}
	}
	if len(c.tables) == 0 {
		take(&list[0], c.one)
	}
	return nil
}

// is reports whether some variables have some values in a state.
func (c *sums) is(state factored.Valuation, variables []int, row []int64) bool {
	for j, v := range variables {
		if c.p.Variables[v].Value(state) != row[j] {
			return false
		}
	}
	return true
}
