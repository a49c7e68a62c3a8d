package rawlog

import (
	"math"
	"strconv"
	"strings"
)

// Table is a log in memory.
type Table struct {
	File    string
	Columns []Column
	Lines   []int32 // of each row in the file; the row's number if the format has no lines
	Format  string  // for the report
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.Lines) }

// Column returns the index of a column by its name in the file, or -1.
func (t *Table) Column(name string) int {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return i
		}
	}
	return -1
}

// Column is one column. A cell is a number, a text, or missing.
type Column struct {
	Name string

	// cells are the bits of numbers; texts and missing values are among the bits of NaN.
	cells []uint64
	texts []string
	index map[string]uint64
}

const (
	missing   = 0x7ff8_0000_0000_0000
	firstText = missing + 1
)

// missingTexts are the texts that stand for no value, in lower case.
var missingTexts = map[string]bool{"": true, "na": true, "n/a": true, "nan": true, "null": true, "none": true, "-": true, "?": true}

// add appends a cell. With comma set, a comma may be the decimal point.
func (c *Column) add(text string, comma bool) {
	text = strings.TrimSpace(text)
	if len(text) <= 4 && missingTexts[strings.ToLower(text)] {
		c.cells = append(c.cells, missing)
		return
	}
	if first := text[0]; first <= '9' { // signs, the point and digits; no word begins so
		x, err := strconv.ParseFloat(text, 64)
		if err != nil && comma && strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
			x, err = strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
		}
		if err == nil && !math.IsInf(x, 0) && !strings.ContainsAny(text, "xX_") {
			c.addNumber(x)
			return
		}
	}
	c.addText(text)
}

func (c *Column) addNumber(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		c.cells = append(c.cells, missing)
		return
	}
	c.cells = append(c.cells, math.Float64bits(x))
}

func (c *Column) addText(text string) {
	if c.index == nil {
		c.index = map[string]uint64{}
	}
	k, ok := c.index[text]
	if !ok {
		k = uint64(len(c.texts))
		text = strings.Clone(text)
		c.texts = append(c.texts, text)
		c.index[text] = k
	}
	c.cells = append(c.cells, firstText+k)
}

// Missing reports whether cell i has no value.
func (c *Column) Missing(i int) bool { return c.cells[i] == missing }

// Number returns the number in cell i, if it is one.
func (c *Column) Number(i int) (float64, bool) {
	x := math.Float64frombits(c.cells[i])
	return x, x == x
}

// Text returns cell i as text; empty if it is missing.
func (c *Column) Text(i int) string {
	switch x := c.cells[i]; {
	case x == missing:
		return ""
	case x >= firstText && x < firstText+uint64(len(c.texts)):
		return c.texts[x-firstText]
	default:
		return strconv.FormatFloat(math.Float64frombits(x), 'g', -1, 64)
	}
}
