package proof

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// ErrPart is wrapped by the error for a proof that cannot be appended to another.
var ErrPart = errors.New("not a part of a proof")

// Part is what a proof that was appended has left.
type Part struct {
	Result    ID    // the constraint that it made last
	Live      []ID  // the constraints that it made and did not delete, Result among them
	Variables int32 // the number of variables used so far: the highest number
}

// Append writes the steps of another proof about the same problem after those of l. The
// other is of version 2.0, whatever the version of l, shows no solution and concludes NONE.
// Variables up to known are the problem's; those beyond belong to the other proof, and are
// renumbered so that the first of them is used+1. The other proof is not checked, only read:
// an error wraps ErrPart, and l is of no use then.
func (l *Logger) Append(r io.Reader, known, used int32) (Part, error) {
	if !l.pseudoBoolean("another proof") {
		return Part{}, l.err
	}
	a := &appender{l: l, known: known, shift: used - known, part: Part{Variables: used}, problem: ID(l.options.Constraints), offset: l.last - ID(l.options.Constraints), live: map[ID]bool{}}
	in := bufio.NewReaderSize(r, 1<<16)
	for number := 1; ; number++ {
		line, err := readLine(in, a.long[:0])
		a.long = line
		if err != nil && !errors.Is(err, io.EOF) {
			return Part{}, fmt.Errorf("line %d: %w", number, err)
		}
		if stepErr := a.line(number, bytes.Fields(line)); stepErr != nil {
			return Part{}, fmt.Errorf("%w: line %d: %w", ErrPart, number, stepErr)
		}
		if err != nil {
			break
		}
	}
	if !a.ended {
		return Part{}, fmt.Errorf("%w: it has no end", ErrPart)
	}
	if a.made == 0 {
		return Part{}, fmt.Errorf("%w: it derives nothing", ErrPart)
	}
	a.part.Result = l.last
	for id := range a.live {
		a.part.Live = append(a.part.Live, id)
	}
	slices.Sort(a.part.Live)
	return a.part, l.err
}

// readLine appends the next line to buf.
func readLine(in *bufio.Reader, buf []byte) ([]byte, error) {
	for {
		piece, err := in.ReadSlice('\n')
		buf = append(buf, piece...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, err
		}
	}
}

// appender copies one proof.
type appender struct {
	l            *Logger
	known, shift int32 // variables beyond known are shifted
	problem      ID    // constraints of the problem
	offset       ID    // by which the numbers of others are shifted
	made         ID    // constraints made so far
	live         map[ID]bool
	part         Part
	long         []byte
	concluded    bool
	ended        bool
}

// line copies one line, given as words.
func (a *appender) line(number int, words [][]byte) error {
	switch {
	case number <= 2:
		want := "pseudo-Boolean proof version 2.0"
		if number == 2 {
			want = fmt.Sprintf("f %d", a.problem)
		}
		if got := string(bytes.Join(words, []byte(" "))); got != want {
			return fmt.Errorf("found %.40q, expected %q", got, want)
		}
		return nil
	case len(words) == 0 || words[0][0] == '*':
		return nil
	case a.ended:
		return errors.New("it goes on after its end")
	}
	switch step := string(words[0]); step {
	case "rup":
		a.l.text(step)
		if err := a.words(words[1:]); err != nil {
			return err
		}
		a.l.end()
		a.makes()
		return nil
	case "red":
		return a.redundant(words[1:])
	case "pol":
		return a.polish(words[1:])
	case "ia":
		return a.implied(words[1:])
	case "del":
		return a.delete(words[1:])
	case "output":
		return nil
	case "conclusion":
		if len(words) != 2 || string(words[1]) != "NONE" {
			return errors.New("expected the conclusion NONE")
		}
		a.concluded = true
		return nil
	case "end":
		a.ended = a.concluded
		return nil
	default:
		return fmt.Errorf("found the step %.20q, expected one of rup, red, pol, ia and del", step)
	}
}

// words writes words, in which only variables are renumbered.
func (a *appender) words(words [][]byte) error {
	for _, w := range words {
		if err := a.word(w); err != nil {
			return err
		}
	}
	return nil
}

// makes numbers the constraint of the line that has just ended.
func (a *appender) makes() {
	a.live[a.l.made()] = true
	a.made++
}

// word writes a number, a sign or a literal.
func (a *appender) word(w []byte) error {
	a.l.buf = append(a.l.buf, ' ')
	name, negated := bytes.CutPrefix(w, []byte("~"))
	if len(name) == 0 || name[0] != 'x' {
		a.l.buf = append(a.l.buf, w...)
		return nil
	}
	v, err := strconv.ParseInt(string(name[1:]), 10, 32)
	if err != nil || v < 1 {
		return fmt.Errorf("found %.20q, expected a literal", w)
	}
	if v > int64(a.known) {
		if v += int64(a.shift); v > math.MaxInt32 {
			return fmt.Errorf("the variable %s is beyond 31 bits", name)
		}
		a.part.Variables = max(a.part.Variables, int32(v))
	}
	a.l.literal(Lit(v).If(!negated))
	return nil
}

// id reads the number of a constraint, and renumbers it.
func (a *appender) id(w []byte) (ID, error) {
	n, err := strconv.ParseInt(string(w), 10, 64)
	switch {
	case err != nil || n < 1 || ID(n) > a.problem+a.made:
		return 0, fmt.Errorf("found %.20q, expected the number of a constraint that was made before", w)
	case ID(n) <= a.problem:
		return ID(n), nil
	}
	return ID(n) + a.offset, nil
}

// polish writes a derivation. A number before * or d is a factor, any other a constraint.
func (a *appender) polish(words [][]byte) error {
	a.l.text("pol")
	for i, w := range words {
		factor := i+1 < len(words) && (string(words[i+1]) == "*" || string(words[i+1]) == "d")
		if w[0] < '0' || w[0] > '9' || factor {
			if err := a.word(w); err != nil {
				return err
			}
			continue
		}
		id, err := a.id(w)
		if err != nil {
			return err
		}
		a.l.buf = append(a.l.buf, ' ')
		a.l.number(int64(id))
	}
	a.l.stop()
	a.makes()
	return nil
}

// redundant writes a constraint and its witness, which comes after a semicolon.
func (a *appender) redundant(words [][]byte) error {
	at := slices.IndexFunc(words, func(w []byte) bool { return string(w) == ";" })
	if at < 0 {
		return errors.New("expected a semicolon before the witness")
	}
	a.l.text("red")
	if err := a.words(words[:at]); err != nil {
		return err
	}
	a.l.argument()
	if err := a.words(words[at+1:]); err != nil {
		return err
	}
	a.l.stop()
	a.makes()
	return nil
}

// implied writes a constraint that another implies: its number comes after a semicolon, in
// version 1.2 before the constraint.
func (a *appender) implied(words [][]byte) error {
	at := len(words) - 2
	if at < 0 || string(words[at]) != ";" {
		return errors.New("expected the number of a constraint after a semicolon")
	}
	id, err := a.id(words[at+1])
	if err != nil {
		return err
	}
	if a.l.options.Format == VeriPB12 {
		a.l.text("j ")
		a.l.number(int64(id))
		if err := a.words(words[:at+1]); err != nil {
			return err
		}
	} else {
		a.l.text("ia")
		if err := a.words(words[:at]); err != nil {
			return err
		}
		a.l.argument()
		a.l.buf = append(a.l.buf, ' ')
		a.l.number(int64(id))
	}
	a.l.stop()
	a.makes()
	return nil
}

// delete takes constraints of this proof back; those of the problem are another's too.
func (a *appender) delete(words [][]byte) error {
	if len(words) < 2 || string(words[0]) != "id" {
		return errors.New("expected numbers of constraints to delete")
	}
	var ids []ID
	for _, w := range words[1:] {
		id, err := a.id(w)
		if err != nil {
			return err
		}
		if !a.live[id] {
			return fmt.Errorf("the constraint %s is not one of this proof", w)
		}
		delete(a.live, id)
		ids = append(ids, id)
	}
	a.l.DeleteAll(ids)
	return nil
}
