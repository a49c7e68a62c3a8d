package external

import (
	"bytes"
	"strconv"
	"strings"
)

// competition reads the output of the SAT, MaxSAT and pseudo-Boolean
// competitions: o lines with the objective of each incumbent, an s line with
// the verdict, v lines with the values.
//
// Values are literals, 1 -2 or x1 -x2, over any number of lines, or since the
// MaxSAT Evaluation of 2022 one word of bits. A word of 0 and 1 alone is bits
// when it has a digit for each variable, when it could not be a literal, or
// when it starts with 0; of a file with fewer variables than that, both readings
// agree.
type competition struct {
	kind      Kind
	variables int
	report    func(Progress)

	a       Answer
	verdict string         // of the s line
	latest  *int64         // of the last o line
	open    map[int32]bool // the solution whose v lines are being read
	shown   int            // solutions that were read
}

func (c *competition) answer() *Answer { return &c.a }

func (c *competition) line(text []byte) error {
	if len(text) > 0 && (text[0] == 'v' || text[0] == 'V') && (len(text) == 1 || text[1] == ' ' || text[1] == '\t') {
		return c.values(text)
	}
	kind, rest, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	rest = strings.TrimSpace(rest)
	switch kind {
	case "o":
		c.close()
		value, err := strconv.ParseInt(rest, 10, 64)
		if err != nil {
			return &OutputError{Line: string(text), Msg: "expected a 64-bit whole number after o"}
		}
		c.latest = &value
		c.reportProgress()
	case "s":
		c.close()
		switch rest {
		case "OPTIMUM FOUND", "SATISFIABLE", "UNSATISFIABLE", "UNKNOWN":
		default:
			return &OutputError{Line: string(text), Msg: "expected s OPTIMUM FOUND, SATISFIABLE, UNSATISFIABLE or UNKNOWN"}
		}
		if c.verdict != "" && c.verdict != rest {
			return &OutputError{Line: string(text), Msg: "a second verdict after s " + c.verdict}
		}
		c.verdict = rest
	case "c":
		switch {
		case strings.HasPrefix(rest, "Answer"): // clasp, before each solution
			c.close()
		case strings.HasPrefix(rest, "o >="): // EvalMaxSAT, when it is stopped
			if value, err := strconv.ParseInt(strings.TrimSpace(rest[len("o >="):]), 10, 64); err == nil {
				c.a.Bound = &value
				c.reportProgress()
			}
		}
	}
	return nil
}

// close ends the solution that is being read and makes it the answer's.
func (c *competition) close() {
	if c.open == nil {
		return
	}
	c.a.True, c.open = c.open, nil
	c.shown++
	c.reportProgress()
}

// reportProgress reports what was read so far.
func (c *competition) reportProgress() {
	c.report(Progress{Objective: c.latest, Bound: c.a.Bound, True: c.a.True, Solutions: c.shown})
}

// values reads a v line.
func (c *competition) values(text []byte) error {
	rest := bytes.TrimSpace(text[1:])
	if c.isBits(rest) {
		c.close()
		c.open = map[int32]bool{}
		for i, b := range rest {
			if b == '1' {
				c.open[int32(i)+1] = true
			}
		}
		c.close()
		return nil
	}
	if c.open == nil {
		c.open = map[int32]bool{}
	}
	for word := range bytes.FieldsSeq(rest) {
		digits, negative := bytes.CutPrefix(word, []byte("-"))
		number, err := strconv.ParseInt(string(bytes.TrimPrefix(digits, []byte("x"))), 10, 32)
		if err != nil || number < 0 {
			return &OutputError{Line: string(word), Msg: "expected a literal on a v line"}
		}
		if number > 0 && !negative {
			c.open[int32(number)] = true
		}
	}
	return nil
}

// isBits tells a string of bits from a literal.
func (c *competition) isBits(word []byte) bool {
	if len(word) < 2 || c.kind == PB || c.kind == SAT {
		return false
	}
	for _, b := range word {
		if b != '0' && b != '1' {
			return false
		}
	}
	if word[0] == '0' || len(word) > 9 || len(word) == c.variables {
		return true
	}
	number, _ := strconv.Atoi(string(word))
	return c.variables > 0 && number > c.variables
}

func (c *competition) end([]byte, bool) error {
	c.close()
	if c.a.True != nil && c.verdict != "" {
		// Some print o before v and some after. With a verdict both are the
		// best; before it, they need not belong together.
		c.a.Objective = c.latest
	}
	switch c.verdict {
	case "OPTIMUM FOUND":
		c.a.Status = Optimal
		if c.a.Objective != nil {
			c.a.Bound = c.a.Objective
		}
	case "SATISFIABLE":
		c.a.Status = Satisfiable
	case "UNSATISFIABLE":
		c.a = Answer{Status: Unsatisfiable}
		return nil
	case "UNKNOWN":
		if c.a.True != nil {
			c.a.Status = Satisfiable
		}
		return nil
	default:
		return errNoAnswer
	}
	if c.a.True == nil {
		return &OutputError{Line: "s " + c.verdict, Msg: "a solution is claimed and no v line shows it"}
	}
	return nil
}
