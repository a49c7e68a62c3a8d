package lift

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/learn/synthesis"
	"github.com/fdplan/fdplan/problem/factored"
)

// number grounds the value of a fluent, or a non-fluent that it looks up, for objects at.
func (g *grounder) number(f *Feature, at []int) (grounded, error) {
	v, err := g.w.fluent(*f.Number, at)
	if err != nil {
		return grounded{}, err
	}
	bits := make([]int, v.Width)
	for j := range bits {
		var ok bool
		if bits[j], ok = g.w.inputs[v.First+factored.Bit(j)]; !ok {
			return grounded{}, fmt.Errorf("the network does not read %s", v.Name)
		}
	}
	out := grounded{count: true}
	if f.Static == nil {
		for j, b := range bits {
			weight := float64(int64(1) << (v.Width - 1 - j))
			if j == 0 && v.Lo < 0 {
				weight = -weight
			}
			out.terms, out.weights = append(out.terms, []literal{{bit: b}}), append(out.weights, weight)
		}
		return out, nil
	}
	entries, err := g.entries(f, at, v)
	for _, e := range entries {
		var term []literal
		for j, b := range bits {
			term = append(term, literal{b, int64(e[0])>>(v.Width-1-j)&1 == 0})
		}
		out.terms, out.weights = append(out.terms, term), append(out.weights, e[1])
	}
	return out, err
}

// entries lists what a feature looks up for objects at: a value of the fluent v and what it counts then, where that is not 0.
func (g *grounder) entries(f *Feature, at []int, v *factored.Variable) (entries [][2]float64, err error) {
	all, err := g.w.typed(f.Fresh[0])
	if err != nil {
		return nil, err
	}
	for i := range all.names {
		with := append(slices.Clone(at), i)
		key, err := g.static(*f.Index, with)
		if err != nil {
			return nil, err
		}
		value, err := g.static(*f.Static, with)
		if err != nil {
			return nil, err
		}
		if value != 0 && fitsNumber(key) && int64(key) >= v.Lo && int64(key) <= v.Hi {
			entries = append(entries, [2]float64{key, value})
		}
	}
	slices.SortStableFunc(entries, func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) })
	return entries, nil
}

// Lookup is a feature that a fluent looks up, with what it was for the objects of the rows: values of the fluent, each with that of the
// feature where that is not 0. Where that is another, functions of the fluent's bits no longer tell the same.
type Lookup struct {
	Feature Feature        `json:"feature"`
	Entries [][][2]float64 `json:"entries"`
}

// of is what a lookup is for objects at, and the values that it may have.
func (l *Lookup) of(g *grounder, at []int) (entries [][2]float64, values []float64, err error) {
	v, err := g.w.fluent(*l.Feature.Number, at)
	if err != nil {
		return nil, nil, err
	}
	if entries, err = g.entries(&l.Feature, at, v); err != nil {
		return nil, nil, err
	}
	if v.Hi-v.Lo >= int64(len(entries)) {
		values = append(values, 0)
	}
	for _, e := range entries {
		values = append(values, e[1])
	}
	slices.Sort(values)
	return entries, slices.Compact(values), nil
}

// lookupDoubts names the lookups that are other ones than in the rows, of those that had one value there and those by fluents
// that are read.
func (c *Class) lookupDoubts(g *grounder, at []int, reads func(fluent *Atom) bool) ([]doubt, error) {
	var out []doubt
	for i := range c.Lookups {
		l := &c.Lookups[i]
		entries, values, err := l.of(g, at)
		if err != nil {
			return nil, err
		}
		had := slices.ContainsFunc(l.Entries, func(e [][2]float64) bool { return slices.Equal(e, entries) })
		other := slices.ContainsFunc(values, func(v float64) bool { return !slices.Contains(l.Feature.Seen, v) })
		if len(l.Feature.Seen) == 1 && other || reads(l.Feature.Number) && !had {
			out = append(out, doubt{-1, true, fmt.Sprintf("%s: %s, seen %s in rows with other constants", &l.Feature, list(values), list(l.Feature.Seen))})
		}
	}
	return out, nil
}

// calculation is a formula for some objects of an instance.
type calculation struct {
	class     *Class
	features  []grounded
	variables []*factored.Variable // that the features read
	inputs    map[int]int          // by input of the network, its place among those of the functions
	value     map[int]int          // of the inputs
	functions []synthesis.Function // by bit of the output
	now       []int64              // the values of the variables
	reads     []int                // by feature, which variable it reads, -1 for none
	unseen    []map[float64]int64  // by feature, values that no row had, and that of the variable then
	apart     map[string]bool      // joint values of the features that no row had, while each of them occurs alone
	beyond    bool                 // a value is outside of the output's range
}

// calculate grounds the class's formula for objects at: the functions of the output's bits, over all legal values of the
// variables that it reads, and what no row had.
func (c *Class) calculate(g *grounder, at []int) ([]synthesis.Function, []doubt, error) {
	k := &calculation{class: c, apart: map[string]bool{}, inputs: map[int]int{}, value: map[int]int{}, functions: make([]synthesis.Function, len(c.Bits))}
	var found []int
	for i := range c.Formula.Features {
		f := &c.Formula.Features[i]
		x, err := g.feature(f, c.Types, at)
		if err != nil {
			return nil, nil, err
		}
		k.features, k.unseen = append(k.features, x), append(k.unseen, map[float64]int64{})
		k.reads = append(k.reads, -1)
		if f.Number == nil {
			continue
		}
		v, err := g.w.fluent(*f.Number, at)
		if err != nil {
			return nil, nil, err
		}
		if k.reads[i] = slices.Index(k.variables, v); k.reads[i] >= 0 {
			continue
		}
		k.reads[i], k.variables, k.now = len(k.variables), append(k.variables, v), append(k.now, v.Lo)
		for j := range v.Width {
			found = append(found, g.w.inputs[v.First+factored.Bit(j)])
		}
	}
	const widest = 12 // 4096 cells a function
	if len(found) > widest {
		return nil, nil, fmt.Errorf("%w: %d, expected at most %d", ErrWide, len(found), widest)
	}
	slices.Sort(found)
	for i, b := range found {
		k.inputs[b] = i
	}
	for b := range k.functions {
		k.functions[b].Inputs = found
	}
	k.cells(g.w, 0)
	doubts, err := k.doubts(g, at)
	return k.functions, doubts, err
}

// cells goes through the values of the variables from the given one on.
func (k *calculation) cells(w *World, from int) {
	if from == len(k.variables) {
		k.settle()
		return
	}
	v := k.variables[from]
	for x := v.Lo; x <= v.Hi; x++ {
		k.now[from] = x
		for j := range v.Width {
			k.value[w.inputs[v.First+factored.Bit(j)]] = int(x >> (v.Width - 1 - j) & 1)
		}
		k.cells(w, from+1)
	}
}

// settle takes what the formula gives for the values of the variables.
func (k *calculation) settle() {
	values, joint, seen := make([]float64, len(k.features)), make([]int, len(k.features)), true
	for i := range k.features {
		values[i], _ = k.features[i].span(func(b int) int { return k.value[b] })
		joint[i] = int(values[i])
		if !slices.Contains(k.class.Formula.Features[i].Seen, values[i]) {
			seen = false
			of := int64(0)
			if r := k.reads[i]; r >= 0 {
				of = k.now[r]
			}
			if at, has := k.unseen[i][values[i]]; !has || of < at {
				k.unseen[i][values[i]] = of
			}
		}
	}
	if _, had := slices.BinarySearchFunc(k.class.Formula.Joint, joint, slices.Compare); seen && !had {
		k.apart[fmt.Sprint(joint)] = true
	}
	if slices.ContainsFunc(values, func(v float64) bool { return !fitsNumber(v) }) {
		return // unseen, and of no interest
	}
	next := int64(k.class.Formula.Value.Eval(packNumbers(values)))
	if next < k.class.Lo || next > k.class.Hi {
		k.beyond = true
		return
	}
	cube := synthesis.Cube{Care: 1<<len(k.inputs) - 1}
	for b, i := range k.inputs {
		cube.Value |= uint64(k.value[b]) << i
	}
	for b := range k.functions {
		if next>>(len(k.functions)-1-b)&1 == 1 {
			k.functions[b].On = append(k.functions[b].On, cube)
		} else {
			k.functions[b].Off = append(k.functions[b].Off, cube)
		}
	}
}

// applyFormula grounds the formula for some objects. The rows support no output of it.
func (c *Class) applyFormula(g *grounder, at []int, _ *rules, to *Applied, done []bool) error {
	outs, err := g.w.outputBits(c.Output, at)
	if err != nil {
		return err
	}
	functions, doubts, err := c.calculate(g, at)
	if err != nil {
		return fmt.Errorf("%s: %w", g.w.Problem.BitName(g.w.Problem.Outputs[outs[0]]), err)
	}
	always := false
	var reasons []string
	for _, d := range doubts {
		always, reasons = always || d.always, append(reasons, d.reason)
	}
	for b, o := range outs {
		to.Functions[o], done[o] = functions[b], true
		if len(doubts) > 0 {
			to.Unseen = append(to.Unseen, Unseen{g.w.Problem.BitName(g.w.Problem.Outputs[o]), always, strings.Join(reasons, "; ")})
		}
	}
	return nil
}

// doubts names what no row had: values that the formula reads, constants that were the same for all objects, and features
// that were equal.
func (k *calculation) doubts(g *grounder, at []int) ([]doubt, error) {
	c := k.class
	out, err := c.lookupDoubts(g, at, func(*Atom) bool { return false })
	if err != nil {
		return nil, err
	}
	for i := range c.Features {
		f := &c.Features[i]
		if !f.Fixed() {
			continue
		}
		x, err := g.feature(f, c.Types, at)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(f.Seen, x.value) {
			out = append(out, doubt{-1, true, fmt.Sprintf("%s: %v, seen %s", f, x.value, list(f.Seen))})
		}
	}
	for i := range c.Formula.Same {
		s := &c.Formula.Same[i]
		x, err := g.feature(&s.Feature, c.Types, at)
		if err != nil {
			return nil, err
		}
		if x.key() != k.features[s.As].key() {
			out = append(out, doubt{-1, true, fmt.Sprintf("%s is not %s, as it was in all rows", &s.Feature, &c.Formula.Features[s.As])})
		}
	}
	for i, values := range k.unseen {
		f := &c.Formula.Features[i]
		if len(values) == 0 {
			continue
		}
		reason := fmt.Sprintf("%s: %s, seen %s", f, list(slices.Sorted(maps.Keys(values))), list(f.Seen))
		if f.Index != nil {
			reason += fmt.Sprintf(", which steps from %s = %s would show", f.Number, numbers(slices.Sorted(maps.Values(values))))
		}
		out = append(out, doubt{-1, !k.features[i].count, reason})
	}
	if len(k.apart) > 0 {
		var parts []string
		for i := range c.Formula.Features {
			parts = append(parts, c.Formula.Features[i].String())
		}
		out = append(out, doubt{-1, false, fmt.Sprintf("%s: %d joint values that no row is recorded to have", strings.Join(parts, ", "), len(k.apart))})
	}
	if k.beyond {
		out = append(out, doubt{-1, false, fmt.Sprintf("the formula leaves the range %d..%d", c.Lo, c.Hi)})
	}
	return out, nil
}

// numbers writes whole numbers.
func numbers(values []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ", "), "[]")
}
