package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// Outside is a value of a system that its variable does not have.
type Outside struct {
	Step     int    `json:"step"` // steps requested from the system until it was sent; 0 for the first reset
	Variable string `json:"variable"`
	Value    any    `json:"value"` // a number, a string, or nil for a value that the system could not read
	Expected string `json:"expected"`
	Taken    any    `json:"taken"` // in its place: the nearest value, or the last one that was known, or the initial one
	// Number stands for the value among those of a row (package train); NaN for one that the system could not
	// read.
	Number float64 `json:"-"`
}

func (o Outside) String() string {
	value := o.Value
	if text, ok := value.(string); ok {
		value = source.Quote(text)
	} else if value == nil {
		value = "none"
	}
	return fmt.Sprintf("step %d, %s: %v, expected %s; taken for %v", o.Step, o.Variable, value, o.Expected, o.Taken)
}

// readState reads the state of an answer, which is whole unless partial. In place of a number that its variable does
// not have, the nearest one is taken, and in place of an unknown name or a null the value in last; where that is nil,
// the initial value of the problem, if there is one.
func readState(p *factored.Problem, last factored.Valuation, partial bool, a *Answer, state map[string]json.RawMessage) error {
	a.State = make(factored.Valuation, p.NumBits())
	seen := map[*factored.Variable]bool{}
	for _, name := range slices.Sorted(maps.Keys(state)) {
		v, ok := p.Find(name)
		switch {
		case !ok || v.Kind != factored.State || v.Lagged():
			return fmt.Errorf("%s is not a state variable of %s", source.Printable(name, source.MaxLine), p.Name)
		case seen[v]:
			return fmt.Errorf("%s has two values", v.Name)
		}
		seen[v] = true
		if err := readValue(p, last, a, v, state[name]); err != nil {
			return fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == factored.State && !v.Lagged() && !seen[v] {
			if !partial {
				return fmt.Errorf("%s is missing from the state", v.Name)
			}
			a.Missing = append(a.Missing, v.Name)
		}
	}
	return nil
}

// readValue reads the value of a variable.
func readValue(p *factored.Problem, last factored.Valuation, a *Answer, v *factored.Variable, raw json.RawMessage) error {
	x, outside, err := received(a, v, raw)
	if err != nil {
		return err
	}
	if outside != nil {
		if math.IsNaN(outside.Number) || v.Enumeration() {
			if last == nil {
				var given []bool
				if last, given = p.InitialBits(); slices.Contains(given[v.First:int(v.First)+v.Width], false) {
					last = nil
				}
			}
			if last == nil {
				return fmt.Errorf("expected one of %s, found %s, and neither an earlier value nor an initial one is known", v.RangeText(), shorten(string(raw)))
			}
			x = v.Value(last)
		}
		outside.Variable, outside.Expected, outside.Taken = v.Name, v.RangeText(), v.Show(x)
		a.Outside = append(a.Outside, *outside)
		if v.Ends && a.Violation == nil {
			a.Violation = &Violation{Group: "range", Constraint: v.Stays(), Values: []Value{{v.Name, outside.Value}}, After: true, say: func(step int) string {
				return fmt.Sprintf("step %d: %s is %v, outside of %s, where the run ends", step, v.Name, outside.Value, outside.Expected)
			}}
		}
	}
	return v.Set(a.State, x)
}

// received parses a value that a process sent: a quantity becomes its level. For one that v does not have it
// returns the nearest number, and what was sent.
func received(a *Answer, v *factored.Variable, raw json.RawMessage) (int64, *Outside, error) {
	text := string(raw)
	switch {
	case text == "null":
		return 0, &Outside{Number: math.NaN()}, nil
	case v.Enumeration():
		var name string
		if err := json.Unmarshal(raw, &name); err != nil {
			return 0, nil, fmt.Errorf("expected one of %s, found %s", v.RangeText(), shorten(text))
		}
		x, err := v.Named(name)
		if err != nil {
			return 0, &Outside{Value: source.Printable(name, source.MaxLine), Number: dataset.Unseen(name)}, nil
		}
		return x, nil, nil
	case v.Bool && text == "true":
		return 1, nil, nil
	case v.Bool && text == "false":
		return 0, nil, nil
	}
	lo, hi := v.Inside()
	if x, err := strconv.ParseInt(text, 10, 64); err == nil && !v.Real() && x >= lo && x <= hi {
		return x, nil, nil
	}
	q, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // 1e400 is infinite
		kind := map[bool]string{true: "true or false", false: "a number"}[v.Bool]
		return 0, nil, fmt.Errorf("expected %s, found %s", kind, shorten(text))
	}
	x, inside := nearest(v, q)
	if v.Real() {
		if a.Quantities == nil {
			a.Quantities = map[string]float64{}
		}
		a.Quantities[v.Name] = min(max(q, -most), most)
	}
	if inside && x >= lo && x <= hi {
		return x, nil, nil
	}
	var shown any = q
	if math.IsInf(q, 0) {
		shown = shorten(text)
	}
	return x, &Outside{Value: shown, Number: min(max(q, -most), most)}, nil
}

// most bounds numbers, so that sums of their squares are finite.
const most = 1e150

// nearest returns the value of v that is nearest to a number, and whether it is the number itself or its bin.
func nearest(v *factored.Variable, q float64) (x int64, inside bool) {
	if v.Quantity() {
		edges := v.View.Edges
		x, err := v.Level(min(max(q, edges[0]), edges[len(edges)-1]))
		return x, err == nil && q >= edges[0] && q <= edges[len(edges)-1]
	}
	if v.Fixed() {
		if x, err := v.Level(q); err == nil {
			return x, true
		}
		if q > v.Center(v.Lo) {
			return v.Hi, false
		}
		return v.Lo, false
	}
	lo, hi := v.Lo, v.Hi
	if v.Bool {
		lo, hi = 0, 1
	}
	switch {
	case q <= float64(lo):
		return lo, q == float64(lo)
	case q >= float64(hi):
		return hi, q == float64(hi)
	}
	x = int64(math.Round(q))
	return x, float64(x) == q
}
