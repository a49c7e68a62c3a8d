package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Ceiling is the file of a proof that no policy is worth more: upper bounds for each state, by the steps left.
type Ceiling struct {
	Question
	Disturbances *int `json:"disturbances"` // null for values on average
	Units
	States [][]any `json:"states"`
	// Rows are [state, disturbances left, steps left, bound, …]: each bound after the first is for one step more. Null says
	// that no policy keeps the rules or, with disturbances, reaches the goal.
	Rows [][]*int64 `json:"rows"`
}

// Question is what the bounds in the file of a proof are for.
type Question struct {
	Schema    int              `json:"schema"`
	Problem   string           `json:"problem"`
	Objective policy.Objective `json:"objective"`
	Goal      bool             `json:"goal"`
	Horizon   int              `json:"horizon"`
}

// Units says that a bound is so many times 2^-Unit, of a probability or of 1/Scale of a reward, and lists the variables of states.
type Units struct {
	Unit      uint     `json:"unit"`
	Scale     int64    `json:"scale"`
	Variables []string `json:"variables"`
}

// question is that of an answer.
func (d *Document) question() Question {
	return Question{Schema: app.Schema, Problem: d.Problem, Objective: d.Objective, Goal: d.Goal, Horizon: d.Horizon}
}

// unitsOf are those of a problem, with whole numbers.
func unitsOf(p *factored.Problem) Units {
	return Units{Scale: p.Reward.Scale, Variables: stateNames(p)}
}

// fits refuses the file of another problem.
func (u *Units) fits(p *factored.Problem, of string) error {
	if err := checkVariables(p, u.Variables); err != nil {
		return err
	}
	if of != p.Name || u.Scale != p.Reward.Scale {
		return fmt.Errorf("the table is of %s, with rewards over %d; expected %s and %d", source.Quote(of), u.Scale, source.Quote(p.Name), p.Reward.Scale)
	}
	return nil
}

// mostBounds bounds the numbers of a table.
const mostBounds = 1 << 26

// digits is how many binary digits the largest bound has: rounding in dynamic programming is well below one
// unit then. Where it is not, fewer are tried.
var digits = []int{44, 38, 32, 26}

// ceiling makes the table of a solution and has it checked. The error wraps certify.ErrNoProof if none is found.
func (d *Document) ceiling(ctx context.Context, m *model, s *policy.Solution) (*Ceiling, *validate.Ceiled, error) {
	n := 1
	if d.Disturbances != nil {
		n += *d.Disturbances
	}
	var columns [][]float64 // of each state and number of disturbances left
	total := 0
	err := s.Values(ctx, func(left int, values []float64) error {
		for len(columns) < len(values) {
			columns = append(columns, nil)
		}
		for i, v := range values {
			if left > 0 && left <= d.Horizon && s.Open(i/n) {
				columns[i] = append(columns[i], v)
				total++
			}
		}
		if total > mostBounds {
			return fmt.Errorf("%w: the table would have more than %d bounds", certify.ErrNoProof, mostBounds)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	refused := ""
	for _, size := range digits {
		c, err := d.round(m, s, columns, n, size)
		if err != nil {
			return nil, nil, err
		}
		table, err := c.table(m.p.Problem)
		if err != nil {
			return nil, nil, err
		}
		found, err := table.Check(ctx, m.of, nil, m.chance)
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w: %w", certify.ErrNoProof, err)
		}
		if err != nil || found.Refused == "" {
			return c, found, err
		}
		refused = found.Refused
	}
	return nil, nil, fmt.Errorf("%w: rounding is too large: %s", certify.ErrNoProof, refused)
}

// round writes the columns of states as bounds: the values rounded up, and for each step what rounding can have taken
// away.
func (d *Document) round(m *model, s *policy.Solution, columns [][]float64, n, size int) (*Ceiling, error) {
	c := &Ceiling{Question: d.question(), Disturbances: d.Disturbances, Units: unitsOf(m.p.Problem), States: [][]any{}, Rows: [][]*int64{}}
	r := rounding{scale: float64(c.Scale), exact: d.Disturbances != nil, success: d.Objective == policy.Success}
	if !r.exact {
		most := 1.0
		if r.success {
			r.scale = 1
		}
		for _, column := range columns {
			for _, v := range column {
				if !math.IsInf(v, 0) {
					most = max(most, math.Abs(v)*r.scale)
				}
			}
		}
		_, exponent := math.Frexp(most)
		c.Unit = uint(max(0, size-exponent))
		r.unit = int(c.Unit)
	}
	last := -1
	for i, column := range columns {
		row := r.row(column)
		if len(row) == 0 {
			continue
		}
		if i/n != last {
			last = i / n
			val := make(factored.Valuation, m.p.Problem.NumBits())
			if err := m.process.Unpack(val, s.State(last)); err != nil {
				return nil, err
			}
			c.States = append(c.States, valuesOf(m.p.Problem, val))
		}
		head := []int64{int64(len(c.States) - 1), int64(i % n), 1}
		c.Rows = append(c.Rows, append([]*int64{&head[0], &head[1], &head[2]}, row...))
	}
	return c, nil
}

// rounding makes whole numbers of values.
type rounding struct {
	exact, success bool
	scale          float64
	unit           int
}

// row rounds the values with 1, 2, … steps left. The probability 1 is no bound.
func (r *rounding) row(column []float64) (row []*int64) {
	for k, v := range column {
		var x int64
		switch {
		case math.IsInf(v, -1):
			row = append(row, nil)
			continue
		case r.exact:
			x = int64(math.Round(v * r.scale))
		case r.success && v == 0:
		default:
			x = int64(math.Ceil(math.Ldexp(v*r.scale, r.unit))) + 2*int64(k+1)
		}
		if r.success && !r.exact && x >= 1<<r.unit {
			break
		}
		row = append(row, &x)
	}
	return row
}

// table is the file as the checker takes it.
func (c *Ceiling) table(p *factored.Problem) (*validate.Ceiling, error) {
	if err := c.fits(p, c.Problem); err != nil {
		return nil, err
	}
	states, err := statesOf(p, c.States)
	if err != nil {
		return nil, err
	}
	t := &validate.Ceiling{Success: c.Objective == policy.Success, Worst: c.Disturbances != nil, Horizon: c.Horizon, Unit: c.Unit}
	if t.Worst {
		t.Success, t.Disturbances = c.Goal, *c.Disturbances
	}
	for k, row := range c.Rows {
		if len(row) < 4 || row[0] == nil || row[1] == nil || row[2] == nil || *row[0] < 0 || *row[0] >= int64(len(states)) || *row[1] < 0 || *row[1] > policy.MaxHorizon || *row[2] < 1 || *row[2] > int64(c.Horizon) {
			return nil, fmt.Errorf("row %d is no [state, disturbances left, steps left, bound, …]", k)
		}
		r := validate.CeilingRow{State: states[*row[0]], Disturbances: int(*row[1]), Left: int(*row[2])}
		for _, x := range row[3:] {
			if x == nil {
				r.Bounds = append(r.Bounds, validate.Never)
			} else {
				r.Bounds = append(r.Bounds, *x)
			}
		}
		t.Rows = append(t.Rows, r)
	}
	return t, nil
}

// statesOf reads states as they are written: the values of the state variables in order.
func statesOf(p *factored.Problem, list [][]any) ([]factored.Valuation, error) {
	var variables []*factored.Variable
	for _, v := range p.OfKind(factored.State) {
		variables = append(variables, v)
	}
	var out []factored.Valuation
	for k, values := range list {
		if len(values) != len(variables) {
			return nil, fmt.Errorf("state %d has %d values; expected %d", k, len(values), len(variables))
		}
		val := make(factored.Valuation, p.NumBits())
		for i, v := range variables {
			text := fmt.Sprint(values[i])
			if f, ok := values[i].(float64); ok { // of a reader that does not keep numbers as they are
				text = strconv.FormatFloat(f, 'f', -1, 64)
			}
			x, err := v.Parse(text)
			if err == nil {
				err = v.Set(val, x)
			}
			if err != nil {
				return nil, fmt.Errorf("state %d: %w", k, err)
			}
		}
		out = append(out, val)
	}
	return out, nil
}

// readTable reads the file of a proof, which has a question.
func readTable(name string, data []byte, file any, q *Question) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(file); err != nil {
		return source.Errorf(name, 1, 0, "expected a table as plan --policy --certify writes it: %v", err)
	}
	if q.Schema != app.Schema || q.Horizon < 1 || q.Horizon > policy.MaxHorizon {
		return source.Errorf(name, 1, 0, `expected a table with "schema":%d and a horizon of 1 to %d`, app.Schema, policy.MaxHorizon)
	}
	return nil
}

// readCeiling reads the file of a table.
func readCeiling(p *load.Problem, name string, data []byte) (*validate.Ceiling, *Ceiling, error) {
	c := &Ceiling{}
	if err := readTable(name, data, c, &c.Question); err != nil {
		return nil, nil, err
	}
	if c.Disturbances != nil && (*c.Disturbances < 0 || *c.Disturbances > mostFailures) {
		return nil, nil, source.Errorf(name, 1, 0, "the table is for %d disturbances; expected 0 to %d", *c.Disturbances, mostFailures)
	}
	t, err := c.table(p.Problem)
	if err != nil {
		return nil, nil, source.Errorf(name, 1, 0, "%v", err)
	}
	return t, c, nil
}

// prove makes the proof that no policy is worth more, and takes the bound from it.
func (d *Document) prove(ctx context.Context, m *model, s *policy.Solution) error {
	c, found, err := d.ceiling(ctx, m, s)
	if errors.Is(err, certify.ErrNoProof) {
		d.NoProof = err
		return nil
	}
	if err != nil {
		return err
	}
	switch err := d.shown(ctx, m, found); {
	case errors.Is(err, certify.ErrNoProof):
		d.NoProof, d.Proof = err, nil
		return nil
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("%w: %w", app.ErrInternal, err)
	}
	d.proof = c
	return nil
}

// shown takes over what a table shows of the start. The error says what the answer has beyond it.
func (d *Document) shown(ctx context.Context, m *model, found *validate.Ceiled) error {
	d.Proof = &Proof{States: found.States, Pairs: found.Pairs, Bounds: found.Bounds}
	if d.Blind {
		return d.blindShown(ctx, m, found)
	}
	if d.Disturbances != nil && d.From > 0 {
		for h := d.From; h < d.Horizon; h++ {
			if _, never, err := found.At(m.start, h); err != nil || !never {
				return fmt.Errorf("that no policy reaches the goal within %s is not proven", counted.Of(h, "step"))
			}
		}
	}
	bound, never, err := found.At(m.start, d.Horizon)
	switch {
	case err != nil:
		return err
	case d.Value == nil && !never:
		return errors.New("that there is no policy is not proven")
	case d.Value == nil:
		return nil
	case bound == nil:
		return errors.New("no bound of the start is proven")
	}
	if d.Objective == policy.Reward || d.Disturbances != nil {
		bound.Quo(bound, new(big.Rat).SetInt64(m.p.Problem.Reward.Scale))
	}
	d.Bound = above(bound)
	return nil
}
