// Package outcome learns from rows what can happen and how often: which outputs are random
// together, their effects, the contexts in which effects have certain probabilities, and the
// share of cells that were recorded wrongly.
//
// An effect adds to a value, which may be 0, or sets it; a joint effect is one effect for each output
// of a group. A leaf of a tree of contexts has a few joint effects with probabilities, found by a
// greedy cover and expectation maximisation, beside noise that is uniform over the values and
// separate for each output. One description length decides everything: the inputs that are
// tested, the effects, what becomes of effects that would leave a range (chance.Blocked), and
// which outputs are one group. It is
//
//	-sum of log2 P(row) + sum over leaves of effects * (log2 possible effects + 1/2 log2 rows) + tests
//
// Noisy deictic rules: Pasula, Zettlemoyer, Kaelbling, 2007. Description length: Rissanen, 1978.
package outcome
