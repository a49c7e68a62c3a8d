package ground

import (
	"cmp"
	"math"
)

// not folds double negation and reverses comparisons.
func (b *builder) not(pos Pos, x *Node) *Node {
	if b.plain {
		return b.op(Not, Bool, pos, x)
	}
	switch x.Op {
	case Const:
		return b.boolean(pos, x.Val == 0)
	case Not:
		return x.Args[0]
	case Eq, Ne, Lt, Le, Gt, Ge:
		return b.op(x.Op.Opposite(), Bool, pos, x.Args...)
	}
	return b.op(Not, Bool, pos, x)
}

// and and or differ in the constant that decides them.
func (b *builder) and(pos Pos, args ...*Node) *Node { return b.junction(And, pos, args) }
func (b *builder) or(pos Pos, args ...*Node) *Node  { return b.junction(Or, pos, args) }

// junction flattens nested junctions and drops neutral and duplicate arguments. It folds to
// the deciding constant if that, or an argument together with its negation, occurs.
func (b *builder) junction(op Op, pos Pos, args []*Node) *Node {
	if b.plain {
		return b.op(op, Bool, pos, args...)
	}
	settled := op == Or
	f := flattener{op: op}
	for _, a := range args {
		if !f.add(a) {
			return b.boolean(pos, settled)
		}
	}
	switch len(f.args) {
	case 0:
		return b.boolean(pos, !settled)
	case 1:
		return f.args[0]
	}
	return b.op(op, Bool, pos, f.args...)
}

// flattener collects the arguments of a junction, each once.
type flattener struct {
	op   Op
	args []*Node
	// seen contains the classes of arguments, negated for arguments that are negations.
	// Junctions of few arguments need no map.
	seen map[int32]bool
}

// has reports whether an argument of class c was collected; -c is its negation.
func (f *flattener) has(c int32) bool {
	if f.seen != nil {
		return f.seen[c]
	}
	for _, a := range f.args {
		if a.class == c || a.Op == Not && -a.Args[0].class == c {
			return true
		}
	}
	return false
}

// add collects a, and reports whether the junction is still open: false if a
// decides it.
func (f *flattener) add(a *Node) bool {
	switch {
	case a.Op == Const:
		return (a.Val != 0) == (f.op == And)
	case a.Op == f.op:
		for _, x := range a.Args {
			if !f.add(x) {
				return false
			}
		}
		return true
	case f.has(a.class):
		return true
	case f.has(-a.class) || a.Op == Not && f.has(a.Args[0].class):
		return false
	}
	f.args = append(f.args, a)
	if f.seen == nil && len(f.args) > 16 {
		f.seen = make(map[int32]bool, 2*len(f.args))
		for _, x := range f.args {
			remember(f.seen, x)
		}
	} else if f.seen != nil {
		remember(f.seen, a)
	}
	return true
}

func remember(seen map[int32]bool, a *Node) {
	seen[a.class] = true
	if a.Op == Not {
		seen[-a.Args[0].class] = true
	}
}

func (b *builder) implies(pos Pos, x, y *Node) *Node {
	switch {
	case b.plain:
	case x.IsConst(1):
		return y
	case x.IsConst(0) || y.IsConst(1) || x.class == y.class:
		return b.boolean(pos, true)
	case y.IsConst(0):
		return b.not(pos, x)
	}
	return b.op(Implies, Bool, pos, x, y)
}

func (b *builder) iff(pos Pos, x, y *Node) *Node {
	switch {
	case b.plain:
	case x.class == y.class:
		return b.boolean(pos, true)
	case isConst(x) && isConst(y):
		return b.boolean(pos, x.Val == y.Val)
	case x.IsConst(1):
		return y
	case y.IsConst(1):
		return x
	case x.IsConst(0):
		return b.not(pos, y)
	case y.IsConst(0):
		return b.not(pos, x)
	}
	return b.op(Iff, Bool, pos, x, y)
}

func compare(op Op, x, y float64) bool { return op.Relation().Holds(cmp.Compare(x, y)) }

// compare builds x op y for one of the six relations.
func (b *builder) compare(op Op, pos Pos, x, y *Node) *Node {
	if b.plain {
		return b.op(op, Bool, pos, x, y)
	}
	if x.class == y.class {
		return b.boolean(pos, op == Eq || op == Le || op == Ge)
	}
	if x.Type == Bool && y.Type == Bool && (op == Eq || op == Ne) {
		if op == Eq {
			return b.iff(pos, x, y)
		}
		return b.not(pos, b.iff(pos, x, y))
	}
	if isConst(x) && !isConst(y) {
		op, x, y = op.Mirrored(), y, x
	}
	if !isConst(y) {
		return b.op(op, Bool, pos, x, y)
	}
	switch {
	case isConst(x):
		return b.boolean(pos, compare(op, x.Val, y.Val))
	case math.IsInf(y.Val, 0): // no value is infinite
		return b.boolean(pos, compare(op, 0, y.Val))
	case x.Type == Bool: // a number that is 0 or 1
		return b.choice(pos, x, b.boolean(pos, compare(op, 1, y.Val)), b.boolean(pos, compare(op, 0, y.Val)))
	case x.Op == If && constLeaves(x):
		return b.choice(pos, x.Args[0], b.compare(op, pos, x.Args[1], y), b.compare(op, pos, x.Args[2], y))
	case x.Type == Enum && len(x.Values) == 1 && (op == Eq || op == Ne):
		return b.boolean(pos, compare(op, 0, y.Val))
	}
	return b.op(op, Bool, pos, x, y)
}

// constLeaves reports whether x is a chain of conditions between constants, as argmax makes
// them: a comparison then reduces to its conditions.
func constLeaves(x *Node) bool {
	for x.Op == If {
		if !isConst(x.Args[1]) {
			return false
		}
		x = x.Args[2]
	}
	return isConst(x)
}

// choice returns if c then x else y.
func (b *builder) choice(pos Pos, c, x, y *Node) *Node {
	if b.plain {
		return b.ifNode(pos, c, x, y)
	}
	switch {
	case c.IsConst(1):
		return x
	case c.IsConst(0):
		return y
	case x.class == y.class:
		return x
	case c.Op == Not:
		return b.choice(pos, c.Args[0], y, x)
	}
	if x.Type == Bool && y.Type == Bool {
		switch {
		case x.IsConst(1) && y.IsConst(0):
			return c
		case x.IsConst(0) && y.IsConst(1):
			return b.not(pos, c)
		case x.IsConst(1) || x.class == c.class:
			return b.or(pos, c, y)
		case y.IsConst(0) || y.class == c.class:
			return b.and(pos, c, x)
		case x.IsConst(0):
			return b.and(pos, b.not(pos, c), y)
		case y.IsConst(1):
			return b.or(pos, b.not(pos, c), x)
		}
	}
	return b.ifNode(pos, c, x, y)
}

func (b *builder) ifNode(pos Pos, c, x, y *Node) *Node {
	n := Node{Op: If, Type: common(x, y), Args: []*Node{c, x, y}, Pos: pos}
	if n.Type == Enum {
		n.Values = x.Values
	}
	return b.intern(n)
}

// branch is one case of a switch.
type branch struct {
	value  int
	result *Node
}

// switchOn returns the result of the branch whose value x has, or else otherwise, which is
// nil if the branches are complete. There is at least one branch.
func (b *builder) switchOn(pos Pos, x *Node, branches []branch, otherwise *Node) *Node {
	if !b.plain {
		if isConst(x) {
			for _, br := range branches {
				if x.IsConst(float64(br.value)) {
					return br.result
				}
			}
			return otherwise
		}
		// If the branches are complete, the last needs no test.
		if otherwise == nil || len(branches) >= len(x.Values) {
			last := len(branches) - 1
			branches, otherwise = branches[:last], branches[last].result
		}
		kept := branches[:0:0]
		for _, br := range branches {
			if br.result.class != otherwise.class {
				kept = append(kept, br)
			}
		}
		branches = kept
		switch len(branches) {
		case 0:
			return otherwise
		case 1:
			test := b.compare(Eq, pos, x, b.value(pos, x.Values, branches[0].value))
			return b.choice(pos, test, branches[0].result, otherwise)
		}
	}
	n := Node{Op: Case, Args: []*Node{x}, Pos: pos}
	var all []*Node
	for _, br := range branches {
		n.Args = append(n.Args, b.value(pos, x.Values, br.value), br.result)
		all = append(all, br.result)
	}
	n.Args = append(n.Args, otherwise)
	if otherwise != nil {
		all = append(all, otherwise)
	}
	n.Type = all[0].Type
	for _, r := range all {
		n.Type = common(&Node{Type: n.Type}, r)
	}
	if n.Type == Enum {
		n.Values = all[0].Values
	}
	return b.intern(n)
}
