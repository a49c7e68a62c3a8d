package dataset

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/sbinet/npyio/npy"
	"github.com/sbinet/npyio/npz"
)

// schemaMember is the member of an NPZ file that holds the schema.
const schemaMember = "schema.json"

// npzEncoder keeps the columns until the end, since an array's header holds its
// length.
type npzEncoder struct {
	w    io.Writer
	s    *Schema
	bool [][]bool
	int  [][]int64
	real [][]float64
}

func newNPZEncoder(w io.Writer, s *Schema) (*npzEncoder, error) {
	n := len(s.Columns)
	return &npzEncoder{w, s, make([][]bool, n), make([][]int64, n), make([][]float64, n)}, nil
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
		m, err := z.Create(e.s.Columns[i].Name + ".npy")
		if err != nil {
			return err
		}
		buf := bufio.NewWriterSize(m, 1<<16)
		switch e.s.Columns[i].Type {
		case Bool:
			err = npy.Write(buf, e.bool[i])
		case Real:
			err = npy.Write(buf, e.real[i])
		default:
			err = npy.Write(buf, e.int[i])
		}
		if err != nil {
			return err
		}
		if err := buf.Flush(); err != nil {
			return err
		}
	}
	return z.Close()
}

// readNPZ reads a file of npzEncoder's.
func readNPZ(f *os.File) (*Data, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r, err := npz.NewReader(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("no NPZ file: %v", err)
	}
	m, err := r.Open(schemaMember)
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
	for i := range d.Schema.Columns {
		c := &d.Schema.Columns[i]
		col, err := npzColumn(r, c)
		if err != nil {
			return nil, fmt.Errorf("column %s: %v", c.Name, err)
		}
		if i == 0 {
			d.Rows = len(col)
			d.Values = make([]float64, d.Rows*n)
		}
		if len(col) != d.Rows {
			return nil, fmt.Errorf("column %s has %d rows, the first has %d", c.Name, len(col), d.Rows)
		}
		for row, v := range col {
			d.Values[row*n+i] = v
		}
	}
	return d, nil
}

// npzColumn reads an array. The whole member is read first: npyio takes short
// reads, which a decompressing reader gives, for values.
func npzColumn(r *npz.Reader, c *Column) ([]float64, error) {
	m, err := r.Open(c.Name + ".npy")
	if err != nil {
		return nil, err
	}
	defer m.Close()
	text, err := io.ReadAll(m)
	if err != nil {
		return nil, err
	}
	a, err := npy.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	size := 8
	if c.Type == Bool {
		size = 1
	}
	if shape := a.Header.Descr.Shape; len(shape) != 1 || shape[0] < 0 || shape[0] > len(text)/size {
		return nil, fmt.Errorf("an array of shape %v in %d bytes, expected one dimension", shape, len(text))
	}
	var out []float64
	switch c.Type {
	case Bool:
		var v []bool
		if err := a.Read(&v); err != nil {
			return nil, err
		}
		out = make([]float64, len(v))
		for i := range v {
			if v[i] {
				out[i] = 1
			}
		}
	case Real:
		if err := a.Read(&out); err != nil {
			return nil, err
		}
	default:
		var v []int64
		if err := a.Read(&v); err != nil {
			return nil, err
		}
		out = make([]float64, len(v))
		for i := range v {
			out[i] = float64(v[i])
		}
	}
	return out, nil
}
