package fromlog_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/app/fromlog"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/train"
)

// writeColumns writes a log in which three columns depend on the action; half of the others hardly ever
// change from row to row, and half are random.
func writeColumns(t *testing.T, name string, rows, columns int) {
	t.Helper()
	var log bytes.Buffer
	fmt.Fprint(&log, "act")
	for i := range columns {
		fmt.Fprintf(&log, ",c%d", i)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	cells := make([]int, columns)
	for range rows {
		act := rng.IntN(2)
		fmt.Fprintf(&log, "\n%d", act)
		before := slices.Clone(cells)
		for i, c := range before {
			fmt.Fprintf(&log, ",%d", c)
			switch {
			case i == 0:
				cells[i] = act
			case i == 1:
				cells[i] = c ^ act
			case i == 2:
				cells[i] = act & before[4]
			case i%2 == 0:
				cells[i] = rng.IntN(2)
			default:
				cells[i] ^= rng.IntN(rows) / (rows - 1)
			}
		}
	}
	if err := os.WriteFile(name, log.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// learnColumns makes a task of a log of writeColumns, and learns it.
func learnColumns(t *testing.T, rows, columns int) *learn.Trained {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "wide.csv")
	writeColumns(t, name, rows, columns)
	res, err := fromlog.Init(t.Context(), fromlog.Request{Log: name, Out: filepath.Join(dir, "wide"), Actions: []string{"act"}})
	if err != nil {
		t.Fatal(err)
	}
	if res.Transitions != rows-1 {
		t.Fatalf("%d transitions, expected %d", res.Transitions, rows-1)
	}
	p, err := load.Load(t.Context(), load.Ref{Name: filepath.Join(dir, "wide", "task.toml"), Untrained: true})
	if err != nil {
		t.Fatal(err)
	}
	trained, err := learn.Train(t.Context(), p, name, learn.Training{Recipe: learn.RecipeStructure, Config: train.Config{Seed: 1, Threads: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return trained
}

var columns = flag.Int("columns", 2_000, "columns of the log of TestManyColumns")

// TestManyColumns: a log of far more columns than rows is read and learned from.
func TestManyColumns(t *testing.T) {
	if got := learnColumns(t, 20, *columns); got.Rows != 19 {
		t.Errorf("%d rows, expected 19", got.Rows)
	}
}

// TestSomeOfManyColumns: in a log of far more columns than rows, those that a next value depends on are
// found, and random columns are recognised.
func TestSomeOfManyColumns(t *testing.T) {
	outputs := learnColumns(t, 120, 800).Found.Outputs
	for i, inputs := range [][]string{{"act"}, {"act", "c1"}, {"act", "c4"}} {
		if o := outputs[i]; !slices.Equal(slices.Sorted(slices.Values(o.Inputs)), inputs) || o.Wrong > 0 {
			t.Errorf("%s depends on %v and is wrong in %d rows, expected %v and none", o.Bit, o.Inputs, o.Wrong, inputs)
		}
	}
	moving, chance := 0, 0
	for _, o := range outputs[3:] {
		if o.Wrong > o.Rows/4 {
			moving++
		}
		if o.Verdict == string(structure.Chance) {
			chance++
		}
	}
	if moving < 360 || chance < moving*99/100 {
		t.Errorf("%d of %d random columns are recognised", chance, moving)
	}
}
