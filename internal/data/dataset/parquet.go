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
	rewards := len(leaves) == n+1 && leaves[n].Name == rewardName && !d.Schema.hasReward()
	for i := range d.Schema.Columns {
		if len(leaves) != n && !rewards || leaves[i].Name != d.Schema.Columns[i].Name {
			return nil, fmt.Errorf("the columns are not those of its %s", schemaKey)
		}
	}
	if err := RoomFor(pf.Rows, n); err != nil {
		return nil, err
	}
	columns := d.Schema.Columns
	if rewards {
		columns = append(slices.Clone(columns), Column{Name: rewardName, Type: Real})
	}
	for k := range pf.Groups {
		if err := readGroup(d, columns, pf, &pf.Groups[k]); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// readGroup adds the rows of a group to d, some at a time. A column behind those of d has the rewards.
func readGroup(d *Data, columns []Column, pf *parquet.File, g *parquet.Group) error {
	const some = 1 << 8
	n, width := len(d.Schema.Columns), len(columns)
	block, buf := make([]float64, some*width), make([]parquet.Value, some)
	chunks := make([]*chunk, width)
	for i := range columns {
		chunks[i] = newChunk(&columns[i], pf.Cursor(g, i))
	}
	for at := 0; at < g.Rows; at += some {
		rows := min(some, g.Rows-at)
		for i, c := range chunks {
			if err := c.read(buf[:rows], func(row int, v float64) { block[row*width+i] = v }); err != nil {
				return fmt.Errorf("column %s: %v", c.column.Name, err)
			}
		}
		for row := block[:rows*width]; len(row) > 0; row = row[width:] {
			if d.Add(row[:n]); width > n {
				d.Rewards = append(d.Rewards, row[n])
			}
		}
	}
	return nil
}

// chunk is the column of a group of rows that is being read.
type chunk struct {
	column *Column
	index  map[string]float64 // of an enumeration's values
	from   *parquet.Cursor
	at     int
}

func newChunk(c *Column, from *parquet.Cursor) *chunk {
	x := &chunk{column: c, index: map[string]float64{}, from: from}
	for k, v := range c.Values {
		x.index[v] = float64(k)
	}
	return x
}

// read calls set with the next values, as many as buf has room for.
func (x *chunk) read(buf []parquet.Value, set func(row int, v float64)) error {
	for row := 0; row < len(buf); {
		n, err := x.from.Read(buf[row:])
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		for ; n > 0; n-- {
			v, err := fromParquet(x.column, &buf[row], x.index)
			if err != nil {
				return fmt.Errorf("row %d of its group: %v", x.at+1, err)
			}
			set(row, v)
			row++
			x.at++
		}
	}
	return nil
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
