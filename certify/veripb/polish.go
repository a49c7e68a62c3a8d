package veripb

// stack contains the operands of a pol rule. A constraint is computed in place. A number or a
// literal stays as it is until the operator determines whether it stands for itself or for a
// constraint.
type stack struct {
	items []operand
	free  []*dense
}

type operand struct {
	sum    *dense // a constraint, or nil
	number num
	lit    lit // -1 if the operand is a number
}

func (s *stack) take() *dense {
	if n := len(s.free); n > 0 {
		d := s.free[n-1]
		s.free = s.free[:n-1]
		return d
	}
	return &dense{}
}

func (s *stack) release(d *dense) {
	d.reset()
	s.free = append(s.free, d)
}

func (s *stack) clear() {
	for _, it := range s.items {
		if it.sum != nil {
			s.release(it.sum)
		}
	}
	s.items = s.items[:0]
}

// pop removes the last operand; there must be one.
func (s *stack) pop() operand {
	it := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return it
}

// addTo adds an operand, as a constraint, to d.
func (c *checker) addTo(w *words, d *dense, it operand) error {
	switch {
	case it.sum != nil:
		d.add(it.sum)
		c.stack.release(it.sum)
	case it.lit >= 0:
		d.addTerm(one, it.lit)
	default:
		k, err := c.get(w, it.number)
		if err != nil {
			return err
		}
		d.addConstraint(k, one)
	}
	return nil
}

// top turns the last operand into a constraint that can be changed in place.
func (c *checker) top(w *words) (*dense, error) {
	it := &c.stack.items[len(c.stack.items)-1]
	if it.sum == nil {
		d := c.stack.take()
		if err := c.addTo(w, d, *it); err != nil {
			c.stack.release(d)
			return nil, err
		}
		it.sum = d
	}
	return it.sum, nil
}

// rulePolish derives a constraint by cutting planes. Every step is sound by itself: sums of
// valid constraints, multiples by positive numbers, division of nonnegative coefficients with
// rounding up, saturation, literal axioms.
func (c *checker) rulePolish(w *words) error {
	defer c.stack.clear()
	s := &c.stack
	for {
		word := w.next()
		if word == nil || string(word) == ";" {
			break
		}
		if string(word) == "0" && w.peek() == nil {
			break // the old form of a line's end
		}
		if err := c.polish(w, word); err != nil {
			return err
		}
	}
	if err := w.finish(); err != nil {
		return err
	}
	if len(s.items) != 1 {
		return w.errorf("%d constraints are left at the end, expected 1", len(s.items))
	}
	d, err := c.top(w)
	if err != nil {
		return err
	}
	c.insert(d.constraint())
	return nil
}

// arity returns the number of operands of an operator, 0 for anything else.
func arity(word []byte) int {
	if len(word) != 1 {
		return 0
	}
	switch word[0] {
	case 's':
		return 1
	case '+', '*', 'd', 'w':
		return 2
	}
	return 0
}

func (c *checker) polish(w *words, word []byte) error {
	s := &c.stack
	operands := arity(word)
	if operands == 0 {
		if n, ok := parseNumber(word); ok {
			s.items = append(s.items, operand{number: n, lit: -1})
		} else if l, ok := c.names.literal(word); ok {
			s.items = append(s.items, operand{lit: l})
		} else {
			return w.errorf("%s, expected a number, a literal or one of + * d s w", found(word))
		}
		return nil
	}
	if len(s.items) < operands {
		return w.errorf("%q needs %d operands, there are %d", word, operands, len(s.items))
	}
	op := word[0]
	var last operand
	if operands == 2 {
		last = s.pop()
	}
	d, err := c.top(w)
	if err != nil {
		return err
	}
	isNumber := last.sum == nil && last.lit < 0
	switch op {
	case '+':
		return c.addTo(w, d, last)
	case '*', 'd':
		if !isNumber || last.number.sign() < 0 || op == 'd' && last.number.sign() == 0 {
			if last.sum != nil {
				s.release(last.sum)
			}
			return w.errorf("%q needs a positive number before it", word)
		}
		if op == '*' {
			d.multiply(last.number)
		} else {
			d.divide(last.number)
		}
	case 'w':
		if last.sum != nil || last.lit < 0 || last.lit.negated() {
			if last.sum != nil {
				s.release(last.sum)
			}
			return w.errorf("%q needs a variable before it", word)
		}
		d.weaken(last.lit.variable())
	case 's':
		d.saturate()
	}
	return nil
}
