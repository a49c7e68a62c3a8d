package veripb

import "slices"

// ruleDeleteIDs deletes constraints by number. Deletion needs no check: what a verdict
// depends on also holds of fewer constraints.
func (c *checker) ruleDeleteIDs(w *words) error {
	if string(w.peek()) == "id" && c.version == version20 {
		w.next()
	}
	if w.peek() == nil {
		w.next()
		return w.errorf("the line ends, expected the number of a constraint")
	}
	for {
		word := w.peek()
		if word == nil || string(word) == ";" {
			return w.finish()
		}
		n, err := w.number("the number of a constraint")
		if err != nil {
			return err
		}
		if n.sign() == 0 && w.peek() == nil {
			return nil // the old form of a line's end
		}
		if _, err := c.get(w, n); err != nil {
			return err
		}
		id, _ := c.resolve(w, n)
		c.drop(id)
	}
}

func (c *checker) ruleDelete(w *words) error {
	switch how := w.next(); string(how) {
	case "id":
		return c.ruleDeleteIDs(w)
	case "range":
		from, to, err := c.span(w)
		if err != nil {
			return err
		}
		for id := from; id < to; id++ {
			if c.byID[id-1] != nil {
				c.drop(id)
			}
		}
		return nil
	case "spec", "find":
		k, err := c.inequality(w)
		if err != nil {
			return err
		}
		for i, have := range slices.Backward(c.byID) {
			if have != nil && equal(have, k, &c.terms) {
				c.drop(i + 1)
				return w.finish()
			}
		}
		return w.refusedf("there is no constraint %s to delete", k.text(&c.names))
	default:
		return w.errorf("%s, expected \"id\", \"range\" or \"spec\"", found(how))
	}
}

// span parses two numbers: a range that excludes its end.
func (c *checker) span(w *words) (from, to int, err error) {
	n, err := w.number("the number of a constraint")
	if err != nil {
		return 0, 0, err
	}
	if from, err = c.resolve(w, n); err != nil {
		return 0, 0, err
	}
	if n, err = w.number("the number after the last constraint"); err != nil {
		return 0, 0, err
	}
	if n == number(int64(len(c.byID)+1)) {
		to = len(c.byID) + 1
	} else if to, err = c.resolve(w, n); err != nil {
		return 0, 0, err
	}
	return from, to, w.finish()
}

// ruleCore does nothing: verdicts do not depend on which constraints are core.
func (c *checker) ruleCore(w *words) error {
	switch how := w.next(); string(how) {
	case "id":
		for w.peek() != nil && string(w.peek()) != ";" {
			if _, err := c.reference(w); err != nil {
				return err
			}
		}
		return w.finish()
	case "range":
		_, _, err := c.span(w)
		return err
	default:
		return w.errorf("%s, expected \"id\" or \"range\"", found(how))
	}
}

// readLevel parses a level.
func readLevel(w *words) (int, error) {
	n, err := w.number("a level, 0 or more")
	if err == nil && (n.big != nil || n.small < 0 || n.small > 1<<30) {
		err = w.errorf("found %v, expected a level from 0 to 2^30", n)
	}
	if err != nil {
		return 0, err
	}
	return int(n.small), w.finish()
}

func (c *checker) ruleLevel(w *words) error {
	level, err := readLevel(w)
	if err != nil {
		return err
	}
	if c.levels == nil {
		c.levels = map[int][]int{}
	}
	c.level = level
	return nil
}

func (c *checker) ruleWipe(w *words) error {
	level, err := readLevel(w)
	if err != nil {
		return err
	}
	for l, ids := range c.levels {
		if l < level {
			continue
		}
		for _, id := range ids {
			if c.byID[id-1] != nil {
				c.drop(id)
			}
		}
		delete(c.levels, l)
	}
	return nil
}
