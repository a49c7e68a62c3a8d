// Package report renders the journal of a bench as a report: the paper's tables with the
// paper's figures beside those of this program, the comparisons of its section "Experimental
// Results" as diagrams, its Figure 1 drawn from runs, and a list of what was not run. It
// measures nothing: every number of ours comes from records of the journal and refers to
// them.
//
// The fields that it reads from the records (package bench), by table, are:
//
//   - learning: kind train; recipe, network, neurons, edges, test_error (a
//     fraction), legal_rows, wrong_legal_rows, seconds, curve.
//   - encodings: kind encode of a problem; horizon, encoding and the stats
//     variables, clauses, literals. Kind plan: horizon, encoding, status, seconds.
//     Kind encode with the additional stats n, p and k is one neuron
//     v <-> (at least p of n), without a problem.
//   - engines, incremental: kind plan; engine, encoding, solver, model, horizon,
//     status, gap, seconds, time_limit; for incremental also landmarks,
//     landmark_count, simulator.
//   - reach: kind reach; engine, horizon (the longest that was answered), reach. If
//     the last run of a reach still had a proof, the bench tried no longer horizon.
//   - size: the same with size, the largest instance that was answered.
//   - figure1: kind plan; document, a plan as `fdplan plan --json` prints it whose
//     trace has the states that the real system visited; simulator.
//   - machine, in any table: machine.
//
// The claims of runs of kinds plan and reach about the best reward of one problem, horizon,
// model and files are compared: reward, bound and status. Those of incremental and figure1
// are excluded, since they answer other questions.
//
// The same records always have the same bytes, in any order: a bench that was killed and
// resumed has the page of an uninterrupted one. Of two records with one ID the later counts;
// of two for the same cell the one with the longer time, then the one whose ID comes last.
package report
