package proof

// A cutting-planes derivation is written between BeginPol, or BeginPolAxiom,
// and EndPol. It works on a running constraint, to which each call does
// something; in DRAT all of it is unsupported.

// BeginPol starts with a constraint.
func (l *Logger) BeginPol(id ID) {
	if l.pseudoBoolean("cutting planes") {
		l.text("pol ")
		l.number(int64(id))
	}
}

// BeginPolAxiom starts with the literal axiom lit >= 0.
func (l *Logger) BeginPolAxiom(lit Lit) {
	if l.pseudoBoolean("cutting planes") {
		l.text("pol ")
		l.literal(lit)
	}
}

// Add adds factor times a constraint; factor is positive.
func (l *Logger) Add(id ID, factor int64) {
	if !l.pseudoBoolean("cutting planes") {
		return
	}
	l.buf = append(l.buf, ' ')
	l.number(int64(id))
	l.scaled(factor)
}

// AddAxiom adds factor times the literal axiom lit >= 0; factor is positive.
// It weakens the coefficient of the opposite literal, where it has one.
func (l *Logger) AddAxiom(lit Lit, factor int64) {
	if !l.pseudoBoolean("cutting planes") {
		return
	}
	l.buf = append(l.buf, ' ')
	l.literal(lit)
	l.scaled(factor)
}

func (l *Logger) scaled(factor int64) {
	if factor != 1 {
		l.buf = append(l.buf, ' ')
		l.number(factor)
		l.text(" *")
	}
	l.text(" +")
}

// Multiply multiplies by a positive number.
func (l *Logger) Multiply(factor int64) { l.operate(factor, " *") }

// Divide divides by a positive number and rounds all coefficients and the
// degree up, in the form in which coefficients are positive.
func (l *Logger) Divide(divisor int64) { l.operate(divisor, " d") }

func (l *Logger) operate(n int64, operator string) {
	if l.pseudoBoolean("cutting planes") && n != 1 {
		l.buf = append(l.buf, ' ')
		l.number(n)
		l.text(operator)
	}
}

// Saturate lowers the coefficients to the degree, which must be positive: of
// other constraints VeriPB 0.3 makes ones that do not follow.
func (l *Logger) Saturate() {
	if l.pseudoBoolean("cutting planes") {
		l.text(" s")
	}
}

// EndPol ends the derivation and numbers its result.
func (l *Logger) EndPol() ID {
	if l.options.Format == DRAT {
		return 0
	}
	l.stop()
	return l.made()
}
