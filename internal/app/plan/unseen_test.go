package plan

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"

	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestUnseen plans with bundled networks that are declared to have seen all legal rows, all
// but one that the plan uses, none of them, or an unknown set; exactly and not.
func TestUnseen(t *testing.T) {
	p := loaded(t, "navigation/3x3", false)
	if p.Seen == nil || !p.Seen.AllLegal() {
		t.Fatal("the bundled network does not say that it was trained on all legal rows")
	}
	rows, err := train.Legal(context.Background(), p.Truth.Compiled, p.Truth.Sim, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	d := planned(t, p, 4)
	if d.UnseenSteps == nil || *d.UnseenSteps != 0 || !*d.UnseenExact || d.Warning() != "" {
		t.Fatalf("%v of the steps of a plan are not legal", d.UnseenSteps)
	}
	// The rows that the plan uses, one per step.
	p.Seen = coverage.Of(rows.Inputs, []uint64{1<<13 - 1})
	if d = planned(t, p, 4); *d.UnseenSteps != 4 || d.Warning() != "in 4 of 4 steps (1, 2, 3, 4) the plan relies on next values that the training rows do not support; there the network may be wrong" {
		t.Errorf("%d %s", *d.UnseenSteps, d.Warning())
	}
	// Leaving out one row after the other, each step is found once.
	var found []int
	for i := range rows.In {
		p.Seen = coverage.Of(rows.Inputs, slices.Delete(slices.Clone(rows.In), i, i+1))
		for _, u := range planned(t, p, 4).Unsupported {
			found = append(found, u.Step)
		}
	}
	slices.Sort(found)
	if !slices.Equal(found, []int{1, 2, 3, 4}) {
		t.Errorf("steps %v, each row left out in turn; want each step once", found)
	}
	p.Seen = nil
	if d := planned(t, p, 4); d.UnseenSteps != nil || d.UnseenExact != nil || d.Warning() != "" {
		t.Error("unseen steps are known of a network that does not say what it saw")
	}
	if d := planned(t, loaded(t, "navigation/3x3", true), 4); d.UnseenSteps != nil {
		t.Error("unseen steps are known without a network")
	}

	// More rows of sysadmin/5 than can be listed: rows that the filter rejects were not seen,
	// and the count is reported as a lower bound.
	p = loaded(t, "sysadmin/5", false)
	p.Seen = coverage.Of(20, drawRows(40_000, 20))
	d = planned(t, p, 4)
	if *d.UnseenExact || *d.UnseenSteps != len(d.Unsupported) || *d.UnseenSteps == 0 || !strings.HasPrefix(d.Warning(), "in at least ") {
		t.Errorf("exact %v, %v steps: %s", *d.UnseenExact, *d.UnseenSteps, d.Warning())
	}
}

// drawRows returns distinct rows of so many bits.
func drawRows(n, bits int) []uint64 {
	rng := rand.New(rand.NewPCG(1, 1))
	out := make([]uint64, n)
	for i, x := range rng.Perm(1 << bits)[:n] {
		out[i] = uint64(x)
	}
	return out
}

// TestIllegalStart: a start that is not a legal state has not been seen by a network trained
// on all legal rows.
func TestIllegalStart(t *testing.T) {
	p := loaded(t, "navigation/3x3", false)
	nowhere, err := p.Truth.Compiled.Valuation(make([]float64, len(p.Truth.Compiled.Ground.Fluents)))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := support.NewJudge(p).Steps(&factored.Trace{Steps: []factored.Valuation{nowhere, nowhere}})
	if err != nil || len(steps) != 1 || steps[0].Step != 1 || steps[0].Kind != support.Unseen {
		t.Errorf("%v %v", steps, err)
	}
}

// TestBundledCoverage: the files of the bundled networks state correctly that they saw every
// legal row.
func TestBundledCoverage(t *testing.T) {
	for name := range known {
		p := loaded(t, name, false)
		rows, err := train.Legal(context.Background(), p.Truth.Compiled, p.Truth.Sim, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case p.Seen == nil:
			t.Errorf("%s: the network does not say what it was trained on", name)
		case p.Seen.Rows() != rows.Rows() || !p.Seen.Exact():
			t.Errorf("%s: trained on %d rows of %d", name, p.Seen.Rows(), rows.Rows())
		}
		for i := range rows.Rows() {
			if p.Seen != nil && !p.Seen.Has(rows.Input(i)) {
				t.Fatalf("%s: row %d was not seen", name, i)
			}
		}
		// Only a network that reads all of the state and action can say so in words.
		if all := !strings.HasPrefix(name, "cellda"); p.Seen != nil && all != p.Seen.AllLegal() {
			t.Errorf("%s: all legal rows: %v", name, p.Seen.AllLegal())
		}
	}
}

// TestManyUnseen: a warning names ten steps at most.
func TestManyUnseen(t *testing.T) {
	p := loaded(t, "navigation/3x3", false)
	p.Seen = coverage.Of(len(p.Problem.Inputs), []uint64{1<<13 - 1})
	d, err := Plan(context.Background(), p, Request{Query: Query{Options: registry.Options{Engine: "search"}, Horizon: bind.Steps(12)}, Limits: engine.Limits{Threads: 1}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if want := "in 12 of 12 steps (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …) the plan"; !strings.HasPrefix(d.Warning(), want) {
		t.Errorf("%s, want %s", d.Warning(), want)
	}
}
