package rddl

// vectors are the random vectors, which are not supported.
var vectors = map[string]bool{
	"MultivariateNormal": true, "MultivariateStudent": true, "Dirichlet": true, "Multinomial": true,
}

// matrices are pyRDDLGym's matrix operations.
var matrices = map[string]bool{"det": true, "inverse": true, "pinverse": true, "cholesky": true}

// quantNames spells the quantifiers and aggregations, by QuantOp.
var quantNames = [...]string{"forall", "exists", "sum", "prod", "min", "max", "avg", "argmin", "argmax"}

// String returns the spelling.
func (op QuantOp) String() string { return quantNames[op] }

var quantOps = func() map[string]QuantOp {
	m := make(map[string]QuantOp)
	for i, s := range quantNames {
		m[s] = QuantOp(i)
	}
	return m
}()

var binaryNames = [...]string{"<=>", "=>", "|", "^", "==", "~=", "<", "<=", ">", ">=", "+", "-", "*", "/"}

// String returns the spelling.
func (op BinaryOp) String() string { return binaryNames[op] }

// binaryPower is the precedence of each operator, from 1, the same in both grammars.
var binaryPower = [...]int{1, 2, 3, 4, 5, 5, 5, 5, 5, 5, 6, 6, 7, 7}

// unaryPower is the precedence of the prefix operators: in both grammars ~ and - bind most
// strongly.
const unaryPower = 8

var binaryOps = func() map[string]BinaryOp {
	m := map[string]BinaryOp{"&": And}
	for i, s := range binaryNames {
		m[s] = BinaryOp(i)
	}
	return m
}()

var unaryNames = [...]string{"~", "-", "+"}

// String returns the spelling.
func (op UnaryOp) String() string { return unaryNames[op] }

var kindNames = [...]string{"non-fluent", "state-fluent", "action-fluent", "interm-fluent", "derived-fluent", "observ-fluent"}

// String returns the kind as RDDL spells it.
func (k Kind) String() string { return kindNames[k] }

var kinds = func() map[string]Kind {
	m := make(map[string]Kind)
	for i, s := range kindNames {
		m[s] = Kind(i)
	}
	return m
}()

// reserved are the words with a meaning in an expression or a value, which no name of the
// user's may be. The names of distributions are reserved too.
var reserved = map[string]bool{
	"true": true, "false": true, "if": true, "then": true, "else": true, "switch": true, "case": true, "default": true,
	"otherwise": true, "forall": true, "exists": true, "argmin": true, "argmax": true, "pos-inf": true, "neg-inf": true,
	"bool": true, "int": true, "real": true, "object": true, "Discrete": true, "UnnormDiscrete": true,
}

func isReserved(name string) bool {
	if reserved[name] || vectors[name] {
		return true
	}
	_, ok := Distributions[name]
	return ok
}

// String returns the type as a declaration writes it; an object type by its name.
func (t Type) String() string {
	switch t.Kind {
	case BoolType:
		return "bool"
	case IntType:
		return "int"
	case RealType:
		return "real"
	case EnumType, ObjectType:
		return t.Name
	}
	return "unknown"
}

// IsNumber reports whether the type is int or real.
func (t Type) IsNumber() bool { return t.Kind == IntType || t.Kind == RealType }

// IsFinite reports whether the type is an enumeration or object type: those that parameters
// may have.
func (t Type) IsFinite() bool { return t.Kind == EnumType || t.Kind == ObjectType }
