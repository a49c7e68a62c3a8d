package lift

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/structure"
)

// Row is a transition in the bits of a network. Known masks are nil where all bits are known.
type Row struct {
	In, Out           []bool
	InKnown, OutKnown []bool
}

// Learned is what was found about a class.
type Learned struct {
	Class
	Objects int                // choices of objects that share the function
	Pooled  int                // distinct rows of all of them together
	Outputs []structure.Output // by bit
}

// Options say how to learn.
type Options struct {
	Seed     uint64
	Threads  int
	Progress func(done float64) // in 0..1; nil for none
}

// maxPooled bounds the rows of all objects together; of more, some are drawn.
const maxPooled = 60_000

// Learn finds a function for each learned fluent from rows of an instance. The result does
// not depend on the number of threads. An error is about the instance, or that of ctx.
func Learn(ctx context.Context, w *World, rows []Row, o Options) ([]Learned, error) {
	var out []Learned
	var learned []*declaration
	for _, d := range w.order {
		if !d.Static && d.learned {
			learned = append(learned, d)
		}
	}
	for i, d := range learned {
		for _, output := range outputsOf(d) {
			so := structure.Options{Seed: o.Seed, Threads: o.Threads, Alternatives: true}
			if o.Progress != nil {
				so.Progress = func(done float64) { o.Progress((float64(i) + done) / float64(len(learned))) }
			}
			l, err := learnClass(ctx, w, d, output, rows, so)
			if err != nil {
				return nil, err
			}
			out = append(out, *l)
		}
	}
	return out, nil
}

// outputsOf lists the atoms of a learned fluent that have a function each: one, or one for
// each choice of values of its enumerations.
func outputsOf(d *declaration) []Atom {
	out, objects := []Atom{{Name: d.Name}}, 0
	for _, p := range d.params {
		values := p.names
		if p.object {
			values = []string{objectName(objects)}
			objects++
		}
		var more []Atom
		for _, a := range out {
			for _, v := range values {
				more = append(more, Atom{d.Name, append(slices.Clone(a.Args), v)})
			}
		}
		out = more
	}
	return out
}

// pool is the rows of all objects of a class together.
type pool struct {
	w        *World
	class    *Class
	objects  [][]int      // the choices of objects
	grounded [][]grounded // by feature and choice
	values   [][]float64  // by feature and pooled row; NaN where unknown
	picked   [][2]int     // pooled rows: row and choice
	// tables are what the pooled rows settle, over the columns, by bit.
	tables [][]coverage.Table
}

func learnClass(ctx context.Context, w *World, d *declaration, output Atom, rows []Row, o structure.Options) (*Learned, error) {
	l := &Learned{Class: Class{Output: output, Lo: d.lo, Hi: d.hi, Ranges: map[string][2]int64{}}}
	var own []*objects
	for k, p := range d.params {
		if p.object {
			l.Types, own = append(l.Types, d.Params[k]), append(own, p)
		}
	}
	p := &pool{w: w, class: &l.Class}
	choices(own, func(at []int) { p.objects = append(p.objects, slices.Clone(at)) })
	l.Objects = len(p.objects)
	if l.Objects == 0 || len(rows) == 0 {
		return nil, fmt.Errorf("there is no object, or no row, to learn %s from", output.Name)
	}
	p.pick(len(rows), o.Seed)
	cols, same, err := p.learn(ctx, l, rows, o)
	if err != nil {
		return nil, err
	}
	p.keep(cols, same)
	return l, p.formula(ctx, rows)
}

// stages are the ranks up to which features are tried, one after the other: the simple ones
// alone explain more from few rows.
var stages = []int{rankDegree, rankCount + rankOdd, rankJoin + rankOdd, rankAll + rankOdd}

// learn finds the trees, each from the first stage that no later one is clearly better than.
func (p *pool) learn(ctx context.Context, l *Learned, rows []Row, o structure.Options) (cols []column, same map[int]int, err error) {
	tried := 0
	progress := o.Progress
	for s := range stages {
		// The second is tried anyway: what it explains as well is an alternative.
		if s > 1 && !slices.ContainsFunc(l.Outputs, func(o structure.Output) bool { return o.Wrong > 0 }) {
			break
		}
		features := p.w.candidates(p.class.Output, l.Types, s)
		if stages[s] == rankJoin+rankOdd {
			if features, err = p.joins(ctx, rows, l); err != nil {
				return nil, nil, err
			}
		}
		if err := p.add(features, rows); err != nil {
			return nil, nil, err
		}
		if cols, same = p.columns(stages[:s+1]); s > 0 && len(cols) == tried {
			continue
		}
		tried = len(cols)
		table, err := p.table(rows, cols)
		if err != nil {
			return nil, nil, err
		}
		if progress != nil {
			o.Progress = func(done float64) { progress((float64(s) + done) / float64(len(stages))) }
		}
		st, err := structure.Learn(ctx, table, o)
		if err != nil {
			return nil, nil, err
		}
		if s == 0 {
			l.Outputs, l.Bits = make([]structure.Output, len(st.Outputs)), make([]*Node, len(st.Outputs))
			p.tables = make([][]coverage.Table, len(st.Outputs))
		}
		settled := coverage.Settled(table, st)
		for i := range st.Outputs {
			switch o := &st.Outputs[i]; {
			case s == 0 || clearlyBetter(o, &l.Outputs[i]):
				l.Outputs[i], l.Bits[i] = *o, nodeOf(o.Tree, cols)
				l.Pooled = max(l.Pooled, table.Rows())
				p.tables[i] = settled[i]
			case o.Wrong <= l.Outputs[i].Wrong:
				p.explain(i, settled[i])
			}
		}
	}
	return cols, same, nil
}

// clearlyBetter compares what two sets of features explain, b the smaller one: where it
// explains all rows, and where chance may have made the difference, it is preferred.
func clearlyBetter(a, b *structure.Output) bool {
	before := float64(b.Wrong + b.Held)
	return b.Wrong > 0 && before-float64(a.Wrong+a.Held) > math.Sqrt(before)
}

// add grounds further features for all objects, and takes their values in the pooled rows; the class has them until keep.
func (p *pool) add(features []Feature, rows []Row) error {
	g := newGrounder(p.w)
	for i := range features {
		one := make([]grounded, len(p.objects))
		for k, at := range p.objects {
			var err error
			if one[k], err = g.feature(&features[i], p.class.Types, at); err != nil {
				return err
			}
		}
		p.grounded = append(p.grounded, one)
		p.class.Features = append(p.class.Features, features[i])
		p.measure(len(p.grounded)-1, rows)
	}
	return nil
}

// pick draws the pooled rows.
func (p *pool) pick(rows int, seed uint64) {
	n := rows * len(p.objects)
	order := integer.Below[int](n)
	if n > maxPooled {
		rng := rand.New(rand.NewPCG(seed, 0x11f7))
		rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		order = order[:maxPooled]
		slices.Sort(order)
	}
	for _, i := range order {
		p.picked = append(p.picked, [2]int{i / len(p.objects), i % len(p.objects)})
	}
}

// measure takes the values of a feature in the pooled rows.
func (p *pool) measure(f int, rows []Row) {
	values := make([]float64, len(p.picked))
	seen := map[float64]bool{}
	for i, rc := range p.picked {
		r := &rows[rc[0]]
		lo, hi := p.grounded[f][rc[1]].span(func(b int) int {
			switch {
			case r.InKnown != nil && !r.InKnown[b]:
				return 2
			case r.In[b]:
				return 1
			}
			return 0
		})
		if lo != hi {
			values[i] = math.NaN()
			continue
		}
		values[i] = lo
		seen[lo] = true
	}
	p.values = append(p.values, values)
	p.class.Features[f].Seen = slices.Sorted(maps.Keys(seen))
}

// nodeOf returns a tree over columns as one over features.
func nodeOf(t *structure.Tree, cols []column) *Node {
	if t.Zero == nil {
		return &Node{Value: t.Value}
	}
	c := &cols[t.Input]
	return &Node{Feature: c.Feature, AtLeast: c.AtLeast, Odd: c.Odd, No: nodeOf(t.Zero, cols), Yes: nodeOf(t.One, cols)}
}

// keep drops the features that nothing needs: what remains is read by a tree, or determined
// by the objects and the same for all of them, or read by an alternative.
func (p *pool) keep(cols []column, same map[int]int) {
	c := p.class
	used, tested := make([]bool, len(c.Features)), p.tested(cols)
	for _, n := range c.Bits {
		n.reads(used)
	}
	all := c.Features
	place := map[int]int{}
	c.Features = nil
	for pass := range 3 {
		for f := range all {
			_, has := place[f]
			_, doubled := same[f]
			wanted := tested[f]
			switch pass {
			case 0:
				wanted = used[f]
			case 1:
				wanted = all[f].Fixed() && (!doubled || all[f].Static != nil) && len(all[f].Also) == 0
			}
			if wanted && !has {
				place[f] = len(c.Features)
				c.Features = append(c.Features, all[f])
			}
		}
	}
	p.keepTables(cols, place)
	for f := range all {
		if first, ok := same[f]; ok {
			if at, kept := place[first]; kept && used[first] && all[f].rank < rankAll {
				c.Same = append(c.Same, Same{at, all[f]})
			}
		}
	}
	for _, n := range c.Bits {
		n.renumber(place)
	}
	for i := range c.Features {
		p.ranges(&c.Features[i])
	}
	for i := range c.Same {
		p.ranges(&c.Same[i].Feature)
	}
}

// ranges notes the ranges of the fluents whose bits a feature reads.
func (p *pool) ranges(f *Feature) {
	for _, l := range f.Bits {
		if d := p.w.decls[l.Name]; !d.boolean {
			p.class.Ranges[l.Name] = [2]int64{d.lo, d.hi}
		}
	}
}

func (n *Node) renumber(place map[int]int) {
	if n.No != nil {
		n.Feature = place[n.Feature]
		n.No.renumber(place)
		n.Yes.renumber(place)
	}
}
