package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/execution/decision"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Sums is the file of a proof that no policy is worth more where the states do not fit: what upper bounds are computed from, as
// validate.Sums says. It stands in place of a Ceiling.
type Sums struct {
	Question
	Units
	Actions  []app.Values `json:"actions"`
	Patterns []SumPattern `json:"patterns"`
	States   [][]any      `json:"states"`
	Rows     []SumRow     `json:"rows"`
}

// SumPattern is a validate.Pattern with the places of its variables among those of the table.
type SumPattern struct {
	Variables []int     `json:"variables"`
	Parts     []int     `json:"parts"`
	Prices    [][]int64 `json:"prices"`
}

// SumRow is a validate.SumRow.
type SumRow struct {
	State int     `json:"state"`
	Left  int     `json:"left"`
	Next  [][]int `json:"next"`
}

// parts is what the checker of sums asks of a problem.
func (m *model) parts() (validate.Parts, error) {
	if m.p.Truth == nil || m.p.Truth.Compiled == nil {
		return nil, fmt.Errorf("%w: no checker reads bounds by parts of a model without RDDL", certify.ErrNoProof)
	}
	parts, err := m.p.Truth.Compiled.Parts(m.p.Truth.Goal)
	if err != nil {
		err = fmt.Errorf("%w: %w", certify.ErrNoProof, err)
	}
	return parts, err
}

// proveSums has the checker compute what a search's bound rests on, and takes the bound from it.
func (d *Document) proveSums(ctx context.Context, m *model, b *decision.Bounds) error {
	parts, err := m.parts()
	if err != nil {
		return err
	}
	c, err := d.sums(m, b)
	if err != nil {
		return err
	}
	s, err := c.table(m.p.Problem)
	if err != nil {
		return fmt.Errorf("%w: %w", app.ErrInternal, err)
	}
	found, err := s.Check(ctx, m.of, parts, m.start)
	if err != nil {
		return err
	}
	if err := d.summed(m, found); err != nil {
		return fmt.Errorf("%w: %w", certify.ErrNoProof, err)
	}
	d.proof = c
	return nil
}

// summed takes over the bound that was found.
func (d *Document) summed(m *model, found *validate.Summed) error {
	bound, err := found.At(m.start, d.Horizon)
	switch {
	case err != nil:
		return err
	case found.Refused != "":
		return fmt.Errorf("%w: %s", errRefused, found.Refused)
	case bound == nil:
		return fmt.Errorf("%w: no bound of the start follows", errRefused)
	}
	d.Proof = &Proof{States: found.States + found.Rows, Bounds: found.Bounds}
	if d.Objective == policy.Reward {
		bound.Quo(bound, new(big.Rat).SetInt64(m.p.Problem.Reward.Scale))
	}
	d.Bound = above(bound)
	return nil
}

// above is the least floating-point number that is not below a fraction.
func above(r *big.Rat) *float64 {
	f, _ := r.Float64()
	if new(big.Rat).SetFloat64(f).Cmp(r) < 0 {
		f = math.Nextafter(f, math.Inf(1))
	}
	return &f
}

// sums writes what a bound rests on.
func (d *Document) sums(m *model, b *decision.Bounds) (*Sums, error) {
	p := m.p.Problem
	f := m.process.(decision.Split)
	c := &Sums{Question: d.question(), Units: unitsOf(p), Actions: []app.Values{}, Patterns: []SumPattern{}, States: [][]any{}, Rows: []SumRow{}}
	c.Unit = uint(digits[0])
	scale := float64(c.Scale)
	if d.Objective == policy.Reward {
		_, exponent := math.Frexp(max(1, math.Abs(b.Upper)*scale))
		c.Unit = uint(max(0, digits[0]-exponent))
	}
	for a := range f.Actions() {
		val := make(factored.Valuation, p.NumBits())
		if err := f.Action(val, uint32(a)); err != nil {
			return nil, err
		}
		c.Actions = append(c.Actions, app.ValuesOf(p, factored.Action, val, false))
	}
	from := b.Tight.Sums(f.First(), d.Horizon)
	size := 0
	for _, x := range from.Patterns {
		y := SumPattern{Variables: []int{}, Parts: x.Parts}
		for _, k := range x.Fields {
			y.Variables = append(y.Variables, slices.Index(c.Variables, f.Variable(k).Name))
		}
		for _, row := range x.Prices {
			y.Prices = append(y.Prices, wholes(row, scale, int(c.Unit)))
			size += len(row)
		}
		c.Patterns = append(c.Patterns, y)
	}
	balance(c.Patterns)
	if size+len(from.Visits) > mostBounds {
		return nil, fmt.Errorf("%w: the table would have more than %d numbers", certify.ErrNoProof, mostBounds)
	}
	return c, c.visits(m, from.Visits)
}

// wholes are prices in units.
func wholes(prices []float64, scale float64, unit int) (row []int64) {
	for _, x := range prices {
		row = append(row, int64(math.Round(math.Ldexp(x*scale, unit))))
	}
	return row
}

// balance has the prices of each action sum to 0, which rounding has moved them from.
func balance(list []SumPattern) {
	for k := 1; k < len(list); k++ {
		for left, row := range list[k].Prices {
			for a, x := range row {
				if k == 1 {
					list[0].Prices[left][a] = 0
				}
				list[0].Prices[left][a] -= x
			}
		}
	}
}

// visits writes the states that a search has visited.
func (c *Sums) visits(m *model, list []decision.Visit) error {
	places := map[string]int{}
	for _, v := range list {
		key := fmt.Sprint(v.State)
		i, ok := places[key]
		if !ok {
			i = len(c.States)
			val := make(factored.Valuation, m.p.Problem.NumBits())
			if err := m.process.Unpack(val, v.State); err != nil {
				return err
			}
			places[key], c.States = i, append(c.States, valuesOf(m.p.Problem, val))
		}
		row := SumRow{State: i, Left: v.Left}
		if v.Expanded {
			row.Next = [][]int{}
		}
		for _, x := range v.Next {
			row.Next = append(row.Next, append([]int{int(x.Action)}, x.Visits...))
		}
		c.Rows = append(c.Rows, row)
	}
	return nil
}

// table is the file as the checker takes it.
func (c *Sums) table(p *factored.Problem) (*validate.Sums, error) {
	if err := c.fits(p, c.Problem); err != nil {
		return nil, err
	}
	var variables []int
	for i := range p.OfKind(factored.State) {
		variables = append(variables, i)
	}
	s := &validate.Sums{Success: c.Objective == policy.Success, Horizon: c.Horizon, Unit: c.Unit}
	var err error
	if s.Actions, err = actionsOf(p, c.Actions); err != nil {
		return nil, err
	}
	for k, x := range c.Patterns {
		y := validate.Pattern{Parts: x.Parts, Prices: x.Prices}
		for _, i := range x.Variables {
			if i < 0 || i >= len(variables) {
				return nil, fmt.Errorf("pattern %d has variable %d; expected 0 to %d", k, i, len(variables)-1)
			}
			y.Variables = append(y.Variables, variables[i])
		}
		s.Patterns = append(s.Patterns, y)
	}
	states, err := statesOf(p, c.States)
	if err != nil {
		return nil, err
	}
	for k, r := range c.Rows {
		if r.State < 0 || r.State >= len(states) {
			return nil, fmt.Errorf("row %d has state %d; expected 0 to %d", k, r.State, len(states)-1)
		}
		s.Rows = append(s.Rows, validate.SumRow{State: states[r.State], Left: r.Left, Next: r.Next})
	}
	return s, nil
}

// areSums reports whether the file of a proof has patterns.
func areSums(data []byte) bool {
	var c struct {
		Patterns json.RawMessage `json:"patterns"`
	}
	return json.Unmarshal(data, &c) == nil && c.Patterns != nil
}

// asideOfSums are the fields of an answer about which sums say nothing: what the policy is worth was seen in runs.
var asideOfSums = []string{"status", "value", "evaluated", "sampled", "reached", "steps", "table", "rule"}

// againSums derives the bound of an answer anew.
func (d *Document) againSums(ctx context.Context, m *model, name string, data []byte) (*Document, error) {
	c := &Sums{}
	if err := readTable(name, data, c, &c.Question); err != nil {
		return nil, err
	}
	s, err := c.table(m.p.Problem)
	if err != nil {
		return nil, source.Errorf(name, 1, 0, "%v", err)
	}
	out := d.anew(m)
	out.Goal = hasGoal(m.p)
	if differs := c.differs(d, out.Goal, nil); differs != "" {
		return nil, fmt.Errorf("%w: %s: %s", errRefused, name, differs)
	}
	parts, err := m.parts()
	if err != nil {
		return nil, err
	}
	found, err := s.Check(ctx, m.of, parts, m.start)
	if err == nil {
		err = out.summed(m, found)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if d.Proof != nil {
		out.Proof.Certificate = d.Proof.Certificate
	}
	out.Exact, out.Excess, out.Plan, out.Blind = "", nil, nil, false
	if out.Status != engine.Unknown {
		out.Status = engine.Feasible
	}
	return &out, nil
}

// readAgain derives an answer anew from what its proof in a folder has, and adds its claims to the report.
func (d *Document) readAgain(ctx context.Context, p *load.Problem, dir string, r *certify.Report) (again *Document, unchecked []string, err error) {
	m, err := d.model(p)
	if err != nil {
		return nil, nil, err
	}
	if certify.Has(dir, ScenariosFile) {
		again, err = d.againScenarios(ctx, m, dir, r)
		return again, aside, err
	}
	name := filepath.Join(dir, CeilingFile)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	if unchecked = aside; areSums(data) {
		unchecked = slices.Concat(aside, asideOfSums)
		again, err = d.againSums(ctx, m, name, data)
	} else {
		again, err = d.again(ctx, m, name, data)
	}
	if err == nil {
		r.Claims = append(r.Claims, certify.Claim{File: d.Problem, Proof: name, Horizon: d.Horizon, Shows: again.shows(), Accepted: true})
	}
	return again, unchecked, err
}
