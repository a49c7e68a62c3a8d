package format

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/model/cnf"
)

// cnfDialect is DIMACS CNF: p cnf VARIABLES CLAUSES, then one clause per line.
type cnfDialect struct{}

func (cnfDialect) header(s *cnf.Sizes) string {
	t := s.Total()
	return fmt.Sprintf("p cnf %d %d\n", t.Variables, t.Clauses)
}

func (cnfDialect) hard(*cnf.Sizes) string { return "" }

func (cnfDialect) soft() bool { return false }
