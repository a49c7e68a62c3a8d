package sat

import "slices"

// counters are the neurons and linear constraints. They are kept by counting, in
// occurrence lists of each literal.
type counters struct {
	neurons   []neuron
	inputs    []Lit      // of all neurons
	inputsOf  [][]uint32 // by literal: neurons that have it as input
	outputsOf [][]uint32 // by variable: neurons whose output it is

	linears        []linear
	linearLits     []Lit // of all linear constraints
	linearCoef     []int64
	linearsOf      [][]occurrence // by literal: linear constraints that hold it
	learnedLinears []uint32
	freeLinears    []uint32 // places of deleted ones
	wastedLinears  int      // their terms that are still held

	counted []bool // by variable: it stands in some counter
}

// occurrence is a literal's part in a linear constraint.
type occurrence struct {
	coef int64
	id   uint32
}

func (c *counters) grow(n int) {
	c.inputsOf = extend(c.inputsOf, 2*n)
	c.outputsOf = extend(c.outputsOf, n)
	c.linearsOf = extend(c.linearsOf, 2*n)
	c.counted = extend(c.counted, n)
}

// newLinear stores a normalized constraint; its slack is that of open literals.
func (c *counters) newLinear(terms []Term, k, total int64) uint32 {
	id := uint32(len(c.linears))
	if n := len(c.freeLinears); n > 0 {
		id, c.freeLinears = c.freeLinears[n-1], c.freeLinears[:n-1]
	} else {
		c.linears = append(c.linears, linear{})
	}
	start := uint32(len(c.linearLits))
	for _, t := range terms {
		c.linearLits = append(c.linearLits, t.Lit)
		c.linearCoef = append(c.linearCoef, t.Coef)
		c.linearsOf[t.Lit] = append(c.linearsOf[t.Lit], occurrence{t.Coef, id})
		c.counted[t.Lit.Var()] = true
	}
	c.linears[id] = linear{slack: total - k, max: terms[0].Coef, k: k, start: start, end: start + uint32(len(terms))}
	return id
}

// dropLinear takes a constraint out that is no reason above level 0.
func (c *counters) dropLinear(id uint32) {
	x := &c.linears[id]
	for _, l := range c.linearLits[x.start:x.end] {
		c.linearsOf[l] = slices.DeleteFunc(c.linearsOf[l], func(w occurrence) bool { return w.id == id })
	}
	x.dead = true
	c.freeLinears = append(c.freeLinears, id)
	if c.wastedLinears += int(x.end - x.start); c.wastedLinears > len(c.linearLits)/2 {
		c.compactLinears()
	}
}

// compactLinears moves the terms of constraints together.
func (c *counters) compactLinears() {
	var lits []Lit
	var coefs []int64
	for id := range c.linears {
		x := &c.linears[id]
		if x.dead {
			x.start, x.end = 0, 0
			continue
		}
		start := uint32(len(lits))
		lits = append(lits, c.linearLits[x.start:x.end]...)
		coefs = append(coefs, c.linearCoef[x.start:x.end]...)
		x.start, x.end = start, uint32(len(lits))
	}
	c.linearLits, c.linearCoef, c.wastedLinears = lits, coefs, 0
}

// uncount takes back that the neurons and linear constraints counted l as true.
func (c *counters) uncount(l Lit) {
	for _, id := range c.inputsOf[l] {
		c.neurons[id].trueLeft++
	}
	for _, id := range c.inputsOf[l^1] {
		c.neurons[id].falseLeft++
	}
	for _, w := range c.linearsOf[l^1] {
		c.linears[w.id].slack += w.coef
	}
}
