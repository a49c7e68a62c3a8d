package format

import (
	"context"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/problem/factored"
)

// Program is a general 0-1 linear program: package blp adds rows and variables to the
// paper's. Variables are numbered as in all formats.
type Program struct {
	Name      string
	Objective []ProgramTerm // minimised
	Constant  int64         // of the objective
	Rows      []ProgramRow
}

// ProgramTerm is Coef times variable Var.
type ProgramTerm struct {
	Coef int64
	Var  int32
}

// ProgramRow is the sum of Terms Op K. Each variable occurs once.
type ProgramRow struct {
	Terms []ProgramTerm
	Op    factored.Op
	K     int64
}

// WriteProgram streams p to w as LP or MPS.
func WriteProgram(ctx context.Context, w io.Writer, p *Program, k Kind) error {
	var err error
	out := newOutput(w)
	switch k {
	case LP:
		err = p.writeLP(ctx, out)
	case MPS:
		err = p.writeMPS(ctx, out)
	default:
		err = fmt.Errorf("a program is no %v file", k)
	}
	if err == nil {
		err = out.flush()
	}
	if err != nil {
		return fmt.Errorf("writing the %v file: %w", k, err)
	}
	return nil
}

// columns lists the variables in use in ascending order, or variable 1 if there are none.
func (p *Program) columns() []int32 {
	most := int32(1)
	all := func(visit func(v int32)) {
		for _, t := range p.Objective {
			visit(t.Var)
		}
		for i := range p.Rows {
			for _, t := range p.Rows[i].Terms {
				visit(t.Var)
			}
		}
	}
	all(func(v int32) { most = max(most, v) })
	used := make([]bool, most+1)
	all(func(v int32) { used[v] = true })
	used[1] = used[1] || len(p.Rows) == 0 || len(p.Objective) == 0
	var list []int32
	for v, u := range used {
		if u {
			list = append(list, int32(v))
		}
	}
	return list
}

// rows returns the rows of p, with a row added if there is none or a row has no terms.
func (p *Program) rows() []ProgramRow {
	if len(p.Rows) == 0 {
		return []ProgramRow{{Terms: []ProgramTerm{{1, 1}}, Op: factored.GE}}
	}
	return p.Rows
}

func (p *Program) writeLP(ctx context.Context, out *output) error {
	out.text("\\ " + p.Name + "\nMinimize\n obj: ")
	for i, t := range p.Objective {
		writeTerm(out, i > 0, t.Coef, t.Var, false, lpWidth)
	}
	if len(p.Objective) == 0 {
		out.text("0 x1")
	}
	if p.Constant != 0 {
		out.byte(' ')
		out.breakAt(lpWidth)
		sign := "+ "
		if p.Constant < 0 {
			sign = "- "
		}
		out.text(sign)
		out.int(max(p.Constant, -p.Constant))
		out.text(" one")
	}
	out.text("\nSubject To\n")
	for i, r := range p.rows() {
		if i%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		out.text(" c")
		out.int(int64(i) + 1)
		out.text(": ")
		for j, t := range r.Terms {
			writeTerm(out, j > 0, t.Coef, t.Var, false, lpWidth)
		}
		if len(r.Terms) == 0 {
			out.text("0 x1")
		}
		out.text([...]string{factored.LE: " <= ", factored.GE: " >= ", factored.EQ: " = "}[r.Op])
		out.int(r.K)
		out.byte('\n')
	}
	if p.Constant != 0 {
		out.text("Bounds\n one = 1\n")
	}
	out.text("Binaries\n")
	for _, v := range p.columns() {
		if out.line > 0 {
			out.byte(' ')
		}
		out.breakAt(lpWidth)
		out.name(v)
	}
	out.text("\nEnd\n")
	return out.err
}

// writeMPS writes MPS like mpsFile, but column by column from memory.
func (p *Program) writeMPS(ctx context.Context, out *output) error {
	f := mpsFile{} // for its fields, which do not need a model
	out.text("NAME          fdplan\nROWS\n N  obj\n")
	rows := p.rows()
	byVar := map[int32][]cell{}
	for i, r := range rows {
		f.rowLine(out, &row{op: r.Op}, int64(i)+1)
		for _, t := range r.Terms {
			byVar[t.Var] = append(byVar[t.Var], cell{t.Coef, int32(i)})
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	cost := map[int32]int64{}
	for _, t := range p.Objective {
		cost[t.Var] = t.Coef
	}
	out.text("COLUMNS\n")
	if p.Constant != 0 {
		out.text("    one       ")
		f.objEntry(out, p.Constant)
	}
	columns := p.columns()
	for _, v := range columns {
		if c := cost[v]; c != 0 || len(byVar[v]) == 0 {
			f.column(out, v)
			f.objEntry(out, c)
		}
		for _, c := range byVar[v] {
			f.column(out, v)
			f.rowEntry(out, int64(c.row)+1, c.coef)
		}
	}
	out.text("RHS\n")
	for i, r := range rows {
		if r.K != 0 {
			out.text("    RHS       ")
			f.rowEntry(out, int64(i)+1, r.K)
		}
	}
	out.text("BOUNDS\n")
	if p.Constant != 0 {
		out.text(" FX BND       one                  1\n")
	}
	for _, v := range columns {
		out.text(" BV BND       ")
		out.name(v)
		out.byte('\n')
	}
	out.text("ENDATA\n")
	return out.err
}
