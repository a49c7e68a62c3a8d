// Package collect simulates transitions to learn from and writes them as a data
// set (package dataset; paper, section "Experimental Results", on the training
// data).
//
// The policies:
//
//   - exploration: episodes from the initial state under random joint actions:
//     each action fluent true with probability one half, numbers and enumerations
//     uniform over their values, joint actions that break a constraint redrawn. An
//     episode ends at the instance's horizon, in a state where a termination
//     condition holds or no joint action is legal, and at a broken invariant; the
//     step that breaks it is kept, since it is as true as any other.
//   - random: uniform over legal joint actions. To redraw what breaks a constraint
//     is to draw uniformly from what does not, so that exploration and random give
//     the same rows for the same seed.
//   - restart: the same, but each row from a state drawn uniformly from all legal
//     ones: those within the ranges of their fluents that keep the invariants.
//     States where no joint action is legal are redrawn. Numeric state fluents need
//     a range.
//
// A step that would take a fluent out of its range is no transition (the contract
// calls it a simulator error and forbids it): it gives no row and ends the
// episode. Errors of evaluation, a division by zero, end the collection.
//
// The rows are made in chunks of fixed size with random numbers of their own; a
// chunk begins an episode. The result depends on the seed alone, not on the
// number of threads.
package collect
