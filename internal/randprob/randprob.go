// Package randprob makes small random planning problems and solves them by exhaustive search,
// for tests that compare engines and files with the definitions of package factored. It
// shares no code with package model or any package above it.
package randprob

import (
	"fmt"
	"math/rand/v2"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Options bound the problems. A field that is 0 means its default.
type Options struct {
	StateBits   int // maximal number; default 6
	ActionBits  int // default 3
	Auxiliaries int // default 2
	Units       int // of a hidden layer; default 4
	Horizon     int // default 3
}

func (o Options) withDefaults() Options {
	set := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	set(&o.StateBits, 6)
	set(&o.ActionBits, 3)
	set(&o.Auxiliaries, 2)
	set(&o.Units, 4)
	set(&o.Horizon, 3)
	return o
}

// generator builds one problem.
type generator struct {
	*rand.Rand
	o       Options
	p       *factored.Problem
	states  []factored.Bit
	actions []factored.Bit
	aux     []factored.Bit
	unused  []factored.Bit // auxiliary bits that no constraint defines yet
	corner  corner
	special *rand.Rand // what only some problems have
}

// corner is what a problem in a corner of the definitions has.
type corner struct {
	noBits    bool // no state bits
	oneValued int  // so many variables of one value
	constants bool // a state bit that never changes
}

// corners decides about one problem in six. It draws from a source of its own, so that all other
// problems are as they would be without corners.
func (g *generator) corners(seed uint64) {
	g.special = rand.New(rand.NewPCG(seed, 0x66647001))
	switch g.special.IntN(18) {
	case 0:
		g.corner = corner{noBits: true, oneValued: g.special.IntN(3)}
	case 1:
		g.corner = corner{oneValued: 1 + g.special.IntN(2)}
	case 2:
		g.corner = corner{oneValued: g.special.IntN(2), constants: true}
	}
}

// New returns the problem determined by seed, the same on every machine. The network is nil
// if nothing is learned. About two thirds of the problems have a plan of the horizon. One in 18
// has no state bits; as many others have variables of one value, or bits that never change.
func New(seed uint64, o Options) (p *factored.Problem, net *bnn.Network, horizon int) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x66647000)), o: o.withDefaults()}
	g.corners(seed)
	g.p = factored.NewProblem(fmt.Sprintf("random %d", seed))
	g.variables()
	horizon = 1 + g.IntN(g.o.Horizon)
	net = g.network()
	g.transitions()
	g.globals()
	g.initial()
	g.goal()
	g.reward()
	return g.p, net, horizon
}

// chance returns true with probability percent/100.
func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](r interface{ IntN(int) int }, from []T) T { return from[r.IntN(len(from))] }

// variables declares the variables of all kinds in random order, so that bits
// and a model's numbers differ.
func (g *generator) variables() {
	left := [...]int{
		factored.State:     1 + g.IntN(g.o.StateBits),
		factored.Action:    1 + g.IntN(g.o.ActionBits),
		factored.Auxiliary: g.IntN(g.o.Auxiliaries + 1),
	}
	if g.chance(4) {
		left[factored.Action] = 0
	}
	if g.corner.noBits {
		left[factored.State] = 0
	}
	for _, v := range g.oneValued() {
		left[v.Kind] = max(left[v.Kind]-v.Width, 0)
	}
	for n := 0; left[0]+left[1]+left[2] > 0; n++ {
		kind := factored.Kind(g.IntN(3))
		if left[kind] == 0 {
			continue
		}
		v := factored.Variable{Name: fmt.Sprintf("%v-%d", kind, n), Kind: kind, Bool: true}
		if kind != factored.Auxiliary && g.chance(35) {
			v.Bool = false
			// Ranges of 1, 2 and 3 bits, as many as still fit.
			ranges := [][2]int64{{0, 1}, {-1, 0}, {0, 2}, {1, 3}, {-2, 1}, {-1, 1}, {0, 3}, {0, 5}, {-3, 3}, {-4, 2}, {2, 6}}
			r := pick(g, ranges[:[...]int{2, 7, 11}[min(left[kind], 3)-1]])
			v.Lo, v.Hi = r[0], r[1]
		}
		id, err := g.p.AddVariable(v)
		if err != nil {
			continue // cannot be: the names differ and the ranges are right
		}
		left[kind] -= g.p.Variables[id].Width
	}
	g.states, g.actions, g.aux = g.p.Bits(factored.State), g.p.Bits(factored.Action), g.p.Bits(factored.Auxiliary)
	g.unused = append(g.unused, g.aux...)
}

// oneValued declares the variables of one value: 0 and a name take no bit, other numbers take
// bits that are fixed by their range.
func (g *generator) oneValued() []factored.Variable {
	for n := range g.corner.oneValued {
		kind := factored.Kind(g.special.IntN(2))
		v := factored.Variable{Name: fmt.Sprintf("one-%v-%d", kind, n), Kind: kind}
		switch k := g.special.IntN(4); {
		case k == 0 && (kind == factored.Action || !g.corner.noBits):
			v.Lo = pick(g.special, []int64{-1, 1, 2, 3})
			v.Hi, v.Default = v.Lo, v.Lo
		case k == 1:
			v.View = &factored.View{Names: []string{"only"}}
		}
		if _, err := g.p.AddVariable(v); err != nil {
			continue // cannot be: the names differ and the ranges are right
		}
	}
	return g.p.Variables
}

// network learns some of the state bits.
func (g *generator) network() *bnn.Network {
	if g.chance(15) {
		return nil
	}
	for _, b := range g.states {
		if g.chance(55) {
			g.p.Outputs = append(g.p.Outputs, b)
		}
		if g.chance(75) {
			g.p.Inputs = append(g.p.Inputs, b)
		}
	}
	g.p.Inputs = append(g.p.Inputs, g.actions...)
	if len(g.p.Inputs) == 0 || len(g.p.Outputs) == 0 {
		g.p.Inputs, g.p.Outputs = nil, nil
		return nil
	}
	g.Shuffle(len(g.p.Inputs), func(i, j int) { g.p.Inputs[i], g.p.Inputs[j] = g.p.Inputs[j], g.p.Inputs[i] })
	g.Shuffle(len(g.p.Outputs), func(i, j int) { g.p.Outputs[i], g.p.Outputs[j] = g.p.Outputs[j], g.p.Outputs[i] })
	net := &bnn.Network{}
	inputs := len(g.p.Inputs)
	for range g.IntN(3) {
		net.Layers = append(net.Layers, g.layer(inputs, 1+g.IntN(g.o.Units)))
		inputs = net.Layers[len(net.Layers)-1].Units()
	}
	net.Layers = append(net.Layers, g.layer(inputs, len(g.p.Outputs)))
	return net
}

// layer draws ternary weights and thresholds, some of which make a unit
// constant.
func (g *generator) layer(inputs, units int) bnn.Layer {
	l := bnn.Layer{Inputs: inputs, Weights: make([]int8, inputs*units), Thresholds: make([]int32, units)}
	for i := range l.Weights {
		l.Weights[i] = int8(g.IntN(3) - 1)
	}
	for j := range l.Thresholds {
		n := l.FanIn(j)
		if g.chance(10) || n == 0 {
			l.Thresholds[j] = int32(g.IntN(n + 2))
		} else {
			l.Thresholds[j] = int32(1 + g.IntN(n))
		}
	}
	return l
}

// lit is a random literal of one of bits.
func (g *generator) lit(bits []factored.Bit) factored.Lit {
	return factored.Lit{Bit: pick(g, bits), Neg: g.chance(40)}
}

// transitions defines the state bits that are not learned.
func (g *generator) transitions() {
	done := make([]bool, g.p.NumBits())
	for _, b := range g.p.Outputs {
		done[b] = true
	}
	present := append(append([]factored.Bit{}, g.states...), g.actions...)
	for _, b := range g.states {
		if done[b] {
			continue
		}
		v, _ := g.p.Owner(b)
		next := factored.Lit{Bit: b, Next: true}
		switch {
		case g.corner.constants:
			g.corner.constants = false
			g.transition([]factored.Term{{Coef: 1, Lit: next}, {Coef: -1, Lit: factored.Lit{Bit: b}}}, factored.EQ, 0)
		case !v.Bool && g.chance(60) && g.count(v, done):
		case len(g.unused) > 0 && g.chance(60):
			g.xor(next, g.lit(present), g.lit(present))
		case g.chance(20): // open
		case g.chance(25): // half open
			g.transition([]factored.Term{{Coef: 1, Lit: next}, {Coef: -1, Lit: g.lit(present)}}, factored.LE, 0)
		default:
			g.transition([]factored.Term{{Coef: 1, Lit: next}, {Coef: -1, Lit: g.lit(present)}}, factored.EQ, 0)
		}
		done[b] = true
	}
	if g.chance(15) && len(g.states) > 0 {
		terms := g.terms(append(present, g.aux...), 2)
		terms = append(terms, factored.Term{Coef: 1, Lit: factored.Lit{Bit: pick(g, g.states), Next: true, Neg: g.chance(50)}})
		g.transition(terms, factored.LE, g.looseBound(terms))
	}
}

func (g *generator) transition(terms []factored.Term, op factored.Op, k int64) {
	g.p.Transition = append(g.p.Transition, factored.Constraint{Terms: terms, Op: op, K: k, Origin: "transition"})
}

// count makes the integer v grow or shrink with an action or another bit. It returns false if
// one of its bits is already defined.
func (g *generator) count(v *factored.Variable, done []bool) bool {
	var terms []factored.Term
	for i := range v.Width {
		b := v.First + factored.Bit(i)
		if done[b] {
			return false
		}
		terms = append(terms,
			factored.Term{Coef: v.Weight(i), Lit: factored.Lit{Bit: b, Next: true}},
			factored.Term{Coef: -v.Weight(i), Lit: factored.Lit{Bit: b}})
	}
	for range 1 + g.IntN(2) {
		from := g.actions
		if len(from) == 0 || g.chance(25) {
			from = g.states
		}
		terms = append(terms, factored.Term{Coef: pick(g, []int64{-1, 1, 1, 2}), Lit: g.lit(from)})
	}
	g.transition(terms, factored.EQ, int64(g.IntN(2)))
	for i := range v.Width {
		done[int(v.First)+i] = true
	}
	return true
}

// xor makes next the exclusive or of y and z, with an auxiliary variable for
// their conjunction.
func (g *generator) xor(next, y, z factored.Lit) {
	and := factored.Lit{Bit: g.unused[0]}
	g.unused = g.unused[1:]
	g.global([]factored.Term{{Coef: 1, Lit: and}, {Coef: -1, Lit: y}}, factored.LE, 0)
	g.global([]factored.Term{{Coef: 2, Lit: and}, {Coef: -2, Lit: z}}, factored.LE, 0)
	g.global([]factored.Term{{Coef: 1, Lit: y}, {Coef: 1, Lit: z}, {Coef: -1, Lit: and}}, factored.LE, 1)
	g.transition([]factored.Term{{Coef: 1, Lit: next}, {Coef: 2, Lit: and}, {Coef: -1, Lit: y}, {Coef: -1, Lit: z}}, factored.EQ, 0)
}

func (g *generator) global(terms []factored.Term, op factored.Op, k int64) {
	g.p.Global = append(g.p.Global, factored.Constraint{Terms: terms, Op: op, K: k, Origin: "global"})
}

// terms draws n summands, in which a bit may occur twice.
func (g *generator) terms(bits []factored.Bit, n int) []factored.Term {
	terms := make([]factored.Term, n)
	for i := range terms {
		terms[i] = factored.Term{Coef: pick(g, []int64{-3, -2, -1, -1, 1, 1, 1, 2, 3, 5}), Lit: g.lit(bits)}
	}
	return terms
}

// looseBound returns an upper bound that excludes at most the top of a sum's range.
func (g *generator) looseBound(terms []factored.Term) int64 {
	var most int64
	for _, t := range terms {
		most += max(t.Coef, 0)
	}
	return most - int64(g.IntN(3))
}

// constraint draws a linear constraint over bits. Most exclude little; a few are empty,
// always true, or equations.
func (g *generator) constraint(bits []factored.Bit, origin string) factored.Constraint {
	var terms []factored.Term
	if len(bits) > 0 {
		terms = g.terms(bits, 1+g.IntN(4))
	}
	c := factored.Constraint{Terms: terms, Op: factored.LE, K: g.looseBound(terms), Origin: origin}
	switch g.IntN(10) {
	case 0:
		c.Terms, c.K = nil, int64(g.IntN(2)) // 0 <= 0 or 1
	case 1:
		// An equation that at least one assignment satisfies.
		c.Op, c.K = factored.EQ, 0
		value := map[factored.Bit]bool{}
		for _, t := range terms {
			if _, ok := value[t.Lit.Bit]; !ok {
				value[t.Lit.Bit] = g.chance(50)
			}
			if value[t.Lit.Bit] != t.Lit.Neg {
				c.K += t.Coef
			}
		}
	case 2, 3, 4:
		// The same with the opposite sign.
		c.Op, c.K = factored.GE, -c.K
		for i := range c.Terms {
			c.Terms[i].Coef = -c.Terms[i].Coef
		}
	}
	return c
}

func (g *generator) globals() {
	stateOnly := append(append([]factored.Bit{}, g.states...), g.aux...)
	all := append(stateOnly, g.actions...)
	for range g.IntN(3) {
		from := all
		if g.chance(30) {
			from = stateOnly
		}
		g.p.Global = append(g.p.Global, g.constraint(from, "global"))
	}
	if g.chance(1) { // false for any values of the variables
		g.p.Global = append(g.p.Global, factored.Constraint{Op: factored.GE, K: 1, Origin: "nothing"})
	}
}

// initial sets most variables and leaves the rest open.
func (g *generator) initial() {
	for i := range g.p.Variables {
		v := &g.p.Variables[i]
		if v.Kind != factored.State || g.chance(25) {
			continue
		}
		x := v.Lo + g.Int64N(v.Hi-v.Lo+1)
		c := factored.Constraint{Op: factored.EQ, K: x, Origin: "initial"}
		for j := range v.Width {
			c.Terms = append(c.Terms, factored.Term{Coef: v.Weight(j), Lit: factored.Lit{Bit: v.First + factored.Bit(j)}})
		}
		g.p.Initial = append(g.p.Initial, c)
	}
	if g.chance(20) {
		g.p.Initial = append(g.p.Initial, g.constraint(g.states, "initial"))
	}
}

func (g *generator) goal() {
	bits := append(append([]factored.Bit{}, g.states...), g.aux...)
	for range g.IntN(3) {
		g.p.Goal = append(g.p.Goal, g.constraint(bits, "goal"))
	}
}

// reward draws a linear reward; sometimes there is none, or a constant only.
func (g *generator) reward() {
	r := &g.p.Reward
	r.Scale = pick(g, []int64{1, 1, 1, 2, 10, 1000})
	if g.chance(60) {
		r.Constant = int64(g.IntN(11) - 5)
	}
	if g.chance(8) {
		return
	}
	for range 1 + g.IntN(7) {
		t := factored.RewardTerm{Weight: int64(g.IntN(19) - 9)}
		switch {
		case len(g.aux) > 0 && g.chance(10):
			t.Lit = g.lit(g.aux)
		case len(g.actions) > 0 && g.chance(45):
			t.Lit = g.lit(g.actions)
		case len(g.states) == 0:
			continue
		default:
			t.Lit = g.lit(g.states)
			t.Lit.Next = g.chance(60)
		}
		r.Terms = append(r.Terms, t)
	}
}
