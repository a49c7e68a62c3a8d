package format

import (
	"context"
	"strconv"

	"github.com/fdplan/fdplan/problem/factored"
)

// mpsFile is MPS. Names never contain spaces and no field is omitted, so that readers of the
// free format accept it too. Fields are in the columns of the fixed format as long as names
// have at most 8 characters.
//
// The format is ordered by column, the model by row. A variable of step t occurs only in the
// rows of steps t-1 and t, so that two transposed blocks suffice.
type mpsFile struct{ *linear }

// columns lists, for each local variable, its entries in the rows of a block.
type columns struct {
	start []int32 // local variable -> its first cell; then the end
	cells []cell
}

type cell struct {
	coef int64
	row  int32 // in the block, from 0
}

// transpose returns the columns of b.
func (b *block) transpose() *columns {
	if b.columns != nil {
		return b.columns
	}
	c := &columns{start: make([]int32, len(b.used)+1), cells: make([]cell, len(b.entries))}
	for _, e := range b.entries {
		c.start[e.v+1]++
	}
	for v := 1; v < len(c.start); v++ {
		c.start[v] += c.start[v-1]
	}
	next := append([]int32(nil), c.start...)
	for i := range b.rows {
		_, entries := b.row(i)
		for _, e := range entries {
			c.cells[next[e.v]] = cell{e.coef, int32(i)}
			next[e.v]++
		}
	}
	b.columns = c
	return c
}

func (c *columns) of(v int32) []cell { return c.cells[c.start[v]:c.start[v+1]] }

func (f *mpsFile) measure(ctx context.Context) (Stats, error) { return f.measureUsed(ctx, MPS) }

func (f *mpsFile) write(ctx context.Context, out *output) error {
	out.integers = f.integers
	preamble(out, "* ", f.m, Options{Kind: MPS})
	out.text("NAME          fdplan\nROWS\n N  obj\n")
	err := f.walk(ctx, func(_ int, b *block, first int64) error {
		for i := range b.rows {
			f.rowLine(out, &b.rows[i], first+int64(i)+1)
		}
		return out.err
	})
	if err != nil {
		return err
	}
	out.text("COLUMNS\n")
	if err := f.writeColumns(ctx, out); err != nil {
		return err
	}
	out.text("RHS\n")
	err = f.walk(ctx, func(_ int, b *block, first int64) error {
		for i := range b.rows {
			if r := &b.rows[i]; r.rhs != 0 {
				out.text("    RHS       ")
				f.rowEntry(out, first+int64(i)+1, r.rhs)
			}
		}
		return out.err
	})
	if err != nil {
		return err
	}
	out.text("BOUNDS\n")
	if f.constant != 0 {
		out.text(" FX BND       one                  1\n")
	}
	err = f.columnsUsed(ctx, func(v int32, _ bool) error {
		x, ok := f.integers[v]
		if !ok {
			out.text(" BV BND       ")
			out.name(v)
			out.byte('\n')
			return out.err
		}
		for _, bound := range []struct {
			kind  string
			value int64
		}{{" LI BND       ", x.Low}, {" UI BND       ", x.High}} {
			out.text(bound.kind)
			f.padded(out, out.letter(v), int64(v))
			f.value(out, bound.value)
		}
		return out.err
	})
	if err != nil {
		return err
	}
	out.text("ENDATA\n")
	return out.err
}

// rowLine declares a row.
func (f *mpsFile) rowLine(out *output, r *row, number int64) {
	out.text([...]string{factored.LE: " L  c", factored.GE: " G  c", factored.EQ: " E  c"}[r.op])
	out.int(number)
	out.byte('\n')
}

// writeColumns writes the section COLUMNS.
func (f *mpsFile) writeColumns(ctx context.Context, out *output) error {
	if f.constant != 0 {
		out.text("    one       ")
		f.objEntry(out, f.constant)
	}
	firstMore := f.rows - int64(len(f.more.rows))
	cells := func(number int32, b *block, local int32, first int64) {
		for _, c := range b.transpose().of(local) {
			f.column(out, number)
			f.rowEntry(out, first+int64(c.row)+1, c.coef)
		}
	}
	var before *block
	var firstBefore int64
	coef := make([]int64, max(f.stride, 1)+1) // of the objective
	return f.walk(ctx, func(t int, b *block, first int64) error {
		if t == 0 {
			return nil // with variable 1
		}
		if t > f.m.Horizon+1 {
			f.writeMore(out, b, func(v int32) { cells(v, b, v, first) })
			return out.err
		}
		clear(coef)
		for _, c := range f.objective(t) {
			coef[c.Lit.Var()-f.shift(t)] = linearCost(c)
		}
		for v := int32(1); v <= f.width(t); v++ {
			number := v + f.shift(t)
			if coef[v] != 0 || number == 1 && f.terms == 0 && f.constant == 0 {
				f.column(out, number)
				f.objEntry(out, coef[v])
			}
			if number == 1 && f.extra != nil {
				for i := range f.extra.rows {
					f.column(out, number)
					f.rowEntry(out, int64(i)+1, 1)
				}
			}
			if v > f.stride {
				continue // the only variable of a model without variables
			}
			if before != nil {
				cells(number, before, v+f.stride, firstBefore)
			}
			cells(number, b, v, first)
			if f.more.uses(number) {
				cells(number, f.more, number, firstMore)
			}
		}
		before, firstBefore = b, first
		return out.err
	})
}

// writeMore writes the columns of variables that are not the model's.
func (f *mpsFile) writeMore(out *output, b *block, cells func(v int32)) {
	paid := map[int32]int64{}
	for _, c := range f.objective(f.m.Horizon + 2) {
		paid[c.Lit.Var()] = linearCost(c)
	}
	for v := f.m.NumVars() + 1; int(v) < len(b.used); v++ {
		if paid[v] != 0 {
			f.column(out, v)
			f.objEntry(out, paid[v])
		}
		cells(v)
	}
}

// column writes the first field of an entry, padded up to the second.
func (f *mpsFile) column(out *output, v int32) {
	out.text("    ")
	f.padded(out, out.letter(v), int64(v))
}

// padded writes a letter and a number, padded to the 10 characters of a field.
func (f *mpsFile) padded(out *output, letter byte, v int64) {
	from := out.line
	out.byte(letter)
	out.int(v)
	if n := out.line - from; n < 10 {
		out.text("          "[n:])
	} else {
		out.byte(' ')
	}
}

// rowEntry writes the second and third field of an entry.
func (f *mpsFile) rowEntry(out *output, number, value int64) {
	f.padded(out, 'c', number)
	f.value(out, value)
}

func (f *mpsFile) objEntry(out *output, value int64) {
	out.text("obj       ")
	f.value(out, value)
}

// value ends a line with a number, right-aligned in 12 characters if it fits.
func (f *mpsFile) value(out *output, v int64) {
	var digits [20]byte
	if n := len(strconv.AppendInt(digits[:0], v, 10)); n < 12 {
		out.text("            "[n:])
	}
	out.int(v)
	out.byte('\n')
}
