package optimize

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// Status is what is known of a minimum.
type Status uint8

// The statuses of a result.
const (
	Unknown    Status = iota // nothing was found in time
	Infeasible               // the constraints have no solution
	Feasible                 // there is a solution, not proven to be the best
	Optimal                  // there is none better
)

func (s Status) String() string {
	return [...]string{"unknown", "infeasible", "feasible", "optimal"}[s]
}

// Result is what is known. Costs count the objective's constant.
type Result struct {
	Status Status
	Cost   int64  // of Model
	Bound  int64  // no solution costs less
	Model  []bool // by variable
}

// Limits bound a run beside its context. Zero means no bound.
type Limits struct {
	Conflicts int64
	Memory    int64 // bytes of the solver
}

// Minimizer is an objective over a solver's variables. From the first call on it alone adds to the solver.
type Minimizer struct {
	s        *sat.Solver
	costs    []sat.Term // positive coefficients
	constant int64
	report   func(Result)
	p        *Prover  // nil where no proof is written
	clause   proof.ID // of the last core there

	res   Result
	lower int64 // without constant
	upper int64 // without constant; math.MaxInt64 while there is no solution
	known int64 // a lower bound that comes from elsewhere, without constant

	open    map[sat.Lit]int64 // what each literal still costs beyond lower, when true
	order   []sat.Lit         // keys of open, in order of first use
	counter map[sat.Lit]output
	outputs map[outputKey]sat.Lit
	stratum int64   // literals of less are not assumed away yet
	guard   sat.Lit // assumed, it makes the next solution cost less than guarded
	guarded int64
	limit   sat.Limit // what the guard implies
}

// output is a literal that stands for "at least k of these".
type output struct {
	lits []sat.Lit
	k    int
}

type outputKey struct {
	lits *sat.Lit
	k    int
}

// New returns a minimizer of sum of terms plus constant; coefficients of either
// sign, variables repeated. report, which may be nil, is called at each better
// solution and each better bound. The error wraps sat.ErrOverflow.
func New(s *sat.Solver, terms []sat.Term, constant int64, report func(Result)) (*Minimizer, error) {
	if report == nil {
		report = func(Result) {}
	}
	m := &Minimizer{s: s, constant: constant, report: report, upper: math.MaxInt64, guarded: math.MaxInt64, known: math.MinInt64,
		open: map[sat.Lit]int64{}, counter: map[sat.Lit]output{}, outputs: map[outputKey]sat.Lit{}}
	coef := map[int32]int64{}
	var order []int32
	var total int64
	add := func(x *int64, y int64) bool {
		sum := *x + y
		if (sum > *x) != (y > 0) && y != 0 {
			return false
		}
		*x = sum
		return sum >= -math.MaxInt64/4 && sum <= math.MaxInt64/4
	}
	overflow := fmt.Errorf("an objective of %d terms: %w", len(terms), sat.ErrOverflow)
	for _, t := range terms {
		v := t.Lit.Var()
		s.Grow(v)
		if _, seen := coef[v]; !seen {
			order = append(order, v)
		}
		c := t.Coef
		if c == math.MinInt64 {
			return nil, overflow
		}
		if t.Lit.Negative() {
			if !add(&m.constant, c) {
				return nil, overflow
			}
			c = -c
		}
		x := coef[v]
		if !add(&x, c) {
			return nil, overflow
		}
		coef[v] = x
	}
	for _, v := range order {
		l, c := sat.Pos(v), coef[v]
		if c < 0 {
			if !add(&m.constant, c) {
				return nil, overflow
			}
			l, c = l.Not(), -c
		}
		if c == 0 {
			continue
		}
		if !add(&total, c) {
			return nil, overflow
		}
		m.costs = append(m.costs, sat.Term{Coef: c, Lit: l})
		m.charge(l, c)
	}
	return m, nil
}

// charge adds to what a literal costs.
func (m *Minimizer) charge(l sat.Lit, c int64) {
	if _, known := m.open[l]; !known {
		m.order = append(m.order, l)
	}
	m.open[l] += c
}

// refuted puts down the core that the solver has just found.
func (m *Minimizer) refuted() {
	if m.p != nil {
		m.clause = m.p.refuted(m.s.Core())
	}
}

// firstSlice is how many conflicts each of the two searches has in turn, at
// first.
const firstSlice = 1000

// Run minimizes until the minimum is proven, the limits are reached or ctx
// ends. It may be called again to go on.
func (m *Minimizer) Run(ctx context.Context, l Limits) (Result, error) {
	for _, t := range m.costs {
		m.s.SetPhase(t.Lit.Var(), t.Lit.Negative())
	}
	start := m.s.Stats().Conflicts
	left := func() int64 {
		if l.Conflicts == 0 {
			return math.MaxInt64
		}
		return l.Conflicts - (m.s.Stats().Conflicts - start)
	}
	budget := sat.Budget{Memory: l.Memory}
	slice := int64(firstSlice)
	// Cores that are easy to find often settle it: they come first.
	for fromAbove := len(m.costs) == 0; !m.met(); fromAbove = !fromAbove {
		if ctx.Err() != nil || left() <= 0 || l.Memory > 0 && m.s.Bytes() > l.Memory {
			break
		}
		budget.Conflicts = min(slice, left())
		var err error
		if fromAbove {
			err = m.fromAbove(ctx, budget)
			slice += slice / 2
		} else {
			err = m.fromBelow(ctx, budget)
		}
		if err != nil {
			return m.res, err
		}
	}
	switch {
	case !m.s.Consistent() && m.upper == math.MaxInt64:
		m.res.Status = Infeasible
	case m.met():
		m.lower = m.upper
		m.res.Status = Optimal
	}
	m.res.Bound = m.lower + m.constant
	return m.res, nil
}

// met reports whether there is nothing left to do.
func (m *Minimizer) met() bool { return !m.s.Consistent() || max(m.lower, m.known) >= m.upper }

// fromAbove looks for a solution better than the best so far until there is
// none or the budget is used up.
func (m *Minimizer) fromAbove(ctx context.Context, b sat.Budget) error {
	end := m.s.Stats().Conflicts + b.Conflicts
	for !m.met() {
		if b.Conflicts = end - m.s.Stats().Conflicts; b.Conflicts <= 0 {
			return nil
		}
		var assume []sat.Lit
		if m.upper < math.MaxInt64 && len(m.costs) > 0 {
			if m.guarded > m.upper {
				if err := m.tighten(); err != nil {
					return err
				}
			}
			assume = append(assume, m.guard)
		}
		switch m.s.Solve(ctx, assume, b) {
		case sat.Satisfiable:
			m.keep()
			if len(m.costs) == 0 {
				m.lower = m.upper
			}
		case sat.Unsatisfiable:
			m.refuted()
			if m.upper < math.MaxInt64 {
				m.raise(m.upper)
			}
			return nil
		default:
			return nil
		}
	}
	return nil
}

// tighten makes the guard imply that a solution is better than the best so far. It stays the
// same literal, so that what was learned with it counts on.
func (m *Minimizer) tighten() error {
	if m.guard == sat.NoLit {
		m.guard = m.s.NewVar()
		if m.p != nil {
			m.p.guard = m.guard
		}
	}
	var total int64
	terms := make([]sat.Term, 0, len(m.costs)+1)
	for _, t := range m.costs {
		terms = append(terms, sat.Term{Coef: t.Coef, Lit: t.Lit.Not()})
		total += t.Coef
	}
	// sum of costs <= upper-1: the denied costs are at least total-upper+1.
	if need := total - m.upper + 1; need > 0 {
		if _, err := m.s.Tighten(&m.limit, append(terms, sat.Term{Coef: need, Lit: m.guard.Not()}), need); err != nil {
			return fmt.Errorf("bounding the objective: %w", err)
		}
	}
	m.guarded = m.upper
	return nil
}

// keep takes the solver's model when it is better than the best so far.
func (m *Minimizer) keep() {
	var cost int64
	for _, t := range m.costs {
		if m.s.Value(t.Lit) {
			cost += t.Coef
		}
	}
	if cost >= m.upper {
		return
	}
	m.upper = cost
	if m.p != nil {
		m.p.solution(m.s)
	}
	model := make([]bool, m.s.NumVars()+1)
	for v := int32(1); v < int32(len(model)); v++ {
		model[v] = m.s.Value(sat.Pos(v))
	}
	m.res = Result{Status: Feasible, Cost: cost + m.constant, Bound: m.lower + m.constant, Model: model}
	m.report(m.res)
	m.harden()
}

// raise notes a better lower bound. Where what no better solution can pay is denied, cores may
// promise more than the best solution costs.
func (m *Minimizer) raise(lower int64) {
	if lower = min(lower, m.upper); lower <= m.lower {
		return
	}
	m.lower = lower
	m.res.Bound = lower + m.constant
	m.report(m.res)
	m.harden()
}

// harden denies for good what no better solution can pay.
func (m *Minimizer) harden() {
	if m.upper == math.MaxInt64 {
		return
	}
	for _, l := range m.order {
		if c := m.open[l]; c > 0 && m.lower+c >= m.upper && m.s.Fixed(l) == 0 {
			if m.p != nil {
				m.p.improve()
				m.p.Learned([]sat.Lit{l.Not()})
			}
			m.s.AddClause(l.Not())
		}
	}
}

// nextStratum lowers the stratum to the largest cost below it that is open; it
// is false when there is none.
func (m *Minimizer) nextStratum() bool {
	var next int64
	for _, c := range m.open {
		if c < m.stratum && c > next {
			next = c
		}
	}
	if next == 0 {
		return false
	}
	// Strata that hold little are taken together: halving keeps their number
	// logarithmic.
	m.stratum = max(1, min(next, m.stratum/2))
	for _, c := range m.open {
		if c >= m.stratum {
			return true
		}
	}
	m.stratum = next
	return true
}

// FromBelow raises the lower bound by cores until it meets a solution's cost, or
// the budget, which bounds conflicts, is used up, and returns it. No solution costs less than
// lower, and there is one of cost upper, as far as the caller knows:
// math.MaxInt64 where it knows none. Solutions that cost less and better bounds of the Minimizer's own
// are reported, a solution while the solver holds it.
func (m *Minimizer) FromBelow(ctx context.Context, lower, upper int64, b sat.Budget) (int64, error) {
	m.res, m.known, m.upper = Result{}, lower-m.constant, upper
	if upper < math.MaxInt64 {
		m.upper -= m.constant
	}
	err := m.fromBelow(ctx, b)
	switch {
	case !m.met():
		return m.lower + m.constant, err
	case m.upper == math.MaxInt64: // there is no solution
		return m.upper, err
	}
	return m.upper + m.constant, err
}

// fromBelow assumes costs away and takes cores apart until all can be, or the
// budget is used up.
func (m *Minimizer) fromBelow(ctx context.Context, b sat.Budget) error {
	if m.stratum == 0 {
		m.stratum = math.MaxInt64
		m.nextStratum()
	}
	end := m.s.Stats().Conflicts + b.Conflicts
	for !m.met() {
		if b.Conflicts = end - m.s.Stats().Conflicts; b.Conflicts <= 0 {
			return nil
		}
		var assume []sat.Lit
		for _, l := range m.order {
			if c := m.open[l]; c >= m.stratum && m.s.Fixed(l) >= 0 {
				assume = append(assume, l.Not())
			}
		}
		began := m.s.Stats().Work
		switch m.s.Solve(ctx, assume, b) {
		case sat.Satisfiable:
			m.keep()
			if !m.nextStratum() {
				// Nothing open is paid: the solution costs the bound.
				if m.lower < m.upper {
					return fmt.Errorf("all costs were assumed away, and yet the solution costs %d more than the bound %d", m.upper-m.lower, m.lower)
				}
				return nil
			}
		case sat.Unsatisfiable:
			m.refuted()
			if !m.s.Consistent() {
				return nil
			}
			took := m.s.Stats().Work - began
			if err := m.relax(m.shrink(ctx, slices.Clone(m.s.Core()), shrinkWork*took)); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// The work on making a core smaller is bounded by conflicts, and by that of finding it, so many times: a model that shows a
// literal to be needed has all variables.
const (
	shrinkConflicts = 100
	shrinkWork      = 3
)

// shrink leaves out literals of a core without which it is still one.
func (m *Minimizer) shrink(ctx context.Context, core []sat.Lit, work int64) []sat.Lit {
	conflicts := m.s.Stats().Conflicts + shrinkConflicts
	work += m.s.Stats().Work
	// Cheap first: the solver's own core of the core, as long as it shrinks.
	for len(core) > 1 {
		if m.s.Solve(ctx, core, sat.Budget{Conflicts: shrinkConflicts}) != sat.Unsatisfiable || len(m.s.Core()) >= len(core) {
			break
		}
		m.refuted()
		core = slices.Clone(m.s.Core())
	}
	for i := len(core) - 1; i >= 0 && len(core) > 1; i-- {
		left := conflicts - m.s.Stats().Conflicts
		if left <= 0 || m.s.Stats().Work >= work || ctx.Err() != nil {
			break
		}
		without := slices.Delete(slices.Clone(core), i, i+1)
		switch m.s.Solve(ctx, without, sat.Budget{Conflicts: left}) {
		case sat.Unsatisfiable:
			m.refuted()
			core = slices.Clone(m.s.Core())
			i = min(i, len(core))
		case sat.Satisfiable:
			m.keep()
		}
	}
	return core
}

// relax raises the bound by what a core costs at least, and counts how many of
// its literals are paid beyond the first.
func (m *Minimizer) relax(core []sat.Lit) error {
	if len(core) == 0 {
		return nil
	}
	least := int64(math.MaxInt64)
	lits := make([]sat.Lit, len(core))
	for i, a := range core {
		lits[i] = a.Not()
		least = min(least, m.open[lits[i]])
	}
	if m.p != nil {
		m.p.core(lits, m.clause, least)
	}
	for _, l := range lits {
		m.open[l] -= least
		if o, ok := m.counter[l]; ok {
			if err := m.output(output{o.lits, o.k + 1}, least); err != nil {
				return err
			}
		}
	}
	m.s.AddClause(lits...)
	if len(lits) > 1 {
		if err := m.output(output{lits, 2}, least); err != nil {
			return err
		}
	}
	m.raise(m.lower + least)
	return nil
}

// output makes the literal "at least k of lits" cost.
func (m *Minimizer) output(o output, cost int64) error {
	if o.k > len(o.lits) {
		return nil
	}
	key := outputKey{&o.lits[0], o.k}
	l, known := m.outputs[key]
	if !known {
		l = m.s.NewVar()
		if m.p != nil {
			m.p.define(l, o)
		}
		if _, err := m.s.AddNeuron(l, o.lits, o.k); err != nil {
			return fmt.Errorf("counting a core: %w", err)
		}
		m.outputs[key], m.counter[l] = l, o
	}
	if m.p != nil {
		m.p.charge(o, cost)
	}
	m.charge(l, cost)
	return nil
}
