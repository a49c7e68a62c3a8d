package instance

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/literal"
)

// ErrViolated is wrapped by what Evaluate says of an assignment that a hard
// constraint forbids.
var ErrViolated = errors.New("violated")

// Evaluate checks an assignment against every hard constraint and returns its
// cost: the weights of the false soft clauses and the objective's value.
// model[v] is the value of variable v; model[0] is not used. It shares nothing
// with any solver.
func (in *Instance) Evaluate(model []bool) (cost int64, err error) {
	if len(model) != int(in.NumVars)+1 {
		return 0, fmt.Errorf("an assignment of %d variables to an instance of %d", len(model)-1, in.NumVars)
	}
	for i, clause := range in.Clauses.All() {
		if !holds(clause, model) {
			return 0, fmt.Errorf("clause %d of %d is %w", i+1, in.Clauses.Len(), ErrViolated)
		}
	}
	for i := range in.Linear {
		if !in.Linear[i].holds(model) {
			return 0, fmt.Errorf("linear constraint %d of %d is %w", i+1, len(in.Linear), ErrViolated)
		}
	}
	for i := range in.Soft {
		if !holds(in.Soft[i].Clause, model) {
			cost += in.Soft[i].Weight
		}
	}
	for _, t := range in.Objective {
		if isTrue(t.Lit, model) {
			cost += t.Coef
		}
	}
	return cost, nil
}

func isTrue(lit literal.Lit, model []bool) bool {
	if lit < 0 {
		return !model[-lit]
	}
	return model[lit]
}

func holds(clause []literal.Lit, model []bool) bool {
	return slices.ContainsFunc(clause, func(l literal.Lit) bool { return isTrue(l, model) })
}

// holds computes in 128 bits, two's complement: the sum of 2^31 terms fits.
func (l *Linear) holds(model []bool) bool {
	high, low := int64(0), uint64(0)
	add := func(x int64) {
		var carry uint64
		low, carry = bits.Add64(low, uint64(x), 0)
		high += x>>63 + int64(carry)
	}
	for _, t := range l.Terms {
		if isTrue(t.Lit, model) {
			add(t.Coef)
		}
	}
	add(-l.K)
	switch l.Op {
	case GE:
		return high >= 0
	case EQ:
		return high == 0 && low == 0
	default:
		return high < 0 || high == 0 && low == 0
	}
}
