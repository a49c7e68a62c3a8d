package spread

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/source"
)

// problem names a problem in the arguments of a unit, as load.Ref does. The files
// that it reads are inputs of the unit.
type problem struct {
	Name           string            `json:"name,omitempty"`
	Domain         string            `json:"domain,omitempty"`
	Instance       string            `json:"instance,omitempty"`
	Goal           string            `json:"goal,omitempty"`
	Ranges         []string          `json:"ranges,omitempty"`
	Known          bool              `json:"known,omitempty"`
	Untrained      bool              `json:"untrained,omitempty"`
	Simulate       bool              `json:"simulate,omitempty"`
	IgnoreDiscount bool              `json:"ignore_discount,omitempty"`
	Determinize    string            `json:"determinize,omitempty"`
	Files          map[string]string `json:"files,omitempty"` // input by the name under which it is read
}

// pack loads a problem and stores the files that this reads.
func (c *Coordinator) pack(ctx context.Context, ref load.Ref) (*load.Problem, *problem, map[string]cluster.Hash, error) {
	var names []string
	ref.Read = func(name string) ([]byte, error) {
		text, err := load.ReadFile(name)
		if err == nil {
			names = append(names, name)
		}
		return text, err
	}
	p, err := load.Load(ctx, ref)
	if err != nil {
		return nil, nil, nil, err
	}
	out := &problem{
		Name: ref.Name, Domain: ref.Domain, Instance: ref.Instance, Goal: ref.Goal, Ranges: ref.Ranges, Known: ref.Known, Untrained: ref.Untrained,
		Simulate: ref.Simulate, IgnoreDiscount: ref.IgnoreDiscount, Determinize: ref.Determinize,
	}
	inputs := map[string]cluster.Hash{}
	for _, name := range names {
		if out.Files[name] != "" {
			continue
		}
		h, err := c.Session.Add(ctx, name)
		if err != nil {
			return nil, nil, nil, err
		}
		if out.Files == nil {
			out.Files = map[string]string{}
		}
		out.Files[name] = fmt.Sprintf("problem/%d", len(out.Files))
		inputs[out.Files[name]] = h
	}
	return p, out, inputs, nil
}

// load loads the problem on a worker, from the inputs in dir alone.
func (p *problem) load(ctx context.Context, dir string) (*load.Problem, error) {
	return load.Load(ctx, load.Ref{
		Name: p.Name, Domain: p.Domain, Instance: p.Instance, Goal: p.Goal, Ranges: p.Ranges, Known: p.Known, Untrained: p.Untrained,
		Simulate: p.Simulate, IgnoreDiscount: p.IgnoreDiscount, Determinize: p.Determinize,
		Read: func(name string) ([]byte, error) {
			if p.Files[name] == "" {
				return nil, fmt.Errorf("%s is not a file of the unit", name)
			}
			input, err := inside(dir, p.Files[name])
			if err != nil {
				return nil, err
			}
			return source.ReadFile(input)
		},
	})
}
