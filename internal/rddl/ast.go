package rddl

import "github.com/fdplan/fdplan/internal/source"

// Pos is a place in a source text: file, line and byte column, both from 1.
type Pos struct {
	File      string
	Line, Col int
}

// Ident is a name and the place where it is written.
type Ident struct {
	Name string
	Pos  Pos
}

// File is the content of one source text, or of several joined by Join: its blocks in source
// order.
type File struct {
	Name       string
	Domains    []*Domain
	NonFluents []*NonFluents
	Instances  []*Instance

	// Warnings list expressions whose meaning differs from what they suggest.
	Warnings []*source.Error
}

// Domain is a domain block.
type Domain struct {
	Name         Ident
	Requirements []Ident
	Types        []*TypeDecl
	Objects      []*Objects // objects that every instance has (rddlsim's RDDL 2)
	PVariables   []*PVariable
	CPFs         []*CPF
	CDFs         bool // the section is called cdfs
	Reward       Expr // nil when there is none

	Preconditions []Expr // action-preconditions
	Invariants    []Expr // state-invariants
	Constraints   []Expr // state-action-constraints
	Termination   []Expr

	Pos Pos
}

// TypeDecl declares an object type, whose values the instance names, or an
// enumeration.
type TypeDecl struct {
	Name   Ident
	Enum   bool
	Values []Ident // of an enumeration, without the @
}

// Objects lists the objects of one type.
type Objects struct {
	Type  Ident
	Names []Ident
}

// Kind is the kind of a pvariable.
type Kind uint8

// The kinds of pvariables.
const (
	NonFluent Kind = iota
	StateFluent
	ActionFluent
	IntermFluent
	DerivedFluent // computed like an intermediate fluent
	ObservFluent
)

// PVariable declares a parameterised variable.
type PVariable struct {
	Name     Ident
	Params   []Ident // the types of its parameters
	Kind     Kind
	Range    Ident // bool, int, real or a type's name, as written
	Default  Expr  // nil when not given
	Level    int   // of an intermediate or derived fluent
	HasLevel bool  // the level is written; otherwise dependencies decide

	// Set in a Program.
	ParamTypes []Type
	Type       Type
}

// CPF defines the next value of a fluent.
type CPF struct {
	Name   Ident // without the prime
	Primed bool
	Params []*Param // the names; their types are the pvariable's, filled in a Program
	Expr   Expr
}

// NonFluents is a non-fluents block.
type NonFluents struct {
	Name    Ident
	Domain  Ident // Name is empty if not given
	Objects []*Objects
	Init    []*Assign
}

// Assign gives a variable a value in init-state or non-fluents.
type Assign struct {
	Name  Ident
	Args  []*Literal
	Value Expr // *Bool, *Number (possibly under a minus) or *Literal
	Short bool // written `x;` or `~x;`
}

// Unbounded stands for pos-inf as a horizon or a number of actions.
const Unbounded = -1

// Instance is an instance block.
type Instance struct {
	Name       Ident
	Domain     Ident
	NonFluents Ident // Name is empty if not given
	Objects    []*Objects
	Statics    []*Assign // a non-fluents section within the instance, as in IPPC 2018
	Init       []*Assign

	MaxActions    int // max-nondef-actions; Unbounded for pos-inf and if not given
	HasMaxActions bool
	Horizon       int // Unbounded for pos-inf, and if only a condition ends the episode
	HasHorizon    bool
	TerminateWhen Expr    // horizon = terminate-when(e), or terminal = e; nil when not given
	Discount      float64 // 1 when not given
	HasDiscount   bool
	DiscountPos   Pos // of the number, if one is written
}

// TypeKind is the kind of a type.
type TypeKind uint8

// The kinds of types. NoType is the type of an expression that has not been checked yet.
const (
	NoType     TypeKind = iota
	BoolType            // also a number, 0 or 1, where a number is expected
	IntType             // also a real
	RealType            //
	EnumType            // a declared enumeration
	ObjectType          // a type of objects
)

// Type is the type of an expression. Equal types compare equal.
type Type struct {
	Kind TypeKind
	Name string // of an EnumType or ObjectType
}

// Param is a variable bound by a quantifier or by the left side of a cpf.
type Param struct {
	Name     string // without the ?
	Pos      Pos
	TypeName Ident // empty on the left side of a cpf

	Type Type // set in a Program; an EnumType or ObjectType
}

// Expr is an expression: one of the pointer types below. Pos is the place of its first token
// or, for a binary expression, of its operator.
//
// Parse leaves types and declarations empty; Check returns copies that have them.
type Expr interface {
	Position() Pos
	ResultType() Type // NoType before checking
	info() *Info
}

// Info contains the fields that all expressions share.
type Info struct {
	Pos    Pos
	Type   Type
	Parens bool // written in brackets; the printer sets its own and ignores this

	height int32 // of the tree below, set by the parser for the higher nodes
}

// Position returns the place of the expression.
func (i *Info) Position() Pos { return i.Pos }

// ResultType returns the type that the check found.
func (i *Info) ResultType() Type { return i.Type }

func (i *Info) info() *Info { return i }

// Number is an unsigned literal number, pos-inf or neg-inf.
type Number struct {
	Info
	Text  string
	Value float64
	Int   bool // written without point or exponent
}

// Bool is true or false.
type Bool struct {
	Info
	Value bool
}

// Literal is an enumeration's value or an object; in a Program its Type tells them apart. In
// a Program, every Name with that meaning has become a Literal.
type Literal struct {
	Info
	Name string // without the @
	At   bool   // written with it
}

// Name is an identifier alone: a fluent without parameters, an object or an enumeration's
// value. A Program contains none.
type Name struct {
	Info
	Name string
}

// Var is a bound variable.
type Var struct {
	Info
	Name string // without the ?

	Decl *Param // set in a Program
}

// Fluent is a variable of any kind, including non-fluents, with its arguments. Every argument
// has an EnumType or ObjectType: a Var, a Literal, or another expression such as a Fluent, as
// pyRDDLGym allows.
type Fluent struct {
	Info
	Name   string
	Primed bool
	Args   []Expr

	Decl *PVariable // set in a Program
}

// UnaryOp is a prefix operator.
type UnaryOp uint8

// The prefix operators.
const (
	Not  UnaryOp = iota // ~a
	Neg                 // -a
	Plus                // +a
)

// Unary applies a prefix operator.
type Unary struct {
	Info
	Op UnaryOp
	X  Expr
}

// BinaryOp is an infix operator.
type BinaryOp uint8

// The infix operators, weakest first.
const (
	Iff     BinaryOp = iota // <=>
	Implies                 // =>
	Or                      // |
	And                     // ^ or &
	Eq                      // ==
	Ne                      // ~=
	Lt                      // <
	Le                      // <=
	Gt                      // >
	Ge                      // >=
	Add                     // +
	Sub                     // -
	Mul                     // *
	Div                     // / of numbers, always a real
)

// Binary applies an infix operator; chains associate to the left.
type Binary struct {
	Info
	Op   BinaryOp
	X, Y Expr
}

// QuantOp is a quantifier or an aggregation.
type QuantOp uint8

// The quantifiers and aggregations.
const (
	Forall QuantOp = iota
	Exists
	Sum
	Prod
	MinOf
	MaxOf
	Avg
	ArgMin // the object or value for which the body is smallest; one parameter
	ArgMax
)

// Quant applies a quantifier or aggregation to all values of its parameters.
type Quant struct {
	Info
	Op     QuantOp
	Params []*Param
	Body   Expr
}

// If is if (Cond) then Then else Else.
type If struct {
	Info
	Cond, Then, Else Expr
}

// SwitchCase is one case of a switch.
type SwitchCase struct {
	Value  Expr // a Literal in a Program
	Result Expr
}

// Switch selects by an expression with an EnumType or ObjectType.
type Switch struct {
	Info
	X       Expr
	Cases   []SwitchCase
	Default Expr // nil if there is none: the cases are then complete
}

// Call applies a function of the table operator.Functions; Name is its spelling
// there (aliases as written).
type Call struct {
	Info
	Name string
	Args []Expr
}

// Dist is a draw from a distribution with numerical arguments (KronDelta and DiracDelta: of
// any type). The distributions are listed in Distributions.
type Dist struct {
	Info
	Name string
	Args []Expr
}

// Outcome is one value of a Discrete with its probability or weight.
type Outcome struct {
	Value Expr // a Literal in a Program
	Prob  Expr // nil for `otherwise`: the probability that the others leave
}

// Discrete draws a value of an enumeration or object type: Discrete(type, @a :
// p, …), or UnnormDiscrete with weights. With Params it is
// Discrete_{?x : type} e, where e is the probability of ?x.
type Discrete struct {
	Info
	Unnorm   bool
	TypeName Ident     // empty with Params
	Outcomes []Outcome // nil with Params
	Params   []*Param  // one; nil otherwise
	Body     Expr      // with Params
}
