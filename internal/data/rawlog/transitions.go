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
	MissingError    Missing = "error"
)

// Reading says how rows become transitions.
type Reading struct {
	Column  map[string]string // column by fluent; a fluent without one has its own name
	Episode string            // column; empty for none
	Time    string            // column; empty for none
	Missing Missing           // MissingDrop if empty
}

// Drop is a row that gave no transition.
type Drop struct {
	Line int
	Why  string
}

// Read is the outcome of Transitions.
type Read struct {
	Data  *dataset.Data
	Lines []int32 // of the row that each transition begins in
	Drops []Drop
}

// Transitions returns the transitions of a log as rows of schema s, whose quantities are
// numbers and not levels. The log has next states, in columns with a prime, or its rows are
// time steps: then a row's states and actions are followed by the states of the next row, if
// that is of the same episode and not after a gap in time.
func Transitions(t *Table, s *dataset.Schema, r Reading) (*Read, error) {
	x := &reader{t: t, s: s, r: r, out: &Read{Data: &dataset.Data{Schema: s}}}
	if err := x.match(); err != nil {
		return nil, err
	}
	if err := x.run(); err != nil {
		return nil, err
	}
	return x.out, nil
}

type reader struct {
	t       *Table
	s       *dataset.Schema
	r       Reading
	columns []*Column // by column of the schema
	primed  bool
	index   []map[string]float64 // of enumerations
	reward  *Column              // nil for none
	episode *Column
	time    *Column
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
		index := map[string]float64{}
		for k, v := range c.Values {
			index[v] = float64(k)
		}
		x.index = append(x.index, index)
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

// value returns the value in row i of a column of the schema; false if it is missing.
func (x *reader) value(k, i int) (float64, bool, error) {
	c, cell := &x.s.Columns[k], x.columns[k]
	if cell.Missing(i) {
		return 0, false, nil
	}
	fail := func(expected string) (float64, bool, error) {
		return 0, false, source.Errorf(x.t.File, int(x.t.Lines[i]), 0, "column %s: %q, expected %s", cell.Name, cell.Text(i), expected)
	}
	switch v, isNumber := cell.Number(i); {
	case c.Type == dataset.Enum:
		k, ok := x.index[k][cell.Text(i)]
		if !ok {
			return fail("one of " + strings.Join(c.Values, ", "))
		}
		return k, true, nil
	case c.Type == dataset.Bool:
		b, ok := Truth(cell.Text(i))
		if !ok {
			return fail("true or false")
		}
		if b {
			return 1, true, nil
		}
		return 0, true, nil
	case !isNumber:
		return fail("a number")
	case c.Bounded && (v < c.Lo || v > c.Hi):
		return fail(fmt.Sprintf("a value in %v..%v", c.Lo, c.Hi))
	case c.Type == dataset.Int && v != float64(int64(v)):
		return fail("an integer")
	default:
		return v, true, nil
	}
}

// run forms the transitions.
func (x *reader) run() error {
	width, states := len(x.s.Columns), x.s.NumStates()
	row, known := make([]float64, width), make([]bool, width)
	last, lastKnown := make([]float64, width), make([]bool, width)
	interval := x.interval()
	missing := func(known []bool, from, to int) string {
		for k := from; k < to; k++ {
			if !known[k] {
				return x.columns[k].Name + " is missing"
			}
		}
		return ""
	}
	for i := range x.t.Rows() {
		together := i > 0 && x.together(i, interval)
		for k := range x.s.Columns {
			if x.s.Columns[k].Role == dataset.Next && !x.primed {
				continue
			}
			v, ok, err := x.value(k, i)
			if err != nil {
				return err
			}
			switch {
			case ok:
			case x.r.Missing == MissingError:
				return source.Errorf(x.t.File, int(x.t.Lines[i]), 0, "column %s has no value; expected one, or --missing drop or previous", x.columns[k].Name)
			case x.r.Missing == MissingPrevious && together && lastKnown[k] && !x.primed:
				v, ok = last[k], true
			}
			row[k], known[k] = v, ok
		}
		switch {
		case x.primed:
			if why := missing(known, 0, width); why != "" {
				x.drop(i, why)
			} else {
				x.add(i, row)
			}
		case i == 0:
		case !together:
			x.drop(i-1, "the last row of an episode, or before a gap in time")
		default:
			why := missing(lastKnown, 0, width-states)
			if next := missing(known, 0, states); why == "" && next != "" {
				why = next + " in the row after it"
			}
			if why != "" {
				x.drop(i-1, why)
				break
			}
			x.add(i-1, append(last[:width-states], row[:states]...))
		}
		row, last, known, lastKnown = last, row, lastKnown, known
	}
	if !x.primed {
		x.drop(x.t.Rows()-1, "the last row")
	}
	return nil
}

func (x *reader) drop(i int, why string) {
	x.out.Drops = append(x.out.Drops, Drop{int(x.t.Lines[i]), why})
}

func (x *reader) add(i int, row []float64) {
	x.out.Data.Values = append(x.out.Data.Values, row...)
	x.out.Data.Rows++
	x.out.Lines = append(x.out.Lines, x.t.Lines[i])
	x.out.Data.Lines = x.out.Lines
	if x.reward != nil {
		y := math.NaN()
		if v, ok := x.reward.Number(i); ok {
			y = v
		}
		x.out.Data.Rewards = append(x.out.Data.Rewards, y)
	}
}

// interval returns the usual time between rows, or 0.
func (x *reader) interval() float64 {
	if x.time == nil {
		return 0
	}
	var all []float64
	for i := 1; i < min(x.t.Rows(), 10_001); i++ {
		a, ok1 := x.time.seconds(i - 1)
		b, ok2 := x.time.seconds(i)
		if ok1 && ok2 && b > a {
			all = append(all, b-a)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// together reports whether row i follows row i-1.
func (x *reader) together(i int, interval float64) bool {
	if x.episode != nil && x.episode.cells[i] != x.episode.cells[i-1] {
		return false
	}
	if x.time == nil || interval == 0 {
		return true
	}
	a, ok1 := x.time.seconds(i - 1)
	b, ok2 := x.time.seconds(i)
	return ok1 && ok2 && b > a && b-a <= 1.5*interval
}
