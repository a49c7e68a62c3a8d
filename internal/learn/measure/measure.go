package measure

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// Measure is the error of predicted next states on some rows. All numbers are of rows, each
// counted as often as it was seen.
type Measure struct {
	Rows      int `json:"rows"`
	Distinct  int `json:"distinct"`  // states and actions among them
	Wrong     int `json:"wrong"`     // the predicted next state is wrong in any fluent
	Floor     int `json:"floor"`     // the same for the best function of these columns
	Unchanged int `json:"unchanged"` // the same for the prediction that nothing changes
	// OutOfRange counts the rows with a value that its fluent does not have. A quantity
	// then counts in the nearest bin; other such values are never predicted, and from them nothing is.
	OutOfRange int     `json:"out_of_range"`
	Fluents    Fluents `json:"fluents"`
}

// Fluents are the errors by fluent, in the order of the problem.
type Fluents []Fluent

// Fluent is the error of the predicted values of one fluent.
type Fluent struct {
	Name      string `json:"-"`
	Wrong     int    `json:"wrong"`
	Floor     int    `json:"floor"`
	Unchanged int    `json:"unchanged"`
	*Distance        // nil of a Boolean or an enumeration
}

// Distance is how far predictions are from the true values of a quantity or an integer, in its own
// unit. The center of a bin is what the bin predicts. Rows from which nothing is predicted are left out.
type Distance struct {
	RMS          float64 `json:"rms"`           // root of the mean square
	RMSUnchanged float64 `json:"rms_unchanged"` // the same for the prediction that nothing changes
	Mean         float64 `json:"mean"`          // of the absolute error
	P95          float64 `json:"p95"`           // its 95th percentile
	Unit         string  `json:"unit,omitempty"`

	fixed bool // of a quantity with a step
}

// MarshalJSON writes an object with an entry for each fluent.
func (f Fluents) MarshalJSON() ([]byte, error) {
	m := make(map[string]*Fluent, len(f))
	for i := range f {
		m[f[i].Name] = &f[i]
	}
	return json.Marshal(m)
}

// UnmarshalJSON reads such an object; the fluents are then in the order of their names.
func (f *Fluents) UnmarshalJSON(text []byte) error {
	var m map[string]Fluent
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	*f = nil
	for name, x := range m {
		x.Name = name
		*f = append(*f, x)
	}
	slices.SortStableFunc(*f, func(a, b Fluent) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// Useless reports whether the predictions are wrong as often as, or more often than, the prediction that nothing
// changes, and no number is nearer to what follows.
func (m *Measure) Useless() bool {
	return m.Wrong > 0 && m.Wrong >= m.Unchanged && !slices.ContainsFunc(m.Fluents, func(f Fluent) bool { return f.nearer() })
}

// Useless reports the same of one fluent.
func (f *Fluent) Useless() bool { return f.Wrong > 0 && f.Wrong >= f.Unchanged && !f.nearer() }

// nearer reports whether the predicted numbers of a quantity with a step are nearer to the next ones than the present ones are:
// they are seldom exact.
func (f *Fluent) nearer() bool {
	return f.Distance != nil && f.Distance.fixed && f.Distance.RMS < f.Distance.RMSUnchanged
}

// Share returns n as a part of the rows; 0 if there are none.
func (m *Measure) Share(n int) float64 {
	if m.Rows == 0 {
		return 0
	}
	return float64(n) / float64(m.Rows)
}

// distances collects the errors of a fluent.
type distances struct {
	v               *factored.Variable
	rows            int
	square, unmoved float64   // sums of squares
	sum             float64   // of absolute errors
	absolute        []float64 // of every stride-th row
	stride          int
}

// mostKept bounds the errors that are kept for a percentile: of more rows, every second, fourth, …
// is taken.
const mostKept = 1 << 20

// add takes the true value after the step, that before it, and the predicted one.
func (d *distances) add(next, now, predicted float64) {
	e := math.Abs(next - predicted)
	d.square += e * e
	d.unmoved += (next - now) * (next - now)
	d.sum += e
	if d.rows%max(1, d.stride) == 0 {
		d.absolute = append(d.absolute, e)
	}
	if d.rows++; len(d.absolute) == mostKept {
		for i := range mostKept / 2 {
			d.absolute[i] = d.absolute[2*i]
		}
		d.absolute, d.stride = d.absolute[:mostKept/2], 2*max(1, d.stride)
	}
}

// distance summarises the errors; nil if there are none.
func (d *distances) distance() *Distance {
	if d == nil || d.rows == 0 {
		return nil
	}
	n := float64(d.rows)
	sorted := slices.Sorted(slices.Values(d.absolute))
	rank := int(math.Ceil(0.95 * float64(len(sorted))))
	out := &Distance{fixed: d.v.Fixed(), RMS: math.Sqrt(d.square / n), RMSUnchanged: math.Sqrt(d.unmoved / n), Mean: d.sum / n, P95: sorted[rank-1]}
	if d.v.View != nil {
		out.Unit = d.v.View.Unit
	}
	return out
}
