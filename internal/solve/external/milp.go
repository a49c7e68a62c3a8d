package external

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// Tolerances of solvers that compute in floating point.
const (
	// integrality is how far from a whole number a value may be: ten times what
	// the loosest of the solvers takes for whole (1e-5), no more than rounding.
	integrality = 1e-4
	// slack is what a bound may be too high by, relative to its size: the
	// solvers' feasibility and optimality tolerances are 1e-6 and below.
	slack = 1e-6
	// largest is where double precision ceases to tell whole numbers apart.
	largest = 1 << 53
)

// whole rounds a value that is a whole number up to rounding.
func whole(x float64) (int64, bool) {
	r := math.Round(x)
	if !(math.Abs(r) < largest) || math.Abs(x-r) > integrality*max(1, math.Abs(x)*1e-3) {
		return 0, false
	}
	return int64(r), true
}

// RoundBound returns the least whole number that a dual bound of a solver that
// computes in floating point proves for a minimum that is a whole number. It is
// nil for a bound of no use, an infinite one or one beyond 2^53.
func RoundBound(x float64) *int64 {
	x -= slack * max(1, math.Abs(x))
	if !(math.Abs(x) < largest) {
		return nil
	}
	b := int64(math.Ceil(x))
	return &b
}

// milp reads a MILP solver's log and solution file.
type milp struct {
	format  milpFormat
	logs    []logPattern
	report  func(Progress)
	a       Answer
	verdict Status // of the log; Optimal and Unsatisfiable are final
	best    *int64 // objective of the best solution that the log tells of
}

func newMILP(f milpFormat, report func(Progress)) *milp {
	return &milp{format: f, logs: patterns(f), report: report}
}

func (m *milp) answer() *Answer { return &m.a }

// line looks for a verdict, an incumbent and a bound in a line of the log. Logs
// are for people, so that what is not understood is not read; only the solution
// file must be.
func (m *milp) line(text []byte) error {
	for i := range m.logs {
		l := &m.logs[i]
		groups := l.re.FindSubmatch(text)
		if groups == nil {
			continue
		}
		if l.verdict != Unknown {
			m.verdict = l.verdict
		}
		changed := false
		if l.objective > 0 {
			if x, err := strconv.ParseFloat(string(groups[l.objective]), 64); err == nil {
				if v, ok := whole(x); ok && math.Abs(x) < 1e19 && (m.best == nil || *m.best != v) {
					m.best, changed = &v, true
				}
			}
		}
		if l.bound > 0 {
			if x, err := strconv.ParseFloat(string(groups[l.bound]), 64); err == nil {
				if b := RoundBound(x); b != nil && math.Abs(x) < 1e19 && (m.a.Bound == nil || *m.a.Bound < *b) {
					m.a.Bound, changed = b, true
				}
			}
		}
		if l.nodes > 0 {
			if n, err := strconv.ParseInt(string(groups[l.nodes]), 10, 64); err == nil {
				m.a.Nodes = n
			}
		}
		if changed {
			m.report(Progress{Objective: m.best, Bound: m.a.Bound, Nodes: m.a.Nodes})
		}
		break
	}
	return nil
}

func (m *milp) end(text []byte, limited bool) error {
	if len(bytes.TrimSpace(text)) == 0 {
		if m.verdict == Unsatisfiable {
			m.a = Answer{Status: Unsatisfiable, Nodes: m.a.Nodes}
			return nil
		}
		if m.verdict == Optimal && !limited {
			return &OutputError{Msg: "it claims an optimum and wrote no solution file"}
		}
		return errNoAnswer
	}
	read, ok := readers[m.format]
	if m.format == anyFormat {
		read, ok = readers[detect(text)]
	}
	if !ok {
		first, _, _ := bytes.Cut(text, []byte("\n"))
		return &OutputError{Line: string(first), Msg: "expected a solution file of CBC, GLPK, SCIP, CPLEX, Gurobi or HiGHS"}
	}
	s := solution{}
	if err := read(text, &s); err != nil {
		if limited {
			return errNoAnswer // it was killed as it wrote
		}
		return err
	}
	if s.status == Satisfiable || s.status == Unknown {
		// Some files do not tell a proven solution from another, the log does.
		if s.values && m.verdict == Optimal {
			s.status = Optimal
		}
		if !s.values && m.verdict == Unsatisfiable {
			s.status = Unsatisfiable
		}
	}
	switch {
	case s.status == Unsatisfiable:
		m.a = Answer{Status: Unsatisfiable, Nodes: m.a.Nodes}
	case !s.values:
		if s.status == Optimal {
			return &OutputError{Msg: "it claims an optimum and its solution file has no values"}
		}
		m.a.Status = Unknown
	default:
		m.a.Status, m.a.True, m.a.Objective = max(s.status, Satisfiable), s.trueVars, s.objective
		if m.a.Status == Optimal && s.objective != nil {
			m.a.Bound = s.objective
		}
	}
	return nil
}

// solution collects what a solution file contains.
type solution struct {
	status    Status
	objective *int64
	values    bool // there is a solution; its columns that are 1 are in trueVars
	trueVars  map[int32]bool
}

// start notes that columns follow.
func (s *solution) start() {
	if !s.values {
		s.values, s.trueVars = true, map[int32]bool{}
	}
}

// setObjective takes the objective's value.
func (s *solution) setObjective(text string) error {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return &OutputError{Line: text, Msg: "expected the objective's value"}
	}
	v, ok := whole(x)
	if !ok {
		return &OutputError{Line: text, Msg: "expected a whole number for the objective's value"}
	}
	s.objective = &v
	return nil
}

// column takes the value of a column; the column one carries a constant.
func (s *solution) column(name, value string) error {
	x, err := strconv.ParseFloat(value, 64)
	v, ok := whole(x)
	if strings.HasPrefix(name, "n") && err == nil && ok {
		return nil // an integer, whose value follows from those of others
	}
	if err != nil || !ok || v < 0 || v > 1 {
		return &OutputError{Line: name + " " + value, Msg: "expected the value 0 or 1 for a column"}
	}
	if name == "one" {
		return nil
	}
	digits, isX := strings.CutPrefix(name, "x")
	n, err := strconv.ParseInt(digits, 10, 32)
	if !isX || err != nil || n < 1 {
		return &OutputError{Line: name + " " + value, Msg: "expected a column x1, x2, ... or one"}
	}
	if v == 1 {
		s.trueVars[int32(n)] = true
	}
	return nil
}

// readers reads the solution files of the formats.
var readers = map[milpFormat]func([]byte, *solution) error{
	cbcFormat:    readCBC,
	glpkFormat:   readGLPK,
	scipFormat:   readSCIP,
	cplexFormat:  readCPLEX,
	gurobiFormat: readGurobi,
	highsFormat:  readHiGHS,
}

// detect tells whose solution file it is, anyFormat where it is nobody's.
func detect(text []byte) milpFormat {
	first, _, _ := bytes.Cut(bytes.TrimLeft(text, "\ufeff \t\r\n"), []byte("\n"))
	switch {
	case bytes.HasPrefix(first, []byte("<?xml")), bytes.HasPrefix(first, []byte("<CPLEXSolution")):
		return cplexFormat
	case bytes.HasPrefix(first, []byte("Model status")):
		return highsFormat
	case bytes.HasPrefix(first, []byte("solution status:")):
		return scipFormat
	case bytes.HasPrefix(first, []byte("# Solution for model")), bytes.HasPrefix(first, []byte("# Objective value")):
		return gurobiFormat
	case bytes.HasPrefix(first, []byte("Problem:")):
		return glpkFormat
	case bytes.Contains(first, []byte("objective value")):
		return cbcFormat
	}
	return anyFormat
}
