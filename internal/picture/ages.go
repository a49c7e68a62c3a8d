package picture

import (
	"fmt"
	"strings"
)

// ages is the view of the system administrator: a heat map of the computers'
// ages, with their reboots and failures.
type ages struct {
	h         *history
	computers []string
}

func newAges(h *history, f *Facts) view {
	if !h.only("running", "age") {
		return nil
	}
	a := &ages{h, h.arguments("running", 0, f.objects("computer"))}
	for _, c := range a.computers {
		if _, ok := h.index["age("+c+")"]; !ok {
			return nil
		}
	}
	if len(a.computers) == 0 || 2*len(a.computers) != len(h.vars) {
		return nil
	}
	return a
}

func (a *ages) age(k int, c string) int64 { x, _ := a.h.at(k, "age("+c+")"); return x }

func (a *ages) running(k int, c string) bool { x, _ := a.h.at(k, "running("+c+")"); return x != 0 }

func (a *ages) reboots(k int, c string) bool { return a.h.did(k, "reboot("+c+")") }

const (
	agesLeft   = 64.0
	agesTop    = 24.0
	agesColumn = 56.0
	agesRow    = 48.0
)

func (a *ages) size() (w, h float64) {
	return agesLeft + agesColumn*float64(len(a.h.states)) + 4, agesTop + agesRow*float64(len(a.computers)) + 4
}

// heat returns the colour of an age and that of text on it.
func heat(age int64) (fill, on role) {
	switch {
	case age <= 0:
		return age0, ink
	case age == 1:
		return age1, ink
	case age == 2:
		return age2, onAge2
	}
	return age3, eye
}

func (a *ages) base() []element {
	var out []element
	for k := range a.h.states {
		name := fmt.Sprint(k)
		if k == 0 {
			name = "start"
		}
		out = append(out, label(agesLeft+(float64(k)+0.5)*agesColumn, agesTop-8, 12, middle, faint, name))
	}
	for r, c := range a.computers {
		y := agesTop + agesRow*float64(r)
		out = append(out, label(agesLeft-10, y+agesRow/2+5, 13, end, ink, shorten(c, 8)))
		for k := range a.h.states {
			x := agesLeft + agesColumn*float64(k)
			age := a.age(k, c)
			fill, on := heat(age)
			box := as("age", fmt.Sprintf("%s %s: age %d", c, moment(k), age), x, y, rect(1, 1, agesColumn-2, agesRow-2, 4, fill))
			text := label(agesColumn/2, agesRow/2+5, 15, middle, on, fmt.Sprint(age))
			text.bold = true
			if !a.running(k, c) {
				box.thing, box.title = "down", box.title+", not running"
				box.parts = append(box.parts, stroke(alarm, 3, point{5, 5}, point{agesColumn - 5, agesRow - 5}), stroke(alarm, 3, point{5, agesRow - 5}, point{agesColumn - 5, 5}))
			}
			box.parts = append(box.parts, text)
			out = append(out, box)
		}
	}
	for k := range a.h.H() {
		out = append(out, a.marks(k)...)
	}
	return out
}

// marks returns the reboots of the step that leaves state k.
func (a *ages) marks(k int) []element {
	var out []element
	for r, c := range a.computers {
		if a.reboots(k, c) {
			x, y := agesLeft+agesColumn*float64(k+1), agesTop+agesRow*(float64(r)+0.5)
			mark := label(0, 4.5, 12, middle, paper, "R")
			mark.bold = true
			out = append(out, as("reboot", fmt.Sprintf("step %d reboots %s", k+1, c), x, y, disc(0, 0, 10, order).outlined(paper, 2), mark))
		}
	}
	return out
}

func (a *ages) frame(k int) []element {
	_, h := a.size()
	out := []element{as("now", "", agesLeft+agesColumn*float64(k), agesTop, rect(0, 0, agesColumn, h-agesTop-4, 5, none).outlined(now, 3.5))}
	if k > 0 { // above the line that would cross them
		out = append(out, a.marks(k-1)...)
	}
	return append(out, a.marks(k)...)
}

func (a *ages) whole() *scene { return nil }

func (a *ages) describe(k int) string {
	var parts []string
	for _, c := range a.computers {
		p := fmt.Sprintf("%s age %d", c, a.age(k, c))
		if !a.running(k, c) {
			p += " not running"
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, ", ")
}

func (a *ages) legend() string {
	return "Numbers are ages after each step, deeper where older. R between two states is a reboot, a crossed cell a computer that does not run."
}

func (a *ages) source() string { return "" }

func (a *ages) text(b *strings.Builder, width int) {
	cells := [][]string{{""}}
	for k := range a.h.states {
		cells[0] = append(cells[0], fmt.Sprint(k))
	}
	for _, c := range a.computers {
		row := []string{c}
		for k := range a.h.states {
			s := fmt.Sprint(a.age(k, c))
			if !a.running(k, c) {
				s += "x"
			}
			if k > 0 && a.reboots(k-1, c) {
				s = "R" + s
			}
			row = append(row, s)
		}
		cells = append(cells, row)
	}
	blocks(b, cells, width)
	b.WriteString("Ages after each step; R stands where the step reboots, x where the computer does not run.\n")
}

// blocks writes a table whose columns after the first are broken into parts of at most width
// characters, one below the other.
func blocks(b *strings.Builder, cells [][]string, width int) {
	wide := func(c int) (w int) {
		for _, row := range cells {
			w = max(w, len([]rune(row[c])))
		}
		return w
	}
	for first := 1; first < len(cells[0]); {
		used, last := 2+wide(0), first
		for last < len(cells[0]) && (last == first || used+2+wide(last) <= width) {
			used += 2 + wide(last)
			last++
		}
		part := make([][]string, len(cells))
		for r, row := range cells {
			part[r] = append([]string{row[0]}, row[first:last]...)
		}
		if first > 1 {
			b.WriteString("\n")
		}
		grid(b, part)
		first = last
	}
}
