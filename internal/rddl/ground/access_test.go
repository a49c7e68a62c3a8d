package ground

import (
	"github.com/fdplan/fdplan/internal/rddl"
)

// DependsOnAction reports whether n reads an action, directly or through intermediate fluents
// and next states.
func (p *Problem) DependsOnAction(n *Node) bool {
	return p.reaches(n, func(x *Node) bool { return x.Op == Ref && p.Fluents[x.Fluent].Kind == Action })
}

// Conditions is Expr for a condition, split at its conjunctions and foralls as the problem's
// own conditions are. A condition that always holds has no parts.
func (p *Problem) Conditions(e rddl.Expr) ([]Condition, error) {
	g, err := p.grounder()
	if err != nil {
		return nil, err
	}
	return g.conditions("the condition", e, And)
}

// ValueName writes a value of f: true, 3, 0.5, high.
func (f *Fluent) ValueName(v float64) string { return valueName(f.Type, f.Values, v) }
