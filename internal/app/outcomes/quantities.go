package outcomes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/quantity"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// Quantities are the functions that were learned for the next values of quantities of fixed decimals.
type Quantities struct {
	Lines []QuantityLine
	// Network is the problem whose outputs are those left for a network.
	Network *load.Problem

	p         *load.Problem
	functions load.Functions
	errors    [][]drawn   // by line
	rest      [][2]string // see series.residuals
}

// QuantityLine is what was learned about a quantity.
type QuantityLine struct {
	Fluent   string `json:"fluent"`
	Function string `json:"function"`
	Leaves   int    `json:"leaves"`
	// HeldOut compares it on blocks of time, each predicted by what the others taught.
	HeldOut Compared `json:"held_out"`
	// Bands held the given shares of the errors there. Machines that an input tells have their own, first, where their errors are others.
	Bands []load.Band `json:"bands"`
	// Refuted are machines of whose errors a band did not hold its share.
	Refuted []Refuted `json:"refuted,omitempty"`
}

// Compared are root mean square errors one and several steps ahead, with all actions and what is not predicted as
// logged; null where no rows tell.
type Compared struct {
	Rows      int       `json:"rows"`
	Steps     int       `json:"steps"` // of the second error
	Function  [2]*Error `json:"function"`
	Linear    [2]*Error `json:"linear"`    // a linear function of all columns now and two steps before
	Bins      [2]*Error `json:"bins"`      // the bin that most often follows, of ten
	Unchanged [2]*Error `json:"unchanged"` // nothing changes
}

// drawn are errors that are drawn where a condition holds, in steps.
type drawn struct {
	when   string
	errors []quantity.Weight
}

// Error is an error in the unit of a quantity.
type Error float64

// Bands have these shares of the errors.
const bandShare = .99

// mostBands bounds the machines whose bands are written.
const mostBands = 8

// mostErrorsKept bounds the different errors that are drawn.
const mostErrorsKept = 60

// FindQuantities learns the functions of the learned states with fixed decimals; nil if there are none, or too few rows.
// With held, it learns from the rows before the cut of each data set. The fluents of skip are left to the network.
func FindQuantities(ctx context.Context, p *load.Problem, from []train.Source, held bool, lags, threads int, skip []string) (*Quantities, error) {
	x := newSeries(p)
	for i := range x.t.Columns {
		x.t.Columns[i].Learn = x.t.Columns[i].Learn && !slices.Contains(skip, x.t.Columns[i].Name)
	}
	if !slices.ContainsFunc(x.t.Columns, func(c quantity.Column) bool { return c.Learn }) {
		return nil, nil
	}
	if x.fill(from, held); x.column >= 0 {
		x.t.Of = x.of
	}
	l, err := quantity.Learn(ctx, x.t, quantity.Options{Lags: lags, Threads: threads})
	if errors.Is(err, quantity.ErrFew) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	q := &Quantities{p: p}
	for _, out := range l {
		q.add(x, out)
	}
	q.functions.Lags, q.rest = x.lags, x.residuals(l)
	x.lags, q.functions.Linear = nil, &load.Functions{}
	for _, out := range l {
		q.functions.Linear.Texts = append(q.functions.Linear.Texts, x.vars[out.Column].Name+"' = "+out.Linear.Text(x.name, x.value))
	}
	q.functions.Linear.Lags = x.lags
	network := *p
	network.Problem = p.Problem.Clone()
	if err := q.functions.Define("", network.Problem); err != nil {
		return nil, err
	}
	outputs, inputs := network.Problem.Outputs, p.Problem.Inputs
	network.Problem = p.Problem.Clone()
	network.Problem.Outputs, network.Problem.Inputs = outputs, inputs
	q.Network = &network
	return q, nil
}

// add takes what was learned about a quantity.
func (q *Quantities) add(x *series, out *quantity.Output) {
	v := x.vars[out.Column]
	line := QuantityLine{Fluent: v.Name, Leaves: out.Function.Leaves(), HeldOut: compared(&out.Errors)}
	line.Function = v.Name + "' = " + out.Function.Text(x.name, x.value)
	for _, b := range []struct {
		steps  int
		errors []float64
		rows   []int
	}{{1, out.Residuals, out.Rows}, {quantity.Far, out.FarResiduals, out.FarRows}} {
		for _, own := range x.own(b.errors, b.rows, b.steps) {
			if len(own.errors) > 0 {
				band := quantity.BandOf(own.errors, bandShare)
				line.Bands = append(line.Bands, load.Band{Fluent: v.Name, When: own.when, Share: bandShare, Steps: b.steps, Low: band.Low, High: band.High})
			}
		}
		line.Refuted = append(line.Refuted, x.refuted(v.Name, line.Bands, b.steps, b.errors, b.rows)...)
	}
	q.Lines = append(q.Lines, line)
	q.functions.Texts = append(q.functions.Texts, line.Function)
	q.functions.Bands = append(q.functions.Bands, line.Bands...)
	step, _ := v.Step().Float64()
	var all []drawn
	for _, own := range x.own(out.Residuals, out.Rows, 1) {
		all = append(all, drawn{own.when, quantity.Distribution(own.errors, step, mostErrorsKept)})
	}
	q.errors = append(q.errors, all)
}

func compared(e *quantity.Errors) Compared {
	pair := func(p quantity.Pair) (out [2]*Error) {
		for i, x := range []float64{p.One, p.Far} {
			if y := Error(x); !math.IsNaN(x) && !math.IsInf(x, 0) {
				out[i] = &y
			}
		}
		return out
	}
	return Compared{Rows: e.Rows, Steps: quantity.Far, Function: pair(e.Function), Linear: pair(e.Linear), Bins: pair(e.Bins), Unchanged: pair(e.Unchanged)}
}

// Meta is what a network's file says of the functions and of their errors, which are drawn.
func (q *Quantities) Meta() ([][2]string, error) {
	meta := append(q.functions.Meta(), q.rest...)
	p := q.p.Problem.Clone()
	if err := q.functions.Define("", p); err != nil {
		return nil, err
	}
	var groups []chance.Group
	for i := range q.Lines {
		g, err := chance.NewGroup(p, []string{q.Lines[i].Fluent})
		if err != nil {
			return nil, err
		}
		random := false
		for _, d := range q.errors[i] {
			c := chance.Context{When: d.when}
			for _, w := range d.errors {
				c.Total += w.Count
				c.Outcomes = append(c.Outcomes, chance.Outcome{Weight: w.Count, Effects: []chance.Effect{{Kind: chance.Predict, By: w.Steps}}})
			}
			c.Rows, random = c.Total, random || len(c.Outcomes) > 1
			g.Contexts = append(g.Contexts, c)
		}
		if random { // else there is no error, or always the same
			groups = append(groups, *g)
		}
	}
	drawn, err := chanceLines(p, groups)
	return append(meta, drawn...), err
}

// Functions are those of all quantities, with what they read.
func (q *Quantities) Functions() *load.Functions { return &q.functions }

// Whole is a problem whose outputs are those of functions and of a network, whose prediction is nil for none, with what
// both predict and the rows as it reads them. Rows without the earlier ones that functions read are left out.
func Whole(p *load.Problem, f *load.Functions, network measure.Predict, from []train.Source) (*load.Problem, measure.Predict, []train.Source, error) {
	whole := *p
	problem, predict, err := f.Whole("", p.Problem, network)
	if err != nil {
		return nil, nil, nil, err
	}
	whole.Problem = problem
	rows, err := withLags(problem, f.Lags, from)
	return &whole, predict, rows, err
}

// String compares the functions with what is simpler.
func (q *Quantities) String() string {
	var b strings.Builder
	for i := range q.Lines {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(q.Lines[i].String())
	}
	return b.String()
}

func (l *QuantityLine) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", l.Function)
	h := &l.HeldOut
	fmt.Fprintf(&b, "  error on held-out time (root mean square, %d rows), 1 and %d steps ahead: %s", h.Rows, h.Steps, pairText(h.Function))
	fmt.Fprintf(&b, "; linear of three rows %s, in bins %s, \"nothing changes\" %s", pairText(h.Linear), pairText(h.Bins), pairText(h.Unchanged))
	for i, n := 0, 0; i < len(l.Bands); i, n = i+1, n+1 {
		band := &l.Bands[i]
		if i == 0 || l.Bands[i-1].Steps != band.Steps {
			fmt.Fprintf(&b, "\n  %g %% of the errors %d ahead were", 100*band.Share, band.Steps)
			n = 0
		}
		switch {
		case band.When != "" && n < mostBands:
			fmt.Fprintf(&b, " in %.3g..%.3g if %s,", band.Low, band.High, band.When)
		case band.When != "" && n == mostBands:
			b.WriteString(" …,")
		case band.When == "":
			fmt.Fprintf(&b, "%s in %.3g..%.3g", map[bool]string{true: " else"}[n > 0], band.Low, band.High)
		}
	}
	for i := range l.Refuted {
		fmt.Fprintf(&b, "\n  WARNING: %v", &l.Refuted[i])
	}
	return b.String()
}

func pairText(p [2]*Error) string {
	text := func(e *Error) string {
		if e == nil {
			return "-"
		}
		return strconv.FormatFloat(float64(*e), 'g', 3, 64)
	}
	return text(p[0]) + " / " + text(p[1])
}

// series are rows of data sets as columns of numbers.
type series struct {
	p    *factored.Problem
	t    *quantity.Table
	vars []*factored.Variable // of each column
	lags []load.Lagged        // that functions read and the problem does not have
	machines
}

// newSeries lists the columns: all states and actions but those in bins, which have no numbers.
func newSeries(p *load.Problem) *series {
	x := &series{p: p.Problem, t: &quantity.Table{}}
	learned := map[*factored.Variable]bool{}
	for _, b := range p.Problem.Outputs {
		v, _ := p.Problem.Owner(b)
		learned[v] = true
	}
	for i := range p.Problem.Variables {
		v := &p.Problem.Variables[i]
		if v.Kind == factored.Auxiliary || v.Quantity() || v.Lagged() {
			continue
		}
		c := quantity.Column{Name: v.Name, Learn: learned[v] && v.Fixed()}
		switch {
		case v.Kind == factored.Action:
			c.Role = quantity.Action
		case !learned[v]:
			c.Role = quantity.Input
		}
		if v.Bool || v.Enumeration() {
			c.Values = int(v.Hi-v.Lo) + 1
		}
		if v.Fixed() {
			c.Step, _ = v.Step().Float64()
			c.Least, c.Most = v.Center(v.Lo), v.Center(v.Hi)
		}
		x.t.Columns, x.vars = append(x.t.Columns, c), append(x.vars, v)
	}
	if x.column = tells(p, x.vars); x.column >= 0 {
		x.names = x.vars[x.column].View.Names
	}
	return x
}

// fill reads the rows, without those that lack a value; with held, those before the cut of each data set.
func (x *series) fill(from []train.Source, held bool) {
	for _, s := range from {
		d := s.Logged()
		column := places(d.Schema)
		row := make([]float64, len(d.Schema.Columns))
		last, known := -2, true
		rows := d.Rows
		if held && s.Cut > 0 {
			rows = s.Cut
		}
		for r := range rows {
			d.Read(r, row)
			now, next := make([]float64, len(x.vars)), make([]float64, len(x.vars))
			known = true
			for i, v := range x.vars {
				now[i], known = x.read(row, column, v, v.Name, known)
				if v.Kind == factored.State {
					next[i], known = x.read(row, column, v, v.Name+"'", known)
				}
			}
			if !known {
				continue
			}
			follows := last == r-1 && !isBegin(d.Begins, r)
			last = r
			x.machines.add(r, now, d.Entity)
			x.add(now, next, follows)
		}
	}
}

// read returns a value of a row, and whether all were known so far.
func (x *series) read(row []float64, column map[string]int, v *factored.Variable, name string, known bool) (float64, bool) {
	at, ok := column[name]
	if !ok || math.IsNaN(row[at]) {
		return 0, false
	}
	if v.Bool || v.Enumeration() {
		return row[at] - float64(v.Lo), known
	}
	return math.Round(row[at]*1e9) / 1e9, known // as functions compare it: 0.1 + 0.2 is 0.3
}

// add adds a row, which follows the one before if it begins in what that one led to.
func (x *series) add(now, next []float64, follows bool) {
	n := x.t.Rows()
	for i, v := range x.vars {
		c := &x.t.Columns[i]
		if v.Kind == factored.State {
			follows = follows && n > 0 && c.Next[n-1] == now[i]
			c.Next = append(c.Next, next[i])
		}
		c.Now = append(c.Now, now[i])
	}
	x.t.Follows = append(x.t.Follows, follows)
}

// name is the variable of a column some steps before; the first time that it is asked for, it becomes a lag of the model.
func (x *series) name(column, lag int) string {
	v := x.vars[column]
	if lag == 0 {
		return v.Name
	}
	for k := 1; k < lag; k++ {
		x.name(column, k) // a lag needs those by less
	}
	want := factored.Lag{Of: v.Name, By: lag}
	for i := range x.p.Variables {
		if w := &x.p.Variables[i]; w.Lag == want {
			return w.Name
		}
	}
	for _, l := range x.lags {
		if l.Lag == want {
			return l.Name
		}
	}
	name := fmt.Sprintf("%s_%d", v.Name, lag)
	if at := strings.IndexByte(v.Name, '('); at >= 0 {
		name = fmt.Sprintf("%s_%d%s", v.Name[:at], lag, v.Name[at:])
	}
	for _, taken := x.p.Find(name); taken; _, taken = x.p.Find(name) {
		name = "before-" + name
	}
	x.lags = append(x.lags, load.Lagged{Name: name, Lag: want})
	return name
}

// value writes a value of an enumeration; a Boolean is written without.
func (x *series) value(column, value int) string {
	v := x.vars[column]
	if v.Bool {
		return ""
	}
	return strconv.Quote(v.View.Names[value])
}
