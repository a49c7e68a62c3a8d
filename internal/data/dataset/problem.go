package dataset

import (
	"github.com/fdplan/fdplan/internal/data/bins"
	"github.com/fdplan/fdplan/problem/factored"
)

// OfProblem returns the schema with one column for each state and action variable of p:
// values of enumerations by name, quantities in bins as levels (see Discretize), and those of
// fixed decimals as their steps, which files have as decimal numbers.
func OfProblem(p *factored.Problem) (*Schema, error) {
	columns := map[factored.Kind][]Column{}
	levels := map[string]bins.Bins{}
	for i := range p.Variables {
		v := &p.Variables[i]
		kept := *v // without the values that stand for all outside
		kept.Lo, kept.Hi = v.Inside()
		kept.Ends = false
		c := Column{Name: v.Name, Bounded: true, Lo: float64(kept.Lo), Hi: float64(kept.Hi), Lag: v.Lag, Given: v.Given}
		switch {
		case v.Enumeration():
			c.Type, c.Values = Enum, v.View.Names
		case !v.Bool:
			c.Type = Int
		}
		if v.Fixed() {
			c.scale = decimals{kept}
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

// decimals are the values of a quantity of fixed decimals.
type decimals struct{ v factored.Variable }

func (d decimals) Lo() float64          { return d.v.Center(d.v.Lo) }
func (d decimals) Hi() float64          { return d.v.Center(d.v.Hi) }
func (d decimals) Center(k int) float64 { return d.v.Center(int64(k)) }

// Level returns the step in the range nearest to x.
func (d decimals) Level(x float64) int {
	z, _ := d.v.Level(min(max(x, d.Lo()), d.Hi()))
	return int(z)
}

// holds reports whether x is in the range once it is rounded.
func (d decimals) holds(x float64) bool {
	_, err := d.v.Level(x)
	return err == nil
}
