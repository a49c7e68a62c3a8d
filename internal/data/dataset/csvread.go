package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/packed"
	"github.com/fdplan/fdplan/internal/source"
)

// csvFile reads a CSV's rows and their positions.
type csvFile struct {
	name   string
	r      *csv.Reader
	header []string
}

func openCSV(name string, text io.Reader) (*csvFile, error) {
	r := bufio.NewReaderSize(text, 1<<16)
	if mark, _ := r.Peek(3); string(mark) == "\ufeff" {
		_, _ = r.Discard(3) // buffered already
	}
	f := &csvFile{name: name, r: csv.NewReader(r)}
	f.r.ReuseRecord = true
	row, err := f.next()
	if err == io.EOF {
		return nil, source.Errorf(name, 1, 1, "the file is empty, expected a header with the names of fluents")
	}
	if err != nil {
		return nil, err
	}
	f.header = slices.Clone(row)
	return f, nil
}

// next returns a row, valid until the next call, or io.EOF.
func (f *csvFile) next() ([]string, error) {
	row, err := f.r.Read()
	if err == nil || err == io.EOF {
		return row, err
	}
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return nil, err
	}
	if errors.Is(p.Err, csv.ErrFieldCount) {
		return nil, source.Errorf(f.name, p.StartLine, 1, "the row has %d fields, expected %d as in the header", len(row), len(f.header))
	}
	return nil, source.Errorf(f.name, p.Line, p.Column, "%v", p.Err)
}

// fault returns an error at field i of the row read last.
func (f *csvFile) fault(i int, format string, args ...any) error {
	line, col := f.r.FieldPos(i)
	return source.Errorf(f.name, line, col, format, args...)
}

// readCSV reads a CSV as s.
func readCSV(name string, s *Schema) (*Data, error) {
	f, err := source.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plain, _, err := packed.Reader(f)
	if err != nil {
		return nil, source.Errorf(name, 0, 0, "cannot be read: %v", source.Cause(err))
	}
	return parseCSV(name, source.UpTo(name, plain, source.MaxData), s)
}

// parseCSV reads a CSV from an opened file.
func parseCSV(name string, text io.Reader, s *Schema) (*Data, error) {
	f, err := openCSV(name, text)
	if err != nil {
		return nil, err
	}
	columns, sequence, err := match(f.header, s, true)
	if err != nil {
		return nil, source.Errorf(name, 1, 1, "%v", err)
	}
	index := make([]map[string]float64, len(columns))
	for i, c := range columns {
		if c >= 0 && s.Columns[c].Type == Enum {
			index[i] = s.Columns[c].index()
		}
	}
	l := &log{f: f, s: s, columns: columns, index: index, out: &Data{Schema: s}, row: make([]float64, len(s.Columns))}
	if sequence {
		err = l.sequences()
	} else {
		err = l.triplets()
	}
	if err != io.EOF {
		return nil, err
	}
	l.out.Line = func(i int) int { return int(l.lines[i]) }
	return l.out, nil
}

// parse reads a field as a value of the column.
func (c *Column) parse(text string, index map[string]float64) (v float64, why string) {
	text = strings.TrimSpace(text)
	switch c.Type {
	case Enum:
		if v, ok := index[text]; ok {
			return v, ""
		}
		if v, ok := index[strings.TrimPrefix(text, "@")]; ok {
			return v, ""
		}
		if v, ok := index["@"+text]; ok {
			return v, ""
		}
		return 0, c.admits(-1)
	case Bool:
		switch strings.ToLower(text) {
		case "true":
			return 1, ""
		case "false":
			return 0, ""
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xX_") {
		switch c.Type {
		case Bool:
			return 0, c.admits(2)
		case Int:
			return 0, "expected an integer"
		}
		v = math.NaN()
	}
	return v, c.admits(v)
}

// kept returns what stands for a field that the column does not admit: NaN for what is not a number
// where one is expected.
func (c *Column) kept(text string) float64 {
	text = strings.TrimSpace(text)
	if c.Type == Enum || c.Type == Bool {
		return Unseen(text)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v-v != 0 || strings.ContainsAny(text, "xX_") {
		return math.NaN()
	}
	return v
}
