package rawlog

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/source"
)

// Missing is what is done about a cell without a value.
type Missing string

// What is done.
const (
	MissingDrop     Missing = "drop"     // the transitions that need it are dropped
	MissingPrevious Missing = "previous" // the value of the row before, within an episode
	MissingKeep     Missing = "keep"     // the value is not known: NaN
	MissingError    Missing = "error"
)

// Reading says how rows become transitions.
type Reading struct {
	Column  map[string]string // column by fluent; a fluent without one has its own name
	Episode string            // column; empty for none
	Time    string            // column; empty for none
	Missing Missing           // MissingDrop if empty
	// Gap is the longest time between two rows of an episode, in seconds or in the unit of a
	// column of numbers; 0 to infer it.
	Gap float64
}

// Drop is a row that gave no transition.
type Drop struct {
	Line int32
	why  int32 // index in Read.reasons
}

// Read is the outcome of Transitions.
type Read struct {
	Data  *dataset.Data
	Drops []Drop

	reasons []string
}

// Why returns the reason why a row was dropped.
func (r *Read) Why(d Drop) string { return r.reasons[d.why] }

// ended and last are the reasons that are not about a column.
const ended, last = 0, 1

// Summary counts the rows that were dropped by the kinds of reasons.
func (r *Read) Summary() string {
	missing := 0
	for _, d := range r.Drops {
		if d.why > last {
			missing++
		}
	}
	var parts []string
	if missing > 0 {
		parts = append(parts, fmt.Sprintf("%d since a cell is missing", missing))
	}
	if n := len(r.Drops) - missing; n > 0 {
		parts = append(parts, fmt.Sprintf("%d at the end of an episode or before a gap in time", n))
	}
	return strings.Join(parts, ", ")
}

// Transitions returns the transitions of a log as rows of schema s, whose quantities are
// numbers and not levels. The log has next states, in columns with a prime, or its rows are
// time steps: then a row's states and actions are followed by the states of the next row, if
// that is of the same episode and not after a gap in time. The rows stay in the table, in which
// MissingPrevious fills the cells.
func Transitions(t *Table, s *dataset.Schema, r Reading) (*Read, error) {
	x := &reader{t: t, s: s, r: r, out: &Read{Data: &dataset.Data{Schema: s}}}
	if err := x.match(); err != nil {
		return nil, err
	}
	if r.Missing == MissingPrevious && !x.primed {
		x.fill()
	}
	for i := range x.columns {
		x.values = append(x.values, newValues(x.columns[i], &s.Columns[i]))
	}
	if err := x.run(); err != nil {
		return nil, err
	}
	d := x.out.Data
	d.Rows, d.View, d.Line = len(x.first), x.view, func(i int) int { return t.Line(int(x.first[i])) }
	return x.out, nil
}

type reader struct {
	t       *Table
	s       *dataset.Schema
	r       Reading
	columns []*Column // by column of the schema
	values  []*values // as well
	primed  bool
	reward  *Column // nil for none
	episode *Column
	time    *Column
	first   []int32 // the row in which each transition begins
	out     *Read
}

// match finds the column of each fluent.
func (x *reader) match() error {
	find := func(name string) (*Column, error) {
		if i := x.t.Column(name); i >= 0 {
			return &x.t.Columns[i], nil
		}
		return nil, source.Errorf(x.t.File, 1, 0, "there is no column %s; the columns are %s%s", name, names(x.t), x.t.hint(name))
	}
	x.primed = slices.ContainsFunc(x.t.Columns, func(c Column) bool { return strings.HasSuffix(c.Name, "'") })
	for i := range x.s.Columns {
		c := &x.s.Columns[i]
		fluent := strings.TrimSuffix(c.Name, "'")
		name, ok := x.r.Column[fluent]
		if !ok || x.t.Column(name) < 0 { // a data set has the names of fluents
			name = fluent
		}
		if c.Role == dataset.Next && x.primed {
			name += "'"
		}
		column, err := find(name)
		if err != nil {
			return err
		}
		x.columns = append(x.columns, column)
	}
	if i := x.t.Column(RewardColumn); i >= 0 && !slices.Contains(x.columns, &x.t.Columns[i]) {
		x.reward = &x.t.Columns[i]
	}
	if x.primed {
		return nil
	}
	var err error
	if x.r.Episode != "" {
		if x.episode, err = find(x.r.Episode); err != nil {
			return err
		}
	}
	if x.r.Time != "" {
		x.time, err = find(x.r.Time)
	}
	return err
}

// fill gives cells without a value that of the row before, within an episode.
func (x *reader) fill() {
	gap := x.gap()
	var gaps []*Column
	for _, c := range x.columns[:len(x.columns)-x.s.NumStates()] {
		if !slices.Contains(gaps, c) {
			gaps = append(gaps, c)
		}
	}
	for i := 1; i < x.t.Rows(); i++ {
		var together, asked bool
		for _, c := range gaps {
			if !c.Missing(i) || c.Missing(i-1) {
				continue
			}
			if !asked {
				together, asked = x.together(i, gap), true
			}
			if together {
				c.cells.repeat(i)
			}
		}
	}
}

// none is the index of no column.
const none = -1

// complete checks the columns from..to-1 of the schema in row i. It returns the first without
// a value that is needed, or none.
func (x *reader) complete(i, from, to int) (int, error) {
	first := none
	for k := from; k < to; k++ {
		v := x.values[k]
		if !math.IsNaN(v.at(i)) {
			continue
		}
		name := x.columns[k].Name
		switch expected := v.fault(i); {
		case expected != "":
			return none, source.Errorf(x.t.File, x.t.Line(i), 0, "column %s: %q, expected %s", name, v.from.Text(i), expected)
		case x.r.Missing == MissingError:
			return none, source.Errorf(x.t.File, x.t.Line(i), 0, "column %s has no value; expected one, or --missing drop, previous or keep", name)
		case x.r.Missing != MissingKeep && first == none:
			first = k
		}
	}
	return first, nil
}

// run forms the transitions.
func (x *reader) run() error {
	width, states := len(x.s.Columns), x.s.NumStates()
	x.out.reasons = []string{"the last row of an episode, or before a gap in time", "the last row"}
	for _, c := range x.columns {
		x.out.reasons = append(x.out.reasons, c.Name+" is missing", c.Name+" is missing in the row after it")
	}
	isMissing := func(k, after int) int { return 2 + 2*k + after }
	if x.primed {
		for i := range x.t.Rows() {
			switch k, err := x.complete(i, 0, width); {
			case err != nil:
				return err
			case k != none:
				x.drop(i, isMissing(k, 0))
			default:
				x.add(i)
			}
		}
		return nil
	}
	gap := x.gap()
	before := none // the column without a value in the row before
	for i := range x.t.Rows() {
		state, err := x.complete(i, 0, states)
		if err != nil {
			return err
		}
		action, err := x.complete(i, states, width-states)
		if err != nil {
			return err
		}
		switch {
		case i == 0:
		case !x.together(i, gap):
			x.drop(i-1, ended)
		case before != none:
			x.drop(i-1, isMissing(before, 0))
		case state != none:
			x.drop(i-1, isMissing(state, 1))
		default:
			x.add(i - 1)
		}
		if before = state; before == none {
			before = action
		}
	}
	x.drop(x.t.Rows()-1, last)
	return nil
}

func (x *reader) drop(row, why int) {
	x.out.Drops = append(x.out.Drops, Drop{int32(x.t.Line(row)), int32(why)})
}

func (x *reader) add(row int) {
	x.first = append(x.first, int32(row))
	if x.reward != nil {
		y := math.NaN()
		if v, ok := x.reward.Number(row); ok {
			y = v
		}
		x.out.Data.Rewards = append(x.out.Data.Rewards, y)
	}
}

// view sets row to the values of transition i.
func (x *reader) view(i int, row []float64) {
	at, next := int(x.first[i]), int(x.first[i])
	if !x.primed {
		next++
	}
	known := len(row) - x.s.NumStates()
	for k := range row {
		if k == known {
			at = next
		}
		row[k] = x.values[k].at(at)
	}
}

// together reports whether row i follows row i-1.
func (x *reader) together(i int, gap float64) bool {
	if x.episode != nil && x.episode.cells.at(i) != x.episode.cells.at(i-1) {
		return false
	}
	if x.time == nil || gap == 0 {
		return true
	}
	a, ok1 := x.time.seconds(i - 1)
	b, ok2 := x.time.seconds(i)
	return ok1 && ok2 && b >= a && b-a <= gap
}
