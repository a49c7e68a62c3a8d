package conflict

import (
	"github.com/fdplan/fdplan/internal/engine/bound"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// addSymmetry orders what can be swapped, such as computers with as many neighbours: of two
// groups of a class the choices of the first are lexicographically not less than those of the second (Crawford
// et al., Symmetry-Breaking Predicates for Search Problems, 1996). The clauses hold while
// x.ordered is assumed: plans that are excluded may be those of one order alone.
func (x *Session) addSymmetry(classes [][]bound.Choices) {
	const most = 1 << 18 // choices that are compared
	left := most
	for _, class := range classes {
		for i := 1; i < len(class); i++ {
			for _, c := range class[i] {
				left -= len(c)
			}
			if left < 0 {
				return
			}
			if x.ordered == 0 {
				x.ordered = x.s.NewVar()
			}
			x.atLeast(class[i-1], class[i])
		}
	}
}

// atLeast states that the choices a are lexicographically not less than b. equal holds at least
// where all choices so far are.
func (x *Session) atLeast(a, b bound.Choices) {
	equal := x.ordered
	for t := range a {
		for i := range a[t] {
			p, q := lit(a[t][i], 0), lit(b[t][i], 0)
			x.s.AddClause(equal.Not(), p, q.Not())
			next := x.s.NewVar()
			x.s.SetStage(next.Var(), int32(2*(t+1)))
			x.s.AddClause(equal.Not(), p, next)
			x.s.AddClause(equal.Not(), q.Not(), next)
			equal = next
		}
	}
}

// assuming returns the literals that a question assumes: some, and the order of interchangeable groups.
func (x *Session) assuming(some ...sat.Lit) []sat.Lit {
	if x.ordered != 0 && !x.excluding {
		some = append(some, x.ordered)
	}
	return some
}
