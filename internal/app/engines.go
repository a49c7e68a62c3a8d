package app

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/blp"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/outsource"
	"github.com/fdplan/fdplan/internal/engine/race"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/solve/external"
)

// newEngine makes the engine that a request names. An option that the engine
// does not have is an error.
func newEngine(r *Request) (engine.Engine, error) {
	if r.BLPHelp != "" && r.Engine != "blp" {
		return nil, fmt.Errorf("engine %s takes no help for branch and cut; expected engine blp", r.Engine)
	}
	solver, err := outsideSolver(r)
	if err != nil {
		return nil, err
	}
	switch r.Engine {
	case "auto":
		return race.New(search.Engine{}, conflict.PB{}), nil
	case "search":
		return search.Engine{}, nil
	case "pb":
		if solver != nil {
			return outsource.PB{Solver: *solver}, nil
		}
		return conflict.PB{Proof: r.Proof}, nil
	case "maxsat":
		if solver != nil {
			return outsource.MaxSAT{Solver: *solver, Encoding: r.Encoding}, nil
		}
		return conflict.MaxSAT{Encoding: r.Encoding}, nil
	case "blp":
		help := blp.All()
		if r.BLPHelp != "" {
			if help, err = blp.ParseHelp(r.BLPHelp); err != nil {
				return nil, err
			}
		}
		return blp.Engine{Solver: solver, Help: help}, nil
	}
	return nil, fmt.Errorf("there is no engine %q; expected one of %v", r.Engine, Engines)
}

// outsideSolver finds what a request names in place of an embedded solver; nil
// where it names none.
func outsideSolver(r *Request) (*external.Solver, error) {
	if r.Solver == "" {
		return nil, nil
	}
	kind, ok := map[string]external.Kind{"maxsat": external.MaxSAT, "pb": external.PB, "blp": external.MILP}[r.Engine]
	if !ok {
		return nil, fmt.Errorf("engine %s takes no outside solver; expected engine maxsat, pb or blp", r.Engine)
	}
	if r.Proof != nil {
		return nil, fmt.Errorf("a proof is written by the embedded solver, not by %s", r.Solver)
	}
	s, err := external.Lookup(kind, r.Solver)
	if err != nil {
		return nil, err
	}
	return &s, nil
}
