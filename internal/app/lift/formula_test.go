package lift

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/prove"
)

// tanks writes tanks with the given valves, and seasons with the given rain.
func tanks(t *testing.T, last int, valves, rain []int) string {
	var names, seasons, facts []string
	for i, v := range valves {
		names = append(names, fmt.Sprintf("t%d", i))
		facts = append(facts, fmt.Sprintf("VALVE(t%d) = %d;", i, v))
	}
	for i, v := range rain {
		seasons = append(seasons, fmt.Sprintf("s%d", i))
		facts = append(facts, fmt.Sprintf("NUMBER(s%d) = %d; RAIN(s%d) = %d;", i, i, i, v))
	}
	objects := fmt.Sprintf("tank : { %s }; season : { %s };", strings.Join(names, ", "), strings.Join(seasons, ", "))
	return instance(t, "tanks", objects, append(facts, fmt.Sprintf("LAST = %d;", last)), "now = 0;",
		fmt.Sprintf("learned = [\"level\", \"low\"]\n[ranges]\nlevel = [0, 15]\nnow = [0, %d]\n", len(rain)-1))
}

// TestFormula: constants that no row has, and fluents with other ranges that look constants up, are read by a formula, and
// what the rows do not show is named.
func TestFormula(t *testing.T) {
	for _, c := range []struct {
		name       string
		rows       int
		small, big string
		equal      bool
		unseen     []string // parts of reasons
		refused    string   // part of an error, where none is unseen
	}{
		{"inventory 2 to 4", 200, "inventory/2", "inventory/4", true,
			[]string{"LAST-PHASE: 3, seen 1", "(DEMAND(?1,?2) where INDEX(?2) == month): 1, 2, seen 0, 3, which steps from month = 1, 2 would show",
				"joint values that no row is recorded to have"}, ""},
		{"inventory 4 to 2", 400, "inventory/4", "inventory/2", true, []string{"LAST-PHASE: 1, seen 3"}, ""},
		{"inventory 2 to the text's 4", 200, "inventory/2", "inventory/4-text", false, []string{"ORDER-FIRST: 1, seen 0", "ONE-SIDED: 1, seen 0"}, ""},
		{"seasons", 400, tanks(t, 1, []int{1, 3}, []int{0, 2}), tanks(t, 1, []int{2, 4, 1, 5}, []int{2, 1, 0, 3}), true,
			[]string{"(RAIN(?2) where NUMBER(?2) == now): 1, 3, seen 0, 2, which steps from now = 1, 3 would show", "VALVE(?1): 5, seen 1, 3"}, ""},
		{"valves", 400, tanks(t, 1, []int{1, 3}, []int{0, 2}), tanks(t, 1, []int{2, 4, 1, 5}, []int{0, 2}), true, []string{"VALVE(?1): 5, seen 1, 3"}, ""},
		{"few rows", 60, "inventory/2", "inventory/4", false, nil, "month has values 0..3; expected 0..1: no row shows what follows month = 2"},
		{"other rain", 400, tanks(t, 1, []int{1, 3}, []int{0, 2}), tanks(t, 1, []int{1, 3}, []int{1, 2}), true,
			[]string{"(RAIN(?2) where NUMBER(?2) == now): 1, 2, seen 0, 2 in rows with other constants"}, ""},
		{"one valve", 400, tanks(t, 1, []int{2, 2}, []int{0, 2}), tanks(t, 1, []int{2, 3}, []int{0, 2}), false, []string{"VALVE(?1): 3, seen 2"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := learned(t, c.small, c.rows, Options{Seed: 1})
			p := untrained(t, c.big)
			res, err := Apply(context.Background(), p, "small", text, Options{Seed: 1})
			if c.unseen == nil {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("%v, expected an error with %q", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			reasons := fmt.Sprint(res.Unseen)
			for _, want := range c.unseen {
				if !strings.Contains(reasons, want) {
					t.Errorf("unseen %s, expected %s", reasons, want)
				}
			}
			proof := proven(t, c.big, res)
			if proof.Equal != c.equal {
				t.Errorf("equal to the RDDL: %v, %v; expected %v", proof.Equal, proof.Differing, c.equal)
			}
			for _, name := range proof.Differing {
				if !strings.Contains(reasons, name) {
					t.Errorf("%s differs and is not listed as unseen", name)
				}
			}
		})
	}
}

// proven compares a network that was lifted with the RDDL.
func proven(t *testing.T, task string, res *Lifted) *prove.Result {
	t.Helper()
	var big bytes.Buffer
	if err := res.Write(&big); err != nil {
		t.Fatal(err)
	}
	proof, err := prove.Network(context.Background(), load.Ref{Name: task}, "big", big.Bytes(), prove.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return proof
}

// TestRandomTanks: whatever constants the rows show, outputs that differ from the RDDL are listed as unseen.
func TestRandomTanks(t *testing.T) {
	instances := 4
	if *all {
		instances = 40
	}
	rng := rand.New(rand.NewPCG(3, 5))
	some := func(n, most int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = rng.IntN(most)
		}
		return out
	}
	lifted, equal := 0, 0
	for range instances {
		small := tanks(t, 1, some(1+rng.IntN(3), 4), some(2, 4))
		seasons := 2 + rng.IntN(3)
		big := tanks(t, seasons-1, some(1+rng.IntN(3), 5), some(seasons, 5))
		text := learned(t, small, 400, Options{Seed: 1})
		p := untrained(t, big)
		res, err := Apply(context.Background(), p, "small", text, Options{Seed: 1})
		if err != nil {
			continue // refused
		}
		lifted++
		proof := proven(t, big, res)
		if proof.Equal {
			equal++
		}
		reasons := fmt.Sprint(res.Unseen)
		for _, name := range proof.Differing {
			if !strings.Contains(reasons, name) {
				t.Errorf("%s differs and is not listed as unseen: %s", name, reasons)
			}
		}
	}
	t.Logf("%d of %d were lifted, %d equal to the RDDL", lifted, instances, equal)
	if lifted == 0 {
		t.Error("none was lifted")
	}
}
