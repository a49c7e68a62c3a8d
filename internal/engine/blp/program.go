package blp

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/problem/factored"
)

// Bounds on what is enumerated.
const (
	maxRows  = 1 << 15 // pairs of state and action of a step
	maxEdges = 1 << 15 // reachable steps at one time
	maxFlow  = 1 << 17 // flow variables over all times
)

// known is what help finds out before a program is built; it depends on the
// problem and the horizon alone.
type known struct {
	m          *model.Model
	step       *relation
	all, legal table          // nil where they are too many, or not asked for
	layers     *search.Layers // likewise
	withFlow   bool           // layers are few enough for flow variables
	tables     *tables        // nil before they were looked for, and for a problem without groups
}

// learn finds out what h asks for.
func learn(ctx context.Context, t engine.Task, horizon int, h Help) (*known, error) {
	m, err := model.New(t.Problem, t.Network, horizon, model.Options{Propagate: h.Fix, Context: ctx})
	if err != nil {
		return nil, err
	}
	k := &known{m: m}
	if m.Infeasible() {
		return k, nil
	}
	if k.step, err = newRelation(t); err != nil {
		return nil, err
	}
	if (h.Tighten || h.Cuts || h.Replace) && t.Network != nil {
		k.all, k.legal = k.step.legal(ctx, maxRows)
	}
	if h.Reach || h.Flow {
		layers, ok, err := search.Explore(ctx, t, horizon, maxEdges)
		if err != nil {
			return nil, err
		}
		if ok {
			k.layers = layers
			edges := 0
			for _, list := range layers.Edges {
				edges += len(list)
			}
			k.withFlow = h.Flow && edges <= maxFlow
			if t.Network != nil {
				// The flow stands for the network: a small one says the same in fewer terms.
				k.withFlow = k.withFlow && edges <= horizon*t.Network.Edges()
			}
		}
	}
	return k, nil
}

// builder makes one program.
type builder struct {
	*known
	h      Help
	p      format.Program
	next   int32       // variable to be added
	flows  [][]int32   // by time and edge: flow variables
	values []indicator // of values of groups
	slot   map[int32]int
	cut    bool // there is a row for the cutoff
}

// contradiction is a row that nothing fulfils.
func contradiction() []format.ProgramRow {
	one := []format.ProgramTerm{{Coef: 1, Var: 1}}
	return []format.ProgramRow{{Terms: one, Op: factored.GE, K: 1}, {Terms: one, Op: factored.LE, K: 0}}
}

// add adds a variable.
func (b *builder) add() int32 {
	b.next++
	return b.next - 1
}

// build makes the program without the plans that are excluded, and no worse than
// cutoff, a scaled reward, where it is not nil. Rows that help are looked for
// until helpCtx ends; the program is complete without them.
func build(ctx, helpCtx context.Context, k *known, h Help, excluded []engine.Landmark, cutoff *int64) (*builder, error) {
	b := &builder{known: k, h: h, slot: map[int32]int{}, next: k.m.NumVars() + 1}
	m := k.m
	b.p.Name = "problem " + m.Problem.Name
	b.p.Constant = m.ObjectiveConstant()
	for t := 1; t <= m.Horizon+1; t++ {
		for _, c := range m.Objective(t) {
			coef := c.Coef
			if c.Lit < 0 { // c*(1-x)
				b.p.Constant += coef
				coef = -coef
			}
			b.p.Objective = append(b.p.Objective, format.ProgramTerm{Coef: coef, Var: c.Lit.Var()})
		}
	}
	if m.Infeasible() {
		b.p.Rows = contradiction()
		return b, nil
	}
	var part *model.Part
	var network []model.Sum // at the step at hand
	for t := 1; t <= m.Horizon+1; t++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		same := m.Same(t)
		if t == 1 || !same {
			part = m.Part(t)
		}
		offset := m.Stride() * int32(t-1)
		for _, l := range part.Fixed {
			b.row([]model.Term{{Coef: 1, Lit: l}}, factored.EQ, 1, offset)
		}
		for g, sums := range part.Sums {
			if model.Group(g) != model.Network {
				b.sums(sums, offset)
			}
		}
		if t > m.Horizon {
			break
		}
		if !same || k.layers != nil || t == 1 {
			network = b.stepRows(helpCtx, part, t)
		}
		b.sums(network, offset)
	}
	if k.withFlow {
		b.flow()
	}
	b.addCuts()
	for i := range excluded {
		b.exclude(&excluded[i])
	}
	if b.cut = cutoff != nil; b.cut {
		b.p.Rows = append(b.p.Rows, format.ProgramRow{Terms: b.p.Objective, Op: factored.LE, K: -*cutoff - b.p.Constant})
	}
	return b, nil
}

// stepRows states the network at step t, in local variables: its units, or what
// does for them. Rows that help are looked for until helpCtx ends.
func (b *builder) stepRows(helpCtx context.Context, part *model.Part, t int) []model.Sum {
	if b.m.Network == nil || b.withFlow {
		return nil // the flow determines the network
	}
	rows := b.possible(t)
	if rows != nil && len(rows) == 0 {
		return []model.Sum{{Terms: nil, Op: factored.GE, K: 1}}
	}
	// All pairs that the other rows allow: that C breaks after a step is for the
	// rows of the next one to say. Nil where they are too many.
	var every table
	if b.all != nil {
		every = b.step.at(b.all, b.m, t, b.step.Now, b.step.Actions)
	}
	out, replaced := b.implied(helpCtx, rows, every)
	if replaced {
		return out
	}
	if b.h.Cuts && rows != nil {
		out = append(out, b.step.equals(rows)...)
	}
	out = append(out, part.Sums[model.Network]...)
	return append(out, b.units(part, rows, every)...)
}

// possible lists the pairs of state and action that plans can have at step t, as
// far as is known; nil is any.
func (b *builder) possible(t int) table {
	if !b.h.Reach || b.layers == nil {
		if b.legal == nil {
			return nil
		}
		return b.step.at(b.legal, b.m, t, b.step.Now, b.step.Actions, b.step.Learned)
	}
	seen := map[string]bool{}
	rows := table{}
	for _, e := range b.layers.Edges[t-1] {
		row := b.step.row(func(l model.Lit) bool { return e.Action[b.bit(l)] })
		if key := row.text(); !seen[key] {
			seen[key] = true
			rows = append(rows, row)
		}
	}
	return rows
}

// implied lists implications between a state and action and what the network
// makes of them: for the pairs of every where they replace the network, and
// sharper ones for those of rows, which plans can have. Both are nil where they
// are not known.
func (b *builder) implied(helpCtx context.Context, rows, every table) (sums []model.Sum, replaced bool) {
	if b.h.Replace && len(every) > 0 {
		if all, complete := b.step.implicates(helpCtx, every); complete {
			sums, replaced = all, true
		}
	}
	if b.h.Cuts && rows != nil && (!replaced || len(rows) < len(every)) {
		cuts, _ := b.step.implicates(helpCtx, rows)
		sums = append(sums, cuts...)
	}
	return sums, replaced
}

// units states the neurons of a step.
func (b *builder) units(part *model.Part, rows, every table) (sums []model.Sum) {
	for _, layer := range part.Layers {
		for i := range layer {
			if rows != nil && b.h.Tighten {
				sums = append(sums, tight(&layer[i], rows, every)...)
			} else {
				sums = append(sums, plain(&layer[i])...)
			}
		}
	}
	return sums
}

// bit is the problem's bit of a local variable of a state or action at t.
func (b *builder) bit(l model.Lit) factored.Bit { return b.step.Bits[l] }

// plain states a neuron as the paper does.
func plain(n *model.Neuron) []model.Sum {
	return between(n, 0, n.Threshold, n.Threshold-1, len(n.Inputs))
}

// tight states a neuron by the counts that rows, those that plans can have, give
// it. Pairs of every are all that the program has to judge; nil is any.
func tight(n *model.Neuron, rows, every table) []model.Sum {
	u := newUnit(n)
	r := u.ranges(rows)
	if r.active && r.quiet {
		return between(n, r.least, r.leastActive, r.mostInactive, r.most)
	}
	out := n.Out
	if r.quiet {
		out = -out
	}
	sums := []model.Sum{{Terms: []model.Term{{Coef: 1, Lit: out}}, Op: factored.GE, K: 1}}
	if every != nil {
		if all := u.ranges(every); !all.active || !all.quiet {
			return sums
		}
	}
	// A pair in which the unit has the other value is not a step of a plan, but
	// maybe no other row excludes it.
	count := model.Sum{Op: factored.GE, K: int64(r.least)}
	if r.quiet {
		count = model.Sum{Op: factored.LE, K: int64(r.most)}
	}
	for _, l := range n.Inputs {
		count.Terms = append(count.Terms, model.Term{Coef: 1, Lit: l})
	}
	return append(sums, count)
}

// between states that the count of active inputs lies in least..most, is at
// least leastActive when the neuron is active, and at most mostInactive when it
// is not.
func between(n *model.Neuron, least, leastActive, mostInactive, most int) []model.Sum {
	lower := model.Sum{Op: factored.GE, K: int64(least)}
	upper := model.Sum{Op: factored.LE, K: int64(mostInactive)}
	for _, l := range n.Inputs {
		lower.Terms = append(lower.Terms, model.Term{Coef: 1, Lit: l})
		upper.Terms = append(upper.Terms, model.Term{Coef: 1, Lit: l})
	}
	lower.Terms = append(lower.Terms, model.Term{Coef: int64(least - leastActive), Lit: n.Out})
	upper.Terms = append(upper.Terms, model.Term{Coef: int64(mostInactive - most), Lit: n.Out})
	return []model.Sum{lower, upper}
}

func (b *builder) sums(sums []model.Sum, offset int32) {
	for i := range sums {
		b.row(sums[i].Terms, sums[i].Op, sums[i].K, offset)
	}
}

// row adds a row, brought to positive variables, each once. Coefficients may have
// any sign.
func (b *builder) row(terms []model.Term, op factored.Op, k int64, offset int32) {
	var out []format.ProgramTerm
	clear(b.slot)
	for _, t := range terms {
		v, coef := t.Lit.Var()+offset, t.Coef
		if t.Lit < 0 {
			k -= coef
			coef = -coef
		}
		if i, ok := b.slot[v]; ok {
			out[i].Coef += coef
			continue
		}
		b.slot[v] = len(out)
		out = append(out, format.ProgramTerm{Coef: coef, Var: v})
	}
	out = slices.DeleteFunc(out, func(t format.ProgramTerm) bool { return t.Coef == 0 })
	if len(out) == 0 {
		if op != factored.GE && k < 0 || op != factored.LE && k > 0 {
			b.p.Rows = append(b.p.Rows, contradiction()...)
		}
		return
	}
	b.p.Rows = append(b.p.Rows, format.ProgramRow{Terms: out, Op: op, K: k})
}

// exclude adds a landmark: something in it is otherwise.
func (b *builder) exclude(l *engine.Landmark) {
	var terms []model.Term
	for _, d := range b.m.Differs(l.Trace, l.Depth) {
		terms = append(terms, model.Term{Coef: 1, Lit: d})
	}
	b.row(terms, factored.GE, 1, 0)
}
