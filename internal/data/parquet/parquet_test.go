package parquet

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// example is a file with a column of each kind that is written.
func example(t testing.TB, rows int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, []WriteColumn{{Name: "b", Kind: Bool}, {Name: "i", Kind: Int32}, {Name: "l", Kind: Int64}, {Name: "d", Kind: Double}, {Name: "t", Kind: Text, Values: []string{"one", "two", "three"}}}, [2]string{"key", "text"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		for c, v := range []float64{float64(i % 2), float64(i - 7), float64(i) * 1e12, float64(i) / 3, float64(i * i % 3)} {
			w.Add(c, v)
		}
		if i%100 == 99 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// readAll reads all values of a file.
func readAll(file []byte) (rows int, err error) {
	f, err := Open(bytes.NewReader(file), int64(len(file)), 1<<26)
	if err != nil {
		return 0, err
	}
	var v Value
	for i := range f.Groups {
		for k := range f.Columns {
			c := f.Cursor(&f.Groups[i], k)
			for n := 0; ; n++ {
				if err := c.Next(&v); err == io.EOF {
					if n != f.Groups[i].Rows {
						return 0, errors.New("fewer values than rows and no error")
					}
					break
				} else if err != nil {
					return 0, err
				}
			}
		}
	}
	return f.Rows, nil
}

// TestRoundTrip reads what was written.
func TestRoundTrip(t *testing.T) {
	for _, rows := range []int{0, 1, 7, 8, 99, 100, 1234} {
		file := example(t, rows)
		f, err := Open(bytes.NewReader(file), int64(len(file)), 1<<26)
		if err != nil || f.Rows != rows || f.Metadata["key"] != "text" || strings.Join(f.Names(), "") != "bildt" {
			t.Fatalf("%d rows: %+v, %v", rows, f, err)
		}
		row := 0
		for g := range f.Groups {
			cursors := make([]*Cursor, 5)
			for i := range cursors {
				cursors[i] = f.Cursor(&f.Groups[g], i)
			}
			for range f.Groups[g].Rows {
				var v [5]Value
				for i, c := range cursors {
					if err := c.Next(&v[i]); err != nil {
						t.Fatal(row, i, err)
					}
				}
				if v[0].Number != float64(row%2) || v[1].Number != float64(row-7) || v[2].Number != float64(row)*1e12 || v[3].Number != float64(row)/3 || string(v[4].Text) != []string{"one", "two", "three"}[row*row%3] {
					t.Fatalf("row %d: %v", row, v)
				}
				row++
			}
		}
		if row != rows {
			t.Errorf("%d rows of %d", row, rows)
		}
	}
}

// TestSnappy decompresses what was compressed: texts with repetitions near and far.
func TestSnappy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var text []byte
		for range rng.IntN(30) {
			if n := len(text); n > 0 && rng.IntN(2) == 0 {
				from := rng.IntN(n)
				text = append(text, text[from:from+rng.IntN(n-from)]...)
			} else {
				text = append(text, bytes.Repeat([]byte{byte(rng.IntN(256)), byte(rng.IntN(4))}, rng.IntN(300))...)
			}
		}
		got, err := unsnappy(snappy(text), int64(len(text)))
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%d bytes: %v", len(text), err)
		}
	}
}

// forged is a file whose one column has that page.
func forged(t *testing.T, page func(*thriftWriter), data string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, []WriteColumn{{Name: "b", Kind: Bool}})
	if err != nil {
		t.Fatal(err)
	}
	h := &thriftWriter{}
	page(h)
	if err := w.write(append(h.text, data...)); err != nil {
		t.Fatal(err)
	}
	w.groups = []written{{10, []writtenChunk{{data: 4, end: w.at}}}}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestHostile: a file whose metadata claim gigabytes is refused before memory is taken for them.
func TestHostile(t *testing.T) {
	file := example(t, 10)
	page := func(compressed, unpacked, values int) func(*thriftWriter) {
		return func(w *thriftWriter) {
			w.structure(func() {
				w.i32(1, pageData)
				w.i32(2, unpacked)
				w.i32(3, compressed)
				w.child(5, func() { w.i32(1, values); w.i32(2, encodingPlain); w.i32(3, encodingRLE); w.i32(4, encodingRLE) })
			})
		}
	}
	raw := func(text string) func(*thriftWriter) {
		return func(w *thriftWriter) { w.text = []byte(text) }
	}
	const most = math.MaxInt32
	end := len(file) - 8
	for want, text := range map[string][]byte{
		"too short":                      file[:8],
		"does not end as":                file[:end+6],
		"a footer of 4294967280 bytes":   append(bytes.Clone(file[:end]), "\xf0\xff\xff\xffPAR1"...),
		"the footer is broken":           []byte("PAR1\x49\xfc\xff\xff\xff\xff\x07\x07\x00\x00\x00PAR1"), // field 4, a list of 2^31-1 structures
		"a page of 2147483647 bytes":     forged(t, page(most, 10, 10), "12345"),
		"it unpacks to many more bytes":  forged(t, page(5, most, 10), "12345"),
		"a page of 2147483647 values":    forged(t, page(5, 10, most), "12345"),
		"the header of a page is broken": forged(t, raw("\x18\xff\xff\xff\xff\x07"), ""), // a text of 2 GB
	} {
		if _, err := readAll(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// FuzzRead wants no panic, and as many values as rows or an error.
func FuzzRead(f *testing.F) {
	f.Add(example(f, 130))
	f.Add(example(f, 0))
	f.Fuzz(func(t *testing.T, file []byte) {
		if _, err := readAll(file); err != nil && strings.Contains(err.Error(), "no error") {
			t.Error(err)
		}
	})
}
