//go:build unix

package bench

import (
	"context"
	"os"
	"testing"

	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// TestAgain makes runs of a journal again, and finds those with another answer and those that took longer.
func TestAgain(t *testing.T) {
	right, wrong := -4., -5.
	record := func(id string, reward *float64, cpu float64) journal.Record {
		return journal.Record{ID: id, Kind: journal.KindPlan, Clock: journal.ClockCPU, Engine: "search", Status: "optimal", Reward: reward, CPU: cpu, TimeLimit: 60, Threads: 1, Args: []string{"plan", id}}
	}
	unproven := record("unproven", nil, 1)
	unproven.Status = statusUnknown
	other := record("other", &right, 1)
	other.Files = "0123"
	absent := record("absent", &right, 1)
	absent.Solver = "missing"
	records := []journal.Record{unproven, record("alike", &right, 100), other, record("differs", &wrong, 100), absent, record("slower", &right, -1)}
	dir := t.TempDir()
	c := fakeConfig(dir, "ok")
	c.Engines, c.Tables, c.MaxLoad = nil, nil, 1e6
	list, err := Again(context.Background(), c, records, 3)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]bool{}
	for _, x := range list {
		got[x.Kept.ID] = [2]bool{x.Equal, x.Within}
	}
	if len(got) != 3 || got["alike"] != [2]bool{true, true} || got["differs"] != [2]bool{false, true} || got["slower"] != [2]bool{true, false} {
		t.Errorf("got %v", got)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the folder has %v, %v", left, err)
	}
	// Which runs are drawn depends on the seed alone.
	drawn := map[string]bool{}
	for c.Seed = range 10 {
		for range 2 {
			list, err := Again(context.Background(), c, records, 1)
			if err != nil {
				t.Fatal(err)
			}
			drawn[list[0].Kept.ID] = true
		}
		if len(drawn) > int(c.Seed)+1 {
			t.Errorf("seed %d draws several runs: %v", c.Seed, drawn)
		}
	}
	if len(drawn) != 3 {
		t.Errorf("only %v are drawn", drawn)
	}
	if _, err := Again(context.Background(), c, records, 4); err == nil {
		t.Error("4 of 3 runs were made again")
	}
}

// TestYardsticks holds that a slower machine is allowed more time, and that a record without a yardstick counts by its time alone.
func TestYardsticks(t *testing.T) {
	for _, c := range []struct {
		kept, now, cpu float64 // yardsticks, and the time of the new run, of 10 s before
		pace           float64
		within         bool
	}{{.1, .1, 12.9, 1, true}, {.1, .1, 13.2, 1, false}, {.1, .2, 25, 2, true}, {.1, .2, 26.5, 2, false}, {.2, .1, 7, .5, false}, {0, .2, 12.9, 1, true}, {0, .2, 14, 1, false}} {
		kept, now := &journal.Record{CPU: 10, Yardstick: c.kept}, &journal.Record{CPU: c.cpu, Yardstick: c.now}
		if got := compare(kept, now); got.Pace != c.pace || got.Within != c.within {
			t.Errorf("%v: pace %g, within %t", c, got.Pace, got.Within)
		}
	}
}
