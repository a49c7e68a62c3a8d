package instance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/fdplan/fdplan/internal/source"
)

const (
	eof       = -1 // the current byte at the end of a file
	noComment = -2 // stands for no comment sign; it is not a byte
)

// scanner gives a file byte by byte, with the place of each.
type scanner struct {
	ctx  context.Context
	name string
	r    io.Reader

	c   int    // the current byte, or eof
	buf []byte // what was read last
	pos int    // of the byte after c in buf

	before    int64 // bytes of the file before buf
	line      int   // of c
	lineStart int64 // where that line begins in the file
	fresh     bool  // only blanks stand before c on its line

	// grown is asked, whenever buf is filled, whether what was made of the file
	// so far still fits.
	grown func() error
	err   error // why reading ended early; every error after it is its consequence
}

// A buffer of this size makes reading as fast as memory, and checks the context
// often enough.
const bufferSize = 1 << 18

func newScanner(ctx context.Context, name string, r io.Reader, grown func() error) *scanner {
	s := &scanner{ctx: ctx, name: name, r: r, buf: make([]byte, 0, bufferSize), line: 1, fresh: true, grown: grown}
	s.advance()
	return s
}

// advance goes to the next byte. It is small enough to be inlined.
func (s *scanner) advance() {
	if s.pos < len(s.buf) {
		s.c = int(s.buf[s.pos])
		s.pos++
		return
	}
	s.fill()
}

func (s *scanner) fill() {
	if s.c == eof {
		return
	}
	s.before += int64(len(s.buf))
	s.buf, s.pos = s.buf[:0], 1 // one past a byte that is not there, so that column is right
	s.c = eof
	if err := s.ctx.Err(); err != nil {
		s.err = fmt.Errorf("reading %s: %w", s.name, err)
		return
	}
	if s.err = s.grown(); s.err != nil {
		return
	}
	n, err := io.ReadAtLeast(s.r, s.buf[:cap(s.buf)], 1)
	if n > 0 {
		s.buf = s.buf[:n]
		s.c = int(s.buf[0])
		return
	}
	if !errors.Is(err, io.EOF) {
		s.err = source.Errorf(s.name, 0, 0, "cannot be read: %v", source.Cause(err))
	}
}

// column is the place of c on its line, from 1.
func (s *scanner) column() int { return int(s.before + int64(s.pos) - s.lineStart) }

// place is where a word or a clause began.
type place struct{ line, column int }

func (s *scanner) here() place { return place{s.line, s.column()} }

// fail makes the error for a place, unless reading had ended before.
func (s *scanner) fail(at place, format string, args ...any) error {
	if s.err != nil {
		return s.err
	}
	return source.Errorf(s.name, at.line, at.column, format, args...)
}

// unexpected reports c.
func (s *scanner) unexpected(expected string) error {
	return s.fail(s.here(), "%s; expected %s", s.found(), expected)
}

// found names what c is.
func (s *scanner) found() string {
	switch {
	case s.c == eof:
		return "the file ends here"
	case s.c == '\n' || s.c == '\r':
		return "the line ends here"
	case s.c < 0x80:
		return fmt.Sprintf("unexpected %q", rune(s.c))
	}
	return fmt.Sprintf("unexpected byte 0x%02x", s.c)
}

// newline goes past a line's end.
func (s *scanner) newline() {
	s.line++
	s.lineStart = s.before + int64(s.pos)
	s.fresh = true
	s.advance()
}

// blanks goes past blanks, not past the line's end.
func (s *scanner) blanks() {
	for s.c == ' ' || s.c == '\t' || s.c == '\r' {
		s.advance()
	}
}

// rest goes to the line's end.
func (s *scanner) rest() {
	for s.c != '\n' && s.c != eof {
		s.advance()
	}
}

// skip goes past blanks, line ends, and lines that start with the comment
// sign.
func (s *scanner) skip(comment int) {
	for {
		switch {
		case s.c == ' ' || s.c == '\t' || s.c == '\r':
			s.advance()
		case s.c == '\n':
			s.newline()
		case s.c == comment && s.fresh:
			s.rest()
		default:
			s.fresh = false
			return
		}
	}
}

// atEnd reports whether a word has ended at c.
func (s *scanner) atEnd() bool {
	return s.c == ' ' || s.c == '\n' || s.c == eof || s.c == '\t' || s.c == '\r'
}

// word goes past a fixed word and reports whether it was there whole.
func (s *scanner) word(w string) bool {
	for i := range len(w) {
		if s.c != int(w[i]) {
			return false
		}
		s.advance()
	}
	return true
}

// tenth is where another digit may overflow.
const tenth = math.MaxInt64 / 10

// digits reads a number without sign, at most 2^63-1, that began at the given
// place.
func (s *scanner) digits(at place, expected string) (int64, error) {
	d := uint(s.c - '0')
	if d > 9 {
		return 0, s.unexpected(expected)
	}
	n := int64(0)
	for ; d <= 9; d = uint(s.c - '0') {
		if n >= tenth && (n > tenth || d > math.MaxInt64%10) {
			return 0, s.fail(at, "a number that overflows 64 bits; expected an absolute value of at most %d", int64(math.MaxInt64))
		}
		n = 10*n + int64(d)
		s.advance()
	}
	return n, nil
}

// variable reads the digits of a variable's number, 1..limit; the header on
// line header set the limit, or none did and header is 0.
func (s *scanner) variable(at place, limit int32, header int, expected string) (int32, error) {
	d := uint(s.c - '0')
	if d > 9 {
		return 0, s.unexpected(expected)
	}
	n := int64(0)
	for ; d <= 9; d = uint(s.c - '0') {
		if n = 10*n + int64(d); n > int64(limit) {
			if header > 0 {
				return 0, s.fail(at, "a variable beyond the %d that the header on line %d announces", limit, header)
			}
			return 0, s.fail(at, "a variable beyond %d, the largest number", limit)
		}
		s.advance()
	}
	return int32(n), nil
}
