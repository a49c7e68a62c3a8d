package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"

	"github.com/fdplan/fdplan/internal/source"
)

// Appender adds rows to a data set, or starts one.
//
// A CSV grows in place, with one write per row, so that added rows survive if the program is
// killed. Parquet and NPZ cannot grow: their rows are kept in memory, and Close writes the
// old rows with the new ones under a temporary name and renames the file.
type Appender struct {
	name string
	s    *Schema  // of the added rows
	file *Schema  // of the file: quantities where s has levels
	csv  *os.File // nil for the other formats
	enc  encoder
	kept *Data // old and new rows of the other formats
	new  int
}

// Append opens the data set name, which need not exist, for rows of s. An existing file must
// be readable as s, and a CSV must have the columns in its order; otherwise the error is a
// *source.Error and nothing is changed.
func Append(name string, s *Schema) (*Appender, error) {
	format, err := FormatOf(name)
	if err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	a := &Appender{name: name, s: s, file: s.Stored()}
	a.kept = &Data{Schema: a.file}
	_, err = os.Stat(name)
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if exists {
		if a.kept, err = ReadAs(name, a.file); err != nil {
			return nil, err
		}
	}
	if format != CSV {
		return a, nil
	}
	a.kept = nil
	return a, a.openCSV(exists)
}

// openCSV prepares to add lines. It completes a last line without a line end.
func (a *Appender) openCSV(exists bool) (err error) {
	var header bytes.Buffer
	if _, err := newCSVEncoder(&header, a.file, nil); err != nil {
		return err
	}
	begin := header.Bytes()
	if exists {
		text, err := source.ReadFileUpTo(a.name, source.MaxData)
		if err != nil {
			return err
		}
		f, err := openCSV(a.name, text)
		if err != nil {
			return err
		}
		for i, h := range f.header {
			if i >= len(a.s.Columns) || canonical(h) != canonical(a.s.Columns[i].Name) {
				return source.Errorf(a.name, 1, 1, "column %d is %s, expected the columns in the order %s: rows are added to the end",
					i+1, h, bytes.TrimSpace(header.Bytes()))
			}
		}
		begin = nil
		if !bytes.HasSuffix(text, []byte("\n")) {
			begin = []byte("\n")
		}
	}
	if a.csv, err = os.OpenFile(a.name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666); err != nil {
		return err
	}
	if _, err = (whole{a.csv}).Write(begin); err != nil {
		a.csv.Close()
		if !exists {
			os.Remove(a.name)
		}
		return err
	}
	// The encoder's own header is discarded; the file has one.
	e, err := newCSVEncoder(&bytes.Buffer{}, a.file, nil)
	if err != nil {
		a.csv.Close()
		return err
	}
	e.w = whole{a.csv}
	a.enc = e
	return nil
}

// whole appends all of a text to a file, or nothing: a full disk leaves no half line.
type whole struct{ *os.File }

func (w whole) Write(text []byte) (int, error) {
	n, err := w.File.Write(text)
	if err != nil && n > 0 {
		if info, failed := w.Stat(); failed == nil {
			_ = w.Truncate(info.Size() - int64(n)) // the first error counts
		}
	}
	return n, err
}

// WriteRows adds rows, given one after the other. A value that its column cannot contain is
// an error, and then no row is added.
func (a *Appender) WriteRows(values []float64) error {
	cols := len(a.s.Columns)
	if len(values)%cols != 0 {
		return fmt.Errorf("%d values do not make whole rows of %d columns", len(values), cols)
	}
	for i, v := range values {
		c := &a.s.Columns[i%cols]
		if why := c.admits(v); why != "" {
			return fmt.Errorf("%s: column %s cannot hold %s, %s", a.name, c.Name, number(v), why)
		}
	}
	a.new += len(values) / cols
	if len(values) > 0 {
		values = a.s.fromLevels(values)
	}
	if a.csv != nil {
		return a.enc.rows(values)
	}
	a.kept.Values = append(a.kept.Values, values...)
	a.kept.Rows += len(values) / cols
	return nil
}

// Rows is the number of rows that were added.
func (a *Appender) Rows() int { return a.new }

// Close completes the file. Without new rows, an existing Parquet or NPZ file is unchanged.
func (a *Appender) Close() error {
	switch {
	case a.csv != nil:
		return a.csv.Close()
	case a.new == 0 && a.kept.Rows > 0:
		return nil
	}
	for a.kept.Rewards != nil && len(a.kept.Rewards) < a.kept.Rows {
		a.kept.Rewards = append(a.kept.Rewards, math.NaN())
	}
	return Write(a.name, a.kept)
}
