package chance

import (
	"math/big"
	"math/rand/v2"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// Transition is T of a problem all of whose states are learned, drawn or kept: what a step can lead to, with
// exact probabilities. It belongs to one goroutine.
type Transition struct {
	p       *factored.Problem
	m       *Model
	final   []*expr.Expr
	network *bnn.Network   // nil for none
	net     *bnn.Evaluator // of it
	scratch *bnn.Scratch
	in, out []uint64
	sure    []int // states that are not drawn
	known   []known
	next    factored.Valuation
	values  []int64
	memo    []map[string]*factored.Draw // of each group that reads no prediction, by what it reads
	reads   [][]int
}

// known is a next bit that a constraint of the problem gives: sign times what the terms leave of k.
type known struct {
	bit   factored.Bit
	sign  int64
	terms []factored.Term
	k     int64
}

// gives returns the bit that a constraint gives, if it is an equation with one next bit.
func gives(c *factored.Constraint) (x known, ok bool) {
	x.k = c.K
	for _, term := range c.Terms {
		switch {
		case !term.Lit.Next:
			x.terms = append(x.terms, term)
		case x.sign != 0 || term.Lit.Neg || term.Coef != 1 && term.Coef != -1:
			return x, false
		default:
			x.bit, x.sign = term.Lit.Bit, term.Coef
		}
	}
	return x, c.Op == factored.EQ && x.sign != 0
}

// NewTransition returns the transition of a problem with its network and what is drawn; either may be nil. Runs end in
// states in which one of final holds.
func NewTransition(p *factored.Problem, net *bnn.Network, m *Model, final []*expr.Expr) *Transition {
	t := &Transition{p: p, m: m, final: final, next: make(factored.Valuation, p.NumBits())}
	if net != nil {
		t.network, t.net = net, bnn.NewEvaluator(net)
		t.scratch = t.net.NewScratch()
		t.in, t.out = make([]uint64, bnn.Words(len(p.Inputs))), make([]uint64, bnn.Words(len(p.Outputs)))
	}
	if m == nil {
		t.m = &Model{Problem: p}
	}
	for i := range p.Transition {
		if x, ok := gives(&p.Transition[i]); ok {
			t.known = append(t.known, x)
		}
	}
	drawn := map[int]bool{}
	for _, v := range t.m.Outputs() {
		drawn[v] = true
	}
	for i := range p.Variables {
		if p.Variables[i].Kind == factored.State && !drawn[i] {
			t.sure = append(t.sure, i)
		}
	}
	for i := range t.m.Groups {
		g := &t.m.Groups[i]
		t.memo, t.reads = append(t.memo, nil), append(t.reads, g.Reads())
		if !g.Predicts() {
			t.memo[i] = map[string]*factored.Draw{}
		}
	}
	return t
}

// Predict returns the values of all variables after the step as the network, functions, or constraints of the problem that are
// equations for single bits give them; the others are as before. The next call overwrites them.
func (t *Transition) Predict(now factored.Valuation) []int64 {
	copy(t.next, now)
	if t.net != nil {
		now.Pack(t.in, t.p.Inputs)
		t.net.Forward(t.out, t.in, t.scratch)
		for i, b := range t.p.Outputs {
			t.next[b] = t.out[i/64]>>(i%64)&1 == 1
		}
	}
	for i := range t.known {
		x := &t.known[i]
		rest := x.k
		for _, term := range x.terms {
			if now[term.Lit.Bit] != term.Lit.Neg {
				rest -= term.Coef
			}
		}
		t.next[x.bit] = rest*x.sign == 1
	}
	if len(t.p.Functions) > 0 {
		t.values = t.m.Values(t.values[:0], now)
		t.p.SetNext(t.next, t.values)
	}
	t.values = t.values[:0]
	for i := range t.p.Variables {
		t.values = append(t.values, t.p.Variables[i].Value(t.next))
	}
	return t.values
}

// Draws lists what is drawn in the step from the state and with the action of now: all states, those that are
// not drawn as draws of one outcome. They are shared and must not be changed.
func (t *Transition) Draws(now factored.Valuation) ([]*factored.Draw, error) {
	before := t.m.Values(nil, now)
	predicted := t.Predict(now)
	var draws []*factored.Draw
	for i := range t.m.Groups {
		draws = append(draws, t.draw(i, before, predicted))
	}
	if len(t.sure) == 0 {
		return draws, nil
	}
	row := []int64{}
	for _, v := range t.sure {
		if x := predicted[v]; row != nil && x >= t.p.Variables[v].Lo && x <= t.p.Variables[v].Hi {
			row = append(row, x)
		} else {
			row = nil // the network gives a value that the variable does not have
		}
	}
	return append(draws, &factored.Draw{Variables: t.sure, Values: [][]int64{row}, Probability: []*big.Rat{big.NewRat(1, 1)}, Disturbances: []int{0}}), nil
}

// draw lists the outcomes of a group.
func (t *Transition) draw(i int, now, predicted []int64) *factored.Draw {
	var key []byte
	if t.memo[i] != nil {
		for _, v := range t.reads[i] {
			key = appendNumber(key, now[v])
		}
		if d := t.memo[i][string(key)]; d != nil {
			return d
		}
	}
	var dist Distribution
	g := &t.m.Groups[i]
	g.Outcomes(&dist, now, predicted)
	d := &factored.Draw{Variables: g.Outputs, Values: dist.Values}
	likely := dist.Likely()
	for _, w := range dist.Weights {
		d.Probability = append(d.Probability, big.NewRat(w, dist.Total))
		unlikely := 1
		if w == dist.Weights[likely] {
			unlikely = 0
		}
		d.Disturbances = append(d.Disturbances, unlikely)
	}
	if t.memo[i] != nil {
		t.memo[i][string(key)] = d
	}
	return d
}

func appendNumber(key []byte, x int64) []byte {
	for range 8 {
		key = append(key, byte(x))
		x >>= 8
	}
	return key
}

// Ends reports whether runs end in a state.
func (t *Transition) Ends(now factored.Valuation) (bool, error) {
	for _, e := range t.final {
		if e.Eval(now, nil) {
			return true, nil
		}
	}
	return false, nil
}

// Sample sets the states in next to what a step leads to, by chance; false if a value is not in its range.
func (t *Transition) Sample(next, now factored.Valuation, rng *rand.Rand) bool {
	before := t.m.Values(nil, now)
	after := t.Predict(now)
	t.m.Sample(after, before, after, rng)
	for i := range t.p.Variables {
		if v := &t.p.Variables[i]; v.Kind == factored.State && v.Set(next, after[i]) != nil {
			return false
		}
	}
	return true
}
