package dataset

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/data/npy"
)

// schemaMember is the member of an NPZ file that contains the schema.
const schemaMember = "schema.json"

// npzEncoder keeps the columns until the end, since an array's header contains its length.
type npzEncoder struct {
	w    io.Writer
	s    *Schema
	bool [][]bool
	int  [][]int64
	real [][]float64
	// rewards are those of the rows to come, a column more; nil for none.
	rewards []float64
}

func (e *npzEncoder) rows(values []float64) error {
	n := len(e.s.Columns)
	for i := range e.s.Columns {
		switch e.s.Columns[i].Type {
		case Bool:
			for at := i; at < len(values); at += n {
				e.bool[i] = append(e.bool[i], values[at] != 0)
			}
		case Real:
			for at := i; at < len(values); at += n {
				e.real[i] = append(e.real[i], values[at])
			}
		default:
			for at := i; at < len(values); at += n {
				e.int[i] = append(e.int[i], int64(values[at]))
			}
		}
	}
	return nil
}

func (e *npzEncoder) close() error {
	z := zip.NewWriter(e.w)
	text, err := json.Marshal(e.s)
	if err != nil {
		return err
	}
	m, err := z.Create(schemaMember)
	if err != nil {
		return err
	}
	if _, err := m.Write(text); err != nil {
		return err
	}
	for i := range e.s.Columns {
		err := npzMember(z, e.s.Columns[i].Name, func(w io.Writer) error {
			switch e.s.Columns[i].Type {
			case Bool:
				return npy.Write(w, e.bool[i])
			case Real:
				return npy.Write(w, e.real[i])
			}
			return npy.Write(w, e.int[i])
		})
		if err != nil {
			return err
		}
	}
	if e.rewards != nil {
		if err := npzMember(z, rewardName, func(w io.Writer) error { return npy.Write(w, e.rewards) }); err != nil {
			return err
		}
	}
	return z.Close()
}

// npzMember writes an array.
func npzMember(z *zip.Writer, name string, write func(io.Writer) error) error {
	m, err := z.Create(name + ".npy")
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(m, 1<<16)
	if err := write(buf); err != nil {
		return err
	}
	return buf.Flush()
}

// readNPZ reads a file written by npzEncoder.
func readNPZ(f *os.File) (*Data, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("no NPZ file: %v", err)
	}
	m, err := openMember(z, schemaMember)
	if err != nil {
		return nil, fmt.Errorf("the file has no member %s, expected a data set of fdplan collect", schemaMember)
	}
	text, err := io.ReadAll(io.LimitReader(m, maxSchema))
	m.Close()
	if err != nil {
		return nil, err
	}
	d := &Data{Schema: &Schema{}}
	if err := json.Unmarshal(text, d.Schema); err != nil {
		return nil, fmt.Errorf("%s: %v", schemaMember, err)
	}
	n := len(d.Schema.Columns)
	columns := make([][]float64, n)
	left := unpacked(info.Size(), npzRatio)
	for i := range d.Schema.Columns {
		c := &d.Schema.Columns[i]
		col, err := npzColumn(z, c, &left)
		if err != nil {
			return nil, fmt.Errorf("column %s: %v", c.Name, err)
		}
		if i == 0 {
			if err := RoomFor(len(col), n); err != nil {
				return nil, err
			}
			// An array has a byte for each value.
			if int64(len(col))*int64(n) > unpacked(info.Size(), npzRatio) {
				return nil, errUnpacked
			}
		}
		if columns[i] = col; len(col) != len(columns[0]) {
			return nil, fmt.Errorf("column %s has %d rows, the first has %d", c.Name, len(col), len(columns[0]))
		}
	}
	d.addColumns(columns)
	if has(z, rewardName+".npy") && !d.Schema.hasReward() {
		rewards, err := npzColumn(z, &Column{Name: rewardName, Type: Real}, &left)
		if err != nil {
			return nil, fmt.Errorf("column %s: %v", rewardName, err)
		}
		if len(rewards) != d.Rows {
			return nil, fmt.Errorf("column %s has %d rows, the first has %d", rewardName, len(rewards), d.Rows)
		}
		d.Rewards = rewards
	}
	return d, nil
}

// addColumns appends the rows of columns.
func (d *Data) addColumns(columns [][]float64) {
	row := make([]float64, len(columns))
	for k := range columns[0] {
		for i := range row {
			row[i] = columns[i][k]
		}
		d.Add(row)
	}
}

// has reports whether an archive has a member.
func has(z *zip.Reader, name string) bool {
	return slices.ContainsFunc(z.File, func(m *zip.File) bool { return m.Name == name })
}

// npzColumn reads an array of one dimension. left is how many bytes may still be
// unpacked from the file.
func npzColumn(z *zip.Reader, c *Column, left *int64) ([]float64, error) {
	m, err := openMember(z, c.Name+".npy")
	if err != nil {
		return nil, err
	}
	defer m.Close()
	text, err := io.ReadAll(io.LimitReader(m, *left+1))
	if err != nil {
		return nil, err
	}
	if *left -= int64(len(text)); *left < 0 {
		return nil, errUnpacked
	}
	a, err := npy.Parse(text)
	if err != nil {
		return nil, err
	}
	kinds := "iu"
	switch c.Type {
	case Bool:
		kinds = "b"
	case Real:
		kinds = "fiu"
	}
	switch {
	case len(a.Shape) != 1:
		return nil, fmt.Errorf("an array of shape %v, expected one dimension", a.Shape)
	case strings.IndexByte(kinds, a.Kind()) < 0:
		return nil, fmt.Errorf("values of type %q, expected %s", a.Header.Type, c.Type)
	}
	return a.Values(), nil
}

// openMember opens a member by its exact name. The Open method of zip.Reader takes
// paths only, which names of columns need not be.
func openMember(z *zip.Reader, name string) (io.ReadCloser, error) {
	for _, m := range z.File {
		if m.Name == name {
			return m.Open()
		}
	}
	return nil, fmt.Errorf("the file has no member %s", name)
}
