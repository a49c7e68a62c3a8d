package translate

import (
	"context"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// Range is the declared range of a number, inclusive.
type Range struct {
	Lo, Hi int64
	View   *factored.View // the step of a quantity of fixed decimals, in which Lo and Hi are counted; nil for an integer
}

// Step is the step of a quantity of fixed decimals; not a number for an integer.
func (r Range) Step() operator.Rat {
	if r.View == nil {
		return operator.Rat{}
	}
	return operator.Fraction(r.View.Num, r.View.Den)
}

// Bounds returns the bounds as numbers.
func (r Range) Bounds() (lo, hi float64) {
	step := 1.0
	if r.View != nil {
		step = r.Step().Float()
	}
	return operator.Multiple(float64(r.Lo), step), operator.Multiple(float64(r.Hi), step)
}

// Options contain what the RDDL does not express.
type Options struct {
	// Name of the problem; DOMAIN/INSTANCE of the RDDL when empty.
	Name string
	// Ranges of numbers, by base name (all fluents of that name) or by
	// grounded name.
	Ranges map[string]Range
	// Goal must hold at step H+1; nil for none.
	Goal *ground.Node
	// Learned lists the base names of the state fluents whose next value a network
	// determines; their cpfs are not compiled.
	Learned []string
	// Inputs lists what the network reads, in order: base names (all fluents of that name, in
	// grounding order) or grounded names. nil means all actions, then all states.
	Inputs []string
	// Chance leaves next values that are drawn at random open: Compiled.Outcomes has their
	// probabilities. Conditions, the goal and the reward must not read what else is drawn.
	Chance bool
	// IgnoreDiscount treats a discount other than 1 as 1.
	IgnoreDiscount bool
	// FreeSuccessors asks for the state invariants before each step only, so that
	// a step may lead to a state that breaks one.
	FreeSuccessors bool

	tableBits int // for tests: replaces the constant; negative for no tables
}

// Compiled is a factored problem with its relation to the RDDL fluents.
type Compiled struct {
	Problem *factored.Problem
	Ground  *ground.Problem

	variable []int        // of each state and action fluent, by its index
	grids    map[int]grid // of real fluents, by index
	found    inferred
}

// refusalText is thrown by arithmetic that does not know its position.
type refusalText string

// compiler holds one translation. Its methods throw *source.Error or
// refusalText; Problem catches them.
type compiler struct {
	ctx context.Context
	g   *ground.Problem
	o   Options
	p   *factored.Problem

	variable  []int // factored variable of each state and action fluent
	learned   []bool
	drawn     []bool // with Options.Chance: the fluents that draws decide
	rounds    bool   // numbers of more than 56 bits are known in floating point
	wires     []wire
	byBit     map[factored.Lit]lit
	gates     map[string]lit // by kind and inputs
	conjuncts map[lit][]lit  // inputs of the gates that are conjunctions
	vectors   map[string]*vector
	vectorsOf map[fluentKey]*vector
	literals  map[*ground.Node]lit
	numbers   map[*ground.Node]number
	sums      map[*ground.Node]bool // whether it contains a sum of many terms
	chained   []bool                // the intermediate fluents of chains
	compared  []bool                // those that are more than terms of sums
	reading   map[*ground.Node]bool // whether it reads one of them
	supports  [2]map[*ground.Node]*support
	hardness  map[*ground.Node]bool
	dividing  map[*ground.Node]bool
	leafKeys  map[*ground.Node]fluentKey
	leaves    []*leaf
	found     inferred
	grids     map[int]grid // of real fluents

	tableBits int
	rules     []rule // what tables may assume
	assuming  bool

	shown  bool   // auxiliary variables get their meaning: they are part of the reward or a condition
	what   string // the present construct, for names and messages
	origin string
	pos    ground.Pos
	serial map[string]int // number of auxiliary variables per what
}

// Problem compiles g. Errors are *source.Error at the place of what is refused, or that of the
// context when it ends.
func Problem(ctx context.Context, g *ground.Problem, o Options) (out *Compiled, err error) {
	c := &compiler{
		ctx: ctx, g: g, o: o, wires: make([]wire, 2), byBit: map[factored.Lit]lit{}, gates: map[string]lit{}, conjuncts: map[lit][]lit{},
		vectors: map[string]*vector{}, vectorsOf: map[fluentKey]*vector{},
		literals: map[*ground.Node]lit{}, numbers: map[*ground.Node]number{}, sums: map[*ground.Node]bool{}, reading: map[*ground.Node]bool{},
		supports: [2]map[*ground.Node]*support{{}, {}}, hardness: map[*ground.Node]bool{}, dividing: map[*ground.Node]bool{},
		leafKeys: map[*ground.Node]fluentKey{}, grids: map[int]grid{}, serial: map[string]int{}, what: "problem",
	}
	c.tableBits = tableBits
	if o.tableBits != 0 {
		c.tableBits = o.tableBits
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *source.Error:
			out, err = nil, r
		case ended:
			out, err = nil, r.error
		case refusalText:
			out, err = nil, source.Errorf(c.pos.File, c.pos.Line, c.pos.Col, "%s: %s", c.what, string(r))
		default:
			panic(r)
		}
	}()
	c.g = g.Nested()
	c.findChains(len(g.Fluents))
	name := o.Name
	if name == "" {
		name = g.Domain + "/" + g.Instance
	}
	c.p = factored.NewProblem(name)
	c.p.Horizon = g.Horizon
	if g.Discount != 1 && !o.IgnoreDiscount {
		var at rddl.Pos // unknown for a problem made by hand
		if prog := g.Program(); prog != nil {
			at = prog.Instance.DiscountPos
		}
		return nil, source.Errorf(at.File, at.Line, at.Col, "the discount of %s is %v; the reward of a plan is the plain sum, expected discount = 1.0 or --ignore-discount", name, g.Discount)
	}
	if err := c.checkOptions(); err != nil {
		return nil, err
	}
	c.declare()
	if err := c.network(); err != nil {
		return nil, err
	}
	c.initial()
	c.conditions()
	c.collectRules()
	c.transitions()
	c.reward()
	if err := c.p.Check(); err != nil {
		return nil, fmt.Errorf("compiling %s: %w", name, err)
	}
	return &Compiled{Problem: c.p, Ground: g, variable: c.variable, grids: c.grids, found: c.found}, nil
}

// ended is thrown when the context ends.
type ended struct{ error }

// refuseAt throws a refusal at a place or, without one, at the place of the present
// construct.
func (c *compiler) refuseAt(pos ground.Pos, format string, args ...any) {
	if pos.Line == 0 {
		pos = c.pos
	}
	panic(source.Errorf(pos.File, pos.Line, pos.Col, format, args...))
}

func (c *compiler) refuse(format string, args ...any) { c.refuseAt(c.pos, format, args...) }

// enter records the present construct and returns a function that restores the previous one.
func (c *compiler) enter(what string, places ...ground.Pos) (back func()) {
	if err := c.ctx.Err(); err != nil {
		panic(ended{err})
	}
	before := *c
	c.what = what
	for _, p := range places {
		if p.Line > 0 {
			c.pos = p
			break
		}
	}
	c.origin = what
	if c.pos.Line > 0 {
		c.origin = fmt.Sprintf("%s:%d %s", c.pos.File, c.pos.Line, what)
	}
	return func() {
		// Where it is deferred, a refusal gets its place, which is forgotten below.
		if r := recover(); r != nil {
			if text, ok := r.(refusalText); ok && c.pos.Line > 0 {
				r = source.Errorf(c.pos.File, c.pos.Line, c.pos.Col, "%s: %s", c.what, string(text))
			}
			panic(r)
		}
		c.what, c.origin, c.pos = before.what, before.origin, before.pos
	}
}

// checkOptions refuses names that do not exist.
func (c *compiler) checkOptions() error {
	for name, r := range c.o.Ranges {
		if r.Lo > r.Hi {
			return fmt.Errorf("the range %d..%d of %s is empty", r.Lo, r.Hi, name)
		}
		i := c.fluentsNamed(name)
		if len(i) == 0 {
			return fmt.Errorf("there is no fluent %s to have a range", name)
		}
		switch f := &c.g.Fluents[i[0]]; {
		case f.Type == ground.Real && f.Step.Valid():
		case f.Type != ground.Int:
			return fmt.Errorf("%s is neither an integer nor a real with a step and takes no range", name)
		case r.View != nil:
			return fmt.Errorf("%s is an integer and has no step of %s", name, r.Step())
		}
	}
	for _, name := range c.o.Learned {
		ok := slices.ContainsFunc(c.g.Fluents, func(f ground.Fluent) bool { return f.Base == name && f.Kind == ground.State })
		if !ok {
			return fmt.Errorf("there is no state fluent %s to be learned", name)
		}
	}
	return nil
}

// fluentsNamed lists the fluents with a base name or a grounded name.
func (c *compiler) fluentsNamed(name string) []int {
	var out []int
	for i := range c.g.Fluents {
		if f := &c.g.Fluents[i]; f.Base == name || f.Name == name || factored.Canonical(name) == f.Name {
			out = append(out, i)
		}
	}
	return out
}

// network lists the bits that the network determines and reads.
func (c *compiler) network() error {
	c.learned, c.drawn = make([]bool, len(c.g.Fluents)), make([]bool, len(c.g.Fluents))
	if c.o.Chance {
		_, random := c.g.Groups()
		for _, g := range random {
			for _, i := range g.Fluents {
				c.drawn[i] = true
			}
		}
	}
	bits := func(i int) []factored.Bit { return c.p.Variables[c.variable[i]].Bits() }
	for i := range c.g.Fluents {
		f := &c.g.Fluents[i]
		if f.Kind == ground.State && slices.Contains(c.o.Learned, f.Base) {
			c.learned[i] = true
			c.p.Outputs = append(c.p.Outputs, bits(i)...)
		}
	}
	if len(c.p.Outputs) == 0 {
		return nil
	}
	if c.o.Inputs == nil {
		c.p.Inputs = append(c.p.Bits(factored.Action), c.p.Bits(factored.State)...)
	}
	seen := map[int]bool{}
	for _, name := range c.o.Inputs {
		found := c.fluentsNamed(name)
		if len(found) == 0 {
			return fmt.Errorf("there is no fluent %s for the network to read", name)
		}
		for _, i := range found {
			if k := c.g.Fluents[i].Kind; k != ground.State && k != ground.Action {
				return fmt.Errorf("%s is neither state nor action; the network cannot read it", name)
			}
			if seen[i] {
				return fmt.Errorf("the network reads %s twice", c.g.Fluents[i].Name)
			}
			seen[i] = true
			c.p.Inputs = append(c.p.Inputs, bits(i)...)
		}
	}
	return nil
}
