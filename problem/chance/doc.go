// Package chance implements the chance in a problem's transitions: T(s, a, w), a
// deterministic transition with a chance variable w beside state and action for each group
// of state variables whose next values are drawn together. Each w is independent of the
// others given s and a. Its distribution depends on a context, a condition on s and a, and
// each of its values is a joint effect on the group: keep a value, add to it, set it, or
// change the one that the deterministic transition predicts.
//
// With every w at its likely value T is a deterministic transition; with w drawn it is a
// simulator; over all of w it is a Markov decision process. Probabilities are fractions of
// integers. What a model never draws was never seen; that does not make it impossible.
//
// Factored Markov decision processes: Boutilier, Dean, Hanks, 1999. Effects with chance and
// noise: Pasula, Zettlemoyer, Kaelbling, 2007.
package chance
