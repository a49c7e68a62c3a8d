package actions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/pddl"
)

// effect says when an atom comes to hold, or ceases to.
type effect struct {
	atom   symbol
	add    bool
	free   []pddl.Param // variables for objects that the action does not name
	atoms  []symbol     // that conditions are about
	conds  [][]int      // the shortest conditions, which agree with all rows
	always bool         // without a condition
}

// effects are those of an action.
type effects []*effect

// effects finds the effects on atoms; why is the reason if there are none of the class.
func (l *learner) effects(ctx context.Context) (out effects, why string) {
	add, refuted := make([]bool, len(l.atoms)), make([]bool, len(l.atoms))
	for _, r := range l.rows {
		for i := range l.atoms {
			refuted[i] = refuted[i] || !r.after[i]
		}
	}
	for i := range l.atoms {
		e, why := l.change(i, true, refuted)
		if why != "" {
			return nil, why
		}
		if e != nil {
			out, add[i] = append(out, e), e.always
		}
	}
	kept := make([]bool, len(l.atoms)) // that some row shows not to be deleted
	for _, r := range l.rows {
		for i := range l.atoms {
			kept[i] = kept[i] || r.before[i] && r.after[i] && !l.alias(r, i, true, func(j int) bool { return add[j] })
		}
	}
	for i := range l.atoms {
		if add[i] {
			continue
		}
		e, why := l.change(i, false, kept)
		if why != "" {
			return nil, why
		}
		if e != nil {
			out = append(out, e)
		}
	}
	more, why := l.elsewhere(ctx)
	if out = append(out, more...); why != "" {
		return nil, why
	}
	for _, r := range l.rows {
		if r.aliased && !l.explained(r, out) {
			return nil, "the rows that name an object twice leave its effects open"
		}
	}
	return out, ""
}

// alias reports whether f holds for another atom that is the same as atom i in a row, or for i itself.
func (l *learner) alias(r *row, i int, self bool, f func(int) bool) bool {
	if self && f(i) {
		return true
	}
	if !r.aliased {
		return false
	}
	for j := range l.atoms {
		if j != i && r.images[j] == r.images[i] && f(j) {
			return true
		}
	}
	return false
}

// change finds when the action changes an atom to true, or to false. Another atom that is the same in a row, and that is not known to be unchanged,
// may be what the row shows.
func (l *learner) change(i int, add bool, refuted []bool) (*effect, string) {
	var yes, no [][]bool
	for _, r := range l.rows {
		switch {
		case r.before[i] != add && r.after[i] == add:
			if !l.alias(r, i, false, func(j int) bool { return !refuted[j] }) {
				yes = append(yes, r.before)
			}
		case add && !r.after[i], !add && r.before[i] && r.after[i] && refuted[i]:
			no = append(no, r.before)
		}
	}
	if len(yes) == 0 {
		return nil, ""
	}
	e := &effect{atom: l.atoms[i], add: add, atoms: l.atoms}
	return e, l.conditions(e, yes, no)
}

// conditions chooses the shortest ones.
func (l *learner) conditions(e *effect, yes, no [][]bool) string {
	sets, many := shortest(yes, no)
	what := l.expr("atom", &e.atom, e.free).String()
	switch {
	case many:
		return fmt.Sprintf("more than %d conditions are as short for its effect on %s; more rows tell them apart", maxRivals, what)
	case len(sets) == 0:
		return fmt.Sprintf("no condition of at most %d literals says when it changes %s", maxLiterals, what)
	}
	e.conds, e.always = sets, len(sets[0]) == 0
	return ""
}

// explained reports whether the effects are those of a row.
func (l *learner) explained(r *row, list effects) bool {
	now := map[string]bool{}
	for i, x := range r.images {
		now[x] = r.before[i]
	}
	for _, add := range []bool{false, true} {
		for _, e := range list {
			if e.add == add && len(e.free) == 0 && holds(e.conds[0], r.before) {
				now[e.atom.image(r.objects)] = add
			}
		}
	}
	for i, x := range r.images {
		if now[x] != r.after[i] {
			return false
		}
	}
	return true
}

// holds reports whether all literals are true.
func holds(set []int, truth []bool) bool {
	return !slices.ContainsFunc(set, func(k int) bool { return truth[k/2] == (k%2 == 1) })
}

// maxFree bounds the objects of an atom that the action does not name.
const maxFree = 2

// elsewhere finds the effects on atoms of objects that the action does not name.
func (l *learner) elsewhere(ctx context.Context) (out effects, why string) {
	seen := map[string]bool{}
	for _, r := range l.rows {
		for _, add := range []bool{true, false} {
			from, to := r.Before, r.After
			if !add {
				from, to = to, from
			}
			for x := range to.Atoms {
				if from.Atoms[x] || slices.Contains(r.images, x) {
					continue
				}
				s, free := l.pattern(r, x)
				key := fmt.Sprint(s, add)
				if seen[key] {
					continue
				}
				seen[key] = true
				if free > maxFree {
					return nil, fmt.Sprintf("it changes (%s), with more than %d objects that it does not name", x, maxFree)
				}
				e := &effect{atom: s, add: add}
				if why := l.quantified(ctx, e, free); why != "" {
					return nil, why
				}
				out = append(out, e)
			}
		}
	}
	slices.SortFunc(out, func(a, b *effect) int {
		return strings.Compare(fmt.Sprint(a.atom, a.add), fmt.Sprint(b.atom, b.add))
	})
	return out, ""
}

// pattern is an atom of a row, in which further variables stand for objects that the action does not name.
func (l *learner) pattern(r *row, atom string) (s symbol, free int) {
	words := strings.Fields(atom)
	s.name = words[0]
	var others []string
	for _, o := range words[1:] {
		i := slices.Index(r.objects, o)
		if i < 0 {
			if i = slices.Index(others, o); i < 0 {
				i, others = len(others), append(others, o)
			}
			i += len(l.terms)
		}
		s.args = append(s.args, i)
	}
	return s, len(others)
}

// quantified finds for which other objects an atom changes.
func (l *learner) quantified(ctx context.Context, e *effect, free int) string {
	terms := slices.Clone(l.terms)
	e.free = make([]pddl.Param, free)
	for i, a := range e.atom.args {
		if k := a - len(l.terms); k >= 0 && e.free[k].Name == "" {
			e.free[k] = pddl.Param{Name: fmt.Sprintf("other%d", k+1), Types: l.d.Predicates[e.atom.name].Params[i].Types}
		}
	}
	terms = append(terms, e.free...)
	e.atoms = vocabulary(l.d, l.d.PredicateList(), terms, -1)
	if len(e.atoms) > maxAtoms {
		return fmt.Sprintf("it changes %s of objects that it does not name, which can be in more than %d atoms", e.atom.name, maxAtoms)
	}
	var yes, no [][]bool
	for _, r := range l.rows {
		if r.aliased {
			continue
		}
		l.others(r, e.free, slices.Clone(r.objects), func(objects []string) {
			x := e.atom.image(objects)
			was, is := r.Before.Atoms[x], r.After.Atoms[x]
			if was == e.add && is == e.add || !e.add && !was {
				return
			}
			truth := make([]bool, len(e.atoms))
			for k := range e.atoms {
				truth[k] = r.Before.Atoms[e.atoms[k].image(objects)]
			}
			if is == e.add {
				yes = append(yes, truth)
			} else {
				no = append(no, truth)
			}
		})
		if ctx.Err() != nil {
			return ctx.Err().Error()
		}
	}
	return l.conditions(e, yes, no)
}

// others calls f with all objects that further variables can have besides those of the action.
func (l *learner) others(r *row, free []pddl.Param, objects []string, f func([]string)) {
	if len(free) == 0 {
		f(objects)
		return
	}
	for _, o := range r.run.Objects {
		if l.d.Is(o.Types, free[0].Types) && !slices.Contains(objects, o.Name) {
			l.others(r, free[1:], append(slices.Clone(objects), o.Name), f)
		}
	}
}

// parts are the effects as PDDL.
func (list effects) parts(l *learner) (out []*pddl.Expr) {
	for _, e := range list {
		x := l.expr("atom", &e.atom, e.free)
		if !e.add {
			x = not(x)
		}
		cond := append(l.apart(e.free), l.literals(e.conds[0], e.atoms, e.free)...)
		if len(cond) > 0 {
			l.out.Conditional++
			x = &pddl.Expr{Op: "when", Args: []*pddl.Expr{and(cond...), x}}
		}
		if len(e.free) > 0 {
			x = &pddl.Expr{Op: "forall", Vars: e.free, Args: []*pddl.Expr{x}}
		}
		l.out.Rivals += len(e.conds) - 1
		out = append(out, x)
	}
	return out
}

// apart says that further variables are none of the objects that the action names, and different.
func (l *learner) apart(free []pddl.Param) (out []*pddl.Expr) {
	for k := range free {
		for t := range len(l.terms) + k {
			other := free[max(0, t-len(l.terms))]
			if t < len(l.terms) {
				other = l.terms[t]
			}
			if l.d.MayBe(other.Types, free[k].Types) {
				out = append(out, l.different(t, len(l.terms)+k, free))
			}
		}
	}
	return out
}

// different says that two terms are different objects.
func (l *learner) different(i, j int, free []pddl.Param) *pddl.Expr {
	return not(&pddl.Expr{Op: "eq", Terms: []pddl.Term{l.term(i, free), l.term(j, free)}})
}

// literals are some as PDDL.
func (l *learner) literals(set []int, atoms []symbol, free []pddl.Param) (out []*pddl.Expr) {
	for _, k := range set {
		x := l.expr("atom", &atoms[k/2], free)
		if k%2 == 1 {
			x = not(x)
		}
		out = append(out, x)
	}
	return out
}
