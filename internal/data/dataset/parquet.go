package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// schemaKey is the key of the schema in a Parquet file's metadata.
const schemaKey = "fdplan.schema"

// maxSchema bounds the schema in a file, in bytes.
const maxSchema = 64 << 20

// rowGroup is the number of rows of a row group.
const rowGroup = 1 << 16

// orderedGroup is a group of columns in the order given; parquet.Group sorts
// them by name.
type orderedGroup struct {
	parquet.Group
	names []string
}

func (g orderedGroup) Fields() []parquet.Field {
	sorted := g.Group.Fields()
	out := make([]parquet.Field, len(sorted))
	for _, f := range sorted {
		out[slices.Index(g.names, f.Name())] = f
	}
	return out
}

func parquetNode(c *Column) parquet.Node {
	switch c.Type {
	case Bool:
		return parquet.Leaf(parquet.BooleanType)
	case Real:
		return parquet.Leaf(parquet.DoubleType)
	case Enum:
		return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	}
	return parquet.Int(intWidth(c))
}

func intWidth(c *Column) int {
	if c.Bounded && c.Lo >= math.MinInt32 && c.Hi <= math.MaxInt32 {
		return 32
	}
	return 64
}

type parquetEncoder struct {
	w     *parquet.GenericWriter[any]
	s     *Schema
	cols  []*parquet.ColumnWriter
	buf   []parquet.Value
	names [][]parquet.Value // by column, an enumeration's values
	held  int               // rows in the open row group
	// rewards are those of the rows to come, a column more; nil for none.
	rewards []float64
}

func newParquetEncoder(w io.Writer, s *Schema, rewards []float64) (*parquetEncoder, error) {
	if len(s.Columns) > math.MaxInt16 {
		return nil, fmt.Errorf("%d columns are more than a Parquet file can hold here, expected at most %d", len(s.Columns), math.MaxInt16)
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	g := orderedGroup{Group: parquet.Group{}}
	e := &parquetEncoder{s: s, rewards: rewards, names: make([][]parquet.Value, len(s.Columns))}
	for i := range s.Columns {
		c := &s.Columns[i]
		g.Group[c.Name] = parquetNode(c)
		g.names = append(g.names, c.Name)
		for _, v := range c.Values {
			e.names[i] = append(e.names[i], parquet.ByteArrayValue([]byte(v)).Level(0, 0, i))
		}
	}
	if rewards != nil {
		g.Group[rewardName] = parquet.Leaf(parquet.DoubleType)
		g.names = append(g.names, rewardName)
	}
	e.w = parquet.NewGenericWriter[any](w, parquet.NewSchema("transitions", g),
		parquet.CreatedBy("fdplan", "1", ""), parquet.KeyValueMetadata(schemaKey, string(text)),
		parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(rowGroup))
	e.cols = e.w.ColumnWriters()
	return e, nil
}

func (e *parquetEncoder) rows(values []float64) error {
	n := len(e.s.Columns)
	for len(values) > 0 {
		take := min(len(values)/n, rowGroup-e.held)
		for i := range e.s.Columns {
			if err := e.column(i, values[:take*n]); err != nil {
				return err
			}
		}
		if e.rewards != nil {
			if err := e.rewardColumn(take); err != nil {
				return err
			}
		}
		values = values[take*n:]
		if e.held += take; e.held == rowGroup {
			if err := e.w.Flush(); err != nil {
				return err
			}
			e.held = 0
		}
	}
	return nil
}

func (e *parquetEncoder) column(i int, values []float64) error {
	c := &e.s.Columns[i]
	wide := c.Type == Int && intWidth(c) == 64
	e.buf = e.buf[:0]
	for at := i; at < len(values); at += len(e.s.Columns) {
		v := values[at]
		var x parquet.Value
		switch {
		case c.Type == Bool:
			x = parquet.BooleanValue(v != 0)
		case c.Type == Real:
			x = parquet.DoubleValue(v)
		case c.Type == Enum:
			e.buf = append(e.buf, e.names[i][int(v)])
			continue
		case wide:
			x = parquet.Int64Value(int64(v))
		default:
			x = parquet.Int32Value(int32(v))
		}
		e.buf = append(e.buf, x.Level(0, 0, i))
	}
	_, err := e.cols[i].WriteRowValues(e.buf)
	return err
}

// rewardColumn writes the rewards of the next rows.
func (e *parquetEncoder) rewardColumn(rows int) error {
	at := len(e.s.Columns)
	e.buf = e.buf[:0]
	for _, y := range e.rewards[:rows] {
		e.buf = append(e.buf, parquet.DoubleValue(y).Level(0, 0, at))
	}
	e.rewards = e.rewards[rows:]
	_, err := e.cols[at].WriteRowValues(e.buf)
	return err
}

func (e *parquetEncoder) close() error { return e.w.Close() }

// readParquet reads a file written by parquetEncoder.
func readParquet(f *os.File) (*Data, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	pf, err := openParquet(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("no Parquet file: %v", err)
	}
	text, ok := pf.Lookup(schemaKey)
	if !ok {
		return nil, fmt.Errorf("the file's metadata has no %s, expected a data set of fdplan collect", schemaKey)
	}
	d := &Data{Schema: &Schema{}}
	if err := json.Unmarshal([]byte(text), d.Schema); err != nil {
		return nil, fmt.Errorf("%s: %v", schemaKey, err)
	}
	n := len(d.Schema.Columns)
	leaves := pf.Schema().Columns()
	rewards := len(leaves) == n+1 && len(leaves[n]) == 1 && leaves[n][0] == rewardName && !d.Schema.has(rewardName)
	for i := range d.Schema.Columns {
		if len(leaves) != n && !rewards || len(leaves[i]) != 1 || leaves[i][0] != d.Schema.Columns[i].Name {
			return nil, fmt.Errorf("the columns are not those of its %s", schemaKey)
		}
	}
	// All rows at once: to enlarge a table of a GiB stops everything else for a second.
	if err := RoomFor(int(pf.NumRows()), n); err != nil {
		return nil, err
	}
	d.Values = make([]float64, 0, max(0, int(pf.NumRows()))*n)
	for _, g := range pf.RowGroups() {
		at := d.Rows
		d.Rows += int(g.NumRows())
		if err := RoomFor(d.Rows, n); err != nil {
			return nil, err
		}
		d.Values = slices.Grow(d.Values, d.Rows*n-len(d.Values))[:d.Rows*n]
		chunks := g.ColumnChunks()
		for i := range d.Schema.Columns {
			c := &d.Schema.Columns[i]
			if err := readChunk(c, chunks[i], d.Rows-at, func(row int, v float64) { d.Values[(at+row)*n+i] = v }); err != nil {
				return nil, fmt.Errorf("column %s: %v", c.Name, err)
			}
		}
		if rewards {
			d.Rewards = slices.Grow(d.Rewards, d.Rows-at)[:d.Rows]
			c := &Column{Name: rewardName, Type: Real}
			if err := readChunk(c, chunks[n], d.Rows-at, func(row int, v float64) { d.Rewards[at+row] = v }); err != nil {
				return nil, fmt.Errorf("column %s: %v", rewardName, err)
			}
		}
	}
	return d, nil
}

// readChunk calls set with the value of column c in each row of a row group.
func readChunk(c *Column, chunk parquet.ColumnChunk, rows int, set func(row int, v float64)) error {
	index := map[string]float64{}
	for k, v := range c.Values {
		index[v] = float64(k)
	}
	pages := chunk.Pages()
	defer pages.Close()
	buf := make([]parquet.Value, 1024)
	at := 0
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		values := page.Values()
		for {
			k, err := values.ReadValues(buf)
			for _, x := range buf[:k] {
				if at >= rows {
					return errors.New("it has more values than rows")
				}
				v, err := fromParquet(c, x, index)
				if err != nil {
					return fmt.Errorf("row %d of its group: %v", at+1, err)
				}
				set(at, v)
				at++
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
		}
		parquet.Release(page)
	}
	if at != rows {
		return errors.New("it has fewer values than rows")
	}
	return nil
}

func fromParquet(c *Column, x parquet.Value, index map[string]float64) (float64, error) {
	switch k := x.Kind(); {
	case c.Type == Bool && k == parquet.Boolean:
		if x.Boolean() {
			return 1, nil
		}
		return 0, nil
	case c.Type == Int && k == parquet.Int32:
		return float64(x.Int32()), nil
	case c.Type == Int && k == parquet.Int64:
		return float64(x.Int64()), nil
	case c.Type == Real && k == parquet.Double:
		return x.Double(), nil
	case c.Type == Enum && k == parquet.ByteArray:
		if v, ok := index[string(x.ByteArray())]; ok {
			return v, nil
		}
		return 0, fmt.Errorf("%q is not a value of the enumeration", x.ByteArray())
	default:
		return 0, fmt.Errorf("a value of kind %s, expected one of type %s", k, c.Type)
	}
}
