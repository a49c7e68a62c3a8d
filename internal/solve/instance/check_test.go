package instance_test

import (
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/literal"
	"github.com/fdplan/fdplan/internal/solve/instance"
)

// check reports whether an instance keeps the bounds that package instance promises:
// literals of its variables, numbers that can be negated, weights that are not
// negative, costs that cannot overflow. What Read gives does.
func check(in *instance.Instance) error {
	if in.NumVars < 0 || in.NumVars > instance.MaxVariable {
		return fmt.Errorf("%d variables; expected 0 to %d", in.NumVars, instance.MaxVariable)
	}
	for i, clause := range in.Clauses.All() {
		if err := checkClause(in, clause); err != nil {
			return fmt.Errorf("clause %d: %w", i+1, err)
		}
	}
	for i := range in.Linear {
		l := &in.Linear[i]
		if l.Op > instance.LE || l.K == math.MinInt64 {
			return fmt.Errorf("constraint %d: relation %d, right-hand side %d", i+1, l.Op, l.K)
		}
		if max(l.K, -l.K) > instance.MaxTotal {
			return fmt.Errorf("constraint %d: the right-hand side is %d", i+1, l.K)
		}
		if err := checkTerms(in, l.Terms); err != nil {
			return fmt.Errorf("constraint %d: %w", i+1, err)
		}
	}
	if !in.Optimises && (len(in.Soft) > 0 || len(in.Objective) > 0) {
		return fmt.Errorf("%d soft clauses and %d terms of an objective where nothing is optimised", len(in.Soft), len(in.Objective))
	}
	total := int64(0)
	for i := range in.Soft {
		s := &in.Soft[i]
		if s.Weight < 0 {
			return fmt.Errorf("soft clause %d: the weight is %d", i+1, s.Weight)
		}
		if err := checkClause(in, s.Clause); err != nil {
			return fmt.Errorf("soft clause %d: %w", i+1, err)
		}
		if s.Weight > instance.MaxTotal-total {
			return fmt.Errorf("soft clause %d: the weights overflow", i+1)
		}
		total += s.Weight
	}
	if err := checkTerms(in, in.Objective); err != nil {
		return fmt.Errorf("objective: %w", err)
	}
	for _, t := range in.Objective {
		if max(t.Coef, -t.Coef) > instance.MaxTotal-total {
			return fmt.Errorf("the objective overflows")
		}
		total += max(t.Coef, -t.Coef)
	}
	return nil
}

func checkClause(in *instance.Instance, lits []literal.Lit) error {
	for _, l := range lits {
		if !has(in, l) {
			return fmt.Errorf("literal %d among %d variables", l, in.NumVars)
		}
	}
	return nil
}

func checkTerms(in *instance.Instance, terms []instance.Term) error {
	for _, t := range terms {
		if !has(in, t.Lit) {
			return fmt.Errorf("literal %d among %d variables", t.Lit, in.NumVars)
		}
		if t.Coef == math.MinInt64 {
			return fmt.Errorf("coefficient %d", t.Coef)
		}
	}
	return nil
}

func has(in *instance.Instance, lit literal.Lit) bool {
	return lit != 0 && lit.Var() <= in.NumVars
}
