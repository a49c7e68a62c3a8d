package bound

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// findSums finds the sums over many variables that rows state: linear rows, and neurons several of which compare one sum
// with numbers, as a learned stock has them. It reports whether there are any.
func (x *finder) findSums() bool {
	r := x.r
	some := false
	compared := map[string][]int{}
	for i := range r.rows {
		w := &r.rows[i]
		switch n := w.neuron; {
		case n == nil:
			if len(w.vars) > wideRow && !isClause(&w.sum) {
				x.sums[i], some = []Derived{{Sum: w.sum, From: []Weighted{{w.sum, 1}}}}, true
			}
		case len(n.Inputs) == 1 && r.role[n.Out.Var()] == internal:
			x.copies[n.Out.Var()] = i
		default:
			if terms := x.inputs(n); len(terms) >= wideRow {
				out, _ := canonical(terms)
				key := fmt.Sprint(out)
				compared[key] = append(compared[key], i)
			}
		}
	}
	found := false
	for _, rows := range compared {
		for _, i := range rows {
			if len(rows) > 1 {
				x.sums[i], found = x.ways(r.rows[i].neuron), true
			}
		}
	}
	if !found {
		x.copies = nil
	}
	return some || found
}

// original is the literal that a literal copies, directly or over other copies, with the clauses by which it follows.
func (x *finder) original(l model.Lit) (of model.Lit, from []Weighted) {
	for {
		i, ok := x.copies[l.Var()]
		if !ok {
			return l, from
		}
		n := x.r.rows[i].neuron
		next := n.Inputs[0].If(l == n.Out)
		from = append(from, Weighted{clauseOf([]model.Lit{-l, next}), 1})
		l = next
	}
}

// inputs are what a neuron counts, copies of a variable taken together; nil where that has a variable and its negation.
func (x *finder) inputs(n *model.Neuron) (terms []model.Term) {
	place := map[int32]int{}
	for _, l := range n.Inputs {
		l, _ = x.original(l)
		k, ok := place[l.Var()]
		switch {
		case !ok:
			place[l.Var()] = len(terms)
			terms = append(terms, model.Term{Coef: 1, Lit: l})
		case terms[k].Lit != l:
			return nil
		default:
			terms[k].Coef++
		}
	}
	return terms
}

// ways are a neuron as two sums: its inputs reach the threshold if it is true, and do not if it is false.
func (x *finder) ways(n *model.Neuron) []Derived {
	size := int64(len(n.Inputs))
	reach := model.Sum{Op: factored.GE, K: int64(n.Threshold), Terms: []model.Term{{Coef: int64(n.Threshold), Lit: -n.Out}}}
	miss := model.Sum{Op: factored.LE, K: size, Terms: []model.Term{{Coef: size - int64(n.Threshold) + 1, Lit: -n.Out}}}
	var out []Derived
	for _, s := range []model.Sum{reach, miss} {
		all := s
		var copied []Weighted
		for _, l := range n.Inputs {
			all.Terms = append(all.Terms, model.Term{Coef: 1, Lit: l})
			_, from := x.original(l.If(s.Op == factored.GE))
			copied = append(copied, from...)
		}
		out = append(out, Derived{
			Sum:  model.Sum{Op: s.Op, K: s.K, Terms: append(s.Terms, x.inputs(n)...)},
			From: append([]Weighted{{all, 1}}, copied...),
		})
	}
	return out
}
