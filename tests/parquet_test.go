package tests

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"

	own "github.com/fdplan/fdplan/internal/data/parquet"
	"github.com/fdplan/fdplan/internal/extsolver"
)

// parquetRow is a row of the files that are compared.
type parquetRow struct {
	Bool   bool
	Int32  int32
	Int64  int64
	Float  float32
	Double float64
	Text   string
	Fixed  [5]byte
	Maybe  *float64
	Word   *string
	Flag   *bool
}

// randomRows are rows with runs of the same values, and without.
func randomRows(rng *rand.Rand, n int) []parquetRow {
	rows := make([]parquetRow, n)
	spread := 1 + rng.IntN(1000)
	for i := range rows {
		x := rng.IntN(spread)
		if i > 0 && rng.IntN(3) == 0 {
			rows[i] = rows[i-1]
			continue
		}
		r := parquetRow{x%2 == 0, int32(x - 500), int64(x) * math.MaxInt32 * 1000, float32(x) / 7, rng.NormFloat64(), fmt.Sprint("text ", x/3), [5]byte{1, 2, byte(x)}, nil, nil, nil}
		if x%3 > 0 {
			y, w, b := float64(x)/11, fmt.Sprint(x), x%5 == 0
			r.Maybe, r.Word, r.Flag = &y, &w, &b
		}
		rows[i] = r
	}
	return rows
}

// values are those of a row as the package reads them; nil for none.
func (r *parquetRow) values() []any {
	bit := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	out := []any{bit(r.Bool), float64(r.Int32), float64(r.Int64), float64(r.Float), r.Double, r.Text, string(r.Fixed[:]), nil, nil, nil}
	if r.Maybe != nil {
		out[7] = *r.Maybe
	}
	if r.Word != nil {
		out[8] = *r.Word
	}
	if r.Flag != nil {
		out[9] = bit(*r.Flag)
	}
	return out
}

// TestParquetRead reads what the library parquet-go writes, in every encoding and compression.
func TestParquetRead(t *testing.T) {
	t.Run("brotli", func(t *testing.T) {
		extsolver.Require(t, "brotli")
		readAll(t, 12, &parquet.Brotli)
	})
	readAll(t, 120, &parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Lz4Raw)
}

// readAll compares what is read of so many files with what was written to them.
func readAll(t *testing.T, rounds int, codecs ...compress.Codec) {
	integers := []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaBinaryPacked}
	floats := []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.ByteStreamSplit}
	texts := []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaLengthByteArray, &parquet.DeltaByteArray}
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range rounds {
		rows := randomRows(rng, rng.IntN(3000))
		pick := func(from []encoding.Encoding) encoding.Encoding { return from[rng.IntN(len(from))] }
		fields := parquet.SchemaOf(parquetRow{}).Fields()
		group := parquet.Group{}
		for i, f := range fields {
			choice := [][]encoding.Encoding{{&parquet.Plain, &parquet.RLE}, integers, integers, floats, floats, texts, {&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaByteArray}, floats, texts, {&parquet.Plain}}[i]
			node := parquet.Encoded(parquet.Required(parquet.Leaf(f.Type())), pick(choice))
			if f.Optional() {
				node = parquet.Optional(parquet.Encoded(parquet.Leaf(f.Type()), pick(choice)))
			}
			group[f.Name()] = node
		}
		codec, version := codecs[round%len(codecs)], 1+rng.IntN(2)
		var file bytes.Buffer
		w := parquet.NewGenericWriter[parquetRow](&file, parquet.NewSchema("rows", group), parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(1+rng.IntN(20000)), parquet.MaxRowsPerRowGroup(int64(1+rng.IntN(2000))))
		_, err := w.Write(rows)
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("round %d, %v, pages of version %d", round, codec, version)
		f, err := own.Open(bytes.NewReader(file.Bytes()), int64(file.Len()), 1<<30)
		if err != nil || f.Rows != len(rows) {
			t.Fatalf("%s: %v", name, err)
		}
		compareRows(t, name, f, rows)
	}
}

// compareRows compares what is read with the rows, by the names of columns.
func compareRows(t *testing.T, name string, f *own.File, rows []parquetRow) {
	t.Helper()
	place := map[string]int{"Bool": 0, "Int32": 1, "Int64": 2, "Float": 3, "Double": 4, "Text": 5, "Fixed": 6, "Maybe": 7, "Word": 8, "Flag": 9}
	at := 0
	for g := range f.Groups {
		for k, column := range f.Columns {
			c := f.Cursor(&f.Groups[g], k)
			for i := range f.Groups[g].Rows {
				var v own.Value
				if err := c.Next(&v); err != nil {
					t.Fatalf("%s: column %s, row %d: %v", name, column.Name, at+i, err)
				}
				var got any = v.Number
				if v.Missing {
					got = nil
				} else if v.Kind == own.Text || v.Kind == own.Fixed {
					got = string(v.Text)
				}
				if want := rows[at+i].values()[place[column.Name]]; got != want {
					t.Fatalf("%s: column %s, row %d: %v, want %v", name, column.Name, at+i, got, want)
				}
			}
		}
		at += f.Groups[g].Rows
	}
}

// TestParquetWritten has the library read what the program writes.
func TestParquetWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		words := []string{"", "a", "long words", "ä"}
		var file bytes.Buffer
		w, err := own.NewWriter(&file, []own.WriteColumn{{Name: "b", Kind: own.Bool}, {Name: "i", Kind: own.Int32}, {Name: "l", Kind: own.Int64}, {Name: "d", Kind: own.Double}, {Name: "t", Kind: own.Text, Values: words}})
		if err != nil {
			t.Fatal(err)
		}
		var rows [][]float64
		for range rng.IntN(500) {
			row := []float64{float64(rng.IntN(2)), float64(rng.IntN(9) - 4), float64(rng.Int64N(1 << 50)), rng.NormFloat64(), float64(rng.IntN(1 + rng.IntN(4)))}
			rows = append(rows, row)
			for i, v := range row {
				w.Add(i, v)
			}
			if rng.IntN(90) == 0 {
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		read := parquet.NewReader(f)
		for i, want := range rows {
			buf := make([]parquet.Row, 1)
			if n, err := read.ReadRows(buf); n != 1 {
				t.Fatal(i, err)
			}
			got := buf[0]
			if got[0].Boolean() != (want[0] == 1) || float64(got[1].Int32()) != want[1] || float64(got[2].Int64()) != want[2] || got[3].Double() != want[3] || string(got[4].ByteArray()) != words[int(want[4])] {
				t.Fatalf("row %d: %v, want %v", i, got, want)
			}
		}
		if n, err := read.ReadRows(make([]parquet.Row, 1)); n != 0 || err != io.EOF {
			t.Error(n, err)
		}
	}
}
