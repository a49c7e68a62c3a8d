// Package learned checks what was concluded from observed steps of a system: clauses about next values, each
// of which must follow from the steps for every function of a class, and a plan, each of whose steps must have been
// observed. It shares no code with the learner. It tries all functions by their sets of variables: those on which
// the rows agree are listed one by one, and the clause must hold for each at all legal values.
// Of a reward that was only observed, the sums that agree with the rows are those whose difference is orthogonal to them.
// Of a model that is said to be known, all that is within reach is looked at.
package learned
