package bound

import (
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// mostRoom bounds what rules allow that are tightened: a proof takes as many rounds.
const mostRoom = 32

// tightened puts what all actions of a rule need into the rule: where a boat must be out to visit a turbine, and visits two at most, its visits are no more
// than twice whether it is out. As "two at most" with a rule for each visit, prices may pay for a part of the boat: a half for one visit that is made by half.
// No plan is lost, since nothing is done where the boat is not out (Savelsbergh 1994, coefficients by probing). It gives r itself where there is no such rule.
func (r *relation) tightened() *relation {
	needs := map[model.Lit][]need{} // by action
	for i := range r.rows {
		s := &r.rows[i].sum
		if r.rows[i].neuron != nil || !isClause(s) || len(s.Terms) != 2 {
			continue
		}
		for k, t := range s.Terms {
			if other := s.Terms[1-k].Lit; r.role[t.Lit.Var()] == action && r.role[other.Var()] != after && !r.clocked(other.Var()) {
				needs[-t.Lit] = append(needs[-t.Lit], need{other, i})
			}
		}
	}
	if len(needs) == 0 {
		return r
	}
	x := r.copied()
	x.rows, x.derived = slices.Clone(r.rows), slices.Clip(r.derived)
	for i := range r.rows { // not those that are added
		if r.rows[i].neuron == nil && !r.rows[i].invariant {
			x.tightenRow(i, needs)
		}
	}
	if len(x.derived) == len(r.derived) {
		return r
	}
	return x
}

// atMost is an inequality as literals that count so much at most, those of a lower bound complemented; nil for an equation.
func atMost(s *model.Sum) (sum []model.Term, room int64) {
	switch s.Op {
	case factored.EQ:
		return nil, 0
	case factored.LE:
		return s.Terms, s.K
	}
	sum, room = slices.Clone(s.Terms), -s.K
	for k := range sum {
		sum[k].Lit, room = -sum[k].Lit, room+sum[k].Coef
	}
	return sum, room
}

// need is a literal that an action needs, and the row that says so.
type need struct {
	lit model.Lit
	row int
}

// tightenRow tightens a rule that some of at least leastChoices actions are done at most, if all of them need the same. An agent that chooses one of them has what its
// state allows in its group.
func (r *relation) tightenRow(i int, needs map[model.Lit][]need) {
	w := &r.rows[i]
	if len(w.sum.Terms) < leastChoices {
		return
	}
	sum, room := atMost(&w.sum)
	if room < 1 || room > mostRoom {
		return
	}
	var all int64
	one := true
	for _, t := range sum {
		all, one = all+t.Coef, one && 2*t.Coef > room
	}
	common := slices.IndexFunc(needs[sum[0].Lit], func(n need) bool {
		return !slices.Contains(w.vars, n.lit.Var()) && (r.role[n.lit.Var()] != now || !one) &&
			!slices.ContainsFunc(sum, func(t model.Term) bool { return rowOf(needs[t.Lit], n.lit) < 0 })
	})
	if all <= room || common < 0 {
		return
	}
	lit := needs[sum[0].Lit][common].lit
	d := Derived{From: []Weighted{{w.sum, 1}}, Amounts: make([]int64, len(r.amounts)), Room: room, Need: lit}
	for _, t := range sum {
		d.From = append(d.From, Weighted{r.rows[rowOf(needs[t.Lit], lit)].sum, t.Coef})
	}
	d.Sum = model.Sum{Op: factored.LE, K: room, Terms: append(slices.Clone(sum), model.Term{Coef: room, Lit: -lit})}
	r.derived = append(r.derived, d)
	if r.role[lit.Var()] == internal { // the rule says who chooses, and this may define what is needed
		r.add(sumRow(d.Sum))
		return
	}
	r.rows[i] = sumRow(d.Sum)
}

// rowOf is the row that says that a literal is needed, -1 for none.
func rowOf(needs []need, lit model.Lit) int {
	if k := slices.IndexFunc(needs, func(n need) bool { return n.lit == lit }); k >= 0 {
		return needs[k].row
	}
	return -1
}
