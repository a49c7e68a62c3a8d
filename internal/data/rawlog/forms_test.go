package rawlog

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/data/dataset"
)

// TestStamps reads the stamps of a column in every usual form: the times between them are right.
func TestStamps(t *testing.T) {
	for name, c := range map[string]struct {
		stamps string // between bars
		gaps   []float64
	}{
		"ISO":           {"2024-01-01T10:00:00|2024-01-01T10:00:05|2024-01-02T10:00:05", []float64{5, 86400}},
		"zone":          {"2011-10-11 13:45:40.276000+02:00|2011-10-11 13:45:41.276+02:00|2011-10-11T11:45:43Z", []float64{1, 1.724}},
		"offset":        {"2011-10-11T13:45:40+0200|2011-10-11T13:45:41+0200", []float64{1}},
		"dates":         {"2024-01-30|2024-01-31|2024-02-01", []float64{86400, 86400}},
		"slashes":       {"2024/1/30 9:05|2024/1/30 9:06", []float64{60}},
		"US":            {"10/31/2024 1:05 PM|10/31/2024 1:06 PM|11/1/2024 12:06 am", []float64{60, 11 * 3600}},
		"US, 24 hours":  {"1/2/2024 13:05:00|1/2/2024 13:06:00", []float64{60}},
		"day first":     {"01/02/2024 10:00|12/02/2024 10:00|13/02/2024 10:00", []float64{11 * 86400, 86400}},
		"short year":    {"10/31/24 13:05|10/31/24 13:06", []float64{60}},
		"dots":          {"31.10.2024 13:05:00,5|31.10.2024 13:05:01,0", []float64{0.5}},
		"month names":   {"31-Oct-2024 13:05:00|1-Nov-2024 13:05:00", []float64{86400}},
		"hours":         {"13:05:00|13:05:10", []float64{10}},
		"unknown stamp": {"2024-01-01 00:00|2024-01-01 00:01|2024-01-01 00:02|2024-01-01 00:03|2024-01-01 00:04|2024-01-01 00:05|2024-01-01 00:06|2024-01-01 00:07|2024-01-01 00:08|0000-00-00 00:00", slices.Repeat([]float64{60}, 8)},
	} {
		x := &Column{Name: "when"}
		for _, text := range strings.Split(c.stamps, "|") {
			x.add(text, false)
		}
		x.settle()
		for i, want := range c.gaps {
			a, ok1 := x.seconds(i)
			b, ok2 := x.seconds(i + 1)
			if !ok1 || !ok2 || b-a < want-1e-6 || b-a > want+1e-6 {
				t.Errorf("%s: %v after stamp %d, want %v; %s", name, b-a, i+1, want, x.whyTime())
			}
		}
	}
	// What shows the order of day and month comes after more stamps than are kept as texts.
	x := &Column{Name: "when"}
	at := time.Date(2024, 2, 1, 0, 0, 0, 0, time.UTC)
	for range 3000 {
		x.add(at.Format("02/01/2006 15:04"), false)
		at = at.Add(10 * time.Minute)
	}
	x.settle()
	for i := range 2999 {
		a, _ := x.seconds(i)
		if b, ok := x.seconds(i + 1); !ok || b-a != 600 {
			t.Fatalf("%v after stamp %d", b-a, i+1)
		}
	}
	for _, text := range []string{"open", "12 kg", "1.2.3", "2024-13-01", "May", "A12", "10:00 to 11:00", "192.168.1.1"} {
		if l := layoutOf(text, false); l != "" {
			t.Errorf("%s is a stamp as %s", text, l)
		}
	}
}

// TestShape finds the columns of next states and ends of episodes.
func TestShape(t *testing.T) {
	row := func(cells ...string) string { return strings.Join(cells, ",") + "\n" }
	for name, c := range map[string]struct {
		log      string
		next     string // as BASE:NEXT
		ends     string
		doubtful int
	}{
		"gym":         {log: row("state", "action", "reward", "next_state", "done") + row("1", "a", "0", "2", "False") + row("2", "b", "1", "5", "True"), next: "state:next_state", ends: "done"},
		"gymnasium":   {log: row("obs_0", "obs_1", "action", "next_obs_0", "next_obs_1", "terminated", "truncated") + row("1", "2", "a", "3", "4", "0", "0") + row("3", "4", "b", "5", "6", "0", "1"), next: "obs_0:next_obs_0 obs_1:next_obs_1", ends: "terminated truncated"},
		"mixed names": {log: row("observation", "action", "next_state") + row("1", "a", "2") + row("7", "b", "5"), next: "observation:next_state"},
		"suffix":      {log: row("x", "action", "x_next") + row("1", "a", "2") + row("2", "b", "5"), next: "x:x_next"},
		"s and sp":    {log: row("s", "action", "r", "sp") + row("1", "a", "0", "2") + row("2", "b", "1", "5"), next: "s:sp"},
		"a stop": {log: row("stop", "next_stop", "door", "action") + row("1", "5", "open", "a") + row("2", "5", "shut", "b") + row("3", "5", "open", "b"),
			doubtful: 1},
		"a chain": {log: row("stop", "next_stop", "door", "action") + row("1", "2", "open", "a") + row("2", "3", "shut", "b") + row("3", "4", "open", "b"), next: "stop:next_stop"},
		"a count": {log: row("done", "action", "done'") + row("0", "a", "1") + row("1", "b", "2"), next: "done:done'"},
		"a level": {log: row("done", "action") + row("17", "a") + row("18", "b")},
	} {
		x, err := Open(t.Context(), write(t, "log.csv", c.log), Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := x.Shape(Spec{Actions: []string{"action"}})
		var next []string
		for base, n := range got.Next {
			next = append(next, base+":"+n)
		}
		slices.Sort(next)
		if strings.Join(next, " ") != c.next || strings.Join(got.Ends(), " ") != c.ends || len(got.Doubtful) != c.doubtful {
			t.Errorf("%s: %v, ends %v, doubtful %v", name, next, got.Ends(), got.Doubtful)
		}
	}
}

// steps reads a log of one state x and one action a.
func steps(t *testing.T, log string, r Reading) *Read {
	t.Helper()
	s, err := dataset.NewSchema("x", []dataset.Column{{Name: "x", Type: dataset.Int}}, []dataset.Column{{Name: "a", Type: dataset.Int}})
	if err != nil {
		t.Fatal(err)
	}
	x, err := Open(t.Context(), write(t, "log.csv", log), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Transitions(t.Context(), x, s, r)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestOrder pairs the rows of an entity, of an episode that goes on between others, and of a log
// that is written backwards; none across the end of an episode, or to the repetition of a row.
func TestOrder(t *testing.T) {
	var minutes, still string
	for i := range 40 {
		minutes += fmt.Sprintf("%d,1,0\n", i)
		if i > 0 {
			still += "1>1 "
		}
	}
	for name, c := range map[string]struct {
		log  string
		r    Reading
		want string // x>x'
	}{
		"entity":             {"id,x,a\nA,1,0\nB,10,0\nA,2,0\nB,11,0\nB,12,0\nA,3,0\n", Reading{Entity: "id"}, "1>2 2>3 10>11 11>12"},
		"episode, in turn":   {"id,x,a\nA,1,0\nB,10,0\nA,2,0\nB,11,0\nA,3,0\nB,12,0\n", Reading{Episode: "id"}, "1>2 2>3 10>11 11>12"},
		"episode, with time": {"id,t,x,a\nA,1,1,0\nA,2,2,0\nB,2,10,0\nB,3,11,0\nA,3,3,0\nB,4,12,0\n", Reading{Episode: "id", Time: "t"}, "1>2 2>3 10>11 11>12"},
		"episode, again":     {"id,t,x,a\n1,1,1,0\n1,2,2,0\n2,1,10,0\n2,2,11,0\n1,1,5,0\n1,2,6,0\n", Reading{Episode: "id", Time: "t"}, "1>2 10>11 5>6"},
		"backwards":          {"t,x,a\n7,7,0\n6,6,0\n5,5,0\n4,4,0\n1,1,0\n0,0,0\n", Reading{Time: "t"}, "0>1 4>5 5>6 6>7"},
		"repeated":           {"t,x,a\n" + minutes + "40,5,0\n40,5,0\n41,6,0\n41,7,0\n42,7,0\n", Reading{Time: "t"}, still + "1>5 5>6 6>7 7>7"},
		"coarse stamps":      {"t,x,a\n1,5,0\n1,5,0\n2,5,0\n2,5,0\n2,6,0\n", Reading{Time: "t"}, "5>5 5>5 5>5 5>6"},
		"ends":               {"x,a,done\n1,0,False\n2,0,True\n7,0,False\n8,0,False\n", Reading{Ends: []string{"done"}}, "1>2 7>8"},
		"next":               {"x,a,next_x,done\n1,0,2,False\n7,0,8,True\n", Reading{Next: map[string]string{"x": "next_x"}, Ends: []string{"done"}}, "1>2 7>8"},
	} {
		got := steps(t, c.log, c.r)
		var pairs []string
		for i := range got.Data.Rows {
			row := got.Data.Row(i)
			pairs = append(pairs, fmt.Sprintf("%v>%v", row[0], row[2]))
		}
		if strings.Join(pairs, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, pairs, c.want)
		}
	}
}

// TestBegins: rows with next states of their own begin an episode after the end of another one, wherever that begins.
func TestBegins(t *testing.T) {
	for name, c := range map[string]struct {
		log  string
		r    Reading
		want []int32
	}{
		"ends":     {"x,a,x',done\n1,0,2,False\n2,0,1,True\n1,0,2,False\n2,0,3,True\n", Reading{Ends: []string{"done"}}, []int32{0, 2}},
		"episodes": {"id,x,a,x'\nA,1,0,2\nB,2,0,3\nB,3,0,4\n", Reading{Episode: "id"}, []int32{0, 1}},
		"unknown":  {"x,a,x'\n1,0,2\n5,0,6\n", Reading{}, nil},
	} {
		got := steps(t, c.log, c.r)
		if !slices.Equal(got.Data.Begins, c.want) {
			t.Errorf("%s: episodes begin in rows %v, want %v", name, got.Data.Begins, c.want)
		}
	}
}

// TestMovesWithinEpisodes: that a whole number jumps where an episode begins does not make it a measured one.
func TestMovesWithinEpisodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	var b strings.Builder
	b.WriteString("run,pos,action\n")
	pos := 0
	for i := range 1000 {
		if i%20 == 0 {
			pos = rng.IntN(30)
		}
		fmt.Fprintf(&b, "%d,%d,%d\n", i/20, pos, rng.IntN(3))
		pos = min(29, max(0, pos+rng.IntN(5)+rng.IntN(5)-4))
	}
	x, err := Open(t.Context(), write(t, "log.csv", b.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	fluents, err := infer(t, x, Spec{Actions: []string{"action"}})
	if err != nil {
		t.Fatal(err)
	}
	if f := fluents[1]; f.Name != "pos" || f.Kind != Int {
		t.Errorf("%+v; expected integers", f)
	}
}

// TestEntities: the id of several devices is found, and no other column.
func TestEntities(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const devices = 4
	for _, c := range []struct {
		devices int
		want    string
	}{{devices, "unit"}, {1, ""}} {
		level := [devices]float64{10, 40, 70, 100}
		var b strings.Builder
		b.WriteString("time,unit,phase,twin,level,a\n")
		for i := range 2000 {
			k := rng.IntN(devices)
			l := &level[k%c.devices]
			*l += rng.NormFloat64()
			fmt.Fprintf(&b, "%d,m%d,%d,p%d,%.3f,%d\n", i, k, i%3, i%3, *l, rng.IntN(2))
		}
		x, err := Open(t.Context(), write(t, "log.csv", b.String()), Options{})
		if err != nil {
			t.Fatal(err)
		}
		fluents, err := infer(t, x, Spec{Actions: []string{"a"}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Entities(t.Context(), x, fluents, Reading{Time: "time"})
		if err != nil {
			t.Fatal(err)
		}
		if (got != nil) != (c.want != "") || got != nil && (got.Column != c.want || got.Entities != devices) {
			t.Errorf("%+v, want %s", got, c.want)
		}
	}
}

// TestWideIntegers: what a state names stays an integer, what is measured gets bins.
func TestWideIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var b strings.Builder
	b.WriteString("name,counter,measured,load_kg,huge,given,steps,a\n")
	measured, counter := 2000.0, 0
	for i := range 3000 {
		measured = min(4095, max(0, measured+60*rng.NormFloat64()))
		counter = (counter + 1 + rng.IntN(3)) % 1000
		fmt.Fprintf(&b, "%d,%d,%d,%d,%d,%.2f,%.1f,%d\n", rng.IntN(500), counter, int(measured), rng.IntN(800), rng.IntN(1<<40), float64(i%40)/4, float64(i%7)/2, i%2)
	}
	x, err := Open(t.Context(), write(t, "log.csv", b.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ranges := map[string]Range{}
	for name, text := range map[string]string{"given": "0..10 by 0.25", "counter": "-5..2000"} {
		if ranges[name], err = ParseRange(text); err != nil {
			t.Fatal(err)
		}
	}
	got, err := infer(t, x, Spec{Actions: []string{"a"}, Ranges: ranges})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"int 0..499", "int -5..2000", "real", "real", "real", "real 0..10", "real 0..3", "bool"} {
		f := &got[i]
		if line := fmt.Sprintf("%s %v..%v", f.Kind, f.Lo, f.Hi); !strings.HasPrefix(line, want) {
			t.Errorf("%s: %s (%s), want %s", f.Column, line, f.Why, want)
		}
	}
	if s := got[5].Step; s.String() != "0.25" {
		t.Errorf("step %v", s)
	}
	for _, text := range []string{"", "1", "5..1", "1..x", "0..1 by 0", "0..1 by -1", "0..Inf", "0..1 by 1e-9", "1..2 by", "0.1..10 by 0.25"} {
		if r, err := ParseRange(text); err == nil {
			t.Errorf("%q is %v", text, r)
		}
	}
}

// TestCompressed reads logs that are compressed by gzip, and names one that is cut off.
func TestCompressed(t *testing.T) {
	const text = "pump,level\n1,3\n0,4\n1,4\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		want string // of the error
	}{
		"whole.csv.gz": {packed.Bytes(), ""},
		"named.csv":    {packed.Bytes(), ""},
		"cut.csv.gz":   {packed.Bytes()[:packed.Len()-9], "cut.csv.gz: cannot be read: unexpected EOF"},
		"head.csv.gz":  {packed.Bytes()[:4], "head.csv.gz: cannot be read: unexpected EOF"},
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, c.data, 0o666); err != nil {
			t.Fatal(err)
		}
		log, err := Open(t.Context(), file, Options{})
		switch {
		case c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)):
			t.Errorf("%s: %v", name, err)
		case c.want == "" && (err != nil || log.Rows() != 3 || len(log.Columns) != 2):
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]bool{"a.csv": true, "a.csv.gz": true, "a.jsonl.zst": true, "a.toml": false, "a.gz": false} {
		if IsLog(name) != want {
			t.Errorf("IsLog(%q) is %v", name, !want)
		}
	}
}
