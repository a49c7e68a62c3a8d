// Package bench runs the experiments of the paper's section "Experimental
// Results" and writes down what came out, one line a run (type Record), for the
// page that package report makes:
//
//   - its Table 1: networks are trained, by the recipe of the bundled ones and by
//     the paper's;
//   - the comparison of neuron activation encodings: sizes and times;
//   - FD-SAT-Plan+ (engine maxsat) against FD-BLP-Plan+ (engine blp), beside engines
//     pb and search and outside solvers, on the paper's 27 instances;
//   - its Algorithm 1 with the numbers of landmarks;
//   - its Figure 1, Cellda planned naively and with what was learned;
//   - beyond the paper, how far each engine goes in a given time.
//
// Paper lists the runs, always in the same order. Run makes those that the
// journal does not have yet. Every run is a subprocess, the program itself, under
// limits of time and memory, so that a run that crashes, hangs or fills the memory
// costs no more than its line.
//
// The journal (type Journal) is only ever appended to, each line in one write that
// is flushed to the disk. A bench may be killed at any moment: a line that was not
// written to its end is cut off when the bench is resumed, and what has a line is
// not run again.
package bench
