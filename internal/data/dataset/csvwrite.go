package dataset

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"
)

// csvEncoder writes rows as CSV. Values of enumerations are quoted by
// encoding/csv where they need it; all else is plain and is written directly.
type csvEncoder struct {
	w      io.Writer
	cols   []Column
	quoted [][]string // by column, an enumeration's values as CSV
	line   []byte
	// rewards are those of the rows to come, a column more; nil for none.
	rewards []float64
}

func newCSVEncoder(w io.Writer, s *Schema, rewards []float64) (*csvEncoder, error) {
	e := &csvEncoder{w: w, rewards: rewards, cols: s.Columns, quoted: make([][]string, len(s.Columns))}
	header := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		header[i] = c.Name
		for _, v := range c.Values {
			e.quoted[i] = append(e.quoted[i], quoteCSV(v))
		}
	}
	if rewards != nil {
		header = append(header, rewardName)
	}
	cw := csv.NewWriter(w)
	if err := cw.Write(header); err != nil {
		return nil, err
	}
	cw.Flush()
	return e, cw.Error()
}

func quoteCSV(v string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{v}) // a strings.Builder does not fail
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

func (e *csvEncoder) rows(values []float64) error {
	for len(values) > 0 {
		e.line = e.line[:0]
		for i := range e.cols {
			if i > 0 {
				e.line = append(e.line, ',')
			}
			if math.IsNaN(values[i]) {
				continue // a value that is not known
			}
			if e.quoted[i] != nil {
				e.line = append(e.line, e.quoted[i][int(values[i])]...)
			} else {
				e.line = e.cols[i].format(e.line, values[i])
			}
		}
		if e.rewards != nil {
			e.line = append(e.line, ',')
			if y := e.rewards[0]; !math.IsNaN(y) {
				e.line = strconv.AppendFloat(e.line, y, 'g', -1, 64)
			}
			e.rewards = e.rewards[1:]
		}
		e.line = append(e.line, '\n')
		if _, err := e.w.Write(e.line); err != nil {
			return err
		}
		values = values[len(e.cols):]
	}
	return nil
}

func (e *csvEncoder) close() error { return nil }
