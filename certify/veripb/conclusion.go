package veripb

func (c *checker) ruleOutput(w *words) error {
	if got := w.next(); string(got) != "NONE" {
		return w.errorf("%s, expected \"NONE\": this checker writes no problem out", found(got))
	}
	c.output = true
	return w.finish()
}

func (c *checker) ruleEnd(w *words) error {
	if !c.stated {
		return w.errorf("found \"end\", expected the output and conclusion lines before it")
	}
	for _, want := range []string{"pseudo-Boolean", "proof"} {
		if err := w.expect(want); err != nil {
			return err
		}
	}
	c.ended = true
	return w.finish()
}

func (c *checker) ruleConclusion(w *words) error {
	if !c.output || c.stated {
		return w.errorf("found \"conclusion\", expected one after the output line")
	}
	c.stated = true
	switch what := w.next(); string(what) {
	case "NONE":
		return w.finish()
	case "SAT":
		c.verdict.Kind = Satisfiable
		return c.upper(w)
	case "UNSAT":
		c.verdict.Kind = Unsat
		if _, err := c.contradiction(w, true); err != nil {
			return err
		}
		if c.solved {
			return w.refusedf("the proof has shown a solution")
		}
		return w.finish()
	case "BOUNDS":
		return c.bounds(w)
	default:
		return w.errorf("%s, expected NONE, SAT, UNSAT or BOUNDS", found(what))
	}
}

// contradiction looks for a contradiction in the constraint that a hint names, or in all
// constraints, and returns the hint's constraint. Unless must is set, a missing contradiction
// is not an error. hint is nil if the line has none.
func (c *checker) contradiction(w *words, must bool) (hint *constraint, err error) {
	if string(w.peek()) == ":" {
		w.next()
		if hint, err = c.reference(w); err != nil {
			return nil, err
		}
		if hint.contradicts() {
			return nil, nil
		}
		if must {
			return nil, w.errorf("%s is not a contradiction", hint.text(&c.names))
		}
		return hint, nil
	}
	for _, k := range c.live {
		if !k.deleted && k.contradicts() {
			return nil, nil
		}
	}
	if must {
		return nil, w.refusedf("no constraint is a contradiction")
	}
	return &constraint{}, nil
}

// upper parses an optional solution after a colon, and checks that some solution has been
// shown by then.
func (c *checker) upper(w *words) error {
	if string(w.peek()) == ":" {
		w.next()
		return c.original(w)
	}
	if !c.solved {
		return w.refusedf("the proof has shown no solution")
	}
	return w.finish()
}

// limit parses a bound; nil for INF.
func (c *checker) limit(w *words) (*num, error) {
	if string(w.peek()) == "INF" {
		w.next()
		return nil, nil
	}
	n, err := w.number("an integer or INF")
	return &n, err
}

// bounds checks: BOUNDS lower [: constraint] upper [: solution].
func (c *checker) bounds(w *words) error {
	if !c.optimise {
		return w.refusedf("the problem has no objective to bound")
	}
	lower, err := c.limit(w)
	if err != nil {
		return err
	}
	contradictory := false
	if lower == nil {
		if _, err := c.contradiction(w, true); err != nil {
			return err
		}
		contradictory = true
	} else {
		hint, err := c.contradiction(w, false)
		if err != nil {
			return err
		}
		contradictory = hint == nil
		if !contradictory && !c.implied(hint, *lower) {
			return w.refusedf("the lower bound %v is not implied by a constraint", lower)
		}
	}
	upper, err := c.limit(w)
	if err != nil {
		return err
	}
	if upper != nil {
		if err := c.upper(w); err != nil {
			return err
		}
		if upper.less(c.best) {
			return w.refusedf("the upper bound is %v, the best solution shown has %v", upper, c.best)
		}
	} else if err := w.finish(); err != nil {
		return err
	}
	// A contradiction, or any constraint that depends on the one that solutions must improve,
	// proves nothing about values from best on.
	switch {
	case lower == nil && c.solved:
		return w.refusedf("the lower bound is INF, but the proof has shown a solution")
	case lower != nil && c.solved && c.best.less(*lower):
		return w.refusedf("the lower bound is %v, but the proof has shown a solution with %v", lower, c.best)
	}
	c.verdict = Verdict{Kind: Bounds}
	if lower == nil {
		c.verdict.Kind = Unsat
		return nil
	}
	c.verdict.Lower = lower.value()
	if upper != nil {
		c.verdict.Upper = upper.value()
		if lower.cmp(*upper) == 0 {
			c.verdict.Kind = Optimal
		}
	}
	return nil
}

// implied reports whether the hint implies objective >= lower. A hint without terms stands
// for any constraint.
func (c *checker) implied(hint *constraint, lower num) bool {
	goal := c.atLeast(lower, num{}, num{})
	if implies(hint, goal, &c.terms) {
		return true
	}
	if len(hint.lits) > 0 {
		return false
	}
	for _, k := range c.live {
		if !k.deleted && implies(k, goal, &c.terms) {
			return true
		}
	}
	return false
}

// established returns the verdict of a proof of version 1.2, which states none itself.
func (c *checker) established() Verdict {
	switch {
	case c.contradicted && !c.solved:
		return Verdict{Kind: Unsat}
	case !c.optimise && c.solved:
		return Verdict{Kind: Satisfiable}
	case !c.optimise:
		return Verdict{}
	case c.contradicted:
		return Verdict{Optimal, c.best.value(), c.best.value()}
	}
	lower, beyond := c.bestLower()
	if !c.solved && !beyond {
		return Verdict{}
	}
	v := Verdict{Kind: Bounds}
	if c.solved {
		v.Upper = c.best.value()
		lower = smaller(lower, c.best)
		if lower.cmp(c.best) == 0 {
			v.Kind = Optimal
		}
	}
	v.Lower = lower.value()
	return v
}

// bestLower returns the greatest lower bound of the objective that a constraint implies by
// literal axioms. beyond reports whether it exceeds the sum of the negative coefficients.
func (c *checker) bestLower() (lower num, beyond bool) {
	objective := c.atLeast(c.constant, num{}, num{})
	least := c.constant
	for _, t := range c.problem.objective {
		least = least.add(smaller(t.coef, num{}))
	}
	c.terms.addConstraint(objective, one)
	defer c.terms.reset()
	var gain num
	for _, k := range c.live {
		if k.deleted {
			continue
		}
		degree := k.degree
		for i, l := range k.lits {
			var have num
			if v := l.variable(); v < len(c.terms.coefs) {
				if have = c.terms.coefs[v]; l.negated() {
					have = have.neg()
				}
			}
			if have.sign() < 0 {
				have = num{}
			}
			if have.less(k.coef(i)) {
				degree = degree.sub(k.coef(i).sub(have))
			}
		}
		if gain.less(degree) {
			gain = degree
		}
	}
	return least.add(gain), gain.sign() > 0
}
