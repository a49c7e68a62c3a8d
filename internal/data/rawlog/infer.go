package rawlog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/nearest"
)

// Use is what a column of a log is used for.
type Use string

// The uses.
const (
	AsState   Use = "state"
	AsAction  Use = "action"
	AsInput   Use = "input"  // what the system reads and does not decide
	AsNext    Use = "next"   // the next state of another column
	AsEnd     Use = "end"    // whether the row ends its episode
	AsEntity  Use = "entity" // the device that the row is about
	AsEpisode Use = "episode"
	AsReward  Use = "reward"
	AsTime    Use = "time"
	Dropped   Use = "dropped"
)

// Kind is the type of a fluent.
type Kind string

// The kinds.
const (
	Bool Kind = "bool"
	Int  Kind = "int"
	Enum Kind = "enum"
	Real Kind = "real"
)

// Fluent is what is inferred of a column.
type Fluent struct {
	Name   string // of the fluent
	Column string // in the log
	Use    Use
	Why    string // it is used so
	Kind   Kind
	Lo, Hi float64   // of Int and Real as they occur, or as they are given
	Values []string  // of Enum, sorted
	Edges  []float64 // of the bins of a Real
	Step   Step      // of a Real without bins
	How    string    // how the edges or the step were found
	Runs   bool      // a time counts the rows of each run
	Unit   string

	Default string // of an action, the value that does nothing; empty if none is known to
	Listed  bool   // an action of two values, of which neither is known to do nothing
	Digits  bool   // the values are numbers in the log

	Unreadable int    // texts in a column of numbers
	Example    string // one of them
	Line       int    // of the first

	known int // cells with a value, of the column and that of its next state
}

// Spec is what the user says of a log.
type Spec struct {
	Actions, Ignore []string             // columns
	Inputs          []string             // columns that the system reads and does not decide
	Episode, Entity string               // columns; empty for none
	Rename          map[string]string    // names of fluents by column
	Bins            map[string][]float64 // edges by column or fluent
	Binned          []string             // columns or fluents that are to have bins
	Decimals        map[string]int       // digits after the point by column or fluent; -1 to choose the step
	Steps           bool                 // quantities have steps and no bins, unless their values stand in clusters
	Ranges          map[string]Range     // by column or fluent
	Inactive        bool                 // there may be no action: the columns are only described
	// Complete says that transitions need all values: states that mostly have none are dropped, unless all are such.
	Complete bool
}

// free reports whether the user says nothing of a column but, maybe, that it names something.
func (s *Spec) free(column string) bool {
	return !slices.Contains(s.Ignore, column) && !slices.Contains(s.Actions, column) && !slices.Contains(s.Inputs, column) && s.Rename[column] == ""
}

// The largest numbers of values of a fluent that is not discretised.
const (
	maxInt  = 64  // of integers, whatever they mean
	maxWide = 1e6 // of integers that do not look like a measured quantity
	maxEnum = 32
)

// tooManyTexts is why a column with more texts than an enumeration may have is dropped.
var tooManyTexts = fmt.Sprintf("more than %d different texts", maxEnum)

// Infer decides what each column of a log is, given its shape. Errors name the column.
func Infer(ctx context.Context, t *Table, s Spec, shape Shape) ([]Fluent, error) {
	if err := s.check(t); err != nil {
		return nil, err
	}
	x := &inference{t: t, s: s, shape: shape, next: map[string]string{}, byName: map[string]int{}, bySum: map[uint64][]int{}}
	for base, next := range shape.Next {
		x.next[next] = base
	}
	if s.Episode == "" {
		if i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.namesEpisodes() && !slices.Contains(s.Ignore, c.Name) }); i >= 0 {
			x.episode = t.Columns[i].Name
		}
	}
	if ends := shape.Ends(); s.Episode == "" && x.episode == "" && len(ends) > 0 {
		if i := slices.IndexFunc(t.Columns, func(c Column) bool { return s.free(c.Name) && t.changesAtEnds(&c, ends) }); i >= 0 {
			x.episode, x.why = t.Columns[i].Name, "it rises where an episode ends"
		}
	}
	x.count()
	for i := range t.Columns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		name := t.Columns[i].Name
		if strings.HasSuffix(name, "'") {
			continue // the next state of another column
		}
		f, err := x.one(i)
		if err != nil {
			return nil, err
		}
		if _, hasNext := shape.Next[name]; f.Use == AsState && len(x.next) > 0 && !hasNext && x.stays(&t.Columns[i]) {
			f.Use, f.Why = AsInput, strings.TrimPrefix(f.Why+"; one value in each episode", "; ")
		}
		x.dropTwins(&f, &t.Columns[i])
		if j, twice := x.byName[f.Name]; f.IsFluent() && twice {
			return nil, fmt.Errorf("columns %s and %s would both be named %s; expected --rename %s=NAME", x.out[j].Column, f.Column, f.Name, f.Column)
		}
		if f.IsFluent() {
			x.byName[f.Name] = len(x.out)
		}
		x.out = append(x.out, f)
	}
	if s.Complete {
		x.dropEmpty()
	}
	return x.out, nil
}

// stays reports whether a column has one value in each episode.
func (x *inference) stays(c *Column) bool {
	return x.t.StaysFor(c, cmp.Or(x.s.Episode, x.episode), x.shape.Ends())
}

// count finds a column that counts the rows of each episode, and with it one that names the episodes where none is known.
func (x *inference) count() {
	if len(x.next) > 0 || x.s.Entity != "" {
		return
	}
	var states []*Column
	other := append(x.shape.Ends(), x.s.Episode, x.episode, RewardColumn)
	for i := range x.t.Columns {
		c := &x.t.Columns[i]
		if x.s.free(c.Name) && !slices.Contains(other, c.Name) && !isTime(x.t, c) && !c.numbersRows() {
			states = append(states, c)
		}
	}
	runs := x.t.Runs(cmp.Or(x.s.Episode, x.episode), states)
	if x.counter = runs.Counter; x.s.Episode == "" && x.episode == "" && runs.Episode != "" {
		x.episode, x.why = runs.Episode, "another value where the states do not go on"
	}
}

// counts says how a column counts the rows; empty if it does not, or rows have next states.
func (x *inference) counts(c *Column) string {
	switch {
	case len(x.next) > 0:
		return ""
	case c.Name == x.counter:
		return "of each run"
	case x.t.isClock(c, x.s.Entity):
		return "one by one"
	}
	return ""
}

// dropEmpty drops the states that have no value in most rows, such as remarks, which would leave few transitions.
func (x *inference) dropEmpty() {
	rows := x.t.Rows()
	known := func(f *Fluent) int {
		if _, both := x.shape.Next[f.Column]; both {
			return f.known / 2
		}
		return f.known
	}
	mostly := func(f Fluent) bool { return f.Use == AsState && 2*known(&f) < rows }
	if !slices.ContainsFunc(x.out, func(f Fluent) bool { return f.Use == AsState && !mostly(f) }) {
		return
	}
	for i := range x.out {
		f := &x.out[i]
		if _, ranged := x.s.rangeOf(f); mostly(*f) && !ranged && x.s.Rename[f.Column] == "" {
			f.Use, f.Why = Dropped, fmt.Sprintf("no value in %d of %d rows; --missing previous or --rename keeps it", rows-known(f), rows)
		}
	}
}

// IsFluent reports whether the column is a state, an input or an action.
func (f *Fluent) IsFluent() bool { return f.Use == AsState || f.Use == AsInput || f.Use == AsAction }

// NamedActions lists the columns that are actions by their names: action, or action_0, action_1 and so on, where no columns are given.
func (t *Table) NamedActions(s Spec) (out []string) {
	for _, name := range []string{"action", "actions", "act", "command", "cmd", "control"} {
		for i := range t.Columns {
			c := t.Columns[i].Name
			base := strings.TrimRight(strings.ToLower(c), "0123456789")
			if base != c && len(base) < len(c) {
				base = strings.TrimSuffix(base, "_")
			}
			if base == name && !slices.Contains(s.Ignore, c) && !slices.Contains(s.Inputs, c) && c != s.Episode && c != s.Entity {
				out = append(out, c)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// check refuses names that no column has.
func (s *Spec) check(t *Table) error {
	for _, list := range []struct {
		flag  string
		names []string
	}{{"--actions", s.Actions}, {"--input", s.Inputs}, {"--ignore", s.Ignore}, {"--episode", []string{s.Episode}}, {"--entity", []string{s.Entity}}} {
		for _, name := range list.names {
			if name != "" && t.Column(name) < 0 {
				return fmt.Errorf("%s: there is no column %s in %s; its columns are %s%s", list.flag, name, t.File, names(t), t.hint(name))
			}
		}
	}
	if len(s.Actions) == 0 && !s.Inactive {
		return fmt.Errorf("which columns are actions? expected --actions a,b; the columns of %s are %s", t.File, names(t))
	}
	return nil
}

// inference is what is known of the columns so far.
type inference struct {
	t      *Table
	s      Spec
	shape  Shape
	next   map[string]string // the column of the state, by that of the next one
	out    []Fluent
	byName map[string]int   // fluents by name
	bySum  map[uint64][]int // columns by a sum over their cells
	gaps   []int            // columns with missing cells
	time   string           // the column of times
	// episode is the column that names the episode of each row, if one was found, and why if not by its name; counter that which counts its rows.
	episode, why, counter string
}

// maxTwins is the most columns with missing cells that another one is compared with.
const maxTwins = 256

// dropTwins drops a state that has the same values as a column before it, and a second column of
// times.
func (x *inference) dropTwins(f *Fluent, c *Column) {
	if f.Use == AsTime {
		if x.time == "" && isTime(x.t, c) {
			x.time = x.finest(c)
		}
		if x.time = cmp.Or(x.time, f.Column); x.time != f.Column {
			f.Use, f.Why = Dropped, "another column of times than "+x.time
		}
	}
	if !f.IsFluent() {
		return
	}
	sum, whole := c.sum()
	candidates := append(slices.Clone(x.bySum[sum]), x.gaps[max(0, len(x.gaps)-maxTwins):]...)
	if !whole {
		for j := max(0, len(x.out)-maxTwins); j < len(x.out); j++ {
			candidates = append(candidates, j)
		}
	}
	for _, j := range candidates {
		o := &x.out[j]
		if f.Use == AsState && o.Use != Dropped && same(&x.t.Columns[x.t.Column(o.Column)], c) {
			f.Use, f.Why = Dropped, "the same as column "+o.Column
			return
		}
	}
	if whole {
		x.bySum[sum] = append(x.bySum[sum], len(x.out))
	} else {
		x.gaps = append(x.gaps, len(x.out))
	}
}

// finest is the column of times with clearly more of them than the first one, if there is one: a case has a deadline, and each of its rows a time.
func (x *inference) finest(first *Column) string {
	best, most := first.Name, first.different()
	for i := range x.t.Columns {
		c := &x.t.Columns[i]
		if !x.s.free(c.Name) || c.Name == x.s.Episode || c.Name == x.s.Entity || !isTime(x.t, c) {
			continue
		}
		if n := c.different(); 10*most < 9*n {
			best, most = c.Name, n
		}
	}
	return best
}

// different counts the different cells of the first rows.
func (c *Column) different() int {
	seen := map[uint64]bool{}
	for i := range min(c.cells.rows, maxCodes) {
		seen[c.cells.at(i)] = true
	}
	return len(seen)
}

// sum mixes the cells of a column into a number, and reports whether none is missing.
func (c *Column) sum() (sum uint64, whole bool) {
	whole = true
	for i := range c.cells.rows {
		cell := c.cells.at(i)
		whole = whole && cell != missing
		sum = (sum ^ cell) * 0x9e37_79b9_7f4a_7c15
		sum ^= sum >> 29
	}
	return sum, whole
}

// same reports whether two columns have the same values wherever both have one.
func same(a, b *Column) bool {
	if !slices.Equal(a.texts, b.texts) {
		return false
	}
	both := false
	for i := range a.cells.rows {
		x, y := a.cells.at(i), b.cells.at(i)
		if x == missing || y == missing {
			continue
		}
		if x != y {
			return false
		}
		both = true
	}
	return both
}

func names(t *Table) string { return strings.Join(t.names(), ", ") }

func (t *Table) names() []string {
	var out []string
	for i := range t.Columns {
		out = append(out, t.Columns[i].Name)
	}
	return out
}

// hint returns "; did you mean X?" for a name that no column has, or "".
func (t *Table) hint(name string) string { return nearest.Hint(name, t.names()) }

// noNext is why a column is dropped beside others that have next states.
const noNext = "no column has its next value; an action, --input or --reward would need none"

// isNumeric reports whether a column has numbers only, and one at least.
func isNumeric(c *Column) bool {
	found := false
	for i := range c.cells.rows {
		if _, ok := c.Number(i); ok {
			found = true
		} else if !c.Missing(i) {
			return false
		}
	}
	return found
}

// one infers column i from its cells and those of its next state.
func (x *inference) one(i int) (Fluent, error) {
	t, s := x.t, &x.s
	c := &t.Columns[i]
	renamed := s.Rename[c.Name]
	f := Fluent{Name: renamed, Column: c.Name, Use: AsState}
	if f.Name == "" {
		f.Name = fluentName(c.Name)
	}
	as := func(use Use, format string, args ...any) (Fluent, error) {
		f.Use, f.Why = use, fmt.Sprintf(format, args...)
		return f, nil
	}
	base, isNext := x.next[c.Name]
	_, ranged := s.rangeOf(&f)
	next, hasNext := x.shape.Next[c.Name]
	switch {
	case slices.Contains(s.Ignore, c.Name):
		return as(Dropped, "asked for")
	case c.Name == s.Episode:
		return as(AsEpisode, "asked for")
	case c.Name == s.Entity && !slices.Contains(s.Inputs, c.Name):
		return as(AsEntity, "asked for; its rows follow each other, whatever stands between them")
	case slices.Contains(s.Actions, c.Name):
		f.Use = AsAction
	case slices.Contains(s.Inputs, c.Name):
		f.Use = AsInput
	case c.Name == RewardColumn && isNumeric(c):
		return as(AsReward, "learned, unless the task gives a reward")
	case isNext:
		return as(AsNext, "by its name, the next state of %s", base)
	case c.Name == x.shape.Terminal:
		return as(AsEnd, "by its name: an episode ends with a row where it is true, in a final state")
	case c.Name == x.shape.Truncated:
		return as(AsEnd, "by its name: an episode is cut off after a row where it is true")
	case renamed != "" && c.layout == "":
	case isTime(t, c):
		return as(AsTime, "%s", c.whyTime())
	case c.Name == x.episode:
		return as(AsEpisode, "%s", cmp.Or(x.why, "by its name"))
	case t.numbering(c) != "":
		return as(Dropped, "%s", t.numbering(c))
	case !ranged && x.counts(c) != "":
		f.Runs = c.Name == x.counter
		return as(AsTime, "it counts the rows %s; --rename makes a state of it", x.counts(c))
	case len(x.next) > 0 && !hasNext && (s.Entity == "" || !t.ConstantFor(c.Name, s.Entity)) && !x.stays(c):
		return as(Dropped, "%s", noNext)
	}
	columns := []*Column{c}
	if hasNext {
		columns = append(columns, &t.Columns[t.Column(next)])
	}
	if err := f.classify(t, columns, s, cmp.Or(s.Episode, x.episode)); err != nil {
		return f, err
	}
	if f.Why == tooManyTexts && s.Episode == "" && x.episode == "" && c.inBlocks() {
		x.episode = c.Name
		return as(AsEpisode, "each of its many texts stands in one block of rows")
	}
	return f, nil
}

// numbering says of a column that it tells nothing of the system but where its rows are; empty if not so.
func (t *Table) numbering(c *Column) string {
	switch {
	case c.numbersRows():
		return "it numbers the rows"
	case t.isDay(c):
		return "it is the day of the stamps"
	}
	return ""
}

// First returns the first value as text.
func (c *Column) First() string {
	for i := range c.cells.rows {
		if !c.Missing(i) {
			return c.Text(i)
		}
	}
	return ""
}

// Truth returns the Boolean that a text or a number stands for.
func Truth(text string) (value, ok bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1", "t", "y", "enabled":
		return true, true
	case "false", "no", "off", "0", "f", "n", "disabled":
		return false, true
	}
	return false, false
}

func isBool(values []string) bool {
	seen := map[bool]bool{}
	for _, v := range values {
		b, ok := Truth(v)
		if !ok {
			return false
		}
		seen[b] = true
	}
	return len(seen) == 2 && len(values) == 2
}
