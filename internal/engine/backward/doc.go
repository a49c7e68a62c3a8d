// Package backward writes proofs of what a planning problem's dynamic program
// shows: that no plan of a horizon exists, or that none costs less than a bound.
// It needs no search of its own: the claim may come from any engine, and a claim
// that does not hold gives an error instead of a proof.
//
// The proof is about the OPB file that package format writes of the model. Let
// C(t) be what step t costs: its action and the state that follows. The proof
// goes backwards. At step t it defines, for a few values k, a literal
//
//	U(t,k)  <=>  C(t) + L(t+1) >= k,   L(t) = sum over k of (k - the value before) U(t,k)
//
// and derives for each state s that needs it, by reverse unit propagation,
//
//	s at step t  =>  U(t,k)
//
// after a tree of such clauses over the joint actions of s. A state needs k when a
// plan can reach it so cheaply that the steps from t on must cost k for the claim
// to hold; a state that is expensive to reach needs nothing. Cutting planes give
//
//	P(t):  C(t) + L(t+1) >= L(t)
//
// and the sum of all P(t) is the bound on the objective. Constraints of step t+1
// are deleted when step t is done. A state whose value is beyond what the costs
// can add up to needs no literal: it is dead, and its clause excludes it.
package backward
