// Package acting learns a deterministic system by acting in it, until a plan is proven optimal for it.
//
// It plans with optimism (Brafman and Tennenholtz, R-max, 2002; for factored systems Strehl, Diuk and Littman,
// 2007): next values of which nothing follows from what was observed are free. What follows, if next values
// depend on at most K variables, is stated by lazy clauses: an optimal plan of the free model is held against the
// version spaces (package versions), and each next value that they refute gives a clause, which holds at
// every step, until none is refuted. The reward of the plan that is left bounds that of all plans of the system. Its
// first step that was never taken is the next experiment. Once all steps of an optimistic plan were seen to
// lead where it says, it is optimal.
//
// A reward that is only observed is a sum of weights of products of few bits; where the rows leave it open, a step has the most that
// any has (package versions, Sums).
//
// Where no function of K variables agrees with the rows, K grows by one and the clauses are made anew.
package acting
