package fromlog

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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
func endingOf(t *rawlog.Table, fluents []rawlog.Fluent, shape rawlog.Shape, r rawlog.Reading) ending {
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
		if f := closing(fluents, name); f != nil {
			e.notes = append(e.notes, fmt.Sprintf("the actions of %s, where %s is true, end an episode: %s is a state, true from then on, in which no step begins", counted.Of(len(rows), "row"), name, f.Name))
			e.conditions = append(e.conditions, f.Name)
			continue
		}
		text := fmt.Sprintf("%s is true in %s, which end an episode", name, counted.Of(len(rows), "row"))
		if x := newFinals(t, fluents, shape); len(x.fluents) > 0 && len(shape.Next) > 0 {
			for i := range t.Rows() {
				x.from = append(x.from, int32(i))
			}
			x.to = x.from
			all := x.part(x.fluents, x.now, x.then)
			all.count(rows)
			text += " in " + all.names()
			e.conditions = all.conditions()
		}
		e.notes = append(e.notes, text)
	}
	if len(shape.Ends()) == 0 || len(shape.Next) == 0 && len(e.conditions) == 0 {
		e.infer(newFinals(t, fluents, shape), t, r)
	}
	return e
}

// close makes a state of the column of ends, where its rows say that their own actions end an episode: these would be lost otherwise, with what they
// cost, or be repeated. Beside next states it is the next one of itself.
func (x *looked) close() {
	if x.shape.Terminal == "" || !x.t.EndsByAction(x.shape.Terminal, x.fluents, x.shape.Next) {
		return
	}
	i := slices.IndexFunc(x.fluents, func(f rawlog.Fluent) bool { return f.Column == x.shape.Terminal && f.Use == rawlog.AsEnd })
	if i < 0 {
		return
	}
	f := &x.fluents[i]
	f.Use, f.Kind, f.Why = rawlog.AsState, rawlog.Bool, "true after an action that ends an episode"
	if len(x.shape.Next) > 0 {
		x.shape.Next[f.Column] = f.Column
	}
}

// closing returns the state that a column of ends is, or nil.
func closing(fluents []rawlog.Fluent, column string) *rawlog.Fluent {
	i := slices.IndexFunc(fluents, func(f rawlog.Fluent) bool { return f.Column == column && f.Use == rawlog.AsState })
	if i < 0 {
		return nil
	}
	return &fluents[i]
}

// mostDoubt bounds the probability that some state counts as an end by accident.
const mostDoubt = .01

// infer finds states in which runs end though no column tells: no step begins in them, and so many lead there, each
// followed by another run's first one, that this is no accident of runs that are cut off anywhere. Values of one fluent
// are looked at before whole states.
func (e *ending) infer(x *finals, t *rawlog.Table, r rawlog.Reading) {
	x.dropReal()
	if len(x.fluents) == 0 {
		return
	}
	for now, then := range rawlog.Steps(t, r) {
		x.from, x.to = append(x.from, int32(now)), append(x.to, int32(then))
	}
	all := x.part(x.fluents, x.now, x.then)
	breaks := 1 // after the last step
	for i := range len(x.from) - 1 {
		if all.breaks(i) {
			breaks++
		}
	}
	if 2*breaks > len(x.from) {
		return // rows in any order tell nothing
	}
	rate, wrong := float64(breaks)/float64(len(x.from)), all.contradicted(x.actions)
	var named []string
	number, rows, mistaken := 0, 0, 0
	ended := make([]bool, len(x.from)) // the step leads to an end that was found
	for k := range len(x.fluents) + 1 {
		part := all
		if k < len(x.fluents) && len(x.fluents) > 1 {
			part = x.part(x.fluents[k:k+1], x.now[k:k+1], x.then[k:k+1])
		}
		part.find(rate, wrong, ended)
		conditions := part.conditions()
		if len(conditions) == 0 || len(e.conditions)+len(conditions) > maxFinal {
			continue
		}
		e.conditions = append(e.conditions, conditions...)
		named, number = append(named, part.names()), number+len(part.list)
		mistaken += part.wrong
		for i, to := range part.after {
			if !ended[i] && slices.Contains(part.list, to) {
				ended[i] = true
				rows++
			}
		}
	}
	if number > 0 {
		states := counted.Of(number, "state")
		if mistaken > 0 {
			states += fmt.Sprintf(" but %s, taken for wrong records", counted.Of(mistaken, "row"))
		}
		e.notes = append(e.notes, fmt.Sprintf("no row begins in %s, and %s that lead there are followed by another run: taken as ends (final): %s", states, counted.Of(rows, "row"), strings.Join(named, ", ")))
	}
}

// finals are the columns of a log's states and actions, and its steps.
type finals struct {
	fluents   []*rawlog.Fluent
	now, then []*rawlog.Column
	actions   []*rawlog.Column
	from, to  []int32 // the rows with the states before and after each step
}

func newFinals(t *rawlog.Table, fluents []rawlog.Fluent, shape rawlog.Shape) *finals {
	x := &finals{}
	for i := range fluents {
		f := &fluents[i]
		column := &t.Columns[t.Column(f.Column)]
		next, ok := shape.Next[f.Column]
		if len(shape.Next) == 0 {
			next, ok = f.Column, true // the next row has it
		}
		switch {
		case f.Use == rawlog.AsAction:
			x.actions = append(x.actions, column)
		case f.Use == rawlog.AsState && ok:
			x.fluents = append(x.fluents, f)
			x.now, x.then = append(x.now, column), append(x.then, &t.Columns[t.Column(next)])
		}
	}
	return x
}

// dropReal leaves quantities out: runs end at any value of them.
func (x *finals) dropReal() {
	n := 0
	for k, f := range x.fluents {
		if f.Kind != rawlog.Real {
			x.fluents[n], x.now[n], x.then[n] = f, x.now[k], x.then[k]
			n++
		}
	}
	x.fluents, x.now, x.then = x.fluents[:n], x.now[:n], x.then[:n]
}

// part has the states, or the values of one fluent, before and after each step, by their numbers.
type part struct {
	*finals
	fluents       []*rawlog.Fluent
	starts        []*rawlog.Column // with the values before a step
	columns       []*rawlog.Column // and after it
	before, after []int32
	counts        map[int32]int  // steps that end an episode, by the state that they lead to
	example       map[int32]int  // a row that has the state
	other         map[int32]bool // states that begin a step, or that another one leads to
	list          []int32        // the ends, the most frequent first
	wrong         int            // steps that begin in ends, by wrong records
}

func (x *finals) part(fluents []*rawlog.Fluent, now, then []*rawlog.Column) *part {
	p := &part{finals: x, fluents: fluents, starts: now, columns: then}
	p.before, p.after = make([]int32, len(x.from)), make([]int32, len(x.to))
	for k := range now {
		texts, pairs := map[string]int32{}, map[[2]int32]int32{}
		addColumn(p.before, now[k], x.from, texts, pairs)
		addColumn(p.after, then[k], x.to, texts, pairs)
	}
	return p
}

// addColumn adds the values of a column to states: their new numbers are those of the pairs of both.
func addColumn(states []int32, c *rawlog.Column, rows []int32, texts map[string]int32, pairs map[[2]int32]int32) {
	cells := map[uint64]int32{}
	for i, row := range rows {
		cell := c.Cell(int(row))
		v, ok := cells[cell]
		if !ok {
			v = numberOf(texts, c.Text(int(row)))
			cells[cell] = v
		}
		states[i] = numberOf(pairs, [2]int32{states[i], v})
	}
}

// numberOf returns the number of a key, a new one if it has none yet.
func numberOf[K comparable](numbers map[K]int32, k K) int32 {
	n, ok := numbers[k]
	if !ok {
		n = int32(len(numbers))
		numbers[k] = n
	}
	return n
}

// breaks reports whether step i+1 does not go on from where step i leads.
func (p *part) breaks(i int) bool {
	if p.from[i] != p.to[i] { // rows are time steps
		return p.to[i] != p.from[i+1]
	}
	return p.after[i] != p.before[i+1]
}

// contradicted tells of each step whether it leads to another state than the next one begins in, and more with the same
// state and action lead to the latter: its own next state is a wrong record.
func (p *part) contradicted(actions []*rawlog.Column) []bool {
	done, steps := slices.Clone(p.before), map[[2]int32]int{} // by state with action, and the state that these lead to
	for _, c := range actions {
		addColumn(done, c, p.from, map[string]int32{}, map[[2]int32]int32{})
	}
	for i, k := range done {
		steps[[2]int32{k, p.after[i]}]++
	}
	wrong := make([]bool, len(done))
	for i := range len(done) - 1 {
		wrong[i] = p.from[i] == p.to[i] && steps[[2]int32{done[i], p.before[i+1]}] > steps[[2]int32{done[i], p.after[i]}]
	}
	return wrong
}

// find finds the states in which no step begins, or just wrong records of one fluent, and that enough steps lead to which do not lead to
// an end yet and are the last of a run.
func (p *part) find(rate float64, wrong, ended []bool) {
	p.counts, p.example, p.list = map[int32]int{}, map[int32]int{}, nil
	begins := p.beginnings()
	goOn, doubts, reached := map[int32]int{}, map[int32]int{}, map[int32]bool{}
	for i, k := range p.after {
		if reached[k] = true; ended[i] {
			continue
		}
		p.counts[k]++
		if p.example[k] = int(p.to[i]); wrong[i] {
			doubts[k]++
		}
		if i+1 < len(p.after) && k == p.before[i+1] && !p.breaks(i) {
			goOn[k]++
		}
	}
	typical := typicallyMistaken(begins)
	for k, n := range p.counts {
		last := n - goOn[k]
		if p.areWrong(begins[k], typical, last) && 2*doubts[k] <= n && lastByAccident(last, n, rate)*float64(len(reached)) < mostDoubt {
			p.list = append(p.list, k)
			if b := begins[k]; b != nil {
				p.wrong += b.steps
			}
		}
	}
	p.sort()
}

// beginning counts the steps that begin in a value: all, those that stay there, those for which mistaken holds, and those that lead from the
// value before it to the one after it as steps through another value do.
type beginning struct{ steps, stay, mistaken, usual int }

// beginnings counts the steps that begin in each value of one fluent, or in each state.
func (p *part) beginnings() map[int32]*beginning {
	out := map[int32]*beginning{}
	through, triples := map[[2]int32]int{}, map[[3]int32]int{}
	triple := func(i int) [3]int32 {
		t := [3]int32{-1, p.before[i], p.after[i]}
		if i > 0 && p.to[i-1] == p.from[i] {
			t[0] = p.before[i-1]
		}
		return t
	}
	timeSteps := len(p.fluents) == 1 && p.from[0] != p.to[0]
	if timeSteps {
		for i := range p.before {
			t := triple(i)
			triples[t]++
			through[[2]int32{t[0], t[2]}]++
		}
	}
	for i, k := range p.before {
		b := out[k]
		if b == nil {
			b = &beginning{}
			out[k] = b
		}
		if b.steps++; p.after[i] == k {
			b.stay++
		}
		if len(p.fluents) > 1 {
			continue
		}
		mistaken := i > 0 && p.mistaken(i)
		if mistaken {
			b.mistaken++
		}
		if t := triple(i); timeSteps && through[[2]int32{t[0], t[2]}] > triples[t] || !timeSteps && mistaken {
			b.usual++
		}
	}
	return out
}

// typicallyMistaken is the median of how many steps are mistaken that begin in a value.
func typicallyMistaken(all map[int32]*beginning) int {
	var mistaken []int
	for _, b := range all {
		mistaken = append(mistaken, b.mistaken)
	}
	if len(mistaken) == 0 {
		return 0
	}
	slices.Sort(mistaken)
	return mistaken[(len(mistaken)-1)/2]
}

// areWrong reports whether all steps that begin in a value, with which so many runs end, seem to do so by wrong records: they are few, hardly more than
// with other values, do not stay there, and go on as if another value stood there.
func (p *part) areWrong(b *beginning, typical, last int) bool {
	if b == nil {
		return true
	}
	some := b.steps/10 + 1
	return len(p.fluents) == 1 && mostWrong*b.steps <= len(p.before) && 3*b.steps <= last && b.mistaken <= 3*typical+3 &&
		b.stay <= some && b.steps-b.usual <= some
}

// mostWrong is how many records there are at least for each wrong one.
const mostWrong = 25

// mistaken reports whether step i seems to begin in a wrong record of a fluent. If rows are time steps, the rows before and after it have
// the same other value. Else the step before led to a state that is different in this fluent alone.
func (p *part) mistaken(i int) bool {
	if p.from[i] != p.to[i] {
		return p.to[i-1] == p.from[i] && p.before[i-1] != p.before[i] && p.after[i] == p.before[i-1]
	}
	if p.after[i-1] == p.before[i] {
		return false
	}
	for k, f := range p.finals.fluents {
		if f != p.fluents[0] && p.finals.then[k].Text(int(p.to[i-1])) != p.now[k].Text(int(p.from[i])) {
			return false
		}
	}
	return len(p.finals.fluents) > 1
}

// lastByAccident bounds the probability that at least k of n steps are the last ones of runs, each with probability rate (Chernoff).
func lastByAccident(k, n int, rate float64) float64 {
	q := float64(k) / float64(n)
	if q <= rate {
		return 1
	}
	bits := q * math.Log(q/rate)
	if k < n {
		bits += (1 - q) * math.Log((1-q)/(1-rate))
	}
	return math.Exp(-float64(n) * bits)
}

// count counts the states that rows lead to which end an episode; each row is a step.
func (p *part) count(rows []int) {
	p.counts, p.example, p.other = map[int32]int{}, map[int32]int{}, map[int32]bool{}
	ends := map[int]bool{}
	for _, i := range rows {
		ends[i] = true
		p.counts[p.after[i]]++
		p.example[p.after[i]] = i
	}
	for i, k := range p.after {
		if p.other[p.before[i]] = true; !ends[i] {
			p.other[k] = true
		}
	}
	for k := range p.counts {
		p.list = append(p.list, k)
	}
	p.sort()
}

// sort puts the states that most rows lead to first.
func (p *part) sort() {
	slices.SortFunc(p.list, func(a, b int32) int { return cmp.Or(p.counts[b]-p.counts[a], p.example[a]-p.example[b]) })
}
