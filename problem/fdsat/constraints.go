package fdsat

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// maxBound is the largest right-hand side that package factored accepts.
const maxBound = 1 << 60

// ReadConstraints reads a file of constraints over the variables of p. If next is set, '
// after a state variable means the next step; otherwise it is refused. A constraint's Origin
// is the file's base name and the line.
func ReadConstraints(p *factored.Problem, name string, r io.Reader, next bool) ([]factored.Constraint, error) {
	if next {
		return readConstraints(p, name, r, transition)
	}
	return readConstraints(p, name, r, global)
}

// ReadStateConstraints reads a file of constraints that mention no action variable: an
// initial state or a goal.
func ReadStateConstraints(p *factored.Problem, name string, r io.Reader) ([]factored.Constraint, error) {
	return readConstraints(p, name, r, states)
}

// Constraint parses one constraint, written as a line of a file. Its Origin is the text.
func Constraint(p *factored.Problem, text string, next bool) (factored.Constraint, error) {
	where := global
	if next {
		where = transition
	}
	if at := source.BadByte(text); at >= 0 {
		return factored.Constraint{}, source.Errorf("", 0, 0, "%s: byte 0x%02x; expected UTF-8 without control characters", source.Quote(text), text[at])
	}
	c, _, err := newLiterals(p).constraint(text, where)
	if err != nil {
		return factored.Constraint{}, source.Errorf("", 0, 0, "%s: %v", source.Quote(text), err)
	}
	c.Origin = text
	return c, nil
}

func readConstraints(p *factored.Problem, name string, r io.Reader, where place) ([]factored.Constraint, error) {
	lines, err := readLines(name, r)
	if err != nil {
		return nil, err
	}
	l := newLiterals(p)
	var cs []factored.Constraint
	for i, text := range lines {
		c, col, err := l.constraint(text, where)
		if err != nil {
			return nil, source.Errorf(name, i+1, col, "%v", err)
		}
		c.Origin = fmt.Sprintf("%s:%d", filepath.Base(name), i+1)
		cs = append(cs, c)
	}
	return cs, nil
}

// constraint parses LIT,...,OP,K. With an error it returns the column of the field at fault.
func (l *literals) constraint(text string, where place) (c factored.Constraint, col int, err error) {
	last := strings.LastIndexByte(text, ',')
	op := -1
	if last >= 0 {
		op = strings.LastIndexByte(text[:last], ',')
	}
	if op < 0 {
		return c, 1, fmt.Errorf("%s has too few fields; expected LIT,...,OP,K", source.Quote(text))
	}
	switch sign := text[op+1 : last]; sign {
	case "<=":
		c.Op = factored.LE
	case ">=":
		c.Op = factored.GE
	case "==":
		c.Op = factored.EQ
	default:
		return c, op + 2, fmt.Errorf("%s is not a relation; expected <=, >= or ==", source.Quote(sign))
	}
	k := text[last+1:]
	c.K, err = strconv.ParseInt(k, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && (c.K > maxBound || c.K < -maxBound):
		return c, last + 2, fmt.Errorf("%s is beyond 2^60, the largest right-hand side", source.Quote(k))
	case err != nil:
		return c, last + 2, fmt.Errorf("%s is not an integer; expected the right-hand side", source.Quote(k))
	}
	// The step is part of a literal: x and x' are different.
	type stepped struct {
		bit  factored.Bit
		next bool
	}
	seen := map[stepped]bool{}
	for start := 0; start <= op; {
		lit, n, err := l.literal(text[start:op], where)
		if err != nil {
			return c, start + 1, err
		}
		at := stepped{lit.Bit, lit.Next}
		if seen[at] {
			lit.Neg = false
			return c, start + 1, fmt.Errorf("%s occurs twice in one constraint", l.p.LitName(lit))
		}
		seen[at] = true
		c.Terms = append(c.Terms, factored.Term{Coef: 1, Lit: lit})
		start += n + 1
	}
	return c, 0, nil
}
