package outcomes

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/quantity"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// QuantityTest is how the function of a quantity does on data: root mean square errors one and several steps ahead, with all
// actions and what no function predicts as logged, and the shares of errors in bands. What no rows tell is null.
type QuantityTest struct {
	Fluent    string    `json:"fluent"`
	Rows      int       `json:"rows"`
	FarRows   int       `json:"far_rows"` // that are followed by so many steps
	Steps     int       `json:"steps"`    // of the second of each pair
	Function  [2]*Error `json:"function"`
	Linear    [2]*Error `json:"linear"`    // the linear function that training compared it with
	Unchanged [2]*Error `json:"unchanged"` // nothing changes
	// Covered is the share of errors within the band of the file, and Adaptive that within bands that grow where the run misses
	// more than they should.
	Covered  [2]*Error `json:"covered"`
	Adaptive [2]*Error `json:"adaptive"`
	Share    float64   `json:"share"` // that the bands should cover

	// Refuted are machines of whose errors a band does not hold its share.
	Refuted []Refuted `json:"refuted,omitempty"`

	Fit [2][]Fit `json:"-"`
}

// Fit is a prediction beside what was logged.
type Fit struct {
	Row               int
	Logged, Predicted float64
	Low, High         float64 // the band that grows with the run's misses
}

// TestQuantities measures the functions of a network's file on data sets.
func TestQuantities(p *load.Problem, trained load.Trained, from []train.Source) ([]QuantityTest, error) {
	x := newSeries(p)
	x.fill(from, false)
	mine, err := newRunner(x, trained.Functions)
	if err != nil {
		return nil, err
	}
	var linear *runner
	if trained.Functions.Linear != nil {
		if linear, err = newRunner(x, trained.Functions.Linear); err != nil {
			return nil, err
		}
	}
	back := mine.back
	if linear != nil {
		back = max(back, linear.back) // all are compared on the same rows
	}
	errors := mine.run(back)
	var plain map[string][2][]miss
	if linear != nil {
		plain = linear.run(back)
	}
	var out []QuantityTest
	for i := range mine.p.Functions {
		v := &mine.p.Variables[mine.p.Functions[i].Variable]
		if v.Lagged() || !v.Fixed() {
			continue
		}
		t := QuantityTest{Fluent: v.Name, Steps: quantity.Far, Share: bandShare}
		e := errors[v.Name]
		t.Rows, t.FarRows = len(e[0]), len(e[1])
		for k := range e {
			t.Function[k], t.Unchanged[k] = rms(e[k], false), rms(e[k], true)
			t.Linear[k] = rms(plain[v.Name][k], false)
		}
		t.cover(x, e, trained, v)
		out = append(out, t)
	}
	return out, nil
}

// miss is a prediction and what came of it.
type miss struct {
	row                       int
	logged, predicted, before float64
}

func rms(all []miss, unchanged bool) *Error {
	if len(all) == 0 {
		return nil
	}
	sum := 0.0
	for _, m := range all {
		e := m.logged - m.predicted
		if unchanged {
			e = m.logged - m.before
		}
		sum += e * e
	}
	e := Error(math.Sqrt(sum / float64(len(all))))
	return &e
}

// cover counts the errors in bands.
func (t *QuantityTest) cover(x *series, e [2][]miss, trained load.Trained, v *factored.Variable) {
	known := residuals(trained.Chance, v)
	var bands [2]*load.Band // without those of machines
	all := trained.Functions.Bands
	for k, steps := range []int{1, quantity.Far} {
		if bands[k] = x.bandOf(v.Name, all, steps, -1); bands[k] != nil {
			t.Share = bands[k].Share
		}
	}
	share := func(n, of int) *Error {
		x := Error(float64(n) / float64(of))
		return &x
	}
	for k, band := range bands {
		if band == nil || len(e[k]) == 0 {
			continue
		}
		start := slices.Clone(known)
		if k == 1 && bands[0] != nil { // larger in the proportion of the bands
			for i := range start {
				start[i] *= (band.High - band.Low) / (bands[0].High - bands[0].Low + 1e-12)
			}
		}
		a := quantity.NewAdaptive(start, t.Share)
		in, followed := 0, 0
		var errors []float64
		var rows []int
		for i, m := range e[k] {
			d := m.logged - m.predicted
			errors, rows = append(errors, d), append(rows, m.row)
			band = x.bandOf(v.Name, all, band.Steps, x.of[m.row])
			if within(band.Low, d, band.High) {
				in++
			}
			w := a.Next()
			low, high := min(band.Low, -w), max(band.High, w)
			if within(low, d, high) {
				followed++
			}
			t.Fit[k] = append(t.Fit[k], Fit{m.row, m.logged, m.predicted, m.predicted + low, m.predicted + high})
			switch old := i - quantity.Far; {
			case k == 0:
				a.See(d)
			case old >= 0: // what is predicted so many steps ahead is known so much later
				a.See(e[k][old].logged - e[k][old].predicted)
			}
		}
		t.Refuted = append(t.Refuted, x.refuted(v.Name, all, band.Steps, errors, rows)...)
		t.Covered[k], t.Adaptive[k] = share(in, len(e[k])), share(followed, len(e[k]))
	}
}

// within reports whether an error is in a band, of which a file has six digits: errors in whole steps are often at its ends.
func within(low, e, high float64) bool {
	slack := 1e-9 + 1e-5*max(-low, high)
	return low-slack <= e && e <= high+slack
}

// residuals are the errors of a quantity that a model draws.
func residuals(c *chance.Model, v *factored.Variable) (all []float64) {
	if c == nil {
		return nil
	}
	step, _ := v.Step().Float64()
	for _, g := range c.Groups {
		if len(g.Outputs) != 1 || c.Problem.Variables[g.Outputs[0]].Name != v.Name {
			continue
		}
		for _, c := range g.Contexts {
			for _, o := range c.Outcomes {
				for range o.Weight {
					all = append(all, float64(o.Effects[0].By)*step)
				}
			}
		}
	}
	return all
}

// runner predicts rows by the functions of a problem, in its integers.
type runner struct {
	x    *series
	p    *factored.Problem // with lags and functions
	at   []int             // the column of each variable, or of what it is a lag of; -1 for none
	back int
}

func newRunner(x *series, f *load.Functions) (*runner, error) {
	r := &runner{x: x, p: x.p.Clone()}
	if err := f.Define("", r.p); err != nil {
		return nil, err
	}
	for i := range r.p.Variables {
		v := &r.p.Variables[i]
		name := v.Name
		if v.Lagged() {
			name, r.back = v.Lag.Of, max(r.back, v.Lag.By)
		}
		r.at = append(r.at, slices.IndexFunc(x.vars, func(w *factored.Variable) bool { return w.Name == name }))
	}
	for i := range r.p.Functions {
		r.widen(&r.p.Functions[i])
	}
	return r, nil
}

// widen lets a function give what the log has beyond the range of its state, at an end where nothing but the range clamps it: the range is one for plans.
func (r *runner) widen(f *factored.Function) {
	v := &r.p.Variables[f.Variable]
	if at := r.at[f.Variable]; v.Fixed() && !v.Lagged() && at >= 0 && r.x.t.Rows() > 0 {
		c := &r.x.t.Columns[at]
		if f.Lo == v.Lo {
			f.Lo = min(f.Lo, level(v, min(slices.Min(c.Now), slices.Min(c.Next))))
		}
		if f.Hi == v.Hi {
			f.Hi = max(f.Hi, level(v, max(slices.Max(c.Now), slices.Max(c.Next))))
		}
	}
}

// level is the value of a variable for a number of a column. Functions go on from what was logged, also from as far beyond a
// range as it is wide.
func level(v *factored.Variable, x float64) int64 {
	switch {
	case v.Fixed():
		step, _ := v.Step().Float64()
		wide := v.Hi - v.Lo
		return min(max(int64(math.RoundToEven(x/step)), v.Lo-wide), v.Hi+wide)
	case v.Bool || v.Enumeration():
		return v.Lo + int64(x)
	}
	return int64(x)
}

// number is the value of a level.
func number(v *factored.Variable, x int64) float64 {
	if v.Fixed() {
		return v.Center(x)
	}
	return float64(x)
}

// run predicts every row that goes far enough back one step ahead, and those that are followed by enough rows Far steps. It
// returns the errors of both by fluent.
func (r *runner) run(back int) map[string][2][]miss {
	depth, ahead := r.x.t.Runs()
	out := map[string][2][]miss{}
	for row := range depth {
		if depth[row] < back {
			continue
		}
		steps := 1
		if ahead[row] >= quantity.Far {
			steps = quantity.Far
		}
		r.from(row, steps, out)
	}
	return out
}

// from predicts from one row.
func (r *runner) from(row, steps int, out map[string][2][]miss) {
	columns := r.x.t.Columns
	values := make([]int64, len(r.p.Variables))
	for i, c := range r.at {
		if v := &r.p.Variables[i]; c >= 0 {
			values[i] = level(v, columns[c].Now[row-v.Lag.By])
		}
	}
	for s := range steps {
		next := make([]int64, len(values))
		for i, c := range r.at { // as logged
			if v := &r.p.Variables[i]; c >= 0 && !v.Lagged() && s+1 < steps {
				next[i] = level(v, columns[c].Now[row+s+1])
			}
		}
		for i := range r.p.Functions {
			f := &r.p.Functions[i]
			v := &r.p.Variables[f.Variable]
			next[f.Variable] = f.Next(values)
			if at := s / (quantity.Far - 1); s%(quantity.Far-1) == 0 && !v.Lagged() {
				c := &columns[r.at[f.Variable]]
				all := out[v.Name]
				all[at] = append(all[at], miss{row + s, c.Next[row+s], number(v, next[f.Variable]), c.Now[row]})
				out[v.Name] = all
			}
		}
		values = next
	}
}

func (t *QuantityTest) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, 1 and %d steps ahead (%d and %d rows): error (root mean square) %s; linear %s; \"nothing changes\" %s", t.Fluent, t.Steps, t.Rows, t.FarRows, pairText(t.Function), pairText(t.Linear), pairText(t.Unchanged))
	percent := func(e *Error) string {
		if e == nil {
			return "-"
		}
		return fmt.Sprintf("%.1f", 100*float64(*e))
	}
	fmt.Fprintf(&b, "\n  bands of %g %% cover %s / %s %%; those that grow with the run's misses %s / %s %%", 100*t.Share, percent(t.Covered[0]), percent(t.Covered[1]), percent(t.Adaptive[0]), percent(t.Adaptive[1]))
	for i := range t.Refuted {
		fmt.Fprintf(&b, "\n  WARNING: %v", &t.Refuted[i])
	}
	return b.String()
}
