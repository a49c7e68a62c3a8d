package veripb

import (
	"slices"
	"strings"
)

// term is a coefficient and its literal.
type term struct {
	coef num
	lit  lit
}

// constraint is the sum of coefficients times literals >= degree, in normal form:
// coefficients are positive and no variable occurs twice. The propagator may reorder the
// terms of a clause, and sorts the terms of other constraints by falling coefficient.
type constraint struct {
	lits   []lit
	coefs  []num // nil if all are 1
	degree num

	propagation
	deleted bool
}

func (c *constraint) coef(i int) num {
	if c.coefs == nil {
		return one
	}
	return c.coefs[i]
}

// contradicts reports whether no assignment satisfies c.
func (c *constraint) contradicts() bool {
	rest := c.degree
	for i := range c.lits {
		if rest.sign() <= 0 {
			return false
		}
		rest = rest.sub(c.coef(i))
	}
	return rest.sign() > 0
}

// negation returns the constraint that holds exactly if c does not: the sum over the negated
// literals >= the sum of the coefficients - degree + 1.
func (c *constraint) negation() *constraint {
	n := &constraint{lits: make([]lit, len(c.lits)), coefs: slices.Clone(c.coefs), degree: one.sub(c.degree)}
	for i, l := range c.lits {
		n.lits[i] = l.not()
		n.degree = n.degree.add(c.coef(i))
	}
	return n
}

// satisfied reports whether c holds under the literal values of truth.
func (c *constraint) satisfied(truth func(lit) bool) bool {
	rest := c.degree
	for i, l := range c.lits {
		if truth(l) {
			rest = rest.sub(c.coef(i))
		}
	}
	return rest.sign() <= 0
}

// text formats c as files do, shortened if it is long.
func (c *constraint) text(t *names) string {
	var b strings.Builder
	for i, l := range c.lits {
		if i == 12 {
			b.WriteString("… ")
			break
		}
		b.WriteString(c.coef(i).String())
		b.WriteByte(' ')
		b.WriteString(t.text(l))
		b.WriteByte(' ')
	}
	b.WriteString(">= ")
	b.WriteString(c.degree.String())
	return b.String()
}

// dense is a constraint under construction: a coefficient for every variable, positive for
// the variable, negative for its negation.
type dense struct {
	coefs  []num
	used   []int32 // variables that have or had a coefficient
	in     []bool  // whether a variable is in used
	degree num
}

func (d *dense) grow(vars int) {
	for len(d.coefs) < vars {
		d.coefs = append(d.coefs, num{})
		d.in = append(d.in, false)
	}
}

func (d *dense) reset() {
	for _, v := range d.used {
		d.coefs[v], d.in[v] = num{}, false
	}
	d.used, d.degree = d.used[:0], num{}
}

// addTerm adds coef times l to the left-hand side; coef may have any sign.
func (d *dense) addTerm(coef num, l lit) {
	if coef.sign() < 0 { // c*l = c - c*~l
		d.degree = d.degree.sub(coef)
		coef, l = coef.neg(), l.not()
	}
	v := l.variable()
	d.grow(v + 1)
	if !d.in[v] {
		d.in[v] = true
		d.used = append(d.used, int32(v))
	}
	old := d.coefs[v]
	if l.negated() {
		coef = coef.neg()
	}
	d.coefs[v] = old.add(coef)
	if old.sign()*coef.sign() < 0 { // x + ~x = 1
		d.degree = d.degree.sub(smaller(old.abs(), coef.abs()))
	}
}

// addConstraint adds factor times c.
func (d *dense) addConstraint(c *constraint, factor num) {
	for i, l := range c.lits {
		d.addTerm(c.coef(i).mul(factor), l)
	}
	d.degree = d.degree.add(c.degree.mul(factor))
}

// add adds another dense constraint.
func (d *dense) add(other *dense) {
	for _, v := range other.used {
		switch coef := other.coefs[v]; coef.sign() {
		case 1:
			d.addTerm(coef, lit(v)<<1)
		case -1:
			d.addTerm(coef.neg(), lit(v)<<1|1)
		}
	}
	d.degree = d.degree.add(other.degree)
}

func (d *dense) multiply(factor num) {
	for _, v := range d.used {
		d.coefs[v] = d.coefs[v].mul(factor)
	}
	d.degree = d.degree.mul(factor)
}

// divide divides by a positive number, rounding up.
func (d *dense) divide(by num) {
	for _, v := range d.used {
		if d.coefs[v].sign() < 0 {
			d.coefs[v] = d.coefs[v].neg().ceilDiv(by).neg()
		} else {
			d.coefs[v] = d.coefs[v].ceilDiv(by)
		}
	}
	d.degree = d.degree.ceilDiv(by)
}

// saturate lowers coefficients to the degree. A constraint that always holds becomes empty.
func (d *dense) saturate() {
	most := d.degree
	if most.sign() < 0 {
		most = num{}
	}
	for _, v := range d.used {
		if d.coefs[v].sign() < 0 {
			d.coefs[v] = smaller(d.coefs[v].neg(), most).neg()
		} else {
			d.coefs[v] = smaller(d.coefs[v], most)
		}
	}
}

// weaken removes a variable by adding a literal axiom.
func (d *dense) weaken(v int) {
	d.grow(v + 1)
	d.degree = d.degree.sub(d.coefs[v].abs())
	d.coefs[v] = num{}
}

// constraint copies d.
func (d *dense) constraint() *constraint {
	c := &constraint{degree: d.degree, lits: make([]lit, 0, len(d.used))}
	for _, v := range d.used {
		coef, l := d.coefs[v], lit(v)<<1
		switch coef.sign() {
		case 0:
			continue
		case -1:
			coef, l = coef.neg(), l|1
		}
		if c.coefs == nil && coef != one { // those before are
			c.coefs = make([]num, len(c.lits), len(d.used))
			for i := range c.coefs {
				c.coefs[i] = one
			}
		}
		if c.coefs != nil {
			c.coefs = append(c.coefs, coef)
		}
		c.lits = append(c.lits, l)
	}
	return c
}

// implies reports whether a implies b by literal axioms and one saturation. scratch is empty
// before and after.
func implies(a, b *constraint, scratch *dense) bool {
	if b.degree.sign() <= 0 {
		return true
	}
	scratch.addConstraint(b, one)
	cost := b.degree.sub(a.degree)
	for i, l := range a.lits {
		mine, theirs := a.coef(i), num{}
		if v := l.variable(); v < len(scratch.coefs) {
			if theirs = scratch.coefs[v]; l.negated() {
				theirs = theirs.neg()
			}
		}
		switch {
		case theirs.sign() <= 0: // absent or negated: weakened away
			cost = cost.add(mine)
		case theirs.less(mine) && theirs.less(b.degree): // not saturated in b
			cost = cost.add(mine.sub(theirs))
		}
	}
	scratch.reset()
	return cost.sign() <= 0
}

// equal reports whether a and b are the same constraint.
func equal(a, b *constraint, scratch *dense) bool {
	if len(a.lits) != len(b.lits) || a.degree.cmp(b.degree) != 0 {
		return false
	}
	scratch.addConstraint(a, one)
	same := true
	for i, l := range b.lits {
		v := l.variable()
		coef := b.coef(i)
		if l.negated() {
			coef = coef.neg()
		}
		if v >= len(scratch.coefs) || scratch.coefs[v].cmp(coef) != 0 {
			same = false
			break
		}
	}
	scratch.reset()
	return same
}
