package ground

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// mostNested bounds the work of comparing sets of terms, in words.
const mostNested = 1 << 26

// Nested returns p with an intermediate fluent for each sum, conjunction or disjunction over terms of which another one has these and more: the sum
// over all that come before becomes the sum before the last of them, and what the last adds. It is p itself where there are none. The fluents that p has keep their indices.
func (p *Problem) Nested() *Problem {
	x := &nester{p: p, fine: map[*Node]bool{}, memo: map[*Node]*Node{}}
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
	q.reorder()
	return &q
}

// nester finds nested terms.
type nester struct {
	p    *Problem
	sets []*termSet // the smaller ones first
	of   map[*Node]*termSet
	fine map[*Node]bool // whether a term may be computed where it was not needed
	memo map[*Node]*Node
}

// termSet is what several nodes are a sum, a conjunction or a disjunction of, but for constants.
type termSet struct {
	node   *Node // one of them
	terms  []*Node
	ids    []int    // their numbers
	has    []uint64 // the same as a set
	within *termSet // the largest of which it has all terms; nil for none
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
	x.of = map[*Node]*termSet{}
	number, known := map[any]int{}, map[string]*termSet{}
	visit := func(n *Node) {
		if n != nil {
			n.Walk(func(n *Node) bool { x.add(n, number, known); return true })
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
		if words := (len(number) + 63) / 64; len(sets) < 2 || len(sets)*len(sets)*words > mostNested {
			continue
		}
		first := 0 // that have not all terms of another one
		for i, s := range sets {
			for _, t := range slices.Backward(sets[:i]) {
				if t.node.Op == s.node.Op && len(t.terms) < len(s.terms) && subset(t.has, s.has) {
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
func (x *nester) add(n *Node, number map[any]int, known map[string]*termSet) {
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
		id, ok := number[key]
		if !ok {
			id = len(number)
			number[key] = id
		}
		if slices.Contains(s.ids, id) {
			return // twice in one sum
		}
		s.ids = append(s.ids, id)
		for id/64 >= len(s.has) {
			s.has = append(s.has, 0)
		}
		s.has[id/64] |= 1 << (id % 64)
		s.terms = append(s.terms, a)
	}
	if len(s.ids) < 2 {
		return
	}
	key := fmt.Sprint(n.Op, n.Pos, s.has)
	if known[key] == nil {
		known[key], x.sets = s, append(x.sets, s)
	}
	x.of[n] = known[key]
}

func (s *termSet) contains(id int) bool { return id/64 < len(s.has) && s.has[id/64]>>(id%64)&1 == 1 }

// subset reports whether b has all of a.
func subset(a, b []uint64) bool {
	for i, w := range a {
		if i >= len(b) && w != 0 || i < len(b) && w&^b[i] != 0 {
			return false
		}
	}
	return true
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
	for k := 1; f.Name == ""; k++ {
		if name := fmt.Sprintf("%s(%d)", f.Base, k); !x.taken(name) {
			f.Name, f.Args = name, []string{fmt.Sprint(k)}
		}
	}
	s.fluent = len(x.p.Fluents)
	x.p.Fluents, x.p.ByName[f.Name] = append(x.p.Fluents, f), s.fluent
}

// taken reports whether a fluent has a name.
func (x *nester) taken(name string) bool {
	_, is := x.p.ByName[name]
	return is
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
			if id := s.ids[i]; !s.within.contains(id) {
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

// reorder puts each fluent behind those that it reads in the same step, and otherwise leaves the order as it is.
func (p *Problem) reorder() {
	var order []int
	done := make([]bool, len(p.Fluents))
	var visit func(i int)
	visit = func(i int) {
		if done[i] || p.Fluents[i].CPF == nil {
			return
		}
		done[i] = true
		p.Fluents[i].CPF.Walk(func(n *Node) bool {
			if n.Op == Ref && (n.Primed || p.Fluents[n.Fluent].Kind == Interm) {
				visit(n.Fluent)
			}
			return true
		})
		order = append(order, i)
	}
	for _, i := range p.Order {
		visit(i)
	}
	p.Order = order
}
