package rawlog

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/source"
)

// Transitions returns the transitions of a log as rows of schema s, whose quantities are
// numbers and not levels. The log has next states, in columns of their own, or its rows are
// time steps: then a row's states and actions are followed by the states of the next row of the
// same entity, if that is of the same episode and not after a gap in time. The rows stay in the table, in which
// MissingPrevious fills the cells.
func Transitions(ctx context.Context, t *Table, s *dataset.Schema, r Reading) (*Read, error) {
	x := &reader{t: t, s: s, r: r, out: &Read{Data: &dataset.Data{Schema: s}}}
	if err := x.match(); err != nil {
		return nil, err
	}
	for i := range x.columns {
		v := newValues(x.columns[i], &s.Columns[i], r.Outside != nil)
		name := x.columns[i].Name
		v.begins = x.named && s.Columns[i].Role != dataset.Next && slices.Contains(r.Ends, name) && r.Next[name] == name
		x.values = append(x.values, v)
	}
	if r.Missing == MissingPrevious && !x.primed {
		if err := x.fill(ctx); err != nil {
			return nil, err
		}
	}
	if err := x.run(ctx); err != nil {
		return nil, err
	}
	d := x.out.Data
	d.Rows, d.View = x.first.rows, x.view
	lines, first, order := t.lines, x.first, x.order // and not the table
	row := func(i int) int {
		k := first.at(i)
		if order != nil {
			k = int(order[k])
		}
		return k
	}
	d.Line = func(i int) int { return lines.at(row(i)) }
	if k := t.Column(r.Entity); k >= 0 {
		by := &t.Columns[k]
		d.Entity = func(i int) string { return by.Text(row(i)) }
	}
	return x.out, x.gather(ctx, d)
}

// gather keeps equal transitions once, if many are equal. The table is not needed then.
func (x *reader) gather(ctx context.Context, d *dataset.Data) error {
	kept := &dataset.Data{Schema: d.Schema, Of: make([]uint32, 0, d.Rows)}
	row := make([]float64, len(x.s.Columns))
	for i := range d.Rows {
		if err := x.t.look(ctx); err != nil {
			return err
		}
		x.view(i, row)
		if kept.Add(row); kept.Distinct() > mostKept && kept.Distinct() > kept.Rows/manyAlike {
			return nil
		}
	}
	kept.Line, kept.Entity, kept.Begins, kept.Rewards = d.Line, d.Entity, d.Begins, d.Rewards
	*d = *kept
	return nil
}

// Equal transitions are kept once while there are at most mostKept different ones, or one among manyAlike rows.
const (
	mostKept  = 1 << 16
	manyAlike = 4
)

type reader struct {
	t        *Table
	s        *dataset.Schema
	r        Reading
	columns  []*Column // by column of the schema
	values   []*values // as well
	back     []int     // as well: from how many rows before a lag is; else 0 before the step and -1 after it, or ahead
	reach    int       // the longest lag, in steps
	primed   bool
	named    bool    // next states are in columns with names of their own, and not in those of a data set
	reward   *Column // nil for none
	episode  *Column
	entity   *Column
	time     *Column
	ends     []end
	closer   *end    // of ends, whose column is a state: its rows say that their own action ends the episode; nil for none
	order    []int32 // the rows by entity, in the order of time; nil if that is the order of the file
	sorted   bool    // the rows stood in no order of time
	repeated []int32 // rows that are left out of order
	first    lines   // the place in order where each transition begins
	begins   bool    // the next transition is the first of an episode
	start    int     // the place of the first row of the episode
	out      *Read
}

// match finds the column of each fluent.
func (x *reader) match() error {
	find := func(name string) (*Column, error) {
		if i := x.t.Column(name); i >= 0 {
			return &x.t.Columns[i], nil
		}
		return nil, source.Errorf(x.t.File, 1, 0, "there is no column %s; the columns are %s%s", name, names(x.t), x.t.hint(name))
	}
	x.primed = x.t.hasPrimes()
	x.named = len(x.r.Next) > 0 && !x.primed // a data set that init wrote has primes
	for base, next := range x.r.Next {
		x.named = x.named && x.t.Column(base) >= 0 && x.t.Column(next) >= 0
	}
	x.primed = x.primed || x.named
	for i := range x.s.Columns {
		name, back := x.nameOf(&x.s.Columns[i])
		x.back = append(x.back, back)
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
		x.mark()
		return nil
	}
	for _, name := range []string{x.r.Episode, x.r.Entity, x.r.Time} {
		if name != "" {
			if _, err := find(name); err != nil {
				return err
			}
		}
	}
	for _, name := range x.r.Ends {
		if _, err := find(name); err != nil {
			return err
		}
	}
	x.arrange()
	x.out.Sorted = x.sorted
	for i := range x.ends {
		if slices.Contains(x.columns, x.ends[i].from) {
			x.closer = &x.ends[i]
		}
	}
	return nil
}

// nameOf names the column of the log that has the values of a column of the schema, and says from how many rows before: see
// reader.back.
func (x *reader) nameOf(c *dataset.Column) (name string, back int) {
	fluent := strings.TrimSuffix(c.Name, "'")
	if c.Role == dataset.Next {
		back = -1
	}
	// A data set has columns for lags, and a log has not, whatever its columns are named.
	if lag := c.Lag; lag.By > 0 && !(x.primed && !x.named && x.t.Column(fluent) >= 0) {
		fluent, back = lag.Of, back+lag.By
		x.reach = max(x.reach, lag.By)
	}
	name, ok := x.r.Column[fluent]
	if !ok || x.t.Column(name) < 0 { // a data set has the names of fluents
		name = fluent
	}
	if back >= 0 || !x.primed {
		return name, back
	}
	next, ok := x.r.Next[name]
	if !x.named || !ok {
		next = name + "'"
	}
	if c.Given && x.t.Column(next) < 0 {
		return name, ahead
	}
	return next, back
}

// fill gives cells without a value that of the row before, within an episode.
func (x *reader) fill(ctx context.Context) error {
	gap := x.gap()
	known := len(x.columns) - x.s.NumStates()
	for k := 1; k < x.rows(); k++ {
		if err := x.t.look(ctx); err != nil {
			return err
		}
		var together, asked bool
		i, before := x.row(k), x.row(k-1)
		for c, v := range x.values[:known] {
			value, bad := v.at(i)
			if !math.IsNaN(value) || bad && x.r.Outside == nil {
				continue
			}
			if last, _ := v.at(before); math.IsNaN(last) {
				continue
			}
			if !asked {
				together, asked = x.together(k, gap), true
			}
			if together {
				if bad {
					x.outside(i, c)
				}
				x.columns[c].cells.repeat(i, before)
			}
		}
	}
	return nil
}

// outside tells of the value of column k of the schema in row i, which its fluent does not have.
func (x *reader) outside(i, k int) {
	v := x.values[k]
	value, _ := v.at(i)
	o := dataset.Outside{Line: x.t.Line(i), Column: x.columns[k].Name, Value: v.from.Text(i), Expected: v.fault(i), Unreadable: math.IsNaN(value)}
	if x.r.Outside(o); x.r.Refuse && x.out.Refused == nil {
		x.out.Refused = &o
	}
}

// none is the index of no column.
const none = -1

// complete checks the columns from..to-1 of the schema in row i. It returns the reason to drop a
// transition that needs the first without a value, or none.
func (x *reader) complete(i, from, to int) (int, error) {
	first := none
	for k := from; k < to; k++ {
		if x.isLag(k) {
			continue // see add
		}
		v := x.values[k]
		value, bad := v.at(i)
		unreadable := math.IsNaN(value)
		if !bad && !unreadable {
			continue
		}
		name := x.columns[k].Name
		switch {
		case bad && x.r.Outside == nil:
			return none, source.Errorf(x.t.File, x.t.Line(i), 0, "column %s: %q, expected %s", name, v.from.Text(i), v.fault(i))
		case bad:
			x.outside(i, k)
			if first == none && (x.r.Refuse || unreadable && x.r.Missing != MissingKeep) {
				first = reasonOf(k, true)
			}
		case x.r.Missing == MissingError && x.r.Outside == nil:
			return none, source.Errorf(x.t.File, x.t.Line(i), 0, "column %s has no value; expected one, or --missing drop, previous or keep", name)
		case x.r.Missing != MissingKeep && first == none:
			first = reasonOf(k, false)
		}
	}
	return first, nil
}

// The reasons that are about a column come in fours: missing, unreadable, and both in the row after it.
const perColumn, after = 4, 2

// reasonOf is the index of the reason that column k of the schema has no value.
func reasonOf(k int, bad bool) int {
	if bad {
		return again + 2 + perColumn*k
	}
	return again + 1 + perColumn*k
}

// list lists the reasons to drop a row.
func (x *reader) list() {
	x.out.reasons = []string{"the last row of an episode, or before a gap in time", "the last row", "no row of the episode is so long before it as the lags need",
		"the row before says the same, time included"}
	for k, c := range x.columns {
		where := ""
		if x.isLag(k) {
			where = " in a row before it"
		}
		x.out.reasons = append(x.out.reasons, c.Name+" is missing"+where, c.Name+" has no value that it can have"+where,
			c.Name+" is missing in the row after it", c.Name+" has no value that it can have in the row after it")
	}
}

// runPrimed forms the transitions of rows that have next states of their own.
func (x *reader) runPrimed(ctx context.Context) error {
	x.begins = x.marked()
	for i := range x.t.Rows() {
		if err := x.t.look(ctx); err != nil {
			return err
		}
		if x.reach > 0 && i > 0 && !x.goesOn(i) {
			x.start, x.begins = i, true
		}
		x.begins = x.begins || i > 0 && x.ended(i)
		switch why, err := x.complete(i, 0, len(x.s.Columns)); {
		case err != nil:
			return err
		case why != none:
			x.drop(i, why)
		default:
			x.add(i)
		}
	}
	return nil
}

// run forms the transitions.
func (x *reader) run(ctx context.Context) error {
	width, states, inputs := len(x.s.Columns), x.s.NumStates(), x.s.NumInputs()
	x.list()
	if x.primed {
		return x.runPrimed(ctx)
	}
	gap := x.gap()
	x.begins = true
	before := none // why the row before cannot begin a transition
	for k := range x.rows() {
		if err := x.t.look(ctx); err != nil {
			return err
		}
		i := x.row(k)
		state, err := x.complete(i, 0, states-inputs)
		if err != nil {
			return err
		}
		action, err := x.complete(i, states-inputs, width-states)
		if err != nil {
			return err
		}
		switch {
		case k == 0:
		case !x.together(k, gap):
			x.finish(k-1, before, ended)
			x.start, x.begins = k, true
		case before != none:
			x.drop(k-1, before)
		case state != none:
			x.drop(k-1, state+after)
		default:
			x.add(k - 1)
		}
		if before = state; before == none {
			before = action
		}
	}
	x.finish(x.rows()-1, before, last)
	for _, i := range x.repeated {
		x.out.Drops = append(x.out.Drops, Drop{int32(x.t.Line(int(i))), again})
	}
	return nil
}

// finish ends an episode with the row at place k: its transition leads to the end where it says so and can begin one, and is dropped elsewhere.
func (x *reader) finish(k, fault, why int) {
	if fault == none && x.closes(k) {
		x.add(k)
		return
	}
	x.drop(k, why)
}

// closes reports whether the action of the row at place k ends the episode, as far as a state is to tell it. The other states stay as they were: what they
// are then is not recorded, and nothing follows.
func (x *reader) closes(k int) bool {
	return x.closer != nil && x.closer.cells[x.closer.from.cells.at(x.row(k))]
}

func (x *reader) drop(k, why int) {
	x.out.Drops = append(x.out.Drops, Drop{int32(x.t.Line(x.row(k))), int32(why)})
}

// add adds the transition that begins at place k, unless a lag has no value there.
func (x *reader) add(k int) {
	if why := x.early(k); why != none {
		x.drop(k, why)
		return
	}
	if x.begins {
		x.out.Data.Begins, x.begins = append(x.out.Data.Begins, int32(x.first.rows)), false
	}
	x.first.add(k)
	row := x.row(k)
	if x.reward != nil {
		y := math.NaN()
		if v, ok := x.reward.Number(row); ok {
			y = v
		}
		if x.out.Data.Rewards == nil {
			x.out.Data.Rewards = make([]float64, 0, x.rows())
		}
		x.out.Data.Rewards = append(x.out.Data.Rewards, y)
	}
}

// view sets row to the values of transition i.
func (x *reader) view(i int, row []float64) {
	k := x.first.at(i)
	states := x.s.NumStates()
	for c, back := range x.back {
		closing := x.closer != nil && x.columns[c] == x.closer.from
		if closing && back >= 0 {
			row[c] = 0
			continue
		}
		switch {
		case closing:
			back = 0
		case back == ahead && k+1 < x.rows() && x.goesOn(k+1):
			back = -1
		case back < 0 && (x.primed || x.closes(k)):
			back = 0
		}
		if row[c], _ = x.values[c].at(x.row(k - back)); x.s.Columns[c].Given && math.IsNaN(row[c]) {
			row[c] = row[c-len(row)+states] // which nothing asks for
		}
	}
}
