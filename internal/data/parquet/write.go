package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	mathbits "math/bits"
	"slices"
)

// Writer writes a file whose columns have all their values.
type Writer struct {
	w       io.Writer
	at      int
	columns []WriteColumn
	pairs   [][2]string
	groups  []written
	buffers []buffer
}

// WriteColumn is a column to be written, of kind Bool, Int32, Int64 or Double, or of Text with the
// values that there can be.
type WriteColumn struct {
	Name   string
	Kind   Kind
	Values []string
}

// buffer has the values of a column in the group that is open.
type buffer struct {
	values  int
	plain   []byte
	indices []uint32
}

// written is a group that was written.
type written struct {
	rows   int
	chunks []writtenChunk
}

type writtenChunk struct{ dictionary, data, end, unpacked int }

// NewWriter begins a file with metadata, pairs of names and texts.
func NewWriter(w io.Writer, columns []WriteColumn, metadata ...[2]string) (*Writer, error) {
	out := &Writer{w: w, columns: columns, pairs: metadata, buffers: make([]buffer, len(columns))}
	return out, out.write([]byte("PAR1"))
}

func (w *Writer) write(data []byte) error {
	n, err := w.w.Write(data)
	w.at += n
	return err
}

// Add adds a value to a column: a number, 0 or 1 of a Bool, the place of a Text among its values.
func (w *Writer) Add(column int, value float64) {
	b := &w.buffers[column]
	switch w.columns[column].Kind {
	case Bool:
		if b.values%8 == 0 {
			b.plain = append(b.plain, 0)
		}
		if value != 0 {
			b.plain[len(b.plain)-1] |= 1 << (b.values % 8)
		}
	case Int32:
		b.plain = binary.LittleEndian.AppendUint32(b.plain, uint32(int32(value)))
	case Int64:
		b.plain = binary.LittleEndian.AppendUint64(b.plain, uint64(int64(value)))
	case Text:
		b.indices = append(b.indices, uint32(value))
	default:
		b.plain = binary.LittleEndian.AppendUint64(b.plain, math.Float64bits(value))
	}
	b.values++
}

// Flush ends a group of rows.
func (w *Writer) Flush() error {
	if len(w.buffers) == 0 || w.buffers[0].values == 0 {
		return nil
	}
	g := written{rows: w.buffers[0].values}
	for i := range w.buffers {
		b := &w.buffers[i]
		if b.values != g.rows {
			return fmt.Errorf("column %s has %d values; expected %d", w.columns[i].Name, b.values, g.rows)
		}
		var c writtenChunk
		encoding := encodingPlain
		if w.columns[i].Kind == Text {
			encoding = encodingDictionary
			values, dictionary := w.dictionary(i)
			c.dictionary = w.at
			if err := w.page(&c, dictionary, func(t *thriftWriter) {
				t.child(7, func() { t.i32(1, values); t.i32(2, encodingPlain) })
			}, pageDictionary); err != nil {
				return err
			}
		}
		c.data = w.at
		if err := w.page(&c, b.plain, func(t *thriftWriter) {
			t.child(5, func() { t.i32(1, g.rows); t.i32(2, encoding); t.i32(3, encodingRLE); t.i32(4, encodingRLE) })
		}, pageData); err != nil {
			return err
		}
		c.end = w.at
		g.chunks = append(g.chunks, c)
		*b = buffer{plain: b.plain[:0], indices: b.indices[:0]}
	}
	w.groups = append(w.groups, g)
	return nil
}

// dictionary returns the values of a column of texts that there are in the group, and makes its
// page refer to them.
func (w *Writer) dictionary(column int) (values int, text []byte) {
	b := &w.buffers[column]
	used := slices.Clone(b.indices)
	slices.Sort(used)
	used = slices.Compact(used)
	for _, i := range used {
		v := w.columns[column].Values[i]
		text = append(binary.LittleEndian.AppendUint32(text, uint32(len(v))), v...)
	}
	width := mathbits.Len(uint(len(used) - 1))
	groups := (len(b.indices) + 7) / 8
	b.plain = binary.AppendUvarint(append(b.plain, byte(width)), uint64(groups)<<1|1)
	packed := make([]byte, groups*width)
	for i, index := range b.indices {
		x, _ := slices.BinarySearch(used, index)
		for k := range width {
			packed[(i*width+k)/8] |= byte(x>>k&1) << ((i*width + k) % 8)
		}
	}
	b.plain = append(b.plain, packed...)
	return len(used), text
}

// page writes a page with its header.
func (w *Writer) page(c *writtenChunk, data []byte, kind func(t *thriftWriter), number int) error {
	packed := snappy(data)
	t := &thriftWriter{}
	t.structure(func() {
		t.i32(1, number)
		t.i32(2, len(data))
		t.i32(3, len(packed))
		kind(t)
	})
	c.unpacked += len(t.text) + len(data)
	if err := w.write(t.text); err != nil {
		return err
	}
	return w.write(packed)
}

// Close ends the file.
func (w *Writer) Close() error {
	if err := w.Flush(); err != nil {
		return err
	}
	t := &thriftWriter{}
	rows := 0
	for _, g := range w.groups {
		rows += g.rows
	}
	t.structure(func() {
		t.i32(1, 1)
		t.list(2, 12, len(w.columns)+1, func(i int) { t.structure(func() { w.element(t, i-1) }) })
		t.i64(3, rows)
		t.list(4, 12, len(w.groups), func(i int) { t.structure(func() { w.group(t, &w.groups[i]) }) })
		t.list(5, 12, len(w.pairs), func(i int) {
			t.structure(func() { t.string(1, w.pairs[i][0]); t.string(2, w.pairs[i][1]) })
		})
		t.string(6, "fdplan version 1")
	})
	t.text = binary.LittleEndian.AppendUint32(t.text, uint32(len(t.text)))
	return w.write(append(t.text, "PAR1"...))
}

// element writes a column of the schema, or the root of all for -1.
func (w *Writer) element(t *thriftWriter, i int) {
	if i < 0 {
		t.string(4, "transitions")
		t.i32(5, len(w.columns))
		return
	}
	c := &w.columns[i]
	t.i32(1, int(c.Kind))
	t.i32(3, 0)
	t.string(4, c.Name)
	if c.Kind == Text {
		t.i32(6, 0) // UTF8
	}
}

func (w *Writer) group(t *thriftWriter, g *written) {
	unpacked := 0
	for _, c := range g.chunks {
		unpacked += c.unpacked
	}
	t.list(1, 12, len(g.chunks), func(i int) { t.structure(func() { w.chunk(t, g, i) }) })
	t.i64(2, unpacked)
	t.i64(3, g.rows)
}

func (w *Writer) chunk(t *thriftWriter, g *written, i int) {
	c := &g.chunks[i]
	begin, encodings := c.data, []int64{encodingPlain, encodingRLE}
	if c.dictionary != 0 {
		begin, encodings = c.dictionary, append(encodings, encodingDictionary)
	}
	t.i64(2, begin)
	t.child(3, func() {
		t.i32(1, int(w.columns[i].Kind))
		t.list(2, 5, len(encodings), func(k int) { t.integer(encodings[k]) })
		t.list(3, 8, 1, func(int) { t.bytes(w.columns[i].Name) })
		t.i32(4, codecSnappy)
		t.i64(5, g.rows)
		t.i64(6, c.unpacked)
		t.i64(7, c.end-begin)
		t.i64(9, c.data)
		if c.dictionary != 0 {
			t.i64(11, c.dictionary)
		}
	})
}
