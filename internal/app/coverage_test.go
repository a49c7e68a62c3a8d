package app

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// bundledFile reads the network of a bundled problem.
func bundledFile(t *testing.T, name string) *bnn.File {
	t.Helper()
	k, err := bundled.Task(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := bundled.Read(k.Network)
	if err != nil {
		t.Fatal(err)
	}
	f, err := bnn.ReadFile(k.Network, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestUnseen plans with bundled networks that are said to have seen all legal
// rows, all but one that the plan uses, none of them, or nothing known; exactly
// and not.
func TestUnseen(t *testing.T) {
	p := load(t, "navigation/3x3", false)
	if p.seen == nil || !p.seen.AllLegal() {
		t.Fatal("the bundled network does not say that it was trained on all legal rows")
	}
	rows, err := train.Legal(context.Background(), p.truth.compiled, p.truth.sim, false, maxLegal)
	if err != nil {
		t.Fatal(err)
	}
	d := plan(t, p, 4)
	if d.UnseenSteps == nil || *d.UnseenSteps != 0 || !*d.UnseenExact || d.Warning() != "" {
		t.Fatalf("%v of the steps of a plan are not legal", d.UnseenSteps)
	}
	// The rows that the plan uses, one a step.
	p.seen = coverage.Of(rows.Inputs, []uint64{1<<13 - 1})
	if d = plan(t, p, 4); *d.UnseenSteps != 4 || d.Warning() != "in 4 of 4 steps (1, 2, 3, 4) the plan uses a state and action that no training row had; there the network may be wrong" {
		t.Errorf("%d %s", *d.UnseenSteps, d.Warning())
	}
	// Leaving out one row after the other, each step is found once.
	var found []int
	for i := range rows.In {
		p.seen = coverage.Of(rows.Inputs, slices.Delete(slices.Clone(rows.In), i, i+1))
		found = append(found, plan(t, p, 4).unseen...)
	}
	slices.Sort(found)
	if !slices.Equal(found, []int{1, 2, 3, 4}) {
		t.Errorf("steps %v, each row left out in turn; want each step once", found)
	}
	p.seen = nil
	if d := plan(t, p, 4); d.UnseenSteps != nil || d.UnseenExact != nil || d.Warning() != "" {
		t.Error("unseen steps are known of a network that does not say what it saw")
	}
	if d := plan(t, load(t, "navigation/3x3", true), 4); d.UnseenSteps != nil {
		t.Error("unseen steps are known without a network")
	}

	// More rows of sysadmin/5 than can be listed: what the filter denies was not
	// seen, and the count is said to be the least.
	p = load(t, "sysadmin/5", false)
	p.seen = coverage.Of(20, drawRows(40_000, 20))
	d = plan(t, p, 4)
	if *d.UnseenExact || *d.UnseenSteps != len(d.unseen) || *d.UnseenSteps == 0 || !strings.HasPrefix(d.Warning(), "in at least ") {
		t.Errorf("exact %v, %v steps: %s", *d.UnseenExact, *d.UnseenSteps, d.Warning())
	}
}

// drawRows gives distinct rows of so many bits.
func drawRows(n, bits int) []uint64 {
	rng := rand.New(rand.NewPCG(1, 1))
	out := make([]uint64, n)
	for i, x := range rng.Perm(1 << bits)[:n] {
		out[i] = uint64(x)
	}
	return out
}

// TestIllegalStart: a start that is no legal state is nothing that a network
// trained on all legal rows has seen.
func TestIllegalStart(t *testing.T) {
	p := load(t, "navigation/3x3", false)
	nowhere, err := p.truth.compiled.Valuation(make([]float64, len(p.truth.compiled.Ground.Fluents)))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := p.unseen(&factored.Trace{Steps: []factored.Valuation{nowhere, nowhere}})
	if err != nil || !slices.Equal(steps, []int{1}) {
		t.Errorf("%v %v", steps, err)
	}
}

// TestBundledCoverage: the bundled networks say that they saw every legal row, and
// that is so.
func TestBundledCoverage(t *testing.T) {
	for name := range known {
		p := load(t, name, false)
		rows, err := train.Legal(context.Background(), p.truth.compiled, p.truth.sim, false, maxLegal)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case p.seen == nil:
			t.Errorf("%s: the network does not say what it was trained on", name)
		case p.seen.Rows() != rows.Rows() || !p.seen.Exact():
			t.Errorf("%s: trained on %d rows of %d", name, p.seen.Rows(), rows.Rows())
		}
		for i := range rows.Rows() {
			if p.seen != nil && !p.seen.Has(rows.Input(i)) {
				t.Fatalf("%s: row %d was not seen", name, i)
			}
		}
		// Only a network that reads all of the state and action can say so in words.
		if all := !strings.HasPrefix(name, "cellda"); p.seen != nil && all != p.seen.AllLegal() {
			t.Errorf("%s: all legal rows: %v", name, p.seen.AllLegal())
		}
	}
}

// TestReadSeen has network files with sets of rows that are not: the place is told.
func TestReadSeen(t *testing.T) {
	f := bundledFile(t, "inventory/2")
	at := slices.IndexFunc(f.Meta, func(kv [2]string) bool { return kv[0] == metaSeen })
	if at < 0 {
		t.Fatal("the bundled network does not say what it was trained on")
	}
	for _, c := range []struct {
		meta [][2]string
		want string
	}{
		{[][2]string{{"seen", "all"}}, `f:2:11: "all" of 1 words is no set of rows`},
		{[][2]string{{"seed", "1"}, {"seen", ""}}, `f:3:11: "" of 1 words is no set of rows`},
		{[][2]string{{"seen", "legal 64"}, {"seed", "1"}, {"seen", "legal 64"}}, "f:4:5: there are two sets of rows"},
		{[][2]string{{"seen", "rows 64 AAAA"}}, "f:2:11: 3 bytes of rows"},
		{nil, ""},
		{[][2]string{{"seed", "1"}}, ""},
		{[][2]string{{"seen", "legal 64"}}, ""},
	} {
		f.Meta = c.meta
		_, err := readSeen("f", f)
		if got := ""; err != nil && c.want != "" {
			if got = err.Error(); !strings.HasPrefix(got, c.want) {
				t.Errorf("%v: %s, want %s", c.meta, got, c.want)
			}
		} else if (err != nil) != (c.want != "") {
			t.Errorf("%v: %v, want %q", c.meta, err, c.want)
		}
	}
	// A task with such a file does not load.
	f.Meta = [][2]string{{"seen", "legal none"}}
	dir := t.TempDir()
	var text bytes.Buffer
	if err := bnn.WriteFile(&text, f); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]func() ([]byte, error){
		"network.bnn":   func() ([]byte, error) { return text.Bytes(), nil },
		"domain.rddl":   func() ([]byte, error) { return bundled.Read("problems/inventory/domain.rddl") },
		"instance.rddl": func() ([]byte, error) { return bundled.Read("problems/inventory/2/instance.rddl") },
		"task.toml": func() ([]byte, error) {
			b, err := bundled.Read("problems/inventory/2/task.toml")
			return bytes.ReplaceAll(b, []byte("../domain"), []byte("domain")), err
		},
	} {
		b, err := content()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Load(Ref{Name: filepath.Join(dir, "task.toml")})
	if want := filepath.Join(dir, "network.bnn") + `:2:11: "none" is no number of rows`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestManyUnseen: a warning names ten steps at most.
func TestManyUnseen(t *testing.T) {
	p := load(t, "navigation/3x3", false)
	p.seen = coverage.Of(len(p.Problem.Inputs), []uint64{1<<13 - 1})
	d, err := Plan(context.Background(), p, Request{Engine: "search", MinHorizon: 12, MaxHorizon: 12, Limits: engine.Limits{Threads: 1}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if want := "in 12 of 12 steps (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …) the plan"; !strings.HasPrefix(d.Warning(), want) {
		t.Errorf("%s, want %s", d.Warning(), want)
	}
}
