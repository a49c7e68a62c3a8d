package proof

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/fdplan/fdplan/internal/literal"
)

// Format is a format of proofs.
type Format uint8

// The formats.
const (
	VeriPB12 Format = iota // read by VeriPB 0.3 (StephanGocht/VeriPB)
	VeriPB20               // read by VeriPB 2 and CakePB
	VeriPB30               // read by VeriPB 3
	DRAT                   // text, read by drat-trim
)

func (f Format) String() string {
	return [...]string{"VeriPB 1.2", "VeriPB 2.0", "VeriPB 3.0", "DRAT"}[f]
}

// Concludes reports whether a proof in the format states what it shows. One of
// version 1.2 leaves that to its reader.
func (f Format) Concludes() bool { return f == VeriPB20 || f == VeriPB30 }

// ParseFormat reads "1.2", "2.0" or "3.0", the versions of VeriPB's format.
func ParseFormat(text string) (Format, error) {
	switch text {
	case "1.2":
		return VeriPB12, nil
	case "2.0":
		return VeriPB20, nil
	case "3.0":
		return VeriPB30, nil
	}
	return 0, fmt.Errorf("unknown proof format %q, expected 1.2, 2.0 or 3.0", text)
}

// ErrUnsupported is wrapped by the error for a step that the format of the
// proof cannot express.
var ErrUnsupported = errors.New("not expressible in this proof format")

// ErrNumber is wrapped by the error for a step with numbers that make no
// constraint: a coefficient of the smallest 64-bit integer, or a sum beyond 64
// bits.
var ErrNumber = errors.New("number out of range in a proof step")

// ID is the number of a constraint; 0 is none.
type ID int64

// Lit and Term are those of a constraint.
type (
	Lit  = literal.Lit
	Term = literal.Term
)

// Options say what a proof is about.
type Options struct {
	Format Format
	// Constraints is the number of the problem's constraints, equations counting
	// twice; ignored in DRAT.
	Constraints int64
	// Objective is what the problem's file minimises; nil where it has no
	// objective, empty where it is 0. Ignored in DRAT. It is read until Close.
	Objective []Term
	// Constant is what the file's objective has beside those terms, such as the
	// weights of the empty soft clauses of a WCNF.
	Constant int64
	// Soft names the variables from FirstSoft on as VeriPB from version 2 on does
	// where it adds them to the soft clauses of a WCNF: variable FirstSoft+i is
	// ~_bN with N = Soft[i], the number of the clause in its file, from 1.
	FirstSoft int32
	Soft      []int
}

// flushAt is the size of the buffer at which it is written out.
const flushAt = 1 << 16

// Logger writes a proof. Its methods are for one goroutine at a time.
type Logger struct {
	out       io.Writer
	buf       []byte
	err       error
	options   Options
	last      ID
	written   int64 // bytes
	concluded bool
}

// New starts a proof. Close must be called in the end; it does not close w.
func New(w io.Writer, o Options) *Logger {
	l := &Logger{out: w, options: o, buf: make([]byte, 0, flushAt+flushAt/4)}
	switch o.Format {
	case VeriPB12:
		l.text("pseudo-Boolean proof version 1.2\nf ")
	case VeriPB20:
		l.text("pseudo-Boolean proof version 2.0\nf ")
	case VeriPB30:
		l.text("pseudo-Boolean proof version 3.0\nf ")
	case DRAT:
		return l
	}
	l.number(o.Constraints)
	l.stop()
	l.last = ID(o.Constraints)
	return l
}

// Format is the format of the proof.
func (l *Logger) Format() Format { return l.options.Format }

// Last is the number of the constraint that was made last.
func (l *Logger) Last() ID { return l.last }

// Err is the first error that occurred: of the writer, or ErrUnsupported or
// ErrNumber, wrapped.
func (l *Logger) Err() error { return l.err }

// Close ends the proof, without a conclusion if none was given, and writes out
// what is buffered. It returns Err.
func (l *Logger) Close() error {
	if !l.concluded {
		l.ConcludeNone()
	}
	l.flush()
	return l.err
}

func (l *Logger) flush() {
	if l.err == nil && len(l.buf) > 0 {
		if _, err := l.out.Write(l.buf); err != nil {
			l.err = fmt.Errorf("writing a proof: %w", err)
		}
	}
	l.written += int64(len(l.buf))
	l.buf = l.buf[:0]
}

// Size is how many bytes the proof has so far.
func (l *Logger) Size() int64 { return l.written + int64(len(l.buf)) }

func (l *Logger) text(s string)  { l.buf = append(l.buf, s...) }
func (l *Logger) number(n int64) { l.buf = strconv.AppendInt(l.buf, n, 10) }

// end ends a line.
func (l *Logger) end() {
	l.buf = append(l.buf, '\n')
	if len(l.buf) >= flushAt {
		l.flush()
	}
}

// stop ends the line of a rule, which version 3.0 has a semicolon after.
func (l *Logger) stop() {
	if l.options.Format == VeriPB30 {
		l.text(" ;")
	}
	l.end()
}

// argument separates a constraint from what the rule has after it.
func (l *Logger) argument() {
	if l.options.Format == VeriPB30 {
		l.text(" :")
	} else {
		l.text(" ;")
	}
}

// made returns the constraint of the line that has just ended its number.
func (l *Logger) made() ID {
	l.last++
	return l.last
}

// soft reports whether a variable stands for a soft clause.
func (l *Logger) soft(v int32) bool {
	return v >= l.options.FirstSoft && int(v-l.options.FirstSoft) < len(l.options.Soft)
}

// name writes the name of a variable. What is true where a variable of a soft
// clause is has the opposite name.
func (l *Logger) name(v int32) {
	if l.soft(v) {
		l.text("_b")
		l.number(int64(l.options.Soft[v-l.options.FirstSoft]))
		return
	}
	l.buf = append(l.buf, 'x')
	l.number(int64(v))
}

// literal writes a literal as VeriPB has it.
func (l *Logger) literal(d Lit) {
	v := d.Var()
	if (d < 0) != l.soft(v) {
		l.buf = append(l.buf, '~')
	}
	l.name(v)
}

// assign writes that a literal is made true, for a witness.
func (l *Logger) assign(d Lit) {
	v := d.Var()
	l.buf = append(l.buf, ' ')
	l.name(v)
	if (d < 0) != l.soft(v) {
		l.text(" -> 0")
	} else {
		l.text(" -> 1")
	}
}

// literals writes a list, a space before each.
func (l *Logger) literals(lits []Lit) {
	for _, d := range lits {
		l.buf = append(l.buf, ' ')
		l.literal(d)
	}
}

// clause writes literals as a constraint without its semicolon.
func (l *Logger) clause(lits []Lit) {
	for _, d := range lits {
		l.text(" 1 ")
		l.literal(d)
	}
	l.text(" >= 1")
}

// constraint writes terms >= k without its semicolon.
func (l *Logger) constraint(terms []Term, k int64) {
	for _, t := range terms {
		l.buf = append(l.buf, ' ')
		l.number(t.Coef)
		l.buf = append(l.buf, ' ')
		l.literal(t.Lit)
	}
	l.text(" >= ")
	l.number(k)
}

// unsupported notes that a step cannot be expressed.
func (l *Logger) unsupported(step string) {
	if l.err == nil {
		l.err = fmt.Errorf("%s in %v: %w", step, l.options.Format, ErrUnsupported)
	}
}

// pseudoBoolean reports whether the format has constraints other than clauses.
func (l *Logger) pseudoBoolean(step string) bool {
	if l.options.Format != DRAT {
		return true
	}
	l.unsupported(step)
	return false
}
