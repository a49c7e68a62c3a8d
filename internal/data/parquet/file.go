// Package parquet reads and writes Parquet files with flat columns: numbers, Booleans and texts
// that may be missing, without lists and structures (https://parquet.apache.org/docs/file-format).
//
// It reads every encoding of the format, and every compression but LZO and Hadoop's LZ4. It takes
// memory for what a file has, not for what its metadata claim.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Kind is a type of values.
type Kind int

// The kinds, by their numbers in the format.
const (
	Bool   Kind = 0
	Int32  Kind = 1
	Int64  Kind = 2
	Int96  Kind = 3 // a time stamp of old, read as nanoseconds since 1970
	Float  Kind = 4
	Double Kind = 5
	Text   Kind = 6 // bytes
	Fixed  Kind = 7 // bytes, as many in each value
)

// String is the name of a kind in the format.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprint("type ", int(k))
	}
	return kindNames[k]
}

var kindNames = [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

// Value is one value. Texts are valid until the next is read.
type Value struct {
	Kind    Kind
	Missing bool
	Number  float64 // 0 or 1 of a Boolean
	Text    []byte
}

// Column is a column of a file.
type Column struct {
	Name string
	Kind Kind

	optional bool
	length   int // bytes of a Fixed
}

// File is a file that is read.
type File struct {
	Columns  []Column
	Rows     int
	Metadata map[string]string
	Groups   []Group

	r    io.ReaderAt
	size int64
	most int64
}

// Group is a group of rows.
type Group struct {
	Rows   int
	chunks []chunk
}

// chunk is a column of a group.
type chunk struct {
	codec int64
	at    int64 // of its first page
	size  int64 // of its pages
}

// maxFooter bounds the metadata of a file, in bytes.
const maxFooter = 64 << 20

// maxRows bounds the rows of a file.
const maxRows = 1 << 40

// ErrUnpacked is wrapped by the error for a file that claims to unpack to more than it may.
var ErrUnpacked = errors.New("it unpacks to many more bytes than it has; expected a data set")

// Open reads the metadata of a file of so many bytes, which may unpack to most bytes.
func Open(r io.ReaderAt, size, most int64) (*File, error) {
	var tail [8]byte
	if size < 12 {
		return nil, errors.New("it is too short")
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return nil, errors.New("it is too short")
	}
	if string(tail[4:]) != "PAR1" {
		return nil, errors.New("it does not end as a Parquet file does")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-12 || n > maxFooter {
		return nil, fmt.Errorf("a footer of %d bytes in a file of %d; at most %d are read", n, size, maxFooter)
	}
	text := make([]byte, n)
	if _, err := r.ReadAt(text, size-8-n); err != nil {
		return nil, err
	}
	footer, err := (&thriftReader{text: text}).structure(0)
	if err != nil {
		return nil, errors.New("the footer is broken")
	}
	f := &File{Metadata: map[string]string{}, r: r, size: size, most: most}
	for _, pair := range footer.structures(5) {
		f.Metadata[pair.text(1)] = pair.text(2)
	}
	if err := f.readSchema(footer.structures(2)); err != nil {
		return nil, err
	}
	if err := f.readGroups(footer.structures(4)); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) readSchema(elements []fields) error {
	if len(elements) == 0 || elements[0].int(5) < 0 {
		return errors.New("the footer is broken")
	}
	for _, e := range elements[1:] {
		if e.int(5) > 0 || e.int(3) == 2 {
			return fmt.Errorf("column %s is nested; expected columns of numbers, texts and Booleans", e.text(4))
		}
		c := Column{Name: e.text(4), Kind: Kind(e.int(1)), optional: e.int(3) == 1, length: int(e.int(2))}
		if c.Kind < 0 || c.Kind > Fixed || c.Kind == Fixed && (c.length < 1 || c.length > math.MaxInt16) {
			return fmt.Errorf("column %s has %v", c.Name, c.Kind)
		}
		f.Columns = append(f.Columns, c)
	}
	return nil
}

func (f *File) readGroups(groups []fields) error {
	left := f.most
	for _, g := range groups {
		rows := g.int(3)
		if rows < 0 || rows > maxRows || f.Rows > maxRows {
			return fmt.Errorf("a group of %d rows", rows)
		}
		f.Rows += int(rows)
		group := Group{Rows: int(rows)}
		for _, c := range g.structures(1) {
			if left -= rows * 8; left < 0 {
				return ErrUnpacked
			}
			m := c.structure(3)
			x := chunk{codec: m.int(4), at: m.int(9), size: m.int(7)}
			if d := m.int(11); d != 0 {
				x.at = d
			}
			if x.at < 4 || x.size < 0 || x.at > f.size || x.size > f.size-x.at {
				return fmt.Errorf("a column of %d bytes at %d in a file of %d", x.size, x.at, f.size)
			}
			group.chunks = append(group.chunks, x)
		}
		if len(group.chunks) != len(f.Columns) {
			return fmt.Errorf("a group of %d columns in a file of %d", len(group.chunks), len(f.Columns))
		}
		f.Groups = append(f.Groups, group)
	}
	return nil
}

// Names are the names of the columns.
func (f *File) Names() []string {
	var out []string
	for _, c := range f.Columns {
		out = append(out, strings.Clone(c.Name))
	}
	return out
}
