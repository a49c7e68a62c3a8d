package train

import (
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// File returns the file of a network that was learned for p, with the names of the bits and
// metadata: the settings, the seed, the numbers of distinct rows and of wrong rows, and the
// same for held-out rows.
func File(p *factored.Problem, c Config, r *Result) (*bnn.File, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	f := &bnn.File{Network: r.Network}
	for _, b := range p.Inputs {
		f.Inputs = append(f.Inputs, p.BitName(b))
	}
	for _, b := range p.Outputs {
		f.Outputs = append(f.Outputs, p.BitName(b))
	}
	add := func(key, format string, args ...any) {
		f.Meta = append(f.Meta, [2]string{key, fmt.Sprintf(format, args...)})
	}
	add("recipe", "%s", c.Recipe())
	add("seed", "%d", c.Seed)
	add("epochs", "%d", r.Epoch)
	add("changes", "%d", r.Polished)
	add("rows", "%d", r.Train.Rows)
	return f, f.Check()
}

// Recipe formats the settings that determine the result of training, except the seed, on one
// line.
func (c Config) Recipe() string {
	hidden := strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Hidden), " ", ","), "[]")
	text := fmt.Sprintf("weights=%s hidden=%s epochs=%d batch=%d learning-rate=%v weight-threshold=%v multiplicity=%v polish-rows=%d prune=%v prune-rounds=%d",
		c.Weights, hidden, c.Epochs, c.Batch, c.LearningRate, c.WeightThreshold, c.Multiplicity, c.PolishRows, c.Prune, c.PruneRounds)
	if c.Repeated {
		text += " repeated=true"
	}
	return text
}
