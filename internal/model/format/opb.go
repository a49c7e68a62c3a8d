package format

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/problem/factored"
)

// opbFile is the linear format of the pseudo-Boolean competition: the header comment with the
// counts, the objective, then one constraint per line with >= or =.
//
// Equations are written with = only if all coefficients are 1 or -1, the others
// as two inequalities: clasp 3.3.5 takes 2 x1 + 2 x2 = 1 for satisfiable, and
// other solvers make two of them anyway.
type opbFile struct{ *linear }

func (f *opbFile) measure(ctx context.Context) (Stats, error) { return f.linear.measure(ctx, OPB) }

func (f *opbFile) write(ctx context.Context, out *output) error {
	out.text(fmt.Sprintf("* #variable= %d #constraint= %d\n", max(1, len(f.more.used)-1), f.rows))
	preamble(out, "* ", f.m, Options{Kind: OPB})
	out.text("min:")
	if f.terms == 0 {
		out.text(" +0 x1")
	}
	for t := 1; t <= f.m.Horizon+2; t++ {
		for _, c := range f.objective(t) {
			writeTerm(out, true, linearCost(c), c.Lit.Var(), true, 0)
		}
		if out.err != nil {
			return out.err
		}
	}
	out.text(" ;\n")
	return f.walk(ctx, func(t int, b *block, _ int64) error {
		for i := range b.rows {
			r, entries := b.row(i)
			f.constraint(out, r, entries, f.shift(t))
		}
		return out.err
	})
}

func (f *opbFile) constraint(out *output, r *row, entries []entry, shift int32) {
	negate, op, rhs := false, " >= ", r.rhs
	switch r.op {
	case factored.LE: // the format has no <=
		negate, rhs = true, -rhs
	case factored.EQ:
		op = " = "
	}
	writeTerms(out, entries, shift, negate, true, 0)
	out.text(op)
	out.int(rhs)
	out.text(" ;\n")
}
