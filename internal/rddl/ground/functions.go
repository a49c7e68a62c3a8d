package ground

import (
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/rddl"
)

// DistributionError describes what is wrong with the parameters of a distribution, or returns
// nil if it can be drawn from. For Discrete and UnnormDiscrete, args are the weights alone.
// An unknown name has no faults.
func DistributionError(name string, args ...float64) error {
	if d, ok := rddl.Distributions[name]; ok {
		return d.Check(args...)
	}
	if name != "Discrete" && name != "UnnormDiscrete" {
		return nil
	}
	sum := 0.0
	for _, a := range args {
		if !(a >= 0) {
			return fmt.Errorf("%s has the weight %v, expected none below 0", name, a)
		}
		sum += a
	}
	switch {
	case name == "Discrete" && !(math.Abs(sum-1) <= rddl.SumTolerance):
		return fmt.Errorf("the probabilities of Discrete sum to %v, expected 1", sum)
	case !(sum > 0) || math.IsInf(sum, 1):
		return fmt.Errorf("the weights of %s sum to %v, expected more than 0 and a finite number", name, sum)
	}
	return nil
}
