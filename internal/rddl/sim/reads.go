package sim

import (
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// reads finds which fluents expressions mention.
type reads struct {
	p *ground.Problem
}

func newReads(p *ground.Problem) *reads { return &reads{p} }

// refs lists the fluents that n itself mentions, with those of the next state separate, in
// increasing order.
func (r *reads) refs(n *ground.Node) (now, next []int) {
	seen := map[*ground.Node]bool{}
	var walk func(n *ground.Node)
	walk = func(n *ground.Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if n.Op == ground.Ref && n.Fluent >= 0 && n.Fluent < len(r.p.Fluents) {
			if n.Primed && r.p.Fluents[n.Fluent].Kind == ground.State {
				next = append(next, n.Fluent)
			} else {
				now = append(now, n.Fluent)
			}
		}
		for _, a := range n.Args {
			walk(a)
		}
	}
	walk(n)
	slices.Sort(now)
	slices.Sort(next)
	return slices.Compact(now), slices.Compact(next)
}

// direct lists the fluents that n itself mentions, of this step or the next.
func (r *reads) direct(n *ground.Node) []int {
	now, next := r.refs(n)
	out := append(now, next...)
	slices.Sort(out)
	return slices.Compact(out)
}

// closure lists the fluents that n mentions and those that intermediate fluents
// among them are computed from.
func (r *reads) closure(n *ground.Node) []int {
	out := r.direct(n)
	for i := 0; i < len(out); i++ {
		f := &r.p.Fluents[out[i]]
		if f.Kind != ground.Interm && f.Kind != ground.Observ {
			continue
		}
		for _, g := range r.direct(f.CPF) {
			if !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out
}

// all lists the states and actions that the truth of n depends on.
func (r *reads) all(n *ground.Node) []int {
	return slices.DeleteFunc(r.closure(n), func(i int) bool {
		k := r.p.Fluents[i].Kind
		return k != ground.State && k != ground.Action
	})
}

// intermediate lists the computed fluents that n depends on.
func (r *reads) intermediate(n *ground.Node) []int {
	return slices.DeleteFunc(r.closure(n), func(i int) bool {
		k := r.p.Fluents[i].Kind
		return k == ground.State || k == ground.Action
	})
}
