package instance

import (
	"bytes"
	"math"
	"strconv"

	"github.com/fdplan/fdplan/internal/literal"
)

// opb reads the linear format of the pseudo-Boolean competitions.
type opb struct {
	*scanner
	*builder

	header      int   // line of the header; 0 without one
	constraints int64 // that it announces
	limit       int32 // the largest variable that may occur
	statements  bool  // there was one
}

const (
	wantStatement = "min:, a coefficient, >=, = or <="
	wantLinear    = "a literal such as x1 or ~x1 after its coefficient"
)

func (o *opb) read() error {
	o.limit = MaxVariable
	if err := o.comments(); err != nil {
		return err
	}
	for ; o.c != eof; o.skip('*') {
		if err := o.statement(); err != nil {
			return err
		}
		o.statements = true
	}
	if n := int64(len(o.in.Linear)); o.header > 0 && n < o.constraints {
		return o.fail(o.here(), "the file ends after %d constraints; the header on line %d announces %d", n, o.header, o.constraints)
	}
	return nil
}

// comments goes to the first statement and looks for the header on the way.
func (o *opb) comments() error {
	// What follows the counts in a header, such as #equal= and intsize=, helps
	// only solvers of fixed-size integers.
	const most = 1 << 10
	text := make([]byte, 0, most)
	for {
		if o.skip(noComment); o.c != '*' {
			return nil
		}
		at := o.here()
		text = text[:0]
		for ; o.c != '\n' && o.c != eof; o.advance() {
			if len(text) < most {
				text = append(text, byte(o.c))
			}
		}
		if o.header > 0 {
			continue
		}
		variables, ok := count(text, "#variable=")
		constraints, ok2 := count(text, "#constraint=")
		if !ok || !ok2 {
			continue
		}
		v, err := strconv.ParseInt(variables, 10, 64)
		if err != nil || v > MaxVariable {
			return o.fail(at, "a header with %s variables; expected at most %d", variables, MaxVariable)
		}
		if o.constraints, err = strconv.ParseInt(constraints, 10, 64); err != nil {
			return o.fail(at, "a header with %s constraints; expected at most %d", constraints, int64(math.MaxInt64))
		}
		o.header, o.limit, o.in.NumVars = at.line, int32(v), int32(v)
	}
}

// count finds the digits after a word of the header.
func count(text []byte, word string) (digits string, ok bool) {
	_, rest, ok := bytes.Cut(text, []byte(word))
	rest = bytes.TrimLeft(rest, " \t")
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	return string(rest[:end]), ok && end > 0
}

// statement reads the objective or a constraint, up to and with its semicolon.
func (o *opb) statement() error {
	at := o.here()
	switch o.c {
	case 'm':
		return o.objective()
	case 's', '[':
		return o.fail(at, "soft constraints (WBO) are not supported; expected %s", wantStatement)
	}
	if n := int64(len(o.in.Linear)) + 1; o.header > 0 && n > o.constraints {
		return o.fail(at, "constraint %d; the header on line %d announces %d", n, o.header, o.constraints)
	}
	if err := o.sum("constraint"); err != nil {
		return err
	}
	l := Linear{Terms: o.terms.take()}
	switch o.c {
	case '=':
		l.Op = EQ
		o.advance()
	case '>', '<':
		if o.c == '<' {
			l.Op = LE
		}
		if o.advance(); o.c != '=' {
			return o.unexpected(">=, = or <=")
		}
		o.advance()
	default:
		if len(l.Terms) == 0 {
			return o.unexpected(wantStatement)
		}
		return o.unexpected("a coefficient, >=, = or <=")
	}
	o.skip('*')
	var err error
	at = o.here()
	if l.K, err = o.integer("an integer after the relation"); err != nil {
		return err
	}
	if max(l.K, -l.K) > MaxTotal {
		return o.fail(at, "the number after the relation is beyond 2^61-1")
	}
	if o.skip('*'); o.c != ';' {
		return o.unexpected("; after a constraint")
	}
	o.advance()
	o.in.Linear = append(o.in.Linear, l)
	return nil
}

// objective reads a min: statement.
func (o *opb) objective() error {
	at := o.here()
	o.advance()
	switch {
	case o.c == 'a' && o.word("ax"):
		return o.fail(at, "max: is not supported; expected min: with the signs of all coefficients changed")
	case !o.word("in"):
		return o.fail(at, "an unknown word; expected %s", wantStatement)
	}
	if o.blanks(); o.c != ':' {
		return o.unexpected(": after min")
	}
	o.advance()
	switch {
	case o.in.Optimises:
		return o.fail(at, "a second objective; expected one")
	case o.statements:
		return o.fail(at, "an objective after a constraint; expected it before all constraints")
	}
	o.in.Optimises = true
	if err := o.sum("objective"); err != nil {
		return err
	}
	o.in.Objective = o.terms.take()
	if o.c != ';' {
		return o.unexpected("a coefficient, or ; after the objective")
	}
	o.advance()
	return nil
}

// sum reads terms up to something else. what has them, for messages.
func (o *opb) sum(what string) error {
	total := int64(0)
	for first := true; ; first = false {
		o.skip('*')
		at := o.here()
		switch {
		case o.c == 'x' || o.c == '~':
			if first {
				return o.fail(at, "a literal without coefficient; expected one such as +1 before it")
			}
			return o.fail(at, "a product of literals, or a literal without coefficient; expected a linear sum such as +1 x1 -2 ~x2")
		case o.c != '+' && o.c != '-' && uint(o.c-'0') > 9:
			return nil
		}
		coef, err := o.integer("a coefficient")
		if err != nil {
			return err
		}
		if o.c == '.' || o.c == 'e' || o.c == 'E' {
			return o.unexpected("an integer as coefficient")
		}
		if coef := max(coef, -coef); coef > MaxTotal-total {
			return o.fail(at, "the coefficients of the %s up to here exceed 2^61-1 together", what)
		} else {
			total += coef
		}
		o.skip('*')
		lit, err := o.literal()
		if err != nil {
			return err
		}
		o.terms.push(Term{Coef: coef, Lit: lit})
	}
}

// integer reads digits with an optional sign.
func (o *opb) integer(expected string) (int64, error) {
	at := o.here()
	negative := o.c == '-'
	if negative || o.c == '+' {
		o.advance()
	}
	n, err := o.digits(at, expected)
	if negative {
		n = -n
	}
	return n, err
}

// literal reads x1 or ~x1.
func (o *opb) literal() (literal.Lit, error) {
	at := o.here()
	negative := o.c == '~'
	if negative {
		o.advance()
	}
	if o.c != 'x' {
		return 0, o.unexpected(wantLinear)
	}
	o.advance()
	v, err := o.variable(at, o.limit, o.header, "a variable's number after x")
	if err != nil {
		return 0, err
	}
	if v == 0 {
		return 0, o.fail(at, "variable x0; expected a number from 1 on")
	}
	switch {
	case o.atEnd(), o.c == ';', o.c == '>', o.c == '<', o.c == '=', o.c == '+', o.c == '-':
	default:
		return 0, o.unexpected("a blank after a literal")
	}
	o.use(v)
	return literal.Lit(v).If(!negative), nil
}
