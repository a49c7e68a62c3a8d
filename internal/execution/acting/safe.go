package acting

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Unsafe is a step that is not taken, since it may lead to a state that a rule forbids.
type Unsafe struct {
	Now  factored.Valuation
	Rule string
}

// verdict is what is known of the safety of a step that was never taken.
type verdict struct {
	now  factored.Valuation
	rule *factored.Constraint // that it may break; nil for none
	rows int                  // that were known then
}

// govern finds the rules on states that a step may break: all but the ranges of variables and those that exactly one
// of some Booleans is true, which is how states are recorded.
func (l *learner) govern() {
	p := l.m.Free
	l.verdicts, l.lawless = map[string]*verdict{}, p.Clone()
	l.lawless.Global, l.lawless.Goal, l.lawless.Reward = nil, nil, factored.Reward{Scale: 1}
	for i := range p.Global {
		c := &p.Global[i]
		of, _ := p.Owner(c.Terms[0].Lit.Bit)
		ranged := slices.ContainsFunc(of.Within(of.Lo, of.Hi, ""), func(w factored.Constraint) bool {
			return w.Op == c.Op && w.K == c.K && slices.Equal(w.Terms, c.Terms)
		})
		if g, ok := groupOf(p, c); ranged || c.Defines || p.HasAction(c) || ok && g.exactly {
			l.lawless.Global = append(l.lawless.Global, *c)
		} else {
			l.rules = append(l.rules, c)
		}
	}
}

// unsafe returns the rule that a step may break, by some functions that agree with the rows; nil if none does.
func (l *learner) unsafe(ctx context.Context, now factored.Valuation) (*factored.Constraint, error) {
	key := l.g.actionsOf(&factored.Trace{Steps: []factored.Valuation{now, nil}}) + l.g.at(now).key
	v := l.verdicts[key]
	if v != nil && (v.rule == nil || v.rows == l.m.rows) {
		return v.rule, nil
	}
	if v == nil {
		v = &verdict{now: now}
		l.verdicts[key] = v
	}
	known := l.m.next(now)
	v.rule, v.rows = nil, l.m.rows
	for _, rule := range l.rules {
		if holds(rule, known) {
			continue
		}
		may, err := l.mayBreak(ctx, now, known, rule)
		if err != nil {
			return nil, err
		}
		if may {
			v.rule = rule
			break
		}
	}
	return v.rule, nil
}

// holds reports whether a rule holds whatever the values of the bits are that are not known.
func holds(rule *factored.Constraint, known map[factored.Bit]bool) bool {
	var least, most int64
	for _, t := range rule.Terms {
		on, ok := known[t.Lit.Bit]
		if !ok || on != t.Lit.Neg {
			most += max(t.Coef, 0)
			least += min(t.Coef, 0)
		}
		if ok && on != t.Lit.Neg {
			least, most = least+max(t.Coef, 0), most+min(t.Coef, 0)
		}
	}
	return (rule.Op == factored.LE || least >= rule.K) && (rule.Op == factored.GE || most <= rule.K)
}

// mayBreak reports whether a step may lead to a state that a rule forbids, by what is known of next values and the known part of the
// transition.
func (l *learner) mayBreak(ctx context.Context, now factored.Valuation, known map[factored.Bit]bool, rule *factored.Constraint) (bool, error) {
	p := l.lawless.Clone()
	p.Initial = l.g.is(l.g.at(now))
	is := func(lit factored.Lit, on bool) {
		c := factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: lit}}, Op: factored.EQ, Origin: "observed"}
		if on {
			c.K = 1
		}
		p.Transition = append(p.Transition, c)
	}
	for _, b := range l.g.actions {
		is(factored.Lit{Bit: b}, now[b])
	}
	for _, b := range l.m.Outputs {
		if on, ok := known[b]; ok {
			is(factored.Lit{Bit: b, Next: true}, on)
		}
	}
	for _, op := range []factored.Op{factored.LE, factored.GE} {
		if rule.Op == op {
			continue // broken on the other side alone
		}
		broken := *rule
		if broken.Op, broken.K = op, rule.K-1; op == factored.GE {
			broken.K = rule.K + 1
		}
		p.Goal = []factored.Constraint{broken}
		r, err := conflict.PB{}.Solve(ctx, engine.Query{Task: engine.Task{Problem: p}, MinHorizon: 1, MaxHorizon: 1}, l.o.Limits, nil)
		if err != nil || r.Status != engine.Infeasible {
			return true, err
		}
	}
	return false, nil
}

// next lists the learned bits of which all functions have the same next value.
func (m *Model) next(now factored.Valuation) map[factored.Bit]bool {
	known := map[factored.Bit]bool{}
	for _, s := range m.spots(now) {
		if v := m.value(s.o, s.f, s.at); v != 2 {
			known[s.f.outputs[s.i]] = v == 1
		}
	}
	return known
}

// open counts the different points of which the next value in a state with an action is not known.
func (m *Model) open(now factored.Valuation) int {
	points := map[string]bool{}
	for _, s := range m.spots(now) {
		if m.value(s.o, s.f, s.at) == 2 {
			points[fmt.Sprint(s.o, s.at)] = true
		}
	}
	return len(points)
}

// doubt is how much is expected to be learned from a step: in bits, or where objects share functions and where sets of variables are many,
// as a number of next values.
func (m *Model) doubt(now factored.Valuation) float64 {
	if m.shared {
		return float64(m.open(now))
	}
	sum := 0.0
	for _, s := range m.spots(now) {
		d, ok := s.f.Doubt(m.K, s.at)
		if !ok {
			return float64(m.open(now))
		}
		sum += d
	}
	return sum
}

// bar excludes the first new step of a plan from a query if it is not safe, and reports whether it did.
func (l *learner) bar(ctx context.Context, q *query) (bool, error) {
	path, ok := l.fresh(q.result.Trace)
	if !q.safe || !ok {
		return false, nil
	}
	now := path[len(path)-1]
	rule, err := l.unsafe(ctx, now)
	if rule == nil || err != nil {
		return false, err
	}
	q.session.Always(l.never(now))
	return true, nil
}

// never is the clause that a step is not taken.
func (l *learner) never(now factored.Valuation) []factored.Lit {
	return differs(slices.Concat(l.g.states, l.g.actions), now)
}

// differs is the clause that one of some bits has another value.
func differs(bits []factored.Bit, now factored.Valuation) (clause []factored.Lit) {
	for _, b := range bits {
		clause = append(clause, factored.Lit{Bit: b, Neg: now[b]})
	}
	return clause
}

// relent looks again at all steps that were not safe: what was seen since may show that some are. It reports whether
// there are any, and forgets then what followed without them.
func (l *learner) relent(ctx context.Context) (any bool, err error) {
	l.out.Unsafe = nil
	for _, key := range slices.Sorted(maps.Keys(l.verdicts)) {
		v := l.verdicts[key]
		if v.rule == nil {
			continue
		}
		rule, err := l.unsafe(ctx, v.now)
		if err != nil {
			return false, err
		}
		if rule == nil {
			any = true
		} else {
			l.out.Unsafe = append(l.out.Unsafe, Unsafe{v.now, l.p.Format(rule)})
		}
	}
	if any {
		l.dull = map[string]bool{}
		for key, q := range l.queries {
			if q.safe {
				delete(l.queries, key)
			}
		}
	}
	return any, nil
}

// kept reports a rule that a step broke though no function of at most K variables does.
func (l *learner) kept(next *node) error {
	if !l.o.Safe || next.legal {
		return nil
	}
	f := validate.CheckPart(l.p, validate.State, next.state)
	return fmt.Errorf("%w: step %d broke the rule %s, which no function of at most %d variables that agrees with what was seen before does; expected to begin with more variables",
		ErrSystem, l.out.Steps, f.What, l.out.K)
}
