// Package model is the constraint model between problem and engines: Boolean variables,
// clauses, linear sums, neurons and a linear objective. The paper's sections "The WP-MaxSAT
// Compilation" and "The BLP Compilation" are two lowerings of it. A step is modelled once and
// stamped H times.
package model
