package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Column is a column of a table. Columns with one Group stand under it.
type Column struct{ Group, Name string }

// Table is a table of the report.
type Table struct {
	Name    string // of its file
	Title   string
	Caption string
	Columns []Column
	Rows    [][]Cell // as many cells as there are columns, the first a label
	Foot    int      // that many of the last rows are sums
}

// add appends a row.
func (t *Table) add(cells ...Cell) { t.Rows = append(t.Rows, cells) }

// column appends columns of one group.
func (t *Table) column(group string, names ...string) {
	for _, n := range names {
		t.Columns = append(t.Columns, Column{group, n})
	}
}

// Span is a group's name and the number of its columns.
type Span struct {
	Name  string
	Width int
}

// Groups are the groups of the columns; empty when no column has one.
func (t *Table) Groups() []Span {
	var out []Span
	for _, c := range t.Columns {
		if k := len(out) - 1; k >= 0 && out[k].Name == c.Group {
			out[k].Width++
			continue
		}
		out = append(out, Span{c.Group, 1})
	}
	if len(out) == 1 && out[0].Name == "" {
		return nil
	}
	return out
}

// Body and Sums are the rows in their two parts.
func (t *Table) Body() [][]Cell { return t.Rows[:len(t.Rows)-t.Foot] }

// Sums are the last rows.
func (t *Table) Sums() [][]Cell { return t.Rows[len(t.Rows)-t.Foot:] }

// heads are the columns' full names.
func (t *Table) heads() []string {
	var out []string
	for _, c := range t.Columns {
		if c.Group != "" {
			out = append(out, c.Group+": "+c.Name)
			continue
		}
		out = append(out, c.Name)
	}
	return out
}

// writeCSV writes the table, with the IDs of the records of each row in a last
// column, with semicolons between.
func (t *Table) writeCSV(w io.Writer, records []Record) error {
	c := csv.NewWriter(w)
	if err := c.Write(append(t.heads(), "records")); err != nil {
		return err
	}
	for _, row := range t.Rows {
		var out, ids []string
		for _, cell := range row {
			out = append(out, cell.Text)
			for _, k := range cell.Records {
				if id := records[k].ID; !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
		}
		if err := c.Write(append(out, strings.Join(ids, "; "))); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// Markdown is the table for the report as Markdown; a number is followed by the
// records it is from, as numbers of the listing.
func (t *Table) Markdown() string {
	rows := [][]string{nil, nil}
	for _, h := range t.heads() {
		rows[0], rows[1] = append(rows[0], plain(h)), append(rows[1], "---")
	}
	for _, row := range t.Rows {
		var out []string
		for _, c := range row {
			text := plain(c.Text)
			if len(c.Records) > 0 {
				text += " <sup>" + ranges(c.Records) + "</sup>"
			}
			out = append(out, text)
		}
		rows = append(rows, out)
	}
	return lines(rows)
}

// lines writes rows of a table as Markdown.
func lines(rows [][]string) string {
	var b strings.Builder
	for _, cells := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	return b.String()
}

// ranges writes places of the listing, counted from 1, as 3-5, 9.
func ranges(records []int) string {
	at := slices.Clone(records)
	slices.Sort(at)
	at = slices.Compact(at)
	var out []string
	for i := 0; i < len(at); {
		k := i
		for k+1 < len(at) && at[k+1] == at[k]+1 {
			k++
		}
		if k > i {
			out = append(out, fmt.Sprintf("%d-%d", at[i]+1, at[k]+1))
		} else {
			out = append(out, fmt.Sprint(at[i]+1))
		}
		i = k + 1
	}
	return strings.Join(out, ", ")
}

// plain escapes what means something in Markdown or in the HTML inside of it.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
	return escapes.Replace(s)
}

var escapes = func() *strings.Replacer {
	pairs := []string{"&", "&amp;", "<", "&lt;", ">", "&gt;"}
	for _, c := range "\\`*_[]|#~!" {
		pairs = append(pairs, string(c), "\\"+string(c))
	}
	return strings.NewReplacer(pairs...)
}()
