package ground

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// mostNested bounds the work of comparing the sets of a place, in terms.
const mostNested = 1 << 26

// Nested returns p with an intermediate fluent for each sum, conjunction or disjunction over terms of which another one has these and more: the sum
// over all that come before becomes the sum before the last of them, and what the last adds. It is p itself where there are none. The fluents that p has keep their indices.
func (p *Problem) Nested() *Problem {
	x := &nester{p: p, of: map[*Node]*termSet{}, number: map[any]int{}, known: map[string]*termSet{}, fine: map[*Node]bool{}, memo: map[*Node]*Node{}}
	if !x.find() {
		return p
	}
	q := *p
	q.Fluents, q.ByName = slices.Clone(p.Fluents), maps.Clone(p.ByName)
	x.p = &q
	for _, s := range x.sets {
		if s.used {
			x.name(s)
		}
	}
	for i := range p.Fluents {
		if x.concerns(i) {
			q.Fluents[i].CPF = x.node(p.Fluents[i].CPF)
		}
	}
	q.Reward = x.node(p.Reward)
	for _, s := range x.sets {
		if s.used {
			q.Fluents[s.fluent].CPF = x.joined(s, nil)
		}
	}
	q.Order, _ = q.order() // a term reads nothing that reads it
	return &q
}

// nester finds nested terms.
type nester struct {
	p      *Problem
	sets   []*termSet // the smaller ones first
	of     map[*Node]*termSet
	number map[any]int         // of terms, equal ones have one
	known  map[string]*termSet // by operation, place and terms
	fine   map[*Node]bool      // whether a term may be computed where it was not needed
	memo   map[*Node]*Node
}

// termSet is what several nodes are a sum, a conjunction or a disjunction of, but for constants.
type termSet struct {
	node   *Node // one of them
	terms  []*Node
	ids    []int    // the numbers of the terms, ascending
	within *termSet // the largest of the same place of which it has all terms; nil for none
	used   bool     // it is nested, and has a fluent
	fluent int
}

// concerns reports whether a fluent's value is computed within the step or is the next state's.
func (x *nester) concerns(i int) bool {
	f := &x.p.Fluents[i]
	return f.CPF != nil && (f.Kind == State || f.Kind == Interm)
}

// find finds the sets, and reports whether any are nested. Sets are compared with those of the same place of the source: these are nested if
// two thirds have all terms of another one, since some are so by chance.
func (x *nester) find() (found bool) {
	visit := func(n *Node) {
		if n != nil {
			n.Walk(func(n *Node) bool { x.add(n); return true })
		}
	}
	for i := range x.p.Fluents {
		if x.concerns(i) {
			visit(x.p.Fluents[i].CPF)
		}
	}
	visit(x.p.Reward)
	slices.SortStableFunc(x.sets, func(a, b *termSet) int { return cmp.Compare(len(a.terms), len(b.terms)) })
	places := map[Pos][]*termSet{}
	for _, s := range x.sets {
		places[s.node.Pos] = append(places[s.node.Pos], s)
	}
	for _, sets := range places {
		if n := len(sets); n < 2 || n*n*len(sets[n-1].terms) > mostNested {
			continue
		}
		first := 0 // that have not all terms of another one
		for i, s := range sets {
			for _, t := range slices.Backward(sets[:i]) {
				if t.node.Op == s.node.Op && len(t.terms) < len(s.terms) && s.has(t) {
					s.within = t
					break
				}
			}
			if s.within == nil {
				first++
			}
		}
		if 3*first > len(sets)+1 {
			continue
		}
		for _, s := range slices.Backward(sets) {
			if s.used = s.used || s.within != nil; s.within != nil {
				s.within.used, found = true, true
			}
		}
	}
	return found
}

// add adds the set of a node, if it has terms that may be computed anywhere.
func (x *nester) add(n *Node) {
	if n.Op != Add && n.Op != And && n.Op != Or || n.Type != Int && n.Type != Bool || x.of[n] != nil {
		return
	}
	s := &termSet{node: n}
	for _, a := range n.Args {
		if a.Op == Const {
			continue
		}
		if !x.simple(a) {
			return
		}
		key := any(a)
		if a.class != 0 {
			key = a.class
		}
		id, ok := x.number[key]
		if !ok {
			id = len(x.number)
			x.number[key] = id
		}
		i, twice := slices.BinarySearch(s.ids, id)
		if twice {
			return
		}
		s.ids, s.terms = slices.Insert(s.ids, i, id), slices.Insert(s.terms, i, a)
	}
	if len(s.ids) < 2 {
		return
	}
	key := fmt.Sprint(n.Op, n.Pos, s.ids)
	if x.known[key] == nil {
		x.known[key], x.sets = s, append(x.sets, s)
	}
	x.of[n] = x.known[key]
}

// has reports whether s has all terms of t.
func (s *termSet) has(t *termSet) bool {
	i := 0
	for _, id := range s.ids {
		if i < len(t.ids) && t.ids[i] == id {
			i++
		}
	}
	return i == len(t.ids)
}

// simple reports whether a term has a value in every step, which is a whole number, and does not read the next state.
func (x *nester) simple(n *Node) bool {
	if is, ok := x.fine[n]; ok {
		return is
	}
	is := n.Type != Real && n.Op != Div && n.Op != Func && n.Op != Random && n.Op != Case && !(n.Op == Ref && n.Primed) &&
		!slices.ContainsFunc(n.Args, func(a *Node) bool { return a == nil || !x.simple(a) })
	x.fine[n] = is
	return is
}

// name adds the fluent of a set.
func (x *nester) name(s *termSet) {
	f := Fluent{Base: map[Op]string{Add: "sum", And: "all", Or: "any"}[s.node.Op], Kind: Interm, Type: s.node.Type, Pos: s.node.Pos}
	for k, taken := 1, true; taken; k++ {
		f.Name, f.Args = fmt.Sprintf("%s(%d)", f.Base, k), []string{fmt.Sprint(k)}
		_, taken = x.p.ByName[f.Name]
	}
	s.fluent = len(x.p.Fluents)
	x.p.Fluents, x.p.ByName[f.Name] = append(x.p.Fluents, f), s.fluent
}

// node is an expression with the fluents of nested sets in their places.
func (x *nester) node(n *Node) *Node {
	if n == nil {
		return nil
	}
	if done := x.memo[n]; done != nil {
		return done
	}
	done := n
	if s := x.of[n]; s != nil && s.used {
		done = x.joined(s, n)
	} else {
		for i, a := range n.Args {
			if y := x.node(a); y != a {
				if done == n {
					c := *n
					c.Args, c.class = slices.Clone(n.Args), 0
					done = &c
				}
				done.Args[i] = y
			}
		}
	}
	x.memo[n] = done
	return done
}

// joined is the expression n of a set, with its constants; of the set's fluent for nil.
func (x *nester) joined(s *termSet, n *Node) *Node {
	out := &Node{Op: s.node.Op, Type: s.node.Type, Pos: s.node.Pos}
	if n != nil {
		out.Type, out.Pos = n.Type, n.Pos
	}
	switch {
	case n != nil:
		out.Args = []*Node{x.ref(s)}
	case s.within == nil:
		for _, a := range s.terms {
			out.Args = append(out.Args, x.node(a))
		}
	default:
		out.Args = []*Node{x.ref(s.within)}
		for i, a := range s.terms {
			if _, ok := slices.BinarySearch(s.within.ids, s.ids[i]); !ok {
				out.Args = append(out.Args, x.node(a))
			}
		}
	}
	if n != nil {
		for _, a := range n.Args {
			if a.Op == Const {
				out.Args = append(out.Args, a)
			}
		}
	}
	if len(out.Args) == 1 {
		return out.Args[0]
	}
	return out
}

// ref reads the fluent of a set.
func (x *nester) ref(s *termSet) *Node {
	f := &x.p.Fluents[s.fluent]
	return &Node{Op: Ref, Type: f.Type, Fluent: s.fluent, Name: f.Name, Pos: s.node.Pos}
}
