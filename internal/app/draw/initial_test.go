package draw

import (
	"context"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
)

// TestInitial draws the initial state of bundled problems, as it is and changed.
func TestInitial(t *testing.T) {
	text := func(name string, set ...string) string {
		t.Helper()
		p, err := Initial(context.Background(), load.Ref{Name: name}, load.Changes{Edits: load.Edits{SetInitial: set}})
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Frames()
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Frames) != 1 || f.Frames[0].Step != "start" {
			t.Fatalf("%s: %d frames", name, len(f.Frames))
		}
		return f.Frames[0].Text
	}
	for _, c := range []struct {
		name, part string
		set        []string
	}{
		{"navigation/3x3", "(x14,y20)", nil},
		{"navigation/3x3", "(x9,y20)", []string{"robot-at(x14,y20)=false", "robot-at(x9,y20)=true"}},
		{"cellda/x", "2", []string{"cellda-loc(x)=2"}},
	} {
		if got := text(c.name, c.set...); !strings.Contains(got, c.part) {
			t.Errorf("%s %v: %s, expected %s", c.name, c.set, got, c.part)
		}
	}
	if text("inventory/2") == text("inventory/2", "quant(c1)=3") {
		t.Error("a changed initial state is drawn as the own one")
	}
	for _, set := range []string{"nothing=1", "robot-at(x9,y20)=7"} {
		if _, err := Initial(context.Background(), load.Ref{Name: "navigation/3x3"}, load.Changes{Edits: load.Edits{SetInitial: []string{set}}}); err == nil {
			t.Errorf("%s is drawn", set)
		}
	}
}
