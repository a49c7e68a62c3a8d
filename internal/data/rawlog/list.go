package rawlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/fdplan/fdplan/internal/data/dataset"
)

// maxDepth bounds lists in lists and objects in objects.
const maxDepth = 16

// listOf reads a list of numbers or Booleans as Python and NumPy print it: [0, 1], (0, 1) or
// [0. 1.]; or with semicolons, and then perhaps decimal commas.
func listOf(text string) ([]string, bool) {
	text = plainText(text)
	if inner, ok := strings.CutPrefix(text, "array("); ok {
		text = strings.TrimSuffix(inner, ")")
	}
	n := len(text)
	if n < 3 || text[:1]+text[n-1:] != "[]" && text[:1]+text[n-1:] != "()" {
		return nil, false
	}
	semicolons := strings.Contains(text, ";")
	items := strings.FieldsFunc(text[1:n-1], func(r rune) bool {
		return unicode.IsSpace(r) || r == ';' || r == ',' && !semicolons
	})
	for _, item := range items {
		if _, isTruth := Truth(item); !isTruth {
			if _, ok := numberOf(item, semicolons); !ok {
				return nil, false
			}
		}
	}
	return items, len(items) > 0
}

// elements replaces each column whose cells are lists of numbers by one column for each place of
// the list. The rows tell which: they are the first ones.
func (x *csvLog) elements(rows ...[]string) {
	var columns []Column
	for i := range x.t.Columns {
		c := x.t.Columns[i]
		width := -1
		for _, row := range rows {
			items, ok := []string(nil), false
			if i+x.skip < len(row) {
				items, ok = listOf(row[i+x.skip])
			}
			if !ok || width >= 0 && width != len(items) {
				width = 0
				break
			}
			width = len(items)
		}
		if x.widths = append(x.widths, max(width, 0)); width <= 0 {
			columns = append(columns, c)
			continue
		}
		x.t.note("column %s has lists of %d numbers, which are the columns %s to %s", c.Name, width, elementName(c.Name, 0), elementName(c.Name, width-1))
		for k := range width {
			columns = append(columns, Column{Name: elementName(c.Name, k), Unit: c.Unit})
		}
	}
	x.t.Columns, x.t.byName = columns, nil
}

// elementName is the name of the column of a place of a list.
func elementName(column string, k int) string { return column + "_" + strconv.Itoa(k) }

// Elements returns the names of columns, with those of the elements in the place of a list's.
func (t *Table) Elements(names []string) []string {
	var out []string
	for _, name := range names {
		n := len(out)
		for k := 0; t.Column(name) < 0 && t.Column(elementName(name, k)) >= 0; k++ {
			out = append(out, elementName(name, k))
		}
		if len(out) == n {
			out = append(out, name)
		}
	}
	return out
}

// addList appends the cells of a list to its columns. Where there is another text, or a list of
// another length, each of them gets the text.
func addList(columns []Column, text string) {
	items, ok := listOf(text)
	for k := range columns {
		if ok && len(items) == len(columns) {
			columns[k].add(items[k], true)
		} else {
			columns[k].add(text, false)
		}
	}
}

// value adds the value of a JSON object's field. The elements of a list are columns of their own,
// and so are the fields of an object in the object.
func (t *Table) value(d *json.Decoder, name string, depth int) error {
	x, err := d.Token()
	if err != nil {
		return err
	}
	delim, nested := x.(json.Delim)
	if !nested {
		return t.scalar(name, x)
	}
	if depth == maxDepth {
		return fmt.Errorf("%s: lists and objects in one another; expected at most %d", name, maxDepth)
	}
	for k := 0; d.More(); k++ {
		element := elementName(name, k)
		if delim == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			element = fmt.Sprintf("%s.%v", name, key)
		}
		if err := t.value(d, element, depth+1); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// scalar adds a cell to the column of a name, which is made if there is none.
func (t *Table) scalar(name string, x json.Token) error {
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
		return errors.New("expected a number, a text, a Boolean, a list or an object")
	}
	return nil
}
