package lift

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/learn/integers"
	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// Formula is the next value of a class as a function of whole numbers. It tells what follows values of constants
// that no row has, where trees over bits only guess.
type Formula struct {
	Features []Feature `json:"features"`
	Same     []Same    `json:"same,omitempty"` // features that were equal to one of these in all rows
	// Value reads feature k in the inputs numberWidth·k, its least significant bit, and following ones, in two's
	// complement; one that is a Boolean in the first of them alone.
	Value *integers.Expr `json:"value"`
	// Joint lists the values that rows have of Features together, in increasing order; none where they are too many.
	Joint [][]int `json:"joint,omitempty"`
}

// mostJoint bounds the joint values that a formula lists.
const mostJoint = 4096

// numberWidth is the bits of a number in a formula.
const numberWidth = 16

// String writes the formula as RDDL does.
func (f *Formula) String() string {
	return f.Value.Text(func(v *integers.Variable) string { return f.Features[v.Bits[len(v.Bits)-1]/numberWidth].String() })
}

// variable is feature k of a formula.
func variable(k int, boolean bool) integers.Variable {
	if boolean {
		return integers.Variable{Bits: []int{k * numberWidth}}
	}
	v := integers.Variable{Signed: true}
	for b := range numberWidth {
		v.Bits = append(v.Bits, (k+1)*numberWidth-1-b)
	}
	return v
}

// packNumbers packs the values of features, each in a range that fits.
func packNumbers(values []float64) []uint64 {
	const each = 64 / numberWidth
	row := make([]uint64, (len(values)+each-1)/each)
	for k, v := range values {
		row[k/each] |= uint64(uint16(int64(v))) << (k % each * numberWidth)
	}
	return row
}

// fitsNumber reports whether a value is a whole number that a formula can read.
func fitsNumber(v float64) bool { return v == math.Trunc(v) && math.Abs(v) < 1<<(numberWidth-1) }

// numbers lists what a formula may read: fluents and non-fluents of the output's objects, and values of non-fluents looked up by a fluent.
func (c *collector) numbers() []Feature {
	for _, d := range c.w.order {
		named := slices.ContainsFunc(c.w.order, func(index *declaration) bool { return index.names(d) })
		for _, a := range atoms(d, c.types) {
			switch {
			case named: // a number that names an object says no more than its name
			case d.Static:
				c.out = append(c.out, Feature{Static: &a, rank: rankStatic})
			case d.read && a.String() == c.output.String():
				c.out = append(c.out, Feature{Number: &a, rank: rankOwn})
			case d.read:
				c.out = append(c.out, Feature{Number: &a, rank: rankFluent})
			}
		}
		if d.Static {
			bindings(d, c.types, true, func(args, fresh []string, _ int) {
				if len(fresh) == 1 {
					c.lookups(Atom{d.Name, slices.Clone(args)}, fresh[0])
				}
			})
		}
	}
	const most = 64
	return c.ranked(rankOwn, rankDegree, most)
}

// lookups takes a non-fluent of the fresh object that a number names: that whose value of another non-fluent it is.
func (c *collector) lookups(of Atom, typ string) {
	for _, index := range c.w.order {
		if index.Name == of.Name || len(index.Params) != 1 || index.Params[0] != typ {
			continue
		}
		for _, d := range c.w.order {
			if !index.names(d) {
				continue
			}
			for _, a := range atoms(d, c.types) {
				by := Atom{index.Name, []string{objectName(len(c.types))}}
				c.out = append(c.out, Feature{Static: &of, Fresh: []string{typ}, Index: &by, Number: &a, rank: rankDegree})
			}
		}
	}
}

// names reports whether a non-fluent gives objects numbers of their own by which fluent d names them: most of its values do.
func (index *declaration) names(d *declaration) bool {
	if !index.Static || index.Type == ground.Bool || len(index.params) != 1 || !index.params[0].object || d.Static || !d.read || d.boolean {
		return false
	}
	has := map[float64]bool{}
	named := int64(0)
	for i := range index.params[0].names {
		v, ok := index.Value([]int{i})
		if !ok || has[v] {
			return false
		}
		has[v] = true
		if v >= float64(d.lo) && v <= float64(d.hi) && v == math.Trunc(v) {
			named++
		}
	}
	return len(has) > 1 && 2*named > d.hi-d.lo+1
}

// constantOf reports whether a feature reads a number that instances may have differently.
func (w *World) constantOf(f *Feature) bool {
	return f.Static != nil && (f.Index != nil || w.decls[f.Static.Name].Type != ground.Bool)
}

// formula finds the formula of the class, nil if there is none without a wrong row that reads a constant.
func (p *pool) formula(ctx context.Context, rows []Row) error {
	n := &pool{w: p.w, class: &Class{Output: p.class.Output, Types: p.class.Types}, objects: p.objects, picked: p.picked}
	c := &collector{w: p.w, output: p.class.Output, types: p.class.Types}
	if err := n.add(c.numbers(), rows); err != nil || !n.constants() {
		return err
	}
	if err := n.lookups(p.class); err != nil {
		return err
	}
	_, same := n.columns(stages)
	sample := &integers.Sample{Boolean: p.w.decls[p.class.Output.Name].boolean}
	var read []int
	for f := range n.class.Features {
		x := &n.class.Features[f]
		if _, ok := same[f]; ok || len(x.Seen) < 2 || slices.ContainsFunc(x.Seen, func(v float64) bool { return !fitsNumber(v) }) {
			continue
		}
		sample.Variables = append(sample.Variables, variable(len(read), p.w.truth(x)))
		read = append(read, f)
	}
	if err := n.sample(sample, rows, read); err != nil {
		return err
	}
	value, wrong := integers.Learn(ctx, sample)
	if value == nil || wrong > 0 {
		return nil
	}
	n.keepFormula(value, read, same, p.class)
	return nil
}

// lookups takes the pool's features that a fluent looks up into a class, with what they are for the objects.
func (p *pool) lookups(to *Class) error {
	g := newGrounder(p.w)
	for _, f := range p.class.Features {
		if f.Index == nil {
			continue
		}
		l := Lookup{Feature: f}
		for _, at := range p.objects {
			entries, _, err := l.of(g, at)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(l.Entries, func(e [][2]float64) bool { return slices.Equal(e, entries) }) {
				l.Entries = append(l.Entries, entries)
			}
		}
		to.Lookups = append(to.Lookups, l)
	}
	return nil
}

// constants reports whether the pool's features have a constant that is not the same for all objects and in all states.
func (p *pool) constants() bool {
	for i := range p.class.Features {
		x := p.grounded[i]
		if p.w.constantOf(&p.class.Features[i]) && slices.ContainsFunc(x, func(g grounded) bool { return g.count || g.value != x[0].value }) {
			return true
		}
	}
	return false
}

// truth reports whether a feature is a Boolean.
func (w *World) truth(f *Feature) bool {
	if f.Number != nil && f.Static == nil {
		return w.decls[f.Number.Name].boolean
	}
	return f.Static != nil && w.decls[f.Static.Name].Type == ground.Bool && f.Number == nil
}

// sample takes the distinct pooled rows of which all features that are read and the output are known.
func (p *pool) sample(s *integers.Sample, rows []Row, read []int) error {
	d := p.w.decls[p.class.Output.Name]
	value := integers.Variable{Signed: d.lo < 0}
	for b := range d.width {
		value.Bits = append(value.Bits, b)
	}
	outs := make([][]int, len(p.objects))
	for k, at := range p.objects {
		var err error
		if outs[k], err = p.w.outputBits(p.class.Output, at); err != nil {
			return err
		}
	}
	has := map[string]bool{}
	for i, rc := range p.picked {
		r := &rows[rc[0]]
		values, known := make([]float64, len(read)), true
		for k, f := range read {
			values[k] = p.values[f][i]
			known = known && !math.IsNaN(values[k])
		}
		out := []uint64{0}
		for b, o := range outs[rc[1]] {
			known = known && (r.OutKnown == nil || r.OutKnown[o])
			out[0] |= bit64(r.Out[o]) << b
		}
		if key := fmt.Sprint(values, out); known && !has[key] {
			has[key] = true
			s.In, s.Out = append(s.In, packNumbers(values)), append(s.Out, value.Value(out))
		}
	}
	return nil
}

// keepFormula takes a formula over the features to read into a class, with those that it needs.
func (p *pool) keepFormula(value *integers.Expr, read []int, same map[int]int, c *Class) {
	f := &Formula{}
	to := make([]int, len(read)*numberWidth)
	place := map[int]int{}
	constant := false
	for _, b := range value.Inputs() {
		x := read[b/numberWidth]
		if _, has := place[x]; !has {
			place[x] = len(f.Features)
			f.Features = append(f.Features, p.class.Features[x])
			constant = constant || p.w.constantOf(&p.class.Features[x])
		}
		to[b] = place[x]*numberWidth + b%numberWidth
	}
	if !constant {
		return // trees say as much
	}
	for x := range p.class.Features {
		if first, ok := same[x]; ok {
			if at, kept := place[first]; kept {
				f.Same = append(f.Same, Same{at, p.class.Features[x]})
			}
		}
	}
	f.Value, f.Joint = value.Renamed(to), p.joint(slices.SortedStableFunc(maps.Keys(place), func(a, b int) int { return place[a] - place[b] }))
	c.Formula = f
}

// joint lists the values that the pooled rows have of some features together.
func (p *pool) joint(features []int) (all [][]int) {
	for i := range p.picked {
		values, known := make([]int, len(features)), true
		for k, f := range features {
			v := p.values[f][i]
			if known = known && !math.IsNaN(v); known {
				values[k] = int(v)
			}
		}
		if known {
			all = append(all, values)
		}
	}
	slices.SortStableFunc(all, slices.Compare)
	if all = slices.CompactFunc(all, slices.Equal); len(all) > mostJoint {
		return nil
	}
	return all
}

// check reports a formula whose parts do not fit together.
func (f *Formula) check(own int) error {
	for i := range f.Features {
		if err := f.Features[i].check(own); err != nil {
			return err
		}
		if f.Features[i].Number == nil && f.Features[i].Static == nil {
			return errors.New("a formula reads what is no number of a fluent or non-fluent")
		}
	}
	for i := range f.Same {
		s := &f.Same[i]
		if s.As < 0 || s.As >= len(f.Features) {
			return fmt.Errorf("there is no feature %d", s.As)
		}
		if err := s.Feature.check(own); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(f.Joint, func(v []int) bool { return len(v) != len(f.Features) }) || !slices.IsSortedFunc(f.Joint, slices.Compare) {
		return errors.New("the joint values of a formula are not in order, or not of its features")
	}
	if f.Value == nil || !f.whole(f.Value) {
		return errors.New("the value of a formula is no expression over its features")
	}
	return nil
}

// whole reports whether an expression has the arguments of its operation, and variables that are features.
func (f *Formula) whole(e *integers.Expr) bool {
	if e == nil || slices.ContainsFunc(e.Args, func(a *integers.Expr) bool { return !f.whole(a) }) {
		return false
	}
	switch n := len(e.Args); e.Op {
	case integers.Value:
		return n == 0
	case integers.Var:
		if e.Variable == nil || len(e.Variable.Bits) == 0 {
			return false
		}
		k := e.Variable.Bits[len(e.Variable.Bits)-1] / numberWidth
		want := variable(k, len(e.Variable.Bits) == 1)
		return k >= 0 && k < len(f.Features) && slices.Equal(e.Variable.Bits, want.Bits) && e.Variable.Signed == want.Signed
	case integers.Sum:
		return len(e.Weights) == n
	case integers.Min, integers.Max:
		return n == 2
	case integers.Mod:
		return n == 1 && e.Constant > 0
	case integers.Abs, integers.AtLeast, integers.Is:
		return n == 1
	case integers.If:
		const least = 3
		return n >= least
	}
	return false
}
