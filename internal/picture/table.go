package picture

import (
	"fmt"
	"strconv"
	"strings"
)

// table is the view of any other problem: one row for each action that the plan takes and for
// each state variable, one column for each state. An action's value is in the column of the
// state that it leads to.
type table struct {
	h      *history
	rows   []tableRow
	curves []curve // above the rows
}

type tableRow struct {
	name   string
	action bool
	bool   bool
	values []int64 // by state; of an action from state 1
}

func newTable(h *history, f *Facts, bands []Band) view {
	t := &table{h: h, curves: curvesOf(h, f, bands)}
	place := map[string]int{}
	for k, step := range h.actions {
		for _, a := range step {
			i, ok := place[a.Name]
			if !ok {
				i = len(t.rows)
				place[a.Name] = i
				row := make([]int64, len(h.states))
				for k := range row {
					if !a.Bool {
						row[k] = absent
					}
				}
				t.rows = append(t.rows, tableRow{a.Name, true, a.Bool, row})
			}
			t.rows[i].values[k+1] = a.X
		}
	}
	for i, v := range h.vars {
		if len(t.curves) > 0 && h.lagged(v.name) {
			continue // the curves and rows above show it
		}
		r := tableRow{name: v.name, bool: v.bool, values: make([]int64, len(h.states))}
		for k := range h.states {
			r.values[k] = h.states[k][i]
		}
		t.rows = append(t.rows, r)
	}
	return t
}

// absent is an action's value in a step that leaves it at its default.
const absent = -1 << 60

const (
	tableTop     = 24.0
	tableRowHigh = 26.0
	tableName    = 34 // characters
)

// left is the width of the names.
func (t *table) left() float64 {
	n := 4
	for _, r := range t.rows {
		n = max(n, min(tableName, len([]rune(r.name))))
	}
	return 8*float64(n) + 14 // an m is wider, most letters are not
}

// wide is the width of a column.
func (t *table) wide() float64 {
	n := 4
	for _, r := range t.rows {
		for _, x := range r.values {
			n = max(n, len([]rune(t.h.texts.format(x))))
		}
	}
	return 8*float64(n) + 8
}

func (t *table) size() (w, h float64) {
	return t.left() + t.wide()*float64(len(t.h.states)) + 4, t.above() + tableTop + tableRowHigh*float64(len(t.rows)) + 4
}

// above is the height of the curves.
func (t *table) above() float64 { return (curveHead + curveHeight) * float64(len(t.curves)) }

// center is the middle of the column of state k.
func (t *table) center(k int) float64 { return t.left() + (float64(k)+0.5)*t.wide() }

func (t *table) base() []element {
	var out []element
	w, _ := t.size()
	for i := range t.curves {
		c := &t.curves[i]
		format := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
		out = append(out, as("quantity", c.name, 0, (curveHead+curveHeight)*float64(i), c.chart(t.left(), w-4, t.center, format)...))
	}
	return append(out, as("", "", 0, t.above(), t.cells()...))
}

// cells draws the rows.
func (t *table) cells() []element {
	var out []element
	left, wide := t.left(), t.wide()
	for k := range t.h.states {
		name := strconv.Itoa(k)
		if k == 0 {
			name = "start"
		}
		if m := t.sign(k); m != "" {
			out = append(out, as("mark", t.h.mark(k), t.center(k), tableTop-8, label(0, 0, 12, middle, alarm, name+m)))
			continue
		}
		out = append(out, label(t.center(k), tableTop-8, 12, middle, faint, name))
	}
	for i, r := range t.rows {
		y := tableTop + tableRowHigh*float64(i)
		colour, fill := ink, level
		if r.action {
			colour, fill = order, order
		}
		out = append(out, as("", r.name, 0, 0, label(left-8, y+tableRowHigh/2+4, 12.5, end, colour, shorten(r.name, tableName))))
		for k, x := range r.values {
			if r.action && k == 0 {
				continue
			}
			at := left + wide*float64(k)
			c := as("value", "", at, y, rect(1, 1, wide-2, tableRowHigh-2, 3, floor))
			switch {
			case r.bool && x != 0:
				c.thing = "true"
				c.parts[0] = rect(1, 1, wide-2, tableRowHigh-2, 3, fill)
			case !r.bool:
				c.parts = append(c.parts, label(wide/2, tableRowHigh/2+4, 12.5, middle, ink, t.h.texts.format(x)))
			}
			out = append(out, c)
		}
	}
	return out
}

// sign marks the number of the step that leads to state k: ! where it fails, ? where it is
// unseen.
func (t *table) sign(k int) string {
	return map[string]string{" (FAILS)": "!", " (unseen)": "?", " (disputed)": "~"}[t.h.mark(k)]
}

// signs explains the signs that occur.
func (t *table) signs() string {
	out := ""
	if t.h.verdict.FailedAt > 0 {
		out += " ! marks the step that fails."
	}
	if len(t.h.verdict.Unseen) > 0 {
		out += " ? marks steps that the training rows do not support."
	}
	if len(t.h.verdict.Disputed) > 0 {
		out += " ~ marks steps that training rows dispute."
	}
	return out
}

func (t *table) frame(k int) []element {
	_, h := t.size()
	return []element{as("now", "", t.left()+t.wide()*float64(k), t.frameTop(), rect(0, 0, t.wide(), h-t.frameTop()-4, 4, none).outlined(now, 3))}
}

// frameTop is where the frame of a state begins: with the first curve, or below the steps' numbers.
func (t *table) frameTop() float64 {
	if len(t.curves) > 0 {
		return curveHead
	}
	return tableTop
}

func (t *table) whole() *scene { return nil }

// mentioned bounds the variables that describe names.
const mentioned = 12

func (t *table) describe(k int) string {
	var vs []Value
	for i, v := range t.h.vars {
		x := t.h.states[k][i]
		if k == 0 && x != 0 || k > 0 && x != t.h.states[k-1][i] {
			vs = append(vs, Value{v.name, x, v.bool})
		}
	}
	var parts []string
	for _, v := range vs[:min(len(vs), mentioned)] {
		switch {
		case !v.Bool:
			parts = append(parts, v.Name+"="+t.h.texts.format(v.X))
		case v.X != 0:
			parts = append(parts, v.Name)
		default:
			parts = append(parts, "not "+v.Name)
		}
	}
	if n := len(vs) - mentioned; n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	switch {
	case len(parts) > 0 && k > 0:
		return "now " + strings.Join(parts, ", ")
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case k > 0:
		return "nothing changes"
	}
	return "all false or 0"
}

func (t *table) legend() string {
	lead, rows := "", "each state variable"
	if len(t.curves) > 0 {
		lead, rows = curvesLegend(t.curves), "each state variable but earlier values"
	}
	return lead + "A row for each action taken (green) and " + rows + ", a column for the state after each step; a filled cell is true. An action stands in the column of the state that it leads to." + t.signs()
}

func (t *table) source() string { return "" }

func (t *table) text(b *strings.Builder, width int) {
	cells := [][]string{{""}}
	for k := range t.h.states {
		cells[0] = append(cells[0], strconv.Itoa(k)+t.sign(k))
	}
	for _, r := range t.rows {
		row := []string{r.name}
		for k, x := range r.values {
			s := t.h.texts.format(x)
			switch {
			case r.action && k == 0:
				s = ""
			case r.bool && x != 0:
				s = "#"
			case r.bool:
				s = "."
			}
			row = append(row, s)
		}
		cells = append(cells, row)
	}
	blocks(b, cells, width)
	b.WriteString("Actions and states after each step; # is true, . false. An action stands where it leads to." + t.signs() + "\n")
}
