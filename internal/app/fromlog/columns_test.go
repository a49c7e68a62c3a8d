package fromlog

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestDescribe counts the values of a log with gaps, texts and numbers.
func TestDescribe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log.csv")
	var b strings.Builder
	b.WriteString("level,control,heat\n")
	for i := range 100 {
		level, mode := []string{"0", "1", "2", "3", ""}[i%5], []string{"idle", "busy", "off"}[i%3]
		b.WriteString(level + "," + mode + "," + []string{"20.5", "31.25", "99.75"}[i%3] + "\n")
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Describe(t.Context(), name, 0)
	if err != nil {
		t.Fatal(err)
	}
	if d.Rows != 100 || len(d.Columns) != 3 {
		t.Fatalf("%d rows, %d columns", d.Rows, len(d.Columns))
	}
	level, mode, heat := d.Columns[0], d.Columns[1], d.Columns[2]
	if level.Missing != 20 || level.Distinct != 4 || *level.Min != 0 || *level.Max != 3 || *level.Mean != 1.5 || level.Type != "int" {
		t.Errorf("the levels are %+v", level)
	}
	if want := (&Histogram{Edges: []float64{0, 1, 2, 3, 4}, Counts: []int{20, 20, 20, 20}}); !reflect.DeepEqual(level.Histogram, want) {
		t.Errorf("the histogram of levels is %+v, expected %+v", level.Histogram, want)
	}
	if mode.Min != nil || mode.Histogram != nil || mode.Distinct != 3 || mode.Frequent[0] != (Frequency{"idle", 34}) || mode.Type != "enum" || mode.Use != "action" || !strings.HasPrefix(mode.Note, "an action by its name; 3 different texts") {
		t.Errorf("the modes are %+v", mode)
	}
	if c := level.Course; len(c) != 100 || *c[3] != 3 || c[4] != nil || mode.Course != nil {
		t.Errorf("the course of levels is %v, of modes %v", c, mode.Course)
	}
	sum := 0
	for _, n := range heat.Histogram.Counts {
		sum += n
	}
	if n := len(heat.Histogram.Counts); sum != 100 || n != intervals || heat.Histogram.Counts[0] != 34 || heat.Histogram.Counts[n-1] != 33 || len(heat.Histogram.Edges) != n+1 {
		t.Errorf("the histogram of heat is %+v", heat.Histogram)
	}
}

// TestGuessEntity has the column that names the devices of a log, and why.
func TestGuessEntity(t *testing.T) {
	d, err := Describe(t.Context(), "../../../examples/logs/tanks.csv", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Columns {
		if is := c.Use == "entity"; is != (c.Column == "Tank") || is && !strings.Contains(c.Note, "it seems to name 2 entities (A, B): ") {
			t.Errorf("%s is %s: %s", c.Column, c.Use, c.Note)
		}
	}
}

// TestHistogram counts numbers at the edges and of one value alone.
func TestHistogram(t *testing.T) {
	one := newHistogram(2.5, 2.5, false)
	one.count(2.5)
	if !reflect.DeepEqual(one.Counts, []int{1}) {
		t.Errorf("one value gives %+v", one)
	}
	h := newHistogram(0, 240, false)
	for _, x := range []float64{0, 9.99, 10, 239, 240} {
		h.count(x)
	}
	if h.Counts[0] != 2 || h.Counts[1] != 1 || h.Counts[23] != 2 {
		t.Errorf("the counts are %v", h.Counts)
	}
}

// TestRewardIsNoFluent: who names a column reward is told what to give instead.
func TestRewardIsNoFluent(t *testing.T) {
	r := &Request{Rename: []string{"r=reward"}}
	if _, err := r.spec(); err == nil || !strings.Contains(err.Error(), "is given by --reward r") {
		t.Error(err)
	}
}

// TestRewardColumn: a column reward is learned whether it is named or not; no weight is dropped in silence.
func TestRewardColumn(t *testing.T) {
	log := "p,go,reward\n" + strings.Repeat("0,1,-1\n1,0,0\n1,1,-1\n", 20)
	if named, without := taskOf(t, log, Request{Actions: []string{"go"}, Reward: "reward"}), taskOf(t, log, Request{Actions: []string{"go"}}); named != without {
		t.Errorf("got\n%s\nwant\n%s", named, without)
	}
	_, err := Init(t.Context(), Request{Log: "log.csv", Out: "other", Actions: []string{"go"}, Reward: "-reward"})
	if err == nil || !strings.Contains(err.Error(), "learned as it is without --reward") {
		t.Error(err)
	}
}
