// Package collect simulates transitions for training and writes them as a data set (package
// dataset; paper, section "Experimental Results", on the training data).
//
// The policies are:
//
//   - exploration: episodes from the initial state under random joint actions:
//     each action fluent is true with probability one half, numbers and
//     enumerations are uniform over their values, and joint actions that violate
//     a constraint are redrawn. An episode ends at the instance's horizon, in a
//     state where a termination condition holds or no joint action is legal, and
//     at a violated invariant. The step that violates it is kept, since it is a
//     true transition.
//   - random: uniform over legal joint actions. Redrawing actions that violate a
//     constraint is the same as drawing uniformly from those that do not, so
//     exploration and random return the same rows for the same seed.
//   - restart: the same, but each row starts in a state drawn uniformly from all
//     legal ones: those within the ranges of their fluents that satisfy the
//     invariants. States where no joint action is legal are redrawn. Numeric
//     state fluents need a range.
//
// A step that would take a fluent out of its range is not a transition: it gives no row and
// ends the episode. An evaluation error, such as a division by zero, ends the collection.
//
// The rows are made in chunks of fixed size with separate random numbers; a chunk starts a
// new episode. The result depends only on the seed, not on the number of threads.
package collect
