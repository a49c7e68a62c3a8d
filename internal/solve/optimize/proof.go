package optimize

import (
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// Prover writes down what a solver and a minimizer find out: clauses, solutions,
// the counters of cores and the bound that they add up to. It is the solver's
// tracer, whose variables must be those of the problem that the proof is about,
// by number; a minimizer that it is attached to adds more.
//
// The guard of the search from above is left out of the proof: once a
// solution was shown, the checker holds that the next must be better, so that the
// guard is true there, and a clause follows without it.
//
// The bound of the search from below is a sum. A core l_1 … l_n of weight w is
// the clause P_1, sum of l_i >= 1. With its counters o_k <=> (sum of l_i >= k),
// each one defined, P_k says sum of l_i >= 1 + o_2 + … + o_k, and
//
//	((k-1) P_(k-1) + (sum of l_i >= k if o_k)) divided by k, rounded up, is P_k.
//
// An output o_k that is itself paid, in a later core of weight v, charges
// o_(k+1): v of the core's weight then goes from P_k to P_(k+1). The objective
// less what is open is at least the sum of all P with their weights.
type Prover struct {
	log       *proof.Logger
	lits      []proof.Lit
	guard     sat.Lit  // it stands in no line
	improving proof.ID // what the last solution added: the objective is less
	cores     []countedCore
	place     map[*sat.Lit]int // in cores, by the first literal's address, as outputKey
	lower     int64            // the sum of the cores' weights
	summed    int64            // lower when the bound was last written, with summedTo
	summedTo  proof.ID
}

// countedCore is a core with its constraints P_1, P_2, … and how often each
// counts.
type countedCore struct {
	sums  []proof.ID
	times []int64
}

// NewProver writes to log, which the prover concludes and closes.
func NewProver(log *proof.Logger) *Prover {
	return &Prover{log: log, place: map[*sat.Lit]int{}}
}

// Attach has m tell p of what it does. It must come before the first Run, and p
// must be the tracer of m's solver.
func (m *Minimizer) Attach(p *Prover) { m.p = p }

// Learned writes a clause.
func (p *Prover) Learned(clause []sat.Lit) int64 {
	p.lits = p.lits[:0]
	for _, l := range clause {
		if l.Var() != p.guard.Var() {
			p.lits = append(p.lits, l.DIMACS())
		}
	}
	return int64(p.log.Learn(p.lits))
}

// Deleted takes a clause back.
func (p *Prover) Deleted(clause []sat.Lit, number int64) {
	p.lits = p.lits[:0]
	if p.log.Format() == proof.DRAT {
		for _, l := range clause {
			p.lits = append(p.lits, l.DIMACS())
		}
	}
	p.log.Delete(proof.ID(number), p.lits...)
}

// refuted writes that the assumptions of a core cannot hold together, which
// follows by propagation right after the solver said so.
func (p *Prover) refuted(core []sat.Lit) proof.ID {
	clause := make([]sat.Lit, len(core))
	for i, l := range core {
		clause[i] = l.Not()
	}
	return proof.ID(p.Learned(clause))
}

// model returns the solver's model as literals.
func (p *Prover) model(s *sat.Solver) []proof.Lit {
	p.lits = p.lits[:0]
	for v := int32(1); v <= s.NumVars(); v++ {
		l := sat.Pos(v)
		if !s.Value(l) {
			l = l.Not()
		}
		if v != p.guard.Var() {
			p.lits = append(p.lits, l.DIMACS())
		}
	}
	return p.lits
}

// solution shows the solver's model; from there on better ones are asked for.
func (p *Prover) solution(s *sat.Solver) {
	p.improving = p.log.Solution(p.model(s))
}

// core notes a clause of weight w.
func (p *Prover) core(lits []sat.Lit, clause proof.ID, w int64) {
	p.place[&lits[0]] = len(p.cores)
	p.cores = append(p.cores, countedCore{[]proof.ID{clause}, []int64{w}})
	p.lower += w
}

// define introduces an output, the next of its core, and derives the core's
// next sum.
func (p *Prover) define(l sat.Lit, o output) {
	terms := make([]proof.Term, len(o.lits))
	for i, x := range o.lits {
		terms[i] = proof.Term{Coef: 1, Lit: x.DIMACS()}
	}
	c := &p.cores[p.place[&o.lits[0]]]
	only, _ := p.log.Reify(l.DIMACS(), terms, int64(o.k))
	p.log.BeginPol(c.sums[o.k-2])
	p.log.Multiply(int64(o.k - 1))
	p.log.Add(only, 1)
	p.log.Divide(int64(o.k))
	c.sums = append(c.sums, p.log.EndPol())
	c.times = append(c.times, 0)
}

// charge moves weight w of a core to the sum that holds the output o.
func (p *Prover) charge(o output, w int64) {
	c := &p.cores[p.place[&o.lits[0]]]
	c.times[o.k-2] -= w
	c.times[o.k-1] += w
}

// sum writes id plus all cores with their weights; id may be 0. It returns 0
// where there is nothing to add up.
func (p *Prover) sum(id proof.ID) proof.ID {
	if id != 0 {
		p.log.BeginPol(id)
	}
	for _, c := range p.cores {
		for i, times := range c.times {
			switch {
			case times == 0:
			case id == 0:
				id = c.sums[i]
				p.log.BeginPol(id)
				p.log.Multiply(times)
			default:
				p.log.Add(c.sums[i], times)
			}
		}
	}
	if id == 0 {
		return 0
	}
	return p.log.EndPol()
}

// improve derives what a better solution has open to pay: what costs more
// alone is then false by propagation.
func (p *Prover) improve() {
	if p.improving == 0 || p.summedTo == p.improving && p.summed == p.lower {
		return
	}
	p.sum(p.improving)
	p.summedTo, p.summed = p.improving, p.lower
}

// Conclude ends the proof of a minimum with what is known, and writes out what
// is buffered. The objective of the proof must be the minimizer's. The error is
// the logger's.
func (p *Prover) Conclude(r Result) error {
	switch {
	case r.Status == Infeasible:
		p.log.ConcludeUnsat(p.log.Contradiction())
	case r.Status == Optimal:
		p.improve()
		p.log.ConcludeOptimal(r.Cost, p.log.Contradiction())
	case p.log.Format().Concludes():
		p.log.ConcludeBounds(r.Bound, r.Cost, r.Model != nil, p.sum(0))
	}
	return p.log.Close()
}

// ConcludeDecision ends the proof of a problem without an objective after the
// solver's answer, and writes out what is buffered. DRAT has no proof that
// there is a solution: the file then only holds what was learned.
func (p *Prover) ConcludeDecision(s *sat.Solver, answer sat.Status) error {
	switch {
	case answer == sat.Unsatisfiable:
		p.log.ConcludeUnsat(p.log.Contradiction())
	case answer == sat.Satisfiable && p.log.Format() != proof.DRAT:
		p.log.Show(p.model(s))
		p.log.ConcludeSat()
	}
	return p.log.Close()
}
