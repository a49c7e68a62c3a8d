package ground

import (
	"context"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/source"
)

// builder makes nodes. It folds constants, and makes one node for equal expressions at one
// place of the source. It keeps the first error; later nodes are meaningless and cheap.
type builder struct {
	// The classes made so far, by number: the first node of each, and the previous class of
	// the same hash. Class 0 means none. heads has the last class of a hash. Problems can be
	// large, so the map contains no pointers and each node costs one lookup.
	first  []*Node
	before []int32
	heads  map[uint64]int32
	moved  map[nodeKey]*Node // nodes whose position is not that of their class's first

	made, limit int
	decl        Pos    // of the declaration being grounded, for the limit's message
	declName    string // what it declares

	// guards counts the conditions on fluents under which the present expression is evaluated
	// at all.
	guards int
	plain  bool            // no folding; for tests that compare both
	ctx    context.Context // ends the grounding
	err    error
}

// nodeKey includes the position, so that a node always has the position that messages need.
type nodeKey struct {
	class int32
	pos   Pos
}

func newBuilder(ctx context.Context, limit int) *builder {
	return &builder{ctx: ctx, first: make([]*Node, 1), before: make([]int32, 1), heads: map[uint64]int32{}, moved: map[nodeKey]*Node{}, limit: limit}
}

// fail records the first error.
func (b *builder) fail(pos Pos, format string, args ...any) {
	if b.err == nil {
		b.err = source.Errorf(pos.File, pos.Line, pos.Col, format, args...)
	}
}

// fault reports a failed evaluation. It is an error if every evaluation would meet it;
// otherwise it may never happen and is left in place.
func (b *builder) fault(pos Pos, format string, args ...any) {
	if b.guards == 0 && !b.plain {
		b.fail(pos, format, args...)
	}
}

// intern returns the node equal to n, which is n itself if it is the first. Two nodes have
// the same class exactly if they differ in positions at most; every draw has a class of its
// own.
func (b *builder) intern(n Node) *Node {
	h := hash(&n)
	if n.Op != Random {
		for c := b.heads[h]; c != 0; c = b.before[c] {
			if !equal(b.first[c], &n) {
				continue
			}
			if b.first[c].Pos == n.Pos {
				return b.first[c]
			}
			key := nodeKey{c, n.Pos}
			if old := b.moved[key]; old != nil {
				return old
			}
			n.class = c
			kept := b.keep(n)
			b.moved[key] = kept
			return kept
		}
	}
	n.class = int32(len(b.first))
	kept := b.keep(n)
	b.first = append(b.first, kept)
	b.before = append(b.before, b.heads[h])
	if n.Op == Random {
		b.before[n.class] = 0
	} else {
		b.heads[h] = n.class
	}
	return kept
}

// keep makes a new node.
func (b *builder) keep(n Node) *Node {
	b.made++
	if b.made > b.limit {
		b.fail(b.decl, "%s grows beyond %d nodes of grounded expressions, the most that are supported; expected fewer objects or fewer nested quantifiers", b.declName, b.limit)
	}
	kept := new(Node)
	*kept = n
	return kept
}

// hash covers the fields that equal compares.
func hash(n *Node) uint64 {
	h := uint64(n.Op)<<8 | uint64(n.Type)
	mix := func(x uint64) {
		h = (h ^ x) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	switch n.Op {
	case Const:
		mix(math.Float64bits(n.Val))
	case Ref:
		mix(uint64(n.Fluent)<<1 | uint64(btoi(n.Primed)))
	case Func:
		for i := range len(n.Name) {
			mix(uint64(n.Name[i]))
		}
	}
	for _, a := range n.Args {
		if a != nil {
			mix(uint64(a.class))
		} else {
			mix(0)
		}
	}
	return h
}

func equal(x, y *Node) bool {
	if x.Op != y.Op || x.Type != y.Type || x.Fluent != y.Fluent || x.Primed != y.Primed || x.Name != y.Name ||
		len(x.Args) != len(y.Args) || math.Float64bits(x.Val) != math.Float64bits(y.Val) {
		return false
	}
	if x.Op == Const && x.Type == Enum && !sameValues(x.Values, y.Values) {
		return false
	}
	for i, a := range x.Args {
		if c := y.Args[i]; a != c && (a == nil || c == nil || a.class != c.class) {
			return false
		}
	}
	return true
}

func (b *builder) boolean(pos Pos, v bool) *Node {
	n := Node{Op: Const, Type: Bool, Pos: pos}
	if v {
		n.Val = 1
	}
	return b.intern(n)
}

// maxExact bounds the integers that are all exact in floating point.
const maxExact = 1 << 53

func (b *builder) number(pos Pos, t Type, v float64) *Node {
	if t == Bool {
		t = Int
	}
	if math.IsNaN(v) {
		b.fault(pos, "this has no value: not a number")
	}
	if t == Int && math.Abs(v) > maxExact && !math.IsInf(v, 0) {
		b.fail(pos, "the integer %v is beyond 2^53, where integers are no longer exact", v)
	}
	return b.intern(Node{Op: Const, Type: t, Val: v + 0, Pos: pos})
}

func (b *builder) value(pos Pos, values []string, i int) *Node {
	return b.intern(Node{Op: Const, Type: Enum, Val: float64(i), Values: values, Pos: pos})
}

// op makes an operation without folding.
func (b *builder) op(op Op, t Type, pos Pos, args ...*Node) *Node {
	return b.intern(Node{Op: op, Type: t, Args: args, Pos: pos})
}

// IsConst reports whether n is the constant v.
func (n *Node) IsConst(v float64) bool { return n.Op == Const && n.Val == v }

func isConst(n *Node) bool { return n.Op == Const }

func allConst(args []*Node) bool {
	return !slices.ContainsFunc(args, func(a *Node) bool { return a == nil || a.Op != Const })
}

// numeric returns the type of a sum or product of args.
func numeric(args ...*Node) Type {
	for _, a := range args {
		if a.Type == Real {
			return Real
		}
	}
	return Int
}

// common returns the type of an expression that is one of a and b.
func common(x, y *Node) Type {
	if x.Type == y.Type {
		return x.Type
	}
	return numeric(x, y)
}

// sameValues compares lists of values. Equal lists come from the same table, so their
// addresses suffice.
func sameValues(x, y []string) bool {
	return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
}
