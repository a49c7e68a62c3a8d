// Package expr implements the language of properties, side constraints, goals and rewards:
// Boolean and numeric expressions over a problem's state, action and, with a prime, next-state
// variables, in RDDL's operators.
//
//	robot-at(x14,y12) => ~move-north
//	age(c1) + 2*age(c2) <= 3 ^ running'(c1)
//	if (pump > 0) then level/pump >= 2.5 else max[level, 1] <= 3
//
// Operators by increasing precedence: <=> ; => (right-associative) ; | ; ^ or & ; ~ ; == ~=
// != <= >= < > ; + - ; * /. A Boolean counts as 0 or 1 in a sum. Names may contain '-', so a
// difference needs spaces around the minus sign. A prime may stand before or after the
// arguments. Functions are min, max and abs, with arguments in square or round brackets.
//
// Values are fractions, and quantities of fixed decimals stand for their numbers. Eval computes
// them; Require, Goal, End and SetReward compile them into linear constraints of the problem: sums stay
// sums, products become sums of conjunctions of bits, quotients in comparisons are multiplied
// out. The constraints carry what was written, which checkers evaluate by Eval's rules.
package expr
