// Package model is the one constraint model between problem and engines:
// Boolean variables, clauses, linear sums, neurons and a linear objective
// (paper, sections "The WP-MaxSAT Compilation" and "The BLP Compilation", which
// are two lowerings of it). A step is modelled once and stamped H times.
package model
