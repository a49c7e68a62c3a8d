package registry_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/randprob"
)

// table is the table of engines as docs/engines.md has it.
func table() string {
	mark := func(has bool) string {
		if has {
			return "yes"
		}
		return "-"
	}
	var b strings.Builder
	b.WriteString("| engine | what it is | Algorithm 1 | ranges in one run | threads | bounds before the end | external solvers | clause encodings |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, e := range registry.All() {
		kind := "-"
		if e.External != nil {
			kind = e.External.String()
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n",
			e.Name, e.Help, mark(e.Incremental), mark(e.Ranges), mark(e.Threads), mark(e.Anytime), kind, mark(e.Encodings))
	}
	return b.String()
}

// TestDocs holds the table of docs/engines.md to the registry.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../../docs/engines.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), table()) {
		t.Errorf("docs/engines.md lacks the table\n%s", table())
	}
}

// TestEntries makes every engine and holds it to what its entry says: names,
// sessions, and answers that agree.
func TestEntries(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range registry.All() {
		if seen[e.Name] || e.Name == "" || e.Help == "" || strings.HasSuffix(e.Help, ".") {
			t.Errorf("entry %q is not unique or has a wrong help %q", e.Name, e.Help)
		}
		seen[e.Name] = true
		made, err := registry.New(registry.Options{Engine: e.Name})
		if err != nil {
			t.Fatal(err)
		}
		if made.Name() != e.Name {
			t.Errorf("engine %s is named %s", e.Name, made.Name())
		}
		if _, ok := made.(engine.Opener); ok != e.Incremental {
			t.Errorf("engine %s: incremental %v", e.Name, e.Incremental)
		}
	}
	if e, err := registry.New(registry.Options{}); err != nil || e.Name() != registry.Auto {
		t.Errorf("the zero value gives %v, %v", e, err)
	}
	if slices.Contains(registry.Single(), registry.Auto) {
		t.Error("auto is among the engines that it chooses from")
	}
}

// TestExplaining solves a small problem with the engines that explanations use:
// none of them needs a program from outside.
func TestExplaining(t *testing.T) {
	p, net, horizon := randprob.New(7, randprob.Options{})
	for _, name := range registry.Names(registry.Explaining) {
		e, err := registry.New(registry.Options{Engine: name})
		if err != nil {
			t.Fatal(err)
		}
		q := engine.Query{Task: engine.Task{Problem: p, Network: net}, MinHorizon: horizon, MaxHorizon: horizon}
		if _, err := e.Solve(context.Background(), q, engine.Limits{Threads: 1}, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWrongOptions has options that the engine does not take.
func TestWrongOptions(t *testing.T) {
	for _, c := range []struct {
		o    registry.Options
		want string
	}{
		{registry.Options{Engine: "sat"}, `there is no engine "sat"; expected one of [auto search pb maxsat blp]`},
		{registry.Options{Engine: "search", Solver: "clasp"}, "engine search takes no external solver; expected engine pb, maxsat or blp"},
		{registry.Options{Engine: "pb", BLPHelp: "none"}, "engine pb adds nothing to the paper's program; expected engine blp"},
	} {
		if _, err := registry.New(c.o); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %s", c.o, err, c.want)
		}
	}
}
