package conflict

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/format"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// Proof tells where to write a proof of the answer, and in which version of
// VeriPB's format. It is about the OPB file that package format writes of File.
type Proof struct {
	W      io.Writer
	Format proof.Format
	// File is the model of the same problem and horizon that the proof is about,
	// with or without propagated constants; nil is the one with.
	File *model.Model
	// Excluded are landmarks whose clauses (Model.Differs) the file has after the
	// model's constraints.
	Excluded []engine.Landmark
	// Done, where it is set, becomes true when the proof is complete, with a result in case
	// of a part. An engine that is left behind at a limit does not complete its proof.
	Done *atomic.Bool
	// Part has the proof be one to join with others: see joint.go.
	Part bool
}

// prover writes down what the solver learns and what the counters stand for.
//
// What the solver learns follows by reverse unit propagation, state nogoods too,
// since a neuron's reasons follow from its two inequalities. The counters are
// definitions (Reify). That the last layer bounds the objective does not follow by
// propagation and is derived once: with S the sum that layer t counts, U_k its
// literals "S >= k" and P_k the constraint S >= U_1 + … + U_k,
//
//	(k-1) P_(k-1) + (k <= S if U_k), divided by k and rounded, is P_k,
//
// and the sum of all layers' last P states that the objective is at least the
// number of true literals in the last layer.
type prover struct {
	log    *proof.Logger
	done   *atomic.Bool
	lits   []proof.Lit
	layers proof.ID // costs >= literals of the last layer; 0 if there are none
	// improving is what the last solution added: the objective is less.
	improving proof.ID
	// Without layers: by x, "if the costs are less than x then the literal that
	// says so", the literal, and the variables of such literals.
	when   map[int64]proof.ID
	less   map[int64]sat.Lit
	bounds map[int32]bool
	// hidden reports the variables whose values follow by propagation and are not
	// shown in solutions: the solver may know nothing of them.
	hidden func(int32) bool
	// Of a part: the variable that says that the given bits have their values, and the
	// objective of the file.
	selector  proof.Lit
	objective []proof.Term
}

func newProver(ctx context.Context, m *model.Model, p *Proof) (*prover, error) {
	hidden := func(int32) bool { return false }
	if p.File != nil {
		own, first := m, m.Stride()
		if m = p.File; m.Network != nil {
			first -= int32(m.Network.Hidden())
		}
		hidden = func(v int32) bool { return v <= own.NumVars() && (v-1)%own.Stride() >= first }
	}
	n, err := format.Inequalities(ctx, m)
	if err != nil {
		return nil, err
	}
	n += int64(len(p.Excluded))
	objective, _ := m.Minimised()
	return &prover{hidden: hidden, objective: objective, done: p.Done, when: map[int64]proof.ID{}, less: map[int64]sat.Lit{}, bounds: map[int32]bool{}, log: proof.New(p.W, proof.Options{Format: p.Format, Constraints: n, Objective: objective})}, nil
}

// Learned writes a clause.
func (p *prover) Learned(clause []sat.Lit) int64 {
	p.lits = p.lits[:0]
	for _, l := range clause {
		p.lits = append(p.lits, l.DIMACS())
	}
	if p.selector != 0 {
		p.lits = append(p.lits, -p.selector)
	}
	return int64(p.log.Learn(p.lits))
}

// Deleted takes a clause back.
func (p *prover) Deleted(_ []sat.Lit, number int64) { p.log.Delete(proof.ID(number)) }

// solution shows the solver's model; from there on better ones are asked for.
func (p *prover) solution(s *sat.Solver) {
	if p.selector != 0 {
		return // the plan is shown where the parts are joined
	}
	p.lits = p.lits[:0]
	for v := int32(1); v <= s.NumVars(); v++ {
		if p.bounds[v] || p.hidden(v) {
			continue // the definition gives it a value; the solver knows one half of it
		}
		l := sat.Pos(v)
		if !s.Value(l) {
			l = l.Not()
		}
		p.lits = append(p.lits, l.DIMACS())
	}
	p.improving = p.log.Solution(p.lits)
}

// layer defines the literals of one layer, whose values are 1, 2, …, as counting
// the sum of terms, and derives what the layers so far state together.
func (p *prover) layer(layer []sat.Lit, terms []sat.Term) {
	if len(layer) == 0 {
		return
	}
	sum := make([]proof.Term, len(terms))
	for i, t := range terms {
		sum[i] = proof.Term{Coef: t.Coef, Lit: t.Lit.DIMACS()}
	}
	var all, before proof.ID
	for i, l := range layer {
		k := int64(i + 1)
		only, when := p.log.Reify(l.DIMACS(), sum, k)
		if i == 0 {
			all, before = only, when
			continue
		}
		// U_k implies U_(k-1): added up, the two definitions are a clause.
		p.log.BeginPol(only)
		p.log.Add(before, 1)
		p.log.Saturate()
		p.log.EndPol()
		p.Learned([]sat.Lit{l.Not(), layer[i-1]})
		p.log.BeginPol(all)
		p.log.Multiply(k - 1)
		p.log.Add(only, 1)
		p.log.Divide(k)
		all = p.log.EndPol()
		before = when
	}
	if p.layers == 0 {
		p.layers = all
		return
	}
	p.log.BeginPol(p.layers)
	p.log.Add(all, 1)
	p.layers = p.log.EndPol()
}

// bound defines l as "sum of costs is less than x", where there are no layers.
func (p *prover) bound(l sat.Lit, costs []sat.Term, x int64) {
	sum := make([]proof.Term, len(costs))
	for i, t := range costs {
		sum[i] = proof.Term{Coef: -t.Coef, Lit: t.Lit.DIMACS()}
	}
	_, p.when[x] = p.log.Reify(l.DIMACS(), sum, -(x - 1))
	p.less[x] = l
	p.bounds[l.Var()] = true
}

// optimal ends the proof: nothing is better than the last solution, which has
// this value in the file and costs open beyond what every plan pays.
func (p *prover) optimal(value, open int64) {
	with := p.layers
	if with == 0 {
		with = p.when[open]
	}
	if with != 0 {
		p.log.BeginPol(p.improving)
		p.log.Add(with, 1)
		p.log.EndPol()
	}
	p.log.ConcludeOptimal(value, p.log.Contradiction())
}

// contiguous reports whether values are 1, 2, 3, ….
func contiguous(values []int64) bool {
	return len(values) == 0 || values[len(values)-1] == int64(len(values))
}

// lower derives that the costs of every plan are at least bound, and returns the
// constraint: 0 where nothing has to be derived.
func (p *prover) lower(c *counters, bound int64) proof.ID {
	if c == nil || bound <= 0 {
		return 0
	}
	var units []sat.Term // true literals, with what they are worth
	units = append(units, c.fixed...)
	var with proof.ID
	if open := bound - c.paid; open > 0 && c.layers != nil {
		with = p.layers
		last := c.layers[len(c.layers)-1]
		for _, l := range last[:min(open, int64(len(last)))] {
			units = append(units, sat.Term{Coef: 1, Lit: l})
		}
	} else if open > 0 {
		with = p.when[open]
		units = append(units, sat.Term{Coef: open, Lit: p.less[open].Not()})
	}
	ids := make([]proof.ID, len(units))
	for i, u := range units {
		ids[i] = proof.ID(p.Learned([]sat.Lit{u.Lit}))
	}
	begun := with != 0
	if begun {
		p.log.BeginPol(with)
	}
	for i, id := range ids {
		if !begun {
			begun = true
			p.log.BeginPol(id)
			p.log.Multiply(units[i].Coef)
		} else {
			p.log.Add(id, units[i].Coef)
		}
	}
	if !begun {
		return 0
	}
	return p.log.EndPol()
}

// end concludes what a session found out, and writes out what is buffered.
func (p *prover) end(x *Session, reason string) error {
	// The file's objective is the cost without the constants of negated literals.
	shift, paid := int64(0), int64(0)
	for t := 1; t <= x.m.Horizon+1; t++ {
		for _, c := range x.m.Objective(t) {
			if c.Lit < 0 {
				shift -= c.Coef
			}
		}
	}
	if x.c != nil {
		paid = x.c.paid
	}
	complete := true
	switch {
	case p.selector != 0:
		complete = p.part(x, reason, shift)
	case reason != "" && x.m.Infeasible():
		p.log.ConcludeNone()
	case reason != "" && x.incumbent == nil:
		p.log.ConcludeBounds(x.lower+shift, 0, false, p.lower(x.c, x.lower))
	case reason != "":
		p.log.ConcludeBounds(x.lower+shift, x.cost+shift, true, p.lower(x.c, x.lower))
	case x.incumbent == nil:
		p.log.ConcludeUnsat(p.log.Contradiction())
	default:
		p.optimal(x.cost+shift, x.cost-paid)
	}
	err := p.log.Close()
	if err == nil && p.done != nil {
		p.done.Store(complete)
	}
	return err
}
