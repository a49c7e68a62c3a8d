package main

import (
	"context"
	"testing"
)

// TestFunctions: there are forty, and the easy ones are learned from few rows by both.
func TestFunctions(t *testing.T) {
	all := functions()
	if len(all) != 40 {
		t.Errorf("%d functions, expected 40", len(all))
	}
	for _, f := range all {
		if f.inputs > 8 {
			continue
		}
		r, err := compare(context.Background(), &f, 1500, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if r.structure.accuracy < 1 || r.tree < 1 {
			t.Errorf("%s, %s: accuracy %v, of a tree %v, expected 1", f.kind, f.name, r.structure.accuracy, r.tree)
		}
	}
}
