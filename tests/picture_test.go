package tests

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write docs/images anew, to be looked at")

// TestCommittedPictures draws the pictures that README.md and docs/ show, with
// the commands of docs/pictures.md.
func TestCommittedPictures(t *testing.T) {
	for _, c := range []struct {
		plan    []string
		picture string
	}{
		{[]string{"cellda/y", "-H", "8", "--json"}, "../docs/images/cellda-y.svg"},
		{[]string{"--domain", "../examples/drift/drift.rddl", "--instance", "../examples/drift/pits.rddl", "--goal", "x == SIDE ^ y == SIDE ^ ~lost", "--policy"}, "../docs/images/pits.svg"},
	} {
		dir := t.TempDir()
		plan, drawn := filepath.Join(dir, "plan.json"), filepath.Join(dir, "plan.svg")
		for _, args := range [][]string{append(append([]string{"plan"}, c.plan...), "-o", plan), {"show", plan, "-o", drawn}} {
			if status, _, stderr := session(args...); status != exitDone {
				t.Fatalf("%v: status %d, %s", args, status, stderr)
			}
		}
		got, err := os.ReadFile(drawn)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(c.picture, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(c.picture)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not what the program draws of %s; go test -C tests . -run CommittedPictures -update writes it anew", c.picture, c.plan)
		}
	}
}
