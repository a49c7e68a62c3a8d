package task

import (
	"context"

	"github.com/fdplan/fdplan/internal/pddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/translate"
)

// inPDDL is a problem in PDDL, which takes the place of RDDL.
type inPDDL struct {
	problem  *pddl.Problem
	grounded *pddl.Grounded // nil before the problem is grounded
}

// FromPDDL makes a task of a PDDL problem: everything is known, and a step is one of its ground actions, or none.
func FromPDDL(domain, problem string, read ReadFile) (*Task, error) {
	d, err := read(domain)
	if err != nil {
		return nil, err
	}
	text, err := read(problem)
	if err != nil {
		return nil, err
	}
	p, err := pddl.Read(domain, d, problem, text)
	if err != nil {
		return nil, err
	}
	return &Task{Domain: domain, Instance: problem, pddl: &inPDDL{problem: p}}, nil
}

// PDDL returns the problem of a task in PDDL, else nil.
func (t *Task) PDDL() *pddl.Problem {
	if t == nil || t.pddl == nil {
		return nil
	}
	return t.pddl.problem
}

// Grounded returns the ground problem of a task in PDDL; nil before it was compiled.
func (t *Task) Grounded() *pddl.Grounded { return t.pddl.grounded }

// groundPDDL grounds the problem. Numbers get the ranges that follow, unless others were given.
func (t *Task) groundPDDL(ctx context.Context) (*ground.Problem, error) {
	g, err := t.pddl.problem.Ground(ctx)
	if err != nil {
		return nil, err
	}
	t.pddl.grounded = g
	for name, x := range g.Ranges {
		if t.Ranges == nil {
			t.Ranges = map[string]translate.Range{}
		}
		if _, given := t.Ranges[name]; !given {
			t.Ranges[name] = translate.Range{Lo: int64(x.Lo), Hi: int64(x.Hi)}
		}
	}
	return g.Problem, nil
}
