package conflict

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/solve/sat"
	"github.com/fdplan/fdplan/problem/factored"
)

// lit returns the solver's literal of the model's.
func lit(l model.Lit, offset int32) sat.Lit {
	return sat.FromDIMACS(l.Shift(offset))
}

// open builds the model and loads the solver.
func open(ctx context.Context, t engine.Task, horizon int, how setup) (*Session, error) {
	m, err := model.New(t.Problem, t.Network, horizon, model.Options{Propagate: true, Given: how.within, Context: ctx})
	if err != nil {
		return nil, err
	}
	x := &Session{name: "pb", m: m, cost: math.MaxInt64, beat: math.MaxInt64, features: how.features}
	o := x.options()
	if how.proof != nil {
		if x.p, err = newProver(ctx, m, how.proof); err != nil {
			return nil, err
		}
		o.Trace = x.p
	}
	x.s = sat.New(o)
	if x.p != nil && how.proof.Part {
		x.p.begin(x.s, m, how.within)
	}
	if m.Infeasible() {
		x.s.AddClause()
		return x, nil
	}
	if how.encoding != nil {
		x.name = "maxsat"
		var function [][]model.Lit
		if *how.encoding == cnf.Default {
			function = x.function(ctx)
		}
		err = loadClauses(ctx, x.s, m, *how.encoding, function, how.memory)
	} else if err = roomFor("the model", nativeBytes(m), how.memory); err == nil {
		err = load(ctx, x.s, m)
	}
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w", x.name, err)
	}
	if how.proof != nil {
		for _, l := range how.proof.Excluded {
			if err := x.Exclude(l); err != nil {
				return nil, err
			}
		}
	}
	x.guide(x.s)
	return x, nil
}

// options are those of the session's solvers, without a proof.
func (x *Session) options() sat.Options {
	return sat.Options{StateNogoods: x.has(StateNogoods), CuttingPlanes: x.has(CuttingPlanes)}
}

// guide tells a solver what belongs to which step, and what is to be decided first.
func (x *Session) guide(s *sat.Solver) {
	stages(s, x.m)
	if x.has(ActionOrder) {
		order(s, x.m)
	}
}

// Guard tells under which condition a constraint is loaded: number i of a group
// among the sums that Part(t) lists for it, or with group model.Network the
// network at step t, which takes no condition. NoLit loads it unconditionally;
// with false it is left out.
type Guard func(t int, g model.Group, i int) (sat.Lit, bool)

// load adds all constraints of m to a solver, neurons and sums as they are.
func load(ctx context.Context, s *sat.Solver, m *model.Model) error {
	return Load(ctx, s, m, func(int, model.Group, int) (sat.Lit, bool) { return sat.NoLit, true })
}

// Load adds the constraints of m to a solver as guard wants them, neurons and
// sums as they are: a guarded sum holds wherever its guard does. The solver's
// variables 1..NumVars are the model's; guards come after them. Errors wrap
// sat.ErrOverflow, or are the context's.
func Load(ctx context.Context, s *sat.Solver, m *model.Model, guard Guard) error {
	s.Grow(m.NumVars())
	var lits []sat.Lit
	var terms []sat.Term
	part := m.Part(1)
	for t := 1; t <= m.Horizon+1; t++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if t > 1 && !m.Same(t) {
			part = m.Part(t)
		}
		offset := int32(t-1) * m.Stride()
		for _, l := range part.Fixed {
			s.AddClause(lit(l, offset))
		}
		for group, sums := range part.Sums {
			for i := range sums {
				g, ok := guard(t, model.Group(group), i)
				if !ok {
					continue
				}
				terms = terms[:0]
				for _, x := range sums[i].Terms {
					terms = append(terms, sat.Term{Coef: x.Coef, Lit: lit(x.Lit, offset)})
				}
				if err := addSum(s, terms, sums[i].Op, sums[i].K, g); err != nil {
					return fmt.Errorf("step %d: %w", t, err)
				}
			}
		}
		if _, ok := guard(t, model.Network, 0); !ok {
			continue
		}
		for _, layer := range part.Layers {
			for i := range layer {
				n := &layer[i]
				lits = lits[:0]
				for _, l := range n.Inputs {
					lits = append(lits, lit(l, offset))
				}
				if _, err := s.AddNeuron(lit(n.Out, offset), lits, n.Threshold); err != nil {
					return fmt.Errorf("step %d: %w", t, err)
				}
			}
		}
	}
	return nil
}

// clauses loads a solver with what a lowering streams.
type clauses struct {
	s     *sat.Solver
	known int32 // the last variable that has a stage
	lits  []sat.Lit
}

// Clauses adds clauses of step t. Variables that come up for the first time
// are the encoding's own and belong to what the step computes.
func (c *clauses) Clauses(t int, _ model.Group, lits []int32) error {
	last := int32(0)
	for _, d := range lits {
		last = max(last, d, -d)
	}
	c.s.Grow(last)
	for ; c.known < last; c.known++ {
		c.s.SetStage(c.known+1, int32(2*t+1))
	}
	for _, d := range lits {
		if d != 0 {
			c.lits = append(c.lits, sat.FromDIMACS(model.Lit(d)))
			continue
		}
		c.s.AddClause(c.lits...)
		c.lits = c.lits[:0]
	}
	return nil
}

// loadClauses gives a solver all constraints of m as clauses, with function, where that is not
// nil, for its network. It is a *engine.TooLargeError, before anything is loaded, where they
// would take more than memory bytes; 0 is no bound.
func loadClauses(ctx context.Context, s *sat.Solver, m *model.Model, e cnf.Encoding, function [][]model.Lit, memory int64) error {
	lowering := cnf.NewLowering(m, e)
	if function != nil {
		lowering.Without(model.Network)
	}
	if memory > 0 {
		const most = variableBytes << 31 // of as many variables as clauses can have
		sizes, err := lowering.Sizes(ctx)
		if errors.Is(err, cnf.ErrTooLarge) && memory < most {
			return &engine.TooLargeError{What: "the encoding", Bytes: most, Bound: memory, AtLeast: true}
		}
		if err != nil {
			return err
		}
		all := sizes.Total()
		all.Add(stampedSize(m, function))
		if err := roomFor("the encoding", clauseBytes(all), memory); err != nil {
			return err
		}
		s.Grow(int32(all.Variables))
	}
	s.Grow(m.NumVars())
	if err := lowering.Stream(ctx, &clauses{s: s, known: m.NumVars()}); err != nil {
		return err
	}
	stamp(s, m, function)
	return nil
}

// addSum adds a sum with any relation that holds where guard does, or always
// when that is NoLit. The coefficients of terms are positive, and overwritten.
func addSum(s *sat.Solver, terms []sat.Term, op factored.Op, k int64, guard sat.Lit) error {
	least := func(k, lowest int64) error {
		if guard == sat.NoLit || k <= lowest {
			_, err := s.AddLinear(terms, k)
			return err
		}
		// Without its guard the sum only has to reach what it always does.
		_, err := s.AddLinear(append(terms, sat.Term{Coef: k - lowest, Lit: guard.Not()}), k)
		return err
	}
	if op != factored.LE {
		if err := least(k, 0); err != nil {
			return err
		}
	}
	if op != factored.GE {
		var most int64
		for i := range terms {
			most += terms[i].Coef
			terms[i].Coef = -terms[i].Coef
		}
		if err := least(-k, -most); err != nil {
			return err
		}
	}
	return nil
}

// Advise tells a solver what planning knows of the model that it was loaded
// with: the order of decisions, and the stages of variables.
func Advise(s *sat.Solver, m *model.Model) {
	stages(s, m)
	order(s, m)
}

// stages puts the state at step t at stage 2t, what is decided and computed
// there at 2t+1.
func stages(s *sat.Solver, m *model.Model) {
	for t := 1; t <= m.Horizon+1; t++ {
		first := int32(t-1) * m.Stride()
		last := min(first+m.Stride(), m.NumVars())
		for v := first + 1; v <= last; v++ {
			s.SetStage(v, int32(2*t+1))
		}
		for _, b := range m.Problem.Bits(factored.State) {
			s.SetStage(int32(m.Var(t, b)), int32(2*t))
		}
	}
}

// order has actions decided first, earliest step first, and before all of them
// what the problem leaves open of the first state.
func order(s *sat.Solver, m *model.Model) {
	for _, b := range m.Problem.Bits(factored.State) {
		s.SetPriority(int32(m.Var(1, b)), 0)
	}
	for t := 1; t <= m.Horizon; t++ {
		for _, b := range m.Problem.Bits(factored.Action) {
			s.SetPriority(int32(m.Var(t, b)), int32(t))
		}
	}
}

// read returns the trace that the solver's model stands for.
func read(s *sat.Solver, m *model.Model) *factored.Trace {
	p := m.Problem
	trace := &factored.Trace{}
	for t := 1; t <= m.Horizon+1; t++ {
		val := make(factored.Valuation, p.NumBits())
		for b := range val {
			if t > m.Horizon && p.Kind(factored.Bit(b)) == factored.Action {
				continue
			}
			val[b] = s.Value(sat.Pos(int32(m.Var(t, factored.Bit(b)))))
		}
		trace.Steps = append(trace.Steps, val)
	}
	return trace
}
