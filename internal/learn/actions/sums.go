package actions

import (
	"math/big"
	"slices"

	"github.com/fdplan/fdplan/internal/pddl"
)

// maxSum bounds the numbers of a sum.
const maxSum = 3

// changed finds the shortest sum of functions and a constant that a function increases by in all rows, or that it is assigned.
func (l *learner) changed(i int) (*pddl.Expr, bool) {
	all := make([]int, len(l.functions))
	for k := range all {
		all[k] = k
	}
	for terms := range maxSum + 1 {
		for _, constant := range []bool{true, false} {
			size := terms
			if constant {
				size--
			}
			for _, assigned := range []bool{false, true} {
				if e := l.sumOf(i, all, size, constant, assigned); e != nil {
					return e, true
				}
			}
		}
	}
	return nil, false
}

// sumOf tries all sums of one length; those whose factors are 1 or -1 count as shorter than others.
func (l *learner) sumOf(i int, all []int, size int, constant, assigned bool) (best *pddl.Expr) {
	if size < 0 {
		return nil
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
		is := !slices.ContainsFunc(factors[:len(set)], func(x *big.Rat) bool { return new(big.Rat).Abs(x).Cmp(big.NewRat(1, 1)) != 0 })
		if is || best == nil {
			best, plain = l.increase(i, set, factors, assigned), is
		}
	})
	return best
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
			v = append(v, new(big.Rat).SetInt64(r.values[k]))
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

// increase is a change by a sum as an effect.
func (l *learner) increase(i int, set []int, factors []*big.Rat, assigned bool) *pddl.Expr {
	unit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(l.digits)), nil))
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
			if f.Quo(f, unit); f.Sign() != 0 || len(parts) == 0 {
				parts = append(parts, number(f))
			}
			continue
		}
		t := l.expr("fn", &l.functions[set[k]], nil)
		if f.Cmp(big.NewRat(1, 1)) != 0 {
			t = &pddl.Expr{Op: "*", Args: []*pddl.Expr{number(f), t}}
		}
		parts = append(parts, t)
	}
	return &pddl.Expr{Op: op, Args: []*pddl.Expr{l.expr("fn", &l.functions[i], nil), sum(parts)}}
}
