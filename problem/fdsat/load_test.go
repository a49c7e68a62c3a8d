package fdsat

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

func names(p *factored.Problem, bits []factored.Bit) []string {
	var out []string
	for _, b := range bits {
		out = append(out, p.BitName(b))
	}
	return out
}

func formatted(p *factored.Problem, cs []factored.Constraint) []string {
	var out []string
	for i := range cs {
		out = append(out, cs[i].Origin+" "+p.Format(&cs[i]))
	}
	return out
}

func rewardText(p *factored.Problem, r factored.Reward) string {
	var s []string
	for _, t := range r.Terms {
		s = append(s, fmt.Sprintf("%d*%s", t.Weight, p.LitName(t.Lit)))
	}
	return fmt.Sprintf("(%s)/%d", strings.Join(s, " + "), r.Scale)
}

func expect[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

func TestLoadTiny(t *testing.T) {
	p, n, err := Load("testdata/base", "tiny", "1")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "name", p.Name, "tiny/1")
	expect(t, "actions", names(p, p.Bits(factored.Action)), []string{"fill", "heat", "ring bell"})
	expect(t, "states", names(p, p.Bits(factored.State)), []string{"warm[$k1| $a]", "full", "steam", "counted"})
	expect(t, "auxiliary", names(p, p.Bits(factored.Auxiliary)), []string{"both[$k1]"})
	expect(t, "inputs", names(p, p.Inputs), []string{"fill", "heat", "warm[$k1| $a]", "full"})
	expect(t, "outputs", names(p, p.Outputs), []string{"warm[$k1| $a]", "steam"})
	expect(t, "constraints", formatted(p, p.Global), []string{
		"constraints_tiny_1.txt:1 fill + heat + ring bell <= 1",
		"constraints_tiny_1.txt:2 ~both[$k1] + full >= 1",
		"constraints_tiny_1.txt:3 ~both[$k1] + heat >= 1",
		"constraints_tiny_1.txt:4 both[$k1] + ~full + ~heat >= 1",
	})
	expect(t, "goals", formatted(p, p.Goal), []string{"goals_tiny_1.txt:1 steam == 1"})
	expect(t, "initial", formatted(p, p.Initial), []string{
		"initial_tiny_1.txt:1 warm[$k1| $a] == 0", "initial_tiny_1.txt:2 full == 0",
		"initial_tiny_1.txt:3 steam == 0", "initial_tiny_1.txt:4 counted == 0",
	})
	expect(t, "transitions", formatted(p, p.Transition), []string{
		"transitions_tiny_1.txt:1 full' + ~full >= 1", "transitions_tiny_1.txt:2 full' + ~fill >= 1",
		"transitions_tiny_1.txt:3 ~full' + full + fill >= 1", "transitions_tiny_1.txt:4 counted' + ~both[$k1] == 1",
	})
	expect(t, "reward", rewardText(p, p.Reward), "(3*steam' + -1*heat + -2*~full')/1")
	expect(t, "network", *n, bnn.Network{Layers: []bnn.Layer{
		{Inputs: 4, Weights: []int8{0, 1, 0, 1, -1, 0, 1, 0, 0, 1, 0, 0}, Thresholds: []int32{2, 2, 1}},
		{Inputs: 3, Weights: []int8{1, 1, 0, 1, 1, 1}, Thresholds: []int32{1, 2}},
	}})
}

// TestLoadVariants changes the base in ways that keep it valid.
func TestLoadVariants(t *testing.T) {
	const perAction = "(-1*fill + -1*heat + -1*ring bell)/1"
	rewardFile := filepath.Join("translation", "reward_tiny_1.txt")
	for name, change := range map[string]func(dir string) error{
		"no reward file":    func(dir string) error { return os.Remove(filepath.Join(dir, rewardFile)) },
		"empty reward file": func(dir string) error { return os.WriteFile(filepath.Join(dir, rewardFile), []byte("\r\n\n"), 0o644) },
	} {
		dir := t.TempDir()
		layout(t, dir, "")
		if err := change(dir); err != nil {
			t.Fatal(err)
		}
		p, _, err := Load(dir, "tiny", "1")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		expect(t, name, rewardText(p, p.Reward), perAction)
	}

	want, wantNet, err := Load("testdata/base", "tiny", "1")
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]func(s string) string{
		"CR LF":             func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"no end at the end": func(s string) string { return strings.TrimRight(s, "\n") },
		"empty lines after": func(s string) string { return strings.TrimRight(s, "\n") + "\n\n\r\n\n" },
	}
	for name, end := range ends {
		dir := t.TempDir()
		layout(t, dir, "")
		files, err := filepath.Glob(filepath.Join(dir, "*", "*.txt"))
		if err != nil || len(files) != 8 {
			t.Fatal(files, err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(f, []byte(end(string(data))), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		p, n, err := Load(dir, "tiny", "1")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		expect(t, name, p, want)
		expect(t, name, n, wantNet)
	}
}

func TestLoadNames(t *testing.T) {
	for _, c := range []struct{ domain, instance, part string }{
		{"", "1", `"" is no part`},
		{"tiny", "../1", `"../1" is no part`},
		{"tiny\x00", "1", "is no part"},
		{"tiny", "2", "testdata/base/translation/pvariables_tiny_2.txt: there is no such file"},
	} {
		_, _, err := Load("testdata/base", c.domain, c.instance)
		if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), c.part) {
			t.Errorf("%q/%q: %v; expected %q", c.domain, c.instance, err, c.part)
		}
	}
}

// TestPublished loads the problems published with the paper; the shapes are
// those of its Table 1.
func TestPublished(t *testing.T) {
	const dir = "../../../shared/data/fd-sat-plan"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the published problems are not there: %v", err)
	}
	for _, c := range []struct {
		domain, instance, shape                         string
		actions, states, auxiliary                      int
		global, initial, goal, transition, rewardLength int
		reward                                          string // its first term
	}{
		{"navigation", "3x3", "13:36:36:9", 4, 9, 0, 2, 1, 1, 0, 4, "-1*move-east"},
		{"navigation", "5x5", "29:128:128:25", 4, 25, 0, 2, 1, 1, 0, 4, "-1*move-east"},
		{"inventory", "1", "7:96:96:5", 1, 6, 0, 1, 6, 1, 1, 1, "1*threshold_met[$c1]'"},
		{"sysadmin", "4", "16:128:128:12", 4, 12, 0, 5, 4, 4, 0, 4, "-1*reboot[$c1]"},
		{"cellda", "x", "12:128:128:4", 4, 10, 37, 366, 10, 6, 41, 4, "-1*move-right"},
	} {
		t.Run(c.domain+"/"+c.instance, func(t *testing.T) {
			p, n, err := Load(dir, c.domain, c.instance)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, "shape", n.Shape(), c.shape)
			expect(t, "name", p.Name, c.domain+"/"+c.instance)
			expect(t, "actions, states, auxiliary",
				[]int{len(p.Bits(factored.Action)), len(p.Bits(factored.State)), len(p.Bits(factored.Auxiliary))},
				[]int{c.actions, c.states, c.auxiliary})
			expect(t, "constraints: global, initial, goal, transition",
				[]int{len(p.Global), len(p.Initial), len(p.Goal), len(p.Transition)},
				[]int{c.global, c.initial, c.goal, c.transition})
			expect(t, "terms of the reward", len(p.Reward.Terms), c.rewardLength)
			first := p.Reward.Terms[0]
			expect(t, "reward", fmt.Sprintf("%d*%s", first.Weight, p.LitName(first.Lit)), c.reward)
			// The published weights have no zeros.
			expect(t, "edges", n.Edges(), edgesOf(n))
		})
	}
	p, n, err := Load(dir, "navigation", "3x3")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "start", formatted(p, p.Initial), []string{"initial_navigation_3x3.txt:1 robot-at[$x14| $y20] == 1"})
	expect(t, "goal", formatted(p, p.Goal), []string{"goals_navigation_3x3.txt:1 robot-at[$x14| $y12] == 1"})
	expect(t, "moves", formatted(p, p.Global[1:]), []string{"constraints_navigation_3x3.txt:2 move-north + move-south + move-west + move-east <= 1"})
	// ceil(13/2 - 1.07368/2), ceil(13/2 + 2.11491/2), ceil(13/2 - 2.93647/2) by hand.
	expect(t, "thresholds", slices.Clone(n.Layers[0].Thresholds[:3]), []int32{6, 8, 6})
	// ceil(36/2 + 22.4122/2)
	expect(t, "threshold of the last layer", n.Layers[2].Thresholds[0], 30)
	p, _, err = Load(dir, "cellda", "x")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "first transition", formatted(p, p.Transition[:1]), []string{"transitions_cellda_x.txt:1 cellda-loc_bit_1[$x]' + ~proposed-cellda-loc_bit_1[$x] == 1"})
	expect(t, "inputs", names(p, p.Inputs), []string{
		"move-right", "move-up", "move-down", "move-left",
		"cellda-loc_bit_1[$x]", "cellda-loc_bit_0[$x]", "cellda-loc_bit_1[$y]", "cellda-loc_bit_0[$y]",
		"enem-loc_bit_1[$e1| $x]", "enem-loc_bit_0[$e1| $x]", "enem-loc_bit_1[$e1| $y]", "enem-loc_bit_0[$e1| $y]",
	})
}

// edgesOf returns the number of weights, including zeros.
func edgesOf(n *bnn.Network) int {
	sum := 0
	for i := range n.Layers {
		sum += len(n.Layers[i].Weights)
	}
	return sum
}
