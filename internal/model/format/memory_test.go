package format

import (
	"context"
	"runtime"
	"testing"

	"github.com/fdplan/fdplan/internal/model"
)

// heapProbe is a writer that measures the heap now and then.
type heapProbe struct {
	writes int
	peak   uint64
}

func (h *heapProbe) Write(p []byte) (int, error) {
	if h.writes%32 == 0 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		h.peak = max(h.peak, s.HeapAlloc)
	}
	h.writes++
	return len(p), nil
}

// TestMemory checks that a long horizon takes no more memory than a short one.
func TestMemory(t *testing.T) {
	small := lamp(t)
	long, err := model.New(small.Problem, small.Network, 10_000, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for k := range numKinds {
		var short, tall heapProbe
		for _, c := range []struct {
			m *model.Model
			w *heapProbe
		}{{small, &short}, {long, &tall}} {
			o := Options{Kind: k}
			if _, err := Write(context.Background(), c.w, c.m, o); err != nil {
				t.Fatal(err)
			}
			if err := WriteMap(c.w, c.m, o); err != nil {
				t.Fatal(err)
			}
		}
		// The files have 2 to 14 MB.
		if tall.peak > short.peak+1<<18 {
			t.Errorf("%v: the heap grows from %d to %d bytes with the horizon", k, short.peak, tall.peak)
		}
	}
}
