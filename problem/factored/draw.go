package factored

import "math/big"

// Draw is what some state variables can be after a step, together and independent of the others,
// given its state and action. The probabilities are positive and sum to 1.
type Draw struct {
	Variables    []int     // indices among those of the problem
	Values       [][]int64 // of the variables, in each outcome; nil for one with a value that its variable cannot have
	Probability  []*big.Rat
	Disturbances []int // of each outcome: how many draws do not have their most likely value, at least
}
