package external

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

// numbers lists the true variables.
func numbers(m map[int32]bool) []int32 {
	if m == nil {
		return nil
	}
	return append([]int32{}, slices.Sorted(maps.Keys(m))...)
}

func value(p *int64) int64 {
	if p == nil {
		return none
	}
	return *p
}

const none = -999

// outcome is what a test expects of an answer.
type outcome struct {
	status           Status
	objective, bound int64
	true             []int32
	err              string // part of the error's text
}

func (w *outcome) check(t *testing.T, a *Answer, err error) {
	t.Helper()
	if w.err != "" {
		var o *OutputError
		if err == nil || !strings.Contains(err.Error(), w.err) || !errors.As(err, &o) && !errors.Is(err, errNoAnswer) {
			t.Errorf("error %v, expected one with %q", err, w.err)
		}
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	if a.Status != w.status || value(a.Objective) != w.objective || value(a.Bound) != w.bound || !slices.Equal(numbers(a.True), w.true) {
		t.Errorf("%v, objective %d, bound %d, true %v; expected %+v", a.Status, value(a.Objective), value(a.Bound), numbers(a.True), *w)
	}
}

// feed hands lines and a solution file to a parser.
func feed(p parser, log, solution string, limited bool) error {
	for line := range strings.Lines(log) {
		if err := p.line([]byte(strings.TrimRight(line, "\n"))); err != nil {
			return err
		}
	}
	return p.end([]byte(solution), limited)
}

func TestCompetition(t *testing.T) {
	for _, c := range []struct {
		name      string
		kind      Kind
		variables int
		text      string
		want      outcome
	}{
		{"literals", MaxSAT, 3, "c hello\no 5\no 2\ns OPTIMUM FOUND\nv 1 -2 3 0\n", outcome{Optimal, 2, 2, []int32{1, 3}, ""}},
		{"literals over lines", PB, 3, "o -4\ns OPTIMUM FOUND\nv x1 -x2\nv x3\n", outcome{Optimal, -4, -4, []int32{1, 3}, ""}},
		{"bits", MaxSAT, 4, "o 7\ns OPTIMUM FOUND\nv 0101\n", outcome{Optimal, 7, 7, []int32{2, 4}, ""}},
		{"one bit", MaxSAT, 1, "o 7\ns OPTIMUM FOUND\nv 1\n", outcome{Optimal, 7, 7, []int32{1}, ""}},
		{"ten bits and no literal", MaxSAT, 10, "o 7\ns OPTIMUM FOUND\nv 1000000001\n", outcome{Optimal, 7, 7, []int32{1, 10}, ""}},
		{"two bits, no literal 10", MaxSAT, 2, "o 7\ns OPTIMUM FOUND\nv 10\n", outcome{Optimal, 7, 7, []int32{1}, ""}},
		{"the literal 10", MaxSAT, 12, "o 7\ns OPTIMUM FOUND\nv 10\n", outcome{Optimal, 7, 7, []int32{10}, ""}},
		{"bits of an unknown number", MaxSAT, 0, "o 7\ns OPTIMUM FOUND\nv 01\n", outcome{Optimal, 7, 7, []int32{2}, ""}},
		{"no true variable", MaxSAT, 2, "o 0\ns OPTIMUM FOUND\nv -1 -2 0\n", outcome{Optimal, 0, 0, []int32{}, ""}},
		{"verdict before objective", MaxSAT, 2, "s OPTIMUM FOUND\no 3\nv 1 -2\n", outcome{Optimal, 3, 3, []int32{1}, ""}},
		{"objective after values", MaxSAT, 2, "c Answer: 1\nv 1 -2 0\no 5\nc Answer: 2\nv -1 2 0\no 2\ns OPTIMUM FOUND\n", outcome{Optimal, 2, 2, []int32{2}, ""}},
		{"every incumbent with values", PB, 2, "o 5\nv x1 -x2\no 2\nv -x1 x2\ns OPTIMUM FOUND\n", outcome{Optimal, 2, 2, []int32{2}, ""}},
		{"incumbent", PB, 2, "o 5\ns SATISFIABLE\nv x1 -x2\n", outcome{Satisfiable, 5, none, []int32{1}, ""}},
		{"incumbent and bound", MaxSAT, 2, "c o >=3\no 5\ns SATISFIABLE\nv 10\n", outcome{Satisfiable, 5, 3, []int32{1}, ""}},
		{"no solution", SAT, 2, "s UNSATISFIABLE\n", outcome{Unsatisfiable, none, none, nil, ""}},
		{"unknown", PB, 2, "o 5\ns UNKNOWN\n", outcome{Unknown, none, none, nil, ""}},
		{"carriage returns and spaces", SAT, 2, "  s SATISFIABLE  \nv 1   -2  \nv 0\n", outcome{Satisfiable, none, none, []int32{1}, ""}},
		{"64 bits", PB, 1, "o -9223372036854775808\ns OPTIMUM FOUND\nv x1\n", outcome{Optimal, -1 << 63, -1 << 63, []int32{1}, ""}},
		{"nothing", PB, 2, "", outcome{err: "no answer"}},
		{"no verdict", PB, 2, "o 5\nv x1\n", outcome{err: "no answer"}},
		{"no values", PB, 2, "o 5\ns OPTIMUM FOUND\n", outcome{err: "no v line"}},
		{"unknown verdict", PB, 2, "s MAYBE\n", outcome{err: `"s MAYBE"`}},
		{"two verdicts", PB, 2, "s SATISFIABLE\ns UNSATISFIABLE\n", outcome{err: "second verdict"}},
		{"objective of letters", PB, 2, "o five\n", outcome{err: `"o five"`}},
		{"objective too large", PB, 2, "o 9223372036854775808\n", outcome{err: "64-bit"}},
		{"no literal", PB, 2, "v x1 y2\n", outcome{err: `"y2"`}},
		{"two signs", PB, 2, "v --1\n", outcome{err: `"--1"`}},
		{"no variable that large", PB, 2, "v 99999999999\n", outcome{err: `"99999999999"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &competition{kind: c.kind, variables: c.variables, report: func(Progress) {}}
			err := feed(p, c.text, "", false)
			c.want.check(t, p.answer(), err)
		})
	}
}

func TestMILP(t *testing.T) {
	const (
		glpkHead = "Problem:\nRows:       2\nColumns:    3 (2 integer, 2 binary)\nNon-zeros:  3\nStatus:     %s\nObjective:  obj = 1 (MINimum)\n\n" +
			"   No.   Row name        Activity     Lower bound   Upper bound\n------ ------------    ------------- ------------- -------------\n     1 c1                          1                           1\n\n" +
			"   No. Column name       Activity     Lower bound   Upper bound\n------ ------------    ------------- ------------- -------------\n" +
			"     1 x1           *              1             0             1\n     2 x1234567890  \n                    *              0             0             1\n     3 one                         1             1             =\n\n" +
			"Integer feasibility conditions:\n"
		cplexHead = `<?xml version = "1.0" encoding="UTF-8" standalone="yes"?>` + "\n<CPLEXSolution version=\"1.2\">\n"
	)
	glpk := func(status string) string { return strings.Replace(glpkHead, "%s", status, 1) }
	cplex := func(code, rest string) string {
		return cplexHead + `<header problemName="p.lp" objectiveValue="1" solutionStatusValue="` + code + `" solutionStatusString="text"/>` + rest + "</CPLEXSolution>\n"
	}
	const cplexVariables = `<variables><variable name="x1" index="0" value="1"/><variable name="x12" index="1" value="-0"/><variable name="one" index="2" value="1"/></variables>`
	const gurobi = "# Solution for model obj\n# Objective value = 1\nx1 1\nx12 0\none 1\n"
	const highs = "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 1\n# Columns 3\nx1 1\nx12 0\none 1\n# Rows 2\nc1 1\nc2 1\n\n# Dual solution values\nNone\n"
	for _, c := range []struct {
		name     string
		format   milpFormat
		log      string
		solution string
		limited  bool
		want     outcome
	}{
		{"cbc optimal", cbcFormat, "", "Optimal - objective value 1.00000000\n      0 x1                     1                      -3\n      2 one                    1                       4\n", false, outcome{Optimal, 1, 1, []int32{1}, ""}},
		{"cbc rounded", cbcFormat, "", "Optimal - objective value 0.99999999\n**    0 x1  0.9999999  -3\n", false, outcome{Optimal, 1, 1, []int32{1}, ""}},
		{"cbc infeasible", cbcFormat, "", "Infeasible - objective value 1.0\n      0 x1     1     -1\n", false, outcome{Unsatisfiable, none, none, nil, ""}},
		{"cbc integer infeasible", cbcFormat, "", "Integer infeasible - objective value 1.5\n      0 x1     0.5     -1\n", false, outcome{Unsatisfiable, none, none, nil, ""}},
		{"cbc stopped", cbcFormat, "Cbc0010I After 12 nodes, 3 on tree, 9 best solution, best possible 3.2 (0.5 seconds)\n", "Stopped on time - objective value 9\n 0 x1 1 9\n", true, outcome{Satisfiable, 9, 4, []int32{1}, ""}},
		{"cbc stopped without", cbcFormat, "Cbc0010I After 12 nodes, 3 on tree, 1e+50 best solution, best possible 3.000000001 (0.5 seconds)\n", "Stopped on time (no integer solution - continuous used) - objective value 3.5\n 0 x1 0.5 9\n", true, outcome{Unknown, none, 3, nil, ""}},
		{"cbc fraction", cbcFormat, "", "Optimal - objective value 1\n 0 x1 0.5 0\n", false, outcome{err: `"x1 0.5"`}},
		{"cbc other column", cbcFormat, "", "Optimal - objective value 1\n 0 y 1 0\n", false, outcome{err: `"y 1"`}},
		{"cbc fractional objective", cbcFormat, "", "Optimal - objective value 1.5\n", false, outcome{err: "whole number"}},
		{"cbc nonsense", cbcFormat, "", "Optimal\n", false, outcome{err: `"Optimal"`}},
		{"cbc killed as it wrote", cbcFormat, "", "Optimal - objective value 1\n 0 x1", true, outcome{err: "no answer"}},
		{"nothing", cbcFormat, "", "", false, outcome{err: "no answer"}},

		{"glpk optimal", glpkFormat, "", glpk("INTEGER OPTIMAL"), false, outcome{Optimal, 1, 1, []int32{1}, ""}},
		{"glpk incumbent", glpkFormat, "+    67: >>>>>   1.000000000e+00 >=  -2.500000000e+00 350.0% (9; 0)\n", glpk("INTEGER NON-OPTIMAL"), true, outcome{Satisfiable, 1, -2, []int32{1}, ""}},
		{"glpk none yet", glpkFormat, "+    67: mip =     not found yet >=   2.500000000e+00        (9; 0)\n", glpk("INTEGER UNDEFINED"), true, outcome{Unknown, none, 3, nil, ""}},
		{"glpk infeasible", glpkFormat, "", glpk("INTEGER EMPTY"), false, outcome{Unsatisfiable, none, none, nil, ""}},
		{"glpk infeasible relaxation", glpkFormat, "PROBLEM HAS NO PRIMAL FEASIBLE SOLUTION\n", glpk("INTEGER UNDEFINED"), false, outcome{Unsatisfiable, none, none, nil, ""}},
		{"glpk without columns", glpkFormat, "", "Status: INTEGER OPTIMAL\nObjective: obj = 1 (MINimum)\n", false, outcome{err: "no columns"}},
		{"glpk nonsense", glpkFormat, "", "Status: INTEGER OPTIMAL\nObjective: obj = x (MINimum)\n", false, outcome{err: "objective"}},

		{"scip optimal", scipFormat, "", "solution status: optimal solution found\nobjective value:                                    1\nx1                                                  1 \t(obj:-3)\none                                                 1 \t(obj:4)\n", false, outcome{Optimal, 1, 1, []int32{1}, ""}},
		{"scip infeasible", scipFormat, "", "solution status: infeasible\nno solution available\n", false, outcome{Unsatisfiable, none, none, nil, ""}},
		{"scip incumbent", scipFormat, "  0.5s|     7 |     4 |    35 |   8.2 |   581k |  14 |  10 |  27 |  26 |  1 |  0 |  0 |   7 | 6.500000e-01 | 9.000000e+00 |1284.62%| unknown\nPrimal Bound       : +9.00000000000000e+00   (2 solutions)\nDual Bound         : +2.30000000000000e+00\n",
			"solution status: time limit reached\nobjective value: 9\nx1 1 (obj:9)\n", true, outcome{Satisfiable, 9, 3, []int32{1}, ""}},
		{"scip none yet", scipFormat, "Dual Bound         : +2.30000000000000e+00\nPrimal Bound       : +1.00000000000000e+20   (0 solutions)\n", "solution status: time limit reached\nno solution available\n", true, outcome{Unknown, none, 3, nil, ""}},

		{"cplex optimal", cplexFormat, "", cplex("101", cplexVariables), false, outcome{Optimal, 1, 1, []int32{1}, ""}},
		{"cplex incumbent", cplexFormat, "MIP - Time limit exceeded, integer feasible:  Objective =  1.0000000000e+00\nCurrent MIP best bound =  -4.2000000000e+00 (gap = 5.2, 520.00%)\n", cplex("107", cplexVariables), true, outcome{Satisfiable, 1, -4, []int32{1}, ""}},
		{"cplex infeasible", cplexFormat, "MIP - Integer infeasible.\nNo solution file written\n", "", false, outcome{Unsatisfiable, none, none, nil, ""}},
		{"cplex broken file", cplexFormat, "", "<?xml version='1.0'?><CPLEXSolution>", false, outcome{err: "XML"}},

		{"gurobi optimal", gurobiFormat, "Optimal solution found (tolerance 0.00e+00)\nBest objective 1.000000000000e+00, best bound 1.000000000000e+00, gap 0.0000%\n", gurobi, false, outcome{Optimal, 1, 1, []int32{1}, ""}},
		{"gurobi incumbent", gurobiFormat, "Found heuristic solution: objective 8.0000000\nTime limit reached\nBest objective 1.000000000000e+00, best bound -3.500000000000e+00, gap 450%\n", gurobi, true, outcome{Satisfiable, 1, -3, []int32{1}, ""}},
		{"gurobi infeasible", gurobiFormat, "Model is infeasible\n", "", false, outcome{Unsatisfiable, none, none, nil, ""}},
		{"gurobi claims and shows nothing", gurobiFormat, "Optimal solution found (tolerance 0.00e+00)\n", "", false, outcome{err: "no solution file"}},

		{"highs optimal", highsFormat, "", highs, false, outcome{Optimal, 1, 1, []int32{1}, ""}},
		{"highs incumbent", highsFormat, " R       5       2         1  12.50%   -3.25           1                425.00%        0      0      0       120     0.3s\n", strings.Replace(highs, "Optimal", "Time limit reached", 1), true, outcome{Satisfiable, 1, -3, []int32{1}, ""}},
		{"highs none yet", highsFormat, "         5       2         1  12.50%   3.25            inf                  inf        0      0      0       120     0.3s\n", "Model status\nTime limit reached\n\n# Primal solution values\nNone\n", true, outcome{Unknown, none, 4, nil, ""}},
		{"highs infeasible", highsFormat, "", "Model status\nInfeasible\n\n# Primal solution values\nNone\n", false, outcome{Unsatisfiable, none, none, nil, ""}},

		{"any: cbc", anyFormat, "", "Optimal - objective value 1\n 0 x1 1 0\n", false, outcome{Optimal, 1, 1, []int32{1}, ""}},
		{"any: glpk", anyFormat, "", glpk("INTEGER OPTIMAL"), false, outcome{Optimal, 1, 1, []int32{1}, ""}},
		{"any: scip", anyFormat, "", "solution status: optimal solution found\nobjective value: 1\nx1 1 (obj:1)\n", false, outcome{Optimal, 1, 1, []int32{1}, ""}},
		{"any: cplex", anyFormat, "", cplex("101", cplexVariables), false, outcome{Optimal, 1, 1, []int32{1}, ""}},
		{"any: gurobi", anyFormat, "Optimal solution found (tolerance 0.00e+00)\n", gurobi, false, outcome{Optimal, 1, 1, []int32{1}, ""}},
		{"any: highs", anyFormat, "", highs, false, outcome{Optimal, 1, 1, []int32{1}, ""}},
		{"any: nobody", anyFormat, "", "hello\nx1 1\n", false, outcome{err: `"hello"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMILP(c.format, func(Progress) {})
			err := feed(m, c.log, c.solution, c.limited)
			c.want.check(t, m.answer(), err)
		})
	}
}

// TestLogLines checks what single lines of logs tell.
func TestLogLines(t *testing.T) {
	for _, c := range []struct {
		format           milpFormat
		line             string
		objective, bound int64
		nodes            int64
	}{
		{cbcFormat, "Cbc0012I Integer solution of 9 found by DiveCoefficient after 47 iterations and 0 nodes (0.08 seconds)", 9, none, 0},
		{cbcFormat, "Cbc0010I After 1000 nodes, 20 on tree, 9 best solution, best possible 7.5 (10.00 seconds)", 9, 8, 1000},
		{cbcFormat, "Lower bound:                    -7.500", none, -7, 0},
		{glpkFormat, "+  1234: mip =   9.000000000e+00 >=   4.000000000e+00  55.6% (3; 0)", 9, 4, 0},
		{glpkFormat, "+  1234: >>>>>   9.000000000e+00 >=     tree is empty   0.0% (0; 9)", 9, none, 0},
		{cplexFormat, "Found incumbent of value 12.000000 after 0.01 sec. (0.12 ticks)", 12, none, 0},
		{cplexFormat, "*     0+    0                           12.0000        3.0000            75.00%", 12, 3, 0},
		{cplexFormat, "    120    37        5.5000    14       12.0000        4.0000     1403   66.67%", 12, 4, 120},
		{gurobiFormat, "H    0     0                      12.0000000    7.00000  41.7%     -    0s", 12, 7, 0},
		{gurobiFormat, "   104    12    8.00000    9    5   12.00000    7.50000  37.5%  12.3    5s", 12, 8, 104},
		{gurobiFormat, "Best objective -, best bound 7.5, gap -", none, 8, 0},
		{scipFormat, "* 0.1s|     1 |     0 |    35 |     - |   581k |   0 |  10 |  27 |  26 |  1 |  0 |  0 |   0 | 0.000000e+00 | 3.000000e+00 |    Inf | unknown", 3, 0, 1},
		{scipFormat, " 12.0s|   300 |     9 |    35 |   1.1 |   581k |   0 |  10 |  27 |  26 |  1 |  0 |  0 |   0 | 1.500000e+00 |      --      |    Inf |   2.35%", none, 2, 300},
		{highsFormat, " L       0       0         0   0.00%   1               9                 88.89%      122      4      0        55     0.0s", 9, 1, 0},
	} {
		var got Progress
		m := newMILP(c.format, func(p Progress) { got = p })
		if err := m.line([]byte(c.line)); err != nil {
			t.Fatal(err)
		}
		if value(got.Objective) != c.objective || value(got.Bound) != c.bound || got.Nodes != c.nodes {
			t.Errorf("%q: objective %d, bound %d, nodes %d; expected %d, %d, %d", c.line, value(got.Objective), value(got.Bound), got.Nodes, c.objective, c.bound, c.nodes)
		}
	}
}

func TestRoundBound(t *testing.T) {
	for x, want := range map[float64]int64{3: 3, 3.0000001: 3, 3.1: 4, 2.9999999: 3, -2.5: -2, -3: -3, 0: 0, 1e20: none, -1e20: none} {
		if got := value(RoundBound(x)); got != want {
			t.Errorf("%v: %d, expected %d", x, got, want)
		}
	}
}
