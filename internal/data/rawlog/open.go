package rawlog

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/data/parquet"
	"github.com/fdplan/fdplan/internal/packed"
	"github.com/fdplan/fdplan/internal/source"
)

// Options say how a log is read.
type Options struct {
	Delimiter rune // of a CSV; 0 to infer it from its first lines
}

// StepRead names what Telling tells of.
const StepRead = "reading the log"

// telling is the key of what a context has for Telling.
type telling struct{}

// Telling returns a context in which Open tells progress which share of a log it has read.
func Telling(ctx context.Context, progress func(done float64)) context.Context {
	return context.WithValue(ctx, telling{}, progress)
}

// progressOf returns what is told, which may be nil.
func progressOf(ctx context.Context) func(done float64) {
	progress, _ := ctx.Value(telling{}).(func(done float64))
	return progress
}

// Open reads the named log, of at most source.MaxData bytes and as many values as a data set
// may have. Errors are *source.Error with the line where the format has lines, or that of ctx.
func Open(ctx context.Context, name string, o Options) (*Table, error) {
	parquet := strings.ToLower(filepath.Ext(name)) == ".parquet"
	open := source.Open
	if parquet {
		open = source.OpenRegular
	}
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &Table{File: name}
	if parquet {
		err = t.readParquet(ctx, f)
	} else {
		err = t.readText(ctx, t.counted(f, progressOf(ctx)), o.Delimiter)
	}
	if err != nil {
		return nil, err
	}
	t.tell = nil
	for i := range t.Columns {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t.Columns[i].settle()
	}
	if t.Rows() == 0 {
		return nil, &noRows{source.Errorf(name, 0, 0, "the log has no rows")}
	}
	return t, nil
}

// ErrNoRows is wrapped if a log has no rows.
var ErrNoRows = errors.New("the log has no rows")

// noRows is ErrNoRows at its place.
type noRows struct{ error }

// Unwrap returns the place.
func (e *noRows) Unwrap() error { return e.error }

// Is reports whether target is ErrNoRows.
func (*noRows) Is(target error) bool { return target == ErrNoRows }

// readText reads a log, which may be compressed, in the format that the end of its name tells.
func (t *Table) readText(ctx context.Context, f io.Reader, delimiter rune) error {
	plain, _, err := packed.Reader(f)
	if err != nil {
		return source.Errorf(t.File, 0, 0, "cannot be read: %v", source.Cause(err))
	}
	r := source.UpTo(t.File, plain, source.MaxData)
	if IsJSON(t.File) {
		return t.readJSON(ctx, r)
	}
	return t.readCSV(ctx, r, delimiter)
}

// lookEvery is the number of cells after which a reader looks at its context.
const lookEvery = 1 << 12

// look returns the error of ctx, which it looks at now and then.
func (t *Table) look(ctx context.Context) error {
	if t.unseen += len(t.Columns); t.unseen < lookEvery {
		return nil
	}
	t.unseen = 0
	if t.tell != nil {
		t.tell()
	}
	return ctx.Err()
}

// counted returns f, whose progress is told at each look.
func (t *Table) counted(f *os.File, progress func(float64)) io.Reader {
	info, err := f.Stat()
	if progress == nil || err != nil || info.Size() == 0 {
		return f
	}
	c := &counter{r: f}
	t.tell = func() { progress(min(1, float64(c.n)/float64(info.Size()))) }
	return c
}

// counter counts the bytes that are read.
type counter struct {
	r io.Reader
	n int64
}

// Read reads.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// IsLog reports whether the end of a file's name says that it is a log.
func IsLog(name string) bool {
	switch strings.ToLower(filepath.Ext(packed.Plain(name))) {
	case ".csv", ".tsv", ".txt", ".parquet", ".jsonl", ".ndjson":
		return true
	}
	return false
}

// IsJSON reports whether the end of a file's name says that it has JSON lines.
func IsJSON(name string) bool {
	switch strings.ToLower(filepath.Ext(packed.Plain(name))) {
	case ".jsonl", ".ndjson", ".json":
		return true
	}
	return false
}

// row adds the line of a row whose cells follow or have been added.
func (t *Table) row(line int) error {
	t.lines.add(line)
	if err := dataset.RoomFor(t.Rows(), len(t.Columns)); err != nil {
		return source.Errorf(t.File, line, 0, "%v", err)
	}
	return nil
}

// maxLine bounds a line of JSON.
const maxLine = 16 << 20

func (t *Table) readJSON(ctx context.Context, f io.Reader) error {
	t.Format = "JSON lines"
	s := bufio.NewScanner(f)
	s.Buffer(nil, maxLine)
	for line := 1; s.Scan(); line++ {
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(s.Bytes()))
		d.UseNumber()
		if err := t.object(d); err != nil {
			return source.Errorf(t.File, line, int(d.InputOffset())+1, "%v", err)
		}
		if err := errors.Join(t.row(line), t.look(ctx)); err != nil {
			return err
		}
		for i := range t.Columns {
			if c := &t.Columns[i]; c.cells.rows < t.Rows() {
				c.addMissing()
			}
		}
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		return source.Errorf(t.File, t.Rows()+1, 0, "a line of more than %d MiB", maxLine>>20)
	} else if err != nil {
		return source.Errorf(t.File, 0, 0, "cannot be read: %v", source.Cause(err))
	}
	return nil
}

// object adds the cells of one line.
func (t *Table) object(d *json.Decoder) error {
	if x, err := d.Token(); err != nil || x != json.Delim('{') {
		return errors.New("expected a JSON object on each line")
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if err := t.value(d, name, 0); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("expected one JSON object on each line")
	}
	return nil
}

// readParquet reads a file with flat columns, all of them side by side.
func (t *Table) readParquet(ctx context.Context, f *os.File) error {
	t.Format = "Parquet"
	file, err := dataset.OpenParquet(f)
	if err != nil {
		return source.Errorf(t.File, 0, 0, "%v", err)
	}
	if progress := progressOf(ctx); progress != nil {
		t.tell = func() { progress(float64(t.Rows()) / float64(file.Rows)) }
	}
	for _, name := range file.Names() {
		t.Columns = append(t.Columns, Column{Name: name})
	}
	var v parquet.Value
	for g := range file.Groups {
		cursors := make([]*parquet.Cursor, len(t.Columns))
		for i := range cursors {
			cursors[i] = file.Cursor(&file.Groups[g], i)
		}
		for range file.Groups[g].Rows {
			for i, c := range cursors {
				if err := c.Next(&v); err != nil {
					return source.Errorf(t.File, 0, 0, "column %s: %v", t.Columns[i].Name, err)
				}
				t.Columns[i].take(&v)
			}
			t.lines.add(t.Rows() + 1)
			if err := t.look(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// take appends a cell of a Parquet file.
func (c *Column) take(v *parquet.Value) {
	switch {
	case v.Missing:
		c.addMissing()
	case v.Kind == parquet.Bool:
		c.addText(fmt.Sprint(v.Number != 0))
	case v.Kind == parquet.Text || v.Kind == parquet.Fixed:
		c.add(string(v.Text), false)
	default:
		c.addNumber(v.Number)
	}
}
