package dataset

import (
	"encoding/csv"
	"io"
	"math"
	"strings"
)

// csvEncoder writes rows as CSV. Values of enumerations are quoted by
// encoding/csv where they need it; all else is plain and is written directly.
type csvEncoder struct {
	w      io.Writer
	cols   []Column
	quoted [][]string // by column, an enumeration's values as CSV
	line   []byte
}

func newCSVEncoder(w io.Writer, columns []Column) *csvEncoder {
	e := &csvEncoder{w: w, cols: columns, quoted: make([][]string, len(columns))}
	for i, c := range columns {
		for _, v := range c.Values {
			e.quoted[i] = append(e.quoted[i], lineCSV(v))
		}
	}
	return e
}

// header writes the names of the columns.
func (e *csvEncoder) header() error {
	var names []string
	for _, c := range e.cols {
		names = append(names, c.Name)
	}
	_, err := io.WriteString(e.w, lineCSV(names...)+"\n")
	return err
}

// lineCSV writes fields without the end of their line.
func lineCSV(fields ...string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(fields) // a strings.Builder does not fail
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

func (e *csvEncoder) rows(values []float64) error {
	for ; len(values) > 0; values = values[len(e.cols):] {
		e.line = e.line[:0]
		for i := range e.cols {
			if i > 0 {
				e.line = append(e.line, ',')
			}
			switch {
			case math.IsNaN(values[i]): // not known
			case e.quoted[i] != nil:
				e.line = append(e.line, e.quoted[i][int(values[i])]...)
			default:
				e.line = e.cols[i].format(e.line, values[i])
			}
		}
		e.line = append(e.line, '\n')
		if _, err := e.w.Write(e.line); err != nil {
			return err
		}
	}
	return nil
}

func (e *csvEncoder) close() error { return nil }
