package veripb

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/fdplan/fdplan/internal/source"
)

// lines reads a text line by line, or statement by statement.
type lines struct {
	file string // for errors
	in   *bufio.Reader
	line int // number of the line read last
	text []byte

	rest   words  // of a line with several statements
	joined []byte // of a statement on several lines
}

func newLines(file string, in io.Reader) *lines {
	return &lines{file: file, in: bufio.NewReaderSize(in, 1<<16)}
}

// next returns the words of the next line, or io.EOF after the last. They are valid until the
// next call.
func (l *lines) next() (words, error) {
	l.text = l.text[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			l.text = append(l.text, part...)
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return words{}, source.Errorf(l.file, l.line+1, 0, "cannot be read: %v", source.Cause(err))
		}
		if len(l.text) > 0 {
			l.text = append(l.text, part...)
			part = l.text
		}
		if err != nil && len(part) == 0 {
			return words{}, io.EOF
		}
		l.line++
		return words{file: l.file, line: l.line, text: part}, nil
	}
}

// statement returns the words of the next statement of version 3.0, with the semicolon that
// ends it, or io.EOF after the last. A statement may cover several lines, and a line may have
// several. A comment reaches from a percent sign to the end of its line. The words are valid
// until the next call.
func (l *lines) statement() (words, error) {
	l.joined = l.joined[:0]
	first := 0 // line of the first word of a statement on several lines
	for {
		w := l.rest
		if w.next() == nil {
			next, err := l.next()
			if errors.Is(err, io.EOF) && first > 0 {
				w := words{file: l.file, line: first}
				return words{}, w.refusedf("the statement has no end, expected \";\"")
			}
			if err != nil {
				return words{}, err
			}
			if at := bytes.IndexByte(next.text, '%'); at >= 0 {
				next.text = next.text[:at]
			}
			next.colons = true
			l.rest = next
			continue
		}
		w = l.rest
		at := bytes.IndexByte(w.text[w.end:], ';')
		if at < 0 {
			if first == 0 {
				first = l.line
			}
			l.joined = append(append(l.joined, w.text[w.end:]...), ' ')
			l.rest = words{}
			continue
		}
		stop := w.end + at + 1
		l.rest.end = stop
		if first == 0 {
			w.text = w.text[:stop]
			return w, nil
		}
		l.joined = append(l.joined, w.text[w.end:stop]...)
		return words{file: l.file, line: first, text: l.joined, colons: true, joined: true}, nil
	}
}

// words iterates over the words of a line or a statement. A semicolon is a separate word, with
// or without space before it, and where colons is set, a colon too.
type words struct {
	file   string
	line   int
	text   []byte
	start  int // start of the present word
	end    int
	colons bool
	joined bool // the text is of several lines: a position in it is none in the file
}

// separate reports whether a character is a word by itself.
func (w *words) separate(c byte) bool { return c == ';' || c == ':' && w.colons }

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// next returns the next word, or nil at the end of the line.
func (w *words) next() []byte {
	i := w.end
	for i < len(w.text) && blank(w.text[i]) {
		i++
	}
	w.start = i
	if i < len(w.text) && w.separate(w.text[i]) {
		w.end = i + 1
		return w.text[i:w.end]
	}
	for i < len(w.text) && !blank(w.text[i]) && !w.separate(w.text[i]) {
		i++
	}
	w.end = i
	if w.start == w.end {
		return nil
	}
	return w.text[w.start:w.end]
}

// ends reports whether the next word ends a list: there is none, or it is a semicolon or a
// colon.
func (w *words) ends() bool {
	word := w.peek()
	return word == nil || len(word) == 1 && w.separate(word[0])
}

// peek returns the next word without consuming it.
func (w *words) peek() []byte {
	ahead := *w
	return ahead.next()
}

// errorf returns an error at the word that was read last.
func (w *words) errorf(format string, args ...any) error {
	column := w.start + 1
	if w.joined {
		column = 0
	}
	return source.Errorf(w.file, w.line, column, format, args...)
}

// refusedf returns an error about the whole line.
func (w *words) refusedf(format string, args ...any) error {
	return source.Errorf(w.file, w.line, 1, format, args...)
}

// expect reads the next word, which must be want.
func (w *words) expect(want string) error {
	if got := w.next(); string(got) != want {
		return w.errorf("%s, expected %q", found(got), want)
	}
	return nil
}

// finish reports an error if anything but a semicolon follows.
func (w *words) finish() error {
	got := w.next()
	if string(got) == ";" {
		got = w.next()
	}
	if got != nil {
		return w.errorf("%s, expected the end of the line", found(got))
	}
	return nil
}

// number parses a decimal integer; what names it in the error.
func (w *words) number(what string) (num, error) {
	got := w.next()
	n, ok := parseNumber(got)
	if !ok {
		return num{}, w.errorf("%s, expected %s", found(got), what)
	}
	return n, nil
}

// found describes a word for an error.
func found(word []byte) string {
	if word == nil {
		return "the line ends"
	}
	const most = 40
	if len(word) > most {
		return "found \"" + string(word[:most]) + "…\""
	}
	return "found \"" + string(word) + "\""
}
