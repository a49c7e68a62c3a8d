package dataset

import (
	"fmt"
	"os"

	"github.com/fdplan/fdplan/internal/data/parquet"
)

// PlainParquet reads any Parquet file with flat columns, such as a log. It calls header once
// with the names of the columns and the number of rows, and row for each row, whose values are nil, bool, float64 or
// string, and valid until the next call. An error of row ends the reading.
func PlainParquet(f *os.File, header func(columns []string, rows int), row func([]any) error) error {
	file, err := openParquet(f)
	if err != nil {
		return err
	}
	rows := 0
	for i := range file.Groups {
		rows += file.Groups[i].Rows
	}
	header(file.Names(), rows)
	for i := range file.Groups {
		if err := plainGroup(file, &file.Groups[i], row); err != nil {
			return err
		}
	}
	return nil
}

// plainGroup reads all columns of a group side by side.
func plainGroup(file *parquet.File, g *parquet.Group, row func([]any) error) error {
	cursors := make([]*parquet.Cursor, len(file.Columns))
	for i := range cursors {
		cursors[i] = file.Cursor(g, i)
	}
	values := make([]any, len(cursors))
	var one [1]parquet.Value
	for range g.Rows {
		for i, c := range cursors {
			if _, err := c.Read(one[:]); err != nil {
				return fmt.Errorf("column %s: %w", file.Columns[i].Name, err)
			}
			values[i] = plainValue(&one[0])
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return nil
}

func plainValue(v *parquet.Value) any {
	switch {
	case v.Missing:
		return nil
	case v.Kind == parquet.Bool:
		return v.Number != 0
	case v.Kind == parquet.Text || v.Kind == parquet.Fixed:
		return string(v.Text)
	}
	return v.Number
}
