package outcome

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/problem/chance"
)

// Group is what was learned of outputs that are random together, or of one output.
type Group struct {
	Outputs []int // of the table
	Blocked chance.Blocked
	Noise   []chance.Noise
	Leaves  []Leaf
	Follows []Follower // the last outputs
	Cost    float64    // description length in bits

	tree       *node
	exceptions []exception // contexts before those of the tree
	f          fitter      // that these were fitted by
	x          *view
	followed   []float64 // bits of each of Follows
}

// Leaf is a context with its outcomes.
type Leaf struct {
	When     []Condition
	Rows     int64 // that the weights are counted in
	Total    int64 // of the weights
	Outcomes []Outcome
}

// Outcome is a joint effect with its probability, which is Weight / Leaf.Total.
type Outcome struct {
	Weight  int64
	Effects []chance.Effect // of values from 0
}

// Condition is a test that a context has: a variable is one of Values, equal to Other or not, or with Sign times Other at most Value or not.
type Condition struct {
	Variable int
	Values   []bool // by value; nil for a comparison
	Other    int
	Equal    bool
	Sign     int32 // 0 for none
	Value    int32
}

// Random reports whether the group has more than one outcome in some context.
func (g *Group) Random() bool {
	return slices.ContainsFunc(g.Leaves, func(l Leaf) bool { return len(l.Outcomes) > 1 })
}

const (
	maxDepth = 24    // of a tree of contexts
	maxNodes = 2_000 // of it
)

// Options say how to learn.
type Options struct {
	// Determined allows one outcome in a context: all else is noise.
	Determined bool
	// Noise is the share of wrong cells, if it is known; else 0. What is as rare as wrong cells before and after
	// a step make it is then no outcome.
	Noise float64
	// Recorded says that no record is wrong: all that rows have is an outcome.
	Recorded bool
	// Refined looks longer for short functions.
	Refined bool
	// Coarse are bits that a test takes beside those that describe it: functions are found that hold for many rows.
	Coarse float64
	// Exact says that no record is wrong: the rows that a function does not explain, of those that Determined allows, have contexts of their own.
	Exact bool
}

// Learn describes outputs: each by itself, and those that are random together as one group. An error is that of
// ctx.
func Learn(ctx context.Context, t *Table, outputs []int, o Options) ([]*Group, error) {
	var groups []*Group
	for _, out := range outputs {
		g, err := learn(ctx, t, []int{out}, make([]sum, 1), o)
		if err != nil {
			return nil, err
		}
		if s := t.sumFor(out); s != nil {
			moved, err := learn(ctx, t, []int{out}, []sum{s}, o)
			if err != nil {
				return nil, err
			}
			if moved.Cost < g.Cost {
				g = moved
			}
		}
		groups = append(groups, g)
	}
	if o.Determined {
		return groups, nil
	}
	fs, err := followers(ctx, t, groups, o)
	if err != nil {
		return nil, err
	}
	groups = slices.DeleteFunc(groups, func(g *Group) bool {
		return slices.ContainsFunc(fs, func(f function) bool { return f.alone == g })
	})
	if groups, err = join(ctx, t, groups, o); err != nil {
		return nil, err
	}
	for _, g := range groups {
		g.except(ctx)
	}
	return attach(ctx, t, groups, fs, o)
}

// fitter returns a fitter for a group.
func (o *Options) fitter(x *view) *fitter {
	f := &fitter{x: x, blocked: chance.Keep, weight: priorRows, most: maxEffects, rounds: fewRounds, prior: make([]float64, len(x.outputs))}
	for i := range f.prior {
		if f.prior[i] = firstNoise; o.Noise > 0 {
			f.prior[i] = o.Noise
		}
	}
	if o.Noise > 0 {
		f.weight, f.least = x.rows, 2*o.Noise
	}
	if o.Determined {
		f.most = 1
	}
	return f
}

// join makes groups one where that shortens the description, the best pair first.
func join(ctx context.Context, t *Table, groups []*Group, o Options) ([]*Group, error) {
	tried := map[[2]*Group]*Group{}
	for {
		var a, b, best *Group
		for i, g := range groups {
			for _, h := range groups[:i] {
				if !g.Random() || !h.Random() || dependence(t, g, h) < worth {
					continue
				}
				both, ok := tried[[2]*Group{h, g}]
				if !ok {
					var err error
					if both, err = learn(ctx, t, slices.Concat(h.Outputs, g.Outputs), slices.Concat(h.x.sums, g.x.sums), o); err != nil {
						return nil, err
					}
					tried[[2]*Group{h, g}] = both
				}
				if gain := g.Cost + h.Cost - both.Cost; gain > 0 && (best == nil || gain > a.Cost+b.Cost-best.Cost) {
					a, b, best = h, g, both
				}
			}
		}
		if best == nil {
			return groups, nil
		}
		var rest []*Group
		for _, g := range groups {
			switch g {
			case a:
				rest = append(rest, best)
			case b:
			default:
				rest = append(rest, g)
			}
		}
		groups = rest
	}
}

// dependence is the information, in bits, that the outcomes of two groups have about each other
// beyond what their contexts tell, less what chance would show.
func dependence(t *Table, g, h *Group) float64 {
	gl, gk := g.assign(t)
	hl, hk := h.assign(t)
	type key struct{ a, b, c, d int32 }
	joint, left, right, all := map[key]float64{}, map[key]float64{}, map[key]float64{}, map[key]float64{}
	for r := range gl {
		joint[key{gl[r], hl[r], gk[r], hk[r]}]++
		left[key{gl[r], hl[r], gk[r], -1}]++
		right[key{gl[r], hl[r], -1, hk[r]}]++
		all[key{gl[r], hl[r], -1, -1}]++
	}
	bits := func(m map[key]float64) (s float64) {
		for _, n := range slices.Sorted(maps.Values(m)) {
			s += xlogx(n)
		}
		return s
	}
	free := float64(len(joint) - len(left) - len(right) + len(all))
	return bits(joint) - bits(left) - bits(right) + bits(all) - max(0, free)/math.Ln2/2
}

// assign returns the leaf of each row, and the outcome that it shows.
func (g *Group) assign(t *Table) (leaf, outcome []int32) {
	leaf, outcome = make([]int32, t.Rows()), make([]int32, t.Rows())
	k := int32(0)
	g.tree.leaves(nil, func(n *node, _ []answer) {
		for _, r := range n.rows {
			leaf[r], outcome[r] = k, int32(slices.IndexFunc(n.fit.effects, func(e int32) bool { return slices.Contains(g.x.shows[g.x.ids[r]], e) }))
		}
		k++
	})
	return leaf, outcome
}

// learn describes one group, whose effects may add to sums.
func learn(ctx context.Context, t *Table, outputs []int, sums []sum, o Options) (*Group, error) {
	x := t.see(outputs, sums)
	rows := integer.Below[int32](t.Rows())
	nodes := 0
	g := &grower{f: o.fitter(x), few: fewRows, worth: worth + o.Coarse, ahead: o.Determined && o.Coarse == 0, tests: math.Log2(float64(max(1, x.tests()))) + o.Coarse}
	g.cancel = func() bool {
		nodes++
		return nodes > maxNodes || ctx.Err() != nil
	}
	tree := g.grow(rows, maxDepth)
	best, rest := g.described(o, outputs, tree)
	if tree.sums() {
		// Trees grow without clamps. What tests of sums tell there may be these, which few contexts say as well.
		plain := *g
		plain.plain = true
		if other, others := plain.described(o, outputs, plain.grow(rows, maxDepth)); other.Cost < best.Cost {
			best, rest = other, others
		}
	}
	if o.Refined {
		best.refine(ctx, g.f, rest, o)
	}
	if o.Exact {
		best.complete(x, rows, rest, g)
	}
	for _, s := range sums {
		best.Cost += t.termBits(s)
	}
	best.finish()
	return best, ctx.Err()
}

// described is the group of a tree that was grown, pruned for the way to treat blocked effects and the noise that describe its rows the shortest. rest is
// what that takes in bits beside the tree.
func (g *grower) described(o Options, outputs []int, tree *node) (best *Group, rest float64) {
	x := g.f.x
	try := func(n noise) {
		for _, way := range x.ways() {
			f := *g.f
			f.blocked, f.rounds, f.prior, f.fixed = way, rounds, n.rates, o.Noise == 0
			h := *g
			h.pruned = &f
			pruned, all := h.prune(tree)
			if cost := all.total + math.Log2(float64(len(ways))) + n.bits; best == nil || cost < best.Cost-1e-6 {
				rest = math.Log2(float64(len(ways))) + n.bits
				best = &Group{Outputs: outputs, Blocked: way, Cost: cost, tree: pruned, f: f, x: x}
			}
		}
	}
	for _, n := range o.noises(tree, x) {
		try(n)
	}
	if o.Noise == 0 && !o.Recorded {
		try(x.noise(best.noise(g.f)))
	}
	return best, rest
}

// noise estimates the shares of wrong values anew, given the tree.
func (g *Group) noise(f *fitter) []float64 {
	free := *f
	free.blocked, free.rounds, free.prior = g.Blocked, rounds, noiseOf(g.tree, len(g.Outputs))
	sum, rows := make([]float64, len(g.Outputs)), 0.0
	g.tree.leaves(nil, func(n *node, _ []answer) {
		m := free.estimate(n.cells, n.fit.effects)
		for o, q := range m.noise {
			sum[o] += q * m.rows
		}
		rows += m.rows
	})
	for o := range sum {
		sum[o] /= rows
	}
	return sum
}

const (
	mostWrong = .04 // share of wrong records that logs have
	unlikely  = 12  // bits that a greater share takes to describe
)

// noise is a share of wrong values for each output, and what it takes to say so.
type noise struct {
	rates []float64
	bits  float64
}

// noises lists the noises that are tried. Wrong records are as frequent whatever the context, so one share must explain
// all rows; what is more frequent in some contexts is an outcome.
func (o *Options) noises(tree *node, x *view) []noise {
	k := len(x.outputs)
	if o.Noise > 0 {
		return []noise{{slices.Repeat([]float64{o.Noise}, k), 0}}
	}
	mean, between, least := noiseOf(tree, k), make([]float64, k), make([]float64, k)
	for i, q := range mean {
		least[i] = leastNoise(x.rows)
		between[i] = math.Sqrt(q * least[i])
	}
	if o.Recorded {
		return []noise{x.noise(least)}
	}
	return []noise{x.noise(least), x.noise(between), x.noise(mean)}
}

// noise describes shares of values that are drawn anew, which the right one may be, too.
func (x *view) noise(rates []float64) noise {
	n := noise{rates: rates}
	for i, q := range rates {
		n.bits += noiseBits(q*(1-1/x.size[i]), x.rows)
	}
	return n
}

// leastNoise is the share of wrong values where none is known.
func leastNoise(rows float64) float64 { return .5 / (rows + 1) }

// noiseBits is what it takes to describe the noise of an output.
func noiseBits(rate, rows float64) float64 {
	bits := math.Log2(rows+1) / 2
	if rate > mostWrong && rate > leastNoise(rows) {
		bits += unlikely
	}
	return bits
}

// Exceptions is the description length of rows, some of which have another of so many values than a function gives.
func Exceptions(wrong, rows int, values int64) float64 {
	n, w := float64(rows), float64(wrong)
	bits := func(rate float64) float64 {
		return noiseBits(rate, n) - (n-w)*math.Log2(1-rate) - w*math.Log2(rate/float64(max(1, values-1)))
	}
	return min(bits(leastNoise(n)), bits(min(mostWrong, (w+.5)/(n+1))), bits((w+.5)/(n+1)))
}

// tests counts the tests that a node may ask.
func (x *view) tests() (n int) {
	for i, v := range x.t.Variables {
		n += int(v.Values)
		for _, stride := range x.strides[i] {
			n += int(stride)
		}
		if v.Ordered {
			n += int(v.Values) - 1
		}
	}
	return n + len(x.t.comparisons(x.outputs))
}

// noiseOf is the share of wrong values of each output in a whole tree.
func noiseOf(tree *node, k int) []float64 {
	noise, rows := make([]float64, k), 0.0
	tree.leaves(nil, func(n *node, _ []answer) {
		for o := range noise {
			noise[o] += n.fit.noise[o] * n.fit.rows
		}
		rows += n.fit.rows
	})
	for o := range noise {
		noise[o] = max(noise[o]/rows, .5/(rows+1))
	}
	return noise
}

// finish makes the leaves of the tree into contexts with counts.
func (g *Group) finish() {
	rows := int64(g.x.rows)
	for _, q := range noiseOf(g.tree, len(g.Outputs)) {
		g.Noise = append(g.Noise, chance.Noise{Wrong: max(1, int64(math.Round(2*q*float64(rows)))), Of: 2 * rows})
	}
	add := func(n *node, path []answer) {
		l := Leaf{When: conditions(g.x.t, path)}
		var weights []int64
		weights, l.Rows = round(n.fit)
		order := make([]int, 0, len(weights))
		for i, w := range weights {
			if w > 0 {
				order = append(order, i)
				l.Total += w
			}
		}
		// Of equals the one that was seen more often is the likely one.
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(n.fit.counts[b], n.fit.counts[a]))
		})
		for _, i := range order {
			l.Outcomes = append(l.Outcomes, Outcome{weights[i], g.x.effects[n.fit.effects[i]]})
		}
		g.Leaves = append(g.Leaves, l)
	}
	for _, e := range g.exceptions {
		add(e.leaf, e.when)
	}
	g.tree.leaves(nil, add)
}

// round makes the expected counts of a fit whole numbers that have their sum, the rows.
func round(f *fit) (weights []int64, rows int64) {
	weights = make([]int64, len(f.counts))
	order := make([]int, len(weights))
	total, given := 0.0, int64(0)
	for i, c := range f.counts {
		weights[i], order[i] = int64(c), i
		total += c
		given += weights[i]
	}
	rest := func(i int) float64 { return f.counts[i] - math.Floor(f.counts[i]) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rest(b), rest(a)) })
	rows = max(1, int64(math.Round(total)))
	for _, i := range order[:min(int(max(0, rows-given)), len(order))] {
		weights[i]++
	}
	if f.uniform {
		for i := range weights {
			weights[i] = 1
		}
	}
	return weights, rows
}

// conditions simplifies the way to a leaf: for each variable the values that it may have.
func conditions(t *Table, path []answer) []Condition {
	var out []Condition
	for _, a := range path {
		if a.other >= 0 {
			out = tighten(out, Condition{Variable: a.variable, Other: a.other, Equal: a.yes, Sign: a.sign, Value: a.value})
			continue
		}
		i := slices.IndexFunc(out, func(c Condition) bool { return c.Values != nil && c.Variable == a.variable })
		if i < 0 {
			c := Condition{Variable: a.variable, Values: make([]bool, t.Variables[a.variable].Values)}
			for v := range c.Values {
				c.Values[v] = true
			}
			out, i = append(out, c), len(out)
		}
		for v := range out[i].Values {
			out[i].Values[v] = out[i].Values[v] && a.among(int32(v)) == a.yes
		}
	}
	return out
}
