// Package actions learns lifted action models from trajectories: what each action needs and does, as functions of the objects that it names.
//
// What an action needs is known within a bracket. The safe side is what every precondition of a class allows that no row contradicts; it is the
// conjunction of all literals, clauses, linear equations and inequalities that held in all rows. The optimistic side is what some precondition of the
// class allows; rows in which the action failed narrow it.
//
// What an action does is the shortest function that no row contradicts. Where several are as short, the safe side keeps to states in which they agree.
package actions
