package sim_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
)

// grid has arguments on both sides of every edge of a function's domain.
var grid = []float64{-1e300, -1 << 53, -7, -2.5, -2, -1.5, -1, -0.5, 0, 1e-300, 0.5, 1, 1.5, 2, 2.5, 3, 7, 1<<53 - 1, 1e300}

// TestFunctionsAgree evaluates every function of the language over a grid, by the simulator
// and by constant folding: both return exactly the same value, or none.
func TestFunctionsAgree(t *testing.T) {
	for name, f := range operator.Functions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, x := range grid {
				seconds := grid
				if f.Min == 1 {
					seconds = []float64{0}
				}
				for _, y := range seconds {
					args := []float64{x, y}[:f.Min]
					want, wantErr := operator.Functions[name].Call(args...)
					got, err := evaluate(t, call(name, args...))
					if (err == nil) != (wantErr == nil) || err == nil && math.Float64bits(got) != math.Float64bits(want) {
						t.Errorf("%s%v: simulated %v, %v; folded %v, %v", name, args, got, err, want, wantErr)
					}
				}
			}
		})
	}
}

// TestDistributionsAgree checks every distribution of the language: the simulator and
// constant folding accept the same parameters.
func TestDistributionsAgree(t *testing.T) {
	// A draw may be infinite for allowed but huge parameters.
	small := slices.DeleteFunc(slices.Clone(grid), func(x float64) bool { return math.Abs(x) > 10 || x != 0 && math.Abs(x) < 0.1 })
	for name, d := range rddl.Distributions {
		if d.Result == (rddl.Type{}) {
			continue // grounding replaces it by its value
		}
		for _, x := range small {
			for _, y := range small {
				args := []float64{x, y}[:len(d.Params)]
				want := ground.DistributionError(name, args...)
				if _, err := evaluate(t, random(name, args...)); (err == nil) != (want == nil) {
					t.Errorf("%s%v: drawn %v, checked %v", name, args, err, want)
				}
				if len(d.Params) == 1 {
					break
				}
			}
		}
	}
	for _, name := range []string{"Discrete", "UnnormDiscrete"} {
		for _, w := range [][2]float64{{0.5, 0.5}, {0.5, 0.500009}, {0.5, 0.50002}, {1, 0}, {2, 3}, {0, 0}, {-1, 2}, {1e308, 1e308}} {
			want := ground.DistributionError(name, w[:]...)
			if _, err := evaluate(t, random(name, 0, w[0], 1, w[1])); (err == nil) != (want == nil) {
				t.Errorf("%s of %v: drawn %v, checked %v", name, w, err, want)
			}
		}
	}
}

// TestIntegerDivision compares div and mod with Go's integer operations, also for inexact
// quotients.
func TestIntegerDivision(t *testing.T) {
	values := []int64{1, 2, 3, 5, 7, 10, 1<<26 + 1, 1<<51 - 1, 1<<52 - 1, 1<<52 + 1, 1<<53 - 1}
	for _, a := range values {
		for _, b := range values {
			for _, s := range [][2]int64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
				x, y := s[0]*a, s[1]*b
				q, m := x/y, x%y
				if m != 0 && (m < 0) != (y < 0) {
					q, m = q-1, m+y
				}
				for name, want := range map[string]int64{"div": q, "mod": m} {
					if got, err := operator.Functions[name].Call(float64(x), float64(y)); err != nil || got != float64(want) {
						t.Errorf("%s: got %v, %v; want %d", fmt.Sprintf("%s[%d, %d]", name, x, y), got, err, want)
					}
				}
			}
		}
	}
}
