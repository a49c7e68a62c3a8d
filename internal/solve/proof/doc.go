// Package proof writes what a solver derives as a proof that independent
// programs check: VeriPB proofs, versions 1.2, 2.0 and 3.0, of optima, bounds and
// infeasibility of a pseudo-Boolean problem in OPB, and DRAT proofs of a CNF's
// infeasibility. The paper's planners are believed; these need not be.
//
// A Logger is told of every step when it is made:
//
//	log := proof.New(w, proof.Options{Format: proof.VeriPB20, Constraints: 3, Objective: objective})
//	id := log.Learn([]Lit{-1, 2})      // a clause, by reverse unit propagation
//	log.Solution(model)                  // from here on: better than this
//	log.BeginPol(id)                     // cutting planes, in reverse Polish
//	log.Add(2, 3)                        //   + 3 * constraint 2
//	log.Divide(3)                        //   / 3, rounded up
//	id = log.EndPol()
//	log.ConcludeOptimal(7, log.Contradiction())
//	err := log.Close()
//
// Literals are DIMACS numbers: -12 is ~x12. Variables beyond the problem's may
// be introduced by Reify.
//
// # Numbers of constraints
//
// Constraints have the numbers that VeriPB gives them: the problem's come
// first, in the order of the file, an equation counting as two, first >= and
// then <=; after them every step that makes a constraint takes the next. Each
// method that makes one returns its number.
//
// # What a solver has to see to
//
// A learned constraint must follow by unit propagation over all constraints
// that were not deleted: the negation of what is learned, propagated, must end
// in a contradiction. Reasons of neurons do, since each neuron is two
// inequalities of the OPB file. What follows from several constraints only by
// addition needs a Pol step. Before the reason of a literal that is true for
// good is deleted, the literal should be learned as a unit clause: VeriPB takes
// back what followed from a deleted constraint, drat-trim does not.
//
// Nothing is allocated per step, and an error of the writer is kept until Err
// or Close.
package proof
