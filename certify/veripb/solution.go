package veripb

// readLiterals parses literals up to the end of the line, or up to a colon.
func (c *checker) readLiterals(w *words) ([]lit, error) {
	c.assignment = c.assignment[:0]
	for !w.ends() {
		word := w.next()
		l, ok := c.names.literal(word)
		if !ok {
			return nil, w.errorf("%s, expected a literal", found(word))
		}
		c.assignment = append(c.assignment, l)
	}
	c.propagator.grow(len(c.names.all))
	return c.assignment, nil
}

// readSolution parses literals and, in version 3.0, the value of the objective that may follow;
// nil is none.
func (c *checker) readSolution(w *words) (lits []lit, said *num, err error) {
	if lits, err = c.readLiterals(w); err != nil {
		return nil, nil, err
	}
	if c.version == version30 && c.argument(w) {
		n, err := w.number("the value of the objective")
		if err != nil {
			return nil, nil, err
		}
		said = &n
	}
	return lits, said, w.finish()
}

// objectiveValue returns the objective under the literal values of truth.
func (c *checker) objectiveValue(truth func(lit) bool) num {
	sum := c.constant
	for _, t := range c.problem.objective {
		if truth(t.lit) {
			sum = sum.add(t.coef)
		}
	}
	return sum
}

// record records a solution of the problem.
func (c *checker) record(value num) {
	if !c.solved || value.less(c.best) {
		c.best = value
	}
	c.solved = true
}

// solution parses an assignment. Together with what follows by propagation, and with all
// other literals true, it must satisfy the database and the problem itself. The function
// records the solution and returns the literals and their objective value, which they must
// determine alone.
func (c *checker) solution(w *words) ([]lit, num, error) {
	lits, said, err := c.readSolution(w)
	if err != nil {
		return nil, num{}, err
	}
	if c.settle() {
		return nil, num{}, w.refusedf("the constraints contradict one another, there is no solution")
	}
	defer c.undo(c.root)
	given := make(map[int]bool, len(c.problem.objective))
	for _, l := range lits {
		if c.value[l] < 0 {
			return nil, num{}, w.refusedf("no solution: %s cannot be true", c.names.text(l))
		}
		if c.value[l] == 0 {
			c.assign(l, nil)
		}
		given[l.variable()] = true
	}
	broken := c.propagate()
	if broken == nil {
		for _, t := range c.problem.objective {
			if c.value[t.lit] == 0 || c.version == version12 && !given[t.lit.variable()] {
				return nil, num{}, w.refusedf("the assignment leaves %s of the objective open", c.names.text(t.lit))
			}
		}
	}
	for v := 0; v < len(c.names.all) && broken == nil; v++ {
		if l := lit(v) << 1; c.value[l] == 0 {
			c.assign(l, nil)
			broken = c.propagate()
		}
	}
	if broken != nil {
		return nil, num{}, w.refusedf("no solution: %s is violated", broken.text(&c.names))
	}
	// Constraints of the problem may have been deleted, or never loaded.
	truth := func(l lit) bool { return c.value[l] > 0 }
	for _, k := range c.constraints {
		if !k.satisfied(truth) {
			return nil, num{}, w.refusedf("no solution: the problem's %s is violated", k.text(&c.names))
		}
	}
	value := c.objectiveValue(truth)
	if said != nil && said.cmp(value) != 0 {
		return nil, num{}, w.refusedf("the objective has the value %v, not %v", value, *said)
	}
	c.record(value)
	return lits, value, nil
}

// original parses an assignment to the problem's variables and checks it on the problem
// alone. Variables that it leaves open are false.
func (c *checker) original(w *words) error {
	lits, err := c.readLiterals(w)
	if err == nil {
		err = w.finish()
	}
	if err != nil {
		return err
	}
	holds := make([]bool, 2*len(c.names.all))
	for v := range len(c.names.all) {
		holds[2*v+1] = true
	}
	fixed := make([]bool, len(c.names.all))
	for _, l := range lits {
		if fixed[l.variable()] && !holds[l] {
			return w.refusedf("no assignment: %s is true and false", c.names.text(l))
		}
		fixed[l.variable()] = true
		holds[l], holds[l.not()] = true, false
	}
	truth := func(l lit) bool { return holds[l] }
	for _, k := range c.constraints {
		if !k.satisfied(truth) {
			return w.refusedf("no solution: the problem's %s is violated", k.text(&c.names))
		}
	}
	c.record(c.objectiveValue(truth))
	return nil
}

func (c *checker) ruleSolution(w *words) error {
	_, _, err := c.solution(w)
	return err
}

// ruleImprove adds objective <= value - 1.
func (c *checker) ruleImprove(w *words) error {
	if !c.optimise {
		return w.errorf("the problem has no objective to improve")
	}
	_, value, err := c.solution(w)
	if err != nil {
		return err
	}
	c.insert(c.atLeast(num{}, one, value))
	return nil
}

// atLeast returns objective >= lower or, with better = 1, objective <= upper - 1.
func (c *checker) atLeast(lower, better, upper num) *constraint {
	sign, bound := one, lower.sub(c.constant)
	if better.sign() > 0 {
		sign, bound = number(-1), better.sub(upper).add(c.constant)
	}
	for _, t := range c.problem.objective {
		c.terms.addTerm(t.coef.mul(sign), t.lit)
	}
	c.terms.degree = c.terms.degree.add(bound)
	k := c.terms.constraint()
	c.terms.reset()
	return k
}

// ruleExclude adds the clause that excludes the literals.
func (c *checker) ruleExclude(w *words) error {
	lits, _, err := c.solution(w)
	if err != nil {
		return err
	}
	for _, l := range lits {
		if v := l.variable(); v >= len(c.terms.coefs) || c.terms.coefs[v].sign() == 0 {
			c.terms.addTerm(one, l.not())
		}
	}
	c.terms.degree = c.terms.degree.add(one)
	k := c.terms.constraint()
	c.terms.reset()
	c.insert(k)
	return nil
}
