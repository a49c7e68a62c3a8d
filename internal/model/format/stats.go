package format

import "github.com/fdplan/fdplan/internal/model"

// Size counts parts of a file. In the clause formats Clauses and Literals are
// those of the hard clauses and Constraints is 0; in the linear ones
// Constraints are rows, Literals their terms, and Clauses is 0. SoftClauses are
// the soft clauses of WCNF and the terms of a linear objective.
type Size struct {
	Variables   int64 `json:"variables"`
	Clauses     int64 `json:"clauses"`
	Literals    int64 `json:"literals"`
	Constraints int64 `json:"constraints"`
	SoftClauses int64 `json:"soft_clauses"`
}

func (s *Size) add(t Size) {
	s.Variables += t.Variables
	s.Clauses += t.Clauses
	s.Literals += t.Literals
	s.Constraints += t.Constraints
	s.SoftClauses += t.SoftClauses
}

// Groups is the size of a file by what its parts express.
type Groups struct {
	// Problem counts the variables of states, auxiliaries and actions, and the constraints
	// that fix those decided by propagation.
	Problem    Size `json:"problem"`
	Initial    Size `json:"initial"`
	Global     Size `json:"global"`
	Transition Size `json:"transition"`
	Goal       Size `json:"goal"`
	// Network includes the hidden units among its variables.
	Network   Size `json:"network"`
	Objective Size `json:"objective"`
}

// Stats is the size of a file in total and by group.
type Stats struct {
	Format   string `json:"format"`
	Encoding string `json:"encoding,omitempty"` // clause formats only
	Size
	Groups Groups `json:"groups"`
}

// at returns the size of one of the model's groups; model.NumGroups stands for fixed
// literals.
func (g *Groups) at(group model.Group) *Size {
	return [...]*Size{
		model.Initial: &g.Initial, model.Global: &g.Global, model.Transition: &g.Transition,
		model.Goal: &g.Goal, model.Network: &g.Network, model.NumGroups: &g.Problem,
	}[group]
}

// sum computes the totals.
func (s *Stats) sum() {
	s.Size = Size{}
	for g := range model.NumGroups + 1 {
		s.Size.add(*s.Groups.at(g))
	}
	s.Size.add(s.Groups.Objective)
}

// hiddenVars is the number of hidden units of all steps.
func hiddenVars(m *model.Model) int64 {
	if m.Network == nil {
		return 0
	}
	return int64(m.Network.Hidden()) * int64(m.Horizon)
}
