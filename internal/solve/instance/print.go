package instance

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Status is what is known of an instance.
type Status uint8

// The statuses.
const (
	Unknown       Status = iota
	Satisfiable          // there is an assignment; where costs count, perhaps not the best
	Unsatisfiable        // there is none, proven
	Optimal              // there is none of a lower cost, proven
)

// String is the text of the competitions' s line.
func (s Status) String() string {
	return [...]string{"UNKNOWN", "SATISFIABLE", "UNSATISFIABLE", "OPTIMUM FOUND"}[s]
}

// ExitStatus is the exit status that the competitions give it: 0, 10, 20 or 30.
func (s Status) ExitStatus() int { return 10 * int(s) }

// lineWidth is how long v lines of literals get.
const lineWidth = 78

// Printer writes a solver's output as the competitions for the instance's
// format want it. Nothing stays in a buffer between calls. The first error of the writer is
// given by every call after it.
type Printer struct {
	w      *bufio.Writer
	format Format
}

// NewPrinter makes the printer for answers to instances of a format.
func NewPrinter(w io.Writer, f Format) *Printer {
	return &Printer{w: bufio.NewWriterSize(w, 1<<16), format: f}
}

// Comment writes c lines, one for each line of the text.
func (p *Printer) Comment(format string, args ...any) error {
	for line := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		p.w.WriteString(strings.TrimRight("c "+line, " "))
		p.w.WriteByte('\n')
	}
	return p.w.Flush()
}

// Cost writes an o line: the cost of the best assignment so far.
func (p *Printer) Cost(cost int64) error {
	fmt.Fprintf(p.w, "o %d\n", cost)
	return p.w.Flush()
}

// Answer writes the s line and, if there is an assignment, its v lines.
// model[v] is the value of variable v, as Evaluate takes it; nil is none.
func (p *Printer) Answer(s Status, model []bool) error {
	fmt.Fprintf(p.w, "s %v\n", s)
	if model == nil {
		return p.w.Flush()
	}
	if p.format == WCNF {
		p.bits(model[1:])
	} else {
		p.literals(model)
	}
	return p.w.Flush()
}

// bits writes one line with a 0 or 1 for each variable.
func (p *Printer) bits(values []bool) {
	p.w.WriteString("v ")
	for _, v := range values {
		if v {
			p.w.WriteByte('1')
		} else {
			p.w.WriteByte('0')
		}
	}
	p.w.WriteByte('\n')
}

// literals writes lines of literals: 1 -2 in the clause formats, x1 -x2 in OPB.
// In CNF a 0 ends them.
func (p *Printer) literals(model []bool) {
	p.w.WriteByte('v')
	width := 1
	var buf [16]byte
	put := func(word []byte) {
		if width+1+len(word) > lineWidth {
			p.w.WriteString("\nv")
			width = 1
		}
		p.w.WriteByte(' ')
		p.w.Write(word)
		width += 1 + len(word)
	}
	for v := 1; v < len(model); v++ {
		word := buf[:0]
		if !model[v] {
			word = append(word, '-')
		}
		if p.format == OPB {
			word = append(word, 'x')
		}
		put(strconv.AppendInt(word, int64(v), 10))
	}
	if p.format == CNF {
		put(append(buf[:0], '0'))
	}
	p.w.WriteByte('\n')
}
