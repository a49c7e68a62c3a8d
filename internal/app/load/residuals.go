package load

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// The metadata keys of what plans with the errors of functions rest on.
const (
	// MetaResiduals has the errors of a function on held-out rows, in the order of time: FLUENT: E E …, logged less
	// predicted values in steps of the quantity.
	MetaResiduals = "residuals"
	// MetaLogged is what the log has of a number, an action or a quantity with a function: NAME: LOW HIGH CHANGE, its range and its greatest
	// change from one row to the next, in steps.
	MetaLogged = "logged"
)

// Logged is what the log has of a number, in steps of its values.
type Logged struct {
	Low, High int64
	Change    int64 // the greatest from one row to the next
}

// MostResiduals bounds the errors that are kept of a function: the last ones.
const MostResiduals = 2000

// ResidualsLine writes the errors of a function; see Where.
func ResidualsLine(fluent string, errors []int64) string {
	var b strings.Builder
	b.WriteString(fluent + ":")
	for _, e := range errors[max(0, len(errors)-MostResiduals):] {
		fmt.Fprintf(&b, " %d", e)
	}
	return b.String()
}

// LoggedLine writes what the log has of a number.
func LoggedLine(name string, l Logged) string {
	return fmt.Sprintf("%s: %d %d %d", name, l.Low, l.High, l.Change)
}

// Beyond lists how some of the states and actions leave what the log has: there functions go on as no row shows.
func (p *Problem) Beyond(all iter.Seq[factored.Valuation]) (out []string) {
	type extent struct{ low, high int64 }
	reached := map[int]extent{}
	for val := range all {
		for i := range p.Problem.Variables {
			if _, ok := p.Logged[p.Problem.Variables[i].Name]; !ok {
				continue
			}
			x := p.Problem.Variables[i].Value(val)
			e, ok := reached[i]
			if !ok {
				e = extent{x, x}
			}
			reached[i] = extent{min(e.low, x), max(e.high, x)}
		}
	}
	for _, i := range slices.Sorted(maps.Keys(reached)) {
		v := &p.Problem.Variables[i]
		if l := p.Logged[v.Name]; l.Left(reached[i].low, reached[i].high) {
			out = append(out, l.Text(v, reached[i].low, reached[i].high))
		}
	}
	return out
}

// Left reports whether some values leave what the log has.
func (l Logged) Left(low, high int64) bool { return low < l.Low || high > l.High }

// Text says how values of a variable leave what the log has.
func (l Logged) Text(v *factored.Variable, low, high int64) string {
	return fmt.Sprintf("%s is between %v and %v, and in the log between %v and %v", v.Name, v.Show(low), v.Show(high), v.Show(l.Low), v.Show(l.High))
}

// numbersOf reads NAME: N N ….
func numbersOf(line string) (of string, numbers []int64, err error) {
	at := strings.LastIndex(line, ": ") // a condition may have others
	if at < 0 {
		return "", nil, fmt.Errorf("%.40q is no list of numbers; expected NAME: N N …", line)
	}
	name, rest := line[:at], line[at+2:]
	for _, word := range strings.Fields(rest) {
		x, err := strconv.ParseInt(word, 10, 32)
		if err != nil {
			return "", nil, fmt.Errorf("%.40q is no whole number", word)
		}
		numbers = append(numbers, x)
	}
	return name, numbers, nil
}

// readErrors reads a line of MetaResiduals or MetaLogged into t.
func (t *Trained) readErrors(key, line string) error {
	name, numbers, err := numbersOf(line)
	if err != nil {
		return err
	}
	if key == MetaResiduals {
		if t.Residuals == nil {
			t.Residuals = map[string][]int64{}
		}
		t.Residuals[name] = numbers
		return nil
	}
	if len(numbers) != 3 || numbers[0] > numbers[1] || numbers[2] < 0 {
		return fmt.Errorf("%.40q does not tell of an action; expected ACTION: LOW HIGH CHANGE", line)
	}
	if t.Logged == nil {
		t.Logged = map[string]Logged{}
	}
	t.Logged[name] = Logged{numbers[0], numbers[1], numbers[2]}
	return nil
}

// Inexact reports whether a learned function of a quantity was off in some rows held out.
func (p *Problem) Inexact() bool {
	for _, errors := range p.Residuals {
		if slices.ContainsFunc(errors, func(e int64) bool { return e != 0 }) {
			return true
		}
	}
	return false
}

// ErrorsOf returns the errors of a function, and of which machine each list is: those of the one that the problem begins with, if the
// network's file has them, and of each where the task leaves open which it is, or lets it change. It is "" for all machines.
func (p *Problem) ErrorsOf(fluent string) (all [][]int64, of []string) {
	val, given := p.World().InitialBits()
	for _, c := range p.Courses() {
		v := &p.Problem.Variables[c.Variable]
		if !v.Enumeration() {
			continue
		}
		open := c.Against || slices.Contains(given[v.First:int(v.First)+v.Width], false) || len(c.Values) > 0 && slices.Min(c.Values) < slices.Max(c.Values)
		missing := false
		for x := v.Lo; x <= v.Hi; x++ {
			if !open && x != v.Value(val) {
				continue
			}
			if r := p.Residuals[Where(fluent, Machine(v, x))]; len(r) > 0 {
				all, of = append(all, r), append(of, v.View.Names[x-v.Lo])
			} else {
				missing = true
			}
		}
		if len(all) > 0 && !missing {
			return all, of
		}
	}
	if r := p.Residuals[fluent]; len(r) > 0 {
		all, of = append(all, r), append(of, "")
	}
	return all, of
}
