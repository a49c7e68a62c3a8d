package dataset

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// sample is a schema with a column of every type.
func sample(t testing.TB) *Schema {
	t.Helper()
	s, err := NewSchema("sample", []Column{
		{Name: "at(x,y)", Type: Bool, Bounded: true, Hi: 1},
		{Name: "level", Type: Int, Bounded: true, Lo: -2, Hi: 9},
		{Name: "count", Type: Int},
		{Name: "temp", Type: Real},
		{Name: "mode", Type: Enum, Values: []string{"@slow", "@fast, very"}},
	}, []Column{{Name: "go", Type: Bool}, {Name: "speed", Type: Real, Bounded: true, Lo: -1, Hi: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sampleData(t testing.TB, rows int) *Data {
	var values []float64
	rng := rand.New(rand.NewPCG(1, 1))
	for range rows {
		state := func() []float64 {
			return []float64{float64(rng.IntN(2)), float64(rng.IntN(12) - 2), float64(rng.Int64N(1<<53) - 1<<52), rng.NormFloat64(), float64(rng.IntN(2))}
		}
		values = append(values, state()...)
		values = append(values, float64(rng.IntN(2)), rng.Float64())
		values = append(values, state()...)
	}
	return NewData(sample(t), values)
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRoundTrips(t *testing.T) {
	smallGroups(t)
	for _, rows := range []int{0, 1, 1000, rowGroup + 5} {
		want := sampleData(t, rows)
		for _, ext := range []string{".parquet", ".csv", ".npz"} {
			name := filepath.Join(t.TempDir(), "data"+ext)
			if err := Write(name, want); err != nil {
				t.Fatal(ext, err)
			}
			got, err := ReadAs(name, want.Schema)
			if err != nil {
				t.Fatal(ext, rows, err)
			}
			if got.Rows != rows || !slices.Equal(valuesOf(got), valuesOf(want)) {
				t.Errorf("%s: %d rows do not come back", ext, rows)
			}
			if ext != ".csv" {
				if got, err = Read(name); err != nil || !slices.Equal(valuesOf(got), valuesOf(want)) || !reflect.DeepEqual(got.Schema, want.Schema) {
					t.Errorf("%s: %d rows do not come back with their schema: %v", ext, rows, err)
				}
			}
			left, _ := os.ReadDir(filepath.Dir(name))
			if len(left) != 1 {
				t.Errorf("%s: %d files are left", ext, len(left))
			}
			first, _ := os.ReadFile(name)
			if err := Write(name, want); err != nil {
				t.Fatal(err)
			}
			if again, _ := os.ReadFile(name); !bytes.Equal(first, again) {
				t.Errorf("%s: the same rows give other bytes", ext)
			}
		}
	}
}

// smallGroups gives Parquet files row groups of 4096 rows.
func smallGroups(t *testing.T) {
	usual := rowGroup
	rowGroup = 1 << 12
	t.Cleanup(func() { rowGroup = usual })
}

func TestCSVGolden(t *testing.T) {
	d := NewData(sample(t), []float64{
		1, -2, 7, 0.5, 1, 0, -1, 0, 9, 8, -1.25, 0,
		0, 0, -7, 1e-9, 0, 1, 1, 1, 1, 1, 100, 1})
	name := filepath.Join(t.TempDir(), "data.csv")
	if err := Write(name, d); err != nil {
		t.Fatal(err)
	}
	const want = `"at(x,y)",level,count,temp,mode,go,speed,"at(x,y)'",level',count',temp',mode'
true,-2,7,0.5,"@fast, very",false,-1,false,9,8,-1.25,@slow
false,0,-7,1e-09,@slow,true,1,true,1,1,100,"@fast, very"
`
	if got, _ := os.ReadFile(name); string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestLogs reads the user's own logs; the schema is x, y (0..9), a Boolean b, the action go.
func TestLogs(t *testing.T) {
	s, err := NewSchema("log", []Column{{Name: "x(a,b)", Type: Int, Bounded: true, Hi: 9}, {Name: "b", Type: Bool}}, []Column{{Name: "go", Type: Bool}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text string
		want []float64 // x, b, go, x', b'
	}{
		"triplets in another order": {"go,\"x[a, b]'\",b',b,\"x( a,b )\"\n1,2,true,False,1\n", []float64{1, 0, 1, 2, 1}},
		"a byte order mark":         {"\ufeffgo,\"x(a,b)'\",b',b,\"x(a,b)\"\r\n0,2.0,1.0,0,1\r\n", []float64{1, 0, 0, 2, 1}},
		"header alone":              {"go,\"x(a,b)'\",b',b,\"x(a,b)\"\n", nil},
		"one episode":               {"step,\"x(a,b)\",b,go\n1,1,0,0\n2,2,0,1\n3,3,1,\n", []float64{1, 0, 0, 2, 0, 2, 0, 1, 3, 1}},
		"two episodes":              {"episode,step,\"x(a,b)\",b,go\ne1,1,1,0,0\ne1,2,2,0,1\ne2,3,5,0,1\ne2,4,6,0,0\n", []float64{1, 0, 0, 2, 0, 5, 0, 1, 6, 0}},
		"a gap":                     {"episode,step,\"x(a,b)\",b,go\n1,1,1,0,0\n1,2,2,0,1\n1,4,5,0,1\n1,5,6,0,0\n", []float64{1, 0, 0, 2, 0, 5, 0, 1, 6, 0}},
		"a gap after no action":     {"episode,step,\"x(a,b)\",b,go\n1,1,1,0,\n1,3,2,0,1\n", nil},
		"rewards of our traces":     {"step,\"x(a,b)\",b,go,reward\n1,1,0,0,-1\n2,2,0,,\n", []float64{1, 0, 0, 2, 0}},
	} {
		d, err := ReadAs(write(t, "log.csv", c.text), s)
		if err != nil || !slices.Equal(valuesOf(d), c.want) || d.Rows != len(c.want)/5 {
			t.Errorf("%s: got %+v, %v; want %v", name, d, err, c.want)
		}
	}
	const triplet = "\"x(a,b)\",b,go,\"x(a,b)'\",b'\n"
	const sequence = "episode,step,\"x(a,b)\",b,go\n"
	for want, text := range map[string]string{
		":1:1: the file is empty": "",
		":1:1: column b' is missing, expected one for each state, action and next state":            "\"x(a,b)\",b,go,\"x(a,b)'\"\n",
		":1:1: column go is missing, expected one for each state, action":                           "step,\"x(a,b)\",b\n",
		":1:1: column z is not a fluent of the problem":                                             "\"x(a,b)\",b,go,\"x(a,b)'\",b',z\n",
		":1:1: column x(a is not a fluent of the problem, expected its states, actions and next st": "x(a,b),b,go\n",
		"a name with a comma needs quotes":                                                          "x(a,b),b,go,x(a,b)',b'\n",
		":1:1: column b occurs twice in the header":                                                 "b,b\n",
		":1:1: column b' is a next state, expected none in a log of sequences":                      "step,b'\n",
		":3:3: column b: \"maybe\", expected true, false, 1 or 0":                                   triplet + "1,0,0,1,0\n1,maybe,0,1,0\n",
		":2:1: column x(a,b): \"one\", expected an integer":                                         triplet + "one,0,0,1,0\n",
		":2:1: column x(a,b): \"1.5\", expected an integer":                                         triplet + "1.5,0,0,1,0\n",
		":2:1: column x(a,b): \"NaN\", expected a finite number":                                    triplet + "NaN,0,0,1,0\n",
		":2:7: column x(a,b)': \"10\", expected a value in 0..9":                                    triplet + "1,0,0,10,0\n",
		":2:3: column b: \"2\", expected true":                                                      triplet + "1,2,0,1,0\n",
		":2:5: column go is empty, expected a value":                                                triplet + "1,0,,1,0\n",
		":3:1: the row has 4 fields, expected 5 as in the header":                                   triplet + "1,0,0,1,0\n1,0,0,1\n",
		":3:3: step 1 occurs twice, expected steps to increase":                                     sequence + "1,1,1,0,0\n1,1,2,0,0\n",
		":3:3: step 1 comes after step 2":                                                           sequence + "1,2,1,0,0\n1,1,2,0,0\n",
		":4:3: episode 1 begins again":                                                              sequence + "1,1,1,0,0\n2,1,2,0,0\n1,2,2,0,0\n",
		":3:3: step 2 follows a row without a value of the action go":                               sequence + "1,1,1,0,\n1,2,2,0,0\n",
		":2:3: the step is \"one\", expected an integer":                                            sequence + "1,one,1,0,0\n",
		":2:1: the episode is empty":                                                                sequence + ",1,1,0,0\n",
		":2:5: column x(a,b) is empty":                                                              sequence + "1,1,,0,0\n",
		":2:2: bare \" in non-quoted-field":                                                         triplet + "1\"2,0,0,1,0\n",
	} {
		d, err := ReadAs(write(t, "log.csv", text), s)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %+v, %v; want %s", d, err, want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	data := sampleData(t, 3)
	for _, name := range []string{"d.parquet", "d.npz"} {
		if err := Write(filepath.Join(dir, name), data); err != nil {
			t.Fatal(err)
		}
	}
	row := data.Row(0)
	row[1] = 99 // level is in -2..9
	data = NewData(data.Schema, row)
	if err := Write(filepath.Join(dir, "range.parquet"), data); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"range.parquet":                      "row 1, column level: 99, expected a value in -2..9",
		"missing.parquet":                    "no such file",
		write(t, "d.txt", ""):                "expected one that ends in .parquet, .csv or .npz",
		write(t, "bad.parquet", "PAR1"):      "no Parquet file",
		write(t, "bad.npz", "PK"):            "no NPZ file",
		write(t, "plain.csv", "x,x'\n1,1\n"): "a CSV has no schema",
	} {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	// Every truncated file is an error, never a panic.
	for _, ext := range []string{".parquet", ".npz"} {
		whole, _ := os.ReadFile(filepath.Join(dir, "d"+ext))
		for n := 0; n < len(whole); n += 97 {
			if _, err := Read(write(t, "cut"+ext, string(whole[:n]))); err == nil {
				t.Errorf("%d bytes of %d of a %s file are read", n, len(whole), ext)
			}
		}
	}
	// A data set for another problem.
	other := sample(t)
	other.Columns[5].Name = "stop"
	if _, err := ReadAs(filepath.Join(dir, "d.npz"), other); err == nil || !strings.Contains(err.Error(), "column go is not a fluent") {
		t.Errorf("got %v", err)
	}
	other = sample(t)
	other.Columns[5].Type = Real
	if _, err := ReadAs(filepath.Join(dir, "d.npz"), other); err == nil || !strings.Contains(err.Error(), "column go is for action, of type bool") {
		t.Errorf("got %v", err)
	}
}

func TestSchemaErrors(t *testing.T) {
	for want, c := range map[string][]Column{
		"0 states":                    nil,
		"a column has no name":        {{}},
		"two columns are named  x":    {{Name: "x"}, {Name: " x"}},
		"has a prime":                 {{Name: "x'"}},
		"enumeration without values":  {{Name: "x", Type: Enum}},
		"column x has an empty range": {{Name: "x", Type: Int, Bounded: true, Lo: 1}},
	} {
		if _, err := NewSchema("bad", c, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for want, text := range map[string]string{
		"version 2":           `{"version":2}`,
		"role \"x\" and type": `{"version":1,"columns":[{"name":"a","role":"x","type":"bool"}]}`,
		"out of place":        `{"version":1,"columns":[{"name":"a","role":"action","type":"bool"},{"name":"b","role":"state","type":"bool"},{"name":"b'","role":"next","type":"bool"}]}`,
		"does not go with":    `{"version":1,"columns":[{"name":"b","role":"state","type":"bool"},{"name":"c'","role":"next","type":"bool"}]}`,
	} {
		if err := new(Schema).UnmarshalJSON([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// FuzzLog reads CSV logs: any content gives complete rows or an error, never a panic.
func FuzzLog(f *testing.F) {
	f.Add("step,x,go\n1,1,0\n2,2,\n")
	f.Add("x,go,x'\n1,true,2\n")
	f.Add("episode,step,x,go,reward\n1,1,1,0,0\n1,3,2,1,0\n")
	f.Add("x,go,x'\n\"1\n")
	s, err := NewSchema("fuzz", []Column{{Name: "x", Type: Int}}, []Column{{Name: "go", Type: Bool}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<10 {
			return
		}
		d, err := parseCSV("log.csv", strings.NewReader(text), s)
		if err == nil && len(valuesOf(d)) != d.Rows*len(d.Schema.Columns) {
			t.Errorf("%d values in %d rows", len(valuesOf(d)), d.Rows)
		}
	})
}

// valuesOf are those of all rows, one after the other.
func valuesOf(d *Data) (all []float64) {
	_ = d.Each(func(_ int, row []float64) error { all = append(all, row...); return nil })
	return all
}
