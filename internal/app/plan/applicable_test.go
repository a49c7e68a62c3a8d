package plan_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/pddl"
)

// TestApplicable compares the actions that joins find with all that can be executed, in states of random walks.
func TestApplicable(t *testing.T) {
	found := 0
	for seed := *pddlFirst; seed < *pddlFirst+uint64(*pddlProblems); seed++ {
		domain, problem := randomPDDL(seed, seed%2 == 1)
		p, err := pddl.Read("d.pddl", []byte(domain), "p.pddl", []byte(problem))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, domain, problem)
		}
		r, w := rand.New(rand.NewPCG(seed, 1)), p.Start()
		for range 10 {
			all := w.Steps()
			want := slices.DeleteFunc(slices.Clone(all), func(s pddl.Step) bool { return w.Copy().Execute(s) != nil })
			got, err := w.Applicable(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if a, b := names(got), names(want); !slices.Equal(a, b) || w.Count() != len(all) {
				t.Fatalf("seed %d: %v; expected %v of %d actions in %s\n%s\n%s", seed, a, b, w.Count(), w.Facts(), domain, problem)
			}
			if found += len(got); len(got) > 0 {
				w.Execute(got[r.IntN(len(got))])
			}
		}
	}
	t.Logf("%d actions", found)
	if *pddlProblems >= 60 && found < 1000 {
		t.Errorf("%d actions; expected more", found)
	}
}

func names(steps []pddl.Step) (out []string) {
	for _, s := range steps {
		out = append(out, s.String())
	}
	return slices.Sorted(slices.Values(out))
}
