package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// The kinds of pages.
const (
	pageData       = 0
	pageDictionary = 2
	pageData2      = 3
)

// maxHeader bounds the header of a page, in bytes.
const maxHeader = 1 << 20

// Cursor reads the values of a column of a group in order.
type Cursor struct {
	f     *File
	c     *Column
	codec int64
	at    int64 // of the next page
	end   int64
	left  int // rows of the group

	dictionary []Value
	values     decoder
	defined    *hybrid // whether each value is there; nil for all
	page       int     // values left in the page
}

// Cursor returns a cursor at the beginning of a column of a group.
func (f *File) Cursor(g *Group, column int) *Cursor {
	x := g.chunks[column]
	return &Cursor{f: f, c: &f.Columns[column], codec: x.codec, at: x.at, end: x.at + x.size, left: g.Rows}
}

// Next reads a value. A column has as many values as its group has rows; io.EOF follows the last.
func (c *Cursor) Next(v *Value) error {
	if c.left == 0 {
		return io.EOF
	}
	for c.page == 0 {
		if c.at >= c.end {
			return errors.New("it has fewer values than rows")
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	c.page--
	c.left--
	v.Kind, v.Missing, v.Text = c.c.Kind, false, nil
	if c.defined != nil {
		level, err := c.defined.next()
		if err != nil {
			return err
		}
		if level == 0 {
			v.Missing, v.Number = true, 0
			return nil
		}
	}
	return c.values(v)
}

// next reads the next page.
func (c *Cursor) next() error {
	h, err := c.header()
	if err != nil {
		return err
	}
	size, unpacked := h.int(3), h.int(2)
	if size < 0 || size > c.end-c.at {
		return fmt.Errorf("a page of %d bytes, where %d are left", size, c.end-c.at)
	}
	if unpacked < 0 || unpacked > c.f.most {
		return ErrUnpacked
	}
	packed := make([]byte, size)
	if _, err := c.f.r.ReadAt(packed, c.at); err != nil {
		return err
	}
	c.at += size
	switch h.int(1) {
	case pageDictionary:
		return c.readDictionary(h.structure(7), packed, unpacked)
	case pageData:
		return c.readPage(h.structure(5), packed, unpacked)
	case pageData2:
		return c.readPage2(h.structure(8), packed, unpacked)
	}
	return nil // an index
}

// header reads the header of the page at c.at, and goes on after it.
func (c *Cursor) header() (fields, error) {
	for size := int64(256); ; size *= 4 { // minima and maxima can be long
		window := make([]byte, min(size, c.end-c.at))
		if _, err := c.f.r.ReadAt(window, c.at); err != nil {
			return nil, err
		}
		r := thriftReader{text: window}
		h, err := r.structure(0)
		if err == nil {
			c.at += int64(r.at)
			return h, nil
		}
		if int64(len(window)) < size || size >= maxHeader {
			return nil, errors.New("the header of a page is broken")
		}
	}
}

// readDictionary reads the values that pages refer to.
func (c *Cursor) readDictionary(h fields, packed []byte, unpacked int64) error {
	data, err := unpack(c.codec, packed, unpacked)
	if err != nil {
		return err
	}
	n, least := h.int(1), 4 // bytes of a value
	if w := width(c.c.Kind, c.c.length); w > 0 {
		least = w
	}
	if n < 0 || n > int64(len(data)/least) {
		return fmt.Errorf("a dictionary of %d values in %d bytes", n, len(data))
	}
	next := plain(c.c, data)
	c.dictionary = make([]Value, n)
	for i := range c.dictionary {
		c.dictionary[i].Kind = c.c.Kind
		if err := next(&c.dictionary[i]); err != nil {
			return err
		}
	}
	return nil
}

// begin sets the number of values of a page.
func (c *Cursor) begin(n int64) error {
	if n < 0 || n > int64(c.left) {
		return fmt.Errorf("a page of %d values in a group with %d more rows", n, c.left)
	}
	c.page, c.defined = int(n), nil
	return nil
}

func (c *Cursor) readPage(h fields, packed []byte, unpacked int64) error {
	if err := c.begin(h.int(1)); err != nil {
		return err
	}
	data, err := unpack(c.codec, packed, unpacked)
	if err != nil {
		return err
	}
	if c.c.optional {
		if h.int(3) != encodingRLE {
			return fmt.Errorf("levels in encoding %d", h.int(3))
		}
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return errCut
		}
		n := 4 + binary.LittleEndian.Uint32(data)
		c.defined, data = &hybrid{data: data[4:n], width: 1}, data[n:]
	}
	return c.decode(h.int(2), data)
}

func (c *Cursor) readPage2(h fields, packed []byte, unpacked int64) error {
	if err := c.begin(h.int(1)); err != nil {
		return err
	}
	repeated, defined := h.int(6), h.int(5)
	if repeated != 0 || defined < 0 || defined > int64(len(packed)) || defined > unpacked {
		return errCut
	}
	if c.c.optional {
		c.defined = &hybrid{data: packed[:defined], width: 1}
	}
	codec := c.codec
	if is, said := h[7].(bool); said && !is {
		codec = uncompressed
	}
	data, err := unpack(codec, packed[defined:], unpacked-defined)
	if err != nil {
		return err
	}
	return c.decode(h.int(4), data)
}

// decode sets the decoder of a page's values.
func (c *Cursor) decode(encoding int64, data []byte) (err error) {
	switch encoding {
	case encodingPlain:
		c.values = plain(c.c, data)
	case encodingPlainDictionary, encodingDictionary:
		if len(data) == 0 {
			data = []byte{0} // a page of missing values
		}
		if data[0] > 32 {
			return errCut
		}
		c.values = indexed(c.dictionary, &hybrid{data: data[1:], width: uint(data[0])})
	case encodingRLE:
		if c.c.Kind != Bool || len(data) < 4 {
			return fmt.Errorf("a column of %v in encoding %d", c.c.Kind, encoding)
		}
		c.values = flags(&hybrid{data: data[4:], width: 1})
	case encodingDelta:
		if c.c.Kind != Int32 && c.c.Kind != Int64 {
			return fmt.Errorf("a column of %v in encoding %d", c.c.Kind, encoding)
		}
		d, err := newDelta(data, c.page)
		if err != nil {
			return err
		}
		c.values = d.next
	case encodingDeltaLength, encodingDeltaText:
		if c.c.Kind != Text && c.c.Kind != Fixed {
			return fmt.Errorf("a column of %v in encoding %d", c.c.Kind, encoding)
		}
		c.values, err = texts(data, c.page, encoding == encodingDeltaText)
	case encodingSplit:
		c.values, err = split(c.c, data)
	default:
		return fmt.Errorf("encoding %d is unknown", encoding)
	}
	return err
}

// number reads a number of a kind of a fixed size.
func number(kind Kind, b []byte) float64 {
	switch kind {
	case Int32:
		return float64(int32(binary.LittleEndian.Uint32(b)))
	case Int64:
		return float64(int64(binary.LittleEndian.Uint64(b)))
	case Float:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case Double:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	const epoch = 2440588 // Julian day of 1970-01-01
	day := int64(binary.LittleEndian.Uint32(b[8:])) - epoch
	return float64(day*86400e9 + int64(binary.LittleEndian.Uint64(b)))
}

// width is the number of bytes of a value of a kind; 0 if it differs.
func width(kind Kind, length int) int {
	switch kind {
	case Int32, Float:
		return 4
	case Int64, Double:
		return 8
	case Int96:
		return 12
	case Fixed:
		return length
	}
	return 0
}
