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

// maxChoices bounds the choices of fresh objects of a feature.
const maxChoices = 1 << 20

// choices lists the fresh objects that go with the objects at: those for which the relations hold, and of those in no relation all but the output's.
// What must not hold is looked at last, when all are chosen.
func (g *grounder) choices(f *Feature, types []string, at []int) ([][]int, error) {
	first := slices.Clone(at)
	for range f.Fresh {
		first = append(first, -1)
	}
	found := [][]int{first}
	relations := f.Also
	if f.Where != nil {
		relations = slices.Concat([]Literal{{Atom: *f.Where, Bit: -1}}, f.Also)
	}
	var err error
	for _, neg := range []bool{false, true} {
		for i := range relations {
			if relations[i].Neg != neg {
				continue
			}
			if found, err = g.join(found, &relations[i]); err != nil {
				return nil, err
			}
		}
		for k, typ := range f.Fresh {
			if found, err = g.others(found, len(at)+k, typ, types); err != nil {
				return nil, err
			}
		}
	}
	for i := range found {
		found[i] = found[i][len(at):]
	}
	return found, nil
}

// join keeps the choices for which a relation holds, or not, and extends them by those of its objects that are not chosen, which are -1.
func (g *grounder) join(found [][]int, l *Literal) (out [][]int, err error) {
	d := g.w.decls[l.Name]
	if d == nil || !d.Static || d.Type != ground.Bool {
		return nil, fmt.Errorf("there is no Boolean non-fluent %s", l.Name)
	}
	var index map[string][][]int
	for _, at := range found {
		args, err := d.places(l.Atom, at)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(args, -1) {
			if v, _ := d.Value(args); (v != 0) != l.Neg {
				out = append(out, at)
			}
			continue
		}
		if index == nil {
			if !d.listed {
				return nil, fmt.Errorf("there is no relation %s", l)
			}
			index = g.relation(d, l.Atom.String(), args)
		}
		for _, tuple := range index[fmt.Sprint(args)] {
			next, fits := slices.Clone(at), true
			for k, arg := range l.Args {
				if o := object(arg); o >= 0 && args[k] < 0 {
					fits = fits && (next[o] < 0 || next[o] == tuple[k])
					next[o] = tuple[k]
				}
			}
			if fits {
				out = append(out, next)
			}
		}
	}
	return out, nil
}

// relation lists the tuples of a relation by those of their objects that are chosen, -1 standing for the others.
func (g *grounder) relation(d *declaration, atom string, args []int) map[string][][]int {
	open := make([]bool, len(args))
	for k, a := range args {
		open[k] = a < 0
	}
	key := atom + fmt.Sprint(open)
	if g.index[key] == nil {
		index := map[string][][]int{}
		for _, tuple := range d.holding {
			bound := slices.Clone(tuple)
			for k := range bound {
				if open[k] {
					bound[k] = -1
				}
			}
			name := fmt.Sprint(bound)
			index[name] = append(index[name], tuple)
		}
		g.index[key] = index
	}
	return g.index[key]
}

// others extends the choices by an object, where none is chosen yet: all of its type that are not among the output's.
func (g *grounder) others(found [][]int, o int, typ string, types []string) (out [][]int, err error) {
	all, err := g.w.typed(typ)
	if err != nil || len(found) == 0 || found[0][o] >= 0 {
		return found, err
	}
	if len(found)*len(all.names) > maxChoices {
		return nil, fmt.Errorf("%w: more than %d choices of objects", ErrWide, maxChoices)
	}
	for _, at := range found {
		for i := range all.names {
			own := false
			for k, t := range types {
				own = own || t == typ && at[k] == i
			}
			if !own {
				next := slices.Clone(at)
				next[o] = i
				out = append(out, next)
			}
		}
	}
	return out, nil
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
