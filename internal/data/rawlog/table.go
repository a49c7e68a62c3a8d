package rawlog

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Table is a log in memory. It takes a byte or two a cell where a column has few different
// values, else eight.
type Table struct {
	File    string
	Columns []Column
	Format  string // for the report

	lines lines
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return t.lines.rows }

// Line returns the line of a row in the file, or its number from 1 if the format has no lines.
func (t *Table) Line(row int) int { return t.lines.at(row) }

// Column returns the index of a column by its name in the file, or -1.
func (t *Table) Column(name string) int {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return i
		}
	}
	return -1
}

// Column is one column. A cell is a number, a text, or missing. If a column has many texts that
// are all times, the times are kept in their place.
type Column struct {
	Name string

	cells  cells
	texts  []string
	index  map[string]uint64
	layout string // of a column of times, else empty
	base   int64  // the first of the times

	last     []byte // the text of the last number or text, and its cell
	lastCell uint64
}

// manyTexts is the number of texts after which a column is one of times if they all are.
const manyTexts = 256

// missingTexts are the texts that stand for no value, in lower case.
var missingTexts = map[string]bool{"": true, "na": true, "n/a": true, "nan": true, "null": true, "-": true, "?": true}

// add appends a cell. With comma set, a comma may be the decimal point.
func (c *Column) add(text string, comma bool) {
	text = strings.TrimSpace(text)
	if c.layout == "" && text != "" && string(c.last) == text {
		c.cells.add(c.lastCell)
		return
	}
	if len(text) <= 4 && missingTexts[strings.ToLower(text)] {
		c.addMissing()
		return
	}
	if first := text[0]; first <= '9' { // signs, the point and digits; no word begins so
		x, err := strconv.ParseFloat(text, 64)
		if err != nil && comma && strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
			x, err = strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
		}
		if err == nil && !math.IsInf(x, 0) && !strings.ContainsAny(text, "xX_") {
			c.addNumber(x)
			c.remember(text, math.Float64bits(x))
			return
		}
	}
	c.addText(text)
}

// remember keeps the last text with its cell, since values often repeat.
func (c *Column) remember(text string, cell uint64) {
	c.last, c.lastCell = append(c.last[:0], text...), cell
}

func (c *Column) addMissing() {
	if c.layout != "" {
		c.cells.addTime(noTime)
		return
	}
	c.cells.add(missing)
}

func (c *Column) addNumber(x float64) {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		c.addMissing()
	case c.layout != "":
		c.cells.addTime(unknownTime)
	default:
		c.cells.add(math.Float64bits(x))
	}
}

func (c *Column) addText(text string) {
	if c.layout != "" {
		c.cells.addTime(c.timeOf(text))
		return
	}
	cell, ok := c.index[text]
	switch {
	case ok:
	case len(c.texts) == manyTexts && c.becomesTimes():
		c.cells.addTime(c.timeOf(text))
		return
	case len(c.texts) == maxCodes:
		cell = hashOf(text)
	default:
		if c.index == nil {
			c.index = map[string]uint64{}
		}
		cell = firstText + uint64(len(c.texts))
		text = strings.Clone(text)
		c.texts = append(c.texts, text)
		c.index[text] = cell
	}
	c.cells.add(cell)
	c.remember(text, cell)
}

// layouts are the formats of time stamps.
var layouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "02.01.2006 15:04:05", "02.01.2006 15:04", "2006/01/02 15:04:05", "15:04:05"}

// timeOf returns the time that a text stands for, in nanoseconds since 1970.
func (c *Column) timeOf(text string) int64 {
	if at, err := time.Parse(c.layout, text); err == nil {
		return at.UnixNano()
	}
	for _, l := range layouts {
		if at, err := time.Parse(l, text); err == nil {
			return at.UnixNano()
		}
	}
	return unknownTime
}

// becomesTimes makes a column of texts that are all times one of times. It reports whether
// they are.
func (c *Column) becomesTimes() bool {
	times := make([]int64, len(c.texts))
	for i, text := range c.texts {
		if times[i] = c.timeOf(text); times[i] == unknownTime {
			return false
		}
	}
	numbers := slices.ContainsFunc(c.cells.values, func(cell uint64) bool { return !isNone(cell) })
	if numbers {
		return false
	}
	i := slices.IndexFunc(layouts, func(l string) bool { _, err := time.Parse(l, c.texts[0]); return err == nil })
	c.layout, c.base = layouts[i], times[0]
	c.cells.toTimes(func(cell uint64) int64 {
		if cell == missing {
			return noTime
		}
		return times[cell-firstText]
	})
	c.texts, c.index, c.last = nil, nil, nil
	return true
}

// settle decides about the text none when all cells are known: in a column of numbers, or alone,
// it stands for no value. Among other texts it is one of them, such as an action.
func (c *Column) settle() {
	none := func(text string) bool { return strings.EqualFold(text, "none") }
	if len(c.texts) == 0 || slices.ContainsFunc(c.texts, func(text string) bool { return !none(text) }) {
		return
	}
	isText := func(cell uint64) bool { return cell >= firstText && isNone(cell) }
	for k, cell := range c.cells.values {
		if isText(cell) {
			c.cells.values[k] = missing
		}
	}
	for i := range c.cells.blocks {
		for k, cell := range c.cells.blocks[i].cells {
			if isText(cell) {
				c.cells.blocks[i].cells[k] = missing
			}
		}
	}
	c.texts, c.index = nil, nil
}

// isNone reports whether a cell is not a number.
func isNone(cell uint64) bool { x := math.Float64frombits(cell); return x != x }

// Missing reports whether cell i has no value.
func (c *Column) Missing(i int) bool { return c.cells.at(i) == missing }

// Number returns the number in cell i, if it is one.
func (c *Column) Number(i int) (float64, bool) {
	x := math.Float64frombits(c.cells.at(i))
	return x, x == x
}

// Text returns cell i as text; empty if it is missing.
func (c *Column) Text(i int) string {
	if c.layout != "" {
		switch t := c.cells.time(i); t {
		case noTime:
			return ""
		case unknownTime:
			return "(no time)"
		default:
			return time.Unix(0, t).UTC().Format(c.layout)
		}
	}
	return c.text(c.cells.at(i))
}

// text returns a cell as text.
func (c *Column) text(cell uint64) string {
	switch {
	case cell == missing:
		return ""
	case cell >= firstText && cell < firstText+uint64(len(c.texts)):
		return c.texts[cell-firstText]
	case isNone(cell):
		return "(one of many texts)"
	}
	return strconv.FormatFloat(math.Float64frombits(cell), 'g', -1, 64)
}

// seconds returns cell i as a time in seconds since some other, or as the number that it is.
func (c *Column) seconds(i int) (float64, bool) {
	if c.layout != "" {
		t := c.cells.time(i)
		return float64(t-c.base) / 1e9, t > unknownTime
	}
	if x, ok := c.Number(i); ok {
		return x, true
	}
	if c.Missing(i) {
		return 0, false
	}
	t := c.timeOf(c.Text(i))
	return float64(t) / 1e9, t > unknownTime
}
