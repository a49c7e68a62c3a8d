package veripb

import (
	"errors"
	"io"
)

// problem is the content of an OPB file.
type problem struct {
	names       names
	constraints []*constraint
	optimise    bool   // there is an objective
	objective   []term // each variable once, not negated
	constant    num    // added to the objective
}

// readOPB reads the linear format of the pseudo-Boolean competitions: comment
// lines with *, an objective min: …; at most, then constraints with >= or =,
// each ended by a semicolon. An equation becomes two constraints, the one with
// >= first.
func readOPB(in io.Reader) (*problem, error) {
	p := &problem{}
	read := newLines("formula", in)
	var terms dense
	first := true
	open := false // a statement has begun on an earlier line
	s := statement{problem: p, terms: &terms}
	for {
		w, err := read.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(w.text) > 0 && w.text[0] == '*' {
			continue
		}
		for {
			word := w.next()
			if word == nil {
				break
			}
			if !open {
				s.begin()
				open = true
				if string(word) == "min:" {
					if !first {
						return nil, w.errorf("found \"min:\", expected it once, before the constraints")
					}
					first = false
					p.optimise, s.objective = true, true
					continue
				}
				first = false
			}
			done, err := s.take(&w, word)
			if err != nil {
				return nil, err
			}
			open = !done
		}
	}
	if open {
		w := words{file: "formula", line: read.line}
		return nil, w.errorf("the file ends inside a statement, expected \";\"")
	}
	return p, nil
}

// statement collects an objective or a constraint word by word, as it may
// cover several lines.
type statement struct {
	*problem
	terms     *dense
	objective bool
	coef      num
	hasCoef   bool   // a coefficient is waiting for its literal
	op        string // set once it has been read
	rhs       num
	hasRHS    bool
}

func (s *statement) begin() {
	s.terms.reset()
	s.objective, s.hasCoef, s.op, s.hasRHS = false, false, "", false
}

// take handles one word; done reports that the statement is complete.
func (s *statement) take(w *words, word []byte) (done bool, err error) {
	switch {
	case string(word) == ";":
		return true, s.end(w)
	case s.hasRHS:
		return false, w.errorf("%s, expected \";\"", found(word))
	case s.op != "":
		n, ok := parseNumber(word)
		if !ok {
			return false, w.errorf("%s, expected an integer", found(word))
		}
		s.rhs, s.hasRHS = n, true
	case s.hasCoef:
		l, ok := s.names.literal(word)
		if !ok {
			return false, w.errorf("%s, expected a variable", found(word))
		}
		s.terms.addTerm(s.coef, l)
		s.hasCoef = false
	case !s.objective && (string(word) == ">=" || string(word) == "="):
		s.op = string(word)
	default:
		n, ok := parseNumber(word)
		if !ok {
			if s.objective {
				return false, w.errorf("%s, expected a coefficient or \";\"", found(word))
			}
			return false, w.errorf("%s, expected a coefficient, \">=\" or \"=\"", found(word))
		}
		s.coef, s.hasCoef = n, true
	}
	return false, nil
}

func (s *statement) end(w *words) error {
	switch {
	case s.hasCoef:
		return w.errorf("found \";\", expected a variable")
	case s.objective:
		s.setObjective()
		return nil
	case !s.hasRHS:
		return w.errorf("found \";\", expected \">=\" or \"=\" and an integer")
	}
	// The degree already includes what negative coefficients moved to it.
	moved := s.terms.degree
	s.terms.degree = moved.add(s.rhs)
	ge := s.terms.constraint()
	s.constraints = append(s.constraints, ge)
	if s.op == "=" {
		s.constraints = append(s.constraints, opposite(ge))
	}
	return nil
}

// opposite returns the sum <= degree for c, the sum >= degree.
func opposite(c *constraint) *constraint {
	n := c.negation()
	n.degree = n.degree.sub(one)
	return n
}

// setObjective takes the objective from the terms. In normal form a negative coefficient c of
// x is -c of ~x, with -c in the degree.
func (s *statement) setObjective() {
	s.constant = s.terms.degree.neg()
	for _, v := range s.terms.used {
		coef := s.terms.coefs[v]
		if coef.sign() < 0 {
			s.constant = s.constant.sub(coef)
		}
		s.problem.objective = append(s.problem.objective, term{coef, lit(v) << 1})
	}
}
