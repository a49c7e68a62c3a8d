package load

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The metadata keys of what plans with the errors of functions rest on.
const (
	// MetaResiduals has the errors of a function on held-out rows, in the order of time: FLUENT: E E …, logged less
	// predicted values in steps of the quantity.
	MetaResiduals = "residuals"
	// MetaLogged is what the log has of an action that is a number: ACTION: LOW HIGH CHANGE, its range and its greatest
	// change from one row to the next, in steps.
	MetaLogged = "logged"
)

// Logged is what the log has of an action that is a number, in steps of its values.
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

// LoggedLine writes what the log has of an action.
func LoggedLine(action string, l Logged) string {
	return fmt.Sprintf("%s: %d %d %d", action, l.Low, l.High, l.Change)
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

// ErrorsOf returns the errors of a function: those of the machine that the problem begins with, if the network's file has these, and of
// each one where the task leaves open which it is, or lets it change.
func (p *Problem) ErrorsOf(fluent string) (all [][]int64) {
	courses := p.Courses()
	val, given := p.World().InitialBits()
	for i := range p.Problem.Variables {
		v := &p.Problem.Variables[i]
		if !v.Given || !v.Enumeration() {
			continue
		}
		is := func(x int64) bool { return v.Value(val) == x }
		k := slices.IndexFunc(courses, func(c Course) bool { return c.Variable == i })
		if slices.Contains(given[v.First:int(v.First)+v.Width], false) || k >= 0 && (courses[k].Against || slices.ContainsFunc(courses[k].Values, func(x int64) bool { return x != courses[k].Values[0] })) {
			is = func(int64) bool { return true }
		}
		missing := false
		for x := v.Lo; x <= v.Hi; x++ {
			if r := p.Residuals[Where(fluent, Machine(v, x))]; len(r) == 0 {
				missing = missing || is(x)
			} else if is(x) {
				all = append(all, r)
			}
		}
		if len(all) > 0 && !missing {
			return all
		}
	}
	if r := p.Residuals[fluent]; len(r) > 0 {
		all = append(all, r)
	}
	return all
}
