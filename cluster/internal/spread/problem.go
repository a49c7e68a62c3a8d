package spread

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/source"
)

// problem names a problem in the arguments of a unit. The files that it reads are inputs of
// the unit.
type problem struct {
	Ref       bind.Fields       `json:"ref"` // a load.Ref
	Untrained bool              `json:"untrained,omitempty"`
	Simulate  bool              `json:"simulate,omitempty"`
	Inputs    map[string]string `json:"inputs,omitempty"` // by the name under which they are read
}

// pack loads a problem and stores the files that this reads.
func (c *Coordinator) pack(ctx context.Context, ref load.Ref) (*load.Problem, *problem, map[string]cluster.Hash, error) {
	out := &problem{Untrained: ref.Untrained, Simulate: ref.Simulate, Inputs: map[string]string{}}
	var names []string
	ref.Read = func(name string) ([]byte, error) {
		text, err := load.ReadFile(name)
		if err == nil {
			names = append(names, name)
		}
		return text, err
	}
	p, err := load.Load(ctx, ref)
	if err == nil {
		out.Ref, err = app.Binder().Encode(ref)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	inputs := map[string]cluster.Hash{}
	for _, name := range names {
		if out.Inputs[name] != "" {
			continue
		}
		h, err := c.Session.Add(ctx, name)
		if err != nil {
			return nil, nil, nil, err
		}
		out.Inputs[name] = fmt.Sprintf("problem/%d", len(out.Inputs))
		inputs[out.Inputs[name]] = h
	}
	return p, out, inputs, nil
}

// load loads the problem on a worker, from the inputs in dir alone.
func (p *problem) load(ctx context.Context, dir string) (*load.Problem, error) {
	var ref load.Ref
	if err := app.Binder().Decode(p.Ref, &ref, nil); err != nil {
		return nil, fmt.Errorf("the problem of a unit: %w", err)
	}
	ref.Untrained, ref.Simulate = p.Untrained, p.Simulate
	ref.Read = func(name string) ([]byte, error) {
		if p.Inputs[name] == "" {
			return nil, fmt.Errorf("%s is not a file of the unit", name)
		}
		input, err := inside(dir, p.Inputs[name])
		if err != nil {
			return nil, err
		}
		return source.ReadFile(input)
	}
	return load.Load(ctx, ref)
}
