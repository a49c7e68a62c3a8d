package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestManifest reads a data set in parts, and refuses what does not fit together.
func TestManifest(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "rows.manifest")
	schema, err := NewSchema("p", []Column{{Name: "s", Type: Int, Bounded: true, Hi: 9}}, []Column{{Name: "a"}})
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for i, values := range [][]float64{{1, 0, 2, 2, 1, 3}, {3, 1, 4}} {
		want = append(want, values...)
		if err := Write(PartName(name, i), NewData(schema, values)); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteManifest(name, []int{2, 1}); err != nil {
		t.Fatal(err)
	}
	for _, read := range []func() (*Data, error){func() (*Data, error) { return Read(name) }, func() (*Data, error) { return ReadAs(name, schema) }} {
		d, err := read()
		if err != nil || d.Rows != 3 || !slices.Equal(valuesOf(d), want) {
			t.Errorf("%+v, %v", d, err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	good := string(text)
	for _, c := range []struct{ old, new, want string }{
		{`"rows": 3`, `"rows": 4`, "2 parts with 3 rows"},
		{`"schema": 1`, `"schema": 2`, "a manifest of schema 2"},
		{`"file": "rows-00000.parquet"`, `"file": "../rows-00000.parquet"`, "beside the manifest"},
		{`"file": "rows-00001.parquet"`, `"file": "rows-00000.parquet"`, "not what"},
		{`"file": "rows-00001.parquet"`, `"file": "other.parquet"`, "does not exist"},
		{`{`, ``, "not a manifest"},
	} {
		if err := os.WriteFile(name, []byte(strings.Replace(good, c.old, c.new, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.new, err, c.want)
		}
	}
}
