package load

import (
	"fmt"
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

// ResidualsLine writes the errors of a function.
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
func numbersOf(line string) (name string, numbers []int64, err error) {
	name, rest, ok := strings.Cut(line, ": ")
	if !ok {
		return "", nil, fmt.Errorf("%.40q is no list of numbers; expected NAME: N N …", line)
	}
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
