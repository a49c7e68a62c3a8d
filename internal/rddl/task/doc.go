// Package task reads task.toml files. A task is an RDDL domain and instance with what RDDL
// does not express: the goal, the state fluents that a network has learned, the ranges of
// integers, the network, and the names of its bits in foreign files. A task compiles to the
// planning problem, with the network or from the RDDL alone.
//
// The grammar is in docs/tasks.md.
package task
