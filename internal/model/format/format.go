package format

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
)

// Kind is a file format.
type Kind uint8

// The formats.
const (
	CNF     Kind = iota // DIMACS CNF: the hard clauses alone
	WCNF                // WCNF of the MaxSAT Evaluation since 2022: h lines, no p line
	WCNFOld             // WCNF with a p wcnf line and a top weight
	OPB                 // pseudo-Boolean competition
	LP                  // CPLEX LP
	MPS                 // MPS, with fixed columns if names and numbers fit them
	numKinds
)

var kindNames = [numKinds]string{"cnf", "wcnf", "wcnf-old", "opb", "lp", "mps"}

// String returns the name that ParseKind reads.
func (k Kind) String() string {
	if k >= numKinds {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// ParseKind parses the name of a format: cnf, wcnf, wcnf-old, opb, lp or mps.
func ParseKind(s string) (Kind, error) {
	for i, name := range kindNames {
		if s == name {
			return Kind(i), nil
		}
	}
	return 0, fmt.Errorf("unknown format %q, expected one of %s", s, strings.Join(kindNames[:], ", "))
}

// Clausal reports whether the format consists of clauses, and so needs an encoding.
func (k Kind) Clausal() bool { return k <= WCNFOld }

// Optimising reports whether the format contains the objective.
func (k Kind) Optimising() bool { return k != CNF }

// Options control how a model is written.
type Options struct {
	Kind     Kind
	Encoding cnf.Encoding // of neurons and sums; CNF and WCNF only
	// Clauses are further hard clauses over the model's variables, such as those
	// that exclude plans (Model.Differs).
	Clauses [][]model.Lit
	// Rows are further constraints, for OPB, LP and MPS only. Coefficients may have any
	// sign. Variables beyond the model's are new ones.
	Rows []model.Sum
	// WithoutNetwork leaves out the network, which Rows stand for.
	WithoutNetwork bool
	// WithoutSteps leaves out all that is said of steps 1..H but the initial state, which Rows stand for.
	WithoutSteps bool
	// Integers are variables of Rows that are not the model's and may be more than 1, for LP and MPS. Their names begin with n.
	Integers []model.Integer
	// Costs are minimised in place of the model's objective; nil is that.
	Costs *Costs
}

// Costs are a linear objective over variables of the model and others of Rows, each of them once and unnegated.
type Costs struct {
	Terms    []model.Term
	Constant int64
}

// Objective converts a solver's value to a reward: reward = -(value + Constant) / Scale.
type Objective struct {
	Constant int64  `json:"constant"`
	Scale    int64  `json:"scale"`
	Sense    string `json:"sense"` // "minimise minus the reward"
}

const sense = "minimise minus the reward"

// Reward returns the scaled reward, an integer, for a solver's value of the objective.
func (o *Objective) Reward(value int64) int64 { return -(value + o.Constant) }

// ObjectiveOf returns the objective of the file that Write makes of m.
func ObjectiveOf(m *model.Model, k Kind) Objective {
	o := Objective{Scale: m.Problem.Reward.Scale, Sense: sense}
	switch k {
	case CNF, WCNF, WCNFOld:
		o.Constant = m.ObjectiveConstant()
	case OPB:
		o.Constant = linearConstant(m)
	}
	return o
}

// file is a writer of one format: it counts what it is going to write, then writes it.
type file interface {
	measure(ctx context.Context) (Stats, error)
	// write is called after measure.
	write(ctx context.Context, out *output) error
}

// newFile returns the file of m in a format.
func newFile(m *model.Model, o Options) (file, error) {
	switch {
	case o.Kind.Clausal() && (len(o.Rows) > 0 || o.WithoutNetwork || o.WithoutSteps || o.Costs != nil):
		return nil, fmt.Errorf("format %v takes no further rows; expected opb, lp or mps", o.Kind)
	case o.Kind != LP && o.Kind != MPS && len(o.Integers) > 0:
		return nil, fmt.Errorf("format %v takes no integers; expected lp or mps", o.Kind)
	}
	switch o.Kind {
	case CNF, WCNF, WCNFOld:
		return newClauseFile(m, o), nil
	case OPB:
		return &opbFile{newLinear(m, true).include(&o)}, nil
	case LP:
		return &lpFile{newLinear(m, false).include(&o)}, nil
	case MPS:
		return &mpsFile{newLinear(m, false).include(&o)}, nil
	}
	return nil, fmt.Errorf("unknown format %v", o.Kind)
}

// Write streams m to w and returns the size of what it wrote. It stops early with the
// context's error, an error of w, or an error about something that does not fit the format;
// the file is then incomplete.
func Write(ctx context.Context, w io.Writer, m *model.Model, o Options) (Stats, error) {
	f, err := newFile(m, o)
	if err != nil {
		return Stats{}, err
	}
	stats, err := f.measure(ctx)
	if err == nil {
		out := newOutput(w)
		if err = f.write(ctx, out); err == nil {
			err = out.flush()
		}
	}
	if err != nil {
		return Stats{}, fmt.Errorf("writing the %v file: %w", o.Kind, err)
	}
	return stats, nil
}

// Measure counts what Write would write.
func Measure(ctx context.Context, m *model.Model, o Options) (Stats, error) {
	f, err := newFile(m, o)
	if err != nil {
		return Stats{}, err
	}
	stats, err := f.measure(ctx)
	if err != nil {
		return Stats{}, fmt.Errorf("measuring the %v file: %w", o.Kind, err)
	}
	return stats, nil
}

// preamble writes the comment lines at the top of every file, each with the format's comment
// prefix.
func preamble(out *output, sign string, m *model.Model, o Options) {
	line := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		out.text(sign)
		out.text(strings.NewReplacer("\n", " ", "\r", " ").Replace(text))
		out.byte('\n')
	}
	line("fdplan: problem %s, horizon %d", m.Problem.Name, m.Horizon)
	if o.Kind.Clausal() {
		line("format %v, encoding %v", o.Kind, o.Encoding)
	} else {
		line("format %v", o.Kind)
	}
	obj := ObjectiveOf(m, o.Kind)
	if o.Kind.Optimising() {
		line("%s: reward = -(objective + %d) / %d", sense, obj.Constant, obj.Scale)
	} else {
		line("hard constraints only: the reward is not part of this format")
	}
}
