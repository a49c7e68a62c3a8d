// Package bound proves how good a plan can be, and finds plans, for problems
// that fall into groups: computers, products, robots.
//
// A group is some state variables with everything that decides their next
// values. For each group a table holds the least cost of each of its values
// with t steps to go, everything outside the group free: a projection (pattern
// database) with a horizon. Costs are shared out, so that the sum of the tables
// bounds every plan.
//
// What couples groups is relaxed with a price per step (Lagrangean relaxation):
// rules over several groups, and agreements of a bit, or of a class of joint
// values, with the copies that other groups read. A weighted sum that a group
// counts is a number of its own, with a price per unit (see amount). Prices of
// inequalities are not negative, those of equations are free; any such prices
// give a bound. Good ones are looked for in floating point; their bound is
// computed in integers, and so is exact.
//
// The search decides one group at a time: a layer holds states in which some
// groups have their new values and the others still the old. A beam keeps the
// nodes of least bound in each layer. One that drops nothing but nodes that
// cannot beat the best plan is a proof. Groups that can be swapped are kept in
// order, so that states that differ by a swap are one.
//
// Beside the beams, the flow program of the groups is solved by branch and cut:
// see Flow and branchCut.
//
// The groups are cut exactly: a joint step is one move of each group such that
// the moves agree in shared bits and keep all rules. See relation for what is
// taken out as constant, closure for what a constraint reads, and groups for
// where it goes.
package bound
