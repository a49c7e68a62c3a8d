package ground

import (
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/operator"
)

// Pos is a place in the RDDL source: file, line and byte column, from 1.
type Pos struct {
	File      string
	Line, Col int
}

// Type is the type of a fluent or an expression.
type Type uint8

// The types. A value of any type is a float64: 0 and 1 for Bool, the number itself for Int
// and Real (integers are exact up to 2^53), the index in the list of values for Enum, which
// is a declared enumeration or an object type.
const (
	Bool Type = iota
	Int
	Real
	Enum
)

// Kind is the kind of a fluent.
type Kind uint8

// The kinds of fluents.
const (
	State Kind = iota
	Action
	Interm // intermediate and derived fluents: computed within a step
	Observ // observation fluents: computed at the end of a step
)

// Fluent is one grounded fluent.
type Fluent struct {
	Name    string   // robot-at(x14,y20), without spaces
	Base    string   // robot-at
	Args    []string // x14, y20
	Kind    Kind
	Type    Type
	Values  []string // of an Enum, in order
	Default float64  // of an action: no-op; of a state: the value if init-state assigns none
	Initial float64  // of a state
	CPF     *Node    // of State (its next value), Interm and Observ; nil for an action
	// Step is that of a real whose values are multiples of it: see Problem.Rounded; not a
	// number for other fluents.
	Step operator.Rat
	Pos  Pos // of its declaration
}

// Condition is a Boolean expression that must hold, with its place and text for messages. The
// parts of one source condition keep their order. If a part does not hold, later ones may
// have no value. A part that never holds is kept, as the constant false, and ends its
// condition.
type Condition struct {
	Expr *Node
	Pos  Pos    // where the part begins
	Text string // the part as the printer writes it. Objects that a forall around it assigns to variables are filled in and listed in brackets: at(x1) => fuel > 0 [?x = x1]
}

// Problem is a grounded instance.
type Problem struct {
	Domain, Instance string
	Fluents          []Fluent
	ByName           map[string]int
	// Order lists the fluents with a CPF. Each comes after everything that its CPF reads in
	// the same step: intermediate fluents, then next states and observations.
	Order []int

	Reward        *Node
	Preconditions []Condition // action-preconditions, and state-action-constraints that mention an action
	Invariants    []Condition // state-invariants, and state-action-constraints that mention states alone
	Termination   []Condition // an episode ends in a state where one of them holds
	MaxActions    int         // max-nondef-actions; -1 if there is no bound
	Horizon       int         // steps; 0 if the instance gives no number
	Discount      float64
	Origin        *Origin // of a determinised problem; else nil
	// Unrounded is the problem whose reals Rounded has given steps; nil for others.
	Unrounded *Problem
	Quantised int // the number of values of a draw of a real: see Quantiles; 0 for others

	tables *tables // of the program, for expressions grounded later; nil in a Problem made by hand
}

// Op is an operation of a Node.
type Op uint8

// The operations. Comments list the arguments and, if it is not obvious, the result.
const (
	Const   Op = iota // Val
	Ref               // fluent Fluent; of the next state when Primed
	Not               // ~a
	And               // any number of arguments
	Or                // any number
	Implies           // a => b
	Iff               // a <=> b
	Eq                // a == b, of equal types or numbers
	Ne                //
	Lt                //
	Le                //
	Gt                //
	Ge                //
	Add               // any number; Booleans count 0 and 1
	Sub               // a - b
	Mul               // any number
	Div               // a / b, real; division by zero is a simulation error
	Neg               // -a
	If                // if a then b else c; only the branch taken is evaluated
	Case              // switch: a; then pairs value, result; then the default or nil. Values are constants
	Min               // any number
	Max               //
	Func              // function Name of the arguments: abs, sgn, round, floor, ceil, exp, ln, log, sqrt, pow, div, mod, fmod, sin, …
	Random            // distribution Name, but KronDelta and DiracDelta, of the arguments; Discrete: pairs of value constant and weight
)

// operators are the operators of the operations on numbers but Func.
var operators = map[Op]*operator.Operator{
	Add: operator.Add, Sub: operator.Sub, Mul: operator.Mul, Div: operator.Div, Neg: operator.Neg, Min: operator.Min, Max: operator.Max,
}

// Operator returns the operator or function of an operation on numbers; nil for other operations
// and for a function that is not known.
func (n *Node) Operator() *operator.Operator {
	switch {
	case n.Op != Func:
		return operators[n.Op]
	case n.Name == operator.RoundTo.Name:
		return operator.RoundTo
	}
	return operator.Functions[n.Name]
}

// relations are the relations of the operations Eq to Ge.
var relations = [...]operator.Relation{operator.Eq, operator.Ne, operator.Lt, operator.Le, operator.Gt, operator.Ge}

// Relation returns the relation of one of the operations Eq, Ne, Lt, Le, Gt and Ge.
func (op Op) Relation() operator.Relation { return relations[op-Eq] }

// IsRelation reports whether op is one of Eq, Ne, Lt, Le, Gt and Ge.
func (op Op) IsRelation() bool { return op >= Eq && op <= Ge }

// Opposite returns the relation that holds where op does not.
func (op Op) Opposite() Op { return opOf(op.Relation().Not()) }

// Mirrored returns the relation op with its sides exchanged.
func (op Op) Mirrored() Op { return opOf(op.Relation().Mirrored()) }

func opOf(r operator.Relation) Op { return Eq + Op(slices.Index(relations[:], r)) }

// Node is a typed expression. Nodes may be shared and must not be changed. Equal parts of one
// place of the source are the same node, except draws: every occurrence of a draw is a node
// and a draw of its own.
//
// A Bool may stand wherever a number may, and counts as 0 or 1 there. Ground makes no Eq or
// Ne of two Bools (it uses Iff). And, Or, Implies, If and Case evaluate from left to right
// and stop when the result is determined: later arguments may fail if they are evaluated
// regardless.
type Node struct {
	Op     Op
	Type   Type
	Val    float64
	Fluent int
	Primed bool
	Name   string   // of Func and Random, as RDDL spells it; of Ref, the fluent's name
	Values []string // of an expression of type Enum: its values, in order
	Args   []*Node
	Pos    Pos

	class int32 // nodes of one builder with equal classes are equal expressions; otherwise 0
}
