// Package robust plans with quantities whose functions have errors: plans that hold for every error within a band, and
// actions that are planned again from what is seen (docs/quantities.md).
package robust

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/tube"
	"github.com/fdplan/fdplan/internal/learn/quantity"
	"github.com/fdplan/fdplan/problem/factored"
)

// Against is what to plan against where quantities have errors.
type Against struct {
	Robust    bind.Share `http:"yes" help:"Count on every error of the quantities within the band that held this share of the errors on held-out rows, 99% if none is given: plan finds a plan that holds whatever they are, or proves that there is none, and run plans again in each step (docs/quantities.md)." placeholder:"P%"`
	WithinLog bool       `http:"yes" help:"With --robust, take only actions like those of the log: within its range of each, and with no larger change from one step to the next."`
}

// Request asks for a plan.
type Request struct {
	Against
	Horizon  bind.Horizon
	Now      func() time.Time
	Started  time.Time
	Scenario uint64 // seed of what is tried beside the proof
	Folder   string // for a certificate, if there is no plan; "" for none
	Warn     func(string)
}

// model is a problem with the bands of its errors.
type model struct {
	p      *load.Problem
	task   *tube.Task
	layout *tube.Layout
	share  float64
	reward *tube.Linear
	record *tube.Record // of the proof, if it is to be certified
	errs   [][]int64    // of each state of the task, in the order of time; nil for one without
	of     []string     // the machines that they are of, "" for all
}

// ErrNoQuantities is wrapped where nothing is known of errors.
var ErrNoQuantities = errors.New("--robust is for quantities whose functions were learned, with their errors on held-out rows")

// newModel translates a problem.
func newModel(p *load.Problem, a Against) (*model, error) {
	m := &model{p: p, share: a.Robust.Value()}
	if len(p.Residuals) == 0 {
		return nil, fmt.Errorf("%s: %w", p.Problem.Name, ErrNoQuantities)
	}
	bands := map[int]tube.Band{}
	for i := range p.Problem.Variables {
		errs, of := p.ErrorsOf(p.Problem.Variables[i].Name)
		m.of = append(m.of, of...)
		for _, r := range errs {
			b := bandOf(r, m.share)
			bands[i] = tube.Band{Low: min(bands[i].Low, b.Low), High: max(bands[i].High, b.High)}
		}
	}
	var err error
	if m.task, m.layout, err = tube.FromProblem(p.Problem, bands, inputs(p), false); err != nil {
		return nil, fmt.Errorf("%w; --robust plans with quantities whose functions were learned or are known", err)
	}
	for _, q := range m.task.States {
		errs, _ := p.ErrorsOf(q.Name)
		m.errs = append(m.errs, slices.Concat(errs...))
	}
	m.reward = m.layout.Reward()
	m.task.Before = m.layout.Before(m.task.Start)
	if a.WithinLog {
		return m, m.withinLog()
	}
	return m, nil
}

// inputs returns how the inputs go on. One that is against the plan is in the middle of its range, with a band around it.
func inputs(p *load.Problem) map[int]tube.Next {
	out := map[int]tube.Next{}
	for _, c := range p.Courses() {
		var n tube.Next
		switch {
		case c.Against:
			middle := c.Lo + (c.Hi-c.Lo)/2
			n = tube.Next{Given: []int64{middle}, Low: c.Lo - middle, High: c.Hi - middle}
		case c.Values != nil:
			n.Given = c.Values[min(1, len(c.Values)-1):]
		}
		out[c.Variable] = n
	}
	return out
}

// withinLog keeps actions to what the log shows.
func (m *model) withinLog() error {
	m.task.Change = make([]int64, len(m.task.Actions))
	for j := range m.task.Actions {
		q := &m.task.Actions[j]
		l, ok := m.p.Logged[q.Name]
		if !ok {
			return fmt.Errorf("the network's file does not say which values of %s the log has; --within-log needs one of train", q.Name)
		}
		q.Lo, q.Hi, m.task.Change[j] = max(q.Lo, l.Low), min(q.Hi, l.High), l.Change
	}
	return nil
}

// Plan finds a plan that holds for every error within the bands, for the shortest horizon of a range for which it finds
// one, or proves that there is none.
func Plan(ctx context.Context, p *load.Problem, r Request) (*plan.Document, error) {
	m, err := newModel(p, r.Against)
	if err != nil {
		return nil, err
	}
	if r.Horizon.Max == 0 {
		if r.Horizon = bind.Steps(p.Problem.Horizon); r.Horizon.Max == 0 {
			return nil, fmt.Errorf("%s: %w", p.Problem.Name, app.ErrNoHorizon)
		}
	}
	began := r.Now()
	d := m.about(r.Horizon.Max)
	res, err := m.search(ctx, r, d)
	if err != nil {
		return nil, err
	}
	if err := d.Follow(p, res, func(*factored.Trace) error { return nil }); err != nil {
		return nil, err
	}
	if d.Status == engine.Infeasible {
		d.Claim("")
	}
	d.Verdict = d.Robust.Says[0]
	if d.Status == engine.Infeasible && m.record != nil {
		err = m.write(ctx, d, r.Folder)
	}
	d.Seconds.Solve, d.Seconds.Total = r.Now().Sub(began).Seconds(), r.Now().Sub(r.Started).Seconds()
	return d, err
}

// about begins an answer about plans of h steps.
func (m *model) about(h int) *plan.Document {
	d := plan.About(m.p)
	d.Engine, d.Status, d.Stats, d.Horizon = "tube", engine.Unknown, map[string]int64{}, &h
	d.Robust = &plan.Robust{Coverage: m.share, Bands: m.bands()}
	for i := range d.Assumed {
		if a := &d.Assumed[i]; a.How == load.Against {
			a.Says += " after the first, where it is as the initial state has it"
		}
	}
	return d
}

// search tries the horizons in turn. A proof for one may be one for all that follow.
func (m *model) search(ctx context.Context, r Request, d *plan.Document) (*engine.Result, error) {
	res := &engine.Result{Status: engine.Unknown}
	var widest *tube.Tube
	var proof *tube.Refutation
	open := 0
	for h := r.Horizon.Min; h <= r.Horizon.Max; h++ {
		if proof != nil && (proof.Anywhere || proof.Rules) {
			break // it is about all horizons from its own on
		}
		actions, reach, err := m.task.Robust(ctx, h, m.reward)
		if err != nil {
			return nil, err
		}
		if reach.Broken > 0 {
			p, err := m.none(ctx, h, r)
			switch {
			case err == nil:
				if proof, err = p, m.refute(p, actions, r.Scenario); err != nil {
					return nil, err
				}
			case !errors.Is(err, tube.ErrUndecided) && ctx.Err() == nil:
				return nil, err
			default:
				widest = reach
				open++
			}
			if ctx.Err() != nil {
				open += r.Horizon.Max - h
				break
			}
			continue
		}
		if res.Trace, err = m.layout.Trace(m.p.Network, m.task.Next, actions); err != nil {
			return nil, err
		}
		if err := m.try(actions, r.Scenario); err != nil {
			return nil, err
		}
		res.Status, res.Reward = engine.Feasible, rewardOf(m.p.Problem, res.Trace)
		m.tell(d.Robust, reach, h)
		d.Robust.Outside = m.outside(actions, m.task.Before)
		d.Status = res.Status
		return res, nil
	}
	if open == 0 {
		res.Status = engine.Infeasible
	}
	d.Status = res.Status
	m.refused(d.Robust, proof, widest, open)
	return res, nil
}

// bandOf returns the band of a share of errors, in steps.
func bandOf(errs []int64, share float64) tube.Band {
	f := make([]float64, len(errs))
	for i, e := range errs {
		f[i] = float64(e)
	}
	b := quantity.BandOf(f, share)
	return tube.Band{Low: min(0, int64(math.Floor(b.Low))), High: max(0, int64(math.Ceil(b.High)))}
}

// bands describes the bands of the states.
func (m *model) bands() (out []plan.Band) {
	for i := range m.task.States {
		if n := &m.task.Next[i]; n.Low < n.High && n.Given == nil {
			v := m.variable(i)
			out = append(out, plan.Band{Name: v.Name, Low: number(v, n.Low), High: number(v, n.High), Errors: len(m.errs[i])})
		}
	}
	return out
}

func (m *model) variable(i int) *factored.Variable {
	return &m.p.Problem.Variables[m.layout.States[i]]
}

// rewardOf is the scaled reward of a plan without errors.
func rewardOf(p *factored.Problem, tr *factored.Trace) (sum int64) {
	for t := range tr.Horizon() {
		sum += p.Reward.StepReward(tr.Steps[t], tr.Steps[t+1])
	}
	return sum
}

// courses is the number of courses of errors that a plan is followed in beside its tube.
const courses = 1000

// try follows a plan in runs with errors within the bands, most of them at the ends. A run in which it does not hold is an
// internal error.
func (m *model) try(plan [][]int64, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 9))
	for range courses {
		step, broken := m.follow(plan, func(i, _ int, _ int64, _, _ []float64) int64 { return m.anError(i, rng) })
		if broken != "" {
			return fmt.Errorf("%w: the plan was said to hold for every error, and in a run %s is broken at step %d", app.ErrInternal, broken, step)
		}
	}
	return nil
}

// refute follows plans, most of them near one, in the courses of errors of a proof that none holds. One that holds in all of these is
// an internal error.
func (m *model) refute(proof *tube.Refutation, near [][]int64, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 10))
	before := len(near) - proof.Steps // steps with any errors
	errs := make([][]int64, max(0, before))
	for range refuted {
		plan := make([][]int64, len(near))
		for k, u := range near {
			plan[k] = slices.Clone(u)
			for j := range u {
				if q := &m.task.Actions[j]; rng.IntN(4) == 0 {
					plan[k][j] = q.Lo + rng.Int64N(q.Hi-q.Lo+1)
				}
			}
		}
		for k := range errs {
			errs[k] = make([]int64, len(m.task.States))
			for i := range errs[k] {
				errs[k][i] = m.anError(i, rng)
			}
		}
		if !slices.ContainsFunc(proof.Used, func(c tube.Course) bool {
			_, broken := m.follow(plan, func(i, k int, v int64, next, x []float64) int64 {
				if k < before {
					return errs[k][i]
				}
				return int64(m.task.Err(&c, i, k-before, float64(v), next, x))
			})
			return broken != ""
		}) {
			return fmt.Errorf("%w: no plan was said to hold for every error, and %v holds in the courses that are to show it", app.ErrInternal, plan)
		}
	}
	return nil
}

// refuted is the number of plans that are followed beside a proof.
const refuted = 200

// anError draws an error of a state.
func (m *model) anError(i int, rng *rand.Rand) int64 {
	n := &m.task.Next[i]
	e := n.Low + rng.Int64N(n.High-n.Low+1)
	switch rng.IntN(3) {
	case 0:
		e = n.Low
	case 1:
		e = n.High
	}
	return e
}

// follow follows a plan by the functions of the problem and not those of the tube's own model, with errors that may depend on the
// values v without them, on the next values before these, and on those before the step, from 0. It returns what is broken, "" for
// nothing, at which step, from 1.
func (m *model) follow(plan [][]int64, err func(i, step int, v int64, next, x []float64) int64) (step int, broken string) {
	p := m.p.Problem
	function := map[int]*factored.Function{}
	for i := range p.Functions {
		function[p.Functions[i].Variable] = &p.Functions[i]
	}
	now, _ := p.InitialBits()
	values := make([]int64, len(p.Variables))
	before, after := make([]float64, len(m.layout.States)), make([]float64, len(m.layout.States))
	for k := 0; ; k++ {
		for i := range p.Variables {
			values[i] = p.Variables[i].Value(now)
		}
		x := m.layout.State(now)
		var u []int64
		if k < len(plan) {
			u = plan[k]
		}
		if broken := m.task.Broken(x, u, k == len(plan)); broken != "" || u == nil {
			return k + 1, broken
		}
		for j, i := range m.layout.Actions {
			values[i] = u[j]
		}
		for s := range x {
			before[s] = float64(x[s])
		}
		next := slices.Clone(now)
		for s, i := range m.layout.States {
			v, n := &p.Variables[i], &m.task.Next[s]
			x := values[i]
			if f := function[i]; f != nil {
				x = f.Next(values)
			} else if n.Given != nil {
				x = n.Given[min(k, len(n.Given)-1)]
			}
			x = min(v.Hi, max(v.Lo, x+err(s, k, x, after, before)))
			after[s] = float64(x)
			_ = v.Set(next, x)
		}
		now = next
	}
}

// tell writes what a tube says of a plan that holds.
func (m *model) tell(d *plan.Robust, t *tube.Tube, h int) {
	m.widths(d, t)
	d.Says = append(d.Says, fmt.Sprintf("the plan keeps every rule%s in every run of %s whose errors are within the bands", m.andGoal(), counted.Of(h, "step")),
		m.premise(), fmt.Sprintf("%s with errors within the bands were tried beside the proof, and it holds in all", counted.Of(courses, "run")))
}

func (m *model) andGoal() string {
	if len(m.task.Goal) == 0 {
		return ""
	}
	return " and reaches the goal"
}

// premise is the assumption of what is said.
func (m *model) premise() string {
	var parts []string
	for _, b := range m.bands() {
		parts = append(parts, fmt.Sprintf("%g..%g of %s", b.Low, b.High, b.Name))
	}
	of := ""
	if names := slices.Compact(slices.Sorted(slices.Values(m.of))); len(names) > 0 && names[0] != "" {
		of = " of " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("the bands (%s) held %g %% of the errors of one step on held-out rows%s; that is no guarantee elsewhere, or over whole runs", strings.Join(parts, ", "), 100*m.share, of)
}

// widths writes the tube.
func (m *model) widths(d *plan.Robust, t *tube.Tube) {
	for i := range m.task.States {
		if n := &m.task.Next[i]; n.Low == n.High || n.Given != nil {
			continue
		}
		v := m.variable(i)
		line := plan.TubeLine{Name: v.Name}
		for k := range t.Low {
			line.Low, line.High = append(line.Low, number(v, t.Low[k][i])), append(line.High, number(v, t.High[k][i]))
		}
		d.Tube = append(d.Tube, line)
	}
}

func number(v *factored.Variable, x int64) float64 {
	f, _ := v.Step().Float64()
	s := float64(x) * f
	return math.Round(s*1e9) / 1e9
}

// refused writes why there is no plan.
func (m *model) refused(d *plan.Robust, proof *tube.Refutation, widest *tube.Tube, open int) {
	if widest != nil {
		m.widths(d, widest)
	}
	if open > 0 {
		says := fmt.Sprintf("no plan was found that holds for every error within the bands, and that there is none is not proven for %s", counted.Of(open, "horizon"))
		if widest != nil && widest.Broken > 0 {
			says += fmt.Sprintf("; with the last one that was tried, %q may be broken at step %d", widest.Text, widest.Broken)
			if k := m.task.Wide(widest); k > 0 {
				says += fmt.Sprintf(", and its tube is wider than the goal after %s", counted.Of(k, "step"))
			}
		}
		d.Says = append(d.Says, says, m.premise())
		return
	}
	d.None = &plan.NoneLine{Steps: proof.Steps, Anywhere: proof.Anywhere, Courses: proof.Courses, Cases: proof.Cases}
	d.Says = append(d.Says, "no plan holds for every error within the bands, whatever it does")
	what := "breaks a rule"
	if len(m.task.Goal) > 0 && !proof.Rules {
		what = "misses the goal or breaks a rule"
	}
	one := "one of " + counted.Of(proof.Courses, "course")
	if proof.Courses == 1 {
		one = "a course"
	}
	if proof.Anywhere {
		d.Says = append(d.Says, fmt.Sprintf("the errors of the last %s alone are too much: from any state that a plan can lead to, and with any actions, %s of errors %s", counted.Of(proof.Steps, "step"), one, what),
			fmt.Sprintf("so the tube of every plan has grown beyond use after %s", counted.Of(proof.Steps, "step")))
	} else {
		d.Says = append(d.Says, fmt.Sprintf("from the start, with any actions of %s, %s of errors %s", counted.Of(proof.Steps, "step"), one, what))
	}
	if proof.Follows {
		d.Says = append(d.Says, "these errors follow the plan: they keep quantities where they are, or next to a condition, as far as the bands allow")
	}
	d.Says = append(d.Says, fmt.Sprintf("that was compared in %s of regions, with bounds on what rounding does", counted.Of(proof.Cases, "combination")), m.premise())
	if len(m.task.Goal) > 0 {
		d.Says = append(d.Says, "run --robust plans again in each step from what it sees")
	}
}

// outside lists how actions leave what the log shows.
func (m *model) outside(actions [][]int64, before []int64) (out []string) {
	for j, i := range m.layout.Actions {
		v := &m.p.Problem.Variables[i]
		l, ok := m.p.Logged[v.Name]
		if !ok || len(actions) == 0 {
			continue
		}
		low, high, change := actions[0][j], actions[0][j], int64(0)
		last := before
		for _, u := range actions {
			low, high = min(low, u[j]), max(high, u[j])
			if last != nil {
				change = max(change, max(u[j]-last[j], last[j]-u[j]))
			}
			last = u
		}
		if l.Left(low, high) {
			out = append(out, l.Text(v, low, high))
		}
		if change > l.Change {
			out = append(out, fmt.Sprintf("%s changes by %s in a step, and in the log by %s at most", v.Name, text(v, change), text(v, l.Change)))
		}
	}
	return out
}

func text(v *factored.Variable, x int64) string {
	if v.Fixed() {
		return v.Decimal(x)
	}
	return fmt.Sprint(x)
}
