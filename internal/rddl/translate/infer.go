package translate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/operator"
)

// Limits of the inference of ranges. Beyond them a range must be given.
const (
	inferRounds = 1000
	inferWork   = 3_000_000
)

// inference finds ranges of integer fluents, and values of real ones, that contain all values
// in legal states: a least fixpoint of domains. It starts from the initial values and adds
// what the cpfs can make of legal states under legal actions, until nothing is added. The
// domains of integers are intervals and those of reals are grids, so that the result holds from
// any initial state within it. There is no widening: domains that grow without end, or for
// longer than the limits, are not found.
type inference struct {
	ctx     context.Context
	g       *ground.Problem
	c       *compiler // for the values of functions
	o       *Options
	domains []domain      // by fluent
	known   map[int]Range // of integers
	grows   []int         // state fluents whose domains are sought
	about   map[*ground.Node]bool
	steps   int
}

// inferred are the results, by fluent.
type inferred struct {
	ranges map[int]Range // of integers
	grids  map[int]grid  // of reals
}

// Values are what is known of the values of numeric fluents, by their indices.
type Values inferred

// Infer finds the values that integer and real fluents of g, which may draw at random, have in
// legal steps, if no range is given by o. It stops early when the context ends.
func Infer(ctx context.Context, g *ground.Problem, o Options) (v *Values, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(ended)
			if !ok {
				panic(r)
			}
			err = e.error
		}
	}()
	out := (&compiler{ctx: ctx, g: g, o: o}).infer()
	return (*Values)(&out), nil
}

// Range returns the range of an integer.
func (v *Values) Range(fluent int) (r Range, ok bool) {
	r, ok = v.ranges[fluent]
	return r, ok
}

// Reals returns the values of a real in ascending order; nil if they are not known.
func (v *Values) Reals(fluent int) []float64 {
	g, ok := v.grids[fluent]
	if !ok {
		return nil
	}
	out := make([]float64, 0, g.last-g.first+1)
	for _, x := range g.values() {
		out = append(out, x.float())
	}
	return out
}

// noRange is thrown when a limit is reached.
type noRange struct{}

func (in *inference) work() {
	if in.steps++; in.steps > inferWork {
		panic(noRange{})
	}
	if in.steps%4096 == 0 {
		if err := in.ctx.Err(); err != nil {
			panic(ended{err})
		}
	}
}

// infer finds what declare needs and the options lack. For a determinised problem, what the
// random one can reach is covered if that is finite.
func (c *compiler) infer() inferred {
	if c.complete(&inferred{}) {
		return inferred{}
	}
	if c.g.Origin != nil {
		if out := c.inferFor(c.g.Origin.Problem); c.complete(&out) {
			return out
		}
	}
	return c.inferFor(c.g)
}

// legalDomains returns the domains of legal states and actions of a problem whose variables are declared; nil if there
// are none.
func (c *compiler) legalDomains() *abstract {
	in := &inference{ctx: c.ctx, g: c.g, c: &compiler{what: "inference"}, o: &c.o, known: map[int]Range{}, about: map[*ground.Node]bool{}}
	for i := range c.g.Fluents {
		d := in.unknown(i)
		if k := c.g.Fluents[i].Kind; k == ground.State || k == ground.Action {
			v := &c.p.Variables[c.variable[i]]
			if g, ok := c.grids[i]; ok && c.g.Fluents[i].Step.Valid() {
				d = in.stepped(i, g.first, g.last)
			} else if ok {
				d = g.domain()
			} else {
				d = between(float64(v.Lo), float64(v.Hi), true)
			}
		}
		in.domains = append(in.domains, d)
	}
	return in.legal(true)
}

func (c *compiler) complete(found *inferred) bool {
	for i := range c.g.Fluents {
		f := &c.g.Fluents[i]
		if f.Kind != ground.State && f.Kind != ground.Action {
			continue
		}
		_, known := c.rangeOf(f)
		_, ranged := found.ranges[i]
		_, listed := found.grids[i]
		if f.Type == ground.Int && !known && !ranged || f.Type == ground.Real && !known && !listed {
			return false
		}
	}
	return true
}

func (c *compiler) inferFor(g *ground.Problem) (out inferred) {
	in := &inference{ctx: c.ctx, g: g, c: &compiler{what: "inference"}, o: &c.o, known: map[int]Range{}, about: map[*ground.Node]bool{}}
	out = inferred{ranges: map[int]Range{}, grids: map[int]grid{}}
	for i := range g.Fluents {
		if r, ok := c.rangeOf(&g.Fluents[i]); ok && (g.Fluents[i].Type == ground.Int || g.Fluents[i].Step.Valid()) {
			in.known[i] = r
		}
	}
	defer func() {
		switch r := recover().(type) {
		case nil, noRange, refusalText:
		default:
			panic(r)
		}
	}()
	in.start()
	if actions := in.fixpoint(); actions != nil {
		in.results(actions, &out)
	}
	if len(c.o.Learned) > 0 { // networks read and give integers
		clear(out.grids)
	}
	return out
}

// start sets the domains of the initial state and of unrestricted actions.
func (in *inference) start() {
	in.domains = make([]domain, len(in.g.Fluents))
	for i := range in.g.Fluents {
		f := &in.g.Fluents[i]
		in.domains[i] = in.unknown(i)
		if _, ok := in.known[i]; ok {
			continue
		}
		if (f.Type == ground.Int || f.Type == ground.Real) && f.Kind == ground.State && !in.learned(i) {
			in.grows = append(in.grows, i)
			in.domains[i] = setDomain([]rat{simplest(f.Initial)})
		}
	}
}

// unknown is the domain of a fluent's type.
func (in *inference) unknown(i int) domain {
	f := &in.g.Fluents[i]
	r, known := in.known[i]
	switch {
	case f.Type == ground.Bool:
		return someBool
	case f.Type == ground.Enum:
		return between(0, float64(len(f.Values)-1), true)
	case known && f.Type == ground.Int:
		return between(float64(r.Lo), float64(r.Hi), true)
	case known:
		return in.stepped(i, r.Lo, r.Hi)
	case f.Type == ground.Int:
		return domainOf(operator.Integers)
	}
	return anything
}

func (in *inference) learned(i int) bool {
	return slices.Contains(in.o.Learned, in.g.Fluents[i].Base)
}

// relevant reports whether n depends on numbers: on fluents whose domains say more than their
// type does.
func (in *inference) relevant(n *ground.Node) bool {
	if r, ok := in.about[n]; ok {
		return r
	}
	in.about[n] = false
	r := false
	if n.Op == ground.Ref {
		f := &in.g.Fluents[n.Fluent]
		r = f.Type == ground.Int || f.Type == ground.Real
		if f.CPF != nil && (f.Kind != ground.State || n.Primed) {
			r = r || in.relevant(f.CPF)
		}
	}
	for _, a := range n.Args {
		r = r || a != nil && in.relevant(a)
	}
	in.about[n] = r
	return r
}

// legal returns the domains of legal states, or, with actions, of legal states and actions; nil
// if there are none.
func (in *inference) legal(actions bool) *abstract {
	a := &abstract{in: in, vals: map[int]domain{}, memo: map[*ground.Node]domain{}}
	var groups [][]ground.Condition
	if !in.o.FreeSuccessors || actions {
		groups = append(groups, in.g.Invariants)
	}
	if actions {
		groups = append(groups, in.g.Preconditions)
	}
	// What a later condition finds may tell more through an earlier one.
	for range 2 {
		for _, list := range groups {
			for i := range list {
				if !a.refine(list[i].Expr, true) {
					return nil
				}
			}
		}
	}
	return a
}

// fixpoint grows the domains until no step leaves them. It returns the legal actions then; nil
// if there is no end.
func (in *inference) fixpoint() *abstract {
	for _, i := range in.grows {
		in.domains[i] = in.closed(i, in.domains[i])
	}
	for round := range inferRounds {
		now := in.legal(true)
		if now == nil { // no step is possible
			now = &abstract{in: in, vals: map[int]domain{}, memo: map[*ground.Node]domain{}}
			for i := range in.g.OfKind(ground.Action) {
				now.vals[i] = empty
			}
			return now
		}
		before := slices.Clone(in.domains)
		grown := make([]domain, len(in.grows))
		for k, i := range in.grows {
			f := &in.g.Fluents[i]
			if f.CPF == nil {
				return nil
			}
			grown[k] = now.eval(f.CPF)
		}
		in.addLegal(grown)
		changed := false
		for _, i := range in.grows {
			if in.domains[i].same(&before[i]) {
				continue
			}
			changed = true
			if round > inferRounds/2 { // others may depend on it little
				in.domains[i] = in.top(i)
			}
		}
		if !changed {
			return now
		}
	}
	return nil
}

// addLegal adds next values to the domains, as far as the invariants allow them.
func (in *inference) addLegal(next []domain) {
	before := slices.Clone(in.domains)
	for k, i := range in.grows {
		in.domains[i] = before[i].join(next[k])
	}
	after := in.legal(false)
	for k, i := range in.grows {
		d := before[i]
		if after != nil {
			d = d.join(next[k].meet(after.of(i)))
		}
		in.domains[i] = in.closed(i, d)
	}
}

// closed fills the gaps of a domain, so that it is what a variable can represent.
func (in *inference) closed(i int, d domain) domain {
	if in.g.Fluents[i].Type == ground.Int {
		if d = between(d.lo, d.hi, true); d.lo < -mostEdge || d.hi > mostEdge {
			return in.top(i)
		}
		return d
	}
	if g, ok := in.gridWithin(i, d); ok {
		return in.stepped(i, g.first, g.last)
	}
	values, ok := d.listed()
	if !ok || in.g.Fluents[i].Step.Valid() {
		return in.top(i)
	}
	g, ok := gridOf(values)
	if !ok {
		return in.top(i)
	}
	return g.domain()
}

// stepped is the domain of lo..hi steps of a real.
func (in *inference) stepped(i int, lo, hi int64) domain {
	g := grid{base: whole(0), step: rat(in.g.Fluents[i].Step), first: lo, last: hi}
	return domain{lo: below(g.at(lo)), hi: above(g.at(hi))}
}

// gridWithin returns the steps of a real that lie in a domain; ok is false for a fluent without a step, or a domain
// without bounds.
func (in *inference) gridWithin(i int, d domain) (g grid, ok bool) {
	s := in.g.Fluents[i].Step
	if !s.Valid() || !d.finite() || d.isEmpty() {
		return g, false
	}
	lo, hi := d.lo/s.Float(), d.hi/s.Float()
	if math.Abs(lo) > mostEdge || math.Abs(hi) > mostEdge {
		return g, false
	}
	g = grid{base: whole(0), step: rat(s)}
	g.first, g.last = int64(math.Ceil(operator.Near(lo, math.Round(lo)))), int64(math.Floor(operator.Near(hi, math.Round(hi))))
	return g, g.first <= g.last
}

// top is the domain of a fluent for which none is found.
func (in *inference) top(i int) domain {
	if in.g.Fluents[i].Type == ground.Int {
		return domainOf(operator.Integers)
	}
	return anything
}

// results collects what is finite.
func (in *inference) results(now *abstract, out *inferred) {
	add := func(i int, d domain) {
		if d.finite() && d.lo >= -mostEdge && d.hi <= mostEdge {
			out.ranges[i] = Range{Lo: int64(math.Ceil(d.lo)), Hi: int64(math.Floor(d.hi))}
		}
	}
	addReal := func(i int, d domain) {
		g, ok := in.gridWithin(i, d)
		if !ok && !in.g.Fluents[i].Step.Valid() {
			var values []rat
			if values, ok = d.listed(); ok {
				g, ok = gridOf(values)
			}
		}
		if ok {
			out.grids[i] = g
		}
	}
	for _, i := range in.grows {
		if in.g.Fluents[i].Type == ground.Int {
			add(i, in.domains[i])
		} else {
			addReal(i, in.domains[i])
		}
	}
	for i := range in.g.Fluents {
		f := &in.g.Fluents[i]
		if _, known := in.known[i]; known || f.Kind != ground.Action {
			continue
		}
		d := now.of(i).join(setDomain([]rat{simplest(f.Default)}))
		switch f.Type {
		case ground.Int:
			add(i, d)
		case ground.Real:
			addReal(i, d)
		}
	}
}

// String is for messages and tests.
func (g grid) String() string {
	return fmt.Sprintf("%v..%v step %v", g.at(g.first), g.at(g.last), g.step)
}
