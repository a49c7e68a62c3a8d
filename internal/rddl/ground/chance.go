package ground

import "slices"

// Group is a set of fluents that are drawn together in a step: given the state and the action,
// its values are independent of those of all other groups.
type Group struct {
	Fluents []int // in the order of computation: intermediate fluents and next states
	Reads   []int // states and actions that their distribution depends on, in increasing order
}

// Groups splits the fluents that a step computes, observations aside, into those whose values the
// state and the action decide, in the order of computation, and the groups of the others. Fluents
// are in one group if one reads the other, as far as both are random.
func (p *Problem) Groups() (decided []int, random []Group) {
	reads, _ := p.dependencies()
	root := make([]int, len(p.Fluents)) // of random fluents, by union and find; -1 for the others
	for i := range root {
		root[i] = -1
	}
	find := func(i int) int {
		for root[i] != i {
			i = root[i]
		}
		return i
	}
	for _, i := range p.Order {
		if p.Fluents[i].Kind == Observ {
			continue
		}
		if r := findRandom(p.Fluents[i].CPF); r != nil {
			root[i] = i
		}
		for _, j := range reads[i] {
			if root[j] < 0 {
				continue
			}
			if root[i] < 0 {
				root[i] = i
			}
			root[find(i)] = find(j)
		}
	}
	place := map[int]int{} // of a root, in random
	for _, i := range p.Order {
		switch {
		case p.Fluents[i].Kind == Observ:
		case root[i] < 0:
			decided = append(decided, i)
		default:
			r := find(i)
			if _, ok := place[r]; !ok {
				place[r] = len(random)
				random = append(random, Group{})
			}
			g := &random[place[r]]
			g.Fluents = append(g.Fluents, i)
		}
	}
	for k := range random {
		var nodes []*Node
		for _, i := range random[k].Fluents {
			nodes = append(nodes, p.Fluents[i].CPF)
		}
		random[k].Reads, _ = p.DecidedBy(nodes...)
	}
	return decided, random
}

// DecidedBy lists the states and actions that expressions read, through what is computed in the step, in increasing order, and reports
// whether something of it is drawn.
func (p *Problem) DecidedBy(nodes ...*Node) (reads []int, drawn bool) {
	g, seen := &Group{}, map[int]bool{}
	for _, n := range nodes {
		p.decidedBy(n, g, seen)
		drawn = drawn || findRandom(n) != nil
	}
	for i := range seen {
		drawn = drawn || findRandom(p.Fluents[i].CPF) != nil
	}
	slices.Sort(g.Reads)
	return slices.Compact(g.Reads), drawn
}

// decidedBy adds to g the states and actions that n reads, through what is computed in the step.
func (p *Problem) decidedBy(n *Node, g *Group, seen map[int]bool) {
	n.Walk(func(x *Node) bool {
		switch {
		case x.Op != Ref:
		case !p.computed(x):
			g.Reads = append(g.Reads, x.Fluent)
		case !seen[x.Fluent]:
			seen[x.Fluent] = true
			p.decidedBy(p.Fluents[x.Fluent].CPF, g, seen)
		}
		return true
	})
}

// Path tells which outcome each draw of a group has while all of them are enumerated: the draws after it
// have their first, and Next moves on to another path, as an odometer does.
type Path struct {
	turns []turn
	at    int // draws so far
}

// turn is the outcome of one draw, and how many it has.
type turn struct{ place, of int }

// Turn returns the outcome, from 0, of the next draw, which has so many.
func (p *Path) Turn(of int) int {
	if p.at == len(p.turns) {
		p.turns = append(p.turns, turn{0, of})
	}
	p.at++
	return p.turns[p.at-1].place
}

// Next moves to the beginning of the next path; false after the last.
func (p *Path) Next() bool {
	p.at = 0
	for len(p.turns) > 0 {
		last := &p.turns[len(p.turns)-1]
		if last.place++; last.place < last.of {
			return true
		}
		p.turns = p.turns[:len(p.turns)-1]
	}
	return false
}
