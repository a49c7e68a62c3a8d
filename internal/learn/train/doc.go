// Package train learns the transition network of a problem from examples: the
// second half of the paper's section "Learning Transition Functions". Two
// recipes give networks with weights in {-1, 0, +1} and integer thresholds:
//
//   - ternary: latent weights drawn uniformly from [-1, 1] and kept there; a
//     weight is the sign of its latent value where that is at least the weight
//     threshold in magnitude, else 0 (Li, Zhang and Liu, Ternary Weight Networks,
//     2016); the gradient of the sign activation is that of tanh.
//   - binary: BinaryNet as in the paper (Hubara and others, Binarized Neural
//     Networks, 2016): weights -1 and +1, gradients passed straight through and
//     cut off at magnitude 1.
//
// Both have batch normalization after every layer, the last one too, a squared
// hinge on its outputs, and Adam with a cosine decay. Batch normalization is
// folded into integer thresholds after each epoch, with the mean and variance
// that the folded network itself has on the examples, so that the network that
// is measured, kept and handed out is the one that planners use.
//
// When few rows are wrong, a discrete search over single weights and thresholds
// of the folded network takes over; and where the rows are all that there are,
// Prune takes away what none of them needs, which is most.
//
// Training can begin from a network (Options.Init), with rows that matter more
// than others (Examples.Weight); and a network that was trained elsewhere is
// folded in the same way (ReadNPZ).
//
// Grid tries several shapes and chooses the smallest that is good enough, by the
// paper's measure or by that of an exact network.
//
// Inputs and activations are bits and weights are mostly 0, so a layer goes
// forward by counting bits, passes gradients back by adding rows, and sums
// weight gradients through tables of sixteen signed sums of four rows each. Work
// is divided by units, never by rows: no sum is split between threads, and the
// result depends on the seed alone, not on their number.
package train
