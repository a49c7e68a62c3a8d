package train

import (
	"fmt"
	"runtime"
)

// Weights names a recipe; see the package comment.
type Weights string

// The recipes.
const (
	Ternary Weights = "ternary"
	Binary  Weights = "binary"
)

// Config contains the settings of training. The zero value of a field means its default.
type Config struct {
	Hidden          []int   // units of the hidden layers; none for a single layer
	Weights         Weights // Ternary
	Epochs          int     // 500
	Batch           int     // rows of a step: 256
	LearningRate    float64 // at the start: 3e-3; it falls to 0 as a cosine
	WeightThreshold float64 // for ternary: latent weights of smaller magnitude count as 0; default 0.8
	// Multiplicity is the power of a row's count that weights its loss: 0 weights all
	// distinct rows equally, 1 weights rows by how often they were seen.
	Multiplicity float64
	// Repeated lets an epoch go over every occurrence of a row, as the paper's does, so that a
	// row seen k times is in k places of its batches. Otherwise an epoch goes over the
	// distinct rows. Batch normalization too then has its moments from rows as often as they
	// were seen. It excludes Multiplicity.
	Repeated bool `json:",omitempty"`
	Seed     uint64
	Threads  int // the number of CPUs; the result does not depend on it
	// PolishRows is the maximal number of wrong rows at which the discrete search starts. 0
	// means one in 50, at least 8 and at most 200; negative means no search.
	PolishRows int
	// Prune removes from a network that is right on all rows the weights and units that no
	// row needs. It is meant for training on all existing rows.
	Prune bool
	// PruneRounds is how often pruning restarts from a randomly changed network.
	PruneRounds int
}

// Streams of random numbers, distinguished by the generator's second word.
const (
	streamSplit = iota
	streamInit
	streamPolish
	streamEpoch // one per epoch from here on

	streamHeld = 1<<62 + iota // beyond all epochs
	streamHalf
)

// withDefaults sets zero fields to their defaults, and refuses invalid values.
func (c Config) withDefaults() (Config, error) {
	def := func(x *float64, v float64) {
		if *x == 0 {
			*x = v
		}
	}
	if c.Weights == "" {
		c.Weights = Ternary
	}
	if c.Epochs == 0 {
		c.Epochs = 500
	}
	if c.Batch == 0 {
		c.Batch = 256
	}
	if c.Threads <= 0 {
		c.Threads = runtime.NumCPU()
	}
	def(&c.LearningRate, 3e-3)
	def(&c.WeightThreshold, 0.8)
	for i, n := range c.Hidden {
		if n < 1 || n > maxFanIn {
			return c, fmt.Errorf("hidden layer %d has %d units, expected 1..%d", i+1, n, maxFanIn)
		}
	}
	switch {
	case c.Weights != Ternary && c.Weights != Binary:
		return c, fmt.Errorf("no weights %q, expected %s or %s", c.Weights, Ternary, Binary)
	case c.Epochs < 1:
		return c, fmt.Errorf("%d epochs, expected at least 1", c.Epochs)
	case c.Batch < 2:
		return c, fmt.Errorf("batches of %d rows, expected at least 2", c.Batch)
	case !(c.LearningRate > 0 && c.LearningRate <= 1):
		return c, fmt.Errorf("learning rate %v, expected more than 0, at most 1", c.LearningRate)
	case !(c.WeightThreshold > 0 && c.WeightThreshold < 1):
		return c, fmt.Errorf("weight threshold %v, expected between 0 and 1", c.WeightThreshold)
	case !(c.Multiplicity >= 0 && c.Multiplicity <= 1):
		return c, fmt.Errorf("multiplicity %v, expected 0..1", c.Multiplicity)
	case c.Repeated && c.Multiplicity != 0:
		return c, fmt.Errorf("multiplicity %v of rows that are repeated, expected one of the two: a repeated row already counts as often as it was seen", c.Multiplicity)
	case c.PruneRounds < 0:
		return c, fmt.Errorf("%d rounds of pruning, expected 0 or more", c.PruneRounds)
	case c.Prune && c.Weights == Binary:
		return c, fmt.Errorf("pruning makes weights 0, expected %s weights", Ternary)
	}
	return c, nil
}

// polishRows returns how many of this number of rows may be wrong for the discrete search to
// start.
func (c Config) polishRows(rows int) int {
	if c.PolishRows != 0 {
		return max(c.PolishRows, 0)
	}
	return max(8, min(rows/50, 200))
}

// maxFanIn bounds the width of layers: counts are kept in 16 bits.
const maxFanIn = 1<<15 - 1
