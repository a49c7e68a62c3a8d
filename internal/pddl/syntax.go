package pddl

// Param is a parameter or a quantified variable, with the types that its objects may have.
type Param struct {
	Name  string // without ?
	Types []string
}

// Object is an object of the problem or a constant of the domain.
type Object struct {
	Name  string
	Types []string
}

// Symbol is a predicate or a numeric function.
type Symbol struct {
	Name   string
	Params []Param
	pos    pos
}

// Term is an argument: a variable or an object.
type Term struct {
	Name string
	Var  bool
}

// Expr is a condition, a numeric expression or an effect. Op is
//
//	and, or, not, imply, forall, exists   conditions; forall and exists have Vars
//	=, <, <=, >, >=                       of two numbers; = of two terms is eq
//	eq                                    of Terms[0] and Terms[1]
//	atom                                  predicate Name of Terms; not of it deletes in an effect
//	+, -, *, /                            numbers; - of one argument negates
//	num, fn                               the number Num; function Name of Terms
//	when                                  Args[0] is the condition, Args[1] the effect
//	increase, decrease, assign, scale-up, scale-down   Args[0] is the function, Args[1] a number
type Expr struct {
	Op    string
	Name  string
	Terms []Term
	Vars  []Param
	Args  []*Expr
	Num   float64
	pos   pos
}

// Action is an action of the domain.
type Action struct {
	Name   string
	Params []Param
	Pre    *Expr
	Effect *Expr
	pos    pos
}

// Derived defines a predicate by a condition.
type Derived struct {
	Symbol
	Body *Expr
}

// Fact is an atom, or a number that a function has, of the initial state.
type Fact struct {
	Name  string
	Args  []string
	Value float64 // of a function
	pos   pos
}

// Domain is a planning domain.
type Domain struct {
	Name       string
	Parent     map[string][]string // of a type; object has none
	Constants  []Object
	Predicates map[string]*Symbol
	Functions  map[string]*Symbol
	Actions    []*Action
	Derived    []*Derived
	types      []string // in the order of their declarations
}

// Problem is a problem of a domain.
type Problem struct {
	*Domain
	Name     string
	Objects  []Object // with the constants of the domain
	Init     []Fact
	Values   []Fact // of functions
	Goal     *Expr
	Metric   *Expr // nil for the number of actions
	Maximize bool
	Parallel bool // a step is of any actions that do not interfere, and costs 1
	objects  map[string]int
}

// is reports whether an object of one of the types given is of one of the types wanted.
func (d *Domain) is(given, wanted []string) bool {
	for _, g := range given {
		for _, w := range wanted {
			if d.below(g, w, 0) {
				return true
			}
		}
	}
	return false
}

func (d *Domain) below(g, w string, depth int) bool {
	if g == w || w == "object" {
		return true
	}
	if depth > len(d.Parent) {
		return false
	}
	for _, up := range d.Parent[g] {
		if d.below(up, w, depth+1) {
			return true
		}
	}
	return false
}
