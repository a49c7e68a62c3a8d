package fromlog

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// writeWide writes a log with time stamps, texts that are all different, quantities with many
// digits, an enumeration and a Boolean.
func writeWide(t *testing.T, rows int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log.csv")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprint(w, "time,inflow,level_m,temp_c,pump,door,comment\n")
	rng := rand.New(rand.NewPCG(1, 2))
	at, level := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 5.0
	for i := range rows {
		pump := []string{"off", "low", "high"}[rng.IntN(3)]
		fmt.Fprintf(w, "%s,%.7f,%.7f,%.7f,%s,%v,note %d\n", at.Format("2006-01-02 15:04:05"), rng.Float64(), level, 20+rng.NormFloat64(), pump, rng.IntN(9) == 0, i)
		at = at.Add(5 * time.Second)
		level = min(10, max(0, level+map[string]float64{"off": 0.1, "low": 0, "high": -0.1}[pump]+0.01*rng.NormFloat64()))
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// heap returns the bytes in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestBytesPerRow holds what a row of a log takes: 8 bytes for a time and for each of three
// quantities, one for each of the other fluents, 8 for a text of very many, and 4 for the transition.
func TestBytesPerRow(t *testing.T) {
	const rows, most = 100_000, 64
	name := writeWide(t, rows)
	before := heap()
	x, err := rawlog.Open(t.Context(), name, rawlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	real := func(name string, hi float64) dataset.Column {
		return dataset.Column{Name: name, Type: dataset.Real, Bounded: true, Hi: hi}
	}
	s, err := dataset.NewSchema("x", []dataset.Column{real("inflow", 1), real("level_m", 10), real("temp_c", 40), {Name: "door", Bounded: true, Hi: 1}},
		[]dataset.Column{{Name: "pump", Type: dataset.Enum, Values: []string{"off", "low", "high"}}})
	if err != nil {
		t.Fatal(err)
	}
	read, err := rawlog.Transitions(t.Context(), x, s, rawlog.Reading{Time: "time"})
	if err != nil {
		t.Fatal(err)
	}
	// The texts of a column without an end of them are bounded, however many rows there are.
	const texts = 12 << 20
	if per := float64(heap()-before-texts) / rows; per > most {
		t.Errorf("%.1f bytes a row, expected at most %d", per, most)
	}
	if read.Data.Rows != rows-1 {
		t.Errorf("%d transitions", read.Data.Rows)
	}
	runtime.KeepAlive(x)
}

var rows = flag.Int("rows", 0, "rows of the log of TestRows, such as 10000000")

// TestRows imports a log of --rows rows in 2 GiB.
func TestRows(t *testing.T) {
	if *rows == 0 {
		t.Skip("no --rows")
	}
	name := writeWide(t, *rows)
	stop := make(chan int64)
	go func() {
		var most uint64
		for {
			select {
			case stop <- int64(most):
				return
			case <-time.After(100 * time.Millisecond):
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.Sys-m.HeapReleased)
		}
	}()
	res, err := Init(t.Context(), Request{Log: name, Out: t.TempDir(), Actions: []string{"pump"}})
	if err != nil {
		t.Fatal(err)
	}
	most := <-stop
	t.Logf("peak %d MB", most/1_000_000)
	if most > 2<<30 {
		t.Errorf("it took %d MB", most/1_000_000)
	}
	if res.Transitions != *rows-1 {
		t.Errorf("%d transitions", res.Transitions)
	}
}
