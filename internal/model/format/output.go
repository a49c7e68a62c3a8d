package format

import (
	"io"
	"strconv"
)

// output collects text into large writes. The first error of the writer is kept and ends all
// further work.
type output struct {
	w    io.Writer
	buf  []byte
	err  error
	line int // bytes since the last newline written by text and similar methods; see breakAt
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

// name writes x and the number of a variable.
func (o *output) name(v int32) {
	o.byte('x')
	o.int(int64(v))
}

// breakAt starts a new line, indented by two spaces, if the present one is longer than width.
func (o *output) breakAt(width int) {
	if o.line > width {
		o.text("\n  ")
		o.line = 2
	}
}

// pairs contains 00 to 99, so that two digits cost one division.
const pairs = "0001020304050607080910111213141516171819" +
	"2021222324252627282930313233343536373839" +
	"4041424344454647484950515253545556575859" +
	"6061626364656667686970717273747576777879" +
	"8081828384858687888990919293949596979899"

// clauses writes zero-terminated clauses, one per line, each with the prefix. It is the inner
// loop of every large file.
func (o *output) clauses(prefix string, lits []int32) {
	const longest = 12 // a literal and its space
	buf, start := o.buf, true
	for _, l := range lits {
		if cap(buf)-len(buf) < longest+len(prefix) {
			o.buf = buf
			_ = o.flush() // kept in o.err
			buf = o.buf
		}
		if start {
			buf = append(buf, prefix...)
			start = false
		}
		n := len(buf)
		b := buf[n : n+longest]
		if l == 0 {
			b[0], b[1] = '0', '\n'
			buf = buf[:n+2]
			start = true
			continue
		}
		buf = buf[:n+putLit(b, l)]
	}
	o.buf = buf
}

// putLit writes l and a space into b and returns their length.
func putLit(b []byte, l int32) int {
	_ = b[11]
	n := 0
	u := uint32(l)
	if l < 0 {
		b[0] = '-'
		n = 1
		u = -u
	}
	width := digits10(u)
	end := n + width
	b[end] = ' '
	at := end
	for u >= 100 {
		q := u / 100
		r := (u - q*100) * 2
		u = q
		at -= 2
		b[at], b[at+1] = pairs[r], pairs[r+1]
	}
	if u >= 10 {
		b[at-2], b[at-1] = pairs[u*2], pairs[u*2+1]
	} else {
		b[at-1] = byte('0' + u)
	}
	return end + 1
}

// digits10 returns the number of decimal digits of u.
func digits10(u uint32) int {
	switch {
	case u < 10:
		return 1
	case u < 100:
		return 2
	case u < 1000:
		return 3
	case u < 10000:
		return 4
	case u < 100000:
		return 5
	case u < 1000000:
		return 6
	case u < 10000000:
		return 7
	case u < 100000000:
		return 8
	case u < 1000000000:
		return 9
	}
	return 10
}
