package validate

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// table has what a pattern is worth at most.
type table struct {
	*Pattern
	factors []int   // that write its variables
	class   []int   // of each joint action: those of one class differ in nothing that the pattern reads
	first   [][]int // the joint actions of each class
	index   map[string]int
	states  [][]int64 // values of the variables
	won     []bool    // the conjuncts of the goal hold
	moves   [][]*move // by state and class
	value   [][]int64
	folds   map[string]*fold
	size    int
}

// move is what the actions of a class lead to: the product of what the factors draw.
type move struct {
	paid   int64
	folds  []*fold
	leaves []int // states, the last fold changing fastest
}

// fold is what a factor can draw, as far as a pattern sees it: values, and the distributions that other variables allow.
type fold struct {
	at     []int // places in a state of the pattern
	values [][]int64
	dists  []dist
}

// dist is a distribution: weights over a total, which they sum to, or more than which where they are rounded up.
type dist struct {
	weights []uint64
	total   uint64
}

// find returns the place of what a row of a draw gives to the pattern, which may be new.
func (x *fold) find(row []int64) int {
	k := slices.IndexFunc(x.values, func(v []int64) bool { return slices.Equal(v, row) })
	if k < 0 {
		k = len(x.values)
		x.values = append(x.values, row)
	}
	return k
}

// table computes the table of a pattern.
func (c *sums) table(ctx context.Context, p *Pattern, start factored.Valuation) error {
	t := &table{Pattern: p, index: map[string]int{}, folds: map[string]*fold{}}
	reads := []int{}
	for _, v := range p.Variables {
		if f := c.writer[v]; !slices.Contains(t.factors, f) {
			t.factors = append(t.factors, f)
			reads = append(reads, c.factors[f].Reads...)
		}
	}
	if !c.Success {
		for _, k := range p.Parts {
			reads = append(reads, c.terms[k].Reads...)
		}
	}
	classes := map[string]int{}
	for a, now := range c.joint {
		key := ""
		for _, v := range reads {
			if w := &c.p.Variables[v]; w.Kind == factored.Action {
				key += fmt.Sprint(w.Value(now), " ")
			}
		}
		k, ok := classes[key]
		if !ok {
			k = len(t.first)
			classes[key], t.first = k, append(t.first, nil)
		}
		t.class, t.first[k] = append(t.class, k), append(t.first[k], a)
	}
	if c.tables = append(c.tables, t); len(c.joint) == 0 && !c.Success && !c.parts.MayEnd() {
		return c.refuse("there is no action")
	}
	t.state(c.see(t, start))
	for i := 0; i < len(t.states); i++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.expand(t, i); err != nil {
			return err
		}
		if t.size > mostPlaces {
			return c.refuse("a pattern has more than %d outcomes", mostPlaces)
		}
	}
	c.out.States += len(t.states)
	return c.sweep(ctx, t)
}

// see is a state as a pattern sees it.
func (c *sums) see(t *table, state factored.Valuation) []int64 {
	values := make([]int64, len(t.Variables))
	for i, v := range t.Variables {
		values[i] = c.p.Variables[v].Value(state)
	}
	return values
}

// keyOf is a map key for values.
func keyOf(values []int64) string {
	key := make([]byte, 0, 8*len(values))
	for _, x := range values {
		for s := 0; s < 64; s += 8 {
			key = append(key, byte(x>>s))
		}
	}
	return string(key)
}

// state returns the number of a state of the pattern, which may be new.
func (t *table) state(values []int64) int {
	key := keyOf(values)
	i, ok := t.index[key]
	if !ok {
		i = len(t.states)
		t.index[key], t.states = i, append(t.states, values)
	}
	return i
}

// hidden lists the states that a part reads outside a pattern.
func (c *sums) hidden(t *table, part *factored.Scope) (list []int) {
	for _, v := range part.Reads {
		if c.p.Variables[v].Kind == factored.State && !slices.Contains(t.Variables, v) {
			list = append(list, v)
		}
	}
	return list
}

// expand finds what each class of actions leads to from a state of a pattern.
func (c *sums) expand(t *table, i int) error {
	now := make(factored.Valuation, c.p.NumBits())
	for k, v := range t.Variables {
		if err := c.p.Variables[v].Set(now, t.states[i][k]); err != nil {
			return err
		}
	}
	won, err := c.wins(t, now)
	if err != nil {
		return err
	}
	t.won, t.moves = append(t.won, won), append(t.moves, nil)
	for _, list := range t.first {
		for _, b := range c.actions {
			now[b] = c.joint[list[0]][b]
		}
		m := &move{}
		if m.paid, err = c.pays(t, now); err != nil {
			return err
		}
		for _, f := range t.factors {
			x, err := c.fold(t, f, now)
			if err != nil {
				return err
			}
			m.folds = append(m.folds, x)
		}
		// The best of several distributions is taken for what is drawn so far; so those come first.
		slices.SortStableFunc(m.folds, func(x, y *fold) int { return min(2, len(y.dists)) - min(2, len(x.dists)) })
		t.leaf(m, 0, make([]int64, len(t.Variables)))
		t.moves[i] = append(t.moves[i], m)
		if t.size += len(m.leaves) + 1; t.size > mostPlaces {
			return nil
		}
	}
	return nil
}

// leaf lists the states that folds from k on lead to.
func (t *table) leaf(m *move, k int, next []int64) {
	if len(m.leaves) > mostPlaces {
		return
	}
	if k == len(m.folds) {
		m.leaves = append(m.leaves, t.state(slices.Clone(next)))
		return
	}
	for _, row := range m.folds[k].values {
		for j, place := range m.folds[k].at {
			next[place] = row[j]
		}
		t.leaf(m, k+1, next)
	}
}

// wins reports whether the goal may hold, by the conjuncts of a pattern.
func (c *sums) wins(t *table, now factored.Valuation) (bool, error) {
	if !c.Success {
		return false, nil
	}
	for _, g := range t.Parts {
		holds := false
		ok, err := c.choices(now, c.hidden(t, &c.goals[g]), func(now factored.Valuation) error {
			h, err := c.parts.Holds(g, now)
			holds = holds || h
			return err
		})
		if err != nil || ok && !holds {
			return false, err
		}
	}
	return true, nil
}

// pays is the reward of a pattern's terms, at most.
func (c *sums) pays(t *table, now factored.Valuation) (int64, error) {
	sum := new(big.Rat)
	if c.Success {
		return 0, nil
	}
	for _, k := range t.Parts {
		best, err := c.most(k, now, c.hidden(t, &c.terms[k]))
		if err != nil {
			return 0, err
		}
		sum.Add(sum, best)
	}
	return c.up(sum)
}

// fold finds what a factor can draw, as far as a pattern sees it.
func (c *sums) fold(t *table, f int, now factored.Valuation) (*fold, error) {
	part := &c.factors[f]
	key := []int64{int64(f)}
	for _, v := range part.Reads {
		if w := &c.p.Variables[v]; w.Kind == factored.Action || slices.Contains(t.Variables, v) {
			key = append(key, w.Value(now))
		}
	}
	if x := t.folds[keyOf(key)]; x != nil {
		return x, nil
	}
	x, rats := &fold{}, [][]*big.Rat{}
	for _, v := range part.Writes {
		if k := slices.Index(t.Variables, v); k >= 0 {
			x.at = append(x.at, k)
		}
	}
	ok, err := c.choices(now, c.hidden(t, part), func(now factored.Valuation) error {
		dist, err := c.drawn(t, x, f, now)
		if err == nil && !slices.ContainsFunc(rats, func(r []*big.Rat) bool { return same(r, dist) }) {
			rats = append(rats, dist)
		}
		return err
	})
	if err == nil && !ok {
		rats, err = c.anything(t, x)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range rats {
		x.dists = append(x.dists, x.weigh(r))
	}
	t.folds[keyOf(key)] = x
	return x, nil
}

// drawn is what a factor draws in a step, over the values of a fold, to which it adds.
func (c *sums) drawn(t *table, x *fold, f int, now factored.Valuation) (dist []*big.Rat, err error) {
	d, err := c.parts.Next(f, now)
	if err != nil {
		return nil, err
	}
	for i, row := range d.Values {
		if row == nil {
			return nil, c.refuse("a drawn value can be outside the range of its variable")
		}
		var seen []int64
		for _, place := range x.at {
			seen = append(seen, row[slices.Index(d.Variables, t.Variables[place])])
		}
		k := x.find(seen)
		for len(dist) <= k {
			dist = append(dist, new(big.Rat))
		}
		dist[k] = new(big.Rat).Add(dist[k], d.Probability[i])
	}
	return dist, nil
}

// same reports whether two distributions are equal, the shorter one having zeros at its end.
func same(a, b []*big.Rat) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for i := range b {
		if i >= len(a) && b[i].Sign() != 0 || i < len(a) && a[i].Cmp(b[i]) != 0 {
			return false
		}
	}
	return true
}

// anything has a factor draw any value, as what decides it is too much.
func (c *sums) anything(t *table, x *fold) (rats [][]*big.Rat, err error) {
	var inside []int
	for _, place := range x.at {
		inside = append(inside, t.Variables[place])
	}
	ok, err := c.choices(make(factored.Valuation, c.p.NumBits()), inside, func(now factored.Valuation) error {
		var row []int64
		for _, v := range inside {
			row = append(row, c.p.Variables[v].Value(now))
		}
		dist := make([]*big.Rat, x.find(row)+1)
		for i := range dist {
			dist[i] = new(big.Rat)
		}
		dist[len(dist)-1].SetInt64(1)
		rats = append(rats, dist)
		return nil
	})
	if err == nil && !ok {
		err = c.refuse("what is drawn has too many values")
	}
	return rats, err
}

// mostTotal bounds totals, so that sums of products with bounds fit 128 bits.
const mostTotal = 1 << 60

// weigh writes a distribution over a total.
func (x *fold) weigh(rats []*big.Rat) dist {
	total, g := big.NewInt(1), new(big.Int)
	for _, p := range rats {
		g.GCD(nil, nil, total, p.Denom())
		if total.Mul(total, g.Quo(p.Denom(), g)); total.BitLen() > 60 {
			total.SetInt64(mostTotal)
			break
		}
	}
	d := dist{make([]uint64, len(x.values)), total.Uint64()}
	for i, p := range rats {
		w := new(big.Int).Mul(p.Num(), total)
		d.weights[i] = ceil(w, p.Denom()).Uint64()
	}
	return d
}

// mean is the expected value, rounded up. Where weights are rounded up, the least value is what they cannot add to.
func (d *dist) mean(values []int64) int64 {
	least := slices.Min(values)
	var hi, lo uint64
	for i, w := range d.weights {
		h, l := bits.Mul64(w, uint64(values[i]-least))
		var carry uint64
		lo, carry = bits.Add64(lo, l, 0)
		hi, _ = bits.Add64(hi, h, carry)
	}
	quotient, rest := bits.Div64(hi, lo, d.total)
	if rest > 0 {
		quotient++
	}
	return least + int64(quotient)
}

// expect is the expected value of leaves, rounded up, by the best distribution of each fold.
func expect(folds []*fold, leaves []int, value []int64) int64 {
	if len(folds) == 0 {
		return value[leaves[0]]
	}
	x, size := folds[0], len(leaves)/len(folds[0].values)
	var buf [8]int64
	inner := buf[:0]
	for i := range x.values {
		inner = append(inner, expect(folds[1:], leaves[i*size:(i+1)*size], value))
	}
	best := int64(math.MinInt64)
	for i := range x.dists {
		best = max(best, x.dists[i].mean(inner))
	}
	return best
}

// sweep computes the values of a table with 0, 1, 2, … steps left.
func (c *sums) sweep(ctx context.Context, t *table) error {
	floor := c.Success || c.parts.MayEnd()
	for left := range c.Horizon + 1 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		value := make([]int64, len(t.states))
		for i := range value {
			if c.out.Bounds++; c.Success && t.won[i] {
				value[i] = c.one
				continue
			}
			if left == 0 || len(t.moves[i]) == 0 { // a run without any action has ended
				continue
			}
			best := int64(math.MinInt64)
			for k, m := range t.moves[i] {
				best = max(best, expect(m.folds, m.leaves, t.value[left-1])+m.paid+c.price(t, k, left))
			}
			if value[i] = best; floor {
				value[i] = max(0, best)
			}
			if best > mostBound || best < -mostBound {
				return c.refuse("a bound is not within ±2^52 units")
			}
		}
		t.value = append(t.value, value)
	}
	return nil
}

// price is the best price of the actions of a class.
func (c *sums) price(t *table, class, left int) int64 {
	if t.Prices == nil {
		return 0
	}
	best := int64(-mostBound)
	for _, a := range t.first[class] {
		x := int64(0)
		if place := c.places[a]; place >= 0 {
			x = t.Prices[left-1][place]
		}
		best = max(best, x)
	}
	return best
}
