package blp

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/problem/factored"
)

// Bounds on what is enumerated.
const (
	maxEdges = 1 << 15 // reachable steps at one time
	maxFlow  = 1 << 17 // flow variables over all times
)

// known is what is found out before a program is built; it depends on the problem
// and the horizon alone.
type known struct {
	m      *model.Model
	step   *step.Step
	layers *search.Layers // the steps that flow variables stand for; nil where they are too many
	tables *tables        // nil before they were looked for, and for a problem without groups
}

// learn finds out what helps; of the paper's program alone, nothing.
func learn(ctx context.Context, t engine.Task, horizon int, plain bool) (*known, error) {
	m, err := model.New(t.Problem, t.Network, horizon, model.Options{Propagate: !plain, Context: ctx})
	if err != nil {
		return nil, err
	}
	k := &known{m: m}
	if m.Infeasible() {
		return k, nil
	}
	if k.step, err = step.New(t); err != nil || plain {
		return k, err
	}
	layers, ok, err := search.Explore(ctx, t, horizon, maxEdges)
	if err != nil || !ok {
		return k, err
	}
	edges := 0
	for _, list := range layers.Edges {
		edges += len(list)
	}
	// The flow stands for the network: a small one says the same in fewer terms.
	if edges <= maxFlow && (t.Network == nil || edges <= horizon*t.Network.Edges()) {
		k.layers = layers
	}
	return k, nil
}

// builder makes one program.
type builder struct {
	*known
	p      format.Program
	next   int32       // variable to be added
	flows  [][]int32   // by time and edge: flow variables
	values []indicator // of values of groups
	slot   map[int32]int
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

// build makes the program without the plans that are excluded.
func build(ctx context.Context, k *known, excluded []engine.Landmark) (*builder, error) {
	b := &builder{known: k, slot: map[int32]int{}, next: k.m.NumVars() + 1}
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
	for t := 1; t <= m.Horizon+1; t++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if t == 1 || !m.Same(t) {
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
		if k.layers == nil { // else the flow determines the network
			b.sums(part.Sums[model.Network], offset)
			for _, layer := range part.Layers {
				for i := range layer {
					b.sums(neuron(&layer[i]), offset)
				}
			}
		}
	}
	if k.layers != nil {
		b.flow()
	}
	b.addCuts()
	for i := range excluded {
		b.exclude(&excluded[i])
	}
	return b, nil
}

// neuron states a neuron by two inequalities, as the paper does.
func neuron(n *model.Neuron) []model.Sum {
	lower, upper := model.Sum{Op: factored.GE}, model.Sum{Op: factored.LE, K: int64(n.Threshold - 1)}
	for _, l := range n.Inputs {
		lower.Terms = append(lower.Terms, model.Term{Coef: 1, Lit: l})
		upper.Terms = append(upper.Terms, model.Term{Coef: 1, Lit: l})
	}
	lower.Terms = append(lower.Terms, model.Term{Coef: -int64(n.Threshold), Lit: n.Out})
	upper.Terms = append(upper.Terms, model.Term{Coef: int64(n.Threshold - 1 - len(n.Inputs)), Lit: n.Out})
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
