package lift

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// grounded is a feature of some objects: a constant, or the number, or the sum of the
// weights, of the terms of which all literals hold.
type grounded struct {
	value float64 // of a constant; terms is nil then
	count bool
	terms [][]literal
	// weights are what terms count, nil for 1 each.
	weights []float64
}

// weight is what a term counts.
func (g *grounded) weight(term int) float64 {
	if g.weights == nil {
		return 1
	}
	return g.weights[term]
}

// literal is a bit of the network's inputs, or its negation.
type literal struct {
	bit int
	neg bool
}

// grounder grounds features; it keeps the relations by what they are asked for.
type grounder struct {
	w     *World
	index map[string]map[string][][]int
}

func newGrounder(w *World) *grounder { return &grounder{w, map[string]map[string][][]int{}} }

// feature grounds f for objects at, by their places in their types.
func (g *grounder) feature(f *Feature, types []string, at []int) (grounded, error) {
	switch {
	case f.Number != nil:
		return g.number(f, at)
	case f.Static != nil:
		v, err := g.static(*f.Static, at)
		return grounded{value: v}, err
	}
	if len(f.Fresh) == 0 {
		term, err := g.term(f, at)
		return grounded{count: true, terms: [][]literal{term}}, err
	}
	fresh, err := g.choices(f, types, at)
	if err != nil {
		return grounded{}, err
	}
	if f.constant() {
		return grounded{value: float64(len(fresh))}, nil
	}
	out := grounded{count: true}
	for _, more := range fresh {
		term, err := g.term(f, slices.Concat(at, more))
		if err != nil {
			return grounded{}, err
		}
		out.terms = append(out.terms, term)
	}
	return out, nil
}

// static is the value of a non-fluent for some objects.
func (g *grounder) static(a Atom, at []int) (float64, error) {
	d := g.w.decls[a.Name]
	if d == nil || !d.Static {
		return 0, fmt.Errorf("there is no non-fluent %s", a.Name)
	}
	args, err := d.places(a, at)
	if err != nil {
		return 0, err
	}
	v, _ := d.Value(args)
	return max(-math.MaxFloat64, min(v, math.MaxFloat64)), nil // files have no infinity
}

// term grounds the literals of a feature.
func (g *grounder) term(f *Feature, at []int) ([]literal, error) {
	var term []literal
	for i := range f.Bits {
		bit, err := g.w.input(&f.Bits[i], at)
		if err != nil {
			return nil, err
		}
		term = append(term, literal{bit, f.Bits[i].Neg})
	}
	return term, nil
}

// choices lists the fresh objects that go with the objects at.
func (g *grounder) choices(f *Feature, types []string, at []int) ([][]int, error) {
	if f.Where == nil {
		return g.others(f.Fresh[0], types, at)
	}
	d := g.w.decls[f.Where.Name]
	if d == nil || !d.Static || !d.listed || len(d.params) != len(f.Where.Args) {
		return nil, fmt.Errorf("there is no relation %s", f.Where)
	}
	key := f.Where.String()
	if g.index[key] == nil {
		g.index[key] = relationIndex(d, f.Where, len(types), len(f.Fresh))
	}
	bound := make([]int, len(types))
	for i := range bound {
		bound[i] = -1
	}
	for _, arg := range f.Where.Args {
		if o := object(arg); o >= 0 && o < len(types) {
			bound[o] = at[o]
		}
	}
	return g.also(f, at, g.index[key][fmt.Sprint(bound)])
}

// also keeps the choices of fresh objects for which the further non-fluents are as a feature says.
func (g *grounder) also(f *Feature, at []int, fresh [][]int) ([][]int, error) {
	if len(f.Also) == 0 {
		return fresh, nil
	}
	var out [][]int
	for _, more := range fresh {
		fits := true
		for i := range f.Also {
			l := &f.Also[i]
			d := g.w.decls[l.Name]
			if d == nil || !d.Static || d.Type != ground.Bool {
				return nil, fmt.Errorf("there is no Boolean non-fluent %s", l.Name)
			}
			args, err := d.places(l.Atom, slices.Concat(at, more))
			if err != nil {
				return nil, err
			}
			v, _ := d.Value(args)
			fits = fits && (v != 0) != l.Neg
		}
		if fits {
			out = append(out, more)
		}
	}
	return out, nil
}

// others lists the objects of a type that are not among the output's.
func (g *grounder) others(typ string, types []string, at []int) ([][]int, error) {
	all, err := g.w.typed(typ)
	if err != nil {
		return nil, err
	}
	var out [][]int
	for i := range all.names {
		own := false
		for k, t := range types {
			own = own || t == typ && at[k] == i
		}
		if !own {
			out = append(out, []int{i})
		}
	}
	return out, nil
}

// relationIndex lists the fresh objects of an atom by the objects that are bound in it, -1
// standing for those that are not.
func relationIndex(d *declaration, a *Atom, own, fresh int) map[string][][]int {
	index := map[string][][]int{}
	for _, args := range d.holding {
		bound, more := make([]int, own), make([]int, fresh)
		for i := range bound {
			bound[i] = -1
		}
		fits := true
		for k, arg := range a.Args {
			switch o := object(arg); {
			case o < 0:
				fits = fits && d.params[k].names[args[k]] == arg
			case o < own:
				bound[o] = args[k]
			default:
				more[o-own] = args[k]
			}
		}
		if fits {
			key := fmt.Sprint(bound)
			index[key] = append(index[key], more)
		}
	}
	return index
}

// span is the least and the greatest value of a feature where some bits are known: bit
// returns 0 or 1, or 2 for a bit that may be either.
func (g *grounded) span(bit func(int) int) (lo, hi float64) {
	if !g.count {
		return g.value, g.value
	}
	for i, term := range g.terms {
		sure, possible := true, true
		for _, l := range term {
			switch x := bit(l.bit); {
			case x == 2:
				sure = false
			case (x == 1) == l.neg:
				sure, possible = false, false
			}
		}
		switch w := g.weight(i); {
		case sure:
			lo, hi = lo+w, hi+w
		case possible:
			lo, hi = lo+min(w, 0), hi+max(w, 0)
		}
	}
	return lo, hi
}

// key is the same for features that are always equal.
func (g *grounded) key() string {
	if !g.count {
		return fmt.Sprint(g.value)
	}
	var terms []string
	for i, t := range g.terms {
		terms = append(terms, fmt.Sprint(g.weight(i), t))
	}
	slices.Sort(terms)
	return strings.Join(terms, " ")
}
