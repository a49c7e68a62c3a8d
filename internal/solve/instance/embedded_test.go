package instance_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/fdplan/fdplan/internal/solve/instance/embedded"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

var (
	instances = flag.Int("instances", 14, "number of random instances of each kind")
	variables = flag.Int("variables", 40, "variables of those")
)

// TestRandom compares with cadical, clasp and brute force, with and without
// cutting planes.
func TestRandom(t *testing.T) {
	for _, planes := range []bool{false, true} {
		t.Run(fmt.Sprintf("planes=%v", planes), func(t *testing.T) {
			Compare(t, embedded.New(embedded.Options{Solver: sat.Options{CuttingPlanes: planes}}), *instances, *variables)
		})
	}
}
