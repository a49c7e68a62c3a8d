package greedy

import (
	"cmp"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// relaxedPlan is a plan in a relaxed planning graph, read from the goal back.
type relaxedPlan struct {
	*relaxed
	done  []bool             // by fact: it is cared for
	got   []limits           // of numbers: what is cared for
	over  []float64          // of numbers: by how much more they are moved, since steps are large
	uses  map[[2]int32]int32 // by operator and layer: how often
	first []int32            // operators of the first layer
	size  int64
	unmet int64 // conditions of the goal that are still broken
}

// What is done for one condition on numbers may break another, which is then looked at again, so many times at most.
const passes = 8

func (p *relaxedPlan) init(r *relaxed) {
	p.relaxed, p.done, p.got, p.over, p.uses = r, make([]bool, len(r.reached)), make([]limits, len(r.nums)), make([]float64, len(r.nums)), map[[2]int32]int32{}
}

// extract returns the number of actions of a relaxed plan, and one more for each condition of the goal that the numbers of the last layer do not
// allow together with the others. Those that are possible at once are in first.
func (p *relaxedPlan) extract() int64 {
	clear(p.done)
	clear(p.uses)
	clear(p.over)
	copy(p.got, p.span[0])
	p.first, p.size = p.first[:0], 0
	for pass := range passes {
		before := p.size
		p.unmet = 0
		for _, f := range p.goal {
			if n := int(f) - 2*len(p.bools); n >= 0 {
				p.condition(p.conds[n], true, len(p.span)-1)
			} else {
				p.fact(f)
			}
		}
		if pass > 0 && p.size == before {
			break
		}
	}
	p.work += 4 * p.size
	return p.size + p.unmet
}

// fact takes care of a fact.
func (p *relaxedPlan) fact(f fact) {
	if p.done[f] || p.reached[f] == 0 {
		return
	}
	p.done[f] = true
	if n := int(f) - 2*len(p.bools); n >= 0 {
		p.condition(p.conds[n], true, int(p.reached[f]))
		return
	}
	p.use(p.by[f], int(p.reached[f])-1, 1)
}

// use has a part happen so often in a layer.
func (p *relaxedPlan) use(part int32, layer int, times int32) {
	x := &p.parts[part]
	k := [2]int32{x.op, int32(layer)}
	if was := p.uses[k]; was < times {
		p.uses[k] = times
		p.size += int64(times - was)
		if was == 0 && layer == 0 {
			p.first = append(p.first, x.op)
		}
	}
	for _, f := range x.needs {
		p.fact(f)
	}
}

// condition takes care of an expression that is to be true, or false, in a layer.
func (p *relaxedPlan) condition(n *ground.Node, want bool, layer int) {
	at := p.at(layer)
	may := func(n *ground.Node, want bool) bool {
		lo, hi := span(n, at)
		return want && hi > 0 || !want && lo < 1
	}
	switch n.Op {
	case ground.Ref:
		if f := &p.p.Fluents[n.Fluent]; f.Kind == ground.Interm {
			p.condition(f.CPF, want, layer)
		} else {
			p.fact(p.literal(n.Fluent, want))
		}
	case ground.Not:
		p.condition(n.Args[0], !want, layer)
	case ground.And, ground.Or:
		for _, a := range n.Args {
			if all := (n.Op == ground.And) == want; all || may(a, want) {
				if p.condition(a, want, layer); !all {
					return
				}
			}
		}
	case ground.Eq, ground.Lt, ground.Le, ground.Gt, ground.Ge:
		op := n.Op
		if !want {
			op = map[ground.Op]ground.Op{ground.Eq: ground.Ne, ground.Lt: ground.Ge, ground.Le: ground.Gt, ground.Gt: ground.Le, ground.Ge: ground.Lt}[op]
		}
		p.compare(op, n.Args[0], n.Args[1], layer)
	}
}

// compare takes care of a comparison.
func (p *relaxedPlan) compare(op ground.Op, a, b *ground.Node, layer int) {
	s := &linear{}
	if !p.add(s, a, 1) || !p.add(s, b, -1) {
		for _, n := range []*ground.Node{a, b} { // no sum: all that was reached
			p.everything(n, layer)
		}
		return
	}
	up := func(more float64) { p.atLeast(s, 1, more, layer) }
	down := func(more float64) { p.atLeast(s, -1, more, layer) }
	switch op {
	case ground.Ge:
		up(0)
	case ground.Gt:
		up(p.least())
	case ground.Le:
		down(0)
	case ground.Lt:
		down(p.least())
	case ground.Eq:
		up(0)
		down(0)
	case ground.Ne:
		if _, hi := span(a, p.at(layer)); hi > 0 {
			up(p.least())
		} else {
			down(p.least())
		}
	}
}

// least is the least difference of two numbers that differ, for the estimate.
func (p *relaxedPlan) least() float64 {
	if slices.ContainsFunc(p.nums, func(f int) bool { return p.p.Fluents[f].Type == ground.Real }) {
		return 1e-6
	}
	return 1
}

// linear is a sum of numbers with weights.
type linear struct {
	terms []weighted
	rest  float64
}

// weighted is a number with its weight.
type weighted struct {
	num int32
	c   float64
}

// add adds a number.
func (s *linear) add(num int32, c float64) {
	if i := slices.IndexFunc(s.terms, func(w weighted) bool { return w.num == num }); i >= 0 {
		s.terms[i].c += c
	} else {
		s.terms = append(s.terms, weighted{num, c})
	}
}

// add adds a multiple of an expression to a sum. It is false where it is no sum.
func (p *relaxedPlan) add(s *linear, n *ground.Node, by float64) bool {
	switch n.Op {
	case ground.Const:
		s.rest += by * n.Val
		return true
	case ground.Ref:
		s.add(p.place[n.Fluent], by)
		return true
	case ground.Neg:
		return p.add(s, n.Args[0], -by)
	case ground.Add:
		return !slices.ContainsFunc(n.Args, func(a *ground.Node) bool { return !p.add(s, a, by) })
	case ground.Sub:
		return p.add(s, n.Args[0], by) && p.add(s, n.Args[1], -by)
	case ground.Mul, ground.Div:
		if n.Args[1].Op == ground.Const && len(n.Args) == 2 {
			if n.Op == ground.Div {
				return p.add(s, n.Args[0], by/n.Args[1].Val)
			}
			return p.add(s, n.Args[0], by*n.Args[1].Val)
		}
		return n.Args[0].Op == ground.Const && n.Op == ground.Mul && len(n.Args) == 2 && p.add(s, n.Args[1], by*n.Args[0].Val)
	}
	return false
}

// everything takes care of all values that the numbers of an expression have in a layer.
func (p *relaxedPlan) everything(n *ground.Node, layer int) {
	if n.Op == ground.Ref && p.p.Fluents[n.Fluent].Kind == ground.State {
		i := p.place[n.Fluent]
		x := p.span[layer][i]
		p.reachNumber(i, true, x.hi, layer)
		p.reachNumber(i, false, x.lo, layer)
	}
	for _, a := range n.Args {
		p.everything(a, layer)
	}
}

// atLeast takes care of sign times a sum being at least a number in a layer, after all moves of numbers until now: by numbers that were not
// moved the other way, and of these by those that can do most.
func (p *relaxedPlan) atLeast(s *linear, sign, least float64, layer int) {
	lack := least - sign*s.rest
	type term struct {
		weighted
		more float64 // what is still to be had in the layer
		back bool    // it was moved the other way
	}
	var list []term
	for _, w := range s.terms {
		if w.c *= sign; w.c == 0 {
			continue
		}
		x, g := p.span[0][w.num].lo, p.got[w.num]
		lack -= w.c * (g.lo + g.hi - x + p.over[w.num]) // all moves
		if w.c > 0 {
			list = append(list, term{w, w.c * (p.span[layer][w.num].hi - g.hi), g.lo < x})
		} else {
			list = append(list, term{w, w.c * (p.span[layer][w.num].lo - g.lo), g.hi > x})
		}
	}
	slices.SortStableFunc(list, func(a, b term) int {
		return cmp.Or(cmp.Compare(number(a.back), number(b.back)), cmp.Compare(b.more, a.more))
	})
	for _, x := range list {
		by := min(lack, x.more)
		if by <= 1e-9 {
			continue
		}
		got := p.got[x.num].hi
		if x.c < 0 {
			got = p.got[x.num].lo
		}
		p.reachNumber(x.num, x.c > 0, got+by/x.c, layer)
		lack -= by
	}
	if lack > 1e-9 && layer == len(p.span)-1 {
		p.unmet++
	}
}

// reachNumber has a number be at least, or at most, a value in a layer.
func (p *relaxedPlan) reachNumber(num int32, up bool, to float64, layer int) {
	sign, got := 1.0, &p.got[num].hi
	if !up {
		sign, got = -1, &p.got[num].lo
	}
	was := *got
	*got = sign * max(sign*was, sign*to)
	at := func(l int) float64 {
		if x := p.span[l][num]; up {
			return x.hi
		} else {
			return -x.lo
		}
	}
	top := layer - 1
	for lack := sign * to; lack > sign*was+1e-9; {
		for layer > 0 && at(layer-1) >= lack-1e-9 {
			layer--
		}
		if layer == 0 {
			return
		}
		layer--
		lack = p.move(num, sign, lack, max(at(layer), sign*was), sign*was, layer, top)
	}
}

// step is a way to change a number, in the direction that is wanted.
type step struct {
	mover
	set         bool
	least, most float64
}

// steps lists the ways to move a number in a layer from a value on, the largest first.
func (p *relaxedPlan) steps(num int32, sign, from float64, layer int) (list []step) {
	last := p.at(layer)
	for _, m := range p.movers[num] {
		if int(p.since[m.part]) > layer {
			continue
		}
		x := p.change(m, last)
		s := step{m, x.set, x.lo, x.hi}
		if sign < 0 {
			s.least, s.most = -x.hi, -x.lo
		}
		if s.set && s.most > from || !s.set && s.most > 0 {
			list = append(list, s)
		}
	}
	p.work += int64(8 * len(p.movers[num]))
	slices.SortStableFunc(list, func(a, b step) int { return cmp.Compare(b.most, a.most) })
	return list
}

// move takes parts of a layer that change a number until it lacks no more than it may have at the layer, and returns what it lacks then. Where
// the last step is too large, a later layer, until top, may have a smaller one.
func (p *relaxedPlan) move(num int32, sign, lack, now, base float64, layer, top int) float64 {
	list := p.steps(num, sign, now, layer)
	for _, x := range list {
		if x.set && x.most >= lack {
			p.use(x.part, layer, 1)
			p.valueOf(x, sign, lack, layer)
			return now
		}
	}
	for _, x := range list {
		if x.set {
			continue
		}
		if rest := lack - base; x.least > rest {
			if later := p.steps(num, sign, now, top); top > layer {
				if i := slices.IndexFunc(later, func(y step) bool { return !y.set && y.least <= rest && y.most >= rest }); i >= 0 {
					p.use(later[i].part, top, 1)
					p.valueOf(later[i], sign, rest, top)
					return now
				}
			}
			p.over[num] += sign * (x.least - rest)
		}
		times := math.Ceil(min(p.times[layer], (lack-now)/x.most))
		p.use(x.part, layer, int32(min(times, never/2)))
		p.valueOf(x, sign, min(x.most, (lack-base)/times), layer)
		if lack -= times * x.most; lack <= now {
			return lack
		}
	}
	return now // rounding, or a bound
}

// valueOf takes care of what an effect changes a number by.
func (p *relaxedPlan) valueOf(x step, sign, by float64, layer int) {
	if x.effect.Op == "decrease" {
		sign = -sign
	}
	s := &linear{}
	switch n := x.effect.Value; {
	case n.Op == ground.Const || layer == 0:
	case (x.effect.Op == "increase" || x.effect.Op == "decrease" || x.set) && p.add(s, n, 1):
		p.atLeast(s, sign, by, layer)
		if now, _ := span(n, p.at(0)); by < x.most && sign*now > by {
			p.atLeast(s, -sign, -by, layer)
		}
	default:
		p.everything(n, layer)
	}
}
