package backward

import (
	"maps"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/factored"
)

// joint is a step of the proof of a beam with all that the proof knows of it then, so that what
// propagation finds here a checker finds too.
type joint struct {
	*beam
	tree
	sums     []model.Sum
	vars     int32               // local ones
	compiled int32               // those that the system has
	local    map[int32]model.Lit // of variables that are not the model's
}

func (b *beam) newJoint(l *layer) *joint {
	return &joint{
		beam: b, tree: tree{w: b.writer, l: l, closed: func() bool { return false }},
		vars: 2 * b.m.Stride(), local: map[int32]model.Lit{},
	}
}

// joint makes the system of step t.
func (b *beam) joint(t int, cuts []known) *joint {
	j := b.newJoint(b.layers[t])
	if t <= b.m.Horizon {
		for _, id := range b.order {
			for _, x := range b.x.Group(id).Choices {
				if x.Var() <= 2*b.m.Stride() { // amounts follow
					j.branch = append(j.branch, x)
				}
			}
		}
		part := b.m.Part(t + 1)
		for _, s := range slices.Concat(part.Sums[model.Global], part.Sums[model.Goal]) {
			j.after(s)
		}
	}
	j.know(t, cuts)
	j.knowOrder(b.spent[t-1])
	if t <= b.m.Horizon {
		for _, k := range b.amounts.equations[t-1] {
			j.inequality(k.atLeast.linear)
			j.inequality(k.atMost.linear)
		}
		for _, c := range b.amounts.clauses[t-1] {
			j.clause(c)
		}
		j.knowTables(t + 1)
		j.knowNodes(t)
	}
	j.compile(t)
	return j
}

// root makes the system of the first states.
func (b *beam) root() *joint {
	j := b.newJoint(b.layers[1])
	j.branch = slices.Clone(b.layers[1].now)
	j.know(1, b.first)
	for _, c := range b.clauses {
		j.clause(c)
	}
	j.compile(1)
	return j
}

// know adds the tables of step t, and the cuts.
func (j *joint) know(t int, cuts []known) {
	j.knowTables(t)
	for _, k := range cuts {
		j.inequality(k.linear)
	}
}

// knowTables adds the tables of the groups at step t.
func (j *joint) knowTables(t int) {
	for _, g := range j.groups {
		l := g.layers[t]
		for _, c := range l.clauses {
			j.clause(c)
		}
		for i, v := range l.values {
			if i > 0 {
				j.clause([]model.Lit{-l.lits[v], l.lits[l.values[i-1]]})
			}
		}
	}
}

// knowOrder adds that a literal of a sum implies that of the value before.
func (j *joint) knowOrder(x *thresholds) {
	for i := 1; x != nil && i < len(x.values); i++ {
		j.clause([]model.Lit{-x.lits[x.values[i]], x.lits[x.values[i-1]]})
	}
}

// knowNodes adds what is known of the nodes of step t+1, and of what is spent before.
func (j *joint) knowNodes(t int) {
	for _, c := range j.clauses {
		j.clause(c)
	}
	x := j.spent[t]
	if x == nil {
		return
	}
	j.knowOrder(x)
	var sum linear // less than a value, or the literal is true
	var most int64
	for _, c := range slices.Concat(j.costsAt(t), j.spent[t-1].terms()) {
		sum.add(c.Lit, -c.Coef)
		most += c.Coef
	}
	for _, v := range x.values {
		if most < v {
			continue
		}
		var s linear
		s.plus(sum, 1)
		s.add(x.lits[v], most-v+1)
		s.degree += 1 - v
		j.inequality(s)
	}
}

// after adds a constraint of the step after this one if it is over the next state.
func (j *joint) after(s model.Sum) {
	out := model.Sum{Op: s.Op, K: s.K}
	for _, t := range s.Terms {
		if t.Lit.Var() > j.m.Stride() {
			return
		}
		t.Lit = t.Lit.Shift(j.m.Stride())
		out.Terms = append(out.Terms, t)
	}
	j.sums = append(j.sums, out)
}

// lit is a literal in local numbers.
func (j *joint) lit(x model.Lit) model.Lit {
	v := x.Var()
	if v <= j.m.NumVars() {
		return x.Shift(-j.l.offset)
	}
	if j.local[v] == 0 {
		j.vars++
		j.local[v] = model.Lit(j.vars)
	}
	return j.local[v].If(x > 0)
}

func (j *joint) clause(lits []model.Lit) {
	s := model.Sum{Op: factored.GE, K: 1}
	for _, x := range lits {
		s.Terms = append(s.Terms, model.Term{Coef: 1, Lit: j.lit(x)})
	}
	j.sums = append(j.sums, s)
}

func (j *joint) inequality(k linear) {
	s := model.Sum{Op: factored.GE, K: k.degree}
	for _, v := range slices.Sorted(maps.Keys(k.terms)) {
		c, x := k.terms[v], j.lit(v)
		if c < 0 { // c*x = c + -c*(1-x)
			s.K -= c
			c, x = -c, -x
		}
		s.Terms = append(s.Terms, model.Term{Coef: c, Lit: x})
	}
	j.sums = append(j.sums, s)
}

// compile compiles the system with the constraints of step t.
func (j *joint) compile(t int) {
	own, neurons := j.constraints(t)
	j.compiled = j.vars
	j.st = propagate.NewSystem(int(j.vars), append(own, j.sums...), neurons).NewState()
	j.st.SetInterrupt(func() bool { return j.ctx.Err() != nil })
	j.branch = slices.Concat(j.branch, j.l.branch, j.l.rest)
}

// contradict derives a contradiction from literals. It returns those from which the others
// follow, negated.
func (j *joint) contradict(assumed []model.Lit) (root []model.Lit, err error) {
	if !j.st.Consistent() {
		j.refuted()
		return nil, nil
	}
	j.st.Reset()
	for _, x := range assumed {
		y := j.lit(x)
		own := y.Var() <= j.compiled // others stand in no constraint of the step
		if own && j.st.Value(y) > 0 {
			continue
		}
		root = append(root, -x)
		if own && !j.st.Assign(y) {
			j.refuted()
			return root, nil
		}
	}
	return root, j.refute()
}
