package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// withFooter is a Parquet file with that body and footer.
func withFooter(body, footer []byte) []byte {
	out := append(bytes.Clone(body), footer...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(footer)))
	return append(out, "PAR1"...)
}

// withPage returns a file whose first column has that header of a page, and the bytes of
// data, in place of its own.
func withPage(t *testing.T, file []byte, h format.PageHeader, data string) []byte {
	t.Helper()
	pf, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	page, err := thrift.Marshal(new(thrift.CompactProtocol), h)
	if err != nil {
		t.Fatal(err)
	}
	m := pf.Metadata()
	c := &m.RowGroups[0].Columns[0].MetaData
	body := file[:len(file)-8-int(binary.LittleEndian.Uint32(file[len(file)-8:]))]
	c.DataPageOffset, c.DictionaryPageOffset, c.TotalCompressedSize = int64(len(body)), 0, int64(len(page)+len(data))
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), *m)
	if err != nil {
		t.Fatal(err)
	}
	return withFooter(append(append(bytes.Clone(body), page...), data...), footer)
}

// TestHostileParquet: a file whose metadata claim gigabytes is refused before memory is
// taken for them.
func TestHostileParquet(t *testing.T) {
	s, err := NewSchema("hostile", []Column{{Name: "x", Type: Bool}}, []Column{{Name: "go", Type: Bool}})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "x.parquet")
	var whole bytes.Buffer
	w, err := newParquetEncoder(&whole, s, nil)
	for range 10 {
		err = errors.Join(err, w.rows([]float64{1, 0, 1}))
	}
	if err = errors.Join(err, w.close()); err != nil {
		t.Fatal(err)
	}
	file := whole.Bytes()
	page := func(compressed, uncompressed, values int32) format.PageHeader {
		h := format.PageHeader{Type: format.DataPage, CompressedPageSize: compressed, UncompressedPageSize: uncompressed}
		h.DataPageHeader.Valid, h.DataPageHeader.V.NumValues = true, values
		return h
	}
	const most = math.MaxInt32
	for want, text := range map[string][]byte{
		"too short":                      file[:8],
		"a footer of 4294967280 bytes":   append(bytes.Clone(file[:len(file)-8]), "\xf0\xff\xff\xffPAR1"...),
		"the footer is broken":           withFooter([]byte("PAR1"), []byte("\x49\xfc\xff\xff\xff\xff\x07")), // field 4, a list of 2^31-1 structures
		"a page of 2147483647 bytes":     withPage(t, file, page(most, 10, 10), "12345"),
		"it unpacks to many more bytes":  withPage(t, file, page(5, most, 10), "12345"),
		"a page of 2147483647 values":    withPage(t, file, page(5, 10, most), "12345"),
		"the header of a page is broken": withPage(t, file, page(5, 10, 10), "12345\x18\xff\xff\xff\xff\x07"), // a text of 2 GB
	} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := PlainParquet(f, func([]string) {}, func([]any) error { return nil }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("as a log: %v, want %s", err, want)
		}
		f.Close()
	}
}
