package model

import "github.com/fdplan/fdplan/problem/factored"

// Differs returns the clause that holds in exactly the plans that do not begin
// as t does: some bit of the initial state, or some action bit of the steps
// 1..depth, has another value than in t. It is the paper's generalized landmark
// constraint (section "Generalized Landmark Constraints"). With depth 0 the
// initial state alone counts.
func (m *Model) Differs(t *factored.Trace, depth int) []Lit {
	var clause []Lit
	differ := func(step int, kind factored.Kind) {
		for _, b := range m.Problem.Bits(kind) {
			v := m.Var(step, b)
			if t.Steps[step-1][b] {
				v = -v
			}
			clause = append(clause, v)
		}
	}
	differ(1, factored.State)
	for step := 1; step <= depth; step++ {
		differ(step, factored.Action)
	}
	return clause
}
