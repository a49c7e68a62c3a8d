package rawlog

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fdplan/fdplan/internal/source"
)

// Few lines are looked at to find the delimiter and the header.
const (
	headBytes   = 1 << 15
	maxPreamble = 20 // lines before the header
)

// delimiters are the usual ones, the most likely first.
var delimiters = []rune{',', ';', '\t'}

// Delimiter returns the one that occurs most often outside quotes in one of the first lines.
func Delimiter(head string) rune {
	best, most := ',', 0
	for n, line := range strings.SplitAfter(head, "\n") {
		if n >= maxPreamble {
			break
		}
		if !strings.HasSuffix(line, "\n") && n > 0 {
			break // cut off
		}
		counts := map[rune]int{}
		quoted := false
		for _, r := range line {
			if r == '"' {
				quoted = !quoted
			} else if !quoted && slices.Contains(delimiters, r) {
				counts[r]++
			}
		}
		for _, r := range delimiters {
			if counts[r] > most {
				best, most = r, counts[r]
			}
		}
	}
	return best
}

// csvLog reads a CSV to a table.
type csvLog struct {
	t     *Table
	c     *csv.Reader
	comma bool // may be the decimal point
	above int  // lines before those that c reads
	skip  int  // fields before the first column: of a number that the header has no name for
	bare  int  // the line of a header that ends in delimiters, 0 for none
	// widths are the numbers of columns of a field whose cells are lists, 0 for other fields.
	widths []int
}

// readCSV reads a CSV. Before the header there may be lines of fewer fields, such as the name of a
// device; below it a line of units; after each line, delimiters without a field.
func (t *Table) readCSV(ctx context.Context, f io.Reader, delimiter rune) error {
	r := bufio.NewReaderSize(f, 1<<16)
	switch mark, _ := r.Peek(3); {
	case bytes.HasPrefix(mark, []byte("\ufeff")):
		_, _ = r.Discard(3) // buffered already
	case bytes.HasPrefix(mark, []byte{0xff, 0xfe}), bytes.HasPrefix(mark, []byte{0xfe, 0xff}):
		return source.Errorf(t.File, 1, 1, "the file is UTF-16; expected UTF-8, as iconv -f UTF-16 -t UTF-8 writes it")
	}
	above := skipRemarks(r)
	head, _ := r.Peek(headBytes)
	if delimiter == 0 {
		delimiter = Delimiter(strings.TrimLeft(string(head), "\r\n"))
	}
	t.Format = fmt.Sprintf("CSV, delimiter %q", delimiter)
	x := &csvLog{t: t, c: csv.NewReader(r), comma: delimiter != ',', above: above}
	x.c.Comma, x.c.ReuseRecord, x.c.FieldsPerRecord = delimiter, true, -1
	preamble := preambleOf(string(head), delimiter)
	header, err := x.next()
	for range preamble {
		if err == nil {
			header, err = x.next()
		}
	}
	if err == io.EOF {
		return source.Errorf(t.File, 1, 1, "the file is empty, expected a header with the names of columns")
	} else if err != nil {
		return err
	}
	if err := x.header(header); err != nil {
		return err
	}
	if preamble+above > 0 {
		t.note("the header is in line %d, after lines of fewer fields", x.line())
	}
	return x.rows(ctx)
}

// skipRemarks skips lines at the beginning of a file that begin with # and are followed by a line with more delimiters, and
// counts them. A header may begin so, too.
func skipRemarks(r *bufio.Reader) (lines int) {
	for {
		head, _ := r.Peek(headBytes)
		n := bytes.IndexByte(head, '\n') + 1
		rest := bytes.TrimLeft(head[n:], "\r\n")
		next, _, _ := bytes.Cut(rest, []byte("\n"))
		if n == 0 || head[0] != '#' || !bytes.HasPrefix(next, []byte("#")) && widthOf(next) <= widthOf(head[:n]) {
			return lines
		}
		_, _ = r.Discard(n) // buffered already
		lines++
	}
}

// widthOf counts the delimiters of a line that it has most of.
func widthOf(line []byte) (most int) {
	for _, d := range delimiters {
		most = max(most, bytes.Count(line, []byte(string(d))))
	}
	return most
}

// preambleOf counts the records before the header: those of fewer fields than almost all of the
// records after them have.
func preambleOf(head string, delimiter rune) int {
	c := csv.NewReader(strings.NewReader(head))
	c.Comma, c.FieldsPerRecord = delimiter, -1
	var widths []int
	for len(widths) < 2*maxPreamble {
		record, err := c.Read()
		if err != nil {
			break
		}
		n := len(record)
		for n > 0 && strings.TrimSpace(record[n-1]) == "" {
			n--
		}
		widths = append(widths, n)
	}
	if len(widths) < 4 {
		return 0
	}
	usual := slices.Sorted(slices.Values(widths))[len(widths)*3/4]
	for i, n := range widths[:min(len(widths)-2, maxPreamble)] {
		if n >= usual-1 {
			return i
		}
	}
	return 0
}

func (x *csvLog) line() int { line, _ := x.c.FieldPos(0); return x.above + line }

// next returns a record, valid until the next call, or io.EOF.
func (x *csvLog) next() ([]string, error) {
	row, err := x.c.Read()
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return row, err
	}
	switch {
	case errors.Is(p.Err, csv.ErrBareQuote):
		err = errors.New(`a quote within a field; expected the field in quotes, and the quote twice, as in "5"" pipe"`)
	case errors.Is(p.Err, csv.ErrQuote) && p.Line > p.StartLine:
		err = fmt.Errorf("a field in quotes that begins in the row of line %d does not end as expected, with a quote and a delimiter or the end of the line", x.above+p.StartLine)
	case errors.Is(p.Err, csv.ErrQuote):
		err = errors.New("a quote within a field in quotes; expected it twice, or a delimiter or the end of the line after it")
	default:
		err = p.Err
	}
	return nil, source.Errorf(x.t.File, x.above+p.Line, p.Column, "%v", err)
}

// header makes the columns. The first may have no name: it is the index of a data frame.
func (x *csvLog) header(names []string) error {
	line := x.line()
	for len(names) > 1 && strings.TrimSpace(names[len(names)-1]) == "" {
		names, x.bare = names[:len(names)-1], line
	}
	for i, h := range names {
		if strings.Contains(strings.TrimRight(h, "\r"), "\r") {
			return source.Errorf(x.t.File, line, 1, "the lines end in CR alone; expected LF or CR LF")
		}
		h = strings.Join(strings.Fields(plainText(h)), " ")
		if i == 0 && strings.HasPrefix(h, "# ") {
			h = h[2:] // as NumPy begins a header
		}
		if h == "" && i == 0 && len(names) > 1 {
			h = x.t.freeName(names)
		}
		if h == "" {
			return source.Errorf(x.t.File, line, 1, "column %d has no name in the header", i+1)
		}
		if j := x.t.Column(h); j >= 0 {
			name := h
			for n := 2; x.t.Column(h) >= 0 || slices.Contains(names, h); n++ {
				h = fmt.Sprintf("%s_%d", name, n)
			}
			x.t.note("columns %d and %d are both named %s in the header; the second is %s here", j+1, i+1, name, h)
		}
		x.t.Columns = append(x.t.Columns, Column{Name: strings.Clone(h)})
	}
	return nil
}

// freeName is a name for an index that has none.
func (t *Table) freeName(names []string) string {
	name := "index"
	for slices.Contains(names, name) {
		name += "_"
	}
	return name
}

// plainText returns a field without the space around it. Bytes that are no UTF-8 are read as
// Latin-1, as in °C.
func plainText(field string) string {
	if !utf8.ValidString(field) {
		runes := make([]rune, len(field))
		for i := range len(field) {
			runes[i] = rune(field[i])
		}
		field = string(runes)
	}
	return strings.TrimSpace(field)
}

// succeed reports whether two texts are numbers of rows, from 1, one after the other. A part of a file does not begin with 1.
func succeed(a, b string) bool {
	x, err := strconv.Atoi(a)
	y, err2 := strconv.Atoi(b)
	return err == nil && err2 == nil && x > 0 && y == x+1
}

// rows reads the rows. The first one may be units.
func (x *csvLog) rows(ctx context.Context) error {
	first, line, err := x.copied()
	if err != nil {
		return atEnd(err)
	}
	second, line2, err := x.copied()
	if err != nil && err != io.EOF {
		return err
	}
	n := len(x.t.Columns)
	if x.bare == 0 && len(first) == n+1 && len(second) == n+1 && succeed(first[0], second[0]) {
		x.skip = 1 // the rows are numbered, and the header has no name for that
	}
	if err == nil && x.isUnits(first, second) {
		for i := range x.t.Columns {
			x.t.Columns[i].Unit = unitText(first[i])
		}
		x.t.note("line %d was taken for the units of the columns", line)
		x.elements(second)
	} else {
		if err == nil {
			x.elements(first, second)
		} else {
			x.elements(first)
		}
		if err := x.row(first, line); err != nil {
			return err
		}
	}
	if err == io.EOF {
		return nil
	}
	if err := x.row(second, line2); err != nil {
		return err
	}
	for {
		row, err := x.next()
		if err != nil {
			return atEnd(err)
		}
		if err := x.row(row, x.line()); err != nil {
			return err
		}
		if err := x.t.look(ctx); err != nil {
			return err
		}
	}
}

func atEnd(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func (x *csvLog) copied() ([]string, int, error) {
	row, err := x.next()
	if err != nil {
		return nil, 0, err
	}
	return slices.Clone(row), x.line(), nil
}

// row adds a row.
func (x *csvLog) row(fields []string, line int) error {
	if err := x.t.row(line); err != nil {
		return err
	}
	n := len(x.widths)
	count := len(fields)
	if count > x.skip {
		fields = fields[x.skip:]
	}
	for len(fields) > n && strings.TrimSpace(fields[len(fields)-1]) == "" {
		fields = fields[:len(fields)-1] // trailing delimiters
	}
	if len(fields) > n && x.bare > 0 {
		return source.Errorf(x.t.File, x.bare, 1, "column %d has no name in the header, and %q in line %d", n+1, fields[n], line)
	}
	if len(fields) != n {
		return source.Errorf(x.t.File, line, 1, "the row has %d fields, expected %d as in the header", count, n+x.skip)
	}
	at := 0
	for i, text := range fields {
		if w := x.widths[i]; w > 0 {
			addList(x.t.Columns[at:at+w], text)
			at += w
			continue
		}
		x.t.Columns[at].add(text, x.comma)
		at++
	}
	return nil
}

// isUnits reports whether the row below the header has units: texts in all columns in which the
// next row has numbers, and among them one that is known as a unit or in brackets.
func (x *csvLog) isUnits(first, second []string) bool {
	n := len(x.t.Columns)
	if len(first) < n || len(second) < n {
		return false
	}
	numbers, texts, known := 0, 0, false
	for i := range n {
		text := plainText(first[i])
		if isNumber(text) || len(text) > 12 || layoutOf(text, false) != "" {
			return false
		}
		if isNumber(second[i]) {
			numbers++
			if text != "" && !isMissing(text) {
				texts++
				known = known || strings.ContainsAny(text, "[(°%/²³") || units[strings.ToLower(text)] != ""
			}
		}
	}
	return known && 2*texts >= numbers
}

// unitText returns a unit without its brackets.
func unitText(text string) string {
	text = strings.Trim(plainText(text), "[]() ")
	if isMissing(text) {
		return ""
	}
	return text
}
