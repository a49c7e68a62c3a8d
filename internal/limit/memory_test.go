package limit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// write makes files below a folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAvailable(t *testing.T) {
	const meminfo = "MemTotal:        2097152 kB\nMemFree:          100 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing is known":      {map[string]string{}, 8 << 30},
		"machine":               {map[string]string{"meminfo": meminfo}, 2 << 30},
		"broken":                {map[string]string{"meminfo": "MemTotal: many kB\n", "groups/memory.max": "much\n"}, 8 << 30},
		"version 2":             {map[string]string{"meminfo": meminfo, "cgroup": "0::/a/b\n", "groups/a/b/memory.max": "1048576\n"}, 1 << 20},
		"version 2, above":      {map[string]string{"meminfo": meminfo, "cgroup": "0::/a/b\n", "groups/a/b/memory.max": "max\n", "groups/a/memory.max": "4096\n"}, 4096},
		"version 2, within":     {map[string]string{"meminfo": meminfo, "cgroup": "0::/\n", "groups/memory.max": "8192\n"}, 8192},
		"version 1":             {map[string]string{"meminfo": meminfo, "cgroup": "4:memory:/c\n3:cpu:/d\n", "groups/memory/c/memory.limit_in_bytes": "65536\n"}, 65536},
		"version 1, no bound":   {map[string]string{"meminfo": meminfo, "groups/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 2 << 30},
		"another group's bound": {map[string]string{"meminfo": meminfo, "cgroup": "3:cpu:/d\n", "groups/memory/d/memory.limit_in_bytes": "65536\n"}, 2 << 30},
	} {
		dir := write(t, c.files)
		if got := available(filepath.Join(dir, "meminfo"), filepath.Join(dir, "cgroup"), filepath.Join(dir, "groups")); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if d := DefaultMemory(); d < 1<<20 || d > mostByDefault || d > Available() {
		t.Errorf("the default is %d of %d", d, Available())
	}
}

// TestResident: what is held and was written to is counted.
func TestResident(t *testing.T) {
	before := Resident()
	held := make([]byte, 64<<20)
	for i := range held {
		held[i] = 1
	}
	if grown := Resident() - before; grown < 48<<20 {
		t.Errorf("%d bytes more for %d", grown, len(held))
	}
	if held[len(held)/2] != 1 {
		t.Fail()
	}
}

// TestWatch: below the bound nothing happens, beyond it the run is stopped once,
// and is over when it grows on.
func TestWatch(t *testing.T) {
	const bound = 100 << 20
	sizes := []int64{1 << 20, bound, bound + 10<<20, bound + 30<<20, bound + 31<<20, bound + 50<<20, bound + 60<<20}
	tick := make(chan time.Time)
	at := -1
	m := &Memory{Bound: bound, Resident: func() int64 { at++; return sizes[at] }, Tick: tick}
	stopped, over := -1, -1
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.Run(context.Background(), func(err error) {
			if stopped >= 0 || err.Error() != "the memory limit of 100 MiB was reached" {
				t.Errorf("stopped at %d and %d: %v", stopped, at, err)
			}
			stopped = at
		}, func(error) { over = at })
	}()
	for open := true; open; {
		select {
		case tick <- time.Time{}:
		case <-done:
			open = false
		}
	}
	if stopped != 3 || over != 5 {
		t.Errorf("stopped at %d, over at %d", stopped, over)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m.Run(ctx, func(error) { t.Error("stopped after its end") }, func(error) { t.Error("over after its end") })
}

// TestWatchGrown: a large process is told of each step by which it grows.
func TestWatchGrown(t *testing.T) {
	sizes := []int64{large - 1, large, large + 1, large + step - 1, large + step, large + step, large + 5*step, large + 6*step - 1, large + 6*step, large, large + 7*step}
	want := []int{1, 4, 6, 8, 10}
	tick := make(chan time.Time, len(sizes))
	ctx, cancel := context.WithCancel(context.Background())
	at := -1
	var got []int
	m := &Memory{Bound: 1 << 40, Tick: tick, Grown: func() { got = append(got, at); HugePages() }, Resident: func() int64 {
		if at++; at == len(sizes)-1 {
			cancel()
		}
		return sizes[at]
	}}
	for range sizes {
		tick <- time.Time{}
	}
	m.Run(ctx, func(err error) { t.Error(err) }, func(err error) { t.Error(err) })
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestWatchOthers: other programs are ended when they are too large for two looks, the
// run is stopped before, and it is not over.
func TestWatchOthers(t *testing.T) {
	const bound = 100 << 20
	sizes := []int64{0, bound, 0, bound / 2, 2 * bound, 3 * bound}
	tick := make(chan time.Time)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var events []string
	at := -1
	m := &Memory{Bound: bound, Resident: func() int64 { return bound / 2 }, Tick: tick,
		Others: func() int64 { at++; return sizes[at] }, KillOthers: func() { events = append(events, fmt.Sprint("killed at ", at)) }}
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.Run(ctx, func(err error) { events = append(events, err.Error()) }, func(error) { events = append(events, "over") })
	}()
	for range int(betweenOthers/Shortest)*(len(sizes)-1) + 1 {
		tick <- time.Time{}
	}
	cancel()
	<-done
	want := []string{"the memory limit of 100 MiB was reached, with 200 MiB of the programs that were started", "killed at 5"}
	if !slices.Equal(events, want) {
		t.Errorf("%q, want %q", events, want)
	}
}
