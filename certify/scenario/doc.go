// Package scenario states that one plan, or one policy, holds in several runs of a problem with chance at once: each
// scenario says which draws do not have their most likely outcome, relative to the context that state and action select, and
// has a copy of the problem, in which nothing is drawn. If the copies together have no solution, then no policy holds in
// all runs with as many disturbances (conformant planning by samples: Grastien and Scala, CPCES, 2020; robust optimisation
// by scenarios: Zeng and Zhao, column-and-constraint generation, 2013).
package scenario
