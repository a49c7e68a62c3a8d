package ground

import (
	"math"
	"strings"

	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/source"
)

// maxFluents bounds the grounded fluents of one problem, maxNodes its expression nodes.
// Non-fluents with their default value cost nothing in a large table: maxStatics only
// prevents overflow of indices.
const (
	maxFluents = 5_000_000
	maxNodes   = 20_000_000
	maxStatics = 1 << 40
)

// maxDense is the size up to which a non-fluent's values are kept in an array.
const maxDense = 1 << 20

// maxVisits bounds the expressions visited per possible node, so that a huge quantifier that
// folds to nothing ends too.
const maxVisits = 20

// tables resolve the names in expressions: the values of each type and the index of each
// variable's groundings. They do not change once they are filled.
type tables struct {
	prog  *rddl.Program
	types map[string]*valueList
	vars  map[string]*variable
}

// valueList is an enumeration or the objects of a type.
type valueList struct {
	names []string
	index map[string]int
}

// variable is a declared variable and its groundings, which are consecutive, the last
// argument varying fastest.
type variable struct {
	decl   *rddl.PVariable
	params []*valueList
	size   int      // number of groundings
	typ    Type     //
	values []string // of the range, when it is an enumeration or object type
	first  int      // of a fluent: index of the first grounding

	// For a non-fluent: the assigned values, in an array or a map by size, and the default of
	// all others, if there is one.
	dense       []float64
	sparse      map[int]float64
	fallback    float64
	hasFallback bool
}

// constant returns the value of the i-th grounding of a non-fluent.
func (v *variable) constant(i int) (value float64, ok bool) {
	if v.dense != nil {
		value = v.dense[i]
		return value, !math.IsNaN(value)
	}
	if value, ok = v.sparse[i]; ok {
		return value, true
	}
	return v.fallback, v.hasFallback
}

// fill allocates the values of a non-fluent; in an array, NaN stands for none.
func (v *variable) fill(value float64, ok bool) {
	v.fallback, v.hasFallback = value, ok
	if v.size > maxDense {
		v.sparse = map[int]float64{}
		return
	}
	v.dense = make([]float64, v.size)
	if !ok {
		value = math.NaN()
	}
	for i := range v.dense {
		v.dense[i] = value
	}
}

func errorAt(pos rddl.Pos, format string, args ...any) *source.Error {
	return source.Errorf(pos.File, pos.Line, pos.Col, format, args...)
}

func newTables(prog *rddl.Program) (*tables, error) {
	t := &tables{prog: prog, types: map[string]*valueList{}, vars: map[string]*variable{}}
	for name, values := range prog.Values {
		list := &valueList{names: values, index: make(map[string]int, len(values))}
		for i, v := range values {
			list.index[v] = i
		}
		t.types[name] = list
	}
	total := 0
	for _, decl := range prog.Domain.PVariables {
		v := t.declared(decl)
		most := maxFluents
		if decl.Kind == rddl.NonFluent {
			most = maxStatics
		} else {
			total += v.size
		}
		if v.size > most || total > maxFluents {
			return nil, errorAt(decl.Name.Pos, "grounding %s makes more than %d variables, the most that are supported; expected fewer objects or parameters", decl.Name.Name, most)
		}
		t.vars[decl.Name.Name] = v
	}
	for _, v := range t.vars {
		if v.decl.Kind == rddl.NonFluent {
			v.fill(t.defaultOf(v))
		}
	}
	t.assign(prog.Statics, func(v *variable, i int, value float64) {
		if v.dense != nil {
			v.dense[i] = value
		} else {
			v.sparse[i] = value
		}
	})
	return t, nil
}

// declared returns the variable of a declaration, without values. Its size is
// above maxStatics if it has too many parameters or objects.
func (t *tables) declared(decl *rddl.PVariable) *variable {
	v := &variable{decl: decl, size: 1}
	for _, param := range decl.Params {
		list := t.types[param.Name]
		v.params = append(v.params, list)
		v.size *= len(list.names)
		if v.size > maxStatics {
			break
		}
	}
	switch decl.Range.Name {
	case "bool":
		v.typ = Bool
	case "int":
		v.typ = Int
	case "real":
		v.typ = Real
	default:
		v.typ, v.values = Enum, t.types[decl.Range.Name].names
	}
	return v
}

// defaultOf returns the value of groundings that are not assigned: the declared default, else
// false or 0. A type with values has no default unless one is declared.
func (t *tables) defaultOf(v *variable) (value float64, ok bool) {
	if v.decl.Default == nil {
		return 0, v.typ != Enum
	}
	return t.literal(v, v.decl.Default), true
}

// assign passes each of the assignments to set.
func (t *tables) assign(list []*rddl.Assign, set func(v *variable, i int, value float64)) {
	for _, a := range list {
		v := t.vars[a.Name.Name]
		i := 0
		for k, arg := range a.Args {
			i = i*len(v.params[k].names) + v.params[k].index[arg.Name]
		}
		set(v, i, t.literal(v, a.Value))
	}
}

// literal returns the value of a constant that is assigned to v.
func (t *tables) literal(v *variable, e rddl.Expr) float64 {
	switch x := e.(type) {
	case *rddl.Unary: // a number with a minus
		return -t.literal(v, x.X)
	case *rddl.Bool:
		return truth(x.Value)
	case *rddl.Number:
		return x.Value
	}
	return float64(t.types[v.decl.Range.Name].index[e.(*rddl.Literal).Name])
}

// some lists names, up to a line's length.
func some(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// arguments returns the i-th choice of values of v's parameters.
func (v *variable) arguments(i int) []string {
	args := make([]string, len(v.params))
	for k, value := range v.places(i) {
		args[k] = v.params[k].names[value]
	}
	return args
}

// groundName returns the name in the form base(a,b), without spaces.
func groundName(base string, args []string) string {
	if len(args) == 0 {
		return base
	}
	return base + "(" + strings.Join(args, ",") + ")"
}
