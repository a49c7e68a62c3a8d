// Package report makes what people look at out of the journal of a bench: the
// paper's tables with the paper's figures beside those of this program, the
// comparisons of its section "Experimental Results" as diagrams, its Figure 1
// drawn from runs, and what was not run. It measures and computes nothing else:
// every number of ours comes from records of the journal and names them.
//
// What it reads of the records (package bench), by their table:
//
//   - learning: kind train; recipe, network, neurons, edges, test_error (a
//     fraction), legal_rows, wrong_legal_rows, seconds, curve.
//   - encodings: kind encode of a problem; horizon, encoding and the stats
//     variables, clauses, literals. Kind plan: horizon, encoding, status, seconds.
//     Kind encode with the stats n, p and k besides is one neuron
//     v <-> (at least p of n), of no problem.
//   - engines, incremental: kind plan; engine, encoding, solver, model, horizon,
//     status, gap, seconds, time_limit; for incremental also landmarks,
//     landmark_count, simulator.
//   - reach: kind reach; engine, horizon (the longest that was answered), reach. A
//     reach whose last run still had a proof ended where the bench tries nothing
//     further.
//   - size: the same with size, the largest instance that was answered.
//   - figure1: kind plan; document, a plan as `fdplan plan --json` prints it whose
//     trace has the states that the real system passed; simulator.
//   - machine, whatever the table: machine.
//
// What runs of kinds plan and reach claim of the best reward of one problem, horizon,
// model and files is compared: reward, bound and status. Those of incremental and
// figure1 are left out, as they answer other questions.
//
// The same records give the same bytes, whatever their order: a bench that was
// killed and resumed gives the page that an uninterrupted one gives. Of two records
// with one ID the later counts; of two for the same cell the one with more time,
// then the one whose ID comes last.
package report
