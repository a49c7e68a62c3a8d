package instance

import (
	"iter"

	"github.com/fdplan/fdplan/internal/literal"
)

// MaxVariable is the largest number of a variable: a literal and its sign must
// fit 32 bits in every solver.
const MaxVariable = 1<<30 - 1

// MaxTotal is the most that all soft weights of a file, the coefficients of its
// objective, and those of a constraint may be together, in absolute values, and
// the most that a constraint's right-hand side may be.
const MaxTotal = 1<<61 - 1

// Instance is a problem over the variables 1..NumVars. A literal is a
// variable's number, negative where it is negated, as in DIMACS.
//
// Everything stands as in the file: literals may be repeated and stand beside
// their negation, clauses and sums may be empty, coefficients and weights may
// be 0. The slices must not be changed by those who did not make them.
type Instance struct {
	Format  Format // the dialect it was read in, or is to be written in
	NumVars int32  // 0..MaxVariable

	Clauses Clauses  // hard clauses
	Linear  []Linear // hard linear constraints

	// Optimises reports whether the least cost is asked for, even if there is nothing
	// to pay: always in WCNF, with a min: line in OPB.
	Optimises bool
	Soft      []Soft // each clause costs its weight when it is false
	Objective []Term // summed over the true literals
}

// Clauses is a list of clauses in one block of memory.
type Clauses struct {
	lits []literal.Lit
	ends []int // where each clause ends in lits
}

// Len is the number of clauses.
func (c *Clauses) Len() int { return len(c.ends) }

// Literals is the number of literals in all clauses together.
func (c *Clauses) Literals() int { return len(c.lits) }

// At returns clause i, from 0 in file order. The slice is the list's own.
func (c *Clauses) At(i int) []literal.Lit {
	start := 0
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.lits[start:c.ends[i]:c.ends[i]]
}

// All runs over the clauses in file order. The slices are the list's own.
func (c *Clauses) All() iter.Seq2[int, []literal.Lit] {
	return func(yield func(int, []literal.Lit) bool) {
		for i := range c.ends {
			if !yield(i, c.At(i)) {
				return
			}
		}
	}
}

// Add appends a clause, which is copied.
func (c *Clauses) Add(lits ...literal.Lit) {
	c.lits = append(c.lits, lits...)
	c.ends = append(c.ends, len(c.lits))
}

// Soft is a clause that costs Weight, which is not negative, when it is false.
type Soft struct {
	Weight int64
	Clause []literal.Lit
	// Number is that of the clause among all clauses of its file, hard ones too,
	// from 1; 0 where it is from none.
	Number int
}

// Term is a coefficient that counts when its literal is true.
type Term = literal.Term

// Op is the relation of a linear constraint.
type Op uint8

// The relations.
const (
	GE Op = iota // >=
	EQ           // =
	LE           // <=
)

func (o Op) String() string { return [...]string{">=", "=", "<="}[o] }

// Linear is the constraint that the sum of Terms is in the relation Op with K.
type Linear struct {
	Terms []Term
	Op    Op
	K     int64
}
