package lift

import "slices"

// Preferences of features among those that tell as much about an output.
const (
	rankOwn    = 0
	rankFluent = 1
	rankStatic = 2
	rankDegree = 3
	rankCount  = 4
	rankJoin   = 6
	rankAll    = 8
	rankOdd    = 1 // added to that of a count
)

// maxCandidates bounds the features that are tried for an output.
const maxCandidates = 600

// candidates lists the features of an output with the given objects that are for a stage, the simplest first.
func (w *World) candidates(output Atom, types []string, of int) []Feature {
	c := &collector{w: w, output: output, types: types}
	for _, d := range w.order {
		c.own(d)
	}
	for _, d := range w.order {
		if d.action && d.read {
			c.done(d)
		}
	}
	for _, d := range w.order {
		if d.Static && d.listed {
			c.relation(d)
		}
	}
	c.everywhere()
	first := 0
	if of > 0 {
		first = stages[of-1] + 1
	}
	return c.ranked(first, stages[of], maxCandidates)
}

// ranked lists the features of some ranks in their order, so many at most.
func (c *collector) ranked(first, last, most int) (out []Feature) {
	for rank := first; rank <= last; rank++ {
		for _, f := range c.out {
			if f.rank == rank && len(out) < most {
				out = append(out, f)
			}
		}
	}
	return out
}

type collector struct {
	w      *World
	output Atom
	types  []string // of the output's objects
	out    []Feature
}

// own takes what a variable says of the output's objects alone.
func (c *collector) own(d *declaration) {
	for _, a := range atoms(d, c.types) {
		switch {
		case d.Static:
			c.out = append(c.out, Feature{Static: &a, rank: rankStatic})
		case d.read:
			rank := rankFluent
			if a.String() == c.output.String() {
				rank = rankOwn
			}
			for _, bits := range d.forms(a, false) {
				c.out = append(c.out, Feature{Bits: bits, rank: rank})
			}
		}
	}
}

// done takes whether an action is done with other objects: shorter than any relation to these, which rows of legal actions may show as well.
func (c *collector) done(d *declaration) {
	bindings(d, c.types, true, func(args, fresh []string, _ int) {
		if len(fresh) > 0 {
			for _, bits := range d.forms(Atom{d.Name, slices.Clone(args)}, true) {
				c.out = append(c.out, Feature{Fresh: slices.Clone(fresh), Bits: bits, rank: rankCount})
			}
		}
	})
}

// relation takes the counts of objects that are in a relation with the output's.
func (c *collector) relation(d *declaration) {
	for _, r := range related(d, c.types) {
		all := slices.Concat(c.types, r.fresh)
		c.out = append(c.out, Feature{Fresh: r.fresh, Where: &r.atom, rank: rankDegree})
		for _, bits := range c.facts(all, len(c.types)) {
			c.out = append(c.out, Feature{Fresh: r.fresh, Where: &r.atom, Bits: bits, rank: rankCount})
		}
	}
}

// everywhere takes the counts over all other objects of a type.
func (c *collector) everywhere() {
	var seen []string
	for _, d := range c.w.order {
		for k, t := range d.Params {
			if !d.params[k].object || slices.Contains(seen, t) {
				continue
			}
			seen = append(seen, t)
			for _, bits := range c.facts(append(slices.Clone(c.types), t), len(c.types)) {
				c.out = append(c.out, Feature{Fresh: []string{t}, Bits: bits, rank: rankAll})
			}
		}
	}
}

// facts lists the statements of fluents about objects of which at least one is fresh, that is
// numbered from own on.
func (c *collector) facts(types []string, own int) (out [][]Literal) {
	for _, d := range c.w.order {
		if d.Static || !d.read {
			continue
		}
		for _, a := range atoms(d, types) {
			if slices.ContainsFunc(a.Args, func(arg string) bool { return object(arg) >= own }) {
				out = append(out, d.forms(a, true)...)
			}
		}
	}
	return out
}

// atoms lists the atoms of d over objects of the given types, each object at most once, but for
// actions: a block may be put on itself. Arguments of enumerations take each value.
func atoms(d *declaration, types []string) []Atom {
	var out []Atom
	bindings(d, types, false, func(args, _ []string, _ int) {
		out = append(out, Atom{d.Name, slices.Clone(args)})
	})
	return out
}

// relatedAtom is an atom of a relation between the output's objects and fresh ones.
type relatedAtom struct {
	atom  Atom
	fresh []string
}

// related lists the atoms of d in which some arguments are objects of the given types and
// some are fresh.
func related(d *declaration, types []string) []relatedAtom {
	var out []relatedAtom
	bindings(d, types, true, func(args, fresh []string, bound int) {
		if bound > 0 && len(fresh) > 0 {
			out = append(out, relatedAtom{Atom{d.Name, slices.Clone(args)}, slices.Clone(fresh)})
		}
	})
	return out
}

// bindings visits the arguments that d may have: each object of the given types at most
// once, or more often if d is an action, each value of an enumeration, and, with others, fresh objects, whose types are
// given. bound is how many arguments are objects that are not fresh. The slices are valid
// only during the call.
func bindings(d *declaration, types []string, others bool, visit func(args, fresh []string, bound int)) {
	args := make([]string, len(d.params))
	used := make([]bool, len(types))
	var fresh []string
	bound := 0
	var fill func(k int)
	fill = func(k int) {
		if k == len(args) {
			visit(args, fresh, bound)
			return
		}
		if !d.params[k].object {
			for _, v := range d.params[k].names {
				args[k] = v
				fill(k + 1)
			}
			return
		}
		for i, t := range types {
			if t == d.Params[k] && (!used[i] || d.action) {
				used[i], args[k] = true, objectName(i)
				bound++
				fill(k + 1)
				bound--
				used[i] = false
			}
		}
		if others {
			args[k] = objectName(len(types) + len(fresh))
			fresh = append(fresh, d.Params[k])
			fill(k + 1)
			fresh = fresh[:len(fresh)-1]
		}
	}
	fill(0)
}
