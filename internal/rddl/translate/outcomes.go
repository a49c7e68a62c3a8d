package translate

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// Outcomes computes what is drawn in the steps of a problem that was compiled with
// Options.Chance, with exact probabilities. It belongs to one goroutine.
type Outcomes struct {
	of     *Compiled
	c      *compiler // for the values of functions
	groups []drawing
}

// drawing is a ground.Group with what it draws by the values that it reads.
type drawing struct {
	ground.Group
	memo map[string]*factored.Draw
}

// Outcomes prepares to compute draws.
func (c *Compiled) Outcomes() *Outcomes {
	_, groups := c.Ground.Groups()
	o := &Outcomes{of: c, c: &compiler{g: c.Ground, what: "draw", rounds: true}}
	for _, g := range groups {
		o.groups = append(o.groups, drawing{g, map[string]*factored.Draw{}})
	}
	return o
}

// Draws lists the draws of the step from the state and with the action of now. They are shared and
// must not be changed.
func (o *Outcomes) Draws(now factored.Valuation) (list []*factored.Draw, err error) {
	defer o.failed(&err)
	for k := range o.groups {
		d, err := o.drawOf(&o.groups[k], now)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

// drawOf is what a group draws in the step of now.
func (o *Outcomes) drawOf(g *drawing, now factored.Valuation) (*factored.Draw, error) {
	var key []byte
	for _, i := range g.Reads {
		key = strconv.AppendInt(append(key, ','), o.of.Variable(i).Value(now), 10)
	}
	d := g.memo[string(key)]
	if d == nil {
		var err error
		if d, err = o.draw(&g.Group, o.given(g.Reads, now)); err != nil {
			return nil, err
		}
		g.memo[string(key)] = d
	}
	return d, nil
}

// given are the values of fluents in now.
func (o *Outcomes) given(fluents []int, now factored.Valuation) map[fluentKey]value {
	val := map[fluentKey]value{}
	for _, i := range fluents {
		val[fluentKey(i)<<1] = exact(o.of.valueAt(i, o.of.Variable(i).Value(now)))
	}
	return val
}

// valueAt is the value of a fluent whose variable is z.
func (c *Compiled) valueAt(fluent int, z int64) rat {
	if g, ok := c.grids[fluent]; ok {
		return g.at(z)
	}
	return whole(z)
}

// draw lists the outcomes of one group.
func (o *Outcomes) draw(g *ground.Group, val map[fluentKey]value) (*factored.Draw, error) {
	d := &factored.Draw{}
	for _, i := range g.Fluents {
		if o.of.Ground.Fluents[i].Kind == ground.State {
			d.Variables = append(d.Variables, o.of.variable[i])
		}
	}
	place := map[string]int{}
	p := &path{}
	for more := true; more; more = p.Next() {
		p.p, p.disturbances = big.NewRat(1, 1), 0
		s := &scene{c: o.c, val: val, memo: map[int]value{}, draws: p, step: map[fluentKey]value{}}
		row, outside := []int64{}, false
		for _, i := range g.Fluents {
			f := &o.of.Ground.Fluents[i]
			v := s.eval(f.CPF)
			if f.Kind != ground.State {
				s.memo[i] = v
				continue
			}
			s.step[fluentKey(i)<<1|1] = v
			z, ok, err := o.number(i, v)
			if err != nil {
				return nil, err
			}
			outside = outside || !ok
			row = append(row, z)
		}
		if outside {
			row = nil
		}
		key := fmt.Sprint(row)
		if k, ok := place[key]; ok {
			d.Probability[k] = new(big.Rat).Add(d.Probability[k], p.p)
			d.Disturbances[k] = min(d.Disturbances[k], p.disturbances)
			continue
		}
		place[key] = len(d.Values)
		d.Values, d.Probability, d.Disturbances = append(d.Values, row), append(d.Probability, p.p), append(d.Disturbances, p.disturbances)
	}
	return d, nil
}

// number is the value of the variable of a fluent with a value; false for one outside its range.
func (o *Outcomes) number(fluent int, v value) (z int64, ok bool, err error) {
	f := &o.of.Ground.Fluents[fluent]
	r := v.rat
	if v.inexact {
		return 0, false, fmt.Errorf("the next value %v of %s is not a fraction", v.float, f.Name)
	}
	if g, ok := o.of.grids[fluent]; ok {
		r = r.sub(g.base).div(g.step)
	}
	w := o.of.Variable(fluent)
	return r.N, r.isWhole() && r.N >= w.Lo && r.N <= w.Hi, nil
}

// path is a path with the probability of the outcomes of its draws so far.
type path struct {
	ground.Path
	p            *big.Rat
	disturbances int // draws that do not have their most likely outcome
}

// draw is the value of a draw on the path.
func (p *path) draw(s *scene, n *ground.Node) value {
	values, weights := s.support(n)
	sum, mode := new(big.Rat), -1
	var places []int
	for i, w := range weights {
		sum.Add(sum, w)
		if w.Sign() > 0 {
			places = append(places, i)
		}
		if mode < 0 || w.Cmp(weights[mode]) > 0 {
			mode = i
		}
	}
	i := places[p.Turn(len(places))]
	p.p = new(big.Rat).Mul(p.p, new(big.Rat).Quo(weights[i], sum))
	if i != mode {
		p.disturbances++
	}
	return values[i]
}

// support lists the values of a draw with their weights, which are those of the RDDL divided by nothing.
func (s *scene) support(n *ground.Node) (values []value, weights []*big.Rat) {
	fraction := func(a *ground.Node) *big.Rat {
		v := s.eval(a)
		if v.inexact {
			if r := operator.Simplest(v.float); r.Valid() {
				return big.NewRat(r.N, r.D)
			}
			r, ok := new(big.Rat).SetString(strconv.FormatFloat(v.float, 'g', -1, 64))
			if !ok {
				s.c.refuseAt(n.Pos, "the probability is %v, expected a number", v.float)
			}
			return r
		}
		return big.NewRat(v.N, v.D)
	}
	fail := func(err error) {
		if err != nil {
			s.c.refuseAt(n.Pos, "%v", err)
		}
	}
	switch n.Name {
	case "Bernoulli":
		p := fraction(n.Args[0])
		f, _ := p.Float64()
		fail(ground.DistributionError(n.Name, f))
		return []value{truth(true), truth(false)}, []*big.Rat{p, new(big.Rat).Sub(big.NewRat(1, 1), p)}
	case "Discrete", "UnnormDiscrete":
		sum := new(big.Rat)
		for i := 0; i+1 < len(n.Args); i += 2 {
			w := fraction(n.Args[i+1])
			if w.Sign() < 0 {
				s.c.refuseAt(n.Pos, "%s has the weight %s, expected none below 0", n.Name, w.RatString())
			}
			values, weights, sum = append(values, s.eval(n.Args[i])), append(weights, w), sum.Add(sum, w)
		}
		f, _ := sum.Float64()
		if off := f - 1; n.Name == "Discrete" && (off > rddl.SumTolerance || off < -rddl.SumTolerance) || sum.Sign() == 0 {
			s.c.refuseAt(n.Pos, "the weights of %s sum to %v, expected 1", n.Name, f)
		}
		return values, weights
	case "Binomial":
		trials, p := fraction(n.Args[0]), fraction(n.Args[1])
		if f, _ := p.Float64(); trials.IsInt() && trials.Num().IsInt64() {
			fail(ground.DistributionError(n.Name, float64(trials.Num().Int64()), f))
			return binomial(trials.Num().Int64(), p)
		}
	}
	s.c.refuseAt(n.Pos, "the values of %s are not finitely many; expected Bernoulli, Discrete, UnnormDiscrete or Binomial", n.Name)
	return nil, nil
}

// binomial lists the numbers of successes with their probabilities.
func binomial(n int64, p *big.Rat) (values []value, weights []*big.Rat) {
	q := new(big.Rat).Sub(big.NewRat(1, 1), p)
	power := func(x *big.Rat, k int64) *big.Rat {
		out := big.NewRat(1, 1)
		for range k {
			out.Mul(out, x)
		}
		return out
	}
	for k := range n + 1 {
		w := new(big.Rat).SetInt(new(big.Int).Binomial(n, k))
		w.Mul(w, power(p, k)).Mul(w, power(q, n-k))
		values, weights = append(values, exact(whole(k))), append(weights, w)
	}
	return values, weights
}

// Ends reports whether a termination condition holds in a state.
func (o *Outcomes) Ends(now factored.Valuation) (ends bool, err error) {
	defer o.failed(&err)
	s := &scene{c: o.c, val: map[fluentKey]value{}, memo: map[int]value{}}
	if len(o.of.Ground.Termination) == 0 {
		return false, nil
	}
	for i := range o.of.Ground.Fluents {
		if v := o.of.Variable(i); v != nil {
			s.val[fluentKey(i)<<1] = exact(o.of.valueAt(i, v.Value(now)))
		}
	}
	for _, c := range o.of.Ground.Termination {
		if s.eval(c.Expr).isTrue() {
			return true, nil
		}
	}
	return false, nil
}

// failed makes an error of what the computation throws.
func (o *Outcomes) failed(err *error) {
	switch r := recover().(type) {
	case nil:
	case *source.Error:
		*err = r
	case refusalText:
		*err = fmt.Errorf("%s: %s", o.c.what, string(r))
	default:
		panic(r)
	}
}
