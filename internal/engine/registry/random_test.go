package registry_test

import (
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/problem/factored"
)

// addFunctions gives states of a problem that are not learned random functions, in place of what defines their next values.
// It returns how many.
func addFunctions(p *factored.Problem, seed uint64) (added int) {
	g := rand.New(rand.NewPCG(seed, 0x66647002))
	n := len(p.Variables)
	for i := range n {
		v := p.Variables[i]
		of := func(b factored.Bit) bool { return b >= v.First && b < v.First+factored.Bit(v.Width) }
		if v.Kind != factored.State || v.Width == 0 || slices.ContainsFunc(p.Outputs, of) || added == 2 {
			continue
		}
		p.Transition = slices.DeleteFunc(p.Transition, func(c factored.Constraint) bool {
			return slices.ContainsFunc(c.Terms, func(t factored.Term) bool { return t.Lit.Next && of(t.Lit.Bit) })
		})
		sum := func() factored.Affine {
			a := factored.Affine{K: int64(g.IntN(9) - 4), Den: int64(1 + g.IntN(4))}
			for k := range n {
				if w := &p.Variables[k]; w.Kind != factored.Auxiliary && g.IntN(3) > 0 {
					a.Terms = append(a.Terms, factored.Summand{Coef: int64(g.IntN(9) - 4), Variable: k})
				}
			}
			return a
		}
		root := &factored.FunctionNode{Sum: sum()}
		if g.IntN(2) == 0 && added == 0 {
			root.Low, root.High = &factored.FunctionNode{Sum: sum()}, &factored.FunctionNode{Sum: sum()}
		}
		f := factored.Function{Variable: i, Root: root, Lo: v.Lo, Hi: v.Hi}
		if err := p.DefineFunction(f); err != nil {
			panic(err) // the coefficients are small
		}
		added++
	}
	return added
}
