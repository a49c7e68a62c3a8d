// Package expr implements the language of properties and side constraints on the command
// line: Boolean and linear integer expressions over a problem's state, action and, with a
// prime, next-state variables, in RDDL's operators.
//
//	robot-at(x14,y12) => ~move-north
//	age(c1) + 2*age(c2) <= 3 ^ running'(c1)
//
// Operators by increasing precedence: <=> ; => (right-associative) ; | ; ^ or & ; ~ ; == ~=
// != <= >= < > ; + - ; *. A Boolean counts as 0 or 1 in a sum. Names may contain '-', so a
// difference needs spaces around the minus sign. A prime may stand before or after the
// arguments. One side of a product must be constant: every expression stays linear and can be
// compiled into the problem.
package expr
