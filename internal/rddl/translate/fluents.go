package translate

import (
	"math"
	"math/bits"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/problem/factored"
)

// widthOf returns the number of bits of lo..hi, as package factored counts them.
func widthOf(lo, hi int64) int {
	if lo >= 0 {
		return bits.Len64(uint64(hi))
	}
	return 1 + max(bits.Len64(uint64(^lo)), bits.Len64(uint64(max(hi, 0))))
}

// declare adds the variables of actions and states.
func (c *compiler) declare() {
	c.variable = make([]int, len(c.g.Fluents))
	c.found = c.infer()
	for _, kind := range []ground.Kind{ground.Action, ground.State} {
		for i, f := range c.g.OfKind(kind) {
			v := factored.Variable{Name: f.Name, Kind: factored.State}
			if kind == ground.Action {
				v.Kind = factored.Action
			}
			switch f.Type {
			case ground.Bool:
				v.Bool = true
			case ground.Enum:
				v.Hi, v.View = int64(len(f.Values))-1, &factored.View{Names: f.Values}
			case ground.Int:
				r, ok := c.rangeOf(f)
				if !ok {
					r, ok = c.found.ranges[i]
				}
				if !ok {
					c.refuseAt(f.Pos, "%s is an integer without a range, and none follows from initial values, conditions and cpfs; expected --range %s=LO..HI, or a line in [ranges] of the task file", f.Base, f.Base)
				}
				v.Lo, v.Hi = r.Lo, r.Hi
			default:
				g, ok := c.found.grids[i]
				if r, given := c.rangeOf(f); given {
					g, ok = grid{base: whole(0), step: rat(f.Step), first: r.Lo, last: r.Hi}, true
				}
				switch {
				case !ok && f.Step.Valid():
					c.refuseAt(f.Pos, "%s is real without a range, and none follows from initial values, conditions and cpfs; expected --range '%s=LO..HI by %s', or a line in [ranges] of the task file", f.Base, f.Base, decimal(rat(f.Step)))
				case !ok:
					c.refuseAt(f.Pos, "%s is real, and no finite set of values follows from initial values, conditions and cpfs; expected --decimals N, which rounds it, or --range '%s=LO..HI by STEP'", f.Base, f.Base)
				}
				v.Lo, v.Hi, v.View = g.first, g.last, g.view()
				c.grids[i] = g
			}
			if kind == ground.Action {
				x, ok := c.index(i, simplest(f.Default)) // an action without one has 0, its first value
				if !ok {
					c.refuseAt(f.Pos, "the default of %s is not among its values", f.Name)
				}
				v.Default = x
			}
			id, err := c.p.AddVariable(v)
			if err != nil {
				c.refuseAt(f.Pos, "%v", err)
			}
			c.variable[i] = id
		}
	}
}

// rangeOf returns the declared range of a fluent: its own, or that of its base name. That of a real counts its steps.
func (c *compiler) rangeOf(f *ground.Fluent) (Range, bool) {
	r, ok := c.o.Ranges[f.Name]
	if !ok {
		r, ok = c.o.Ranges[f.Base]
	}
	if ok && f.Type == ground.Real && r.View == nil { // of an integer: it counts ones
		by := whole(1).div(rat(f.Step))
		r = Range{Lo: whole(r.Lo).mul(by).ceil(), Hi: whole(r.Hi).mul(by).floor()}
	}
	return r, ok
}

// stateBits returns the wires of a state or action fluent.
func (c *compiler) stateBits(k fluentKey) *vector {
	if v, ok := c.vectorsOf[k]; ok {
		return v
	}
	f := &c.g.Fluents[k>>1]
	if f.Kind == ground.Observ {
		c.refuse("%s is an observation; a plan knows states, actions and intermediate fluents", f.Name)
	}
	var r reach
	if f.Kind == ground.Action {
		r = onAction
	}
	if k&1 == 1 {
		r = onNext
	}
	v := c.vectorOf(&c.p.Variables[c.variable[k>>1]], k&1 == 1, r)
	c.vectorsOf[k] = v
	return v
}

// bitsOf returns the wires of any fluent that is not real; it compiles those of an
// intermediate fluent first.
func (c *compiler) bitsOf(k fluentKey) *vector {
	f := &c.g.Fluents[k>>1]
	if f.Kind != ground.Interm {
		return c.stateBits(k)
	}
	if v, ok := c.vectorsOf[k]; ok {
		return v
	}
	var v *vector
	if f.Type == ground.Bool {
		v = &vector{lits: []lit{c.intermBool(int(k >> 1))}, hi: 1}
	} else {
		n := c.intermNumber(int(k >> 1))
		back := c.enter(f.Name, f.CPF.Pos, f.Pos)
		v = c.withBits(n, f.Name)
		back()
	}
	c.vectorsOf[k] = v
	return v
}

// cpf returns the expression that computes fluent f within the step.
func (c *compiler) cpf(f int) *ground.Node { return c.g.Fluents[f].CPF }

func (c *compiler) boolRef(n *ground.Node) lit {
	f := &c.g.Fluents[n.Fluent]
	if f.Kind == ground.Interm {
		return c.intermBool(n.Fluent)
	}
	if f.Type != ground.Bool {
		return -c.isZero(0, c.fluentNumber(keyOf(n)))
	}
	return c.stateBits(keyOf(n)).lits[0]
}

func (c *compiler) numberRef(n *ground.Node) number {
	f := &c.g.Fluents[n.Fluent]
	if f.Kind != ground.Interm {
		return c.fluentNumber(keyOf(n))
	}
	if f.Type == ground.Real {
		return c.intermNumber(n.Fluent)
	}
	// Once it has bits, they are the shorter form.
	if v, ok := c.vectorsOf[keyOf(n)]; ok {
		return vectorNumber(v)
	}
	if c.compared[n.Fluent] {
		return vectorNumber(c.bitsOf(keyOf(n)))
	}
	return c.intermNumber(n.Fluent)
}

// intermBool is an intermediate condition.
func (c *compiler) intermBool(f int) lit {
	fl := &c.g.Fluents[f]
	defer c.enter(fl.Name, fl.CPF.Pos, fl.Pos)()
	return c.literal(0, fl.CPF)
}

// intermNumber is an intermediate number.
func (c *compiler) intermNumber(f int) number {
	fl := &c.g.Fluents[f]
	defer c.enter(fl.Name, fl.CPF.Pos, fl.Pos)()
	n := c.number(fl.CPF)
	if c.chained[f] {
		c.narrow(fl.CPF, &n)
	}
	if fl.Type == ground.Enum {
		n.lo, n.hi = n.lo.max(whole(0)), n.hi.min(whole(int64(len(fl.Values))-1))
	}
	return n
}

// certain returns the only possible value of a distribution. Within a table, s supplies the
// values.
func (c *compiler) certain(n *ground.Node, s *scene) *ground.Node {
	if n.Name == "Bernoulli" {
		p := n.Args[0]
		v := math.NaN()
		if s != nil {
			v = s.eval(p).asFloat()
		} else if p.Op == ground.Const {
			v = p.Val
		}
		if v == 0 || v == 1 {
			return &ground.Node{Op: ground.Const, Val: v, Pos: n.Pos}
		}
	}
	c.refuseAt(n.Pos, "%s is stochastic (%s) and not learned; expected a deterministic cpf, the fluent among the learned ones, --determinize most-likely, or plan --policy", c.what, n.Name)
	return nil
}

// nonDefault compiles the condition that an action fluent does not have its default value.
func (c *compiler) nonDefault(f int) lit {
	fl := &c.g.Fluents[f]
	n := c.fluentNumber(fluentKey(f) << 1)
	return -c.equalsConst(0, n, simplest(fl.Default))
}
