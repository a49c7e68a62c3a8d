package translate

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/problem/factored"
)

// Variable returns the factored variable of a state or action fluent, by the fluent's index
// in Ground.Fluents; nil for other fluents.
func (c *Compiled) Variable(fluent int) *factored.Variable {
	if k := c.kindOf(fluent); k != factored.Auxiliary {
		return &c.Problem.Variables[c.variable[fluent]]
	}
	return nil
}

func (c *Compiled) kindOf(fluent int) factored.Kind {
	switch c.Ground.Fluents[fluent].Kind {
	case ground.State:
		return factored.State
	case ground.Action:
		return factored.Action
	}
	return factored.Auxiliary
}

// Values returns the values of all fluents, by index, as in a simulator: states and actions
// from val, all others 0.
func (c *Compiled) Values(val factored.Valuation) []float64 {
	out := make([]float64, len(c.Ground.Fluents))
	for i := range out {
		if v := c.Variable(i); v != nil {
			out[i] = c.Decode(i, v.Value(val))
		}
	}
	return out
}

// Valuation returns the bits of the states and actions in values. A value that is not an
// integer or outside its variable's range is an error.
func (c *Compiled) Valuation(values []float64) (factored.Valuation, error) {
	if len(values) != len(c.Ground.Fluents) {
		return nil, fmt.Errorf("%d values for %d fluents", len(values), len(c.Ground.Fluents))
	}
	out := make(factored.Valuation, c.Problem.NumBits())
	for i, x := range values {
		v := c.Variable(i)
		if v == nil {
			continue
		}
		z, ok := c.Encode(i, x)
		if !ok {
			return nil, fmt.Errorf("%s cannot be %v; %s", v.Name, x, c.expected(i))
		}
		if err := v.Set(out, z); err != nil {
			return nil, err
		}
	}
	return out, nil
}
