package rawlog

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/data/dataset"
)

// TestCells compares cells with a list: few and many values, runs of equal ones, and cells that are replaced by others.
func TestCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, next := range map[string]func(i int) float64{
		"few":      func(int) float64 { return float64(rng.IntN(5)) },
		"episodes": func(i int) float64 { return float64(i / 3) }, // more in a block than have a code
		"runs":     func(i int) float64 { return float64(i / 200) },
		"turns":    func(i int) float64 { return float64(i/900*2 + i%2) },
		"measured": func(i int) float64 { return rng.Float64() },
		"late":     func(i int) float64 { return float64(max(0, i-maxCodes) * rng.IntN(2)) },
	} {
		var c cells
		var want []uint64
		for i := range maxCodes + 6*blockRows {
			cell := math.Float64bits(next(i))
			c.add(cell)
			want = append(want, cell)
		}
		for range 300 {
			i, j := rng.IntN(len(want)), rng.IntN(len(want))
			c.repeat(i, j)
			want[i] = want[j]
		}
		for i := range want {
			if c.at(i) != want[i] {
				t.Fatalf("%s: cell %d is %v, want %v", name, i, math.Float64frombits(c.at(i)), math.Float64frombits(want[i]))
			}
		}
	}
}

// TestGathered compares transitions that are kept once with those of the table, lines and rewards too.
func TestGathered(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString("e,s,a,reward\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "%d,%d,%d,%d\n", i/50, rng.IntN(4), rng.IntN(2), rng.IntN(3))
		if rng.IntN(40) == 0 {
			fmt.Fprintf(&b, "%d,,1,\n", i/50)
		}
	}
	x, err := Open(t.Context(), write(t, "x.csv", b.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := dataset.NewSchema("x", []dataset.Column{{Name: "s", Type: dataset.Int, Bounded: true, Hi: 3}}, []dataset.Column{{Name: "a", Bounded: true, Hi: 1}})
	if err != nil {
		t.Fatal(err)
	}
	read, err := Transitions(t.Context(), x, s, Reading{Episode: "e"})
	if err != nil {
		t.Fatal(err)
	}
	d := read.Data
	if d.View != nil || d.Distinct() != 4*2*4 || len(d.Of) != d.Rows {
		t.Fatalf("%d different of %d transitions", d.Distinct(), d.Rows)
	}
	lines := strings.Split(b.String(), "\n")
	for i := range d.Rows {
		row, line := d.Row(i), d.Line(i)
		now, then := strings.Split(lines[line-1], ","), strings.Split(lines[line], ",")
		if want := fmt.Sprintf("%s %s %s", now[1], now[2], then[1]); fmt.Sprintf("%v %v %v", row[0], row[1], row[2]) != want || fmt.Sprint(d.Rewards[i]) != now[3] || now[0] != then[0] {
			t.Fatalf("transition %d: %v, reward %v; line %d has %s", i, row, d.Rewards[i], line, want)
		}
	}
	if len(d.Begins) != 100 || d.Rows+len(read.Drops) != x.Rows() {
		t.Errorf("%d episodes, %d transitions, %d dropped", len(d.Begins), d.Rows, len(read.Drops))
	}
}

// TestStrangers reads headers, remarks and cells as other programs write them.
func TestStrangers(t *testing.T) {
	for _, c := range []struct{ name, text, columns, notes string }{
		{"twice", "a,b,a,a_2\n1,2,3,4\n", "a|b|a_3|a_2", "columns 1 and 3 are both named a in the header; the second is a_3 here"},
		{"remarks", "# made by \"x\"\n#\n\nt,s,a\n0,1,2\n", "t|s|a", "the header is in line 4, after lines of fewer fields"},
		{"NumPy", "# t s,a\n0,1\n", "t s|a", ""},
		{"lines in quotes", "\"Temp\n[°C]\";a\n1;\"x\ny\"\n", "Temp [°C]|a", ""},
	} {
		x, err := Open(t.Context(), write(t, "x.csv", c.text), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := strings.Join(x.names(), "|"); got != c.columns || strings.Join(x.Notes, "|") != c.notes {
			t.Errorf("%s: columns %s, notes %q", c.name, got, x.Notes)
		}
		for i := range x.Columns {
			if strings.Contains(x.Columns[i].Text(0), "\n") {
				t.Errorf("%s: %q", c.name, x.Columns[i].Text(0))
			}
		}
	}
	for column, want := range map[string]string{"Lüfter an?": "Luefter_an", "2nd slot": "column_2nd_slot", "Über %": "Ueber", "état-1": "etat-1", "温度": "column_"} {
		if got := fluentName(column); got != want {
			t.Errorf("%s: %s, want %s", column, got, want)
		}
	}
}

// TestMostlyEmpty drops a remark that most rows have not, but no state where each row reports one of three.
func TestMostlyEmpty(t *testing.T) {
	remarks, reports := "s,a,remark\n", "s,a,u,v\n"
	for i := range 60 {
		remarks += fmt.Sprintf("%d,%d,%s\n", i%3, i%2, []string{"", "", "", "late", "early"}[i%5])
		cells := make([]string, 3)
		cells[i%3] = fmt.Sprint(i % 7)
		reports += fmt.Sprintf("%s,%d,%s,%s\n", cells[0], i%2, cells[1], cells[2])
	}
	for _, c := range []struct {
		text     string
		complete bool
		want     string
	}{
		{remarks, true, "state action dropped"}, {remarks, false, "state action state"}, {reports, true, "state action state state"},
	} {
		x, err := Open(t.Context(), write(t, "x.csv", c.text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		fluents, err := infer(t, x, Spec{Actions: []string{"a"}, Complete: c.complete})
		if err != nil {
			t.Fatal(err)
		}
		var uses []string
		for i := range fluents {
			uses = append(uses, string(fluents[i].Use))
		}
		if got := strings.Join(uses, " "); got != c.want {
			t.Errorf("complete %v: %s, want %s", c.complete, got, c.want)
		}
	}
}
