package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/data/bins"
)

func switches(t *testing.T) *Schema {
	t.Helper()
	s, err := NewSchema("switches", []Column{{Name: "on"}, {Name: "level", Type: Int, Bounded: true, Lo: 0, Hi: 7}},
		[]Column{{Name: "turn(a,b)"}, {Name: "mode", Type: Enum, Values: []string{"slow", "very, very fast"}}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAppend starts a data set and appends to it twice.
func TestAppend(t *testing.T) {
	rows := []float64{
		0, 3, 1, 1, 1, 3,
		1, 3, 0, 0, 1, 4,
		1, 4, 0, 1, 1, 5,
	}
	for _, ext := range []string{".csv", ".parquet", ".npz"} {
		name := filepath.Join(t.TempDir(), "d"+ext)
		s := switches(t)
		for i, part := range [][]float64{rows[:6], rows[6:], nil} {
			a, err := Append(name, s)
			if err != nil {
				t.Fatalf("%s, part %d: %v", ext, i, err)
			}
			if err := a.WriteRows(part); err != nil {
				t.Fatal(err)
			}
			if got := a.Rows(); got != len(part)/6 {
				t.Errorf("%s: %d rows added", ext, got)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
		d, err := ReadAs(name, s)
		if err != nil || !slices.Equal(valuesOf(d), rows) {
			t.Errorf("%s: got %v, %v", ext, d, err)
		}
		entries, _ := os.ReadDir(filepath.Dir(name))
		if len(entries) != 1 {
			t.Errorf("%s: left behind: %v", ext, entries)
		}
	}
}

// TestAppendCSVInPlace: a row is in the file before Close, and a last line without a line end
// is completed first.
func TestAppendCSVInPlace(t *testing.T) {
	name := filepath.Join(t.TempDir(), "d.csv")
	text := "on,level,\"turn(a,b)\",mode,on',level'\nfalse,3,true,slow,true,3"
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	a, err := Append(name, switches(t))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.WriteRows([]float64{1, 3, 0, 1, 1, 4}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if want := text + "\ntrue,3,false,\"very, very fast\",true,4\n"; err != nil || string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestAppendRefuses: existing rows stay unchanged.
func TestAppendRefuses(t *testing.T) {
	for what, c := range map[string]struct{ name, text, want string }{
		"other columns":   {"d.csv", "on,speed,\"turn(a,b)\",mode,on',speed'\n", ":1:1: column speed is not a fluent"},
		"other order":     {"d.csv", "level,on,\"turn(a,b)\",mode,on',level'\n", ":1:1: column 1 is level, expected the columns in the order on,level,"},
		"a broken row":    {"d.csv", "on,level,\"turn(a,b)\",mode,on',level'\ntrue,3\n", ":2:1: the row has 2 fields"},
		"a log":           {"d.csv", "step,on,level,\"turn(a,b)\",mode\n", ":1:1: column 1 is step"},
		"no parquet":      {"d.parquet", "on", "d.parquet: "},
		"no known format": {"d.txt", "", "expected one that ends in .parquet"},
	} {
		name := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(name, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Append(name, switches(t))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", what, err, c.want)
		}
		if after, _ := os.ReadFile(name); string(after) != c.text {
			t.Errorf("%s: the file is changed", what)
		}
	}
	name := filepath.Join(t.TempDir(), "d.csv")
	a, err := Append(name, switches(t))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, row := range [][]float64{{0, 8, 0, 0, 0, 0}, {2, 0, 0, 0, 0, 0}, {0, 0}} {
		if err := a.WriteRows(row); err == nil {
			t.Errorf("%v is taken", row)
		}
	}
	if a.Rows() != 0 {
		t.Errorf("%d rows", a.Rows())
	}
}

// TestAppendLevels: existing quantities stay unchanged, levels are added as the centers of
// their bins.
func TestAppendLevels(t *testing.T) {
	s, err := NewSchema("tank", []Column{{Name: "level", Type: Int, Bounded: true, Hi: 3}}, []Column{{Name: "fill"}})
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.Discretize(map[string]bins.Bins{"level": {Edges: []float64{0, 2.5, 5, 7.5, 10}}}); err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{".csv", ".parquet", ".npz"} {
		name := filepath.Join(t.TempDir(), "d"+ext)
		if err := Write(name, NewData(s.Stored(), []float64{1.5, 1, 9.5})); err != nil {
			t.Fatal(err)
		}
		a, err := Append(name, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.WriteRows([]float64{3, 0, 0}); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		d, err := ReadAs(name, s.Stored())
		if err != nil || !slices.Equal(valuesOf(d), []float64{1.5, 1, 9.5, 8.75, 0, 1.25}) {
			t.Errorf("%s: %+v, %v", ext, d, err)
		}
	}
}
