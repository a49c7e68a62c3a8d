// Package greedy finds plans of PDDL problems, whose numbers may be any, and improves them; it proves nothing. The search is best-first
// with deferred evaluation and preferred operators, and begins again with a smaller weight of the estimate and a bound on the cost after each plan, as
// LAMA does (Richter and Westphal, JAIR 39, 2010). The estimate is the length of a relaxed plan (Hoffmann and Nebel, JAIR 14, 2001), over
// intervals where there are numbers (Hoffmann, JAIR 20, 2003; Scala, Haslum, Thiébaux and Ramirez, ECAI 2016): what was true once stays so, and
// a number may have all values between the least and the greatest that it has had.
package greedy
