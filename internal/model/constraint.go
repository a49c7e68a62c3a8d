package model

import (
	"github.com/fdplan/fdplan/internal/literal"
	"github.com/fdplan/fdplan/problem/factored"
)

// Lit is a literal of the model.
type Lit = literal.Lit

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

// Term is a term of a sum, or a cost; Coef > 0.
type Term = literal.Term

// Integer is a variable from Low to High, which no model has.
type Integer struct {
	Var       int32
	Low, High int64
}

// Sum is the linear constraint sum of Terms Op K. Each variable occurs once.
type Sum struct {
	Terms []Term
	Op    factored.Op
	K     int64
}
