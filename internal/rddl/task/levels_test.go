package task

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestQuantityGoal compiles goals over a quantity, which become goals over its levels.
func TestQuantityGoal(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"d.rddl": domainText, "i.rddl": instanceText} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const head = "domain = \"d.rddl\"\ninstance = \"i.rddl\"\ngoal = \""
	for _, c := range []struct{ goal, bins, levels, want string }{
		{"x >= 10 ^ p", "x = {edges = [0, 10, 25, 40, 50], unit = \"kg\"}", "x >= 1 ^ p", ""},
		{"25 > x", "x = {edges = [0, 10, 25, 40, 50]}", "x < 2", ""},
		{"p => x >= 25", "x = {lo = 0, hi = 100, bits = 2}", "p => x >= 1", ""},
		{"x < 12", "x = {edges = [0, 10, 25, 40, 50], unit = \"kg\"}", "", "x < 12: 12 lies inside the bin 10–25 kg; use 10 or 25, or add a bin edge"},
		{"x > 10", "x = {edges = [0, 10, 25, 40, 50]}", "", "10 itself belongs to the bin 10–25; use x >= 10"},
		{"x > 60", "x = {edges = [0, 10, 25, 40, 50]}", "", "x > 60 is never true; the range of x is 0..50"},
		{"x + 1 > 25", "x = {edges = [0, 10, 25, 40, 50]}", "", "x is a quantity in bins; expected <, <=, > or >= with a bin edge"},
	} {
		file := filepath.Join(dir, "task.toml")
		load := func(goal, bins string, levels bool) (string, error) {
			if err := os.WriteFile(file, []byte(head+goal+"\"\n[discretize]\n"+bins+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			tk, err := Load(file, nil)
			if err != nil {
				return "", err
			}
			tk.Levels = levels
			got, err := tk.Problem(context.Background(), Options{Known: true})
			if err != nil {
				return "", err
			}
			p := got.Problem
			if v, _ := p.Lookup("x"); v.Quantity() == levels {
				t.Errorf("%s: levels %v, and the view %v", c.goal, levels, v.View)
			}
			for i := range p.Variables {
				p.Variables[i].View = nil // to compare the values themselves
			}
			var b strings.Builder
			for i := range p.Goal {
				b.WriteString(p.Format(&p.Goal[i]) + "\n")
			}
			return b.String(), nil
		}
		got, err := load(c.goal, c.bins, false)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), file+":3:") {
				t.Errorf("%s: %v, want %s", c.goal, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.goal, err)
			continue
		}
		if want, err := load(c.levels, c.bins, true); err != nil || got != want {
			t.Errorf("%s:\n%s%s:\n%s%v", c.goal, got, c.levels, want, err)
		}
	}
}
