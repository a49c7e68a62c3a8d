package rawlog

import (
	"math"
	"slices"
	"strings"
)

// Shape says which columns of a log are about its rows, and not about the device.
type Shape struct {
	Next      map[string]string // the column of the next state by that of the state; empty if rows are time steps
	Terminal  string            // column: the row ends its episode, in a state that is final; empty for none
	Truncated string            // column: the row ends its episode, which could go on; empty for none
	// Doubtful are pairs of columns that are named like a state and its next one, and are not.
	Doubtful [][2]string
}

// Ends are the columns that end episodes.
func (s *Shape) Ends() []string {
	var out []string
	for _, name := range []string{s.Terminal, s.Truncated} {
		if name != "" {
			out = append(out, name)
		}
	}
	return out
}

// The names of columns that end episodes, without signs, as exports of Gymnasium have them.
var (
	terminalNames  = []string{"done", "dones", "isdone", "terminal", "terminals", "isterminal", "terminated", "terminateds", "isterminated", "gameover", "episodedone", "episodeend"}
	truncatedNames = []string{"truncated", "truncateds", "istruncated", "timeout", "timeouts", "truncation"}
)

// letters returns a name in lower case without signs.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == ' ' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(strings.TrimSpace(name)))
}

// baseOf returns the names that the column of the state may have if this is one of next states.
func baseOf(column string) []string {
	if base, ok := strings.CutSuffix(column, "'"); ok {
		return []string{base}
	}
	if base, ok := strings.CutSuffix(column, "’"); ok {
		return []string{base}
	}
	if column == "sp" || column == "s2" || column == "s_" {
		return []string{"s"}
	}
	var out []string
	lower := strings.ToLower(column)
	for _, mark := range []string{"next_", "next ", "next-", "next.", "next", "new_"} {
		if strings.HasPrefix(lower, mark) {
			out = append(out, column[len(mark):])
		}
	}
	for _, mark := range []string{"_next", " next", "-next", ".next", "_prime", "_t+1", "(t+1)", "_tp1"} {
		if base, ok := strings.CutSuffix(lower, mark); ok {
			out = append(out, column[:len(base)], column[:len(base)]+"_t", column[:len(base)]+"(t)")
		}
	}
	if i := strings.Index(lower, "_next_"); i > 0 { // obs_next_0
		out = append(out, column[:i]+column[i+len("_next"):])
	}
	return out
}

// Shape finds the columns of next states and of the ends of episodes by their names, except those
// that spec uses for something else. Names such as next_stop need evidence: they are next states
// if the other states have theirs too, if the next row of the same entity begins with them, or if several states have such columns of
// their own values.
func (t *Table) Shape(s Spec) Shape {
	out := Shape{Next: map[string]string{}}
	kept := func(name string) bool {
		return slices.Contains(s.Actions, name) || slices.Contains(s.Ignore, name) || s.Rename[name] != "" || name == s.Episode || name == s.Entity
	}
	isNext := map[string]bool{}
	named := map[string]string{}
	for i := range t.Columns {
		name := t.Columns[i].Name
		if kept(name) {
			continue
		}
		for _, base := range baseOf(name) {
			if j := t.columnLike(base); j >= 0 && j != i && named[t.Columns[j].Name] == "" {
				named[t.Columns[j].Name], isNext[name] = name, true
				break
			}
		}
	}
	for i := range t.Columns {
		name := t.Columns[i].Name
		if slices.Contains(terminalNames, letters(s.Rename[name])) && t.Columns[i].isTruth() {
			out.Terminal = name // asked for
		}
	}
	for i := range t.Columns {
		name := t.Columns[i].Name
		if kept(name) || isNext[name] || named[name] != "" || !t.Columns[i].isTruth() {
			continue // a column with a next value is a state, whatever its name
		}
		switch {
		case out.Terminal == "" && slices.Contains(terminalNames, letters(name)):
			out.Terminal = name
		case out.Truncated == "" && slices.Contains(truncatedNames, letters(name)):
			out.Truncated = name
		}
	}
	covered := true // every other column that may be a state has a next one
	for i := range t.Columns {
		name := t.Columns[i].Name
		other := kept(name) || slices.Contains(s.Inputs, name) || isNext[name] || named[name] != "" || name == out.Terminal || name == out.Truncated || letters(name) == RewardColumn
		covered = covered && (other || isOrder(t, &t.Columns[i]))
	}
	alike := len(named) > 1
	for base, next := range named {
		alike = alike && t.hasValuesOf(base, next)
	}
	for base, next := range named {
		if plain := strings.HasSuffix(next, "'") || strings.HasSuffix(next, "’"); plain || covered || alike || t.follows(base, next, s.Entity, out.Ends()) {
			out.Next[base] = next
		} else {
			out.Doubtful = append(out.Doubtful, [2]string{base, next})
		}
	}
	slices.SortStableFunc(out.Doubtful, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return out
}

// columnLike finds a column by its name, also in another case. Gymnasium calls the state obs,
// observation or state.
func (t *Table) columnLike(name string) int {
	if i := t.Column(name); i >= 0 || name == "" {
		return i
	}
	if t.likes == nil {
		t.likes = map[string]int{}
		for i := range t.Columns {
			t.likes[letters(t.Columns[i].Name)] = i
		}
	}
	plain := letters(name)
	if i, ok := t.likes[plain]; ok {
		return i
	}
	states := []string{"state", "obs", "observation", "s"}
	for _, word := range states {
		rest, ok := strings.CutPrefix(plain, word)
		if !ok || rest != "" && (rest[0] < '0' || rest[0] > '9') && rest[0] != '[' {
			continue
		}
		for _, other := range states {
			if i, ok := t.likes[other+rest]; ok {
				return i
			}
		}
	}
	return -1
}

// isTruth reports whether all values are true or false.
func (c *Column) isTruth() bool {
	found := false
	for i := range c.cells.rows {
		if c.Missing(i) {
			continue
		}
		if _, ok := Truth(c.Text(i)); !ok {
			return false
		}
		found = true
	}
	return found
}

// Holding returns the rows in which a column is true.
func (t *Table) Holding(column string) []int {
	e := newEnd(&t.Columns[t.Column(column)])
	var out []int
	for i := range t.Rows() {
		if e.at(i) {
			out = append(out, i)
		}
	}
	return out
}

// leastEnds is how many rows that end an episode are compared with others, at least.
const leastEnds = 5

// EndsByAction reports whether the column of ends says of a row that its action ends the episode, as environments of Gymnasium do, and not that
// its state is final: half of the states of such rows, or more, are those of rows that end none. Without enough states that are met again it is not known.
// Where rows have next states, it is these that are met again, and most rows with the same state and action end an episode, too: else it is a limit of time.
func (t *Table) EndsByAction(terminal string, fluents []Fluent, next map[string]string) bool {
	e := newEnd(&t.Columns[t.Column(terminal)])
	var states, before []*Column // those that are met again, and those of a state and an action
	for i := range fluents {
		f := &fluents[i]
		c := &t.Columns[t.Column(f.Column)]
		if !f.IsFluent() || len(c.cells.values) > mostCells {
			continue
		}
		if before = append(before, c); f.Use != AsState {
			continue
		}
		then, ok := next[f.Column]
		switch {
		case len(next) == 0:
			states = append(states, c)
		case ok:
			states = append(states, &t.Columns[t.Column(then)])
		}
	}
	of := t.countEnds(states, e, nil)
	shared, met := 0, 0
	for _, n := range of {
		switch {
		case n.ends > 0 && n.others > 0:
			shared += n.ends
			met += n.ends
		case n.ends > 1:
			met += n.ends
		}
	}
	switch {
	case len(states) == 0 || met < leastEnds || 2*shared < met:
		return false
	case len(next) == 0:
		return true
	}
	var key []byte
	mostly, all := 0, 0
	for _, n := range t.countEnds(before, e, func(row int) bool { // but for rows that lead to final states
		key = appendCells(key[:0], states, row)
		return e.at(row) && of[string(key)].others == 0
	}) {
		if n.ends == 0 || n.ends+n.others == 1 {
			continue
		}
		if all += n.ends; n.ends > n.others {
			mostly += n.ends
		}
	}
	return all >= leastEnds && 2*mostly >= all
}

// ends counts rows that end an episode, and others.
type ends struct{ ends, others int }

// countEnds counts the rows with the same cells of some columns, but for some rows.
func (t *Table) countEnds(columns []*Column, e end, but func(row int) bool) map[string]*ends {
	of := map[string]*ends{}
	var key []byte
	for i := range t.Rows() {
		if but != nil && but(i) {
			continue
		}
		key = appendCells(key[:0], columns, i)
		n := of[string(key)]
		if n == nil {
			n = &ends{}
			of[string(key)] = n
		}
		if e.at(i) {
			n.ends++
		} else {
			n.others++
		}
	}
	return of
}

// follows reports whether most rows that end no episode end in the state that the next one begins with, of the same entity if there are some, and the state
// changes now and then.
func (t *Table) follows(base, next, entity string, ends []string) bool {
	a, b := &t.Columns[t.Column(base)], &t.Columns[t.Column(next)]
	by := t.find(entity)
	over := t.ending(ends)
	last := map[uint64]int{} // row by entity
	same, changes := 0, 0
	for i := range min(t.Rows(), 10_000) {
		id := by.id(i)
		if before, ok := last[id]; ok && a.Text(before) != a.Text(i) && !over(before) {
			changes++
			if b.Text(before) == a.Text(i) {
				same++
			}
		}
		last[id] = i
	}
	return changes > 0 && 2*same > changes
}

// hasValuesOf reports whether a column has several values, and nearly all of them another one has too.
func (t *Table) hasValuesOf(base, next string) bool {
	a, b := &t.Columns[t.Column(base)], &t.Columns[t.Column(next)]
	known, values, others, n := map[string]bool{}, map[string]bool{}, 0, min(t.Rows(), 10_000)
	for i := range n {
		known[a.Text(i)] = true
	}
	for i := range n {
		if values[b.Text(i)] = true; !known[b.Text(i)] {
			others++
		}
	}
	return len(values) > 1 && float64(others) <= seldom*float64(n)
}

// isOrder reports whether a column orders or numbers the rows, or is the episode.
func isOrder(t *Table, c *Column) bool {
	return isTime(t, c) || c.namesEpisodes() || c.numbersRows()
}

// numbersRows reports whether a column counts the rows one by one.
func (c *Column) numbersRows() bool {
	first, ok := c.Number(0)
	if c.cells.rows < 3 || first != math.Trunc(first) || c.Unit != "" || unitOf(c.Name) != "" {
		return false
	}
	for i := 0; ok && i < c.cells.rows; i++ {
		var x float64
		if x, ok = c.Number(i); x != first+float64(i) {
			return false
		}
	}
	return ok
}
