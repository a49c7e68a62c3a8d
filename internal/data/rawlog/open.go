package rawlog

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/source"
)

// Open reads the named log, of at most source.MaxData bytes and as many values as a data set
// may have. A delimiter of 0 is inferred from the header of a CSV. Errors are *source.Error
// with the line where the format has lines.
func Open(name string, delimiter rune) (*Table, error) {
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
		err = t.readParquet(f)
	} else {
		err = t.readText(source.UpTo(name, f, source.MaxData), delimiter)
	}
	if err != nil {
		return nil, err
	}
	for i := range t.Columns {
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

// readText reads a log in the format that the end of its name tells.
func (t *Table) readText(r io.Reader, delimiter rune) error {
	if IsJSON(t.File) {
		return t.readJSON(r)
	}
	return t.readCSV(r, delimiter)
}

// IsJSON reports whether the end of a file's name says that it has JSON lines.
func IsJSON(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
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

// guess returns the most frequent of the usual delimiters outside quotes.
func guess(header string) rune {
	counts := map[rune]int{}
	quoted := false
	for _, r := range header {
		switch r {
		case '"':
			quoted = !quoted
		case ',', ';', '\t':
			if !quoted {
				counts[r]++
			}
		}
	}
	best := ','
	for _, r := range []rune{';', '\t'} {
		if counts[r] > counts[best] {
			best = r
		}
	}
	return best
}

func (t *Table) readCSV(f io.Reader, delimiter rune) error {
	r := bufio.NewReaderSize(f, 1<<16)
	if mark, _ := r.Peek(3); bytes.Equal(mark, []byte("\ufeff")) {
		_, _ = r.Discard(3) // buffered already
	}
	if delimiter == 0 {
		head, _ := r.Peek(1 << 15)
		line, _, _ := strings.Cut(strings.TrimLeft(string(head), "\r\n"), "\n")
		delimiter = guess(line)
	}
	t.Format = fmt.Sprintf("CSV, delimiter %q", delimiter)
	c := csv.NewReader(r)
	c.Comma, c.ReuseRecord = delimiter, true
	fault := func(err error, row []string) error {
		var p *csv.ParseError
		if !errors.As(err, &p) {
			return err
		}
		if errors.Is(p.Err, csv.ErrFieldCount) {
			return source.Errorf(t.File, p.StartLine, 1, "the row has %d fields, expected %d as in the header", len(row), len(t.Columns))
		}
		return source.Errorf(t.File, p.Line, p.Column, "%v", p.Err)
	}
	header, err := c.Read()
	if err == io.EOF {
		return source.Errorf(t.File, 1, 1, "the file is empty, expected a header with the names of columns")
	} else if err != nil {
		return fault(err, header)
	}
	line, _ := c.FieldPos(0)
	for i, h := range header {
		if strings.Contains(strings.TrimRight(h, "\r"), "\r") {
			return source.Errorf(t.File, line, 1, "the lines end in CR alone; expected LF or CR LF")
		}
		h = strings.TrimSpace(h)
		if h == "" {
			return source.Errorf(t.File, line, 1, "column %d has no name in the header", i+1)
		}
		if j := t.Column(h); j >= 0 {
			return source.Errorf(t.File, line, 1, "columns %d and %d are both named %s in the header; expected different names", j+1, i+1, h)
		}
		t.Columns = append(t.Columns, Column{Name: strings.Clone(h)})
	}
	for {
		row, err := c.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fault(err, row)
		}
		line, _ = c.FieldPos(0)
		if err = t.row(line); err != nil {
			return err
		}
		for i, text := range row {
			t.Columns[i].add(text, delimiter != ',')
		}
	}
}

// maxLine bounds a line of JSON.
const maxLine = 16 << 20

func (t *Table) readJSON(f io.Reader) error {
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
		if err := t.row(line); err != nil {
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
		i := t.Column(name)
		if i < 0 {
			i = len(t.Columns)
			if err := dataset.RoomFor(t.Rows(), i+1); err != nil {
				return err
			}
			c := Column{Name: name}
			for range t.Rows() {
				c.addMissing()
			}
			t.Columns = append(t.Columns, c)
		}
		c := &t.Columns[i]
		if c.cells.rows > t.Rows() {
			return fmt.Errorf("%s occurs twice", name)
		}
		x, err := d.Token()
		if err != nil {
			return err
		}
		switch x := x.(type) {
		case nil:
			c.addMissing()
		case bool:
			c.addText(fmt.Sprint(x))
		case json.Number:
			c.add(x.String(), false)
		case string:
			c.add(x, false)
		default:
			return fmt.Errorf("%s is a list or an object; expected a number, a text or a Boolean", name)
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

// readParquet reads a file with flat columns.
func (t *Table) readParquet(f *os.File) error {
	t.Format = "Parquet"
	err := dataset.PlainParquet(f, func(header []string) {
		for _, name := range header {
			t.Columns = append(t.Columns, Column{Name: name})
		}
	}, func(row []any) {
		for i, v := range row {
			switch c := &t.Columns[i]; v := v.(type) {
			case nil:
				c.addMissing()
			case float64:
				c.addNumber(v)
			case bool:
				c.addText(fmt.Sprint(v))
			case string:
				c.add(v, false)
			}
		}
		t.lines.add(t.Rows() + 1)
	})
	if err != nil {
		return source.Errorf(t.File, 0, 0, "%v", err)
	}
	return nil
}
