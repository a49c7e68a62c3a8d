package format

import (
	"context"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// Inequalities returns the number of constraints in the OPB file of m as proof checkers count
// them: an equation counts as two.
func Inequalities(ctx context.Context, m *model.Model) (int64, error) {
	l := newLinear(m, true)
	if _, err := l.measure(ctx, OPB); err != nil {
		return 0, err
	}
	n := l.rows
	err := l.walk(ctx, func(_ int, b *block, _ int64) error {
		for i := range b.rows {
			if b.rows[i].op == factored.EQ {
				n++
			}
		}
		return nil
	})
	return n, err
}

// Inequality is a constraint of an OPB file: the sum of Terms, over unnegated
// variables of the model with coefficients of any sign, is at least K. Number is
// that by which proof checkers know it.
type Inequality struct {
	Number int64
	Terms  []model.Term
	K      int64
}

// EachInequality visits the constraints of the OPB file of m, with the step whose
// constraints they are among. Terms are valid until visit returns.
func EachInequality(ctx context.Context, m *model.Model, visit func(t int, c Inequality)) error {
	l := newLinear(m, true)
	if _, err := l.measure(ctx, OPB); err != nil {
		return err
	}
	number := int64(0)
	var terms []model.Term
	return l.walk(ctx, func(t int, b *block, _ int64) error {
		if t == 0 {
			number = int64(len(b.rows))
			return nil
		}
		for i := range b.rows {
			r, entries := b.row(i)
			for _, sign := range [2]int64{1, -1} {
				if sign > 0 && r.op == factored.LE || sign < 0 && r.op == factored.GE {
					continue
				}
				terms = terms[:0]
				for _, e := range entries {
					terms = append(terms, model.Term{Coef: sign * e.coef, Lit: model.Lit(e.v + l.shift(t))})
				}
				number++
				visit(t, Inequality{number, terms, sign * r.rhs})
			}
		}
		return nil
	})
}
