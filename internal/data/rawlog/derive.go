package rawlog

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// part is a number that a stamp of time has.
type part struct {
	of     func(time.Time) int
	lo, hi float64
	clock  bool // it is of the time of day; else of the date
}

// parts are what columns can be derived from stamps for. The week begins with Monday, as 1.
var parts = map[string]part{
	"hour":    {time.Time.Hour, 0, 23, true},
	"weekday": {func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }, 1, 7, false},
	"month":   {func(t time.Time) int { return int(t.Month()) }, 1, 12, false},
}

// Derived is the range of a column that Derive can make.
func Derived(name string) (Range, error) {
	p, ok := parts[name]
	if !ok {
		return Range{}, fmt.Errorf("%q cannot be derived from stamps of time; expected hour, weekday or month", name)
	}
	return Range{Lo: p.lo, Hi: p.hi}, nil
}

// Derive appends columns that are parts of the stamps of time, unless the log has columns of these names. Date and time of day may
// stand in two columns. Stamps with a zone are read in UTC.
func (t *Table) Derive(names []string) error {
	for _, name := range names {
		p, ok := parts[name]
		if !ok {
			_, err := Derived(name)
			return err
		}
		if t.Column(name) >= 0 {
			continue
		}
		at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.tells(p.clock) })
		if at < 0 {
			return fmt.Errorf("%s has no column of stamps that %s could be derived from; its columns are %s", t.File, name, strings.Join(t.names(), ", "))
		}
		c, per := Column{Name: name}, t.Columns[at].perSecond()
		for i := range t.Rows() {
			if x, ok := t.Columns[at].stamp(i, per); ok {
				c.addNumber(float64(p.of(x)))
			} else {
				c.addMissing()
			}
		}
		c.settle()
		t.Columns = append(t.Columns, c)
	}
	return nil
}

// tells reports whether the stamps of a column have a time of day, or else a date.
func (c *Column) tells(clock bool) bool {
	if c.layout == "" {
		return c.mayBeEpoch() && c.Epoch() != ""
	}
	if clock {
		return strings.Contains(c.layout, "15") || strings.Contains(c.layout, "3:04")
	}
	return strings.Contains(c.layout, "06")
}

// perSecond is the number of units in a second of a column of times since 1970; 0 for stamps.
func (c *Column) perSecond() float64 {
	unit := ""
	if c.layout == "" {
		unit = c.Epoch()
	}
	for _, u := range inSeconds {
		if u.unit == unit {
			return u.per
		}
	}
	return 0
}

// stamp returns the time of a row.
func (c *Column) stamp(i int, per float64) (time.Time, bool) {
	if per == 0 {
		at := c.cells.time(i)
		return time.Unix(0, at).UTC(), at > unknownTime
	}
	x, ok := c.Number(i)
	return time.Unix(int64(math.Floor(x/per)), 0).UTC(), ok
}

// Days is the number of days that the stamps of a log span; 0 without stamps that have a time of day.
func (t *Table) Days() float64 {
	at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.layout != "" && c.tells(true) && c.tells(false) })
	if at < 0 {
		return 0
	}
	first, last := math.Inf(1), math.Inf(-1)
	for i := range t.Rows() {
		if x, ok := t.Columns[at].seconds(i); ok {
			first, last = min(first, x), max(last, x)
		}
	}
	return max(0, (last-first)/(24*60*60))
}

// isDay reports whether a column of numbers has the days of the stamps of the log, such as 20170410.
func (t *Table) isDay(c *Column) bool {
	at := slices.IndexFunc(t.Columns, func(o Column) bool { return o.layout != "" && o.tells(false) })
	if at < 0 || c.layout != "" {
		return false
	}
	found := false
	for i := range t.Rows() {
		x, ok := c.Number(i)
		when, known := t.Columns[at].stamp(i, 0)
		if !ok || !known {
			continue
		}
		if found = x == float64(when.Year()*10000+int(when.Month())*100+when.Day()); !found {
			return false
		}
	}
	return found
}
