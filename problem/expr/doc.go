// Package expr is the language of properties and side constraints on the
// command line: Boolean and linear integer expressions over a problem's state,
// action and, with a prime, next-state variables, in RDDL's operators.
//
//	robot-at(x14,y12) => ~move-north
//	age(c1) + 2*age(c2) <= 3 ^ running'(c1)
//
// Operators by rising precedence: <=> ; => (to the right) ; | ; ^ or & ; ~ ;
// == ~= != <= >= < > ; + - ; *. A Boolean counts 0 or 1 in a sum. Names hold
// '-': a difference needs its spaces. A prime may stand before or after the
// arguments. Products need a constant side: everything stays linear, and so
// can be compiled into the problem.
package expr
