package fromlog

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// Bounds of the final states that are named in a note, and of the conditions that are written.
const (
	maxNamed = 8
	maxFinal = 32
)

// ending is what a log says of the ends of its episodes.
type ending struct {
	notes      []string
	conditions []string // of final states, from which the log has no step
}

// endingOf looks at the rows that end an episode. A state is final if every row that leads to it
// does so, and none begins in it.
func endingOf(t *rawlog.Table, fluents []rawlog.Fluent, shape rawlog.Shape) ending {
	var e ending
	for _, name := range shape.Ends() {
		rows := t.Holding(name)
		if len(rows) == 0 {
			e.notes = append(e.notes, name+" is true in no row")
			continue
		}
		if name == shape.Truncated {
			e.notes = append(e.notes, fmt.Sprintf("%s is true in %s, after which an episode is cut off", name, counted.Of(len(rows), "row")))
			continue
		}
		text := fmt.Sprintf("%s is true in %s, which end an episode", name, counted.Of(len(rows), "row"))
		if x := newFinals(t, fluents, shape); x != nil {
			x.count(rows)
			text += " in " + x.names()
			e.conditions = x.conditionsOf(func(k string) bool { return !x.other[k] })
		}
		e.notes = append(e.notes, text)
	}
	if len(shape.Ends()) == 0 {
		e.infer(t, fluents, shape)
	}
	return e
}

// mostDoubt bounds the probability that some state counts as an end by accident.
const mostDoubt = .01

// infer finds states in which runs end though no column tells: no row begins in them, and so many rows lead there, each
// followed by another run's first one, that this is no accident of runs that are cut off anywhere. Values of one fluent
// are looked at before whole states.
func (e *ending) infer(t *rawlog.Table, fluents []rawlog.Fluent, shape rawlog.Shape) {
	x := newFinals(t, fluents, shape)
	if x == nil || t.Rows() < 2 {
		return
	}
	begins, next := make([]string, t.Rows()), make([]string, t.Rows())
	breaks := 0
	for i := range begins {
		begins[i], _ = key(x.now, i)
		if next[i], _ = key(x.then, i); i > 0 && next[i-1] != begins[i] {
			breaks++
		}
	}
	breaks++ // after the last row
	if 2*breaks > t.Rows() {
		return // rows in any order tell nothing
	}
	rate, wrong := float64(breaks)/float64(t.Rows()), x.wrong(begins, next)
	var named []string
	number, rows := 0, 0
	ended := make([]bool, t.Rows()) // the row leads to an end that was found
	for k := range len(x.fluents) + 1 {
		part := *x
		if k < len(x.fluents) && len(x.fluents) > 1 {
			part.fluents, part.now, part.then = x.fluents[k:k+1], x.now[k:k+1], x.then[k:k+1]
		}
		part.find(rate, wrong, ended)
		conditions := part.conditionsOf(func(string) bool { return true })
		if len(conditions) == 0 || len(e.conditions)+len(conditions) > maxFinal {
			continue
		}
		e.conditions = append(e.conditions, conditions...)
		named, number = append(named, part.names()), number+len(part.states)
		for i := range ended {
			if to, _ := key(part.then, i); !ended[i] && slices.Contains(part.states, to) {
				ended[i] = true
				rows++
			}
		}
	}
	if number > 0 {
		e.notes = append(e.notes, fmt.Sprintf("no row begins in %s, and %s that lead there are followed by another run: taken as ends (final): %s", counted.Of(number, "state"), counted.Of(rows, "row"), strings.Join(named, ", ")))
	}
}

// find finds the states of some fluents in which no row begins, and that enough rows lead to which do not lead to an end yet.
func (x *finals) find(rate float64, wrong, ended []bool) {
	x.counts, x.cells, x.other, x.states = map[string]int{}, map[string][]string{}, map[string]bool{}, nil
	reached, doubts := map[string]bool{}, map[string]int{}
	for i := range wrong {
		k, _ := key(x.now, i)
		x.other[k] = true
	}
	for i := range wrong {
		k, cells := key(x.then, i)
		if reached[k] = true; x.other[k] || ended[i] {
			continue
		}
		x.counts[k]++
		if x.cells[k] = cells; wrong[i] {
			doubts[k]++
		}
	}
	for k, n := range x.counts {
		if 2*doubts[k] <= n && math.Pow(rate, float64(n))*float64(len(reached)) < mostDoubt {
			x.states = append(x.states, k)
		}
	}
	x.sort()
}

// wrong tells of each row whether it leads to another state than the next row begins in, and more rows with the same
// state and action lead to the latter: its own next state is a wrong record.
func (x *finals) wrong(begins, next []string) []bool {
	steps, counts := make([]string, len(begins)), map[[2]string]int{} // by state with action, and the state that these lead to
	for i := range begins {
		done, _ := key(x.actions, i)
		steps[i] = begins[i] + "\x00\x00" + done
		counts[[2]string{steps[i], next[i]}]++
	}
	wrong := make([]bool, len(begins))
	for i := range len(begins) - 1 {
		wrong[i] = counts[[2]string{steps[i], begins[i+1]}] > counts[[2]string{steps[i], next[i]}]
	}
	return wrong
}

// finals are the states that end episodes, as texts of the cells.
type finals struct {
	t           *rawlog.Table
	fluents     []*rawlog.Fluent
	now, then   []*rawlog.Column
	actions     []*rawlog.Column
	counts      map[string]int // rows that end an episode, by state
	cells       map[string][]string
	other       map[string]bool // states that begin a row, or that another row leads to
	states      []string        // the most frequent first
	quantitised bool
}

func newFinals(t *rawlog.Table, fluents []rawlog.Fluent, shape rawlog.Shape) *finals {
	x := &finals{t: t, counts: map[string]int{}, cells: map[string][]string{}, other: map[string]bool{}}
	for i := range fluents {
		f := &fluents[i]
		if f.Use == rawlog.AsAction {
			x.actions = append(x.actions, &t.Columns[t.Column(f.Column)])
		}
		next, ok := shape.Next[f.Column]
		if f.Use != rawlog.AsState || !ok {
			continue
		}
		x.fluents = append(x.fluents, f)
		x.now, x.then = append(x.now, &t.Columns[t.Column(f.Column)]), append(x.then, &t.Columns[t.Column(next)])
		x.quantitised = x.quantitised || f.Kind == rawlog.Real
	}
	if len(x.fluents) == 0 {
		return nil
	}
	return x
}

// key returns the state that some columns have in a row.
func key(columns []*rawlog.Column, row int) (string, []string) {
	cells := make([]string, len(columns))
	for k, c := range columns {
		cells[k] = c.Text(row)
	}
	return strings.Join(cells, "\x00"), cells
}

// count counts the states that rows lead to.
func (x *finals) count(rows []int) {
	ends := map[int]bool{}
	for _, i := range rows {
		ends[i] = true
		k, cells := key(x.then, i)
		x.counts[k]++
		x.cells[k] = cells
	}
	for i := range x.t.Rows() {
		k, _ := key(x.now, i)
		x.other[k] = true
		if !ends[i] {
			k, _ = key(x.then, i)
			x.other[k] = true
		}
	}
	for k := range x.counts {
		x.states = append(x.states, k)
	}
	x.sort()
}

// sort puts the states that most rows lead to first.
func (x *finals) sort() {
	slices.SortFunc(x.states, func(a, b string) int { return cmp.Or(x.counts[b]-x.counts[a], strings.Compare(a, b)) })
}

// names lists the states.
func (x *finals) names() string {
	var parts []string
	for _, k := range x.states[:min(len(x.states), maxNamed)] {
		var values []string
		for i, f := range x.fluents {
			values = append(values, f.Name+"="+x.cells[k][i])
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", strings.Join(values, " "), counted.Of(x.counts[k], "row")))
	}
	if more := len(x.states) - maxNamed; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// conditionsOf is conditions for the states for which is holds.
func (x *finals) conditionsOf(is func(state string) bool) []string {
	var out []string
	for _, k := range x.states {
		if !is(k) {
			continue
		}
		if x.quantitised || len(out) == maxFinal {
			return nil
		}
		var parts []string
		for i, f := range x.fluents {
			parts = append(parts, equals(f, x.cells[k][i]))
		}
		if !slices.Contains(parts, "") {
			out = append(out, strings.Join(parts, " ^ "))
		}
	}
	return out
}

// equals is the condition that a fluent has a value; empty if it cannot.
func equals(f *rawlog.Fluent, text string) string {
	switch f.Kind {
	case rawlog.Bool:
		switch b, ok := rawlog.Truth(text); {
		case !ok:
			return ""
		case b:
			return f.Name
		}
		return "~" + f.Name
	case rawlog.Enum:
		if !slices.Contains(f.Values, text) {
			return ""
		}
		return f.Name + " == " + valueName(text)
	}
	if x, err := strconv.ParseFloat(text, 64); err != nil || x < f.Lo || x > f.Hi {
		return ""
	}
	return f.Name + " == " + text
}
