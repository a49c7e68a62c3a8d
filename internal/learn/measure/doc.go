// Package measure counts how often predicted next states are wrong: on all rows, each as often as
// it was seen, those that contradict others included. Beside the error of a network stand two that
// need no network:
//
//   - the floor, the least error that any function of the same columns has on these
//     rows. Among the rows with one state and action, such a function is right at most
//     on those with the most frequent next state.
//   - the error of the prediction that nothing changes (persistence).
//
// A network at the floor has learned all that the columns tell; one that is no better than
// persistence has learned nothing of use.
package measure
