package external

import (
	"bytes"
	"math"
	"strings"

	"github.com/fdplan/fdplan/internal/element"
)

// readCBC reads CBC's solution file: the verdict and the objective, then a line
// for each column that is not 0, NUMBER NAME VALUE COST, with ** in front where a
// bound is violated.
func readCBC(text []byte, s *solution) error {
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	verdict, value, ok := strings.Cut(strings.TrimSpace(string(head)), " - objective value ")
	if !ok {
		return &OutputError{Line: string(head), Msg: "expected VERDICT - objective value NUMBER"}
	}
	switch {
	case strings.HasPrefix(verdict, "Optimal"):
		s.status = Optimal
	case strings.HasPrefix(verdict, "Infeasible"), strings.HasPrefix(verdict, "Integer infeasible"):
		s.status = Unsatisfiable
		return nil
	case strings.Contains(verdict, "no integer solution"), strings.HasPrefix(verdict, "Unbounded"), strings.HasPrefix(verdict, "Unknown"):
		return nil // what follows is the relaxation's
	case strings.HasPrefix(verdict, "Stopped"):
		s.status = Satisfiable
	default:
		return &OutputError{Line: string(head), Msg: "unknown verdict"}
	}
	if strings.HasPrefix(strings.TrimSpace(value), "1e+50") {
		s.status = Unknown // what stands for no solution
		return nil
	}
	if err := s.setObjective(value); err != nil {
		return err
	}
	s.start()
	for line := range bytes.Lines(rest) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(string(line)), "**"))
		if len(f) == 0 {
			continue
		}
		if len(f) != 4 {
			return &OutputError{Line: string(line), Msg: "expected NUMBER NAME VALUE COST"}
		}
		if err := s.column(f[1], f[2]); err != nil {
			return err
		}
	}
	return nil
}

// readGLPK reads glpsol's report: Status: and Objective: lines, a table of
// rows, and the table of columns, NUMBER NAME [*] VALUE LOWER UPPER, where a
// long name has a line of its own.
func readGLPK(text []byte, s *solution) error {
	seen, columns := false, false
	var pending []string // a number and a name whose value comes on the next line
	for line := range bytes.Lines(text) {
		t := strings.TrimSpace(string(line))
		f := append(pending, strings.Fields(t)...)
		pending = nil
		switch {
		case strings.HasPrefix(t, "Status:"):
			seen = true
			switch status := strings.TrimSpace(t[len("Status:"):]); status {
			case "INTEGER OPTIMAL", "OPTIMAL":
				s.status = Optimal
			case "INTEGER NON-OPTIMAL":
				s.status = Satisfiable
			case "INTEGER EMPTY", "INFEASIBLE (FINAL)":
				s.status = Unsatisfiable
				return nil
			case "INTEGER UNDEFINED", "UNDEFINED", "FEASIBLE", "INFEASIBLE (INTERMEDIATE)", "UNBOUNDED":
				return nil
			default:
				return &OutputError{Line: t, Msg: "unknown status"}
			}
		case strings.HasPrefix(t, "Objective:"):
			_, value, _ := strings.Cut(t, "= ")
			value, _, _ = strings.Cut(value, " ")
			if err := s.setObjective(value); err != nil {
				return err
			}
		case strings.Contains(t, "Column name"):
			columns = true
			s.start()
		case t == "":
			if columns {
				return nil
			}
		case !columns || t[0] == '-' || len(f) < 2:
		case len(f) == 2:
			pending = f
		default:
			value := f[2]
			if value == "*" && len(f) > 3 {
				value = f[3]
			}
			if err := s.column(f[1], value); err != nil {
				return err
			}
		}
	}
	if !seen {
		return &OutputError{Msg: "the report of glpsol has no status"}
	}
	if !columns {
		return &OutputError{Msg: "the report of glpsol has no columns"}
	}
	return nil
}

// readSCIP reads what SCIP's "write solution" makes: the status, the objective,
// then NAME VALUE (obj:COST) for each column that is not 0.
func readSCIP(text []byte, s *solution) error {
	seen := false
	for line := range bytes.Lines(text) {
		t := strings.TrimSpace(string(line))
		switch {
		case t == "" || strings.HasPrefix(t, "#"):
		case strings.HasPrefix(t, "solution status:"):
			seen = true
			switch status := strings.TrimSpace(t[len("solution status:"):]); {
			case status == "optimal solution found":
				s.status = Optimal
			case status == "infeasible":
				s.status = Unsatisfiable
				return nil
			}
		case strings.HasPrefix(t, "no solution available"):
			return nil
		case strings.HasPrefix(t, "objective value:"):
			if err := s.setObjective(t[len("objective value:"):]); err != nil {
				return err
			}
			s.start()
		default:
			if !s.values {
				return &OutputError{Line: t, Msg: "expected NAME VALUE"}
			}
			if err := s.nameValue(t, math.MaxInt); err != nil {
				return err
			}
		}
	}
	if !seen {
		return &OutputError{Msg: "the solution file of SCIP has no status"}
	}
	return nil
}

// readGurobi reads a .sol file: comments, one with the objective, then NAME
// VALUE. It holds a solution; whether it is proven, the log tells.
func readGurobi(text []byte, s *solution) error {
	s.start()
	for line := range bytes.Lines(text) {
		t := strings.TrimSpace(string(line))
		if comment, ok := strings.CutPrefix(t, "#"); ok || t == "" {
			if _, value, ok := strings.Cut(comment, "Objective value ="); ok {
				if err := s.setObjective(value); err != nil {
					return err
				}
			}
			continue
		}
		if err := s.nameValue(t, 2); err != nil {
			return err
		}
	}
	s.status = Satisfiable
	return nil
}

// readHiGHS reads a raw solution file: the model status on the second line, the
// primal values from "# Columns" to "# Rows".
func readHiGHS(text []byte, s *solution) error {
	before := ""
	columns, feasible, seen := false, false, false
	for line := range bytes.Lines(text) {
		t := strings.TrimSpace(string(line))
		switch {
		case before == "Model status":
			seen = true
			switch t {
			case "Optimal":
				s.status = Optimal
			case "Infeasible":
				s.status = Unsatisfiable
				return nil
			}
		case before == "# Primal solution values":
			feasible = t == "Feasible"
			if !feasible {
				return nil
			}
		case strings.HasPrefix(t, "Objective ") && feasible && !columns:
			if err := s.setObjective(t[len("Objective "):]); err != nil {
				return err
			}
		case strings.HasPrefix(t, "# Columns"):
			columns = true
			s.start()
		case strings.HasPrefix(t, "# Rows"), strings.HasPrefix(t, "# Dual"):
			return nil
		case columns && t != "":
			if err := s.nameValue(t, math.MaxInt); err != nil {
				return err
			}
		}
		before = t
	}
	if !seen {
		return &OutputError{Msg: "the solution file of HiGHS has no model status"}
	}
	return nil
}

// nameValue reads a line NAME VALUE of at most so many words.
func (s *solution) nameValue(line string, most int) error {
	f := strings.Fields(line)
	if len(f) < 2 || len(f) > most {
		return &OutputError{Line: line, Msg: "expected NAME VALUE"}
	}
	return s.column(f[0], f[1])
}

// readCPLEX reads the XML that CPLEX's "write x.sol" makes.
func readCPLEX(text []byte, s *solution) error {
	e, err := element.Read(bytes.NewReader(text), func(string, int) error { return nil })
	if err != nil {
		return &OutputError{Msg: "the solution file of CPLEX is no XML: " + err.Error()}
	}
	var header element.Element
	var variables []*element.Element
	for _, x := range e.Elements {
		switch x.Name {
		case "header":
			header = *x
		case "variables":
			variables = append(variables, x.Elements...)
		}
	}
	// The codes of CPXgetstat: 1 and 101 are optimal; 102 is optimal within the
	// gap that was asked, which is 0; 3, 103 and 106-118 mean what they say.
	switch header.Attribute("solutionStatusValue") {
	case "1", "101", "102":
		s.status = Optimal
	case "3", "103":
		s.status = Unsatisfiable
		return nil
	case "", "0":
		return &OutputError{Msg: "the solution file of CPLEX has no status"}
	}
	if len(variables) == 0 {
		return nil
	}
	s.start()
	s.status = max(s.status, Satisfiable)
	if err := s.setObjective(header.Attribute("objectiveValue")); err != nil {
		return err
	}
	for _, v := range variables {
		if err := s.column(v.Attribute("name"), v.Attribute("value")); err != nil {
			return err
		}
	}
	return nil
}
