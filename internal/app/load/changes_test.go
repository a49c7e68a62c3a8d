package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/apptest"
)

// TestInitialFile checks the two ways to write a state, and the faults of each.
func TestInitialFile(t *testing.T) {
	write := func(text string) string {
		name := filepath.Join(t.TempDir(), "initial")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	p := apptest.Integers(t)
	c := Changes{Edits: Edits{Initial: write("# a state\n\nlevel=-2\non(c1)=true\n")}}
	if err := c.apply(p); err != nil {
		t.Fatal(err)
	}
	if len(p.Initial) != 5 {
		t.Errorf("%d constraints for five bits", len(p.Initial))
	}
	c = Changes{Edits: Edits{Initial: write("on(c1),==,1\nlevel=3\n"), SetInitial: []string{"level = 4"}}}
	if err := c.apply(p); err != nil {
		t.Fatal(err)
	}
	if got := p.Format(&p.Initial[1]); len(p.Initial) != 5 || got != "level >= 0" {
		t.Errorf("%d constraints, the second %s", len(p.Initial), got)
	}
	for text, want := range map[string]string{
		"level=1\nlevel=2": ":2: level has a value already in line 1",
		"level=9":          ":1: level cannot be 9",
		"x=9":              `:1: there is no variable "x"`,
		"go=1":             ":1: go is an action variable",
		"level":            ":1: expected variable=value",
		"\nlevel=true":     ":2: level is an integer; expected a number from -2 to 5",
		"\nnope,==,1":      ":2:1: ",
		"\ngo,==,1":        ":2:1: ",
	} {
		name := write(text)
		c := Changes{Edits: Edits{Initial: name}}
		if err := c.apply(apptest.Integers(t)); err == nil || !strings.HasPrefix(err.Error(), name+want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func FuzzSetting(f *testing.F) {
	for _, s := range []string{"level=-2", "on(c1)=true", "on[c1] = 1", "=", "level==3", "go=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := apptest.Integers(t)
		if _, err := setInitial(p, text); err == nil {
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
