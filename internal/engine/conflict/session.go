package conflict

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/solve/sat"
	"github.com/fdplan/fdplan/problem/factored"
)

// Session is one problem over one horizon, to be solved again and again with
// more plans excluded. Everything learned is kept from one call to the next.
type Session struct {
	name string
	m    *model.Model
	s    *sat.Solver
	c    *counters
	p    *prover // nil where no proof is written

	features Feature
	// What is known of the costs from each step on; nil before it was looked for.
	tables    *tables
	below     coreSearch
	excluding bool             // plans are excluded
	stated    [][]factored.Lit // clauses of Always
	implied   bool             // implicates of the network were added, or would be too many

	incumbent *factored.Trace
	cost      int64 // of the incumbent; math.MaxInt64 without one
	lower     int64 // no plan costs less
	beat      int64 // cost below which a plan is looked for; math.MaxInt64 for any
	until     int64 // conflicts after which a question is left; 0 for none

	report func(engine.Progress) // of the query at hand; nil for none
}

// has reports whether a feature is on.
func (x *Session) has(f Feature) bool { return x.features&f != 0 }

// Exclude adds a clause: some action bit of the landmark's steps, or some bit of
// the initial state, is another. Plans that were found before may be excluded,
// so that the incumbent goes; bounds stay.
func (x *Session) Exclude(l engine.Landmark) error {
	if err := l.Check(x.m.Horizon); err != nil {
		return err
	}
	var lits []sat.Lit
	for _, d := range x.m.Differs(l.Trace, l.Depth) {
		if d < 0 {
			lits = append(lits, sat.Neg(d.Var()))
		} else {
			lits = append(lits, sat.Pos(d.Var()))
		}
	}
	x.s.AddClause(lits...)
	x.excluding = true
	x.forget()
	return nil
}

// Always adds a clause at each step. Plans that were found before may break it, so that the incumbent goes; bounds
// stay.
func (x *Session) Always(clause []factored.Lit) {
	for t := 1; t <= x.m.Horizon; t++ {
		var lits []sat.Lit
		for _, l := range clause {
			at := t
			if l.Next {
				at++
			}
			lits = append(lits, lit(x.m.Var(at, l.Bit).If(!l.Neg), 0))
		}
		x.s.AddClause(lits...)
	}
	x.stated = append(x.stated, clause)
	x.forget()
}

// forget drops the incumbent, and with it the search for cores, which denies what is no better than the best plan so far.
func (x *Session) forget() {
	x.incumbent, x.cost = nil, math.MaxInt64
	x.below.end()
}

// keeps reports whether a plan that others found keeps what was found out since the session was opened.
func (x *Session) keeps(tr *factored.Trace) bool {
	for t := range tr.Horizon() {
		for _, clause := range x.stated {
			if !slices.ContainsFunc(clause, func(l factored.Lit) bool {
				at := t
				if l.Next {
					at++
				}
				return tr.Steps[at][l.Bit] != l.Neg
			}) {
				return false
			}
		}
	}
	return !x.excluding
}

// reward turns a cost into the problem's scaled reward.
func (x *Session) reward(cost int64) int64 { return -(cost + x.m.ObjectiveConstant()) }

// firstSlice is how many conflicts the search from above and that from below
// have in turn, at first.
const firstSlice = 2000

// tablesAfter is how many conflicts come before tables: a quarter of those that a question may take at most.
func tablesAfter(l engine.Limits) int64 {
	if l.Conflicts > 0 {
		return min(firstSlice, max(1, l.Conflicts/4))
	}
	return firstSlice
}

// Solve finds an optimal plan among those that are not excluded.
func (x *Session) Solve(ctx context.Context, l engine.Limits, report func(engine.Progress)) (*engine.Result, error) {
	x.report = report
	reason, err := x.search(ctx, l)
	x.report = nil
	if err == nil && x.p != nil {
		err = x.p.end(x, reason)
	}
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w", x.name, err)
	}
	return x.conclude(reason), nil
}

// search improves incumbent and lower bound until they meet. It returns the
// reason why it stopped before, "" when it did not.
func (x *Session) search(ctx context.Context, l engine.Limits) (string, error) {
	if x.incumbent == nil && (x.c != nil || x.excluding) {
		if err := x.cheapest(ctx, l); err != nil {
			return x.failed(ctx, l, err)
		}
	}
	if reason, err := x.first(ctx, l); err != nil || reason != "" || x.incumbent == nil {
		return reason, err
	}
	if x.c == nil {
		if x.exchange(l.Shared); x.lower >= x.cost {
			return "", nil
		}
		if err := x.openCores(ctx, l); err != nil {
			return x.failed(ctx, l, err)
		}
		if err := x.cores(ctx, l, firstCores); err != nil || x.lower >= x.cost {
			return "", err
		}
	}
	if err := x.count(ctx); err != nil {
		return x.failed(ctx, l, err)
	}
	return x.narrow(ctx, l)
}

// failed returns an error that was met, or where the context has ended the reason why the search stopped.
func (x *Session) failed(ctx context.Context, l engine.Limits, err error) (string, error) {
	if ctx.Err() != nil {
		return x.stopped(ctx, l), nil
	}
	return "", err
}

// cheapest asks once, after an exclusion, for a plan that costs no more than
// the lower bound allows: plans that are as good as the one that was excluded
// are common, and then that is the answer already.
func (x *Session) cheapest(ctx context.Context, l engine.Limits) error {
	if x.c == nil {
		if err := x.count(ctx); err != nil {
			return err
		}
	}
	_, err := x.ask(ctx, x.c.next(x.lower), sat.Budget{Memory: l.Memory, Conflicts: firstSlice})
	return err
}

// first finds a plan of any cost. Without one it returns the reason why it
// stopped, "" when there is none to be found.
func (x *Session) first(ctx context.Context, l engine.Limits) (string, error) {
	for x.incumbent == nil {
		budget := sat.Budget{Memory: l.Memory}
		switch {
		case x.wantsImplicates():
			budget.Conflicts = implicateConflicts
		case l.Shared != nil || x.wantsTables(l):
			budget.Conflicts = tablesAfter(l)
		}
		switch x.s.Solve(ctx, nil, x.capped(budget)) {
		case sat.Satisfiable:
			x.keep(x.s)
		case sat.Unsatisfiable:
			return "", nil
		default:
			if budget.Conflicts == 0 || x.over(ctx, l) {
				return x.stopped(ctx, l), nil
			}
			if err := x.help(ctx, l); err != nil {
				return "", err
			}
			x.exchange(l.Shared)
		}
		x.reportProgress()
	}
	return "", nil
}

// help adds what is to be added next to a search that takes long.
func (x *Session) help(ctx context.Context, l engine.Limits) error {
	switch {
	case x.wantsImplicates():
		x.addImplicates(ctx, l.Memory)
	case x.wantsTables(l):
		return x.addTables(ctx, l)
	}
	return nil
}

// patience is after how many conflicts tables are looked for even where another engine is at it.
const patience = 50_000

// wantsTables reports whether tables are to be looked for, or taken of another engine.
func (x *Session) wantsTables(l engine.Limits) bool {
	if !x.has(Tables) || x.p != nil {
		return false
	}
	_, turn := l.Shared.Cuts()
	if x.tables != nil {
		return x.tables.turn > 0 && turn > x.tables.turn && x.tables.taken < maxTurns
	}
	return turn >= 0 || x.s.Stats().Conflicts >= patience
}

// count adds the counters of the costs, for those below the incumbent's, unless
// it did before.
func (x *Session) count(ctx context.Context) error {
	bound := x.cost
	if x.c != nil {
		if bound <= x.c.bound || x.c.layers == nil {
			return nil
		}
		// What is left after exclusions may cost more than the first plan
		// did, and more again the next time.
		bound = math.MaxInt64
	}
	c, err := newCounters(ctx, x.s, x.m, bound, x.p, x.has(CounterLayers))
	if err != nil {
		return err
	}
	x.c = c
	x.lower = max(x.lower, c.paid)
	return nil
}

// narrow closes the gap between lower bound and incumbent, in turns from above
// and from below, until there is none. It returns the reason why it stopped
// before.
func (x *Session) narrow(ctx context.Context, l engine.Limits) (string, error) {
	slice := int64(firstSlice)
	for fromAbove := true; x.lower < x.cost; fromAbove = !fromAbove || !x.has(FromBelow) {
		x.exchange(l.Shared)
		if err := x.cores(ctx, l, x.s.Stats().Work/coreShare); err != nil {
			return "", err
		}
		if x.lower >= x.cost {
			break
		}
		bound := x.cost
		if !fromAbove {
			bound = x.c.next(x.lower)
			if bound >= x.cost {
				continue
			}
		}
		budget := sat.Budget{Memory: l.Memory, Conflicts: slice}
		if x.wantsImplicates() {
			budget.Conflicts = implicateConflicts
		}
		status, err := x.ask(ctx, bound, budget)
		if err != nil {
			return "", err
		}
		if status == sat.Unknown {
			if x.over(ctx, l) {
				return x.stopped(ctx, l), nil
			}
			short := x.wantsImplicates()
			if err := x.help(ctx, l); err != nil {
				return "", err
			}
			switch {
			case short: // the same question again, with what was added
				fromAbove = !fromAbove
			case !fromAbove:
				slice += slice / 2
			}
		}
		x.reportProgress()
	}
	return "", nil
}

// ask looks for a plan that costs less than bound. The plan becomes the
// incumbent; that there is none raises the lower bound.
func (x *Session) ask(ctx context.Context, bound int64, b sat.Budget) (sat.Status, error) {
	improving := bound == x.cost
	assumption, some, err := x.c.below(x.s, bound, improving)
	if err != nil {
		return sat.Unknown, err
	}
	if !some {
		x.lower = max(x.lower, bound)
		return sat.Unsatisfiable, nil
	}
	if err := x.cut(assumption, bound, improving); err != nil {
		return sat.Unknown, err
	}
	status := x.s.Solve(ctx, []sat.Lit{assumption}, x.capped(b))
	switch status {
	case sat.Satisfiable:
		x.keep(x.s)
	case sat.Unsatisfiable:
		x.refuted(bound, assumption)
	}
	return status, nil
}

// capped is a budget within the conflicts that the question has left. Progress is reported meanwhile.
func (x *Session) capped(b sat.Budget) sat.Budget {
	if left := x.until - x.s.Stats().Conflicts; x.until > 0 && (b.Conflicts == 0 || left < b.Conflicts) {
		b.Conflicts = max(left, 1)
	}
	b.Pause = x.reportProgress
	return b
}

// over reports whether time, memory or the work on a question is.
func (x *Session) over(ctx context.Context, l engine.Limits) bool {
	return ctx.Err() != nil || x.until > 0 && x.s.Stats().Conflicts >= x.until || l.Memory > 0 && x.s.Bytes()+x.below.bytes() > l.Memory
}

// stopped is the reason why a search that is over stopped.
func (x *Session) stopped(ctx context.Context, l engine.Limits) string {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx).Error()
	case x.until > 0:
		return engine.ReasonConflicts
	}
	return fmt.Sprintf("the memory limit of %d MiB was reached", l.Memory>>20)
}

// work is what was done so far, in some tenths of a microsecond.
func (x *Session) work() int64 {
	w := (x.s.Stats().Work + x.below.stats().Work) / 16
	if x.tables != nil {
		w += x.tables.work
	}
	return w
}

// reportProgress reports what is known.
func (x *Session) reportProgress() {
	if x.report == nil {
		return
	}
	bound := x.reward(x.lower)
	p := engine.Progress{Phase: fmt.Sprintf("%s: %d conflicts", x.name, x.s.Stats().Conflicts), Work: x.work(), Bound: &bound}
	if x.incumbent != nil {
		r := x.reward(x.cost)
		p.Reward, p.Trace = &r, x.incumbent
	}
	x.report(p)
}

// refuted notes that no plan costs less than bound: the assumption, which states
// that one does, is false. Excluding more plans cannot change that.
func (x *Session) refuted(bound int64, assumption sat.Lit) {
	x.lower = bound
	x.s.Conclude(assumption.Not())
	x.s.AddClause(assumption.Not())
}

// exchange tells the others of incumbent and bound, and takes theirs.
func (x *Session) exchange(shared *engine.Exchange) {
	if shared == nil {
		return
	}
	if x.incumbent != nil {
		shared.Offer(x.incumbent, x.reward(x.cost))
	}
	shared.Lower(x.reward(x.lower))
	if t, reward := shared.Best(); t != nil && (x.incumbent == nil || reward > x.reward(x.cost)) {
		x.incumbent, x.cost = t, -reward-x.m.ObjectiveConstant()
	}
	if b := shared.Bound(); b != nil {
		x.lower = max(x.lower, -*b-x.m.ObjectiveConstant())
	}
}

// keep takes a solver's model as the incumbent.
func (x *Session) keep(s *sat.Solver) {
	if x.p != nil {
		x.p.solution(s)
	}
	x.incumbent = read(s, x.m)
	x.cost = 0
	for t := 1; t <= x.m.Horizon+1; t++ {
		for _, o := range x.m.Objective(t) {
			if s.Value(lit(o.Lit, 0)) {
				x.cost += o.Coef
			}
		}
	}
}

// conclude returns what is known as a result.
func (x *Session) conclude(reason string) *engine.Result {
	st := x.s.Stats()
	r := &engine.Result{Reason: reason, Stats: map[string]int64{
		"conflicts": st.Conflicts, "decisions": st.Decisions, "propagations": st.Propagations,
		"restarts": st.Restarts, "learned": st.Learned, "state_nogoods": st.StateNogoods,
	}}
	if n := x.below.stats().Conflicts; n > 0 {
		r.Stats["core_conflicts"] = n
	}
	if x.tables != nil {
		for k, v := range x.tables.stats {
			r.Stats["bound_"+k] = v
		}
		r.Stats["bound_cuts"] = int64(len(x.tables.cuts))
	}
	if x.incumbent != nil {
		r.Trace, r.Horizon, r.Reward = x.incumbent, x.m.Horizon, x.reward(x.cost)
	}
	bound := x.reward(x.lower)
	switch {
	case reason == "" && x.incumbent != nil:
		r.Status, r.Bound = engine.Optimal, &r.Reward
	case reason == "":
		r.Status = engine.Infeasible
	case x.incumbent != nil:
		r.Status, r.Bound = engine.Feasible, &bound
	default:
		r.Status, r.Bound = engine.Unknown, &bound
	}
	return r
}
