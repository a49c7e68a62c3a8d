package dataset

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/fdplan/fdplan/internal/data/parquet"
)

// schemaKey is the key of the schema in a Parquet file's metadata.
const schemaKey = "fdplan.schema"

// maxSchema bounds the schema in a file, in bytes.
const maxSchema = 64 << 20

// rowGroup is the number of rows of a row group.
const rowGroup = 1 << 16

func parquetKind(c *Column) parquet.Kind {
	switch {
	case c.Type == Bool:
		return parquet.Bool
	case c.Type == Real:
		return parquet.Double
	case c.Type == Enum:
		return parquet.Text
	case c.Bounded && c.Lo >= math.MinInt32 && c.Hi <= math.MaxInt32:
		return parquet.Int32
	}
	return parquet.Int64
}

type parquetEncoder struct {
	w    *parquet.Writer
	s    *Schema
	held int // rows in the open row group
	// rewards are those of the rows to come, a column more; nil for none.
	rewards []float64
}

func newParquetEncoder(w io.Writer, s *Schema, rewards []float64) (*parquetEncoder, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var columns []parquet.WriteColumn
	for i := range s.Columns {
		c := &s.Columns[i]
		columns = append(columns, parquet.WriteColumn{Name: c.Name, Kind: parquetKind(c), Values: c.Values})
	}
	if rewards != nil {
		columns = append(columns, parquet.WriteColumn{Name: rewardName, Kind: parquet.Double})
	}
	e := &parquetEncoder{s: s, rewards: rewards}
	e.w, err = parquet.NewWriter(w, columns, [2]string{schemaKey, string(text)})
	return e, err
}

func (e *parquetEncoder) rows(values []float64) error {
	n := len(e.s.Columns)
	for ; len(values) > 0; values = values[n:] {
		for i, v := range values[:n] {
			e.w.Add(i, v)
		}
		if e.rewards != nil {
			e.w.Add(n, e.rewards[0])
			e.rewards = e.rewards[1:]
		}
		if e.held++; e.held == rowGroup {
			if err := e.w.Flush(); err != nil {
				return err
			}
			e.held = 0
		}
	}
	return nil
}

func (e *parquetEncoder) close() error { return e.w.Close() }

// openParquet opens a Parquet file that unpacks to no more than its size allows.
func openParquet(f *os.File) (*parquet.File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return parquet.Open(f, info.Size(), unpacked(info.Size(), parquetRatio))
}

// readParquet reads a file written by parquetEncoder.
func readParquet(f *os.File) (*Data, error) {
	pf, err := openParquet(f)
	if err != nil {
		return nil, fmt.Errorf("no Parquet file: %v", err)
	}
	text, ok := pf.Metadata[schemaKey]
	if !ok {
		return nil, fmt.Errorf("the file's metadata has no %s, expected a data set of fdplan collect", schemaKey)
	}
	d := &Data{Schema: &Schema{}}
	if err := json.Unmarshal([]byte(text), d.Schema); err != nil {
		return nil, fmt.Errorf("%s: %v", schemaKey, err)
	}
	n := len(d.Schema.Columns)
	leaves := pf.Columns
	rewards := len(leaves) == n+1 && leaves[n].Name == rewardName && !d.Schema.has(rewardName)
	for i := range d.Schema.Columns {
		if len(leaves) != n && !rewards || leaves[i].Name != d.Schema.Columns[i].Name {
			return nil, fmt.Errorf("the columns are not those of its %s", schemaKey)
		}
	}
	// All rows at once: to enlarge a table of a GiB stops everything else for a second.
	if err := RoomFor(pf.Rows, n); err != nil {
		return nil, err
	}
	d.Values = make([]float64, 0, pf.Rows*n)
	for k := range pf.Groups {
		g, at := &pf.Groups[k], d.Rows
		d.Rows += g.Rows
		if err := RoomFor(d.Rows, n); err != nil {
			return nil, err
		}
		d.Values = slices.Grow(d.Values, d.Rows*n-len(d.Values))[:d.Rows*n]
		for i := range d.Schema.Columns {
			c := &d.Schema.Columns[i]
			if err := readChunk(c, pf.Cursor(g, i), func(row int, v float64) { d.Values[(at+row)*n+i] = v }); err != nil {
				return nil, fmt.Errorf("column %s: %v", c.Name, err)
			}
		}
		if rewards {
			d.Rewards = slices.Grow(d.Rewards, d.Rows-at)[:d.Rows]
			c := &Column{Name: rewardName, Type: Real}
			if err := readChunk(c, pf.Cursor(g, n), func(row int, v float64) { d.Rewards[at+row] = v }); err != nil {
				return nil, fmt.Errorf("column %s: %v", rewardName, err)
			}
		}
	}
	return d, nil
}

// readChunk calls set with the value of column c in each row of a row group.
func readChunk(c *Column, from *parquet.Cursor, set func(row int, v float64)) error {
	index := map[string]float64{}
	for k, v := range c.Values {
		index[v] = float64(k)
	}
	buf := make([]parquet.Value, 1024)
	at := 0
	for {
		n, err := from.Read(buf)
		for i := range buf[:n] {
			v, err := fromParquet(c, &buf[i], index)
			if err != nil {
				return fmt.Errorf("row %d of its group: %v", at+1, err)
			}
			set(at, v)
			at++
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func fromParquet(c *Column, x *parquet.Value, index map[string]float64) (float64, error) {
	switch {
	case x.Missing:
		return 0, fmt.Errorf("no value, expected one of type %s", c.Type)
	case c.Type == Bool && x.Kind == parquet.Bool, c.Type == Int && (x.Kind == parquet.Int32 || x.Kind == parquet.Int64), c.Type == Real && x.Kind == parquet.Double:
		return x.Number, nil
	case c.Type == Enum && x.Kind == parquet.Text:
		if v, ok := index[string(x.Text)]; ok {
			return v, nil
		}
		return 0, fmt.Errorf("%q is not a value of the enumeration", x.Text)
	}
	return 0, fmt.Errorf("a value of kind %s, expected one of type %s", x.Kind, c.Type)
}
