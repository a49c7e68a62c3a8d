// Package train learns the transition network of a problem from examples: the second half of
// the paper's section "Learning Transition Functions". Two recipes return networks with
// weights in {-1, 0, +1} and integer thresholds:
//
//   - ternary: latent weights drawn uniformly from [-1, 1] and kept there; a
//     weight is the sign of its latent value if that is at least the weight
//     threshold in magnitude, else 0 (Li, Zhang and Liu, Ternary Weight Networks,
//     2016); the gradient of the sign activation is that of tanh.
//   - binary: BinaryNet as in the paper (Hubara and others, Binarized Neural
//     Networks, 2016): weights -1 and +1, gradients passed straight through and
//     cut off at magnitude 1.
//
// Both use batch normalization after every layer including the last, a squared hinge on the
// outputs, and Adam with a cosine decay. After each epoch batch normalization is folded into
// integer thresholds, with the mean and variance of the folded network itself on the
// examples. So the network that is measured, kept and returned is the one that planners use.
//
// If few rows are wrong, a discrete search over single weights and thresholds of the folded
// network follows. If the examples are all existing rows, pruning removes everything that none
// of them needs, which is most of the network.
//
// Training can start from a network (Options.Init), with rows that matter more than others
// (Examples.Weight). A network that was trained elsewhere is folded in the same way
// (ReadNPZ).
//
// Grid tries several shapes and chooses the smallest that is good enough, by the paper's
// measure or by that of an exact network.
//
// Inputs and activations are bits and most weights are 0. A layer therefore goes forward by
// counting bits, passes gradients back by adding rows, and sums weight gradients with tables
// of the sixteen signed sums of four rows. Work is divided by units, never by rows: no sum is
// split between threads, and the result depends only on the seed, not on the number of
// threads.
package train
