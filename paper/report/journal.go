package report

import (
	"bytes"
	"fmt"
	"io"
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
type Record = journal.Record

// Read reads a journal; see journal.Parse. An incomplete last line is omitted,
// with a warning: a resumed bench removes it and repeats its run.
func Read(name string, r io.Reader) (*Journal, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, source.Errorf(name, 0, 0, "cannot be read: %v", source.Cause(err))
	}
	records, torn, err := journal.Parse(name, data)
	if err != nil {
		return nil, err
	}
	j := &Journal{}
	if torn > 0 {
		j.Warning = fmt.Sprintf("%s:%d: the last line was not written to its end; it is left out", name, 1+bytes.Count(data, []byte("\n")))
	}
	seen := map[string]int{} // places in Records, by ID
	for _, r := range records {
		clean(&r)
		// A later record replaces an earlier one: a resumed bench may repeat an error.
		if at, ok := seen[r.ID]; ok {
			j.Records[at] = r
			continue
		}
		seen[r.ID] = len(j.Records)
		j.Records = append(j.Records, r)
	}
	return j, nil
}

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
func clean(r *Record) {
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
