package proof

import (
	"fmt"
	"math"
)

// Learn adds a clause that follows by reverse unit propagation. In DRAT it may
// also have the resolution asymmetric tautology property on its first literal.
func (l *Logger) Learn(lits []Lit) ID {
	if l.options.Format == DRAT {
		l.dimacs(lits)
		l.end()
		return l.made()
	}
	l.text("rup")
	l.clause(lits)
	l.text(" ;")
	l.end()
	return l.made()
}

func (l *Logger) dimacs(lits []Lit) {
	for _, d := range lits {
		l.number(int64(d))
		l.buf = append(l.buf, ' ')
	}
	l.buf = append(l.buf, '0')
}

// LearnPB adds the sum of terms >= k, which follows by reverse unit
// propagation. Coefficients have any sign, and a variable may occur twice.
func (l *Logger) LearnPB(terms []Term, k int64) ID {
	if !l.pseudoBoolean("a linear constraint") {
		return 0
	}
	l.text("rup")
	l.constraint(terms, k)
	l.text(" ;")
	l.end()
	return l.made()
}

// Contradiction adds 0 >= 1, which follows by propagation alone: in DRAT the
// empty clause.
func (l *Logger) Contradiction() ID { return l.Learn(nil) }

// Implied adds the sum of terms >= k, which the constraint id implies by
// literal axioms and saturation: a check of what a solver holds against the
// proof.
func (l *Logger) Implied(id ID, terms []Term, k int64) ID {
	switch l.options.Format {
	case VeriPB12:
		l.text("j ")
		l.number(int64(id))
		l.constraint(terms, k)
		l.text(" ;")
	case VeriPB20, VeriPB30:
		l.text("ia")
		l.constraint(terms, k)
		l.argument()
		l.buf = append(l.buf, ' ')
		l.number(int64(id))
	default:
		l.unsupported("an implication")
		return 0
	}
	l.stop()
	return l.made()
}

// Delete removes a constraint. DRAT knows clauses by their literals, which must
// be given there, and are ignored elsewhere.
func (l *Logger) Delete(id ID, lits ...Lit) {
	if l.options.Format == DRAT {
		l.text("d ")
		l.dimacs(lits)
		l.end()
		return
	}
	l.text("del id ")
	l.number(int64(id))
	l.stop()
}

// Solution shows a solution and adds that the objective is less than its
// value. The literals must give every variable of the objective a value, and
// all others by propagation at least; it is safest to give all.
func (l *Logger) Solution(lits []Lit) ID {
	switch {
	case !l.pseudoBoolean("a solution"):
		return 0
	case l.options.Objective == nil:
		l.unsupported("an improving solution without an objective")
		return 0
	case l.options.Format == VeriPB12:
		l.text("o")
	default:
		l.text("soli")
	}
	if len(lits) == 0 && len(l.options.Objective) == 0 {
		lits = []Lit{-1} // the objective of a file without variables is 0 x1
	}
	l.literals(lits)
	l.stop()
	return l.made()
}

// Show shows a solution and adds nothing. The literals must give all variables
// of the problem a value.
func (l *Logger) Show(lits []Lit) {
	if !l.pseudoBoolean("a solution") {
		return
	}
	if l.options.Format == VeriPB12 {
		l.text("ov")
	} else {
		l.text("sol")
	}
	l.literals(lits)
	l.stop()
}

// Reify defines a fresh variable by out <=> sum of terms >= k, as two
// constraints: only is "if out then the sum is >= k", when is "if the sum is >=
// k then out". Out is a literal of a variable that stands in no constraint. The
// sum of the coefficients' magnitudes and k must stay within 62 bits.
func (l *Logger) Reify(out Lit, terms []Term, k int64) (only, when ID) {
	if !l.pseudoBoolean("a definition") {
		return 0, 0
	}
	// With positive coefficients c_i of literals l_i and degree d:
	//	sum c_i l_i + d ~out >= d
	//	sum c_i ~l_i + (C-d+1) out >= C-d+1, C the sum of the c_i
	sum, d, ok := normal(terms, k)
	if !ok {
		if l.err == nil {
			l.err = fmt.Errorf("a definition: %w", ErrNumber)
		}
		return 0, 0
	}
	only = l.half(terms, false, -out, max(d, 0))
	when = l.half(terms, true, out, max(sum-d+1, 0))
	return only, when
}

// normal returns the sum of the coefficients and the degree of a constraint once
// its coefficients are positive.
func normal(terms []Term, k int64) (sum, degree int64, ok bool) {
	const most = math.MaxInt64 / 2
	if degree = k; k > most || k < -most {
		return 0, 0, false
	}
	for _, t := range terms {
		c := t.Coef
		if c < 0 {
			c = -c
			degree += c
		}
		// A sum of what is within most cannot leave 64 bits.
		if c < 0 || c > most {
			return 0, 0, false
		}
		if sum += c; sum > most || degree > most {
			return 0, 0, false
		}
	}
	return sum, degree, true
}

// half writes sum of c_i l_i + degree*free >= degree, with negated literals on
// demand, and free made true as the witness.
func (l *Logger) half(terms []Term, negate bool, free Lit, degree int64) ID {
	l.text("red")
	for _, t := range terms {
		c, d := t.Coef, t.Lit
		if c < 0 {
			c, d = -c, -d
		}
		if negate {
			d = -d
		}
		l.buf = append(l.buf, ' ')
		l.number(c)
		l.buf = append(l.buf, ' ')
		l.literal(d)
	}
	l.buf = append(l.buf, ' ')
	l.number(degree)
	l.buf = append(l.buf, ' ')
	l.literal(free)
	l.text(" >= ")
	l.number(degree)
	l.argument()
	l.assign(free)
	l.stop()
	return l.made()
}

// DeleteAll removes constraints by their numbers, which DRAT does not know.
func (l *Logger) DeleteAll(ids []ID) {
	const most = 50 // a line
	if len(ids) == 0 || !l.pseudoBoolean("deletion by number") {
		return
	}
	for i, id := range ids {
		if i%most == 0 {
			if i > 0 {
				l.stop()
			}
			l.text("del id")
		}
		l.buf = append(l.buf, ' ')
		l.number(int64(id))
	}
	l.stop()
}
