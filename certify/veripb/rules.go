package veripb

// rule handles the lines whose first word is its name.
type rule struct {
	run      func(*checker, *words) error
	versions version
}

const (
	anyVersion = version12 | version20 | version30
	oldVersion = version12 | version20 // short names, which version 3.0 has no more
	newVersion = version20 | version30
)

// rules by name. step handles the rules that are refused on purpose.
var rules = map[string]rule{
	"f":    {(*checker).ruleFormula, anyVersion},
	"l":    {(*checker).ruleAxiom, version12},
	"p":    {(*checker).rulePolish, oldVersion},
	"pol":  {(*checker).rulePolish, anyVersion},
	"u":    {(*checker).ruleRUP, oldVersion},
	"rup":  {(*checker).ruleRUP, anyVersion},
	"red":  {(*checker).ruleRedundant, anyVersion},
	"e":    {(*checker).ruleEquals, anyVersion},
	"ea":   {(*checker).ruleEqualsAdd, version20},
	"i":    {(*checker).ruleImplies, anyVersion},
	"j":    {(*checker).ruleImpliesAdd, version12},
	"ia":   {(*checker).ruleImpliesAdd, newVersion},
	"o":    {(*checker).ruleImprove, oldVersion},
	"soli": {(*checker).ruleImprove, newVersion},
	"v":    {(*checker).ruleExclude, oldVersion},
	"solx": {(*checker).ruleExclude, version20}, // in version 3.0 about preserved variables
	"ov":   {(*checker).original, oldVersion},
	"sol":  {(*checker).ruleSolution, newVersion},
	"d":    {(*checker).ruleDeleteIDs, oldVersion},
	"del":  {(*checker).ruleDelete, anyVersion},
	"delc": {(*checker).ruleDeleteIDs, newVersion},
	"deld": {(*checker).ruleDeleteIDs, newVersion},
	"core": {(*checker).ruleCore, anyVersion},
	"#":    {(*checker).ruleLevel, oldVersion},
	"w":    {(*checker).ruleWipe, oldVersion},
	"c":    {(*checker).ruleContradiction, version12},

	"setlvl":     {(*checker).ruleLevel, version30},
	"wiplvl":     {(*checker).ruleWipe, version30},
	"output":     {(*checker).ruleOutput, newVersion},
	"conclusion": {(*checker).ruleConclusion, newVersion},
	"end":        {(*checker).ruleEnd, newVersion},
}

// step checks one line.
func (c *checker) step(w *words) error {
	name := w.next()
	if name == nil || name[0] == '*' && c.version != version30 {
		return nil
	}
	r, ok := rules[string(name)]
	switch {
	case string(name) == "a":
		return w.errorf("an assumption proves nothing, expected a rule that is checked")
	case !ok:
		return w.errorf("%s, expected the name of a rule that this checker knows", found(name))
	case r.versions&c.version == 0:
		return w.errorf("the rule %q is not of this version of the format", name)
	case c.output && string(name) != "conclusion" && string(name) != "end":
		return w.errorf("%s after the output line, expected the conclusion and the end", found(name))
	}
	return r.run(c, w)
}

func (c *checker) ruleFormula(w *words) error {
	if w.peek() != nil && string(w.peek()) != ";" {
		n, err := w.number("the number of constraints")
		if err != nil {
			return err
		}
		// In version 1.2, 0 means that the number is not given.
		if n != number(int64(len(c.constraints))) && (n.sign() != 0 || c.version != version12) {
			return w.errorf("the problem has %d constraints, equations counting twice, not %v", len(c.constraints), n)
		}
		if string(w.peek()) == "0" {
			w.next() // the old form of a line's end
		}
	}
	if c.version == version12 {
		if c.strength {
			return w.refusedf("constraints of the problem cannot be added after a red rule")
		}
		c.load()
	}
	return w.finish()
}

func (c *checker) ruleAxiom(w *words) error {
	n, err := w.number("the number of a constraint of the problem")
	if err != nil {
		return err
	}
	if n.big != nil || n.small < 1 || n.small > int64(len(c.constraints)) {
		return w.errorf("the problem has no constraint %v", n)
	}
	if c.strength {
		return w.refusedf("constraints of the problem cannot be added after a red rule")
	}
	c.insert(c.constraints[n.small-1].copy())
	return w.finish()
}

// ruleRUP ignores hints, which could only make the check fail.
func (c *checker) ruleRUP(w *words) error {
	k, err := c.inequality(w)
	if err != nil {
		return err
	}
	if c.version != version12 && c.argument(w) {
		for !w.ends() {
			if string(w.peek()) == "~" {
				w.next()
			} else if _, err := c.reference(w); err != nil {
				return err
			}
		}
	}
	if err := w.finish(); err != nil {
		return err
	}
	if !c.follows(k) {
		return w.refusedf("%s does not follow by reverse unit propagation", k.text(&c.names))
	}
	c.insert(k)
	return nil
}

// follows reports whether propagation refutes the negation of k.
func (c *checker) follows(k *constraint) bool {
	return k.degree.sign() <= 0 || c.refute(k.negation())
}

// compare parses a number and a constraint, in the order of the version, and reports whether
// test holds for them or, without a number, for any constraint.
func (c *checker) compare(w *words, verb string, test func(a, b *constraint, scratch *dense) bool) (*constraint, error) {
	var have *constraint
	var err error
	if c.version == version12 {
		if have, err = c.reference(w); err != nil {
			return nil, err
		}
	}
	k, err := c.inequality(w)
	if err != nil {
		return nil, err
	}
	if c.version != version12 && c.argument(w) {
		if have, err = c.reference(w); err != nil {
			return nil, err
		}
	}
	if err := w.finish(); err != nil {
		return nil, err
	}
	if have != nil {
		if !test(have, k, &c.terms) {
			return nil, w.refusedf("%s does not %s %s", have.text(&c.names), verb, k.text(&c.names))
		}
		return k, nil
	}
	for _, have := range c.live {
		if !have.deleted && test(have, k, &c.terms) {
			return k, nil
		}
	}
	return nil, w.refusedf("no constraint is there to %s %s", verb, k.text(&c.names))
}

func (c *checker) ruleEquals(w *words) error {
	_, err := c.compare(w, "equal", equal)
	return err
}

func (c *checker) ruleEqualsAdd(w *words) error {
	k, err := c.compare(w, "equal", equal)
	if err == nil {
		c.insert(k)
	}
	return err
}

func (c *checker) ruleImplies(w *words) error {
	_, err := c.compare(w, "imply", implies)
	return err
}

func (c *checker) ruleImpliesAdd(w *words) error {
	k, err := c.compare(w, "imply", implies)
	if err == nil {
		c.insert(k)
	}
	return err
}

func (c *checker) ruleContradiction(w *words) error {
	k, err := c.reference(w)
	if err != nil {
		return err
	}
	if !k.contradicts() {
		return w.errorf("%s is not a contradiction", k.text(&c.names))
	}
	c.contradicted = true
	if string(w.peek()) == "0" {
		w.next()
	}
	return w.finish()
}
