// Package spread implements the use cases of many machines: it turns work into units
// of package cluster, joins their results, and does units on a worker.
//
// Each kind of unit is a function of this build: a worker does these and no others,
// and runs no program that a unit names. A unit runs in a child process of the
// worker, the same program, so that a panic or a lack of memory ends the child
// alone. The child is kept for the next unit of its slot.
package spread
