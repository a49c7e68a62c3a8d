package acting

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/learn/versions"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/problem/factored"
)

// sharer makes one function for all objects of a type: of the fluents of these objects, of fluents without objects, of
// non-fluents, and of the numbers of neighbours of which a Boolean fluent holds, by each relation.
type sharer struct {
	p      *factored.Problem
	g      *ground.Problem
	decls  []ground.Declaration
	params map[string][]string
	groups []Variable // of Booleans of which the rules allow at most one to be true
}

// Objects lists the functions that objects share; nil where none do, and where one of them would have too many variables.
func Objects(p *factored.Problem, g *ground.Problem) (out []Shared) {
	s := &sharer{p: p, g: g, params: map[string][]string{}}
	s.decls = s.g.Declarations()
	for _, d := range s.decls {
		s.params[d.Name] = d.Params
	}
	s.groups = slices.DeleteFunc(Variables(p), func(v Variable) bool { return len(v.Bits) == 1 || !s.owner(v.Bits[0]).Bool })
	place, shared := map[string]int{}, 0
	for i := range s.g.Fluents {
		f := &s.g.Fluents[i]
		v, ok := s.p.Lookup(f.Name)
		if !ok || f.Kind != ground.State || !slices.Contains(p.Outputs, v.First) {
			continue
		}
		view := s.view(f)
		for bit := range v.Width {
			key := fmt.Sprint(f.Base, v.Width, bit)
			for _, w := range view {
				base, _, _ := strings.Cut(w.Name, "(")
				if key += " " + base; w.Count {
					key += "#"
				}
			}
			at, ok := place[key]
			if !ok {
				at, place[key] = len(out), len(out)
				out = append(out, Shared{})
			}
			shared++
			out[at].Outputs, out[at].Views = append(out[at].Outputs, v.First+factored.Bit(bit)), append(out[at].Views, view)
		}
	}
	if shared < len(p.Outputs) || shared == len(out) || slices.ContainsFunc(out, func(f Shared) bool { return len(f.Views[0]) > versions.MaxVariables }) {
		return nil
	}
	return out
}

func (s *sharer) owner(b factored.Bit) *factored.Variable {
	v, _ := s.p.Owner(b)
	return v
}

// view lists the variables of a fluent's objects.
func (s *sharer) view(f *ground.Fluent) (view []Variable) {
	types := s.params[f.Base]
	for i := range s.decls {
		d := &s.decls[i]
		if d.Static {
			view = append(view, s.static(d, f, types)...)
			continue
		}
		for _, args := range s.choices(d.Params, types, f.Args) {
			if v, ok := s.p.Lookup(nameOf(d.Name, args)); ok {
				view = append(view, VariableOf(s.p, v))
			}
		}
	}
	return s.grouped(view)
}

// grouped has the groups of Booleans that are all in a view in their place.
func (s *sharer) grouped(view []Variable) []Variable {
	for _, g := range s.groups {
		of := func(v Variable) bool {
			return !v.Count && len(v.Bits) == 1 && slices.Contains(g.Bits, v.Bits[0])
		}
		first, n := slices.IndexFunc(view, of), len(view)
		if rest := slices.DeleteFunc(slices.Clone(view), of); n-len(rest) == len(g.Bits) {
			view = append(rest, g)
			copy(view[first+1:], view[first:])
			view[first] = g
		}
	}
	return view
}

func nameOf(name string, args []string) string {
	if len(args) == 0 {
		return name
	}
	return name + "(" + strings.Join(args, ",") + ")"
}

// choices lists the arguments that parameters can have among objects of the same types.
func (s *sharer) choices(params, types, objects []string) [][]string {
	all := [][]string{{}}
	for _, t := range params {
		var next [][]string
		for _, args := range all {
			for i, o := range objects {
				if types[i] == t && !slices.Contains(args, o) {
					next = append(next, append(slices.Clone(args), o))
				}
			}
		}
		all = next
	}
	return all
}

// static lists what a non-fluent adds: its values for the objects and, if it is a relation, their neighbours.
func (s *sharer) static(d *ground.Declaration, f *ground.Fluent, types []string) (view []Variable) {
	for _, args := range s.choices(d.Params, types, f.Args) {
		places := make([]int, len(args))
		for i, a := range args {
			names, _ := s.g.Objects(d.Params[i])
			places[i] = slices.Index(names, a)
		}
		if x, ok := d.Value(places); ok && len(args) > 0 {
			view = append(view, Variable{Name: nameOf(d.Name, args), Legal: []uint64{math.Float64bits(x)}})
		}
	}
	pairs, ok := d.Holding()
	if d.Type != ground.Bool || len(d.Params) != 2 || !ok {
		return view
	}
	for i, o := range f.Args {
		for side := range 2 {
			if d.Params[side] != types[i] || side == 1 && symmetric(d, pairs) {
				continue
			}
			view = append(view, s.neighbours(d, pairs, side, o, i, f, types)...)
		}
	}
	return view
}

func symmetric(d *ground.Declaration, pairs [][]int) bool {
	return d.Params[0] == d.Params[1] && !slices.ContainsFunc(pairs, func(p []int) bool {
		return !slices.ContainsFunc(pairs, func(q []int) bool { return q[0] == p[1] && q[1] == p[0] })
	})
}

// neighbours lists how many an object has by a relation, and of how many of them each Boolean fluent holds.
func (s *sharer) neighbours(d *ground.Declaration, pairs [][]int, side int, object string, at int, f *ground.Fluent, types []string) (view []Variable) {
	own, _ := s.g.Objects(d.Params[side])
	others, _ := s.g.Objects(d.Params[1-side])
	var near []string
	for _, p := range pairs {
		if own[p[side]] == object {
			near = append(near, others[p[1-side]])
		}
	}
	view = append(view, Variable{Name: "number of " + d.Name, Legal: []uint64{uint64(len(near))}})
	for i := range s.decls {
		e := &s.decls[i]
		if e.Static || e.Type != ground.Bool || len(e.Params) == 0 {
			continue
		}
		// The arguments are those of the output, with a neighbour in place of the object.
		count := Variable{Name: "number of " + d.Name + " with " + e.Name}
		var bits []factored.Bit
		fits := false
		for _, n := range near {
			objects := slices.Clone(f.Args)
			kinds := slices.Clone(types)
			objects[at], kinds[at] = n, d.Params[1-side]
			for _, args := range s.choices(e.Params, kinds, objects) {
				if v, ok := s.p.Lookup(nameOf(e.Name, args)); ok && slices.Contains(args, n) {
					bits, fits = append(bits, v.First), true
				}
			}
		}
		if fits || len(near) == 0 && slices.Contains(e.Params, d.Params[1-side]) {
			view = append(view, CountOf(s.p, count.Name, bits))
		}
	}
	return view
}
