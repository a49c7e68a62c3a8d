package dataset

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/fdplan/fdplan/internal/data/parquet"
)

// schemaKey is the key of the schema in a Parquet file's metadata.
const schemaKey = "fdplan.schema"

// maxSchema bounds the schema in a file, in bytes.
const maxSchema = 64 << 20

// rowGroup is the number of rows of a row group; tests make it smaller.
var rowGroup = 1 << 16

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
	w     *parquet.Writer
	width int
	held  int // rows in the open row group
}

func newParquetEncoder(w io.Writer, s *Schema, of []Column) (*parquetEncoder, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var columns []parquet.WriteColumn
	for i := range of {
		columns = append(columns, parquet.WriteColumn{Name: of[i].Name, Kind: parquetKind(&of[i]), Values: of[i].Values})
	}
	e := &parquetEncoder{width: len(of)}
	e.w, err = parquet.NewWriter(w, columns, [2]string{schemaKey, string(text)})
	return e, err
}

func (e *parquetEncoder) rows(values []float64) error {
	for ; len(values) > 0; values = values[e.width:] {
		for i, v := range values[:e.width] {
			e.w.Add(i, v)
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

// OpenParquet opens a Parquet file that unpacks to no more than its size allows.
func OpenParquet(f *os.File) (*parquet.File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return parquet.Open(f, info.Size(), unpacked(info.Size(), parquetRatio))
}

// readParquet reads a file written by parquetEncoder.
func readParquet(f *os.File) (*Data, error) {
	pf, err := OpenParquet(f)
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
	for k := range pf.Groups {
		if err := readGroup(d, d.Schema.columns(rewards), pf, &pf.Groups[k]); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// readGroup adds the rows of a group to d. A column behind those of d has the rewards.
func readGroup(d *Data, columns []Column, pf *parquet.File, g *parquet.Group) error {
	row, from, index := make([]float64, len(columns)), make([]*parquet.Cursor, len(columns)), make([]map[string]float64, len(columns))
	for i := range columns {
		from[i], index[i] = pf.Cursor(g, i), columns[i].index()
	}
	var v parquet.Value
	for at := range g.Rows {
		for i := range columns {
			err := from[i].Next(&v)
			if err == nil {
				if row[i], err = fromParquet(&columns[i], &v, index[i]); err != nil {
					err = fmt.Errorf("row %d of its group: %v", at+1, err)
				}
			}
			if err != nil {
				return fmt.Errorf("column %s: %v", columns[i].Name, err)
			}
		}
		d.addRewarded(row)
	}
	return nil
}

// index numbers the values of an enumeration.
func (c *Column) index() map[string]float64 {
	index := map[string]float64{}
	for k, v := range c.Values {
		index[v] = float64(k)
	}
	return index
}

// addRewarded appends a row of the columns of d and, behind them, perhaps the reward.
func (d *Data) addRewarded(row []float64) {
	n := len(d.Schema.Columns)
	if d.Add(row[:n]); len(row) > n {
		d.Rewards = append(d.Rewards, row[n])
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
