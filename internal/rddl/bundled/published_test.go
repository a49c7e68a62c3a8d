package bundled

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPublishedOrder compares the bits that the network reads and determines with those of
// the published files, by the names in the tasks.
func TestPublishedOrder(t *testing.T) {
	const dir = "../../../../shared/data/fd-sat-plan/translation/"
	for name, file := range map[string]string{
		"navigation/3x3": "navigation_3x3", "navigation/5x5": "navigation_5x5", "inventory/2": "inventory_1",
		"sysadmin/4": "sysadmin_4", "cellda/x": "cellda_x",
	} {
		text, err := os.ReadFile(dir + "pvariables_" + file + ".txt")
		if err != nil {
			t.Skip("the published files are not here: ", err)
		}
		var actions, states, labels []string
		for _, field := range strings.Split(strings.TrimSpace(string(text)), ",") {
			kind, v, _ := strings.Cut(field, ": ")
			switch kind {
			case "action_data":
				actions = append(actions, v)
			case "state_data":
				states = append(states, v)
			case "state_data_label":
				states, labels = append(states, v), append(labels, v)
			}
		}
		tk, err := Task(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := RDDL(context.Background(), name, false)
		if err != nil {
			t.Fatal(err)
		}
		var in, out []string
		for _, b := range c.Problem.Inputs {
			in = append(in, tk.BitName(c.Problem, b))
		}
		for _, b := range c.Problem.Outputs {
			out = append(out, tk.BitName(c.Problem, b))
		}
		if want := append(actions, states...); !slices.Equal(in, want) {
			t.Errorf("%s: the network reads\n%q, published\n%q", name, in, want)
		}
		if !slices.Equal(out, labels) {
			t.Errorf("%s: the network gives\n%q, published\n%q", name, out, labels)
		}
	}
}
