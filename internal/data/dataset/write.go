package dataset

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/source"
)

// encoder writes rows in one format. Row values are those of the schema.
type encoder interface {
	rows(values []float64) error
	close() error
}

// Format is a file format of data sets.
type Format string

// The formats.
const (
	Parquet Format = ".parquet"
	CSV     Format = ".csv"
	NPZ     Format = ".npz"
)

// FormatOf determines the format from the end of the file's name.
func FormatOf(name string) (Format, error) {
	switch f := Format(strings.ToLower(filepath.Ext(name))); f {
	case Parquet, CSV, NPZ:
		return f, nil
	}
	return "", source.Errorf(name, 0, 0, "the format of a data set is told by its name, expected one that ends in .parquet, .csv or .npz")
}

// File is a data set that is being written. Its name appears only with Close.
type File struct {
	out *atomicfile.File
	buf *bufio.Writer
	enc encoder
	s   *Schema
}

// Create starts the data set name, in the format of its extension.
func Create(name string, s *Schema) (*File, error) { return create(name, s, nil) }

// create is Create with the rewards of all rows that follow, nil for none. Where a fluent is
// named reward there is no column for them.
func create(name string, s *Schema, rewards []float64) (*File, error) {
	if s.hasReward() {
		rewards = nil
	}
	format, err := FormatOf(name)
	if err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	out, err := atomicfile.Create(name)
	if err != nil {
		return nil, err
	}
	f := &File{out: out, buf: bufio.NewWriterSize(out, 1<<16), s: s}
	if f.enc, err = newEncoder(f.buf, format, s.Stored(), rewards); err != nil {
		f.Abort()
		return nil, err
	}
	return f, nil
}

func newEncoder(w io.Writer, format Format, s *Schema, rewards []float64) (encoder, error) {
	switch format {
	case Parquet:
		return newParquetEncoder(w, s, rewards)
	case NPZ:
		n := len(s.Columns)
		return &npzEncoder{w, s, make([][]bool, n), make([][]int64, n), make([][]float64, n), rewards}, nil
	}
	return newCSVEncoder(w, s, rewards)
}

// WriteRows appends rows, given one after the other.
func (f *File) WriteRows(values []float64) error {
	if n := len(f.s.Columns); len(values)%n != 0 {
		return fmt.Errorf("%d values do not make whole rows of %d columns", len(values), n)
	}
	if len(values) == 0 {
		return nil
	}
	return f.enc.rows(f.s.fromLevels(values))
}

// Close completes the file and renames it; after an error nothing is left behind.
func (f *File) Close() error {
	err := f.enc.close()
	if err == nil {
		err = f.buf.Flush()
	}
	if err != nil {
		f.Abort()
		return err
	}
	return f.out.Commit()
}

// Abort returns the file up and leaves nothing behind.
func (f *File) Abort() { f.out.Abort() }

// Write writes d as the file name.
func Write(name string, d *Data) error {
	f, err := create(name, d.Schema, d.Rewards)
	if err != nil {
		return err
	}
	if err := f.WriteAll(d); err != nil {
		f.Abort()
		return err
	}
	return f.Close()
}

// WriteAll writes the rows of d, some at a time.
func (f *File) WriteAll(d *Data) error {
	var some []float64
	err := d.Each(func(_ int, row []float64) error {
		if some = append(some, row...); len(some) < 1<<16 {
			return nil
		}
		err := f.WriteRows(some)
		some = some[:0]
		return err
	})
	if err != nil {
		return err
	}
	return f.WriteRows(some)
}
