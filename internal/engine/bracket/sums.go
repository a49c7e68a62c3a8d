package bracket

import (
	"slices"

	"github.com/fdplan/fdplan/internal/engine/policy"
)

// Sums are what the upper bound of a start rests on: patterns, whose tables anybody can compute, and the states that the search
// has visited, with fewer steps left first.
type Sums struct {
	Patterns []Pattern
	Visits   []Visit
}

// Pattern is some fields with the terms, or conditions, that are paid there, and the prices of the joint actions by steps left, from 1; nil
// for none.
type Pattern struct {
	Fields, Parts []int
	Prices        [][]float64
}

// Visit is a state with what its actions led to.
type Visit struct {
	State    []uint64
	Left     int
	Expanded bool
	Next     []Lead
}

// Lead is an action with the places of the visits that it led to.
type Lead struct {
	Action uint32
	Visits []int
}

// Sums says what the upper bound of a state that was visited rests on.
func (s *Search) Sums(state []uint64, left int) *Sums {
	out := &Sums{}
	for k, p := range s.upper.patterns {
		x := Pattern{Fields: p.fields, Parts: p.terms}
		if s.o.Objective == policy.Success {
			x.Parts = p.goals
		}
		if s.upper.prices != nil {
			x.Prices = s.upper.prices[k][1:]
		}
		out.Patterns = append(out.Patterns, x)
	}
	root, ok := s.index[string(s.key(state, left))]
	if !ok {
		return out
	}
	list, seen := []int32{root}, map[int32]bool{root: true}
	for i := 0; i < len(list); i++ {
		for _, x := range s.nodes[list[i]].acts {
			for _, k := range x.kids {
				if !seen[k.node] && s.tells(&s.nodes[k.node]) {
					seen[k.node] = true
					list = append(list, k.node)
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return s.nodes[a].left - s.nodes[b].left })
	place := map[int32]int{}
	for i, n := range list {
		place[n] = i
	}
	for _, i := range list {
		n := &s.nodes[i]
		v := Visit{State: n.state, Left: n.left, Expanded: n.acts != nil}
		for _, x := range n.acts {
			to := Lead{Action: x.id}
			for _, k := range x.kids {
				if at, ok := place[k.node]; ok {
					to.Visits = append(to.Visits, at)
				}
			}
			if to.Visits != nil {
				v.Next = append(v.Next, to)
			}
		}
		out.Visits = append(out.Visits, v)
	}
	return out
}

// tells reports whether more may be known of a node than the tables say.
func (s *Search) tells(n *node) bool {
	return n.acts != nil || n.closed && n.left > 0 || s.o.Objective == policy.Success
}
