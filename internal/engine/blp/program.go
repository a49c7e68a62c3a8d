package blp

import (
	"context"
	"io"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/bound"
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
	m        *model.Model
	step     *step.Step
	layers   *search.Layers // the steps that flow variables stand for; nil where they are too many, or not looked for
	tables   *tables        // nil before they were looked for, and for a problem without groups
	explored bool           // whether layers were looked for
}

// learn makes what every program needs.
func learn(ctx context.Context, t engine.Task, horizon int, help Help) (*known, error) {
	m, err := model.New(t.Problem, t.Network, horizon, model.Options{Propagate: help != None, Context: ctx})
	if err != nil {
		return nil, err
	}
	k := &known{m: m}
	if !m.Infeasible() {
		k.step, err = step.New(t)
	}
	return k, err
}

// explore lists the steps of the problem, where they are not too many.
func (x *Session) explore(ctx context.Context) error {
	k := x.known
	if k.explored {
		return nil
	}
	ctx, cancel := part(ctx, learnShare, time.Minute)
	defer cancel()
	k.explored = true
	layers, ok, err := search.Explore(ctx, x.task, x.horizon, maxEdges)
	if err != nil || !ok {
		return err
	}
	edges := 0
	for _, list := range layers.Edges {
		edges += len(list)
	}
	// The flow stands for the network: a small one says the same in fewer terms.
	if edges <= maxFlow && (x.task.Network == nil || edges <= x.horizon*x.task.Network.Edges()) {
		k.layers = layers
	}
	return nil
}

// builder makes what the program has beside the model.
type builder struct {
	*known
	rows   []model.Sum // coefficients of any sign
	next   int32       // variable to be added
	flows  [][]int32   // by time and edge: flow variables
	groups *bound.Flow // nil without flow variables of groups
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

// build makes the program without the plans that are excluded. Flow variables of groups are those of plans with at least a
// reward; nil is any.
func build(k *known, excluded []engine.Landmark, reward *int64) *builder {
	b := &builder{known: k, next: k.m.NumVars() + 1}
	if k.layers != nil {
		b.flow()
	} else if k.tables != nil {
		if b.groups = k.tables.search.Flow(k.m, reward, len(excluded) > 0, b.add); b.groups != nil {
			b.rows = b.groups.Rows
		}
	}
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
	o := format.Options{Kind: kind, Rows: b.rows, WithoutNetwork: b.layers != nil, WithoutSteps: b.groups != nil}
	if b.groups != nil {
		o.Integers = b.groups.Integers
		o.Costs = &format.Costs{Terms: b.groups.Costs, Constant: b.groups.Constant}
	}
	_, err = format.Write(ctx, w, b.m, o)
	return err
}
