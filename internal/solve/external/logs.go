package external

import (
	"regexp"
	"sync"
)

// logPattern says what a line of a log tells: a verdict, or in groups of the
// expression the objective of an incumbent, a bound, a number of nodes.
type logPattern struct {
	re                      *regexp.Regexp
	verdict                 Status
	objective, bound, nodes int
}

const number = `([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)`

// logs are the lines that tell something, by solver; the first that matches
// counts. They are compiled when a log is read: compiling them takes as long as
// planning in a small problem.
var logs = map[milpFormat]func() []logPattern{
	cbcFormat: sync.OnceValue(func() []logPattern {
		return []logPattern{
			{re: regexp.MustCompile(`^Result - Optimal solution found`), verdict: Optimal},
			{re: regexp.MustCompile(`^Result - (?:Problem proven infeasible|Linear relaxation infeasible)`), verdict: Unsatisfiable},
			{re: regexp.MustCompile(`^Cbc0010I After ([0-9]+) nodes, .* ` + number + ` best solution, best possible ` + number), nodes: 1, objective: 2, bound: 3},
			{re: regexp.MustCompile(`^Cbc00(?:04|12|16)I Integer solution of ` + number + ` found`), objective: 1},
			{re: regexp.MustCompile(`^Lower bound: +` + number), bound: 1},
			{re: regexp.MustCompile(`^Enumerated nodes: +([0-9]+)`), nodes: 1},
		}
	}),
	glpkFormat: sync.OnceValue(func() []logPattern {
		return []logPattern{
			{re: regexp.MustCompile(`HAS NO (?:PRIMAL|INTEGER) FEASIBLE SOLUTION`), verdict: Unsatisfiable},
			{re: regexp.MustCompile(`^INTEGER OPTIMAL SOLUTION FOUND`), verdict: Optimal},
			{re: regexp.MustCompile(`^\+ *([0-9]+): (?:mip =|>>>>>) +` + number + ` +>= +` + number), objective: 2, bound: 3},
			{re: regexp.MustCompile(`^\+ *[0-9]+: mip = +not found yet +>= +` + number), bound: 1},
			{re: regexp.MustCompile(`^\+ *[0-9]+: (?:mip =|>>>>>) +` + number), objective: 1},
		}
	}),
	scipFormat: sync.OnceValue(func() []logPattern {
		return []logPattern{
			{re: regexp.MustCompile(`^SCIP Status +: problem is solved \[optimal solution found\]`), verdict: Optimal},
			{re: regexp.MustCompile(`^SCIP Status +: problem is solved \[infeasible\]`), verdict: Unsatisfiable},
			{re: regexp.MustCompile(`^Primal Bound +: ` + number), objective: 1},
			{re: regexp.MustCompile(`^Dual Bound +: ` + number), bound: 1},
			{re: regexp.MustCompile(`^[^|]*[0-9]s\| *([0-9]+)k? *\|.*\| *` + number + ` *\| *` + number + ` *\| *[0-9.a-zA-Z]+%? *\|[^|]*$`), nodes: 1, bound: 2, objective: 3},
			{re: regexp.MustCompile(`^[^|]*[0-9]s\| *([0-9]+)k? *\|.*\| *` + number + ` *\| *-- *\| *[0-9.a-zA-Z]+%? *\|[^|]*$`), nodes: 1, bound: 2},
		}
	}),
	cplexFormat: sync.OnceValue(func() []logPattern {
		return []logPattern{
			{re: regexp.MustCompile(`^MIP - Integer optimal[^=]*Objective = +` + number), verdict: Optimal, objective: 1},
			{re: regexp.MustCompile(`^MIP - Integer infeasible(?: or unbounded)?\.`), verdict: Unsatisfiable},
			{re: regexp.MustCompile(`^MIP - .*integer feasible: +Objective = +` + number), objective: 1},
			{re: regexp.MustCompile(`^Found incumbent of value ` + number), objective: 1},
			{re: regexp.MustCompile(`^Current MIP best bound = +` + number), bound: 1},
			{re: regexp.MustCompile(`^\*? +([0-9]+)\+? +[0-9]+ .* ` + number + ` +` + number + ` +[0-9]+ +[0-9.]+%$`), nodes: 1, objective: 2, bound: 3},
			{re: regexp.MustCompile(`^\* +([0-9]+)\+ +[0-9]+ +` + number + ` +` + number + ` +[0-9.]+%`), nodes: 1, objective: 2, bound: 3},
		}
	}),
	gurobiFormat: sync.OnceValue(func() []logPattern {
		return []logPattern{
			{re: regexp.MustCompile(`^Optimal solution found`), verdict: Optimal},
			{re: regexp.MustCompile(`^(?:Model is infeasible|Infeasible model)`), verdict: Unsatisfiable},
			{re: regexp.MustCompile(`^Best objective ` + number + `, best bound ` + number), objective: 1, bound: 2},
			{re: regexp.MustCompile(`^Best objective -, best bound ` + number), bound: 1},
			{re: regexp.MustCompile(`^Found heuristic solution: objective ` + number), objective: 1},
			{re: regexp.MustCompile(`^[H*]? *([0-9]+) +[0-9]+ .* ` + number + ` +` + number + ` +[0-9.]+% `), nodes: 1, objective: 2, bound: 3},
			{re: regexp.MustCompile(`^Explored ([0-9]+) nodes`), nodes: 1},
		}
	}),
	highsFormat: sync.OnceValue(func() []logPattern {
		return []logPattern{
			{re: regexp.MustCompile(`^ *(?:Model status|Status) *:? +Optimal`), verdict: Optimal},
			{re: regexp.MustCompile(`^ *(?:Model status|Status) *:? +Infeasible`), verdict: Unsatisfiable},
			{re: regexp.MustCompile(`^ *[A-Za-z]? +([0-9]+) +[0-9]+ +[0-9]+ +[0-9.]+% +` + number + ` +` + number + ` `), nodes: 1, bound: 2, objective: 3},
			{re: regexp.MustCompile(`^ *[A-Za-z]? +([0-9]+) +[0-9]+ +[0-9]+ +[0-9.]+% +` + number + ` +inf `), nodes: 1, bound: 2},
			{re: regexp.MustCompile(`^ +Primal bound +` + number), objective: 1},
			{re: regexp.MustCompile(`^ +Dual bound +` + number), bound: 1},
			{re: regexp.MustCompile(`^ +Nodes +([0-9]+)`), nodes: 1},
		}
	}),
}

// patterns returns the lines of a solver's log, of all solvers' for a command that
// may run any.
func patterns(f milpFormat) []logPattern {
	if f != anyFormat {
		return logs[f]()
	}
	var all []logPattern
	for f := cbcFormat; f <= highsFormat; f++ {
		all = append(all, logs[f]()...)
	}
	return all
}
