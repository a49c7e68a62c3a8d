package format

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
)

// clauseFile is a file of clauses. The formats differ in what stands before them:
//
//   - DIMACS CNF has p cnf VARIABLES CLAUSES, and no soft clauses.
//   - WCNF of the MaxSAT Evaluation since 2022 has no header, h before a hard clause, and the weight
//     before a soft one. The soft clauses come last; each states that a cost is avoided.
//   - WCNF before 2022 has p wcnf VARIABLES CLAUSES TOP, and the weight TOP, one more than the sum of
//     all soft weights, before a hard clause.
type clauseFile struct {
	m        *model.Model
	o        Options
	lowering *cnf.Lowering
	sizes    cnf.Sizes
}

func newClauseFile(m *model.Model, o Options) *clauseFile {
	return &clauseFile{m: m, o: o, lowering: cnf.NewLowering(m, o.Encoding)}
}

// head returns the line before the clauses and what stands before a hard clause.
func (f *clauseFile) head() (line, hard string) {
	t := f.sizes.Total()
	switch f.o.Kind {
	case CNF:
		return fmt.Sprintf("p cnf %d %d\n", t.Variables, t.Clauses), ""
	case WCNF:
		return "", "h "
	}
	top := f.sizes.Weight + 1
	return fmt.Sprintf("p wcnf %d %d %d\n", t.Variables, t.Clauses+f.sizes.Soft, top), fmt.Sprintf("%d ", top)
}

// ErrWeights is wrapped by the error for weights that solvers cannot add up.
var ErrWeights = errors.New("the weights of the soft clauses sum to 2^62 or more")

// maxWeights bounds the sum of weights, so that top weights and bounds of any
// solver stay inside 64 bits.
const maxWeights = 1 << 62

func (f *clauseFile) measure(ctx context.Context) (Stats, error) {
	var err error
	if f.sizes, err = f.lowering.Sizes(ctx); err != nil {
		return Stats{}, err
	}
	s := Stats{Format: f.o.Kind.String(), Encoding: f.o.Encoding.String()}
	for g, size := range f.sizes.Groups {
		*s.Groups.at(model.Group(g)) = Size{Variables: size.Variables, Clauses: size.Clauses, Literals: size.Literals}
	}
	hidden := hiddenVars(f.m)
	for _, c := range f.o.Clauses {
		f.sizes.Groups[cnf.Fixed].Clauses++
		f.sizes.Groups[cnf.Fixed].Literals += int64(len(c))
		s.Groups.Problem.Clauses++
		s.Groups.Problem.Literals += int64(len(c))
	}
	s.Groups.Problem.Variables += f.sizes.Model - hidden
	s.Groups.Network.Variables += hidden
	if f.o.Kind.Optimising() {
		if f.sizes.Weight >= maxWeights {
			return Stats{}, ErrWeights
		}
		s.Groups.Objective.SoftClauses = f.sizes.Soft
	}
	s.sum()
	return s, nil
}

func (f *clauseFile) write(ctx context.Context, out *output) error {
	preamble(out, "c ", f.m, f.o)
	head, hard := f.head()
	out.text(head)
	sink := clauseSink{out: out, prefix: hard}
	if err := f.lowering.Stream(ctx, &sink); err != nil {
		return err
	}
	var clause []int32
	for _, c := range f.o.Clauses {
		clause = clause[:0]
		for _, l := range c {
			clause = append(clause, int32(l))
		}
		if err := sink.Clauses(1, model.Global, append(clause, 0)); err != nil {
			return err
		}
	}
	if !f.o.Kind.Optimising() {
		return nil
	}
	for t := 1; t <= f.m.Horizon+1; t++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, c := range f.m.Objective(t) {
			out.int(c.Coef)
			out.byte(' ')
			out.int(int64(-c.Lit))
			out.text(" 0\n")
		}
		if out.err != nil {
			return out.err
		}
	}
	return nil
}

// clauseSink writes the clauses of a lowering.
type clauseSink struct {
	out    *output
	prefix string
}

func (s *clauseSink) Clauses(_ int, _ model.Group, clauses []int32) error {
	s.out.clauses(s.prefix, clauses)
	return s.out.err
}
