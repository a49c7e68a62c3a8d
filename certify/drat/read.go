package drat

import (
	"bufio"
	"errors"
	"io"

	"github.com/fdplan/fdplan/internal/source"
)

// scanner reads blank-separated words and skips comment lines, which begin with c.
type scanner struct {
	file      string // for errors
	in        *bufio.Reader
	line, col int // of the byte read last
	startLine int // of the word read last
	startCol  int
	word      []byte
	newline   bool // the byte read last ended a line
}

func newScanner(file string, in io.Reader) *scanner {
	return &scanner{file: file, in: bufio.NewReaderSize(in, 1<<16), line: 1, newline: true}
}

func (s *scanner) errorf(format string, args ...any) error {
	return source.Errorf(s.file, s.startLine, s.startCol, format, args...)
}

func (s *scanner) readByte() (byte, error) {
	if s.newline && s.col > 0 {
		s.line++
		s.col = 0
	}
	b, err := s.in.ReadByte()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return 0, io.EOF
		}
		return 0, source.Errorf(s.file, s.line, 0, "cannot be read: %v", source.Cause(err))
	}
	s.newline = b == '\n'
	s.col++
	return b, nil
}

// next returns the next word, or nil at the end of the text.
func (s *scanner) next() ([]byte, error) {
	s.word = s.word[:0]
	for {
		fresh := s.newline
		b, err := s.readByte()
		if errors.Is(err, io.EOF) {
			if len(s.word) == 0 {
				s.startLine, s.startCol = s.line, s.col+1
				return nil, nil
			}
			return s.word, nil
		}
		switch {
		case err != nil:
			return nil, err
		case b == ' ' || b == '\t' || b == '\r' || b == '\n':
			if len(s.word) > 0 {
				return s.word, nil
			}
		case b == 'c' && fresh:
			for b != '\n' {
				if b, err = s.readByte(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					return nil, err
				}
			}
		default:
			if len(s.word) == 0 {
				s.startLine, s.startCol = s.line, s.col
			}
			if len(s.word) == maxWord {
				return nil, s.errorf("found a word of more than %d characters, expected a number", maxWord)
			}
			s.word = append(s.word, b)
		}
	}
}

const (
	maxWord     = 100
	maxVariable = 1 << 27 // bounds memory
)

// integer reads a word as an integer.
func integer(word []byte) (int, bool) {
	digits, n := word, 0
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 10 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	if word[0] == '-' {
		n = -n
	}
	return n, true
}

// clause appends literals up to 0 to buf; first is the word that was read already, or nil.
// Done reports that the text ended before any literal.
func (s *scanner) clause(buf []lit, first []byte) (lits []lit, done bool, err error) {
	buf = buf[:0]
	word := first
	for {
		if word == nil {
			if word, err = s.next(); err != nil {
				return nil, false, err
			}
		}
		if word == nil {
			if len(buf) == 0 && first == nil {
				return nil, true, nil
			}
			return nil, false, s.errorf("the file ends inside a clause, expected a literal or 0")
		}
		n, ok := integer(word)
		switch {
		case !ok || n < -maxVariable || n > maxVariable:
			return nil, false, s.errorf("found %q, expected a literal from -%d to %d, or 0", word, maxVariable, maxVariable)
		case n == 0:
			return buf, false, nil
		case n < 0:
			buf = append(buf, lit(-2*n+1))
		default:
			buf = append(buf, lit(2*n))
		}
		word = nil
	}
}

// header parses the line p cnf VARIABLES CLAUSES.
func (s *scanner) header() (variables, clauses int, err error) {
	for _, want := range []string{"p", "cnf"} {
		word, err := s.next()
		if err != nil {
			return 0, 0, err
		}
		if string(word) != want {
			return 0, 0, s.errorf("found %q, expected %q of the header p cnf VARIABLES CLAUSES", word, want)
		}
	}
	for _, n := range []*int{&variables, &clauses} {
		word, err := s.next()
		if err != nil {
			return 0, 0, err
		}
		var ok bool
		if *n, ok = integer(word); !ok || *n < 0 || *n > maxVariable {
			return 0, 0, s.errorf("found %q, expected a number from 0 to %d", word, maxVariable)
		}
	}
	return variables, clauses, nil
}
