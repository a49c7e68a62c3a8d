// Package literal has literals of Boolean variables and their sums, which models, solvers,
// proofs and files of instances share. Independent checkers have their own.
package literal

// Lit is a literal in DIMACS form: v or -v for variable v >= 1.
type Lit int32

// Var is the variable of l.
func (l Lit) Var() int32 {
	if l < 0 {
		return int32(-l)
	}
	return int32(l)
}

// If is l, or its negation if the condition is false.
func (l Lit) If(condition bool) Lit {
	if condition {
		return l
	}
	return -l
}

// Shift is the literal of the variable that is n further.
func (l Lit) Shift(n int32) Lit {
	if l < 0 {
		return l - Lit(n)
	}
	return l + Lit(n)
}

// Term is Coef if Lit is true, else 0.
type Term struct {
	Coef int64
	Lit  Lit
}
