package dataset

import (
	"github.com/fdplan/fdplan/internal/data/bins"
	"github.com/fdplan/fdplan/problem/factored"
)

// OfProblem returns the schema with one column for each state and action variable of p:
// values of enumerations by name, and quantities in bins as levels (see Discretize).
func OfProblem(p *factored.Problem) (*Schema, error) {
	columns := map[factored.Kind][]Column{}
	levels := map[string]bins.Bins{}
	for i := range p.Variables {
		v := &p.Variables[i]
		c := Column{Name: v.Name, Bounded: true, Lo: float64(v.Lo), Hi: float64(v.Hi), Lag: v.Lag}
		switch {
		case v.Enumeration():
			c.Type, c.Values = Enum, v.View.Names
		case !v.Bool:
			c.Type = Int
		}
		if v.Quantity() {
			levels[v.Name] = bins.Bins{Edges: v.View.Edges, Unit: v.View.Unit}
		}
		columns[v.Kind] = append(columns[v.Kind], c)
	}
	s, err := NewSchema(p.Name, columns[factored.State], columns[factored.Action])
	if err != nil || len(levels) == 0 {
		return s, err
	}
	return s.Discretize(levels)
}
