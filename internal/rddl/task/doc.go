// Package task reads task.toml files: an RDDL domain and instance with what
// RDDL does not say, the goal, which state fluents a network has learned, the
// ranges of integers, the network, and how its bits are called in files of
// others. With a task at hand it makes the planning problem: with the network,
// or of the RDDL alone.
//
// The grammar is in docs/tasks.md.
package task
