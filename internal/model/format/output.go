package format

import (
	"io"
	"strconv"

	"github.com/fdplan/fdplan/internal/model"
)

// output collects text into large writes. The first error of the writer is kept and ends all
// further work.
type output struct {
	w        io.Writer
	buf      []byte
	err      error
	integers map[int32]model.Integer // by variable
	line     int                     // bytes since the last newline written by text and similar methods; see breakAt
}

const outputSize = 1 << 17

func newOutput(w io.Writer) *output {
	return &output{w: w, buf: make([]byte, 0, outputSize)}
}

// flush writes the buffer and returns the first error.
func (o *output) flush() error {
	if o.err == nil && len(o.buf) > 0 {
		_, o.err = o.w.Write(o.buf)
	}
	o.buf = o.buf[:0]
	return o.err
}

// room makes space for n more bytes; n is small compared with the buffer.
func (o *output) room(n int) {
	if cap(o.buf)-len(o.buf) < n {
		_ = o.flush() // kept in o.err
	}
}

func (o *output) text(s string) {
	for len(s) > outputSize/2 {
		o.text(s[:outputSize/2])
		s = s[outputSize/2:]
	}
	o.room(len(s))
	o.buf = append(o.buf, s...)
	o.line += len(s)
}

func (o *output) byte(b byte) {
	o.room(1)
	o.buf = append(o.buf, b)
	o.line++
	if b == '\n' {
		o.line = 0
	}
}

// int writes a number.
func (o *output) int(v int64) {
	o.room(20)
	n := len(o.buf)
	o.buf = strconv.AppendInt(o.buf, v, 10)
	o.line += len(o.buf) - n
}

// signed writes a number with its sign, + included.
func (o *output) signed(v int64) {
	if v >= 0 {
		o.byte('+')
	}
	o.int(v)
}

// name writes x, or n for an integer, and the number of a variable.
func (o *output) name(v int32) {
	o.byte(o.letter(v))
	o.int(int64(v))
}

func (o *output) letter(v int32) byte {
	if _, ok := o.integers[v]; ok {
		return 'n'
	}
	return 'x'
}

// breakAt starts a new line, indented by two spaces, if the present one is longer than width.
func (o *output) breakAt(width int) {
	if o.line > width {
		o.text("\n  ")
		o.line = 2
	}
}

// clauses writes zero-terminated clauses, one per line, each with the prefix. It is the inner
// loop of every large file.
func (o *output) clauses(prefix string, lits []int32) {
	const longest = 12 // a literal and its space
	var text [longest]byte
	text[longest-1] = ' '
	buf, start := o.buf, true
	for _, l := range lits {
		if cap(buf)-len(buf) < longest+len(prefix) {
			o.buf = buf
			_ = o.flush() // kept in o.err
			buf = o.buf
		}
		if start {
			buf = append(buf, prefix...)
		}
		if start = l == 0; start {
			buf = append(buf, "0\n"...)
			continue
		}
		// strconv.AppendInt takes a quarter more of the time of the whole file.
		at := longest - 1
		for u := uint32(max(l, -l)); u > 0; u /= 10 {
			at--
			text[at] = byte('0' + u%10)
		}
		if l < 0 {
			at--
			text[at] = '-'
		}
		buf = append(buf, text[at:]...)
	}
	o.buf = buf
}
