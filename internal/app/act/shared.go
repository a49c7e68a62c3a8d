package act

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/execution/acting"
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
}

// sharedOf lists the functions that objects share.
func sharedOf(p *load.Problem) ([]acting.Shared, error) {
	if p.Truth == nil || p.Truth.Compiled == nil || len(p.Truth.Compiled.Ground.Declarations()) == 0 {
		return nil, errors.New("--lift needs the types and objects of RDDL; the task has none")
	}
	s := &sharer{p: p.Problem, g: p.Truth.Compiled.Ground, params: map[string][]string{}}
	s.decls = s.g.Declarations()
	for _, d := range s.decls {
		s.params[d.Name] = d.Params
	}
	learned := map[factored.Bit]bool{}
	for _, b := range p.Problem.Outputs {
		learned[b] = true
	}
	var out []acting.Shared
	for _, d := range s.decls {
		var of []*ground.Fluent
		for i := range s.g.Fluents {
			f := &s.g.Fluents[i]
			if v, ok := s.p.Lookup(f.Name); ok && f.Base == d.Name && f.Kind == ground.State && learned[v.First] {
				of = append(of, f)
			}
		}
		if len(of) == 0 {
			continue
		}
		list, err := s.functions(of)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// functions are those of a fluent's bits.
func (s *sharer) functions(of []*ground.Fluent) ([]acting.Shared, error) {
	first, _ := s.p.Lookup(of[0].Name)
	out := make([]acting.Shared, first.Width)
	for _, f := range of {
		v, _ := s.p.Lookup(f.Name)
		if v.Width != first.Width {
			return nil, fmt.Errorf("--lift: %s and %s have ranges of different widths; expected one range for all objects", first.Name, v.Name)
		}
		view := s.view(f)
		for i := range out {
			out[i].Outputs = append(out[i].Outputs, v.First+factored.Bit(i))
			out[i].Views = append(out[i].Views, view)
		}
	}
	return out, nil
}

// view lists the variables of a fluent's objects.
func (s *sharer) view(f *ground.Fluent) (view []acting.Variable) {
	types := s.params[f.Base]
	for i := range s.decls {
		d := &s.decls[i]
		if d.Static {
			view = append(view, s.static(d, f, types)...)
			continue
		}
		for _, args := range s.choices(d.Params, types, f.Args) {
			if v, ok := s.p.Lookup(nameOf(d.Name, args)); ok {
				view = append(view, acting.VariableOf(s.p, v))
			}
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
func (s *sharer) static(d *ground.Declaration, f *ground.Fluent, types []string) (view []acting.Variable) {
	for _, args := range s.choices(d.Params, types, f.Args) {
		places := make([]int, len(args))
		for i, a := range args {
			names, _ := s.g.Objects(d.Params[i])
			places[i] = slices.Index(names, a)
		}
		if x, ok := d.Value(places); ok && len(args) > 0 {
			view = append(view, acting.Variable{Name: nameOf(d.Name, args), Legal: []uint64{math.Float64bits(x)}})
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
func (s *sharer) neighbours(d *ground.Declaration, pairs [][]int, side int, object string, at int, f *ground.Fluent, types []string) (view []acting.Variable) {
	own, _ := s.g.Objects(d.Params[side])
	others, _ := s.g.Objects(d.Params[1-side])
	var near []string
	for _, p := range pairs {
		if own[p[side]] == object {
			near = append(near, others[p[1-side]])
		}
	}
	view = append(view, acting.Variable{Name: "number of " + d.Name, Legal: []uint64{uint64(len(near))}})
	for i := range s.decls {
		e := &s.decls[i]
		if e.Static || e.Type != ground.Bool || len(e.Params) == 0 {
			continue
		}
		// The arguments are those of the output, with a neighbour in place of the object.
		count := acting.Variable{Name: "number of " + d.Name + " with " + e.Name}
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
			view = append(view, acting.CountOf(s.p, count.Name, bits))
		}
	}
	return view
}
