package proof

// ConcludeNone ends a proof without a claim. Close does so where nothing
// else was said.
func (l *Logger) ConcludeNone() { l.conclude("NONE", 0, "") }

// ConcludeUnsat ends a proof that the problem has no solution; contradiction is
// the number of a constraint that nothing satisfies.
func (l *Logger) ConcludeUnsat(contradiction ID) {
	switch l.options.Format {
	case VeriPB12:
		l.text("c ")
		l.number(int64(contradiction))
		l.end()
		l.concluded = true
	case VeriPB20, VeriPB30:
		if l.options.Objective != nil {
			l.conclude("BOUNDS INF", contradiction, " INF")
		} else {
			l.conclude("UNSAT", contradiction, "")
		}
	case DRAT:
		l.concluded = true
	}
}

// ConcludeSat ends a proof that the problem has a solution, which Show or
// Solution gave. In version 1.2, which has no conclusions, that was all; in DRAT
// there is no such proof.
func (l *Logger) ConcludeSat() {
	if !l.pseudoBoolean("satisfiability") {
		return
	}
	l.conclude("SAT", 0, "")
}

// ConcludeOptimal ends a proof that value is the least value of the objective,
// as the file has it: Solution gave one with it, and contradiction is the number
// of a constraint that nothing satisfies. Where a solver has a constraint that
// says objective >= value, its sum with what Solution made is one.
func (l *Logger) ConcludeOptimal(value int64, contradiction ID) {
	switch {
	case !l.pseudoBoolean("bounds"):
	case l.options.Objective == nil:
		l.unsupported("bounds without an objective")
	case l.options.Format == VeriPB12:
		l.ConcludeUnsat(contradiction)
	default:
		// The bound is wanted as a constraint; from a contradiction all follows.
		l.bounds(value, value, true, l.LearnPB(l.options.Objective, value-l.options.Constant))
	}
}

// ConcludeBounds ends a proof that the least value of the objective is within
// lower and upper. The constraint id implies objective >= lower by literal
// axioms; 0 leaves it to the checker to find one. Without known no solution is
// claimed, and upper is ignored. In version 1.2, which has no conclusions, the
// solution and the constraint stand for themselves.
func (l *Logger) ConcludeBounds(lower, upper int64, known bool, id ID) {
	switch {
	case !l.pseudoBoolean("bounds"):
	case l.options.Objective == nil:
		l.unsupported("bounds without an objective")
	case l.options.Format == VeriPB12:
		l.concluded = true
	default:
		l.bounds(lower, upper, known, id)
	}
}

func (l *Logger) bounds(lower, upper int64, known bool, id ID) {
	l.output()
	l.text("conclusion BOUNDS ")
	l.number(lower)
	l.hint(id)
	l.buf = append(l.buf, ' ')
	if known {
		l.number(upper)
	} else {
		l.text("INF")
	}
	l.finish()
}

// output writes that the proof gives no problem out.
func (l *Logger) output() {
	l.text("output NONE")
	l.stop()
}

// conclude writes the last lines of versions that have them.
func (l *Logger) conclude(what string, id ID, rest string) {
	l.concluded = true
	if !l.options.Format.Concludes() {
		return
	}
	l.output()
	l.text("conclusion ")
	l.text(what)
	l.hint(id)
	l.text(rest)
	l.finish()
}

func (l *Logger) hint(id ID) {
	if id != 0 {
		l.text(" : ")
		l.number(int64(id))
	}
}

func (l *Logger) finish() {
	l.stop()
	l.text("end pseudo-Boolean proof")
	l.stop()
	l.concluded = true
}
