package actions

import (
	"slices"

	"github.com/fdplan/fdplan/internal/pddl"
)

// preconditions is the safe side: all that held in every row, and that the effects are known. needed are the literals of it.
func (l *learner) preconditions(e effects) (pre *pddl.Expr, needed []int) {
	var parts []*pddl.Expr
	for i := range l.atoms {
		for side := range 2 {
			if l.common(2*i + side) {
				needed = append(needed, 2*i+side)
			}
		}
	}
	l.out.Literals = len(needed)
	parts = append(parts, l.literals(needed, l.atoms, nil)...)
	for _, p := range l.pairs() {
		if !slices.ContainsFunc(l.rows, func(r *row) bool { return r.objects[p[0]] == r.objects[p[1]] }) {
			parts = append(parts, l.different(p[0], p[1], nil))
			l.out.Literals++
		}
	}
	if l.Clauses > 1 {
		parts = append(parts, l.clauses(needed)...)
	}
	parts = append(parts, l.agreement(e)...)
	parts = append(parts, l.unmixed(e, needed)...)
	return and(append(parts, l.numbers.conditions...)...), needed
}

// common reports whether a literal held in all rows.
func (l *learner) common(k int) bool {
	return !slices.ContainsFunc(l.rows, func(r *row) bool { return r.before[k/2] == (k%2 == 1) })
}

// pairs are terms that may be one object.
func (l *learner) pairs() (out [][2]int) {
	for j := range l.terms {
		for i := range j {
			if (i < len(l.a.Params) || j < len(l.a.Params)) && l.d.MayBe(l.terms[i].Types, l.terms[j].Types) {
				out = append(out, [2]int{i, j})
			}
		}
	}
	return out
}

// clauses are those of two literals that held in all rows, and of which neither did.
func (l *learner) clauses(needed []int) (out []*pddl.Expr) {
	var open []int
	for k := range 2 * len(l.atoms) {
		if !slices.Contains(needed, k) && !slices.Contains(needed, k^1) {
			open = append(open, k)
		}
	}
	for n, a := range open {
		for _, b := range open[:n] {
			if a/2 != b/2 && !slices.ContainsFunc(l.rows, func(r *row) bool { return !holds([]int{a}, r.before) && !holds([]int{b}, r.before) }) {
				out = append(out, or(l.literals([]int{b, a}, l.atoms, nil)...))
			}
		}
	}
	l.out.Clauses = len(out)
	return out
}

// agreement says that all conditions of an effect that agree with the rows hold, or none.
func (l *learner) agreement(e effects) (out []*pddl.Expr) {
	for _, x := range e {
		chosen := and(l.literals(x.conds[0], x.atoms, x.free)...)
		for _, c := range x.conds[1:] {
			rival := and(l.literals(c, x.atoms, x.free)...)
			same := and(&pddl.Expr{Op: "imply", Args: []*pddl.Expr{chosen, rival}}, &pddl.Expr{Op: "imply", Args: []*pddl.Expr{rival, chosen}})
			if len(x.free) > 0 {
				if apart := l.apart(x.free); len(apart) > 0 {
					same = &pddl.Expr{Op: "imply", Args: []*pddl.Expr{and(apart...), same}}
				}
				same = &pddl.Expr{Op: "forall", Vars: x.free, Args: []*pddl.Expr{same}}
			}
			out = append(out, same)
		}
	}
	return out
}

// unmixed keeps apart an atom that may be added, since it held in all rows, and one that is deleted: where they are the same, it is not known
// which of both counts.
func (l *learner) unmixed(e effects, needed []int) (out []*pddl.Expr) {
	for _, x := range e {
		if x.add || len(x.free) > 0 {
			continue
		}
		for _, k := range needed {
			a := &l.atoms[k/2]
			if k%2 == 1 || a.name != x.atom.name || slices.Equal(a.args, x.atom.args) {
				continue
			}
			var some []*pddl.Expr
			known := slices.ContainsFunc(l.rows, func(r *row) bool { return !r.after[k/2] })
			for n := range a.args {
				i, j := a.args[n], x.atom.args[n]
				if i == j {
					continue
				}
				some = append(some, l.different(i, j, nil))
				known = known || !l.d.MayBe(l.terms[i].Types, l.terms[j].Types) ||
					!slices.ContainsFunc(l.rows, func(r *row) bool { return r.objects[i] == r.objects[j] })
			}
			// A row with both the same has shown what happens.
			shown := slices.ContainsFunc(l.rows, func(r *row) bool { return a.image(r.objects) == x.atom.image(r.objects) })
			if !known && !shown {
				out = append(out, or(some...))
			}
		}
	}
	return out
}

// possible is the optimistic side: for each failure, one of the literals that held in all other rows is needed that did not hold in it.
func (l *learner) possible(needed []int) (*pddl.Expr, string) {
	var clauses [][]string // each literal as text
	shown := map[int]bool{}
	texts := map[string]*pddl.Expr{}
	for _, f := range l.failed {
		var missing []int
		for _, k := range needed {
			if !holds([]int{k}, f.before) {
				missing = append(missing, k)
			}
		}
		some := l.literals(missing, l.atoms, nil)
		for _, p := range l.pairs() {
			if f.objects[p[0]] == f.objects[p[1]] && !slices.ContainsFunc(l.rows, func(r *row) bool { return r.objects[p[0]] == r.objects[p[1]] }) {
				some = append(some, l.different(p[0], p[1], nil))
			}
		}
		switch {
		case len(l.read) > 0 || l.Clauses > 1:
			l.out.Unused++
		case len(some) == 0:
			return nil, "it failed, in line " + f.Place() + ", where all held that held wherever it did not: no conjunction of literals explains that"
		default:
			if len(some) == 1 && len(missing) == 1 {
				shown[missing[0]] = true
			}
			var c []string
			for _, x := range some {
				c = append(c, x.String())
				texts[x.String()] = x
			}
			clauses = append(clauses, c)
		}
	}
	l.out.Open = len(needed) - len(shown)
	out := and()
	for _, c := range shortestClauses(clauses) {
		var some []*pddl.Expr
		for _, x := range c {
			some = append(some, texts[x])
		}
		if len(some) == 1 {
			out.Args = append(out.Args, some[0])
		} else {
			out.Args = append(out.Args, or(some...))
		}
	}
	return out, ""
}

// shortestClauses drops those that contain another one.
func shortestClauses(list [][]string) (out [][]string) {
	slices.SortStableFunc(list, func(a, b []string) int { return len(a) - len(b) })
	for _, c := range list {
		if !slices.ContainsFunc(out, func(o []string) bool {
			return !slices.ContainsFunc(o, func(x string) bool { return !slices.Contains(c, x) })
		}) {
			out = append(out, c)
		}
	}
	return out
}
