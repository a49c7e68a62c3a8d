package lift

import (
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/problem/factored"
)

// Symmetries lists groups of permutations of the network's inputs and outputs that the problem's
// objects suggest: for each type of objects their exchanges, and for each relation between
// objects of one type what keeps it, as the turns and reflections of a board. The dynamics need
// not have any of them.
func (w *World) Symmetries() [][]structure.Permutation {
	var groups [][]structure.Permutation
	take := func(typ string, all [][]int) {
		var group []structure.Permutation
		for _, to := range all {
			if p, ok := w.renaming(typ, to); ok {
				group = append(group, p)
			}
		}
		if len(group) > 0 {
			groups = append(groups, group)
		}
	}
	for _, o := range w.objectTypes() {
		take(o.typ, exchanges(len(o.names)))
	}
	for _, d := range w.order {
		if d.listed && len(d.params) == 2 && d.params[0] == d.params[1] && d.params[0].object {
			take(d.params[0].typ, automorphisms(len(d.params[0].names), d.holding))
		}
	}
	return groups
}

// objectTypes lists the types of several objects that learned fluents have as parameters.
func (w *World) objectTypes() []*objects {
	var all []*objects
	for _, d := range w.order {
		for _, o := range d.params {
			if !d.Static && d.read && o.object && len(o.names) > 1 && !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
	}
	return all
}

// renaming is what a permutation of the objects of a type makes of the network's bits; ok is
// false where it leaves them all, or where a bit has no counterpart.
func (w *World) renaming(typ string, to []int) (p structure.Permutation, ok bool) {
	p = structure.Permutation{Inputs: make([]int, len(w.Problem.Inputs)), Outputs: make([]int, len(w.Problem.Outputs))}
	fit := true
	for _, d := range w.order {
		if d.Static {
			continue
		}
		choices(d.params, func(at []int) {
			other := slices.Clone(at)
			for k, o := range d.params {
				if o.typ == typ {
					other[k] = to[at[k]]
				}
			}
			from, has := w.variable(d, at)
			into, hasToo := w.variable(d, other)
			if has != hasToo || has && (from.Width != into.Width || from.Lo != into.Lo) {
				fit = false
			}
			if !has || !fit {
				return
			}
			for j := range from.Width {
				b, c := from.First+factored.Bit(j), into.First+factored.Bit(j)
				fit = fit && place(w.inputs, b, c, p.Inputs) && place(w.outputs, b, c, p.Outputs)
				ok = ok || b != c
			}
		})
	}
	return p, ok && fit
}

// variable finds the variable of a fluent for some objects.
func (w *World) variable(d *declaration, at []int) (*factored.Variable, bool) {
	a := Atom{Name: d.Name, Args: make([]string, len(at))}
	for k, i := range at {
		a.Args[k] = d.params[k].names[i]
	}
	return w.Problem.Lookup(a.String())
}

// place notes that bit b becomes c; it is false if only one of them has a number.
func place(number map[factored.Bit]int, b, c factored.Bit, to []int) bool {
	i, ok := number[b]
	j, both := number[c]
	if ok && both {
		to[i] = j
	}
	return ok == both
}

// exchanges lists permutations of 0..n-1: the exchange of 0 with each other, and then all
// others where they are few, and random ones where they are many.
func exchanges(n int) [][]int {
	const few, times = 4, 3
	var all [][]int
	take := func(p []int) {
		if !slices.IsSorted(p) && !slices.ContainsFunc(all, func(q []int) bool { return slices.Equal(p, q) }) {
			all = append(all, p)
		}
	}
	identity := integer.Below[int](n)
	for k := 1; k < n; k++ {
		p := slices.Clone(identity)
		p[0], p[k] = k, 0
		take(p)
	}
	if n <= few {
		permute(identity, take)
		return all
	}
	rng := rand.New(rand.NewPCG(uint64(n), 0x5e77))
	for range times {
		for k := range n {
			p := slices.Clone(identity)
			rng.Shuffle(n-1, func(i, j int) { p[i+1], p[j+1] = p[j+1], p[i+1] })
			at := slices.Index(p, k)
			p[0], p[at] = k, p[0]
			take(p)
		}
	}
	return all
}

// permute calls f with each permutation of p.
func permute(p []int, f func([]int)) {
	var fill func(k int)
	q := slices.Clone(p)
	fill = func(k int) {
		if k == len(q) {
			f(slices.Clone(q))
			return
		}
		for i := k; i < len(q); i++ {
			q[k], q[i] = q[i], q[k]
			fill(k + 1)
			q[k], q[i] = q[i], q[k]
		}
	}
	fill(0)
}

// automorphisms lists permutations of 0..n-1 that keep a relation, the identity apart: all,
// if they are few.
func automorphisms(n int, relation [][]int) [][]int {
	const (
		most   = 48      // permutations
		effort = 200_000 // pairs that are compared
	)
	related := make([]bool, n*n)
	for _, pair := range relation {
		related[pair[0]*n+pair[1]] = true
	}
	var all [][]int
	work := effort
	p, used := make([]int, 0, n), make([]bool, n)
	var extend func()
	extend = func() {
		i := len(p)
		if i == n {
			if !slices.IsSorted(p) {
				all = append(all, slices.Clone(p))
			}
			return
		}
		for v := range n {
			if used[v] || len(all) == most {
				continue
			}
			if work -= i + 1; work < 0 {
				return
			}
			keeps := related[i*n+i] == related[v*n+v]
			for j := 0; j < i && keeps; j++ {
				keeps = related[i*n+j] == related[v*n+p[j]] && related[j*n+i] == related[p[j]*n+v]
			}
			if keeps {
				p, used[v] = append(p, v), true
				extend()
				p, used[v] = p[:i], false
			}
		}
	}
	extend()
	return all
}
