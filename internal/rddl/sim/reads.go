package sim

import (
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// refs lists the fluents that n itself mentions, with those of the next state separate, in
// increasing order.
func refs(p *ground.Problem, n *ground.Node) (now, next []int) {
	n.Walk(func(n *ground.Node) bool {
		switch {
		case n.Op != ground.Ref:
		case n.Primed && p.Fluents[n.Fluent].Kind == ground.State:
			next = append(next, n.Fluent)
		default:
			now = append(now, n.Fluent)
		}
		return true
	})
	slices.Sort(now)
	slices.Sort(next)
	return slices.Compact(now), slices.Compact(next)
}

// direct lists the fluents that n itself mentions, of this step or the next.
func direct(p *ground.Problem, n *ground.Node) []int {
	now, next := refs(p, n)
	out := append(now, next...)
	slices.Sort(out)
	return slices.Compact(out)
}

// closure lists the states and actions that the truth of n depends on, and the computed fluents.
func closure(p *ground.Problem, n *ground.Node) (given, computed []int) {
	all := direct(p, n)
	for i := 0; i < len(all); i++ {
		f := &p.Fluents[all[i]]
		if f.Kind == ground.State || f.Kind == ground.Action {
			given = append(given, all[i])
			continue
		}
		computed = append(computed, all[i])
		for _, g := range direct(p, f.CPF) {
			if !slices.Contains(all, g) {
				all = append(all, g)
			}
		}
	}
	return given, computed
}
