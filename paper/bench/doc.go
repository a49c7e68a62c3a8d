// Package bench runs the experiments of the paper's section "Experimental Results" and
// records the results, one line per run (type Record), for the page that package report
// renders:
//
//   - its Table 1: networks are trained, by the recipe of the bundled ones and by
//     the paper's;
//   - the comparison of neuron activation encodings: sizes and times;
//   - FD-SAT-Plan+ (engine maxsat) against FD-BLP-Plan+ (engine blp), with engines
//     pb and search and external solvers, on the paper's 27 instances;
//   - its Algorithm 1 with the numbers of landmarks;
//   - its Figure 1, Cellda planned naively and with the learned model;
//   - beyond the paper, how far each engine gets in a given time.
//
// Paper lists the runs, always in the same order. Run makes those that are missing from the
// journal. Every run is a subprocess, the program itself, under limits of time and memory, so
// that a run that crashes, hangs or exhausts the memory costs no more than its line.
//
// The journal (type Journal) is only ever appended to, each line in one write that is flushed
// to the disk. A bench may be killed at any moment: an incomplete line is removed when the
// bench is resumed, and runs with a line are not repeated.
package bench
