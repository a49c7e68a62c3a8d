package load

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestRuleText finds the user's text of every kind of rule.
func TestRuleText(t *testing.T) {
	p, err := Load(context.Background(), Ref{Name: "sysadmin/4", Source: Source{Model: RDDL}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(Changes{Edits: Edits{Require: []string{"~reboot(c1)@2", "reboot(c2) | running(c1)"}}}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "task.toml")
	const own = `rules = ["on => x <= 2"]
goal = "x == 0"
[[state]]
name = "x"
range = [0, 3]
[[action]]
name = "on"
`
	if err := os.WriteFile(file, []byte(own), 0o644); err != nil {
		t.Fatal(err)
	}
	declared, err := Load(context.Background(), Ref{Name: file, Untrained: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		of           *Problem
		origin, want string
	}{
		{p, "require 1", "~reboot(c1)@2"},
		{p, "require 2", "reboot(c2) | running(c1)"},
		{p, "require 3", ""},
		{p, "problems/sysadmin/domain.rddl:39 invariant 2", "running(c2) [?c = c2]"},
		{p, "problems/sysadmin/domain.rddl:39 invariant 9", ""},
		{p, "problems/sysadmin/4/task.toml:5 goal", "forall_{?c : computer} running(?c)"},
		{p, "max-nondef-actions", "max-nondef-actions = 2"},
		{p, "range of age(c1)", ""},
		{p, "", ""},
		{declared, "rule 1", "on => x <= 2"},
		{declared, "goal", "x == 0"},
	} {
		if got := c.of.RuleText(c.origin); got != c.want {
			t.Errorf("%s: %q, want %q", c.origin, got, c.want)
		}
	}
	// Every constraint of C with a place in the RDDL has its text.
	for i := range p.Problem.Global {
		if g := &p.Problem.Global[i]; g.Origin != "" && !g.Defines && p.RuleText(g.Origin) == "" {
			t.Errorf("%s has no text", g.Origin)
		}
	}
}
