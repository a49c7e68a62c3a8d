package external

import "slices"

// milpFormat names the log and the solution file of a MILP solver.
type milpFormat uint8

const (
	anyFormat milpFormat = iota // told by the file's first lines
	cbcFormat
	glpkFormat
	scipFormat
	cplexFormat
	gurobiFormat
	highsFormat
)

// startFormat names the file that holds a start solution.
type startFormat uint8

const (
	noStart     startFormat = iota
	cbcStart                // a solution file of CBC
	plainStart              // NAME VALUE lines, as SCIP and Gurobi read them
	highsStart              // a raw solution file of HiGHS
	cplexStart              // CPLEX's XML
	startFile   = "start"   // the file's name, with an extension
	optionsFile = "options" // likewise
)

// What solvers print.
const (
	literals = "`s`, `o`, `v` lines, literals or bits"
	lsv      = "`s`, `o`, `v` lines"
)

// known returns the table of known solvers. Where a solver has a gap at which it
// stops by default, the gap is set to 0: an optimum here is an optimum.
func known() []Solver {
	return slices.Concat(satSolvers(), maxSATSolvers(), pbSolvers(), milpSolvers())
}

func satSolvers() []Solver {
	return []Solver{
		{
			Name: "cadical", Kind: SAT, Dialect: CNF, Programs: []string{"cadical"},
			Install: "Debian package cadical", Stdin: true,
			Args: []string{"-q", "{time}"}, Time: []string{"-t", "{seconds}"},
			Output: "`s`, `v` lines",
		},
	}
}

func maxSATSolvers() []Solver {
	return []Solver{
		{
			// The old dialect, because releases before 2022 read no other.
			Name: "maxhs", Kind: MaxSAT, Dialect: WCNFOld, Programs: []string{"maxhs"},
			Install: "https://github.com/fbacchus/MaxHS (needs CPLEX)",
			Args:    []string{"-printSoln", "-printBstSoln", "-no-printOptions", "{time}", "{in}"},
			Time:    []string{"-cpu-lim={seconds}"},
			Output:  literals,
		},
		{
			// Verbose enough for v lines, which come last.
			Name: "rc2", Kind: MaxSAT, Dialect: WCNFOld, Programs: []string{"rc2.py", "rc2"},
			Install: "Python package python-sat",
			Args:    []string{"-vv", "{time}", "{in}"}, Time: []string{"-T", "{seconds}"},
			Output: literals,
		},
		{
			Name: "uwrmaxsat", Kind: MaxSAT, Dialect: WCNF, Programs: []string{"uwrmaxsat"},
			Install: "https://github.com/marekpiotrow/UWrMaxSat",
			Args:    []string{"-m", "-v1", "-bm", "{time}", "{in}"}, Time: []string{"-cpu-lim={seconds}"},
			Output: literals,
		},
		{
			// SIGTERM makes it print the best solution; it knows no time limit
			// but one that steers its strategy.
			Name: "evalmaxsat", Kind: MaxSAT, Dialect: WCNF, Programs: []string{"EvalMaxSAT_bin", "EvalMaxSAT", "evalmaxsat"},
			Install: "https://github.com/FlorentAvellaneda/EvalMaxSAT",
			Args:    []string{"{in}"}, Output: literals,
		},
		{
			Name: "open-wbo", Kind: MaxSAT, Dialect: WCNFOld, Programs: []string{"open-wbo", "open-wbo_release"},
			Install: "https://github.com/sat-group/open-wbo",
			Args:    []string{"{time}", "{in}"}, Time: []string{"-cpu-lim={seconds}"},
			Output: literals,
		},
		{
			// On standard input: clasp cuts file names at commas.
			Name: "clasp", Kind: MaxSAT, Dialect: WCNFOld, Programs: []string{"clasp"},
			Install: "Debian package clasp", Stdin: true,
			Args: []string{"{time}", "{threads}"}, Time: []string{"--time-limit={seconds}"}, Threads: []string{"--parallel-mode={threads}"},
			Output: lsv,
		},
	}
}

func pbSolvers() []Solver {
	return []Solver{
		{
			Name: "clasp", Kind: PB, Dialect: OPB, Programs: []string{"clasp"},
			Install: "Debian package clasp", Stdin: true,
			Args: []string{"{time}", "{threads}"}, Time: []string{"--time-limit={seconds}"}, Threads: []string{"--parallel-mode={threads}"},
			Output: lsv,
		},
		{
			Name: "roundingsat", Kind: PB, Dialect: OPB, Programs: []string{"roundingsat"},
			Install: "https://gitlab.com/MIAOresearch/software/roundingsat",
			Args:    []string{"--print-sol=1", "{time}", "{in}"}, Time: []string{"--time-limit={seconds}"},
			Output: lsv,
		},
		{
			Name: "exact", Kind: PB, Dialect: OPB, Programs: []string{"exact", "Exact"},
			Install: "https://gitlab.com/nonfiction-software/exact",
			Args:    []string{"--print-sol", "{time}", "{in}"}, Time: []string{"--timeout={seconds}"},
			Output: lsv,
		},
	}
}

// scip is SCIP with commands that come first.
func scip(name string, commands ...string) Solver {
	return Solver{
		Name: name, Kind: MILP, Dialect: LP, Programs: []string{"scip"}, Install: "https://scipopt.org",
		Args: append(commands, "{time}", "-c", "read {in}", "{start}", "-c", "optimize", "-c", "write solution {out}", "-c", "quit"),
		Time: []string{"-c", "set limits time {seconds}"}, Start: []string{"-c", "read {start}"},
		Output: "solution file, log", format: scipFormat, start: plainStart,
	}
}

func milpSolvers() []Solver {
	return []Solver{
		{
			Name: "cbc", Kind: MILP, Dialect: LP, Programs: []string{"cbc"}, Install: "Debian package coinor-cbc",
			Args: []string{"{in}", "{time}", "{threads}", "{start}", "solve", "solution", "{out}"},
			Time: []string{"seconds", "{seconds}", "timeMode", "elapsed"}, Threads: []string{"threads", "{threads}"}, Start: []string{"mipStart", "{start}"},
			Output: "solution file, log", format: cbcFormat, start: cbcStart,
		},
		{
			Name: "glpsol", Kind: MILP, Dialect: LP, Programs: []string{"glpsol"}, Install: "Debian package glpk-utils",
			Args: []string{"--lp", "{in}", "{time}", "-o", "{out}"}, Time: []string{"--tmlim", "{seconds}"},
			Output: "solution file, log", format: glpkFormat,
		},
		scip("scip"),
		// By conflicts and propagation: rows of neurons have weak relaxations.
		scip("scip-cp", "-c", "set emphasis cpsolver"),
		{
			Name: "cplex", Kind: MILP, Dialect: LP, Programs: []string{"cplex"}, Install: "https://www.ibm.com/products/ilog-cplex-optimization-studio",
			Args: []string{"-c", "read {in}", "{time}", "{threads}", "{start}", "set mip tolerances mipgap 0", "mipopt", "write {out}", "quit"},
			Time: []string{"set timelimit {seconds}"}, Threads: []string{"set threads {threads}"}, Start: []string{"read {start}"},
			Output: "solution file (XML), log", format: cplexFormat, start: cplexStart,
		},
		{
			Name: "gurobi_cl", Kind: MILP, Dialect: LP, Programs: []string{"gurobi_cl"}, Install: "https://www.gurobi.com",
			Args: []string{"MIPGap=0", "{time}", "{threads}", "{start}", "ResultFile={out}", "{in}"},
			Time: []string{"TimeLimit={seconds}"}, Threads: []string{"Threads={threads}"}, Start: []string{"InputFile={start}"},
			Output: "solution file, log", format: gurobiFormat, start: plainStart,
		},
		{
			Name: "highs", Kind: MILP, Dialect: LP, Programs: []string{"highs", "fdplan-highs"}, Install: "https://highs.dev (Debian 13 package highs), or, in a checkout, bash .ci/tools",
			Args: []string{"--options_file", "{options}", "{time}", "{start}", "--solution_file", "{out}", "{in}"},
			Time: []string{"--time_limit", "{seconds}"}, Start: []string{"--read_solution_file", "{start}"},
			Options: "mip_rel_gap = 0\nthreads = {threads}\nlog_file = \n", // else it leaves Highs.log in the folder
			Output:  "solution file, log", format: highsFormat, start: highsStart,
		},
	}
}
