package format

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/model/cnf"
)

// wcnfDialect is the format of the MaxSAT Evaluation since 2022: no header, h before a hard
// clause, the weight before a soft one. The soft clauses come last; each states that a cost
// is avoided.
type wcnfDialect struct{}

func (wcnfDialect) header(*cnf.Sizes) string { return "" }

func (wcnfDialect) hard(*cnf.Sizes) string { return "h " }

func (wcnfDialect) soft() bool { return true }

// wcnfOldDialect is the format before 2022: p wcnf VARIABLES CLAUSES TOP, and the weight TOP,
// one more than the sum of all soft weights, before a hard clause.
type wcnfOldDialect struct{}

func (wcnfOldDialect) header(s *cnf.Sizes) string {
	t := s.Total()
	return fmt.Sprintf("p wcnf %d %d %d\n", t.Variables, t.Clauses+s.Soft, s.Weight+1)
}

func (wcnfOldDialect) hard(s *cnf.Sizes) string { return fmt.Sprintf("%d ", s.Weight+1) }

func (wcnfOldDialect) soft() bool { return true }
