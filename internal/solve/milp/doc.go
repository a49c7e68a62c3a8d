// Package milp solves integer programs by branch and cut. The relaxations are
// linear programs over variables with bounds, solved by the dual simplex method
// in floats. What they say counts only as far as it can be computed again in
// integers: the multipliers of the rows are rounded, and any multipliers give a
// bound (Neumaier and Shcherbina 2004); a cut is rounded from a combination of
// rows with whole multipliers (Gomory 1960). So an answer is exact whatever the
// floats did.
package milp
