package actions

import (
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/pddl"
)

// maxSum bounds the numbers of a sum.
const maxSum = 3

// changed finds the shortest sum of functions and a constant that a function increases by in all rows, or that it is assigned; where there is none, one that
// has products of two functions too.
func (l *learner) changed(i int) (*pddl.Expr, bool) {
	kept := l.products
	defer func() { l.products = kept }()
	l.products = nil
	if e, _ := l.shortest(i, maxSum); e != nil {
		return e, true
	}
	for a := range l.functions {
		for b := range a + 1 {
			l.products = append(l.products, [2]int{b, a})
		}
	}
	most := maxSum - 1
	if len(l.functions)+len(l.products) > maxColumns {
		most = 1
	}
	e, set := l.shortest(i, most)
	for _, k := range set {
		if k >= len(l.functions) && !slices.Contains(kept, l.products[k-len(l.functions)]) {
			kept = append(kept, l.products[k-len(l.functions)])
		}
	}
	return e, e != nil
}

// maxColumns is how many functions and products are tried in pairs.
const maxColumns = 100

// shortest finds a sum of so many terms at most, and its columns; nil for none.
func (l *learner) shortest(i, most int) (*pddl.Expr, []int) {
	all := integer.Below[int](len(l.functions) + len(l.products))
	for terms := range most + 1 {
		for _, constant := range []bool{true, false} {
			size := terms
			if constant {
				size--
			}
			for _, assigned := range []bool{false, true} {
				if e, set := l.sumOf(i, all, size, constant, assigned); e != nil {
					return e, set
				}
			}
		}
	}
	return nil, nil
}

// sumOf tries all sums of one length; those whose factors are 1 or -1 count as shorter than others.
func (l *learner) sumOf(i int, all []int, size int, constant, assigned bool) (best *pddl.Expr, of []int) {
	if size < 0 {
		return nil, nil
	}
	plain := false
	subsets(all, size, func(set []int) {
		if plain {
			return
		}
		factors := l.solve(i, set, constant, assigned)
		if factors == nil {
			return
		}
		is := true
		for k, x := range set {
			is = is && new(big.Rat).Abs(l.factor(x, factors[k])).Cmp(big.NewRat(1, 1)) == 0
		}
		if is || best == nil {
			best, of, plain = l.increase(i, set, factors, assigned), set, is
		}
	})
	return best, of
}

// solve finds the factors of some functions, and a constant behind them, with which their sum is the change of a function in all rows; nil if there are
// none, or several.
func (l *learner) solve(i int, set []int, constant, assigned bool) []*big.Rat {
	n := len(set)
	if constant {
		n++
	}
	var basis [][]*big.Rat // rows in echelon form, by pivot
	for _, r := range l.rows {
		v := make([]*big.Rat, 0, n+1)
		for _, k := range set {
			v = append(v, new(big.Rat).SetInt(l.column(r, k)))
		}
		if constant {
			v = append(v, big.NewRat(1, 1))
		}
		target := r.next[i]
		if !assigned {
			target -= r.values[i]
		}
		v = append(v, new(big.Rat).SetInt64(target))
		for _, b := range basis {
			eliminate(v, b)
		}
		p := slices.IndexFunc(v, func(x *big.Rat) bool { return x.Sign() != 0 })
		switch {
		case p == n:
			return nil
		case p >= 0:
			f := new(big.Rat).Inv(v[p])
			for k := range v {
				v[k].Mul(v[k], f)
			}
			for _, b := range basis {
				eliminate(b, v)
			}
			basis = append(basis, v)
		}
	}
	if len(basis) < n {
		return nil
	}
	out := make([]*big.Rat, n)
	for _, b := range basis {
		out[pivot(b)] = b[n]
	}
	return out
}

func pivot(b []*big.Rat) int {
	return slices.IndexFunc(b, func(x *big.Rat) bool { return x.Sign() != 0 })
}

// eliminate makes v zero where b has its pivot, which is 1.
func eliminate(v, b []*big.Rat) {
	p := pivot(b)
	f := new(big.Rat).Set(v[p])
	if f.Sign() == 0 {
		return
	}
	for k := range v {
		v[k].Sub(v[k], new(big.Rat).Mul(f, b[k]))
	}
}

// unit is what values are counted in, as a part of 1.
func (l *learner) unit() *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(l.digits)), nil))
}

// column is the value of a function in a row, or of a product, which follow these.
func (l *learner) column(r *row, k int) *big.Int {
	if k < len(l.functions) {
		return big.NewInt(r.values[k])
	}
	x := l.products[k-len(l.functions)]
	return new(big.Int).Mul(l.column(r, x[0]), l.column(r, x[1]))
}

// factor is the factor of a column where numbers are not counted in units.
func (l *learner) factor(k int, x *big.Rat) *big.Rat {
	if k < len(l.functions) {
		return x
	}
	return new(big.Rat).Mul(x, l.unit())
}

// columnExpr is a column as an expression.
func (l *learner) columnExpr(k int) *pddl.Expr {
	if k < len(l.functions) {
		return l.expr("fn", &l.functions[k], nil)
	}
	x := l.products[k-len(l.functions)]
	return &pddl.Expr{Op: "*", Args: []*pddl.Expr{l.columnExpr(x[0]), l.columnExpr(x[1])}}
}

// increase is a change by a sum as an effect.
func (l *learner) increase(i int, set []int, factors []*big.Rat, assigned bool) *pddl.Expr {
	op := "assign"
	if !assigned {
		op = "increase"
		if !slices.ContainsFunc(factors, func(x *big.Rat) bool { return x.Sign() > 0 }) {
			op = "decrease"
		}
	}
	var parts []*pddl.Expr
	for k, x := range factors {
		f := new(big.Rat).Set(x)
		if op == "decrease" {
			f.Neg(f)
		}
		if k == len(set) {
			if f.Quo(f, l.unit()); f.Sign() != 0 || len(parts) == 0 {
				parts = append(parts, number(f))
			}
			continue
		}
		f = l.factor(set[k], f)
		t := l.columnExpr(set[k])
		if f.Cmp(big.NewRat(1, 1)) != 0 {
			t = &pddl.Expr{Op: "*", Args: []*pddl.Expr{number(f), t}}
		}
		parts = append(parts, t)
	}
	return &pddl.Expr{Op: op, Args: []*pddl.Expr{l.expr("fn", &l.functions[i], nil), sum(parts)}}
}
