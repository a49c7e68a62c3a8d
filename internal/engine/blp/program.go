package blp

import (
	"context"
	"io"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/engine/step"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/solve/external"
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

// builder makes what the program has beside the model.
type builder struct {
	*known
	rows   []model.Sum // coefficients of any sign
	next   int32       // variable to be added
	flows  [][]int32   // by time and edge: flow variables
	values []indicator // of values of groups
}

// add adds a variable.
func (b *builder) add() int32 {
	b.next++
	return b.next - 1
}

// row adds a row.
func (b *builder) row(terms []model.Term, op factored.Op, k int64) {
	b.rows = append(b.rows, model.Sum{Terms: terms, Op: op, K: k})
}

// build makes the program without the plans that are excluded.
func build(k *known, excluded []engine.Landmark) *builder {
	b := &builder{known: k, next: k.m.NumVars() + 1}
	if k.layers != nil {
		b.flow()
	}
	b.addCuts()
	for i := range excluded { // something in each is otherwise
		var terms []model.Term
		for _, d := range b.m.Differs(excluded[i].Trace, excluded[i].Depth) {
			terms = append(terms, model.Term{Coef: 1, Lit: d})
		}
		b.row(terms, factored.GE, 1)
	}
	return b
}

// write writes the program in a solver's dialect.
func (b *builder) write(ctx context.Context, w io.Writer, d external.Dialect) error {
	kind, err := format.ParseKind(string(d))
	if err != nil {
		return err
	}
	_, err = format.Write(ctx, w, b.m, format.Options{Kind: kind, Rows: b.rows, WithoutNetwork: b.layers != nil})
	return err
}
