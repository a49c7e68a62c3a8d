package sat

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/literal"
)

// Lit is a variable or its negation as an index into the solver's tables. Variables are numbered from 1.
type Lit uint32

// NoLit stands for the absence of a literal.
const NoLit Lit = 0

// Pos is the literal of variable v.
func Pos(v int32) Lit { return Lit(v) << 1 }

// Neg is the negation of variable v.
func Neg(v int32) Lit { return Lit(v)<<1 | 1 }

// FromDIMACS returns the literal that is written as v or -v.
func FromDIMACS(d literal.Lit) Lit {
	if d < 0 {
		return Neg(d.Var())
	}
	return Pos(d.Var())
}

// DIMACS writes l as v or -v.
func (l Lit) DIMACS() literal.Lit { return literal.Lit(l >> 1).If(!l.Negative()) }

// Not is the negation of l.
func (l Lit) Not() Lit { return l ^ 1 }

// Var is the variable of l.
func (l Lit) Var() int32 { return int32(l >> 1) }

// Negative reports whether l is a negation.
func (l Lit) Negative() bool { return l&1 != 0 }

func (l Lit) String() string { return fmt.Sprint(l.DIMACS()) }

// Term is Coef*Lit in a linear constraint.
type Term struct {
	Coef int64
	Lit  Lit
}
