package instance_test

import (
	"bytes"
	"testing"

	"github.com/fdplan/fdplan/internal/solve/instance"
)

// TestCompare checks brute force, the generators, the writers, and the reader and printer of
// package instance against the external solvers.
func TestCompare(t *testing.T) { Compare(t, Solve, *instances, 9) }

// TestEvaluate compares the evaluator with brute force: the best model costs
// what brute force says, and no neighbour of it is better.
func TestEvaluate(t *testing.T) {
	for seed := range uint64(300) {
		for _, in := range []*instance.Instance{ThreeSAT(seed, 8), WCNF(seed, 8, 1e15), OPB(seed, 8, 1e6)} {
			if err := check(in); err != nil {
				t.Fatalf("seed %d, %v: %v", seed, in.Format, err)
			}
			model, best, feasible := BruteForce(in)
			if feasible {
				if cost, err := in.Evaluate(model); err != nil || cost != best {
					t.Errorf("seed %d, %v: cost %d, %v; brute force says %d", seed, in.Format, cost, err, best)
				}
			} else {
				model = make([]bool, in.NumVars+1)
			}
			for v := 1; v < len(model); v++ {
				model[v] = !model[v]
				if cost, err := in.Evaluate(model); err == nil && (!feasible || cost < best) {
					t.Errorf("seed %d, %v: the evaluator finds %d, brute force %d, %v", seed, in.Format, cost, best, feasible)
				}
				model[v] = !model[v]
			}
		}
	}
}

// TestSeeds checks that an instance is determined by its seed and differs between seeds.
func TestSeeds(t *testing.T) {
	for name, draw := range map[string]func(uint64) *instance.Instance{
		"cnf":  func(s uint64) *instance.Instance { return ThreeSAT(s, 20) },
		"wcnf": func(s uint64) *instance.Instance { return WCNF(s, 20, 1e6) },
		"opb":  func(s uint64) *instance.Instance { return OPB(s, 20, 1e6) },
	} {
		text := func(s uint64) []byte {
			in := draw(s)
			b, err := Text(in, Dialect{Format: in.Format})
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		if !bytes.Equal(text(1), text(1)) {
			t.Errorf("%s: one seed gives two instances", name)
		}
		if bytes.Equal(text(1), text(2)) {
			t.Errorf("%s: two seeds give one instance", name)
		}
	}
}
