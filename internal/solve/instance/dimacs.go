package instance

import "github.com/fdplan/fdplan/internal/literal"

// dimacs reads CNF and both dialects of WCNF.
type dimacs struct {
	*scanner
	*builder

	header  int   // line of the p line; 0 without one
	clauses int64 // that it announces
	read    int64 // clauses so far
	limit   int32 // the largest variable that may occur
	top     int64 // weights from this one on are hard; 0 for none

	weights int64 // of all soft clauses so far
}

// What stands where a clause may begin or go on.
const (
	wantLiteral = "a literal or 0"
	wantWeight  = "h or a weight"
	wantHeader  = "p cnf VARIABLES CLAUSES"
	wantOld     = "p wcnf VARIABLES CLAUSES TOP"
)

func (d *dimacs) cnf() error {
	if d.skip('c'); d.c != 'p' {
		return d.unexpected(wantHeader)
	}
	if err := d.problem("cnf", wantHeader); err != nil {
		return err
	}
	if err := d.lineEnd(wantHeader); err != nil {
		return err
	}
	for d.next() {
		if err := d.counted(); err != nil {
			return err
		}
		if err := d.hard(); err != nil {
			return err
		}
	}
	return d.finish()
}

func (d *dimacs) wcnf() error {
	d.in.Format, d.in.Optimises, d.limit = WCNF, true, MaxVariable
	if d.skip('c'); d.c == 'p' {
		if err := d.oldHeader(); err != nil {
			return err
		}
	}
	for d.next() {
		if err := d.counted(); err != nil {
			return err
		}
		hard, weight, err := d.weight()
		if err != nil {
			return err
		}
		if hard {
			if err := d.hard(); err != nil {
				return err
			}
			continue
		}
		for {
			lit, err := d.literal()
			if err != nil {
				return err
			}
			if lit == 0 {
				break
			}
			d.lits.push(lit)
		}
		d.in.Soft = append(d.in.Soft, Soft{Weight: weight, Clause: d.lits.take(), Number: int(d.read)})
	}
	return d.finish()
}

// hard reads the literals of a hard clause.
func (d *dimacs) hard() error {
	clauses := &d.in.Clauses
	for {
		lit, err := d.literal()
		if err != nil {
			return err
		}
		if lit == 0 {
			clauses.ends = append(clauses.ends, len(clauses.lits))
			return nil
		}
		clauses.lits = append(clauses.lits, lit)
	}
}

// problem reads a p line up to its numbers of variables and clauses.
func (d *dimacs) problem(kind, want string) error {
	at := d.here()
	d.header = d.line
	if d.advance(); !d.atEnd() {
		return d.unexpected(want)
	}
	if d.blanks(); !d.word(kind) || !d.atEnd() {
		return d.fail(at, "another header; expected %s", want)
	}
	d.blanks()
	at = d.here()
	n, err := d.digits(at, want)
	if err != nil {
		return err
	}
	if n > MaxVariable {
		return d.fail(at, "%d variables; expected at most %d", n, MaxVariable)
	}
	d.limit, d.in.NumVars = int32(n), int32(n)
	if !d.atEnd() {
		return d.unexpected(want)
	}
	d.blanks()
	if d.clauses, err = d.digits(d.here(), want); err != nil {
		return err
	}
	if !d.atEnd() {
		return d.unexpected(want)
	}
	// Room for what is announced, within what a lie may cost.
	d.in.Clauses.ends = make([]int, 0, min(d.clauses, 1<<16))
	return nil
}

// oldHeader reads the p line of WCNFOld.
func (d *dimacs) oldHeader() error {
	d.in.Format = WCNFOld
	if err := d.problem("wcnf", wantOld); err != nil {
		return err
	}
	if d.blanks(); d.c != '\n' && d.c != eof {
		at := d.here()
		var err error
		if d.top, err = d.digits(at, wantOld); err != nil {
			return err
		}
		if d.top == 0 {
			return d.fail(at, "the top weight is 0; expected at least 1")
		}
	}
	return d.lineEnd(wantOld)
}

// lineEnd wants nothing more on the header's line.
func (d *dimacs) lineEnd(want string) error {
	if d.blanks(); d.c != '\n' && d.c != eof {
		return d.unexpected("the line's end after " + want)
	}
	return nil
}

// next goes to the next clause and reports whether there is one.
func (d *dimacs) next() bool {
	d.skip('c')
	return d.c != eof && d.c != '%'
}

// counted counts a clause that begins here.
func (d *dimacs) counted() error {
	if d.c == 'p' {
		return d.fail(d.here(), "a header here; expected it once, before all clauses")
	}
	if d.read++; d.header > 0 && d.read > d.clauses {
		return d.fail(d.here(), "clause %d; the header on line %d announces %d", d.read, d.header, d.clauses)
	}
	return nil
}

// finish compares the counts at the end of the file.
func (d *dimacs) finish() error {
	if d.c == '%' && d.in.Format != CNF {
		return d.unexpected(wantWeight)
	}
	if d.header > 0 && d.read < d.clauses {
		return d.fail(d.here(), "the file ends after %d clauses; the header on line %d announces %d", d.read, d.header, d.clauses)
	}
	return nil
}

// weight reads what stands before a clause of WCNF, and adds it up.
func (d *dimacs) weight() (hard bool, weight int64, err error) {
	at := d.here()
	if d.c == 'h' && d.header == 0 {
		if d.advance(); !d.atEnd() {
			return false, 0, d.unexpected("a blank after h")
		}
		d.skip('c')
		return true, 0, nil
	}
	switch {
	case d.c == 'h':
		return false, 0, d.fail(at, "h in a file with a header; expected a weight")
	case d.c == '-':
		return false, 0, d.fail(at, "a negative weight; expected 0 or more")
	}
	want := wantWeight
	if d.header > 0 {
		want = "a weight"
	}
	if weight, err = d.digits(at, want); err != nil {
		return false, 0, err
	}
	if !d.atEnd() {
		return false, 0, d.unexpected("a whole number as weight")
	}
	d.skip('c')
	if d.top > 0 && weight >= d.top {
		return true, 0, nil
	}
	if weight > MaxTotal-d.weights {
		return false, 0, d.fail(at, "the soft weights up to here exceed 2^61-1 together")
	}
	d.weights += weight
	return false, weight, nil
}

// literal reads a literal, or the 0 that ends a clause, and after a literal
// goes to the next.
func (d *dimacs) literal() (literal.Lit, error) {
	at := d.here()
	negative := d.c == '-'
	if negative {
		d.advance()
	}
	v, err := d.variable(at, d.limit, d.header, wantLiteral)
	if err != nil {
		return 0, err
	}
	if !d.atEnd() {
		return 0, d.unexpected("a blank after a literal")
	}
	if v == 0 {
		if negative {
			return 0, d.fail(at, "-0 is not a literal; expected %s", wantLiteral)
		}
		return 0, nil
	}
	d.use(v)
	d.skip('c')
	return literal.Lit(v).If(!negative), nil
}
