package rawlog

import (
	"math"
	"slices"
	"strings"
)

// timeNames are the names of columns that order the rows, without signs.
var timeNames = []string{"time", "timestamp", "datetime", "date", "ts", "step", "t", "timestep", "epoch", "unixtime"}

// isTime reports whether a column has stamps of time, numbers that count the time since 1970, or a
// name of a time and numbers.
func isTime(t *Table, c *Column) bool {
	if c.layout != "" {
		return true
	}
	name := letters(c.Name)
	named, found := slices.Contains(timeNames, name), false
	last, falls, rows := 0.0, 0, 0
	for i := range min(t.Rows(), 1000) {
		if c.Missing(i) {
			continue
		}
		x, ok := c.Number(i)
		if !ok {
			return false
		}
		if found && x < last {
			falls++
		}
		found, last, rows = true, x, rows+1
	}
	if name == "t" && 4*falls > rows || t.Column(c.Name+"'") >= 0 {
		named = false // a temperature, or a number of the state: its next value is recorded
	}
	return found && (named || c.mayBeEpoch() && c.Epoch() != "")
}

// mayBeEpoch reports whether a name goes with a time since 1970.
func (c *Column) mayBeEpoch() bool {
	name := strings.ToLower(c.Name)
	return slices.ContainsFunc([]string{"time", "epoch", "unix", "date", "stamp", "ts", "created"}, func(word string) bool { return strings.Contains(name, word) })
}

// whyTime says what a column of times has.
func (c *Column) whyTime() string {
	if c.layout == "" {
		if unit := c.Epoch(); unit != "" {
			return unit + " since 1970"
		}
		return "by its name, and it has numbers"
	}
	why := "stamps such as " + c.sample
	switch {
	case c.sure && c.days:
		why += ", the day before the month"
	case isAmbiguous(c.layout) && !c.sure:
		why += ", read with the month before the day"
	}
	return why
}

// A column is a clock if each entity has leastClock rows or more on average, each value once, and clockSteps of the values follow one another.
const (
	leastClock = 50
	clockSteps = .9
)

// isClock reports whether a column of whole numbers counts the rows of each entity, or of the log if entity is empty, up to some that are
// missing. No state does: each of its values would be met once. A number that falls from row to row may be what is left of something.
func (t *Table) isClock(c *Column, entity string) bool {
	by := t.find(entity)
	if c.Unit != "" || unitOf(c.Name) != "" || c == by {
		return false
	}
	of := map[uint64][]float64{} // the numbers of each entity
	rows, rises, falls := 0, 0, 0
	for i := range t.Rows() {
		v, ok := c.Number(i)
		if !ok && c.Missing(i) {
			continue
		}
		if !ok || v != math.Trunc(v) {
			return false
		}
		id := by.id(i)
		if list := of[id]; len(list) > 0 {
			switch last := list[len(list)-1]; {
			case v > last:
				rises++
			case v < last:
				falls++
			default:
				return false
			}
		}
		of[id] = append(of[id], v)
		rows++
	}
	if rows < leastClock*len(of) || rows == 0 || falls > 9*rises {
		return false
	}
	ones, steps := 0, 0
	for _, list := range of {
		slices.Sort(list)
		for k := 1; k < len(list); k++ {
			if list[k] == list[k-1] {
				return false
			}
			if steps++; list[k] == list[k-1]+1 {
				ones++
			}
		}
	}
	return float64(ones) >= clockSteps*float64(steps)
}
