package rawlog

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// The parts of stamps. Fractions of a second need no layout of their own, and a day or hour
// may have one digit.
var (
	dates = []string{"2006-1-2", "2006/1/2", "2006.1.2", "20060102", "1/2/2006", "1-2-2006", "1/2/06", "2.1.2006", "2.1.06"}
	// The same with the day before the month, by the others.
	dayFirst = map[string]string{"1/2/2006": "2/1/2006", "1-2-2006": "2-1-2006", "1/2/06": "2/1/06"}
	hours    = []string{"15:04:05", "15:04", "3:04:05 PM", "3:04 PM", "3:04:05PM", "3:04PM", "150405", "1504"}
	zones    = []string{"", "Z07:00", " Z07:00", "Z0700", " Z0700", "Z07", " MST"}
	// Stamps with the name of a month.
	named = func() []string {
		out := []string{time.ANSIC, time.RFC1123, time.RFC1123Z}
		for _, date := range []string{"Jan 2, 2006", "Jan 2 2006", "2 Jan 2006", "2-Jan-2006", "2-Jan-06", "2006-Jan-2"} {
			out = append(out, date)
			for _, hour := range hours[:4] {
				out = append(out, date+" "+hour)
			}
		}
		return out
	}()
)

// usual writes a stamp in capitals and with plain spaces, as layouts have it.
func usual(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r > 127 || unicode.IsLower(r) }) < 0 {
		return text
	}
	return strings.ToUpper(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, text))
}

// layoutOf finds the layout of a stamp, with the day before the month or after it where both are
// possible. It is empty if the text is no stamp.
func layoutOf(text string, days bool) string {
	text = usual(text)
	digits := strings.IndexFunc(text, func(r rune) bool { return r >= '0' && r <= '9' })
	if digits < 0 || len(text) < 4 || len(text) > 40 {
		return ""
	}
	if digits > 0 || strings.ContainsFunc(text[:min(len(text), 8)], func(r rune) bool { return r >= 'A' && r <= 'Z' && r != 'T' && r != 'P' && r != 'A' && r != 'M' }) {
		for _, l := range named {
			if _, err := time.Parse(l, text); err == nil {
				return l
			}
		}
		return ""
	}
	if strings.Contains(text[:min(len(text), 3)], ":") {
		return hourOf("", text)
	}
	day, rest, sep := text, "", strings.IndexAny(text, " T")
	if sep > 0 {
		day, rest = text[:sep], text[sep+1:]
	}
	for _, date := range dates {
		if d, ambiguous := dayFirst[date]; ambiguous && days {
			date = d
		}
		if _, err := time.Parse(date, day); err != nil {
			continue
		}
		if sep < 0 {
			return date
		}
		return hourOf(date+text[sep:sep+1], rest)
	}
	return ""
}

// hourOf finds the layout of a time of day, after what has been found of the date.
func hourOf(date, text string) string {
	for _, hour := range hours {
		for _, zone := range zones {
			if _, err := time.Parse(hour+zone, text); err == nil {
				return date + hour + zone
			}
		}
	}
	return ""
}

// stampOf reads a stamp in nanoseconds since 1970.
func stampOf(layout, text string) (int64, bool) {
	at, err := time.Parse(layout, usual(text))
	if err == nil && at.Year() == 0 { // a time of day alone
		at = at.AddDate(1970, 0, 0)
	}
	if err != nil || at.Year() < 1678 || at.Year() > 2261 {
		return unknownTime, false
	}
	return at.UnixNano(), true
}

// isAmbiguous reports whether a layout has numbers for the month and the day in an order that
// differs between countries.
func isAmbiguous(layout string) bool {
	for us, other := range dayFirst {
		if strings.HasPrefix(layout, us) || strings.HasPrefix(layout, other) {
			return true
		}
	}
	return false
}

// timeOf returns the time that a text stands for, in nanoseconds since 1970.
func (c *Column) timeOf(text string) int64 {
	t, ok := stampOf(c.layout, text)
	switch {
	case ok && (c.sure || !isAmbiguous(c.layout)):
		return t
	case ok:
		c.sure = layoutOf(text, !c.days) == "" // the number of the day is above 12
		return t
	}
	if l := layoutOf(text, c.days); l != "" {
		t, _ := stampOf(l, text)
		return t
	}
	if l := layoutOf(text, !c.days); l != "" && !c.sure && isAmbiguous(c.layout) {
		c.swapDays(l)
		t, _ := stampOf(l, text)
		return t
	}
	return unknownTime
}

// swapDays reads all times so far with days and months exchanged, once a stamp shows which are
// the days.
func (c *Column) swapDays(layout string) {
	c.layout, c.days, c.sure = layout, !c.days, true
	for i := range c.cells.blocks {
		for k, t := range c.cells.blocks[i].times {
			if t > unknownTime {
				at := time.Unix(0, t).UTC()
				y, m, d := at.Date()
				hh, mm, ss := at.Clock()
				c.cells.blocks[i].times[k] = time.Date(y, time.Month(d), int(m), hh, mm, ss, at.Nanosecond(), time.UTC).UnixNano()
			}
		}
	}
}

// becomesTimes makes a column of texts one of times if nine in ten of them are stamps. It
// reports whether they are.
func (c *Column) becomesTimes() bool {
	if len(c.texts) == 0 || slices.ContainsFunc(c.cells.values, func(cell uint64) bool { return !isNone(cell) }) {
		return false
	}
	first, wrong := stampsOf(c.texts, false)
	second, wrongDays := stampsOf(c.texts, true)
	times := first
	if c.days = wrongDays < wrong; c.days {
		times, wrong, wrongDays = second, wrongDays, wrong
	}
	at := slices.IndexFunc(times, func(t int64) bool { return t != unknownTime })
	if at < 0 || wrong > len(times)/10 {
		return false
	}
	c.layout, c.base, c.sure = layoutOf(c.texts[at], c.days), times[at], wrong < wrongDays
	c.cells.toTimes(func(cell uint64) int64 {
		if cell == missing {
			return noTime
		}
		return times[cell-firstText]
	})
	c.sample = c.texts[at]
	c.texts, c.index, c.last = nil, nil, nil
	return true
}

// stampsOf reads texts as stamps, and counts those that are none.
func stampsOf(texts []string, days bool) (times []int64, wrong int) {
	layout := ""
	for _, text := range texts {
		t, ok := stampOf(layout, text)
		if !ok {
			if l := layoutOf(text, days); l != "" {
				layout = l
				t, ok = stampOf(l, text)
			}
		}
		if !ok {
			wrong++
		}
		times = append(times, t)
	}
	return times, wrong
}

// Times reads stamps, in nanoseconds since 1970, with months before days where both are possible, and with days first; the same twice where a stamp
// rules one of them out. Wrong is the place of a text that is no stamp, -1 for none.
func Times(texts []string) (times [2][]float64, wrong int) {
	var none [2]int
	for k := range times {
		none[k] = -1
		for i, text := range texts {
			layout := layoutOf(text, k == 1)
			at, ok := stampOf(layout, text)
			if times[k] = append(times[k], float64(at)); (layout == "" || !ok) && none[k] < 0 {
				none[k] = i
			}
		}
	}
	switch {
	case none[0] >= 0 && none[1] < 0:
		times[0] = times[1]
	case none[0] < 0 && none[1] >= 0:
		times[1] = times[0]
	}
	return times, min(none[0], none[1])
}

// inSeconds are the ranges of epochs that a column of integers is taken for, from 1990 to 2100,
// by the number of their unit in a second.
var inSeconds = []struct {
	unit string
	per  float64
}{{"seconds", 1}, {"milliseconds", 1e3}, {"microseconds", 1e6}, {"nanoseconds", 1e9}}

// Epoch returns the unit of a column of times since 1970; empty if it is none. Its numbers lie
// between 1990 and 2100 and hardly ever fall.
func (c *Column) Epoch() string {
	const from, to = 631_152_000, 4_102_444_800
	lo, hi := c.extremes()
	for _, u := range inSeconds {
		if lo >= from*u.per && hi <= to*u.per && lo < hi && c.rises() {
			return u.unit
		}
	}
	return ""
}

// extremes returns the least and the greatest number.
func (c *Column) extremes() (lo, hi float64) {
	first := true
	c.each(func(_ int, x float64) {
		if first {
			lo, hi, first = x, x, false
		}
		lo, hi = min(lo, x), max(hi, x)
	})
	return lo, hi
}

// rises reports whether hardly a number is lower than the one before: as times are, that begin
// again now and then.
func (c *Column) rises() bool {
	n, falls, last := 0, 0, 0.0
	c.each(func(_ int, x float64) {
		if n > 0 && x < last {
			falls++
		}
		n, last = n+1, x
	})
	return falls*20 <= n
}
