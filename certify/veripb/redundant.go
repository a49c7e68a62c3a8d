package veripb

import (
	"fmt"
	"slices"
)

// substitution maps variables to literals or truth values.
type substitution struct {
	image map[int]lit // by variable; negative numbers are constants
}

const (
	toFalse lit = -2
	toTrue  lit = -1
)

// of returns the image of a literal, and whether it differs from the literal.
func (s substitution) of(l lit) (lit, bool) {
	to, ok := s.image[l.variable()]
	switch {
	case !ok:
		return l, false
	case to < 0 && l.negated():
		return toTrue + toFalse - to, true
	case to < 0:
		return to, true
	}
	return to ^ l&1, to^l&1 != l
}

// readSubstitution parses pairs of a variable and its image, with or without an arrow between
// them, up to a semicolon, a colon or the end of the line.
func (c *checker) readSubstitution(w *words) (substitution, error) {
	s := substitution{image: map[int]lit{}}
	for !w.ends() {
		from, ok := c.names.literal(w.next())
		if !ok || from.negated() {
			return s, w.errorf("expected a variable to substitute")
		}
		if _, twice := s.image[from.variable()]; twice {
			return s, w.errorf("the variable is substituted twice")
		}
		word := w.next()
		if string(word) == "->" || string(word) == "→" {
			word = w.next()
		}
		to := toFalse
		switch string(word) {
		case "0":
		case "1":
			to = toTrue
		default:
			if to, ok = c.names.literal(word); !ok {
				return s, w.errorf("%s, expected 0, 1 or a literal", found(word))
			}
		}
		s.image[from.variable()] = to
		if string(w.peek()) == "," {
			w.next()
		}
	}
	c.propagator.grow(len(c.names.all))
	return s, nil
}

// addSubstituted adds coef times l under s to a sum.
func (s substitution) addSubstituted(d *dense, coef num, l lit) {
	switch to, _ := s.of(l); to {
	case toTrue:
		d.degree = d.degree.sub(coef)
	case toFalse:
	default:
		d.addTerm(coef, to)
	}
}

// apply returns k under s, or nil if that is k itself.
func (c *checker) apply(s substitution, k *constraint) *constraint {
	changed := slices.ContainsFunc(k.lits, func(l lit) bool { _, changed := s.of(l); return changed })
	if !changed {
		return nil
	}
	for i, l := range k.lits {
		s.addSubstituted(&c.terms, k.coef(i), l)
	}
	c.terms.degree = c.terms.degree.add(k.degree)
	image := c.terms.constraint()
	c.terms.reset()
	return image
}

// ruleRedundant adds a constraint C with a witness s: every solution of the database D that
// violates C becomes, under s, a solution of D and C with no greater objective value. The
// proof obligations are that D and not C imply each constraint of D and C under s, and
// objective under s <= objective.
func (c *checker) ruleRedundant(w *words) error {
	k, err := c.inequality(w)
	if err != nil {
		return err
	}
	if c.version == version30 && !c.argument(w) {
		return w.errorf("expected \":\" and the variables to substitute")
	}
	s, err := c.readSubstitution(w)
	if err != nil {
		return err
	}
	if err := w.finish(); err != nil {
		return fmt.Errorf("%w (subproofs are not known to this checker)", err)
	}
	c.strength = true
	if c.follows(k) {
		c.insert(k)
		return nil
	}
	negated := k.negation()
	show := func(goal *constraint, of string) error {
		if goal.degree.sign() <= 0 || implies(negated, goal, &c.terms) {
			return nil
		}
		if !c.refute(negated.copy(), goal.negation()) {
			return w.refusedf("%s under the substitution does not follow from the database and the negation of %s", of, k.text(&c.names))
		}
		return nil
	}
	self := c.apply(s, k)
	if self == nil {
		return w.refusedf("%s does not follow by propagation, and the substitution does not change it", k.text(&c.names))
	}
	if err := show(self, "the constraint itself"); err != nil {
		return err
	}
	if goal, changed := c.objectiveGoal(s); changed {
		if err := show(goal, "objective not raised:"); err != nil {
			return err
		}
	}
	for _, have := range c.touched(s) {
		goal := c.apply(s, have)
		if goal == nil || implies(have, goal, &c.terms) {
			continue
		}
		if err := show(goal, have.text(&c.names)); err != nil {
			return err
		}
	}
	c.insert(k)
	return nil
}

// objectiveGoal returns objective - objective under s >= 0; changed reports whether s affects
// the objective.
func (c *checker) objectiveGoal(s substitution) (goal *constraint, changed bool) {
	for _, t := range c.problem.objective {
		if _, differs := s.of(t.lit); !differs {
			continue
		}
		changed = true
		c.terms.addTerm(t.coef, t.lit)
		s.addSubstituted(&c.terms, t.coef.neg(), t.lit)
	}
	goal = c.terms.constraint()
	c.terms.reset()
	return goal, changed
}

// touched returns the constraints with a variable that s changes. It searches from the newest
// until all are found: a definition is usually used again soon.
func (c *checker) touched(s substitution) []*constraint {
	left := 0
	for v, to := range s.image {
		if to != lit(v)<<1 {
			left += int(c.uses[v])
		}
	}
	var all []*constraint
	for _, k := range slices.Backward(c.live) {
		if left == 0 {
			break
		}
		if k.deleted {
			continue
		}
		n := 0
		for _, l := range k.lits {
			if _, differs := s.of(l); differs {
				n++
			}
		}
		if n > 0 {
			left -= n
			all = append(all, k)
		}
	}
	return all
}
