package translate

import (
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// leaf is a part of an expression that a table reads as a whole: a condition or a linear
// number, whose few values stand for many bits. Row value z of the vector means base + z*step.
type leaf struct {
	vec        *vector
	base, step rat
}

// leafKey is the key of a leaf; those of fluents are not negative.
func leafKey(id int) fluentKey { return fluentKey(-1 - id) }

// value returns the value of the part when the leaf's vector has the value z.
func (l *leaf) value(z int64) value { return exact(l.base.add(l.step.mul(whole(z)))) }

// hard reports whether n contains an operation that only a table compiles: a function
// without rational values, a power or a quotient whose second argument is not constant.
func (c *compiler) hard(n *ground.Node) bool {
	if h, ok := c.hardness[n]; ok {
		return h
	}
	h := false
	switch {
	case n.Op == ground.Div:
		h = n.Args[1].Op != ground.Const
	case n.Op == ground.Ref && c.g.Fluents[n.Fluent].Kind == ground.Interm && c.g.Fluents[n.Fluent].Type == ground.Real:
		h = c.hard(c.cpf(n.Fluent))
	case n.Op == ground.Func:
		o := n.Operator()
		h = o.Exact == nil || o.Max == 2 && n.Args[1].Op != ground.Const
	}
	for _, a := range n.Args {
		h = h || a != nil && c.hard(a)
	}
	c.hardness[n] = h
	return h
}

// leafSupport is supportOf for a hard expression that reads too many bits: parts of it that
// are compiled by themselves count as leaves if they have fewer bits than what they read.
func (c *compiler) leafSupport(n *ground.Node) *support {
	s := &support{size: 1}
	for _, a := range n.Args {
		if a == nil {
			continue
		}
		part := c.supportOf(a, false)
		switch {
		case c.hard(a):
			part = c.leafSupport(a)
		case part.over || len(part.keys) > 1:
			if l := c.leafOf(a); l != nil && (part.over || len(l.vec.lits) < part.bits) {
				part = &support{keys: []fluentKey{c.leafKeys[a]}, bits: len(l.vec.lits), size: 1}
			}
		}
		s.merge(c, part)
	}
	if n.Op == ground.Ref {
		return c.leafSupport(c.cpf(n.Fluent)) // of a real intermediate fluent, since n is hard
	}
	s.over = s.over || s.bits > c.tableBits || s.size > tableWork
	return s
}

// leafOf makes a leaf of a part that is not hard; nil if it has too many values for a table.
func (c *compiler) leafOf(n *ground.Node) *leaf {
	if k, ok := c.leafKeys[n]; ok {
		return c.leaves[-1-k]
	}
	l := &leaf{base: whole(0), step: whole(1)}
	if n.Type == ground.Bool {
		l.vec = &vector{lits: []lit{c.literal(0, n)}, hi: 1}
	} else {
		x := c.number(n)
		terms, _, scale := x.scaled()
		var g int64
		for _, t := range terms {
			g = integer.GCD(g, t.coef)
		}
		l.base, l.step = x.lo, fraction(max(g, 1), scale)
		// The bounds of a sum may lie between its values.
		z := constant(whole(0)).plus(x.plus(constant(x.k), whole(-1)), whole(1).div(l.step))
		low := z.lo.ceil()
		l.base = x.k.add(l.step.mul(whole(low)))
		z = z.plus(constant(whole(low)), whole(-1))
		if widthOf(z.lo.ceil(), z.hi.floor()) > c.tableBits {
			return nil
		}
		l.vec = c.withBits(z, "")
	}
	c.leafKeys[n] = leafKey(len(c.leaves))
	c.leaves = append(c.leaves, l)
	return l
}

// keyVector returns the bits behind a key.
func (c *compiler) keyVector(k fluentKey) *vector {
	if k < 0 {
		return c.leaves[-1-k].vec
	}
	return c.bitsOf(k)
}

// keyValue returns the value of a key's fluent or leaf when its bits have the value z.
func (c *compiler) keyValue(k fluentKey, z int64) value {
	if k < 0 {
		return c.leaves[-1-k].value(z)
	}
	if g, ok := c.grids[int(k>>1)]; ok {
		return exact(g.at(z))
	}
	return exact(whole(z))
}

// leaves reports whether one of the keys is a leaf.
func (s *support) leaves() bool {
	return slices.ContainsFunc(s.keys, func(k fluentKey) bool { return k < 0 })
}
