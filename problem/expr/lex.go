package expr

import (
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/nearest"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// token kinds, besides the operators, which are their own text.
const (
	tokEnd    = ""
	tokNumber = "number"
	tokName   = "name"
	tokValue  = "value" // of an enumeration

	tokFunction = "function" // min, max or abs
	tokIf       = "if"
	tokThen     = "then"
	tokElse     = "else"
)

type token struct {
	kind string // an operator's text, or one of the kinds above
	text string
	col  int // 1-based
	v    *factored.Variable
	next bool // primed
	step int  // in name@step; 0 for none
}

// operators, longest first.
var operators = []string{"<=>", "=>", "<=", ">=", "==", "~=", "!=", "<", ">", "+", "-", "*", "/", "(", ")", "[", "]", ",", "~", "^", "&", "|"}

// lexer splits text into tokens. Names are matched against the names of the problem, since
// published names contain spaces, '|' and '$' within brackets.
type lexer struct {
	p    *factored.Problem
	text string
	pos  int
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func (x *lexer) errorf(col int, format string, args ...any) error {
	return source.Errorf("", 1, col, format, args...)
}

func (x *lexer) next() (token, error) {
	for x.pos < len(x.text) && strings.IndexByte(" \t\r\n", x.text[x.pos]) >= 0 {
		x.pos++
	}
	col := x.pos + 1
	if x.pos == len(x.text) {
		return token{kind: tokEnd, text: "the end", col: col}, nil
	}
	rest := x.text[x.pos:]
	switch {
	case isDigit(rest[0]):
		return x.number(rest, col), nil
	case rest[0] == '@' && len(rest) > 1 && isWord(rest[1]):
		n := 2
		for n < len(rest) && (isWord(rest[n]) || rest[n] == '-' && n+1 < len(rest) && isWord(rest[n+1])) {
			n++
		}
		x.pos += n
		return token{kind: tokValue, text: rest[:n], col: col}, nil
	case rest[0] == '"':
		n := strings.IndexByte(rest[1:], '"')
		if n < 0 {
			return token{}, x.errorf(col, "the quoted value is not closed; expected another \"")
		}
		x.pos += n + 2
		return token{kind: tokValue, text: rest[1 : n+1], col: col}, nil
	case isLetter(rest[0]):
		return x.name(rest, col)
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			x.pos += len(op)
			return token{kind: op, text: op, col: col}, nil
		}
	}
	return token{}, x.errorf(col, "%q is no part of an expression; expected a variable, a number or an operator", rest[:1])
}

func isWord(c byte) bool { return isLetter(c) || isDigit(c) }

// number reads an integer, or a number with a fraction or an exponent.
func (x *lexer) number(rest string, col int) token {
	digits := func(n int) int {
		for n < len(rest) && isDigit(rest[n]) {
			n++
		}
		return n
	}
	n := digits(0)
	if n+1 < len(rest) && rest[n] == '.' && isDigit(rest[n+1]) {
		n = digits(n + 1)
	}
	if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		m := n + 1
		if m < len(rest) && (rest[m] == '+' || rest[m] == '-') {
			m++
		}
		if m < len(rest) && isDigit(rest[m]) {
			n = digits(m)
		}
	}
	x.pos += n
	return token{kind: tokNumber, text: rest[:n], col: col}
}

// values lists the values of the enumerations of the problem.
func (x *lexer) values() []string {
	var out []string
	for i := range x.p.Variables {
		if v := &x.p.Variables[i]; v.Enumeration() {
			out = append(out, v.View.Names...)
		}
	}
	return out
}

// isValue reports whether some enumeration of the problem has the value word.
func (x *lexer) isValue(word string) bool {
	for i := range x.p.Variables {
		if v := &x.p.Variables[i]; v.Enumeration() {
			if _, err := v.Named(word); err == nil {
				return true
			}
		}
	}
	return false
}

// name reads an identifier, its bracketed arguments and a prime on either side
// of them.
func (x *lexer) name(rest string, col int) (token, error) {
	n := 1
	for n < len(rest) && (isLetter(rest[n]) || isDigit(rest[n]) || rest[n] == '-') {
		n++
	}
	word := rest[:n]
	primed := false
	if n < len(rest) && rest[n] == '\'' {
		primed = true
		n++
	}
	if word == "true" || word == "false" {
		x.pos += n
		return token{kind: tokNumber, text: word, col: col}, nil
	}
	if kind, ok := keywords[word]; ok && !primed && !x.isVariable(rest, n) {
		x.pos += n
		return token{kind: kind, text: word, col: col}, nil
	}
	if n < len(rest) && (rest[n] == '(' || rest[n] == '[') {
		end := strings.IndexByte(rest[n:], map[byte]byte{'(': ')', '[': ']'}[rest[n]])
		if end < 0 {
			return token{}, x.errorf(col+n, "the arguments of %s are not closed", word)
		}
		word += rest[n : n+end+1]
		n += end + 1
		if !primed && n < len(rest) && rest[n] == '\'' {
			primed = true
			n++
		}
	}
	v, ok := x.p.Find(word)
	if !ok && !primed && x.isValue(word) {
		x.pos += n
		return token{kind: tokValue, text: word, col: col}, nil
	}
	if !ok {
		hint := x.p.Hint(word)
		if hint == "" {
			hint = nearest.Hint(word, x.values())
		}
		return token{}, x.errorf(col, "there is no variable %s in %s%s", word, x.p.Name, hint)
	}
	x.pos += n
	step, err := x.step()
	return token{kind: tokName, text: word, col: col, v: v, next: primed, step: step}, err
}

// keywords are words with a meaning of their own, unless a variable has the name.
var keywords = map[string]string{"min": tokFunction, "max": tokFunction, "abs": tokFunction, "if": tokIf, "then": tokThen, "else": tokElse}

// isVariable reports whether a variable has the name of n bytes that begins rest, with the arguments
// that may follow.
func (x *lexer) isVariable(rest string, n int) bool {
	if _, ok := x.p.Find(rest[:n]); ok {
		return true
	}
	if end := strings.IndexAny(rest, ")]"); end > n && (rest[n] == '(' || rest[n] == '[') {
		_, ok := x.p.Find(rest[:end+1])
		return ok
	}
	return false
}

// maxStep bounds the steps that an expression can name.
const maxStep = 1000

// step reads the @ and the number that follow a variable directly; 0 if there is none.
func (x *lexer) step() (int, error) {
	rest := x.text[x.pos:]
	if rest == "" || rest[0] != '@' {
		return 0, nil
	}
	n := 1
	for n < len(rest) && isDigit(rest[n]) {
		n++
	}
	k, err := strconv.Atoi(rest[1:n])
	if err != nil || k < 1 || k > maxStep {
		return 0, x.errorf(x.pos+1, "expected the number of a step after @, from 1 to %d", maxStep)
	}
	x.pos += n
	return k, nil
}
