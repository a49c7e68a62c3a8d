package rawlog

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The step of a quantity and the ends of its range are chosen so that rounding is small beside what the quantity does in a
// row, and that it can go a little beyond what the log has.
const (
	perMove    = 50   // of these steps are in the usual change from one row to the next, a root mean square
	perUnit    = 5    // of these are in the unit of a log whose usual change is less than
	fewUnits   = 2    // of them, where more than
	manyUnits  = 64   // are in the range
	perAction  = 100  // of these are in the range of an action
	perInput   = 200  // of these are in the range of an input
	mostSteps  = 4000 // of these are in a range
	mostDigits = 6    // after the point
	padding    = 0.2  // of the range that the log has, which a state or an input has beyond it on either side, and up to
	morePad    = 0.5  // so much, to end at a round number
	fewRows    = 1000 // of fewer rows a range has more beyond it, as the root of their number tells
)

// Step is a quantity's step: a whole number of units of the last decimal.
type Step struct {
	Units    int64
	Decimals int
}

// Float is the step as a number; 0 for none.
func (s Step) Float() float64 { return float64(s.Units) / math.Pow10(s.Decimals) }

// Text writes the multiple of the step nearest to a number.
func (s Step) Text(x float64) string {
	text := strconv.FormatFloat(math.RoundToEven(x/s.Float())*float64(s.Units)/math.Pow10(s.Decimals), 'f', s.Decimals, 64)
	if text == "-"+strings.TrimPrefix(text, "-") && strings.Trim(text, "-0.") == "" {
		text = text[1:] // no -0
	}
	return text
}

// String writes the step.
func (s Step) String() string { return strconv.FormatFloat(s.Float(), 'f', s.Decimals, 64) }

// resolution is the greatest step of which all numbers are multiples, with few decimals; one of 10^-mostDigits if there is none.
func resolution(values []float64) Step {
	digits := 0
	for _, x := range values {
		for digits < mostDigits && math.Abs(x*math.Pow10(digits)-math.Round(x*math.Pow10(digits))) > 1e-6*math.Max(1, math.Abs(x)) {
			digits++
		}
	}
	var unit int64
	for _, x := range values {
		k := int64(math.Abs(math.Round(min(math.Abs(x), 1e12) * math.Pow10(digits))))
		for k != 0 {
			unit, k = k, unit%k
		}
	}
	return Step{max(1, unit), digits}.reduced()
}

// reduced drops decimals that are 0.
func (s Step) reduced() Step {
	for s.Decimals > 0 && s.Units%10 == 0 {
		s.Units, s.Decimals = s.Units/10, s.Decimals-1
	}
	return s
}

// roundStep is the greatest step of 1, 2 or 5 units that is at most x, which is above 0.
func roundStep(x float64) Step {
	digits := max(0, -int(math.Floor(math.Log10(x)*(1+1e-12))))
	if digits > 12 {
		digits = 12
	}
	units := int64(1)
	for _, u := range []int64{1, 2, 5} {
		for scale := int64(1); scale < 1<<40; scale *= 10 {
			if y := (Step{u * scale, digits}); y.Float() <= x*(1+1e-9) {
				units = max(units, u*scale)
			}
		}
	}
	return Step{units, digits}.reduced()
}

// fix makes a quantity of fixed decimals of a column, whose values are given; moves are its changes from one row to the next.
// Where the range or the step is given, it is kept.
func (f *Fluent) fix(values, moves []float64) {
	given := f.How == "given"
	width := f.Hi - f.Lo
	if f.Step.Units == 0 {
		f.Step = f.step(values, moves, width)
	}
	how := "step " + f.Step.String()
	if !given {
		lo, hi := f.Lo, f.Hi
		if f.Use != AsAction {
			pad := width * max(1, math.Sqrt(fewRows/float64(max(fewRows/10, len(values)))))
			f.Lo, f.Hi = roundest(lo-morePad*pad, lo-padding*pad), roundest(hi+padding*pad, hi+morePad*pad)
			if lo >= 0 && lo-morePad*pad <= 0 {
				f.Lo = 0
			}
			if hi <= 0 && hi+morePad*pad >= 0 {
				f.Hi = 0
			}
		}
		how += fmt.Sprintf(", the log has %s to %s", short(lo), short(hi))
	}
	s := f.Step.Float()
	f.Lo, f.Hi = math.Floor(f.Lo/s+1e-9)*s, math.Ceil(f.Hi/s-1e-9)*s
	f.Edges, f.How = nil, how
}

// short writes a number with six digits, or as it is if it is whole.
func short(x float64) string {
	if x == math.Trunc(x) {
		return digits(x)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// step proposes the step of a quantity whose values have some width. It is that of the log where it can be: a coarser one for many values, and a finer one
// where the log rounds away what happens in a row. Rounded in each step, ten rows of a boiler's temperature, logged in units of half a degree, were wrong by twice as much.
func (f *Fluent) step(values, moves []float64, width float64) Step {
	r := resolution(values)
	if f.Use != AsState && fewDiffer(values) && width/r.Float() <= mostSteps {
		return r // they are exact
	}
	target := width / perAction
	switch f.Use {
	case AsInput:
		target = width / perInput
	case AsState:
		var sum float64
		for _, d := range moves {
			sum += d * d
		}
		move := math.Sqrt(sum / float64(max(1, len(moves))))
		if fine := (Step{r.Units * (10 / perUnit), r.Decimals + 1}).reduced(); move > 0 && move < fewUnits*r.Float() && width > manyUnits*r.Float() && width <= mostSteps*fine.Float() {
			return fine
		}
		if target = move / perMove; move == 0 {
			target = width / perInput
		}
	}
	s := roundStep(max(target, width/mostSteps))
	if r.Float() >= s.Float() && width/r.Float() <= mostSteps {
		return r
	}
	return s
}

// fewDiffer reports whether values are no more different ones than make clusters of one each.
func fewDiffer(values []float64) bool {
	seen := map[float64]bool{}
	for _, x := range values {
		if seen[x] = true; len(seen) > maxGaps+1 {
			return false
		}
	}
	return true
}

// movesOf lists the changes of a column from the rows of w to those after them.
func (w *watch) movesOf(column string) (out []float64) {
	c, next := &w.t.Columns[w.t.Column(column)], w.next(column)
	if next == nil {
		return nil
	}
	for i, k := range w.now {
		a, ok1 := c.Number(int(k))
		b, ok2 := next.Number(int(w.then[i]))
		if ok1 && ok2 {
			out = append(out, b-a)
		}
	}
	return out
}

// Fixed reports whether the fluent is a quantity of fixed decimals.
func (f *Fluent) Fixed() bool { return f.Kind == Real && f.Step.Units > 0 }

// decimals returns the digits after the point that were given for a fluent.
func (s *Spec) decimals(f *Fluent) (int, bool) {
	if d, ok := s.Decimals[f.Column]; ok {
		return d, true
	}
	d, ok := s.Decimals[f.Name]
	return d, ok
}

// binned reports whether bins were asked for a fluent, by its column or its name.
func (s *Spec) binned(f *Fluent) bool {
	return slices.Contains(s.Binned, f.Column) || slices.Contains(s.Binned, f.Name)
}
