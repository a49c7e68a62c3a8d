// Package blp is the engine of the same name, the paper's FD-BLP-Plan+ (section "Binary
// Linear Programming Compilation of the Learned Factored Planning Problem"): the binary
// linear program of package format, solved by HiGHS or by any external MILP solver, and every
// answer checked.
//
// The program alone is weak: of a neuron's two inequalities the linear relaxation keeps
// next to nothing, so that branch and cut has to guess. Against that the solver gets:
//
//   - Constants: what bounds propagation over single constraints fixes, step by step,
//     forwards from the initial state and backwards from the goal.
//   - A flow in place of the network: one variable for each step between two states
//     that plans pass; a plan is a path through them. The relaxation of this program is
//     the convex hull of the plans where the initial state and the goal are all that is
//     asked. It is the dynamic program of package search as a linear program, and costs
//     as much: only small graphs are taken.
//   - Where that is too large, the flow program of the groups of package bound, in place
//     of all that is said of steps: each group is a path through its values, or an
//     integer. Tables and prices give a plan to start from and a bound, and leave out
//     moves that no better plan makes.
//   - A start solution from package search, which has a tenth of the time for it.
//
// All of it keeps every plan. A proof is the solver's own: its dual bound meets a plan's
// reward. Where a start solution meets the bound of the tables, or where they show that
// there is no plan, no solver is asked.
package blp
