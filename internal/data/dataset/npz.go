package dataset

import (
	"archive/zip"
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
	w       io.Writer
	s       *Schema
	columns []Column
	values  [][]float64 // by column
}

func (e *npzEncoder) rows(values []float64) error {
	for i := range e.columns {
		for at := i; at < len(values); at += len(e.columns) {
			e.values[i] = append(e.values[i], values[at])
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
	for i := range e.columns {
		c := &e.columns[i]
		m, err := z.Create(c.Name + ".npy")
		if err != nil {
			return err
		}
		kind := byte('i')
		switch c.Type {
		case Bool:
			kind = 'b'
		case Real:
			kind = 'f'
		}
		if err := npy.Write(m, kind, e.values[i]); err != nil {
			return err
		}
	}
	return z.Close()
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
	columns := d.Schema.columns(has(z, rewardName+".npy") && !d.Schema.hasReward())
	values := make([][]float64, len(columns))
	left := unpacked(info.Size(), npzRatio)
	for i := range columns {
		c := &columns[i]
		if values[i], err = npzColumn(z, c, &left); err != nil {
			return nil, fmt.Errorf("column %s: %v", c.Name, err)
		}
		rows := len(values[0])
		if i == 0 {
			if err := RoomFor(rows, n); err != nil {
				return nil, err
			}
			// An array has a byte for each value.
			if int64(rows)*int64(n) > unpacked(info.Size(), npzRatio) {
				return nil, errUnpacked
			}
		}
		if len(values[i]) != rows {
			return nil, fmt.Errorf("column %s has %d rows, the first has %d", c.Name, len(values[i]), rows)
		}
	}
	row := make([]float64, len(columns))
	for k := range values[0] {
		for i := range row {
			row[i] = values[i][k]
		}
		d.addRewarded(row)
	}
	return d, nil
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
