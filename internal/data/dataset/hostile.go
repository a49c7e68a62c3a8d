package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The library takes memory for what the metadata of a Parquet file claim before it has read
// it: a few bytes can make it ask for more than there is, which ends the process. The claims
// are therefore compared with the size of the file first.

// Limits of the metadata: bytes of the footer, parts of it, bytes of the header of a page,
// and levels of parts within parts.
const (
	maxFooter = maxSchema
	maxParts  = 1 << 22
	maxHeader = 1 << 20
	maxDepth  = 32
)

var errFooter = errors.New("the footer is broken")

// openParquet opens a Parquet file whose metadata claim no more than its size allows.
func openParquet(f io.ReaderAt, size int64) (*parquet.File, error) {
	if err := checkFooter(f, size); err != nil {
		return nil, err
	}
	pf, err := parquet.OpenFile(f, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	left := unpacked(size, parquetRatio)
	groups := pf.Metadata().RowGroups
	for i := range groups {
		g := &groups[i]
		if g.NumRows < 0 || g.NumRows > maxValues {
			return nil, fmt.Errorf("a group of %d rows", g.NumRows)
		}
		for k := range g.Columns {
			if left -= g.NumRows * 8; left < 0 {
				return nil, errUnpacked
			}
			if err := checkPages(f, &g.Columns[k].MetaData, g.NumRows, unpacked(size, parquetRatio)); err != nil {
				return nil, err
			}
		}
	}
	return pf, nil
}

// checkFooter walks through the footer, whose size is in the last 8 bytes of the file.
func checkFooter(f io.ReaderAt, size int64) error {
	var tail [8]byte
	if _, err := f.ReadAt(tail[:], size-8); size < 12 || err != nil {
		return errors.New("it is too short")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-12 || n > maxFooter {
		return fmt.Errorf("a footer of %d bytes in a file of %d; at most %d are read", n, size, maxFooter)
	}
	text := make([]byte, n)
	if _, err := f.ReadAt(text, size-8-n); err != nil {
		return err
	}
	w := walker{text: text}
	if !w.structure(0) {
		return errFooter
	}
	return nil
}

// checkPages looks at the headers of a column's pages.
func checkPages(f io.ReaderAt, m *format.ColumnMetaData, rows, most int64) error {
	at := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		at = m.DictionaryPageOffset
	}
	if at < 0 || m.TotalCompressedSize < 0 {
		return errFooter
	}
	end := at + m.TotalCompressedSize
	window := make([]byte, 256)
	for at < end {
		n, err := f.ReadAt(window[:min(int64(len(window)), end-at)], at)
		if n == 0 {
			return fmt.Errorf("a page begins after the end of the file: %w", err)
		}
		w := walker{text: window[:n]}
		if !w.structure(0) {
			if n < len(window) || len(window) >= maxHeader {
				return errors.New("the header of a page is broken")
			}
			window = make([]byte, 4*len(window)) // minima and maxima can be long
			continue
		}
		var h format.PageHeader
		if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(window[:w.at])).Decode(&h); err != nil {
			return fmt.Errorf("the header of a page: %w", err)
		}
		size := int64(h.CompressedPageSize)
		if at += int64(w.at); size < 0 || size > end-at {
			return fmt.Errorf("a page of %d bytes, where %d are left", size, end-at)
		}
		if h.UncompressedPageSize < 0 || int64(h.UncompressedPageSize) > most {
			return errUnpacked
		}
		values := max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues, h.DataPageHeaderV2.V.NumRows)
		flat := len(m.PathInSchema) == 1 // a list has more values than rows
		if values < 0 || flat && int64(values) > rows {
			return fmt.Errorf("a page of %d values in a group of %d rows", values, rows)
		}
		if d := int64(h.DictionaryPageHeader.V.NumValues); d < 0 || d > max(rows, int64(h.UncompressedPageSize)) {
			return fmt.Errorf("a dictionary of %d values in %d bytes", d, h.UncompressedPageSize)
		}
		at += size
	}
	return nil
}

// walker walks through a value in Thrift's compact protocol (Apache Thrift,
// thrift-compact-protocol.md), and finds out whether it is as long as it claims: no list or
// text has more elements than there are bytes.
type walker struct {
	text  []byte
	at    int
	parts int
}

// take skips n bytes.
func (w *walker) take(n uint64) bool {
	if n > uint64(len(w.text)-w.at) {
		return false
	}
	w.at += int(n)
	return true
}

func (w *walker) varint() (uint64, bool) {
	x, n := binary.Uvarint(w.text[w.at:])
	if n <= 0 {
		return 0, false
	}
	w.at += n
	return x, true
}

func (w *walker) byte() (byte, bool) {
	if !w.take(1) {
		return 0, false
	}
	return w.text[w.at-1], true
}

// structure skips fields until the end of a structure.
func (w *walker) structure(depth int) bool {
	for {
		b, ok := w.byte()
		if !ok || b == 0 {
			return ok
		}
		if b>>4 == 0 { // the number of the field follows
			if _, ok = w.varint(); !ok {
				return false
			}
		}
		if kind := b & 15; kind > 2 && !w.value(kind, depth) { // 1 and 2 are true and false
			return false
		}
	}
}

// value skips a value of a kind.
func (w *walker) value(kind byte, depth int) bool {
	if w.parts++; w.parts > maxParts || depth > maxDepth {
		return false
	}
	switch kind {
	case 1, 2, 3:
		return w.take(1)
	case 4, 5, 6:
		_, ok := w.varint()
		return ok
	case 7:
		return w.take(8)
	case 8:
		n, ok := w.varint()
		return ok && w.take(n)
	case 9, 10:
		return w.list(depth)
	case 11:
		return w.pairs(depth)
	case 12:
		return w.structure(depth + 1)
	case 13:
		return w.take(16)
	}
	return false
}

func (w *walker) list(depth int) bool {
	b, ok := w.byte()
	n := uint64(b >> 4)
	if ok && n == 15 {
		n, ok = w.varint()
	}
	if !ok || n > uint64(len(w.text)-w.at) {
		return false
	}
	for range n {
		if !w.value(b&15, depth+1) {
			return false
		}
	}
	return true
}

func (w *walker) pairs(depth int) bool {
	n, ok := w.varint()
	if !ok || n == 0 {
		return ok
	}
	kinds, ok := w.byte()
	if !ok || n > uint64(len(w.text)-w.at) {
		return false
	}
	for range n {
		if !w.value(kinds>>4, depth+1) || !w.value(kinds&15, depth+1) {
			return false
		}
	}
	return true
}
