package rddl

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fdplan/fdplan/internal/source"
)

type tokenKind uint8

const (
	tokEOF     tokenKind = iota
	tokIdent             // robot-at, pos-inf; with text'
	tokPrimed            // robot-at' ; text is without the prime
	tokVar               // ?x; text is without the ?
	tokLiteral           // @x or $x; text is without the @
	tokInt               // 12
	tokReal              // .5, 5.0, 1e-3
	tokSymbol            // operators and punctuation
)

type token struct {
	kind tokenKind
	text string
	pos  Pos
}

// is reports whether the token is this operator, bracket or other symbol.
func (t token) is(symbol string) bool { return t.kind == tokSymbol && t.text == symbol }

// word reports whether the token is this word.
func (t token) word(w string) bool { return t.kind == tokIdent && t.text == w }

// String describes the token for messages.
func (t token) String() string {
	switch t.kind {
	case tokEOF:
		return "the end of the file"
	case tokPrimed:
		return clip(t.text) + "'"
	case tokVar:
		return "?" + clip(t.text)
	case tokLiteral:
		return "@" + clip(t.text)
	case tokSymbol:
		return "'" + t.text + "'"
	}
	return clip(t.text)
}

// clip shortens the huge names of a broken file, so that messages stay on one readable line.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

// lexer splits a text into tokens. Names may contain - and _ inside but do not end in them,
// so that the _ in sum_{ is a separate token.
type lexer struct {
	file      string
	src       string // tokens are parts of it
	off       int
	line, col int
}

func newLexer(file string, src []byte) *lexer {
	l := &lexer{file: file, src: string(src), line: 1, col: 1}
	if len(src) >= 3 && src[0] == 0xEF && src[1] == 0xBB && src[2] == 0xBF {
		l.off = 3 // a byte order mark, which some editors write
	}
	return l
}

func (l *lexer) pos() Pos { return Pos{l.file, l.line, l.col} }

func errAt(p Pos, format string, args ...any) *source.Error {
	return source.Errorf(p.File, p.Line, p.Col, format, args...)
}

func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlnum(c byte) bool { return isAlpha(c) || isDigit(c) }

// peek returns the byte at this distance, or 0 beyond the end.
func (l *lexer) peek(n int) byte {
	if l.off+n < len(l.src) {
		return l.src[l.off+n]
	}
	return 0
}

func (l *lexer) skipSpace() {
	for l.off < len(l.src) {
		switch c := l.src[l.off]; {
		case c == '\n':
			l.off++
			l.line++
			l.col = 1
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			l.off++
			l.col++
		case c == '/' && l.peek(1) == '/':
			for l.off < len(l.src) && l.src[l.off] != '\n' {
				l.off++
				l.col++
			}
		default:
			return
		}
	}
}

// take removes n bytes from the front.
func (l *lexer) take(n int) string {
	s := l.src[l.off : l.off+n]
	l.off += n
	l.col += n
	return s
}

// nameLen returns the length of the name that starts n bytes ahead, or 0 if there is none:
// letters, digits, - and _, ending in a letter or digit.
func (l *lexer) nameLen(n int) int {
	last := 0
	for i := n; ; i++ {
		c := l.peek(i)
		if isAlnum(c) {
			last = i + 1 - n
		} else if c != '-' && c != '_' {
			return last
		}
	}
}

// symbols lists longer symbols before their prefixes.
var symbols = []string{
	"<=>", "=>", "==", "~=", "<=", ">=", "=", "<", ">", "~", "^", "&", "|", "+", "-", "*", "/",
	"(", ")", "[", "]", "{", "}", ",", ";", ":", "_", ".",
}

// next returns the next token. After an error the lexer must not be used.
func (l *lexer) next() (token, error) {
	l.skipSpace()
	t := token{pos: l.pos()}
	if l.off >= len(l.src) {
		return t, nil
	}
	c := l.src[l.off]
	switch {
	case isAlpha(c):
		t.kind = tokIdent
		t.text = l.take(l.nameLen(0))
		if l.peek(0) == '\'' {
			l.take(1)
			t.kind = tokPrimed
		}
		return t, nil
	case c == '?' || c == '@' || c == '$':
		n := l.nameLen(1)
		if n == 0 {
			return t, errAt(t.pos, "a name is expected right after '%c'", c)
		}
		if c == '$' && l.peek(n+1) == '[' {
			return t, errAt(t.pos, "external functions ($%s[…]) are not supported", clip(l.src[l.off+1:l.off+1+n]))
		}
		t.kind = tokLiteral
		if c == '?' {
			t.kind = tokVar
		}
		t.text = l.take(n + 1)[1:]
		if l.peek(0) == '\'' {
			return t, errAt(l.pos(), "a prime stands after a fluent's name only, not after %v", t)
		}
		return t, nil
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		return l.number(t)
	case c == '\'':
		return t, errAt(t.pos, "the prime stands right after the name, before the parameters: f'(?x)")
	case c == '/' && l.peek(1) == '*':
		return t, errAt(t.pos, "comments start with // and end with the line; /* */ is not RDDL")
	}
	t.kind = tokSymbol
	for _, s := range symbols {
		if s[0] == c && strings.HasPrefix(l.src[l.off:], s) {
			t.text = l.take(len(s))
			return t, nil
		}
	}
	return t, errAt(t.pos, "%s", illegal(l.src[l.off:]))
}

// illegal describes what is wrong with the first character of src, and suggests what was
// meant.
func illegal(src string) string {
	r, n := utf8.DecodeRuneInString(src)
	what := fmt.Sprintf("unexpected character %q", r)
	if r == utf8.RuneError && n <= 1 {
		what = fmt.Sprintf("byte 0x%02X is not valid UTF-8 text", src[0])
	}
	switch r {
	case '!':
		what += "; not is ~, unequal is ~="
	case '\u2212', '\u2013', '\u2014':
		what += "; minus is -"
	case '%':
		what += "; the remainder is mod[a, b]"
	case '"':
		what += "; RDDL has no strings"
	}
	return what
}

// number reads digits, with a point or an exponent or both.
func (l *lexer) number(t token) (token, error) {
	n := 0
	digits := func() int {
		from := n
		for isDigit(l.peek(n)) {
			n++
		}
		return n - from
	}
	t.kind = tokInt
	digits()
	if l.peek(n) == '.' {
		n++
		t.kind = tokReal
		if digits() == 0 {
			return t, errAt(Pos{l.file, l.line, l.col + n}, "a digit is expected after the point of a number")
		}
	}
	if c := l.peek(n); c == 'e' || c == 'E' {
		m := n + 1
		if s := l.peek(m); s == '+' || s == '-' {
			m++
		}
		if isDigit(l.peek(m)) {
			n = m
			digits()
			t.kind = tokReal
		}
	}
	if c := l.peek(n); isAlpha(c) || c == '_' && isAlnum(l.peek(n+1)) {
		return t, errAt(t.pos, "a name starts with a letter, not with a digit")
	}
	t.text = l.take(n)
	return t, nil
}
