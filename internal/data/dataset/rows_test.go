package dataset

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// TestEqualRows: equal rows are kept once, with 4 bytes for the number and 4 for the line of each.
func TestEqualRows(t *testing.T) {
	const count, most = 60_000, 24
	s, err := NewSchema("x", []Column{{Name: "a", Type: Int}, {Name: "b", Type: Real}}, []Column{{Name: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	want := func(i int) []float64 {
		k := i % 1000
		return []float64{float64(k), float64(k) / 4, float64(k % 2), float64(k + 1), float64(k%3) / 2}
	}
	var text bytes.Buffer
	fmt.Fprintln(&text, "a,b,go,a',b'")
	for i := range count {
		x := want(i)
		fmt.Fprintf(&text, "%v,%v,%v,%v,%v\n", x[0], x[1], x[2] == 1, x[3], x[4])
	}
	name := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(name, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	next := map[string]string{".csv": ".parquet", ".parquet": ".npz", ".npz": ".csv"}
	for _, ext := range []string{".csv", ".parquet", ".npz"} {
		before := heap()
		d, err := ReadAs(name, s)
		if err != nil {
			t.Fatal(err)
		}
		if per := float64(heap()-before) / count; per > most {
			t.Errorf("%s: %.1f bytes a row, expected at most %d", ext, per, most)
		}
		for i := range count {
			if got := d.Row(i); !slices.Equal(got, want(i)) || int(d.Of[i]) != i%1000 || ext == ".csv" && d.Line(i) != i+2 {
				t.Fatalf("%s: row %d is %v with number %d, expected %v", ext, i, got, d.Of[i], want(i))
			}
		}
		name = filepath.Join(t.TempDir(), "rows"+next[ext])
		if err := Write(name, d); err != nil {
			t.Fatal(err)
		}
	}
	runtime.KeepAlive(text.Bytes())
}
