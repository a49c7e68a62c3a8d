package ground

import (
	"maps"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl"
)

// Declaration is a variable as the domain declares it, with its values in one
// instance where it is a non-fluent.
type Declaration struct {
	Name   string
	Params []string // types of the parameters
	Static bool     // a non-fluent
	Type   Type
	v      *variable
}

// Declarations lists the variables of the domain in the order of their declarations;
// nil for a problem that was not read from RDDL.
func (p *Problem) Declarations() []Declaration {
	if p.tables == nil {
		return nil
	}
	var out []Declaration
	for _, decl := range p.tables.prog.Domain.PVariables {
		d := Declaration{Name: decl.Name.Name, Static: decl.Kind == rddl.NonFluent, v: p.tables.vars[decl.Name.Name]}
		d.Type = d.v.typ
		for _, t := range decl.Params {
			d.Params = append(d.Params, t.Name)
		}
		out = append(out, d)
	}
	return out
}

// Objects lists the values of a type in their order, and reports whether it is an object
// type, whose values each instance names, and no enumeration.
func (p *Problem) Objects(typ string) (names []string, object bool) {
	if p.tables == nil {
		return nil, false
	}
	list := p.tables.types[typ]
	if list == nil {
		return nil, false
	}
	for _, t := range p.tables.prog.Domain.Types {
		if t.Name.Name == typ {
			return list.names, !t.Enum
		}
	}
	return list.names, false
}

// Value returns the value of a non-fluent for arguments, given by their places among the
// values of their types; ok is false where it has none.
func (d *Declaration) Value(args []int) (value float64, ok bool) {
	i := 0
	for k, a := range args {
		i = i*len(d.v.params[k].names) + a
	}
	return d.v.constant(i)
}

// Holding lists the arguments for which a Boolean non-fluent is true, in increasing order.
// ok is false where they are too many to list.
func (d *Declaration) Holding() (args [][]int, ok bool) {
	if d.v.dense == nil && d.v.fallback != 0 {
		return nil, false
	}
	return d.v.holding(), true
}

// holding lists the arguments for which a Boolean non-fluent is true, of those that are not kept in an array
// without its default, in increasing order.
func (v *variable) holding() (args [][]int) {
	var places []int
	for i, x := range v.dense {
		if x != 0 && !math.IsNaN(x) {
			places = append(places, i)
		}
	}
	for _, i := range slices.Sorted(maps.Keys(v.sparse)) {
		if v.sparse[i] != 0 {
			places = append(places, i)
		}
	}
	for _, i := range places {
		args = append(args, v.places(i))
	}
	return args
}

// places are the arguments of the i-th grounding, by their places among the values of their types.
func (v *variable) places(i int) []int {
	a := make([]int, len(v.params))
	for k := len(a) - 1; k >= 0; k-- {
		n := len(v.params[k].names)
		a[k] = i % n
		i /= n
	}
	return a
}
