package task_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl/task"
)

// TestDocument reads random documents back.
func TestDocument(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "a", "robot-at(x1,y2)", "a \"b\" \\ ' \n\t\r\x00\x7f é\u2028", "[x]", "1.5", "a.b", "= #"}
	text := func() string { return texts[r.IntN(len(texts))] }
	var value func(depth int) any
	table := func(depth int) map[string]any {
		out := map[string]any{}
		for range r.IntN(5) {
			out[text()] = value(depth - 1)
		}
		return out
	}
	value = func(depth int) any {
		switch k := r.IntN(8); {
		case k == 0:
			return r.Int64N(2000) - 1000
		case k == 1:
			return []float64{0, 1, -2.5, 1e300, math.Inf(-1)}[r.IntN(5)]
		case k == 2:
			return r.IntN(2) == 0
		case depth <= 0 || k == 3:
			return text()
		case k == 4:
			return table(depth)
		case k == 5:
			return []any{table(depth), table(depth)}
		case k == 6:
			return []any{value(depth - 1), int64(1)}
		}
		return []any{}
	}
	for range 2000 {
		doc := table(4)
		written, err := task.Document(doc)
		if err != nil {
			t.Fatal(err)
		}
		read, err := task.ReadDocument(written)
		if err != nil || len(doc)+len(read) > 0 && !reflect.DeepEqual(read, doc) {
			t.Fatalf("%v\nwritten as\n%s\nread as\n%v: %v", doc, written, read, err)
		}
	}
	if _, err := task.Document(map[string]any{"a": map[string]any{"b": struct{}{}}}); err == nil || err.Error() != "a.b: {} is no text, number, Boolean, list or table" {
		t.Errorf("a structure is written: %v", err)
	}
}
