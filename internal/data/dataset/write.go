package dataset

import (
	"bufio"
	"fmt"
	"math"
	"path/filepath"
	"slices"
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
	out      *atomicfile.File
	buf      *bufio.Writer
	enc      encoder
	s        *Schema
	rewarded bool // it has a column of rewards
}

// Create starts the data set name, in the format of its extension.
func Create(name string, s *Schema) (*File, error) { return create(name, s, false) }

// create is Create with a column of rewards if that is asked for and no fluent is named so.
func create(name string, s *Schema, rewarded bool) (*File, error) {
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
	f := &File{out: out, buf: bufio.NewWriterSize(out, 1<<16), s: s, rewarded: rewarded && !s.hasReward()}
	if err := f.begin(format); err != nil {
		f.Abort()
		return nil, err
	}
	return f, nil
}

// begin starts to encode the rows.
func (f *File) begin(format Format) (err error) {
	s := f.s.Stored()
	columns := s.columns(f.rewarded)
	switch format {
	case Parquet:
		f.enc, err = newParquetEncoder(f.buf, s, columns)
	case NPZ:
		f.enc = &npzEncoder{f.buf, s, columns, make([][]float64, len(columns))}
	default:
		e := newCSVEncoder(f.buf, columns)
		f.enc, err = e, e.header()
	}
	return err
}

// columns are those of a file, of which the last may have the rewards of steps.
func (s *Schema) columns(rewarded bool) []Column {
	if rewarded {
		return append(slices.Clone(s.Columns), Column{Name: rewardName, Type: Real})
	}
	return s.Columns
}

// WriteRows appends rows, given one after the other.
func (f *File) WriteRows(values []float64) error {
	if n := len(f.s.Columns); len(values)%n != 0 {
		return fmt.Errorf("%d values do not make whole rows of %d columns", len(values), n)
	}
	return f.write(values, nil)
}

// write appends rows with their rewards.
func (f *File) write(values, rewards []float64) error {
	if len(values) == 0 {
		return nil
	}
	return f.enc.rows(f.s.stored(values, f.rewarded, rewards))
}

// stored are rows as files have them: quantities in the place of levels and, in a file of rewards, these behind each row,
// NaN for none.
func (s *Schema) stored(values []float64, rewarded bool, rewards []float64) []float64 {
	values = s.fromLevels(values)
	if !rewarded {
		return values
	}
	var out []float64
	for row := range slices.Chunk(values, len(s.Columns)) {
		y := math.NaN()
		if len(rewards) > 0 {
			y, rewards = rewards[0], rewards[1:]
		}
		out = append(append(out, row...), y)
	}
	return out
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
	f, err := create(name, d.Schema, d.Rewards != nil)
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
	const most = 1 << 16 // values
	var some, rewards []float64
	err := d.Each(func(i int, row []float64) error {
		if some = append(some, row...); d.Rewards != nil {
			rewards = append(rewards, d.Rewards[i])
		}
		if len(some) < most {
			return nil
		}
		err := f.write(some, rewards)
		some, rewards = some[:0], rewards[:0]
		return err
	})
	if err != nil {
		return err
	}
	return f.write(some, rewards)
}
