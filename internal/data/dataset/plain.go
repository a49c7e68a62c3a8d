package dataset

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// PlainParquet reads any Parquet file with flat columns, such as a log. It calls header once
// with the names of the columns, and row for each row, whose values are nil, bool, float64 or
// string, and valid until the next call. An error of row ends the reading. An error of row ends the reading.
func PlainParquet(f *os.File, header func([]string), row func([]any) error) (err error) {
	defer func() { // broken files can make the library panic
		if p := recover(); p != nil {
			err = fmt.Errorf("the file is broken: %v", p)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	file, err := openParquet(f, info.Size())
	if err != nil {
		return err
	}
	var names []string
	for _, path := range file.Schema().Columns() {
		if len(path) != 1 {
			return fmt.Errorf("column %s is nested; expected columns of numbers, texts and Booleans", strings.Join(path, "."))
		}
		names = append(names, path[0])
	}
	header(names)
	for _, g := range file.RowGroups() {
		if err := plainGroup(g, len(names), row); err != nil {
			return err
		}
	}
	return nil
}

func plainGroup(g parquet.RowGroup, width int, row func([]any) error) error {
	rows := g.Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, 256)
	values := make([]any, width)
	for {
		n, err := rows.ReadRows(buffer)
		for _, r := range buffer[:n] {
			if len(r) != width {
				return fmt.Errorf("a row has %d values, expected %d", len(r), width)
			}
			for _, v := range r {
				values[v.Column()] = plainValue(v)
			}
			if err := row(values); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func plainValue(v parquet.Value) any {
	switch {
	case v.IsNull():
		return nil
	case v.Kind() == parquet.Boolean:
		return v.Boolean()
	case v.Kind() == parquet.Int32:
		return float64(v.Int32())
	case v.Kind() == parquet.Int64:
		return float64(v.Int64())
	case v.Kind() == parquet.Float:
		return float64(v.Float())
	case v.Kind() == parquet.Double:
		return v.Double()
	}
	return string(v.ByteArray())
}
