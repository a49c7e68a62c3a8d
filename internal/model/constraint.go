package model

import "github.com/fdplan/fdplan/problem/factored"

// Lit is a literal of the model in DIMACS form: v or -v for variable v >= 1.
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

// Neuron is the reified threshold Out <=> at least Threshold of Inputs are true (paper,
// Act_p). Threshold is in 1..len(Inputs). Constant neurons become unit clauses, or disappear
// if constants are propagated.
type Neuron struct {
	Out       Lit
	Inputs    []Lit
	Threshold int
}

// Active reports whether enough inputs are true.
func (n *Neuron) Active(value func(Lit) bool) bool {
	count := 0
	for _, l := range n.Inputs {
		if value(l) {
			count++
		}
	}
	return count >= n.Threshold
}

// Term is Coef*Lit with Coef > 0.
type Term struct {
	Coef int64
	Lit  Lit
}

// Sum is the linear constraint sum of Terms Op K. Each variable occurs once.
type Sum struct {
	Terms []Term
	Op    factored.Op
	K     int64
}
