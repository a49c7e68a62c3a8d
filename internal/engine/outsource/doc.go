// Package outsource holds the engines that leave the solving to an outside
// program: MaxSAT, the paper's FD-SAT-Plan+ with any solver of weighted partial
// MaxSAT in the place of its MaxHS, and PB, with any pseudo-Boolean solver. The
// model goes out as a file of package format, through package external.
//
// Nothing that a solver says is believed. A Judge replays every plan with the
// independent checker, counts its reward again, and compares verdicts and bounds
// with one another and with plans that are known from elsewhere. A solver that
// contradicts itself or what was checked is a *LieError that names it. What
// cannot be checked remains: that a plan is the best, or that there is none, is
// the solver's word.
package outsource
