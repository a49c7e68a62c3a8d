package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/fdplan/fdplan/internal/source"
)

// Appender adds rows to a data set, or starts one.
//
// A CSV grows in place, with one write per row, so that added rows survive if the program is
// killed. Parquet and NPZ cannot grow: their rows are kept in memory, and Close writes the
// old rows with the new ones under a temporary name and renames the file.
//
// A file has a column of rewards as soon as a row has one; those of other rows are unknown.
type Appender struct {
	name string
	s    *Schema  // of the added rows
	file *Schema  // of the file: quantities where s has levels
	csv  *os.File // nil for the other formats
	enc  *csvEncoder
	kept *Data // old and new rows of the other formats
	new  int
	// rewarded reports that the CSV has a column of rewards.
	rewarded bool
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
	info, err := os.Stat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	exists := err == nil && (format != CSV || info.Size() > 0) // an empty CSV is one that was just begun
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

// openCSV prepares to add lines. It completes a last line without a line end. A new file gets
// its header with the first row, which decides whether there are rewards.
func (a *Appender) openCSV(exists bool) (err error) {
	var begin []byte
	if exists {
		text, err := source.ReadFileUpTo(a.name, source.MaxData)
		if err != nil {
			return err
		}
		if err = a.compare(text); err != nil {
			return err
		}
		if !bytes.HasSuffix(text, []byte("\n")) {
			begin = []byte("\n")
		}
	}
	if a.csv, err = os.OpenFile(a.name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666); err != nil || !exists {
		return err
	}
	if _, err = (whole{a.csv}).Write(begin); err != nil {
		a.csv.Close()
		return err
	}
	a.enc = newCSVEncoder(whole{a.csv}, a.file.columns(a.rewarded))
	return nil
}

// begin writes the header of a new CSV.
func (a *Appender) begin(rewarded bool) error {
	a.rewarded = rewarded
	a.enc = newCSVEncoder(whole{a.csv}, a.file.columns(rewarded))
	err := a.enc.header()
	if err != nil {
		os.Remove(a.name) // it has nothing, not even a header
	}
	return err
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

// compare compares the header of a CSV with the columns of rows to add.
func (a *Appender) compare(text []byte) error {
	f, err := openCSV(a.name, bytes.NewReader(text))
	if err != nil {
		return err
	}
	a.rewarded = false
	for i, h := range f.header {
		switch n := len(a.s.Columns); {
		case i == n && h == rewardName && !a.s.hasReward():
			a.rewarded = true
		case i >= n || canonical(h) != canonical(a.s.Columns[i].Name):
			var names []string
			for _, c := range a.s.Columns {
				names = append(names, c.Name)
			}
			return source.Errorf(a.name, 1, 1, "column %d is %s, expected the columns in the order %s: rows are added to the end", i+1, h, lineCSV(names...))
		}
	}
	return nil
}

// WriteRows adds rows, given one after the other. A value that its column cannot contain is
// an error, and then no row is added.
func (a *Appender) WriteRows(values []float64) error { return a.WriteRewarded(values, nil) }

// WriteRewarded is WriteRows with the reward of each row, NaN where it is unknown; nil if none
// is known.
func (a *Appender) WriteRewarded(values, rewards []float64) error {
	cols := len(a.s.Columns)
	if len(values)%cols != 0 || rewards != nil && len(rewards) != len(values)/cols {
		return fmt.Errorf("%d values and %d rewards do not make whole rows of %d columns", len(values), len(rewards), cols)
	}
	for i, v := range values {
		c := &a.s.Columns[i%cols]
		if why := c.admits(v); why != "" {
			return fmt.Errorf("%s: column %s cannot hold %s, %s", a.name, c.Name, number(v), why)
		}
	}
	if len(values) == 0 {
		return nil
	}
	if a.s.hasReward() || !slices.ContainsFunc(rewards, func(y float64) bool { return !math.IsNaN(y) }) {
		rewards = nil
	}
	a.new += len(values) / cols
	if a.csv != nil {
		return a.writeCSV(values, rewards)
	}
	if rewards != nil || a.kept.Rewards != nil {
		a.kept.Rewards = append(unknownTo(a.kept.Rewards, a.kept.Rows), rewards...)
	}
	a.kept.Add(a.s.fromLevels(values))
	return nil
}

// unknownTo makes rewards as many as there are rows.
func unknownTo(rewards []float64, rows int) []float64 {
	for len(rewards) < rows {
		rewards = append(rewards, math.NaN())
	}
	return rewards
}

// writeCSV adds rows to a CSV.
func (a *Appender) writeCSV(values, rewards []float64) (err error) {
	switch {
	case a.enc == nil:
		err = a.begin(rewards != nil)
	case !a.rewarded && rewards != nil:
		err = a.addRewards()
	}
	if err != nil {
		return err
	}
	return a.enc.rows(a.s.stored(values, a.rewarded, rewards))
}

// addRewards writes a CSV anew with a column of rewards, which are unknown.
func (a *Appender) addRewards() error {
	d, err := ReadAs(a.name, a.file)
	if err == nil {
		d.Rewards = append([]float64{}, unknownTo(nil, d.Rows)...)
		err = Write(a.name, d)
	}
	if err != nil {
		return err
	}
	// The file has another inode now.
	if err := a.csv.Close(); err != nil {
		return err
	}
	return a.openCSV(true)
}

// Rows is the number of rows that were added.
func (a *Appender) Rows() int { return a.new }

// Close completes the file. Without new rows, an existing Parquet or NPZ file is unchanged.
func (a *Appender) Close() error {
	switch {
	case a.csv != nil:
		var err error
		if a.enc == nil {
			err = a.begin(false)
		}
		return errors.Join(err, a.csv.Close())
	case a.new == 0 && a.kept.Rows > 0:
		return nil
	}
	if a.kept.Rewards != nil {
		a.kept.Rewards = unknownTo(a.kept.Rewards, a.kept.Rows)
	}
	return Write(a.name, a.kept)
}
