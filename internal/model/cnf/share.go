package cnf

import (
	"encoding/binary"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
)

// The neurons of a layer count the same inputs in different polarities. Two of them can share
// a sorted list of inputs on which their signs all agree or all differ; in the latter case
// the second neuron reads the list negated and reversed.
//
// Three ways to find such lists are tried, and the cheapest one is taken:
//
//   - None: every neuron sorts by itself, except that equal lists are one.
//   - Chunks: all neurons split the inputs at the same points. On few inputs
//     there are fewer sign patterns than neurons. This is best for layers
//     with few inputs.
//   - Groups of two or four. Let E be the inputs on which neurons 1 and 2
//     agree and D the others: neuron 1 is E merged with D, neuron 2 is E
//     merged with D negated, and both sorted halves serve two neurons. For four
//     neurons the sign patterns split the inputs into eight classes, which are
//     sorted for all four; E and D of neurons 1 and 2 as well as of 3 and 4
//     are merged from the classes.
//
// The clauses of a neuron's own tree of lists make its unit propagation complete; the clauses
// of others only define other variables.

// input is a neuron in the form that the strategies use.
type input struct {
	neuron *model.Neuron
	lits   []model.Lit // by variable
}

// shareNeurons encodes neurons with shared lists.
func shareNeurons(s Sink, neurons []model.Neuron) {
	c := newCosts()
	w := &writer{emitter: emitter{Sink: s}, costs: c}
	for _, group := range groups(neurons) {
		p := cheapest(c, group)
		for i, in := range group {
			p.roots[i].define(w, in.neuron.Threshold, in.neuron.Out)
		}
	}
}

// groups groups neurons over the same variables, and puts those that share their variables
// with none into one more group.
func groups(neurons []model.Neuron) [][]input {
	var out [][]input
	index := map[string]int{}
	var key []byte
	for i := range neurons {
		in := input{&neurons[i], slices.Clone(neurons[i].Inputs)}
		sortByVar(in.lits)
		key = key[:0]
		for _, l := range in.lits {
			key = binary.LittleEndian.AppendUint32(key, uint32(l.Var()))
		}
		g, ok := index[string(key)]
		if !ok {
			g = len(out)
			index[string(key)] = g
			out = append(out, nil)
		}
		out[g] = append(out[g], in)
	}
	var alone []input
	out = slices.DeleteFunc(out, func(g []input) bool {
		if len(g) == 1 {
			alone = append(alone, g[0])
		}
		return len(g) == 1
	})
	if len(alone) > 0 {
		out = append(out, alone)
	}
	return out
}

// cheapest makes the plans for a group and returns the best one.
func cheapest(c *costs, group []input) *plan {
	best := prepare(c, group, alone)
	if len(group) == 1 {
		return best
	}
	try := func(build func(*plan, []input)) {
		if p := prepare(c, group, build); p.price < best.price {
			best = p
		}
	}
	if n := len(group[0].lits); n <= chunkLimit && sameVars(group) {
		try(chunks)
	}
	orders := [][]int{byThreshold(group)}
	if len(group) <= similarLimit {
		orders = append(orders, bySimilarity(group))
	}
	for _, order := range orders {
		for _, size := range []int{2, 4} {
			try(func(p *plan, group []input) { inGroups(p, group, order, size) })
		}
	}
	return best
}

func sameVars(group []input) bool {
	for _, in := range group[1:] {
		if !slices.EqualFunc(in.lits, group[0].lits, func(a, b model.Lit) bool { return a.Var() == b.Var() }) {
			return false
		}
	}
	return true
}

// prepare builds the lists of a group with one strategy and prices them.
func prepare(c *costs, group []input, build func(*plan, []input)) *plan {
	p := newPlan(c)
	p.roots = make([]view, len(group))
	build(p, group)
	for i, in := range group {
		t := in.neuron.Threshold
		p.roots[i].require(span{t, t}, both)
	}
	p.settle()
	return p
}

func alone(p *plan, group []input) {
	for i, in := range group {
		p.roots[i] = p.set(in.lits).view
	}
}

// inGroups takes size neurons together, 2 or 4, in the given order.
func inGroups(p *plan, group []input, order []int, size int) {
	for len(order) > 0 {
		n := min(size, len(order))
		classes := classify(group, order[:n])
		for u := 0; u < n; u += 2 {
			if u+1 == n {
				p.roots[order[u]] = p.single(classes, u)
			} else {
				p.roots[order[u]], p.roots[order[u+1]] = p.pair(classes, u, u+1)
			}
		}
		order = order[n:]
	}
}

// class is the set of inputs with the same signs in the neurons of a group, up to negation of
// all. The signs are relative to lits; 0 if a neuron does not have the inputs.
type class struct {
	signs [4]int8
	lits  []model.Lit
}

func classify(group []input, members []int) []class {
	var classes []class
	var at [4]int
	for {
		// The smallest variable that is left.
		v := int32(0)
		for k, i := range members {
			if lits := group[i].lits; at[k] < len(lits) {
				if w := lits[at[k]].Var(); v == 0 || w < v {
					v = w
				}
			}
		}
		if v == 0 {
			break
		}
		var lit model.Lit
		var signs [4]int8
		for k, i := range members {
			lits := group[i].lits
			if at[k] == len(lits) || lits[at[k]].Var() != v {
				continue
			}
			l := lits[at[k]]
			at[k]++
			if lit == 0 {
				lit = l
			}
			signs[k] = 1
			if l != lit {
				signs[k] = -1
			}
		}
		i := slices.IndexFunc(classes, func(c class) bool { return c.signs == signs })
		if i < 0 {
			i = len(classes)
			classes = append(classes, class{signs: signs})
		}
		classes[i].lits = append(classes[i].lits, lit)
	}
	return classes
}

// class returns the item of c as neuron u reads it.
func (p *plan) class(c *class, u int) item {
	it := p.set(c.lits)
	if c.signs[u] < 0 {
		return it.not()
	}
	return it
}

func (p *plan) single(classes []class, u int) view {
	var items []item
	for i := range classes {
		if classes[i].signs[u] != 0 {
			items = append(items, p.class(&classes[i], u))
		}
	}
	return p.join(items...).view
}

// pair builds neurons u and v of a group from its classes.
func (p *plan) pair(classes []class, u, v int) (view, view) {
	var equal, differ, onlyU, onlyV []item
	for i := range classes {
		c := &classes[i]
		switch {
		case c.signs[u] == 0 && c.signs[v] == 0:
		case c.signs[v] == 0:
			onlyU = append(onlyU, p.class(c, u))
		case c.signs[u] == 0:
			onlyV = append(onlyV, p.class(c, v))
		case c.signs[u] == c.signs[v]:
			equal = append(equal, p.class(c, u))
		default:
			differ = append(differ, p.class(c, u))
		}
	}
	var first, second []item
	if len(equal) > 0 {
		it := p.join(equal...)
		first, second = append(first, it), append(second, it)
	}
	if len(differ) > 0 {
		it := p.join(differ...)
		first, second = append(first, it), append(second, it.not())
	}
	if len(onlyU) > 0 {
		first = append(first, p.join(onlyU...))
	}
	if len(onlyV) > 0 {
		second = append(second, p.join(onlyV...))
	}
	return p.join(first...).view, p.join(second...).view
}
