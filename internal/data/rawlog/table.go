package rawlog

import (
	"encoding/binary"
	"fmt"
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
	Format  string   // for the report
	Notes   []string // what was found about the file, for the report

	lines  lines
	byName map[string]int // of as many columns as it has entries
	likes  map[string]int // by their letters, see columnLike
	unseen int            // cells since the context was looked at
	tell   func()         // of the progress; may be nil
}

// note adds to the notes.
func (t *Table) note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return t.lines.rows }

// Line returns the line of a row in the file, or its number from 1 if the format has no lines.
func (t *Table) Line(row int) int { return t.lines.at(row) }

// Column returns the index of a column by its name in the file, or -1.
func (t *Table) Column(name string) int {
	if len(t.byName) > len(t.Columns) {
		t.byName = nil
	}
	if t.byName == nil {
		t.byName = map[string]int{}
	}
	for i := len(t.byName); i < len(t.Columns); i++ {
		t.byName[t.Columns[i].Name] = i
	}
	if i, ok := t.byName[name]; ok {
		return i
	}
	return -1
}

// find returns a column by its name in the file; nil for none, or no name.
func (t *Table) find(name string) *Column {
	if i := t.Column(name); name != "" && i >= 0 {
		return &t.Columns[i]
	}
	return nil
}

// Column is one column. A cell is a number, a text, or missing. If a column has many texts that
// are all times, the times are kept in their place.
type Column struct {
	Name string
	Unit string // as the log says; may be empty

	cells  cells
	texts  []string
	index  map[string]uint64
	layout string // of a column of times, else empty; of the first one
	days   bool   // days stand before months where both are possible
	sure   bool   // a stamp has shown that
	base   int64  // the first of the times
	sample string // its text

	comma    bool   // may be the decimal point
	last     []byte // the text of the last number or text, and its cell
	lastCell uint64
}

// manyTexts is the number of texts after which a column is one of times if they all are.
const manyTexts = 256

// missingTexts are the texts that stand for no value, in lower case.
var missingTexts = map[string]bool{"": true, "na": true, "n/a": true, "nan": true, "null": true, "-": true, "--": true, "?": true,
	"#n/a": true, "#null!": true, "#num!": true, "#ref!": true, "#name?": true, "#value!": true, "#div/0!": true}

// add appends a cell. With comma set, a comma may be the decimal point.
func (c *Column) add(text string, comma bool) {
	text, c.comma = plainText(text), comma
	if c.layout == "" && text != "" && string(c.last) == text {
		c.cells.add(c.lastCell)
		return
	}
	if isMissing(text) {
		c.addMissing()
		return
	}
	if x, ok := numberOf(text, comma); ok {
		c.addNumber(x)
		c.remember(text, math.Float64bits(x))
		return
	}
	c.addText(text)
}

func isMissing(text string) bool { return len(text) <= 7 && missingTexts[strings.ToLower(text)] }

// isNumber reports whether a text is a number in any of the usual forms.
func isNumber(text string) bool { _, ok := numberOf(strings.TrimSpace(text), true); return ok }

// numberOf reads a number. With comma set, a comma may be the decimal point. Thousands may be
// grouped by the other of the two.
func numberOf(text string, comma bool) (float64, bool) {
	if text == "" || text[0] > '9' { // signs, the point and digits; no word begins so
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err == nil:
	case comma && strings.Count(text, ",") == 1 && !strings.Contains(text, "."):
		x, err = strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	case isGrouped(text, ',', '.'):
		x, err = strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	case comma && isGrouped(text, '.', ','):
		x, err = strconv.ParseFloat(strings.Replace(strings.ReplaceAll(text, ".", ""), ",", ".", 1), 64)
	}
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || strings.ContainsAny(text, "xX_") {
		return 0, false
	}
	return x, true
}

// isGrouped reports whether sep stands between groups of three digits before the decimal point.
func isGrouped(text string, sep, point byte) bool {
	whole, _, _ := strings.Cut(strings.TrimLeft(text, "+-"), string(point))
	groups := strings.Split(whole, string(sep))
	for i, g := range groups {
		if i > 0 && len(g) != 3 || g == "" || len(g) > 3 || strings.Trim(g, "0123456789") != "" {
			return false
		}
	}
	return len(groups) > 1
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
	if strings.ContainsAny(text, "\n\r\t") { // of a field in quotes
		text = strings.Join(strings.Fields(text), " ")
	}
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

// settle decides what a column has when all cells are known. A column of texts that are all
// times has times; one of numbers with a unit has numbers. The text none stands for no value in a
// column of numbers, or alone; among other texts it is one of them, such as an action.
func (c *Column) settle() {
	none := func(text string) bool { return strings.EqualFold(text, "none") }
	if c.becomesTimes() || len(c.texts) == 0 {
		return
	}
	c.takeUnit()
	if slices.ContainsFunc(c.texts, func(text string) bool { return !none(text) }) {
		return
	}
	c.replace(func(cell uint64) uint64 {
		if cell >= firstText && isNone(cell) {
			return missing
		}
		return cell
	})
	c.texts, c.index = nil, nil
}

// takeUnit makes numbers of texts such as 12.5 kW, if most of the texts are numbers with the same
// unit.
func (c *Column) takeUnit() {
	counts := map[string]int{}
	for _, text := range c.texts {
		if _, unit, ok := measured(text, c.comma); ok {
			counts[unit]++
		}
	}
	for unit, n := range counts {
		if 2*n <= len(c.texts) {
			continue
		}
		numbers := map[uint64]uint64{} // by cell
		texts := c.texts
		c.texts, c.index = nil, nil
		for i, text := range texts {
			cell := firstText + uint64(i)
			if x, u, ok := measured(text, c.comma); ok && u == unit {
				numbers[cell] = math.Float64bits(x)
			} else {
				numbers[cell] = firstText + uint64(len(c.texts))
				c.texts = append(c.texts, text)
			}
		}
		c.replace(func(cell uint64) uint64 {
			if to, ok := numbers[cell]; ok {
				return to
			}
			return cell
		})
		if c.Unit == "" {
			c.Unit = unit
		}
		return
	}
}

// replace replaces cells that are no times.
func (c *Column) replace(by func(cell uint64) uint64) {
	for k, cell := range c.cells.values {
		c.cells.values[k] = by(cell)
	}
	for i := range c.cells.blocks {
		for k, cell := range c.cells.blocks[i].cells {
			c.cells.blocks[i].cells[k] = by(cell)
		}
	}
}

// isNone reports whether a cell is not a number.
func isNone(cell uint64) bool { x := math.Float64frombits(cell); return x != x }

// Cell returns a number for the value of a cell: those of equal values of a column are equal.
func (c *Column) Cell(i int) uint64 { return c.cells.at(i) }

// id returns cell i, by which rows are told apart; 0 for no column.
func (c *Column) id(i int) uint64 {
	if c == nil {
		return 0
	}
	return c.cells.at(i)
}

// appendCells appends the cells of columns in a row to a key.
func appendCells(key []byte, columns []*Column, row int) []byte {
	for _, c := range columns {
		key = binary.LittleEndian.AppendUint64(key, c.cells.at(row))
	}
	return key
}

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
	return digits(math.Float64frombits(cell))
}

// digits writes a number, without an exponent if it is as logs have them: 20170410 may be a date or the number of a machine.
func digits(x float64) string {
	if x != 0 && (math.Abs(x) >= 1e21 || math.Abs(x) < 1e-9) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
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
	return 0, false
}
