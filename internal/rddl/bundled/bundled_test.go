package bundled

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/factored"
)

// TestNames loads every bundled problem, with its transitions known and
// learned, and wants the names of its bits in files to be distinct.
func TestNames(t *testing.T) {
	for _, name := range Names() {
		tk, err := Task(name)
		if err != nil {
			t.Fatal(err)
		}
		if tk.Network != "" {
			if _, err := Read(tk.Network); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		known, err := RDDL(context.Background(), name, true)
		if err != nil {
			t.Fatal(err)
		}
		learned, err := RDDL(context.Background(), name, false)
		if err != nil {
			t.Fatal(err)
		}
		if len(known.Problem.Outputs) != 0 || len(learned.Problem.Outputs) == 0 && tk.Network != "" {
			t.Errorf("%s: %d bits are learned, and %d with all known", name, len(learned.Problem.Outputs), len(known.Problem.Outputs))
		}
		var bits []string
		for b := range learned.Problem.NumBits() {
			bits = append(bits, tk.BitName(learned.Problem, factored.Bit(b)))
		}
		slices.Sort(bits)
		if twice := len(bits) - len(slices.Compact(slices.Clone(bits))); twice != 0 {
			t.Errorf("%s: %d names of bits stand for two", name, twice)
		}
	}
	Names()[0] = "changed"
	if Names()[0] == "changed" {
		t.Error("a caller can change the names")
	}
	for _, call := range []func() error{
		func() error { _, err := Task("navigation/9x9"); return err },
		func() error { _, err := RDDL(context.Background(), "navigation/9x9", true); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), `no bundled problem "navigation/9x9"`) || !strings.Contains(err.Error(), Names()[0]) {
			t.Errorf("%v", err)
		}
	}
}
