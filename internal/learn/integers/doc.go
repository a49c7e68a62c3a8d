// Package integers learns functions of whole integers from rows: sums and differences with limits,
// least and greatest values, absolute differences, remainders, and cases of them that comparisons
// tell apart. Integers are numbers here, not bits, so that a sum of 64 levels is one hypothesis, not
// six functions of 18 bits.
//
// A function is a decision list (Rivest, Learning Decision Lists, 1987): rules "if these comparisons hold, the value
// is this expression", and an expression for all else. Rules are found one after the other, each as the expression and the
// comparisons that explain most rows and contradict fewest. What a function and its exceptions take to write down (minimum
// description length) decides how long the list gets, so that a few rows in error do not lead it astray.
package integers
