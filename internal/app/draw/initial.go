package draw

import (
	"context"
	"slices"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/picture"
	"github.com/fdplan/fdplan/problem/factored"
)

// Initial returns the picture of the initial state of the problem that of names, after the
// changes. A variable that the initial state leaves open is drawn as false or its lowest
// value.
func Initial(ctx context.Context, of load.Ref, changes load.Changes) (*picture.Picture, error) {
	if of.Files == "" {
		of.Model, of.Simulate = load.RDDL, true
	}
	p, err := load.Load(ctx, of)
	if err != nil {
		return nil, err
	}
	if err := p.Apply(changes); err != nil {
		return nil, err
	}
	return Start(p)
}

// Start is Initial of a problem that is loaded.
func Start(p *load.Problem) (*picture.Picture, error) {
	plan := &picture.Plan{Problem: p.Problem.Name, Actions: [][]picture.Value{}}
	var state []picture.Value
	for _, e := range app.ValuesOf(p.Problem, factored.State, initialState(p.Problem), true) {
		v := picture.Value{Name: e.Name}
		switch x := e.Value.(type) {
		case bool:
			v.Bool = true
			if x {
				v.X = 1
			}
		case int64:
			v.X = x
		case string:
			v.X = plan.Text(x)
		}
		state = append(state, v)
	}
	plan.States = [][]picture.Value{state}
	return picture.New(plan, factsOf(p))
}

// initialState is the initial state, with the lowest values of variables that it leaves open.
func initialState(p *factored.Problem) factored.Valuation {
	val, given := p.InitialBits()
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == factored.State && slices.Contains(given[v.First:int(v.First)+v.Width], false) {
			_ = v.Set(val, v.Lo) // in its range
		}
	}
	return val
}
