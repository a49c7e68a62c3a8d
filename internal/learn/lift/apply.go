package lift

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/integers"
	"github.com/fdplan/fdplan/internal/learn/synthesis"
)

// Unseen is an output bit for which no row stands, in some cases or in all.
type Unseen struct {
	Output string `json:"output"`
	Always bool   `json:"always"` // in all cases
	Reason string `json:"reason"`
}

// Applied is a model in an instance.
type Applied struct {
	Functions []synthesis.Function // by output bit of the network
	Unseen    []Unseen
	Support   *coverage.Support // what the rows settle; nil if that is not recorded
}

// ErrWide is wrapped where the function of an output has too many inputs or cells in an
// instance.
var ErrWide = errors.New("too many inputs for one function")

// ErrFit is wrapped where a model does not fit an instance.
var ErrFit = errors.New("the lifted functions do not fit")

// Apply grounds the model in an instance.
func (m *Model) Apply(w *World) (*Applied, error) {
	out := &Applied{Functions: make([]synthesis.Function, len(w.Problem.Outputs))}
	if m.Met != nil {
		unseen, err := m.Met.unseen(w)
		if err != nil {
			return nil, fmt.Errorf("%w %s: %w", ErrFit, w.Problem.Name, err)
		}
		out.Support = &coverage.Support{Inputs: len(w.Problem.Inputs), Outputs: len(w.Problem.Outputs), Unseen: unseen, Tables: make([][]coverage.Table, len(w.Problem.Outputs))}
	}
	done := make([]bool, len(out.Functions))
	g := newGrounder(w)
	rules := rulesOf(w)
	for i := range m.Classes {
		c := &m.Classes[i]
		ground := c.apply
		if err := c.fits(w, c.Features, c.Same); err != nil {
			if c.Formula == nil || c.fits(w, c.Formula.Features, c.Formula.Same) != nil {
				return nil, fmt.Errorf("%w %s: %w", ErrFit, w.Problem.Name, err)
			}
			ground = c.applyFormula
		}
		var own []*objects
		for _, t := range c.Types {
			o, err := w.typed(t)
			if err != nil {
				return nil, err
			}
			own = append(own, o)
		}
		var failed error
		choices(own, func(at []int) {
			if failed == nil {
				failed = ground(g, at, rules, out, done)
			}
		})
		if failed != nil {
			return nil, failed
		}
	}
	if m.Met != nil {
		if err := m.Met.strange(w, out); err != nil {
			return nil, fmt.Errorf("%w %s: %w", ErrFit, w.Problem.Name, err)
		}
	}
	if i := slices.Index(done, false); i >= 0 {
		return nil, fmt.Errorf("%w %s: there is no function for %s", ErrFit, w.Problem.Name, w.Problem.BitName(w.Problem.Outputs[i]))
	}
	return out, nil
}

// apply grounds a class for some objects.
func (c *Class) apply(g *grounder, at []int, r *rules, to *Applied, done []bool) error {
	w := g.w
	features := make([]grounded, len(c.Features))
	for i := range c.Features {
		var err error
		if features[i], err = g.feature(&c.Features[i], c.Types, at); err != nil {
			return err
		}
	}
	outs, err := w.outputBits(c.Output, at)
	if err != nil {
		return err
	}
	doubts, err := c.doubts(g, at, features, r)
	if err != nil {
		return err
	}
	var calculated []synthesis.Function
	if c.Formula != nil && slices.ContainsFunc(doubts, func(d doubt) bool { return d.always }) {
		if calculated, _, err = c.calculate(g, at); err != nil {
			calculated = nil // too wide
		}
	}
	for b, o := range outs {
		name := w.Problem.BitName(w.Problem.Outputs[o])
		f := function(c.Bits[b], features)
		var why *doubt
		for i := range doubts {
			if doubts[i].concerns(c.Bits[b], len(c.Features)) {
				why = &doubts[i]
				to.Unseen = append(to.Unseen, Unseen{name, why.always, why.reason})
				break
			}
		}
		if why != nil && why.always && calculated != nil {
			f = calculated[b]
		}
		to.Functions[o], done[o] = f, true
		if to.Support != nil && c.settled != nil && (why == nil || !why.always) {
			for i := range c.settled.Tables[b] {
				to.Support.Tables[o] = append(to.Support.Tables[o], c.ground(&c.settled.Tables[b][i], features, r))
			}
		}
	}
	return nil
}

// doubt is why no row stands for an output of some objects.
type doubt struct {
	feature int // -1 where it concerns all bits of the output
	always  bool
	reason  string
}

// concerns reports whether a bit with a given tree reads the doubtful feature.
func (d *doubt) concerns(n *Node, features int) bool {
	if d.feature < 0 {
		return true
	}
	return n.Reads(features)[d.feature]
}

// doubts compares the features of some objects with those of the rows; those that always
// hold come first.
func (c *Class) doubts(g *grounder, at []int, features []grounded, r *rules) ([]doubt, error) {
	read := make([]bool, len(features))
	for _, n := range c.Bits {
		n.reads(read)
	}
	out, err := c.lookupDoubts(g, at, func(fluent *Atom) bool { return c.readsFluent(read, fluent) })
	if err != nil {
		return nil, err
	}
	for i := range features {
		f, x := &c.Features[i], &features[i]
		lo, hi := r.span(x)
		concerned := i
		switch {
		case read[i]:
		case c.Features[i].Fixed():
			concerned = -1
		default:
			continue // only tests compare it
		}
		if !x.count {
			if !slices.Contains(f.Seen, x.value) {
				out = append(out, doubt{concerned, true, fmt.Sprintf("%s: %v, seen %s", f, x.value, list(f.Seen))})
			}
			continue
		}
		missing := 0
		for v := lo; v <= hi; v++ {
			if !slices.Contains(f.Seen, v) {
				missing++
			}
		}
		if missing > 0 {
			out = append(out, doubt{concerned, missing == int(hi-lo)+1, fmt.Sprintf("%s: %v..%v, seen %s", f, lo, hi, list(f.Seen))})
		}
	}
	for i := range c.Same {
		s := &c.Same[i]
		x, err := g.feature(&s.Feature, c.Types, at)
		if err != nil {
			return nil, err
		}
		if x.key() != features[s.As].key() {
			out = append(out, doubt{s.As, true, fmt.Sprintf("%s is not %s, as it was in all rows", &s.Feature, &c.Features[s.As])})
		}
	}
	var ordered []doubt
	for _, always := range []bool{true, false} {
		for _, d := range out {
			if d.always == always {
				ordered = append(ordered, d)
			}
		}
	}
	return ordered, nil
}

// readsFluent reports whether one of the marked features has a bit of a fluent.
func (c *Class) readsFluent(marked []bool, fluent *Atom) bool {
	for i := range c.Features {
		if marked[i] && slices.ContainsFunc(c.Features[i].Bits, func(l Literal) bool { return l.Atom.String() == fluent.String() }) {
			return true
		}
	}
	return false
}

// list writes values that were seen.
func list(values []float64) string {
	var parts []string
	for _, v := range values {
		parts = append(parts, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(parts, ", ")
}

const (
	tabled   = 10      // inputs of a function whose cells are listed
	maxCubes = 1 << 15 // of a function whose cells are not
)

// expander finds the cubes of a tree over grounded features.
type expander struct {
	tree     *Node
	features []grounded
	value    map[int]bool // the bits that are decided
	used     map[int]bool
	cubes    []decided
}

// decided is a cube: the bits that decide, and the value.
type decided struct {
	bits  map[int]bool
	value bool
}

// function is a tree over grounded features as a Boolean function of the network's inputs: by its cases, or where they are too many by comparisons of
// counts.
func function(tree *Node, features []grounded) (f synthesis.Function) {
	e := &expander{tree: tree, features: features, value: map[int]bool{}, used: map[int]bool{}}
	if !e.expand() || len(e.used) > synthesis.MaxInputs {
		return synthesis.Function{Form: tree.form(features)}
	}
	for b := range e.used {
		f.Inputs = append(f.Inputs, b)
	}
	slices.Sort(f.Inputs)
	if len(f.Inputs) <= tabled {
		e.table(&f)
		return f
	}
	for _, c := range e.cubes {
		var cube synthesis.Cube
		for i, b := range f.Inputs {
			if v, ok := c.bits[b]; ok {
				cube.Care |= 1 << i
				if v {
					cube.Value |= 1 << i
				}
			}
		}
		if c.value {
			f.On = append(f.On, cube)
		} else {
			f.Off = append(f.Off, cube)
		}
	}
	return f
}

// form is the tree as a formula: each test is whether a sum is 1 or more.
func (n *Node) form(features []grounded) *integers.Expr {
	number := func(v int) *integers.Expr { return &integers.Expr{Op: integers.Value, Constant: v} }
	if n.No == nil {
		return number(int(bit64(n.Value)))
	}
	sum := &integers.Expr{Op: integers.Sum}
	for i, term := range features[n.Feature].terms {
		all := &integers.Expr{Op: integers.If}
		for _, l := range term {
			x := &integers.Expr{Op: integers.Var, Variable: &integers.Variable{Bits: []int{l.bit}}}
			if l.neg {
				x = &integers.Expr{Op: integers.Is, Args: []*integers.Expr{x}}
			}
			all.Args = append(all.Args, x)
		}
		if len(term) == 1 {
			all = all.Args[0]
		} else {
			all.Args = append(all.Args, number(1), number(0))
		}
		sum.Args, sum.Weights = append(sum.Args, all), append(sum.Weights, int(features[n.Feature].weight(i)))
	}
	test := &integers.Expr{Op: integers.Mod, Args: []*integers.Expr{sum}, Constant: 2}
	if !n.Odd {
		sum.Constant = 1 - int(math.Ceil(n.AtLeast))
		low := &integers.Expr{Op: integers.Max, Args: []*integers.Expr{sum, number(0)}}
		test = &integers.Expr{Op: integers.Min, Args: []*integers.Expr{low, number(1)}}
	}
	if f := &features[n.Feature]; !f.count {
		test = number(int(bit64((&Test{AtLeast: n.AtLeast, Odd: n.Odd}).holds(f.value))))
	}
	return &integers.Expr{Op: integers.If, Args: []*integers.Expr{test, n.Yes.form(features), n.No.form(features)}}
}

// bit is the value of an input as span asks for it.
func (e *expander) bit(b int) int { return bitIn(e.value, b) }

func bitIn(known map[int]bool, b int) int {
	switch v, ok := known[b]; {
	case !ok:
		return 2
	case v:
		return 1
	}
	return 0
}

// walk follows the tree as far as the bits decide: to a leaf, or to a feature.
func (e *expander) walk() (value bool, feature int) {
	n := e.tree
	for n.No != nil {
		lo, hi := e.features[n.Feature].span(e.bit)
		yes := false
		switch {
		case n.Odd && lo == hi:
			yes = int64(lo)%2 == 1
		case n.Odd:
			return false, n.Feature
		case lo >= n.AtLeast:
			yes = true
		case hi >= n.AtLeast:
			return false, n.Feature
		}
		if yes {
			n = n.Yes
		} else {
			n = n.No
		}
	}
	return n.Value, -1
}

// expand decides bits until the tree has a value, both ways.
func (e *expander) expand() bool {
	value, feature := e.walk()
	if feature < 0 {
		bits := make(map[int]bool, len(e.value))
		for b, v := range e.value {
			bits[b] = v
		}
		e.cubes = append(e.cubes, decided{bits, value})
		return len(e.cubes) <= maxCubes
	}
	b := e.open(feature)
	e.used[b] = true
	for _, v := range []bool{false, true} {
		e.value[b] = v
		if !e.expand() {
			return false
		}
	}
	delete(e.value, b)
	return true
}

// open is a bit that is not decided and on which the value of a feature depends.
func (e *expander) open(feature int) int {
	for _, term := range e.features[feature].terms {
		first, dead := -1, false
		for _, l := range term {
			switch x := e.bit(l.bit); {
			case x == 2 && first < 0:
				first = l.bit
			case x != 2 && (x == 1) == l.neg:
				dead = true
			}
		}
		if first >= 0 && !dead {
			return first
		}
	}
	return -1
}

// table lists all cells, without the inputs on which the value does not depend.
func (e *expander) table(f *synthesis.Function) {
	at := func(inputs []int, v uint64) bool {
		clear(e.value)
		for _, b := range f.Inputs {
			e.value[b] = false
		}
		for i, b := range inputs {
			e.value[b] = v>>i&1 == 1
		}
		value, _ := e.walk()
		return value
	}
	all := f.Inputs
	var needed []int
	for i := range all {
		for v := range uint64(1) << len(all) {
			if v>>i&1 == 0 && at(all, v) != at(all, v|1<<i) {
				needed = append(needed, all[i])
				break
			}
		}
	}
	on, off := []synthesis.Cube(nil), []synthesis.Cube(nil)
	care := uint64(1)<<len(needed) - 1
	for v := range uint64(1) << len(needed) {
		if c := (synthesis.Cube{Care: care, Value: v}); at(needed, v) {
			on = append(on, c)
		} else {
			off = append(off, c)
		}
	}
	f.Inputs, f.On, f.Off = needed, on, off
}
