package domain

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"github.com/fdplan/fdplan/internal/data/rawlog"
	"github.com/fdplan/fdplan/internal/pddl"
	"github.com/fdplan/fdplan/internal/source"
)

// Names of columns, in small letters without signs. Cells of a failure column that are true mark actions that had no effect because they were not possible.
var (
	actionColumns  = []string{"action", "actions", "act", "activity", "operator", "conceptname", "event"}
	runColumns     = []string{"planid", "plan", "case", "caseid", "caseconceptname", "trace", "traceid", "trajectory", "episode", "run"}
	timeColumns    = []string{"time", "timestamp", "timetimestamp", "completetimestamp", "start", "date", "step"}
	failureColumns = []string{"failed", "failure"}
)

// table is a table of rows, each of which has a state and the action taken in it.
type table struct {
	file                      string
	header                    []string
	rows                      [][]string
	lines                     []int
	action, run, time, failed int // columns; -1 for none
	atoms                     []column
	typed                     bool // objects have their types in front, as in macq
	domain                    *pddl.Domain
	given                     bool
}

// column is one with the value of an atom or a function.
type column struct {
	at, next int // the column with the value after the action; -1 for none
	words    []string
}

// readTable reads a table in the format of macq, with a column of actions and one of 0 and 1 for each atom; one with numbers, and primed columns for
// the values after the action; or an event log with case, activity and time.
func readTable(file string, text []byte, d *pddl.Domain) ([]*pddl.Trajectory, *pddl.Domain, error) {
	t := &table{file: file, domain: d, given: d != nil}
	if err := t.parse(text); err != nil {
		return nil, nil, err
	}
	t.action, t.run, t.time, t.failed = t.find(actionColumns), t.find(runColumns), t.find(timeColumns), t.find(failureColumns)
	if t.action < 0 {
		return nil, nil, source.Errorf(file, 1, 1, "no column has actions; expected one named actions, action, act or activity among %s", strings.Join(t.header, ", "))
	}
	t.columns()
	var runs []*pddl.Trajectory
	var err error
	if len(t.atoms) == 0 {
		if t.given {
			return nil, nil, source.Errorf(file, 1, 1, "no column is a predicate or function of domain %s", d.Name)
		}
		runs, err = t.events()
	} else {
		runs, err = t.transitions()
	}
	if err == nil && len(runs) == 0 {
		err = source.Errorf(file, 1, 1, "there is no step; expected actions with a state before and after them")
	}
	return runs, t.domain, err
}

func (t *table) parse(text []byte) error {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	header, _, _ := bytes.Cut(text, []byte("\n")) // cells of other lines may have commas of their own
	r.Comma = rawlog.Delimiter(string(header))
	for {
		row, err := r.Read()
		line := 1
		if err == nil {
			line, _ = r.FieldPos(0)
		}
		var bad *csv.ParseError
		switch {
		case errors.As(err, &bad):
			return source.Errorf(t.file, bad.Line, bad.Column, "%v", bad.Err)
		case err != nil && t.header == nil:
			return source.Errorf(t.file, 1, 1, "the table is empty")
		case err != nil:
			return nil
		case t.header == nil:
			for _, name := range row {
				t.header = append(t.header, strings.TrimSpace(name))
			}
			continue
		case len(row) == len(t.header)+1 && row[len(t.header)] == "":
			row = row[:len(t.header)] // a comma at the end
		case len(row) != len(t.header):
			return source.Errorf(t.file, line, 1, "the row has %d cells; expected %d", len(row), len(t.header))
		}
		t.rows, t.lines = append(t.rows, row), append(t.lines, line)
	}
}

// find is the first column with one of some names.
func (t *table) find(names []string) int {
	return slices.IndexFunc(t.header, func(h string) bool {
		return slices.Contains(names, strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return r
			}
			return -1
		}, strings.ToLower(h)))
	})
}

// words divides on(a,b), (on a b) and "on a b".
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("(),?;", r) })
}

// columns finds the atoms and functions, and makes the domain of their predicates if none is given.
func (t *table) columns() {
	for i, name := range t.header {
		w := words(name)
		if slices.Contains([]int{t.action, t.run, t.time, t.failed}, i) || len(w) == 0 || strings.HasSuffix(name, "'") || !t.numeric(i) {
			continue
		}
		t.atoms = append(t.atoms, column{i, slices.Index(t.header, name+"'"), w})
	}
	if t.given {
		known := func(c column) bool {
			s := t.symbol(c.words[0])
			return s != nil && (len(c.words)-1 == len(s.Params) || len(c.words)-1 == 2*len(s.Params))
		}
		t.atoms = slices.DeleteFunc(t.atoms, func(c column) bool { return !known(c) })
		t.typed = len(t.atoms) > 0 && !slices.ContainsFunc(t.atoms, func(c column) bool { return len(c.words)-1 != 2*len(t.symbol(c.words[0]).Params) })
		return
	}
	t.typed = t.typesInFront()
}

func (t *table) symbol(name string) *pddl.Symbol {
	if s := t.domain.Predicates[name]; s != nil {
		return s
	}
	return t.domain.Functions[name]
}

// numeric reports whether all cells of a column are numbers, or false and true.
func (t *table) numeric(i int) bool {
	return !slices.ContainsFunc(t.rows, func(r []string) bool {
		_, err := value(r[i])
		return err != nil
	})
}

func value(cell string) (float64, error) {
	switch cell = strings.ToLower(strings.TrimSpace(cell)); cell {
	case "", "false":
		return 0, nil
	case "true":
		return 1, nil
	}
	return strconv.ParseFloat(cell, 64)
}

// typesInFront reports whether each object has its type in front: (on object a object b). The words at these places are then the same for all columns
// with one predicate.
func (t *table) typesInFront() bool {
	types, some := map[string]string{}, false
	for _, c := range t.atoms {
		if len(c.words)%2 == 0 {
			return false
		}
		for k := 1; k < len(c.words); k += 2 {
			key := fmt.Sprint(c.words[0], k)
			if was, ok := types[key]; ok && was != c.words[k] {
				return false
			}
			types[key], some = c.words[k], true
		}
	}
	return some
}

// objects drops the types of objects.
func (t *table) objects(words []string) (objects, types []string) {
	for k, w := range words[1:] {
		switch {
		case !t.typed:
			objects, types = append(objects, w), append(types, "object")
		case k%2 == 0:
			types = append(types, w)
		default:
			objects = append(objects, w)
		}
	}
	return objects, types
}

// transitions makes trajectories of rows with states, as text that the domain reads.
func (t *table) transitions() ([]*pddl.Trajectory, error) {
	known := map[string]bool{}
	var calls [][]string // by row
	for _, c := range t.atoms {
		objects, _ := t.objects(c.words)
		for _, o := range objects {
			known[o] = true
		}
	}
	for _, r := range t.rows {
		calls = append(calls, t.call(r[t.action], known))
	}
	groups, err := t.groups()
	if err != nil {
		return nil, err
	}
	if !t.given {
		if err := t.declare(calls); err != nil {
			return nil, err
		}
	}
	var runs []*pddl.Trajectory
	for _, group := range groups {
		b := pddl.NewBuilder(t.domain, t.file)
		for n, i := range group {
			if len(calls[i]) == 0 {
				continue
			}
			last := n+1 == len(group)
			failed := t.failed >= 0 && t.true(i, t.failed)
			primed := t.atoms[0].next >= 0
			if last && !primed && !failed {
				continue // nothing is known of the state after it
			}
			next := i
			if !primed && !failed {
				next = group[n+1]
			}
			before, err := t.state(i, false)
			var after map[string]float64
			if err == nil && !failed {
				after, err = t.state(next, primed)
			}
			if err != nil {
				return nil, err
			}
			objects, _ := t.objects(calls[i])
			if err := b.Add(t.lines[i], append([]string{calls[i][0]}, objects...), before, after); err != nil {
				return nil, err
			}
		}
		if run := b.Trajectory(); len(run.Transitions) > 0 {
			runs = append(runs, run)
		}
	}
	return runs, nil
}

func (t *table) true(row, column int) bool {
	v, err := value(t.rows[row][column])
	return err == nil && v != 0
}

// call divides the cell of an action. Of a name such as increment_c4 the objects are split off that columns have.
func (t *table) call(cell string, known map[string]bool) []string {
	w := words(cell)
	if len(w) != 1 {
		return w
	}
	var objects []string
	for name := w[0]; ; {
		i := strings.LastIndexAny(name, "_-")
		if i <= 0 || !known[name[i+1:]] {
			return append([]string{name}, objects...)
		}
		name, objects = name[:i], append([]string{name[i+1:]}, objects...)
	}
}

// state is that of a row, by atom or function.
func (t *table) state(row int, after bool) (map[string]float64, error) {
	out := map[string]float64{}
	for _, c := range t.atoms {
		at := c.at
		if after && c.next >= 0 {
			at = c.next
		}
		if strings.TrimSpace(t.rows[row][at]) == "" {
			return nil, source.Errorf(t.file, t.lines[row], 1, "%s is not known; expected a number in this cell, or no such row", t.header[at])
		}
		v, _ := value(t.rows[row][at])
		objects, _ := t.objects(c.words)
		out[strings.Join(append([]string{c.words[0]}, objects...), " ")] = v
	}
	return out, nil
}

// groups are the rows of each run, in the order of time.
func (t *table) groups() (out [][]int, err error) {
	at := map[string]int{}
	for i, r := range t.rows {
		key := ""
		if t.run >= 0 {
			key = r[t.run]
		}
		k, ok := at[key]
		if !ok {
			k, out = len(out), append(out, nil)
			at[key] = k
		}
		out[k] = append(out[k], i)
	}
	if t.time < 0 {
		return out, nil
	}
	times, err := t.times()
	for _, g := range out {
		sort.SliceStable(g, func(a, b int) bool { return times[0][g[a]] < times[0][g[b]] })
		if err == nil && !sort.SliceIsSorted(g, func(a, b int) bool { return times[1][g[a]] < times[1][g[b]] }) {
			i := slices.IndexFunc(g, func(i int) bool { return times[0][i] != times[1][i] })
			err = source.Errorf(t.file, t.lines[g[i]], 1, "%s may have the day or the month first, and the order of the rows depends on it; expected times such as 2024-01-31", t.rows[g[i]][t.time])
		}
	}
	return out, err
}

// times are those of the rows, with months before days and after them where both are possible.
func (t *table) times() (times [2][]float64, err error) {
	wrong, texts := -1, make([]string, len(t.rows))
	times[0] = make([]float64, len(t.rows))
	for i, r := range t.rows {
		texts[i] = r[t.time]
		times[0][i], _ = value(texts[i])
	}
	if times[1] = times[0]; !t.numeric(t.time) {
		times, wrong = rawlog.Times(texts)
	} else {
		wrong = slices.Index(texts, "")
	}
	if wrong >= 0 {
		err = source.Errorf(t.file, t.lines[wrong], 1, "%q is no time; expected one such as 2024-01-31 13:45, no such row, or no column of times for rows in order", texts[wrong])
	}
	return times, err
}

// declare makes the domain of what the columns and actions have.
func (t *table) declare(calls [][]string) error {
	d := pddl.NewDomain("learned")
	for _, c := range t.atoms {
		number := slices.ContainsFunc(t.atoms, func(o column) bool {
			return o.words[0] == c.words[0] && slices.ContainsFunc(t.rows, func(r []string) bool {
				v, _ := value(r[o.at])
				w := 0.0
				if o.next >= 0 {
					w, _ = value(r[o.next])
				}
				return v != 0 && v != 1 || w != 0 && w != 1
			})
		})
		_, types := t.objects(c.words)
		if err := d.Declare(c.words[0], types, number); err != nil {
			return source.Errorf(t.file, 1, 1, "column %s: %v", t.header[c.at], err)
		}
	}
	for i, call := range calls {
		if len(call) == 0 {
			continue
		}
		_, types := t.objects(call)
		if err := d.DeclareAction(call[0], types); err != nil {
			return source.Errorf(t.file, t.lines[i], 1, "action %s: %v", strings.Join(call, " "), err)
		}
	}
	t.domain = d
	return nil
}

// events makes trajectories of an event log: what is known of a case is which activities it has had.
func (t *table) events() ([]*pddl.Trajectory, error) {
	t.domain = pddl.NewDomain("learned")
	var names []string
	for i, r := range t.rows {
		name := activity(r[t.action])
		if name == "" {
			return nil, source.Errorf(t.file, t.lines[i], 1, "%s is empty; expected a name with a letter or digit, or no such row", t.header[t.action])
		}
		if names = append(names, name); t.domain.Predicates["did-"+name] == nil {
			if err := errors.Join(t.domain.Declare("did-"+name, nil, false), t.domain.DeclareAction(name, nil)); err != nil {
				return nil, source.Errorf(t.file, t.lines[i], 1, "%v", err)
			}
		}
	}
	groups, err := t.groups()
	if err != nil {
		return nil, err
	}
	var runs []*pddl.Trajectory
	for _, group := range groups {
		b := pddl.NewBuilder(t.domain, t.file)
		state := map[string]float64{}
		for _, i := range group {
			before := maps.Clone(state)
			failed := t.failed >= 0 && t.true(i, t.failed)
			var after map[string]float64
			if !failed {
				state["did-"+names[i]] = 1
				after = maps.Clone(state)
			}
			if err := b.Add(t.lines[i], []string{names[i]}, before, after); err != nil {
				return nil, err
			}
		}
		runs = append(runs, b.Trajectory())
	}
	return runs, nil
}

// activity is the name of an activity as one of PDDL.
func activity(text string) string {
	return strings.Trim(strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_')
	}), "-"), "-")
}
