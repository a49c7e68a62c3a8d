package instance_test

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/internal/literal"
	"github.com/fdplan/fdplan/internal/solve/instance"
)

// maxVars is the maximal number of variables for BruteForce.
const maxVars = 24

// masks is a clause: the variables that it contains positively, and those it contains
// negated; bit v-1 is variable v.
type masks struct{ pos, neg uint32 }

func newMasks(lits []literal.Lit) masks {
	var m masks
	for _, l := range lits {
		if l > 0 {
			m.pos |= 1 << (l - 1)
		} else {
			m.neg |= 1 << (-l - 1)
		}
	}
	return m
}

func (m masks) holds(assignment uint32) bool {
	return assignment&m.pos != 0 || ^assignment&m.neg != 0
}

// weighted is a sum: a constant, and a weight for each true variable.
type weighted struct {
	constant int64
	weights  [maxVars]int64
}

func newWeighted(terms []instance.Term) *weighted {
	var w weighted
	for _, t := range terms {
		if t.Lit > 0 {
			w.weights[t.Lit-1] += t.Coef
		} else {
			w.constant += t.Coef
			w.weights[-t.Lit-1] -= t.Coef
		}
	}
	return &w
}

func (w *weighted) at(assignment uint32) int64 {
	sum := w.constant
	for v := 0; assignment != 0; v, assignment = v+1, assignment>>1 {
		if assignment&1 != 0 {
			sum += w.weights[v]
		}
	}
	return sum
}

// BruteForce tries every assignment of an instance of at most 24 variables and returns the
// first of the least cost, or reports that there is none. The sums of its linear constraints
// must fit in 64 bits.
func BruteForce(in *instance.Instance) (model []bool, cost int64, feasible bool) {
	var hard []masks
	for _, c := range in.Clauses.All() {
		hard = append(hard, newMasks(c))
	}
	var sums []*weighted
	for _, l := range in.Linear {
		sums = append(sums, newWeighted(l.Terms))
	}
	var soft []masks
	for _, s := range in.Soft {
		soft = append(soft, newMasks(s.Clause))
	}
	objective := newWeighted(in.Objective)
	var best uint32
assignments:
	for a := uint32(0); a < 1<<in.NumVars; a++ {
		for _, c := range hard {
			if !c.holds(a) {
				continue assignments
			}
		}
		for i, s := range sums {
			x, l := s.at(a), &in.Linear[i]
			if l.Op != instance.LE && x < l.K || l.Op != instance.GE && x > l.K {
				continue assignments
			}
		}
		c := objective.at(a)
		for i := range soft {
			if !soft[i].holds(a) {
				c += in.Soft[i].Weight
			}
		}
		if !feasible || c < cost {
			best, cost, feasible = a, c, true
		}
	}
	if !feasible {
		return nil, 0, false
	}
	model = make([]bool, in.NumVars+1)
	for v := range in.NumVars {
		model[v+1] = best>>v&1 != 0
	}
	return model, cost, true
}

// Solve is BruteForce as a solver.
func Solve(_ context.Context, in *instance.Instance, _ func(instance.Progress)) (instance.Result, error) {
	if in.NumVars > maxVars {
		return instance.Result{}, fmt.Errorf("%d variables; expected at most %d", in.NumVars, maxVars)
	}
	model, _, feasible := BruteForce(in)
	switch {
	case !feasible:
		return instance.Result{Status: instance.Unsatisfiable}, nil
	case in.Optimises:
		return instance.Result{Status: instance.Optimal, Model: model}, nil
	}
	return instance.Result{Status: instance.Satisfiable, Model: model}, nil
}
