package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"

	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/source"
)

// Journal is the present content of a bench's journal.
type Journal struct {
	Records []Record
	// Warning is about an incomplete last line, as left by a killed bench; empty if there is
	// none.
	Warning string
}

// Record is a line of the journal.
type Record struct {
	journal.Record
	Line int // of the journal, from 1
	// Document is the program's own JSON, unchanged: pictures follow the order of its
	// variables.
	Document json.RawMessage
}

// line is a record as read: fields that journal.Record decodes into any stay text.
type line struct {
	journal.Record
	Document json.RawMessage `json:"document"`
}

// Read reads a journal, one JSON object per line. Unknown fields are ignored. Errors are
// *source.Error with the line in the file called name. An incomplete last line is omitted,
// with a warning: a resumed bench removes it and repeats its run.
func Read(name string, r io.Reader) (*Journal, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, source.Errorf(name, 0, 0, "cannot be read: %v", source.Cause(err))
	}
	j := &Journal{}
	seen := map[string]int{} // places in Records, by ID
	for n := 1; len(data) > 0; n++ {
		text, rest, ended := bytes.Cut(data, []byte("\n"))
		data = rest
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if !ended {
			j.Warning = fmt.Sprintf("%s:%d: the last line was not written to its end; it is left out", name, n)
			break
		}
		rec, err := decode(name, n, text)
		if err != nil {
			return nil, err
		}
		// A later record replaces an earlier one: a resumed bench may repeat an error.
		if at, ok := seen[rec.ID]; ok {
			j.Records[at] = *rec
			continue
		}
		seen[rec.ID] = len(j.Records)
		j.Records = append(j.Records, *rec)
	}
	return j, nil
}

// decode reads one line.
func decode(name string, n int, text []byte) (*Record, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		col := 1
		var syntax *json.SyntaxError
		var typ *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			col = max(1, int(syntax.Offset))
		case errors.As(err, &typ):
			return nil, source.Errorf(name, n, max(1, int(typ.Offset)), "%s is a %s, expected a %s", source.Quote(strings.TrimPrefix(typ.Field, "Record.")), typ.Value, typ.Type)
		}
		return nil, source.Errorf(name, n, col, "no record: %v; expected a JSON object", err)
	}
	rec := &Record{l.Record, n, l.Document}
	rec.clean()
	if bytes.Equal(rec.Document, []byte("null")) {
		rec.Document = nil
	}
	switch {
	case rec.Schema != journal.Schema:
		return nil, source.Errorf(name, n, 1, "schema %d, expected %d", rec.Schema, journal.Schema)
	case rec.ID == "":
		return nil, source.Errorf(name, n, 1, "a record without an id; expected one, to name its numbers by")
	case rec.Seconds < 0 || rec.TimeLimit < 0 || rec.Seconds > maxSeconds || rec.TimeLimit > maxSeconds:
		return nil, source.Errorf(name, n, 1, "%g seconds of %g; expected times from 0 to %g", rec.Seconds, rec.TimeLimit, float64(maxSeconds))
	}
	for _, p := range rec.Reach {
		if !(p.Seconds >= 0 && p.Seconds <= maxSeconds) {
			return nil, source.Errorf(name, n, 1, "horizon %d took %g seconds; expected times from 0 to %g", p.Horizon, p.Seconds, float64(maxSeconds))
		}
	}
	for _, p := range rec.Curve {
		if math.Abs(p.Loss) > maxSeconds || math.Abs(p.Train) > maxSeconds || math.Abs(p.Test) > maxSeconds {
			return nil, source.Errorf(name, n, 1, "epoch %d of the curve has values above %g; expected a loss and fractions", p.Epoch, float64(maxSeconds))
		}
	}
	return rec, nil
}

// maxSeconds bounds times, to about thirty thousand years, so that diagrams of broken
// journals can be drawn.
const maxSeconds = 1e12

// tidy removes characters from a text that cannot be shown on a page.
func tidy(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == '\u2028' || c == '\u2029' || c == 0xfffe || c == 0xffff {
			return ' '
		}
		return c
	}, s)
}

// clean tidies all texts of a record.
func (r *Record) clean() {
	for _, s := range []*string{&r.ID, &r.Table, &r.Problem, &r.Files, &r.Planner, &r.Engine, &r.Encoding, &r.Help, &r.Version, &r.Command, &r.Implied, &r.Solver, &r.Model, &r.Landmarks, &r.Status, &r.Error, &r.Recipe, &r.Network, &r.Same} {
		*s = tidy(*s)
	}
	for i := range r.Args {
		r.Args[i] = tidy(r.Args[i])
	}
	machine := map[string]string{}
	for _, k := range keys(r.Machine) {
		machine[tidy(k)] = tidy(r.Machine[k])
	}
	r.Machine = machine
}
