// Package veripb checks proofs of the VeriPB format, versions 1.2, 2.0 and 3.0, against a
// pseudo-Boolean problem in OPB or a MaxSAT problem in WCNF. It verifies the answers of the engines and uses none of the
// project's code that solves or writes problems. An optimum of the paper's planning problem
// (its reward over a horizon) thus depends only on the text of the problem and of the proof.
//
// # What is checked
//
// A proof is a list of rules, one per line. Constraints are numbered in the order in which
// they are made; those of the problem come first, and an equation counts as two. Every rule
// that adds a constraint is verified when it is read:
//
//	p pol            cutting planes in reverse Polish: + * d s w, literal axioms
//	u rup            reverse unit propagation over all constraints of the database
//	red              redundance-based strengthening, every goal by propagation
//	                 or syntactic implication (no subproofs)
//	j ia ea          syntactic implication by, or equality with, one constraint
//	o soli           a solution, and the constraint that the next is better
//	v solx           a solution, and the clause that excludes it
//	ov sol           a solution
//	f l              the problem, or one constraint of it (version 1.2)
//
// Others change or inspect the database (d del delc deld # w core e i c), or end the proof
// (output, conclusion, end pseudo-Boolean proof). Rules for orders and dominance (dom,
// def_order …), objective updates (obju), labels, explicit subproofs and assumptions (a)
// are refused.
//
// Sources: Gocht, McCreesh and Nordström, "VeriPB: The Easy Way to Make Your Combinatorial
// Search Algorithm Trustworthy", 2020; Bogaerts, Gocht, McCreesh and Nordström, "Certified
// Dominance and Symmetry Breaking for Combinatorial Optimisation", 2023; the documentation of
// VeriPB of both versions.
//
// # What a verdict means
//
// Let best be the least objective value of the solutions that the proof shows, each evaluated
// on the problem itself. For every solution of the problem with a smaller value, the database
// keeps an image with a smaller value: all rules preserve that, including deletion. Hence a
// contradiction proves that there is no better solution, and a constraint that implies
// objective >= b proves that every solution has at least min(b, best).
//
// Numbers have any size: arithmetic switches to big integers when 64 bits do not suffice.
package veripb
