package rawlog

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/problem/factored"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestOpen reads the same two rows in every form that a log may have.
func TestOpen(t *testing.T) {
	for name, text := range map[string]string{
		"comma.csv":      "load,door,up\n1.5,open,true\n,closed,false\n",
		"semicolon.csv":  "load;door;up\n1,5;open;true\nNaN;closed;false\n",
		"tab.tsv":        "load\tdoor\tup\n1.5\topen\ttrue\nn/a\tclosed\tfalse\n",
		"mark.csv":       "\ufeffload,door,up\r\n1.5,open,true\r\nnull,closed,false\r\n",
		"quotes.csv":     "\"load\",\"door\",up\n\"1.5\",\"open\",true\n\"\",closed,false\n",
		"lines.jsonl":    `{"load":1.5,"door":"open","up":true}` + "\n\n" + `{"up":false,"door":"closed","load":null}` + "\n",
		"missing.ndjson": `{"load":1.5,"door":"open","up":true}` + "\n" + `{"up":false,"door":"closed"}` + "\n",
	} {
		x, err := Open(t.Context(), write(t, name, text), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for i := range x.Rows() {
			for k := range x.Columns {
				got = append(got, x.Columns[k].Text(i))
			}
		}
		if want := []string{"1.5", "open", "true", "", "closed", "false"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	for want, text := range map[string]string{
		"x.csv:1:1: the file is empty":                                 "",
		"x.csv:1:1: column 2 has no name":                              "a,,c\n1,2,3\n",
		"x.csv:3:1: the row has 2 fields, expected 3 as in the header": "a,b,c\n1,2,3\n1,2\n",
		"x.csv:2:4: a quote within a field; expected the field in":     "a,b\n1,x\"y\n",
		"x.csv:3:3: a quote within a field in quotes; expected":        "#x\na,b\n\"1\"x,y\n",
		"that begins in the row of line 3 does not end":                "#x\na,b\n1,\"x\n2,3\n",
		"x.csv: the log has no rows":                                   "a,b\n",
	} {
		if _, err := Open(t.Context(), write(t, "x.csv", text), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for want, text := range map[string]string{
		"x.jsonl:2:":                     "{\"a\":1}\n{\"a\":\n",
		"x.jsonl:1:":                     `{"a":[1}`,
		"expected a JSON object on each": "[1]",
		"a occurs twice":                 `{"a":1,"a":2}`,
	} {
		if _, err := Open(t.Context(), write(t, "x.jsonl", text), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func infer(t *testing.T, x *Table, s Spec) ([]Fluent, error) {
	return Infer(t.Context(), x, s, x.Shape(s))
}

func TestInfer(t *testing.T) {
	var b strings.Builder
	b.WriteString("time,Load (kg),n,door,on,copy,fixed,note,cmd\n")
	for i := range 200 {
		for _, cell := range []string{itoa(i), itoa(i) + ".5", itoa(i % 5), []string{"open", "shut", "ajar"}[i%3], itoa(i % 2), itoa(i % 5), "7", "text" + itoa(i), []string{"up", "wait"}[i/2%2]} {
			b.WriteString(cell + ",")
		}
		s := strings.TrimSuffix(b.String(), ",")
		b.Reset()
		b.WriteString(s + "\n")
	}
	x, err := Open(t.Context(), write(t, "log.csv", b.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := infer(t, x, Spec{Actions: []string{"cmd"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"time time", "Load_kg state real", "n state int", "door state enum", "on state bool", "copy dropped", "fixed dropped", "note dropped", "cmd action enum"}
	for i, f := range got {
		line := f.Name + " " + string(f.Use)
		if f.Use == AsState || f.Use == AsAction {
			line += " " + string(f.Kind)
		}
		if line != want[i] {
			t.Errorf("%s: %s (%s), want %s", f.Column, line, f.Why, want[i])
		}
	}
	if got[1].Unit != "kg" {
		t.Errorf("unit %q", got[1].Unit)
	}
	for want, s := range map[string]Spec{
		"which columns are actions? expected --actions a,b; the columns of": {},
		"--actions: there is no column command":                             {Actions: []string{"command"}},
		"the action fixed cannot be used: constant, 7":                      {Actions: []string{"fixed"}},
	} {
		if _, err := infer(t, x, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// A column without values has no times, and one column of times is enough.
	x, err = Open(t.Context(), write(t, "times.csv", "from,to,empty,load %,cmd\n2026-01-01 10:00,2026-01-01 10:01,,5,up\n2026-01-01 10:01,2026-01-01 10:02,,500,wait\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err = infer(t, x, Spec{Actions: []string{"cmd"}}); err != nil || got[0].Use != AsTime || got[1].Use != Dropped || got[2].Use != Dropped || got[3].Unit != "%" {
		t.Errorf("%+v, %v", got, err)
	}
	// A unit that changes within the file.
	x, err = Open(t.Context(), write(t, "unit.csv", "load,cmd\n1,up\n2,wait\n3,up\n7 lb,up\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err = infer(t, x, Spec{Actions: []string{"cmd"}}); err != nil || got[0].Kind != Int || got[0].Unreadable != 1 || got[0].Example != "7 lb" || got[0].Line != 5 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestLargeNumbers: numbers of a million and more are written as they stand, and a column that has the day of the stamps is none of the system.
func TestLargeNumbers(t *testing.T) {
	var b strings.Builder
	b.WriteString("at,day,plant,meter,cmd\n")
	for i := range 100 {
		day := 10 + i/24
		fmt.Fprintf(&b, "2017-04-%d %02d:00,201704%d,%d,%d,%s\n", day, i%24, day, 1234567+i%3, 20000000+i%7, []string{"up", "wait"}[i/2%2])
	}
	x, err := Open(t.Context(), write(t, "log.csv", b.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := infer(t, x, Spec{Actions: []string{"cmd"}, Entity: "plant"})
	if err != nil {
		t.Fatal(err)
	}
	if got[1].Use != Dropped || got[1].Why != "it is the day of the stamps" || got[3].Use != AsState {
		t.Errorf("%+v", got)
	}
	if text := x.Columns[2].Text(1); text != "1234568" {
		t.Errorf("the plant %s", text)
	}
	// A part of a file whose rows are numbered, without a name for that in the header.
	x, err = Open(t.Context(), write(t, "part.csv", "load,cmd\n6502,5,up\n6503,6,wait\n6504,7,up\n"), Options{})
	if err != nil || x.Rows() != 3 || x.Columns[0].Text(0) != "5" {
		t.Errorf("%v, %v", x, err)
	}
}

func itoa(i int) string {
	return string([]byte{byte('0' + i/100%10), byte('0' + i/10%10), byte('0' + i%10)})
}

// TestTransitions pairs rows within an episode, across no gap, and drops what is missing.
func TestTransitions(t *testing.T) {
	name := write(t, "log.csv", "t,run,load,cmd\n0,1,10,true\n1,1,20,true\n2,1,,false\n3,1,40,true\n9,1,50,true\n10,1,60,\n11,2,70,true\n12,2,80,true\n")
	open := func() *Table {
		x, err := Open(t.Context(), name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	s, err := dataset.NewSchema("x", []dataset.Column{{Name: "load", Type: dataset.Real, Bounded: true, Hi: 100}}, []dataset.Column{{Name: "cmd", Bounded: true, Hi: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for missing, want := range map[Missing][]float64{
		MissingDrop:     {10, 1, 20, 50, 1, 60, 70, 1, 80},
		MissingPrevious: {10, 1, 20, 20, 1, 20, 20, 0, 40, 50, 1, 60, 70, 1, 80},
	} {
		x := open()
		got, err := Transitions(t.Context(), x, s, Reading{Episode: "run", Time: "t", Missing: missing})
		if err != nil {
			t.Fatal(err)
		}
		var rows []float64
		for i := range got.Data.Rows {
			rows = append(rows, got.Data.Row(i)...)
		}
		if !slices.Equal(rows, want) {
			t.Errorf("%s: %v", missing, rows)
			continue
		}
		if len(got.Drops)+got.Data.Rows != x.Rows() {
			t.Errorf("%s: %d transitions and %d dropped of %d rows", missing, got.Data.Rows, len(got.Drops), x.Rows())
		}
	}
	if _, err := Transitions(t.Context(), open(), s, Reading{Missing: MissingError}); err == nil || !strings.Contains(err.Error(), "log.csv:4: column load has no value") {
		t.Error(err)
	}
	s.Columns[0].Hi, s.Columns[2].Hi = 65, 65
	if _, err := Transitions(t.Context(), open(), s, Reading{}); err == nil || !strings.Contains(err.Error(), `log.csv:8: column load: "70", expected a value in 0..65`) {
		t.Error(err)
	}
}

// TestLags fills the states that are values of rows before: within an episode, of rows between those of another entity, with a
// cell missing, and of rows that are transitions, which belong together where one begins in the next states of the other.
func TestLags(t *testing.T) {
	s, err := dataset.NewSchema("x", []dataset.Column{{Name: "y", Type: dataset.Int}, {Name: "y_1", Type: dataset.Int, Lag: factored.Lag{Of: "y", By: 1}}, {Name: "u_2", Type: dataset.Int, Lag: factored.Lag{Of: "u", By: 2}}},
		[]dataset.Column{{Name: "u", Type: dataset.Int}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]float64{
		"run,y,u\n1,1,10\n1,2,20\n1,3,30\n1,4,40\n2,5,50\n2,6,60\n":                {3, 2, 10, 30, 4, 3, 20},
		"id,y,u\nA,1,10\nB,5,50\nA,2,20\nB,6,60\nA,3,30\nB,7,70\nA,4,40\nB,8,80\n": {3, 2, 10, 30, 4, 3, 20, 7, 6, 50, 70, 8, 7, 60},
		"y,u\n1,10\n2,\n3,30\n4,40\n5,50\n":                                        nil, // each needs the missing cell
		"y,u,y'\n1,10,2\n2,20,3\n3,30,4\n4,40,9\n5,50,6\n":                         {3, 2, 10, 30, 4, 3, 20, 4, 3, 20, 40, 9, 4, 30},
		"y,u,y_1,u_2,y',y_1',u_2'\n3,30,2,10,4,3,20\n":                             {3, 2, 10, 30, 4, 3, 20},
	} {
		x, err := Open(t.Context(), write(t, "log.csv", text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := Reading{}
		if i := x.Column("run"); i >= 0 {
			r.Episode = "run"
		} else if x.Column("id") >= 0 {
			r.Entity = "id"
		}
		got, err := Transitions(t.Context(), x, s, r)
		if err != nil {
			t.Fatal(err)
		}
		var rows []float64
		for i := range got.Data.Rows {
			rows = append(rows, got.Data.Row(i)...)
		}
		if !slices.Equal(rows, want) {
			t.Errorf("%q: %v", text, rows)
		}
		if len(got.Drops)+got.Data.Rows != x.Rows() {
			t.Errorf("%q: %d transitions and %d dropped of %d rows", text, got.Data.Rows, len(got.Drops), x.Rows())
		}
	}
}

// TestInputs: what an input is next is that of the next row, where there is one, and drops no row.
func TestInputs(t *testing.T) {
	s, err := dataset.NewSchema("x", []dataset.Column{{Name: "y", Type: dataset.Int}, {Name: "w", Type: dataset.Int, Given: true}}, []dataset.Column{{Name: "u", Type: dataset.Int}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]float64{
		"w,y,u\n7,1,10\n8,2,20\n,3,30\n9,4,40\n":       {1, 7, 10, 2, 8, 2, 8, 20, 3, 8},
		"w,y,u,y'\n7,1,10,2\n8,2,20,5\n9,3,30,4\n":     {1, 7, 10, 2, 8, 2, 8, 20, 5, 8, 3, 9, 30, 4, 9},
		"w,y,u,y',w'\n7,1,10,2,6\n8,2,20,5,5\n":        {1, 7, 10, 2, 6, 2, 8, 20, 5, 5},
		"w,y,u,next_y\n7,1,10,2\n8,2,20,5\n9,3,30,4\n": {1, 7, 10, 2, 8, 2, 8, 20, 5, 8, 3, 9, 30, 4, 9},
	} {
		x, err := Open(t.Context(), write(t, "log.csv", text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := Reading{}
		if x.Column("next_y") >= 0 {
			r.Next = map[string]string{"y": "next_y"}
		}
		got, err := Transitions(t.Context(), x, s, r)
		if err != nil {
			t.Fatal(err)
		}
		var rows []float64
		for i := range got.Data.Rows {
			rows = append(rows, got.Data.Row(i)...)
		}
		if !slices.Equal(rows, want) {
			t.Errorf("%q: %v", text, rows)
		}
	}
}

// TestSettings: numbers and texts of an action are its values where both are often chosen; a slip is none, nor is a text among measured
// numbers, or of a state.
func TestSettings(t *testing.T) {
	var b strings.Builder
	b.WriteString("wear,speed,power,command\n")
	for i := range 600 {
		speed, power, wear := fmt.Sprint(i%5), fmt.Sprintf("%d.5", i%7), fmt.Sprint(i*i%6)
		if i%9 == 8 {
			speed, power, wear = "repair", "off", "worn"
		}
		command := fmt.Sprint(i % 4)
		if i == 300 {
			command = "3x"
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s\n", wear, speed, power, command)
	}
	x, err := Open(t.Context(), write(t, "log.csv", b.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := infer(t, x, Spec{Actions: []string{"speed", "power", "command"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"int 0..4, 66 unreadable", "enum [0 1 2 3 4 repair], 0 unreadable", "real, 66 unreadable", "int 0..3, 1 unreadable"} {
		got := map[Kind]string{Int: fmt.Sprintf("int %v..%v", f[i].Lo, f[i].Hi), Enum: fmt.Sprintf("enum %v", f[i].Values), Real: "real"}[f[i].Kind]
		if got += fmt.Sprintf(", %d unreadable", f[i].Unreadable); got != want {
			t.Errorf("%s: %s, want %s", f[i].Column, got, want)
		}
	}
}

// TestEdges: clusters get an edge in each gap; a threshold of the behaviour is found within
// even values; roundest keeps its promise.
func TestEdges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var values []float64
	var changes []sample
	for range 2000 {
		x := rng.Float64() * 100
		values = append(values, x)
		change := 0
		if x >= 63.5 && rng.IntN(10) > 0 {
			change = 1
		}
		changes = append(changes, sample{x: x, action: 0, change: change})
	}
	slices.SortFunc(changes, func(a, b sample) int { return cmp.Compare(a.x, b.x) })
	if e, how := edgesOf(values, slices.Values([][]sample{changes})); len(e) < 3 || !slices.ContainsFunc(e, func(x float64) bool { return math.Abs(x-63.5) < 0.3 }) {
		t.Errorf("%v %s", e, how)
	}
	values = nil
	for range 2000 {
		values = append(values, 250*float64(rng.IntN(4))+20*rng.Float64())
	}
	if e, how := edgesOf(values, slices.Values([][]sample{})); len(e) != 5 || how != "gaps between the values" || e[3] != 600 {
		t.Errorf("%v %s", e, how)
	}
	// Nor are values that were never in a narrow part of their range.
	values = nil
	for range 2000 {
		values = append(values, 18+4*rng.Float64()+6*float64(rng.IntN(2)))
	}
	if c := clusters(slices.Sorted(slices.Values(values))); c != nil {
		t.Error(c)
	}
	// A few values far from the others are no clusters.
	values = nil
	for range 2000 {
		values = append(values, 12+rng.NormFloat64())
	}
	values = append(values, 2, 30)
	if _, how := edgesOf(values, slices.Values([][]sample{})); how != "quartiles" {
		t.Error(how)
	}
	// A quantity that is at its highest value most of the time.
	values = slices.Repeat([]float64{10}, 900)
	for range 100 {
		values = append(values, 10*rng.Float64())
	}
	if e, _ := edgesOf(values, slices.Values([][]sample{})); len(e) < 3 || !slices.IsSorted(e) || len(slices.Compact(e)) != len(e) || e[len(e)-1] != 10 {
		t.Errorf("%v", e)
	}
	for range 10_000 {
		lo := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(8)-4))
		hi := lo + rng.ExpFloat64()*math.Pow(10, float64(rng.IntN(8)-4))
		if lo == hi {
			continue
		}
		if e := roundest(lo, hi); !(e > lo && e <= hi) {
			t.Fatalf("%v..%v: %v", lo, hi, e)
		}
		if a, b := outer(lo, hi); a > lo || b < hi {
			t.Fatalf("%v..%v: %v..%v", lo, hi, a, b)
		}
	}
}
