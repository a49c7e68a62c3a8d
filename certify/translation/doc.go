// Package translation checks that an OPB file is the planning problem that it is
// said to be. It writes out one step of the problem from network and constraints a
// second time, with none of the code that writes files, and compares it with the
// file: every later step must be the exact shift of it. A proof that package veripb
// accepts is about the file; this check ties the file to the problem.
//
// It reads the file of `fdplan compile --format opb --encoding paper`, which has
// the paper's rows (section "The BLP Compilation": two inequalities for each
// neuron) and no constants propagated. Variables are numbered in blocks, one for
// each step: state bits, auxiliary bits, action bits, then hidden units layer by
// layer; the block of step H+1 has state and auxiliary bits only.
package translation
