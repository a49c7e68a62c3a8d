package format

import (
	"context"

	"github.com/fdplan/fdplan/problem/factored"
)

// lpFile is the LP format of CPLEX. Its lines are kept short: readers cut them
// at 255 or 560 characters.
type lpFile struct{ *linear }

const lpWidth = 200

func (f *lpFile) measure(ctx context.Context) (Stats, error) { return f.measureUsed(ctx, LP) }

func (f *lpFile) write(ctx context.Context, out *output) error {
	out.integers = f.integers
	preamble(out, "\\ ", f.m, Options{Kind: LP})
	if err := f.writeObjective(out); err != nil {
		return err
	}
	out.text("\nSubject To\n")
	err := f.walk(ctx, func(t int, b *block, first int64) error {
		for i := range b.rows {
			r, entries := b.row(i)
			f.constraint(out, first+int64(i)+1, r, entries, f.shift(t))
		}
		return out.err
	})
	if err != nil {
		return err
	}
	if f.constant != 0 || len(f.options.Integers) > 0 {
		out.text("Bounds\n")
	}
	if f.constant != 0 {
		out.text(" one = 1\n")
	}
	for _, x := range f.options.Integers {
		out.text(" ")
		out.int(x.Low)
		out.text(" <= ")
		out.name(x.Var)
		out.text(" <= ")
		out.int(x.High)
		out.byte('\n')
	}
	list := func(v int32) {
		if out.line > 0 {
			out.byte(' ')
		}
		out.breakAt(lpWidth)
		out.name(v)
	}
	out.text("Binaries\n")
	err = f.columnsUsed(ctx, func(v int32, _ bool) error {
		if _, ok := f.integers[v]; !ok {
			list(v)
		}
		return out.err
	})
	if err != nil {
		return err
	}
	if len(f.options.Integers) > 0 {
		out.text("\nGenerals\n")
	}
	for _, x := range f.options.Integers {
		list(x.Var)
	}
	out.text("\nEnd\n")
	return out.err
}

// writeObjective writes what is minimised.
func (f *lpFile) writeObjective(out *output) error {
	out.text("Minimize\n obj: ")
	if f.terms == 0 && f.constant == 0 {
		out.text("0 x1")
	}
	first := true
	for t := 1; t <= f.m.Horizon+2; t++ {
		for _, c := range f.objective(t) {
			writeTerm(out, !first, linearCost(c), c.Lit.Var(), false, lpWidth)
			first = false
		}
		if out.err != nil {
			return out.err
		}
	}
	if f.constant != 0 {
		if !first {
			out.byte(' ')
		}
		out.breakAt(lpWidth)
		if f.constant < 0 {
			out.text("- ")
		} else {
			out.text("+ ")
		}
		out.int(max(f.constant, -f.constant))
		out.text(" one")
	}
	return out.err
}

func (f *lpFile) constraint(out *output, number int64, r *row, entries []entry, shift int32) {
	out.text(" c")
	out.int(number)
	out.text(": ")
	writeTerms(out, entries, shift, false, false, lpWidth)
	out.text([...]string{factored.LE: " <= ", factored.GE: " >= ", factored.EQ: " = "}[r.op])
	out.int(r.rhs)
	out.byte('\n')
}
