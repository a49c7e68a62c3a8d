package conflict

import (
	"context"

	"github.com/fdplan/fdplan/internal/cubes"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
	"github.com/fdplan/fdplan/internal/solve/sat"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Bounds on the implicates of a network: inputs that vary, clauses of a step, and
// literals of all steps.
const (
	maxImplicateInputs   = 16
	maxImplicates        = 1 << 14
	maxImplicateLiterals = 1 << 22
)

// implicateConflicts is how many conflicts a search has before implicates are added:
// easy problems are solved by then.
const implicateConflicts = 300

// wantsImplicates reports whether the network's function is to be listed: few of its
// inputs vary, and it was not listed yet.
func (x *Session) wantsImplicates() bool {
	if x.implied || !x.has(Implicates) || x.p != nil || x.m.Network == nil {
		return false
	}
	x.implied = varying(x.m) > maxImplicateInputs
	return !x.implied
}

// varying is the number of inputs of the network that vary.
func varying(m *model.Model) int {
	n := 0
	for _, b := range m.Problem.Inputs {
		if known(m, b, 1, m.Horizon) == 0 {
			n++
		}
	}
	return n
}

// addImplicates adds, for each step, clauses over the state and action before it and the
// state after: prime implicates of the network's function, for what can vary. Reasons
// are a clause each then, where those through neurons collect hundreds of units. Nothing
// is added that would take the solver over memory bytes; 0 is no bound.
func (x *Session) addImplicates(ctx context.Context, memory int64) {
	x.implied = true
	clauses := implicates(ctx, x.m)
	size := stampedSize(x.m, clauses)
	if size.Literals > maxImplicateLiterals || roomFor("the implicates", x.s.Bytes()+clauseBytes(size), memory) != nil {
		return
	}
	stamp(x.s, x.m, clauses)
}

// stampedSize is the size of clauses of one step at all steps.
func stampedSize(m *model.Model, clauses [][]model.Lit) cnf.Size {
	size := cnf.Size{Clauses: int64(len(clauses) * m.Horizon)}
	for _, c := range clauses {
		size.Literals += int64(len(c) * m.Horizon)
	}
	return size
}

// stamp adds clauses of one step at all steps.
func stamp(s *sat.Solver, m *model.Model, clauses [][]model.Lit) {
	var lits []sat.Lit
	for t := range m.Horizon {
		for _, c := range clauses {
			lits = lits[:0]
			for _, l := range c {
				lits = append(lits, lit(l, m.Stride()*int32(t)))
			}
			s.AddClause(lits...)
		}
	}
}

// known is the value of a bit that is the same at steps first..last, 0 for one that
// varies.
func known(m *model.Model, b factored.Bit, first, last int) int8 {
	value := m.Value(m.Var(first, b))
	for t := first + 1; t <= last; t++ {
		if m.Value(m.Var(t, b)) != value {
			return 0
		}
	}
	return value
}

// implicates lists clauses that say of each output what the inputs make of it, and which
// inputs no plan has because an output that is the same at all steps would differ. The
// variables are those of steps 1 and 2. It returns nil if they are too many, or the
// context ends.
func implicates(ctx context.Context, m *model.Model) (clauses [][]model.Lit) {
	var inputs []model.Lit
	for _, b := range m.Problem.Inputs {
		if known(m, b, 1, m.Horizon) == 0 {
			inputs = append(inputs, m.Var(1, b))
		}
	}
	outputs := truthTables(ctx, m, len(inputs))
	if outputs == nil {
		return nil
	}
	legal := cubes.New(len(inputs)).Not()
	for i, b := range m.Problem.Outputs {
		switch value := known(m, b, 2, m.Horizon+1); {
		case value > 0:
			legal = legal.And(outputs[i])
		case value < 0:
			legal = legal.Without(outputs[i])
		}
	}
	// imply adds that rows, which the cubes of may must not leave, have a literal.
	imply := func(rows, may cubes.Set, literal ...model.Lit) bool {
		cover, ok := cubes.Cover(rows, may, maxImplicates-len(clauses))
		for _, c := range cover {
			var clause []model.Lit
			for i, l := range inputs {
				if c.Care>>i&1 == 1 {
					if c.Value>>i&1 == 1 {
						l = -l
					}
					clause = append(clause, l)
				}
			}
			clauses = append(clauses, append(clause, literal...))
		}
		return ok && ctx.Err() == nil
	}
	illegal := legal.Not()
	if !imply(illegal, illegal) {
		return nil
	}
	for i, b := range m.Problem.Outputs {
		if known(m, b, 2, m.Horizon+1) != 0 {
			continue
		}
		// What no plan has may be taken for either value.
		y, on, off := m.Var(2, b), outputs[i].And(legal), legal.Without(outputs[i])
		if !imply(on, on.Or(illegal), y) || !imply(off, off.Or(illegal), -y) {
			return nil
		}
	}
	return clauses
}

// truthTables returns for each output of the network the rows in which it is true: input
// i of a row is the i-th that varies. It returns nil if the context ends.
func truthTables(ctx context.Context, m *model.Model, varying int) []cubes.Set {
	e := bnn.NewEvaluator(m.Network)
	scratch := e.NewScratch()
	p := m.Problem
	wi, wo := bnn.Words(len(p.Inputs)), bnn.Words(len(p.Outputs))
	outputs := make([]cubes.Set, len(p.Outputs))
	for i := range outputs {
		outputs[i] = cubes.New(varying)
	}
	const batch = 64
	in, out := make([]uint64, batch*wi), make([]uint64, batch*wo)
	for first := 0; first < 1<<varying; first += batch {
		if ctx.Err() != nil {
			return nil
		}
		clear(in)
		n := min(batch, 1<<varying-first)
		for k := range n {
			place := 0
			for i, b := range p.Inputs {
				value := known(m, b, 1, m.Horizon)
				if value == 0 {
					value = int8((first+k)>>place&1)*2 - 1
					place++
				}
				if value > 0 {
					in[k*wi+i/64] |= 1 << (i % 64)
				}
			}
		}
		e.ForwardMany(out, in, n, scratch)
		for k := range n {
			for i := range outputs {
				if out[k*wo+i/64]>>(i%64)&1 == 1 {
					outputs[i].Add(uint64(first + k))
				}
			}
		}
	}
	return outputs
}
