package veripb

import (
	"errors"
	"io"
	"slices"
	"strconv"
)

// CheckWCNF is Check for a MaxSAT problem in WCNF, of either dialect: with the header
// "p wcnf VARIABLES CLAUSES TOP", or with h before hard clauses. The file is taken for the
// pseudo-Boolean problem that VeriPB of the proof's version makes of it, whose objective is the
// weight of the soft clauses that are false:
//
//   - Version 1.2: the soft clause number k gets the literal xV, V being k more than the number
//     of variables that the header announces (without one, the greatest that occurs), with its
//     weight in the objective.
//   - Versions 2.0 and 3.0: the literal of a unit soft clause is in the objective, negated. A
//     longer one, clause number i of the file, gets the literal ~_bi. An empty one adds its
//     weight to the objective.
//
// Constraints are numbered in the order of the file. The File of an error is "formula" or
// "proof".
func CheckWCNF(wcnf, proof io.Reader) (Verdict, error) {
	f, err := readWCNF(wcnf)
	if err != nil {
		return Verdict{}, err
	}
	return check(f.problem, proof)
}

// maxVariable is the greatest number of a variable in a WCNF.
const maxVariable = 1<<31 - 1

// wcnf is the content of a WCNF.
type wcnf struct {
	clauses   []weighted
	variables int64 // that the header announces, or else the greatest that occurs
}

// weighted is a clause in terms of its file.
type weighted struct {
	hard   bool
	weight num
	lits   []int64
}

// wcnfReader reads a WCNF word by word: clauses may cover lines.
type wcnfReader struct {
	*wcnf
	header bool
	top    *num // weights from this one on are hard; nil for none
	open   bool // a clause has begun
}

func readWCNF(in io.Reader) (*wcnf, error) {
	r := wcnfReader{wcnf: &wcnf{}}
	read := newLines("formula", in)
	for {
		w, err := read.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if first := w.peek(); first == nil || first[0] == 'c' {
			continue
		} else if string(first) == "p" {
			if err := r.readHeader(&w); err != nil {
				return nil, err
			}
			continue
		}
		for word := w.next(); word != nil; word = w.next() {
			if err := r.take(&w, word); err != nil {
				return nil, err
			}
		}
	}
	if r.open {
		w := words{file: "formula", line: read.line}
		return nil, w.errorf("the file ends inside a clause, expected 0")
	}
	return r.wcnf, nil
}

func (r *wcnfReader) readHeader(w *words) error {
	w.next()
	if r.header || r.open || len(r.clauses) > 0 {
		return w.errorf("found a header, expected it once, before the clauses")
	}
	r.header = true
	if err := w.expect("wcnf"); err != nil {
		return err
	}
	n, err := w.number("the number of variables")
	if err != nil {
		return err
	}
	if n.big != nil || n.small < 0 || n.small > maxVariable {
		return w.errorf("%v variables, expected 0 to %d", n, maxVariable)
	}
	r.variables = n.small
	if _, err := w.number("the number of clauses"); err != nil {
		return err
	}
	if w.peek() != nil {
		top, err := w.number("the weight of hard clauses")
		if err != nil {
			return err
		}
		r.top = &top
	}
	return w.finish()
}

// take handles one word of a clause.
func (r *wcnfReader) take(w *words, word []byte) error {
	if !r.open {
		r.open = true
		if string(word) == "h" && !r.header {
			r.clauses = append(r.clauses, weighted{hard: true})
			return nil
		}
		weight, ok := parseNumber(word)
		if !ok || weight.sign() < 0 {
			return w.errorf("%s, expected the weight of a clause, or h before the first clause", found(word))
		}
		r.clauses = append(r.clauses, weighted{weight: weight, hard: r.top != nil && r.top.cmp(weight) <= 0})
		return nil
	}
	l, ok := parseNumber(word)
	if !ok || l.big != nil || max(l.small, -l.small) > maxVariable {
		return w.errorf("%s, expected a literal or 0", found(word))
	}
	switch v := max(l.small, -l.small); {
	case v == 0:
		r.open = false
		return nil
	case r.header && v > r.variables:
		return w.errorf("variable %d, expected at most %d, as the header announces", v, r.variables)
	default:
		r.variables = max(r.variables, v)
	}
	k := &r.clauses[len(r.clauses)-1]
	k.lits = append(k.lits, l.small)
	return nil
}

// problem is what VeriPB makes of the file for a proof of a version.
func (f *wcnf) problem(v version) *problem {
	p := &problem{optimise: true}
	var terms, objective dense
	literal := func(n int64) lit {
		l := lit(p.names.lookup(strconv.AppendInt([]byte{'x'}, max(n, -n), 10))) << 1
		if n < 0 {
			l = l.not()
		}
		return l
	}
	softs := int64(0)
	for i := range f.clauses {
		k := &f.clauses[i]
		lits := k.lits
		if v != version12 { // which lets a repeated literal count twice
			lits = distinct(lits)
		}
		for _, n := range lits {
			terms.addTerm(one, literal(n))
		}
		constrains := true
		if !k.hard {
			softs++
			switch {
			case v == version12:
				l := literal(f.variables + softs)
				terms.addTerm(one, l)
				objective.addTerm(k.weight, l)
			case len(k.lits) == 0:
				objective.degree = objective.degree.sub(k.weight)
				constrains = false
			case len(k.lits) == 1:
				objective.addTerm(k.weight, literal(-k.lits[0]))
				constrains = false
			default:
				l := lit(p.names.lookup(strconv.AppendInt([]byte("_b"), int64(i+1), 10)))<<1 | 1
				terms.addTerm(one, l)
				objective.addTerm(k.weight, l)
			}
		}
		if constrains {
			terms.degree = terms.degree.add(one)
			p.constraints = append(p.constraints, terms.constraint())
		}
		terms.reset()
	}
	s := statement{problem: p, terms: &objective}
	s.setObjective()
	return p
}

// distinct returns the literals without repetitions.
func distinct(lits []int64) []int64 {
	sorted := slices.Clone(lits)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
