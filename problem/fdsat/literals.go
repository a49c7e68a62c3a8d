package fdsat

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// place restricts the literals of a constraint.
type place uint8

const (
	global     place = iota // any variable at the present step
	states                  // no action: the initial state and the goal
	transition              // any variable, and ' on state variables
)

var (
	errEmpty = errors.New("an empty literal; expected a name, ~ before it for its negation")
	errNext  = errors.New("' is for the next step, which only transitions have")

	// The one fault that a longer text can still remove.
	errUnknown = errors.New("there is no variable")
)

// literals finds the literals of a problem by their text.
type literals struct {
	p *factored.Problem
	// The most commas in any name. Names of this layout have none; a problem from elsewhere
	// to which a constraint is added may have some.
	commas int
}

func newLiterals(p *factored.Problem) *literals {
	l := &literals{p: p}
	for i := range p.Variables {
		l.commas = max(l.commas, strings.Count(p.Variables[i].Name, ","))
	}
	return l
}

// literal parses the literal that text starts with and returns its length. It ends at the
// first comma after which it is the name of a variable.
func (l *literals) literal(text string, where place) (lit factored.Lit, length int, err error) {
	for range l.commas + 1 {
		field, _, more := strings.Cut(text[length:], ",")
		length += len(field)
		lit, err := l.find(text[:length], where)
		if !errors.Is(err, errUnknown) {
			return lit, length, err
		}
		if !more {
			break
		}
		length++
	}
	// No variable matches: the report quotes the text up to the first comma.
	field, _, _ := strings.Cut(text, ",")
	lit, err = l.find(field, where)
	return lit, len(field), err
}

// find returns the literal that text denotes.
func (l *literals) find(text string, where place) (lit factored.Lit, err error) {
	name, neg := strings.CutPrefix(text, "~")
	name, next := strings.CutSuffix(name, "'")
	if name == "" {
		return lit, errEmpty
	}
	lit.Neg, lit.Next = neg, next
	if lit.Bit, err = findBit(l.p, name); err != nil {
		return lit, err
	}
	kind := l.p.Kind(lit.Bit)
	switch {
	case next && where != transition:
		return lit, fmt.Errorf("%s: %w", source.Quote(text), errNext)
	case next && kind != factored.State:
		return lit, fmt.Errorf("%s: %s is an %s variable; ' is for state variables", source.Quote(text), source.Quote(name), kind)
	case where == states && kind == factored.Action:
		return lit, fmt.Errorf("%s is an action variable; expected state variables here", source.Quote(name))
	}
	return lit, nil
}

// findBit returns the bit of a Boolean variable, or the bit NAME#i, of weight 2^i, of an
// integer variable, as written by factored.Problem.BitName.
func findBit(p *factored.Problem, name string) (factored.Bit, error) {
	if v, ok := p.Lookup(name); ok {
		if !v.Bool {
			return 0, fmt.Errorf("%s is an integer variable of %d bits; expected one bit, %s#0 the lowest", source.Quote(name), v.Width, v.Name)
		}
		return v.First, nil
	}
	if at := strings.LastIndexByte(name, '#'); at >= 0 {
		v, ok := p.Lookup(name[:at])
		i, err := strconv.Atoi(name[at+1:])
		if ok && !v.Bool && err == nil && i >= 0 && i < v.Width && strconv.Itoa(i) == name[at+1:] {
			return v.First + factored.Bit(v.Width-1-i), nil
		}
	}
	return 0, fmt.Errorf("%w %s%s", errUnknown, source.Quote(name), p.Hint(name))
}
