package conflict

import (
	"context"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// fewRows are those of a function that is listed whatever the network is.
const fewRows = 1 << 8

// function is the network's function without its hidden units, as clauses over the state and action before a
// step and the state after it, where listing it takes less than they do: it has no more rows than the network has
// edges, or few. Else it is nil.
func (x *Session) function(ctx context.Context) (clauses [][]model.Lit) {
	if x.implied || !x.has(Implicates) || x.m.Network == nil {
		return nil
	}
	most := max(fewRows, x.m.Network.Edges())
	if n := varying(x.m); n <= maxImplicateInputs && 1<<n <= most {
		clauses = implicates(ctx, x.m)
	} else {
		clauses = legalRows(ctx, x.m, most)
	}
	if stampedSize(x.m, clauses).Literals > maxImplicateLiterals {
		return nil
	}
	x.implied = clauses != nil
	return clauses
}

// legalRows lists the function of a network of which C allows few inputs, such as those of one position among
// many: for each of them and each output that varies a clause, or one that excludes inputs that no plan has because an
// output that is the same at all steps would differ. It returns nil if there are more than most inputs, too many clauses, or the
// context ends.
func legalRows(ctx context.Context, m *model.Model, most int) (clauses [][]model.Lit) {
	sums := m.GlobalSums()
	var inputs []model.Lit
	for _, b := range m.Problem.Inputs {
		v := m.Var(1, b)
		inputs = append(inputs, v)
		if value := known(m, b, 1, m.Horizon); value != 0 {
			sums = append(sums, model.Sum{Terms: []model.Term{{Coef: 1, Lit: v.If(value > 0)}}, Op: factored.GE, K: 1})
		}
	}
	st := propagate.NewSystem(int(2*m.Stride()), sums, nil).NewState()
	if !st.Consistent() {
		return nil
	}
	st.SetInterrupt(func() bool { return ctx.Err() != nil })
	var rows []bool
	all := st.Each(inputs, func() bool {
		for _, v := range inputs {
			rows = append(rows, st.Value(v) > 0)
		}
		return len(rows) <= most*len(inputs)
	})
	if !all {
		return nil
	}
	e := bnn.NewEvaluator(m.Network)
	scratch := e.NewScratch()
	in, out := make([]uint64, bnn.Words(len(inputs))), make([]uint64, bnn.Words(len(m.Problem.Outputs)))
	for ; len(rows) > 0; rows = rows[len(inputs):] {
		row := rows[:len(inputs)]
		clear(in)
		for i, value := range row {
			if value {
				in[i/64] |= 1 << (i % 64)
			}
		}
		e.Forward(out, in, scratch)
		clauses = append(clauses, consequences(m, premise(st, inputs, row), out)...)
		if len(clauses) > maxImplicates || ctx.Err() != nil {
			return nil
		}
	}
	return clauses
}

// premise is a clause that all inputs but those of a row satisfy: true literals first, since others follow from them.
func premise(st *propagate.State, inputs []model.Lit, row []bool) (clause []model.Lit) {
	st.Reset()
	for _, value := range [2]bool{true, false} {
		for i, v := range inputs {
			if row[i] == value && st.Value(v) == 0 {
				clause = append(clause, v.If(!value))
				st.Assign(v.If(value))
			}
		}
	}
	st.Reset()
	return clause
}

// consequences are the clauses of a row, given that of its premise.
func consequences(m *model.Model, premise []model.Lit, out []uint64) (clauses [][]model.Lit) {
	n := len(premise)
	for i, b := range m.Problem.Outputs {
		value := out[i/64]>>(i%64)&1 == 1
		switch same := known(m, b, 2, m.Horizon+1); {
		case same == 0:
			clauses = append(clauses, append(premise[:n:n], m.Var(2, b).If(value)))
		case same > 0 != value:
			return [][]model.Lit{premise}
		}
	}
	return clauses
}
