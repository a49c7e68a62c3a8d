// Package blp is the engine of the same name, the paper's FD-BLP-Plan+ (section "Binary
// Linear Programming Compilation of the Learned Factored Planning Problem"): the binary
// linear program of package format, solved by HiGHS or by any external MILP solver, and every
// answer checked.
//
// The program alone is weak: of a neuron's two inequalities the linear relaxation keeps
// next to nothing, so that branch and cut has to guess. Help says what is done against that;
// each part can be had alone.
//
//   - Fix: what bounds propagation over single constraints fixes, step by step,
//     forwards from the initial state and backwards from the goal.
//   - Tighten: the coefficients of a neuron's inequalities come from the least
//     and the greatest number of active inputs that any legal state and action
//     gives, as does what is constant. See table.
//   - Cuts: rows that follow from the others and that the relaxation lacks:
//     units that are equal, and implications from state and action to the state
//     after, lifted. See implicates.
//   - Replace: where these implications say everything about the state after a
//     step, the units are left out.
//   - Reach: states that the initial state reaches at a step, and from which a
//     plan can still end, instead of all legal ones, for all of the above.
//   - Flow: one variable for each step between two such states; a plan is a
//     path through them. The relaxation of this program is the convex hull of
//     the plans where the initial state and the goal are all that is asked. It
//     is the dynamic program of package search as a linear program, and costs
//     as much: only small graphs are taken.
//   - Tables: tables and prices of package bound, if there is no flow. Their plan is a
//     start solution, their bound one on the reward, and each step has a row: what is
//     earned from there on, with what the tables say of the state.
//   - Rollout, Search: a start solution, from a narrow beam or from package
//     search, which has a tenth of the time for it.
//   - Cutoff: the objective is no worse than the start solution's.
//   - Priorities: branch on actions, earliest step first, for solvers that take
//     priorities. HiGHS does not.
//
// All of it keeps every plan, except that Cutoff drops plans worse than the one at hand. A
// proof is the solver's own: its dual bound meets a plan's reward. Where a start solution
// meets the bound of the tables, or where they show that there is no plan, no solver is
// asked.
package blp
