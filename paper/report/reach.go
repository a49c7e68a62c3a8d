package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/experiment/chart"
	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// ladder is a table of runs of increasing difficulty, until one has no proof within the
// limit.
type ladder struct {
	table             string // of the records; names the files
	title, group      string // of the table, and of its engines' columns
	what, note        string // the caption: what is counted, and remarks
	drawn, axis       string // title of the figure, label of its axis
	rows              [][2]string
	place             func(*Record) int // how far a run got; 0 for nowhere
	step              func(journal.ReachPoint) int
	text              func(*Record) string // text of a cell
	problem, stepName string               // heading of the rows; what a step is
}

// reaches shows how far each engine gets with the paper's problems.
func (b *book) reaches() *ladder {
	l := &ladder{table: "reach", title: "How far each engine goes", group: "longest horizon", what: "The longest horizon that was answered with a proof",
		note: "Each horizon is about a quarter longer than the one before.", drawn: "Seconds by horizon", axis: "horizon", problem: "problem", stepName: "horizon",
		place: func(r *Record) int { return r.Horizon },
		step:  func(p journal.ReachPoint) int { return p.Horizon },
		text:  func(r *Record) string { return fmt.Sprint(r.Horizon) }}
	for _, p := range b.paper.learning {
		l.rows = append(l.rows, [2]string{p[0], p[0]})
	}
	return l
}

// grows shows how large problems each engine solves.
func grows() *ladder {
	return &ladder{table: "size", title: "How large a problem each engine solves", group: "largest size", what: "The largest problem that was answered with a proof",
		note: "They are planned with their RDDL, as nobody has learned networks for them: mazes like the paper's, for the fewest steps that lead to the goal (the horizon H), " +
			"and stars of computers. The largest in the paper, with networks, are a maze of 5 × 5 cells and 5 computers.",
		drawn: "Seconds by size", axis: "size", problem: "problem: its size", stepName: "size",
		rows:  [][2]string{{"navigation", "navigation: cells along a side"}, {"sysadmin", "sysadmin: computers"}},
		place: func(r *Record) int { return r.Size },
		step:  func(p journal.ReachPoint) int { return p.Size },
		text:  func(r *Record) string { return fmt.Sprintf("%d (H %d)", r.Size, r.Horizon) }}
}

// row returns the name of a problem.
func (l *ladder) row(problem string) string {
	for _, r := range l.rows {
		if r[0] == problem {
			return r[1]
		}
	}
	return problem
}

// climbed tabulates a ladder, one row per problem.
func (b *book) climbed(l *ladder) *Table {
	t := &Table{Name: l.table, Title: l.title}
	t.column("", l.problem)
	var problems, columns []string
	for _, r := range l.rows {
		problems = append(problems, r[0])
	}
	best := map[[2]string][]int{} // the records of a cell
	limits := map[string]bool{}
	for i := range b.records {
		r := &b.records[i]
		if r.Table != l.table {
			continue
		}
		p, c := named(r), l.column(r)
		if !slices.Contains(problems, p) {
			problems = append(problems, p)
		}
		if !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
		limits[limit(r.TimeLimit)] = true
		best[[2]string{p, c}] = append(best[[2]string{p, c}], i)
	}
	for _, e := range engines {
		if !slices.ContainsFunc(columns, func(c string) bool { return of(c, e) }) {
			columns = append(columns, e)
		}
	}
	slices.SortStableFunc(columns, func(x, y string) int {
		return cmp.Or(engineRank(engineOf(x))-engineRank(engineOf(y)), cmp.Compare(x, y))
	})
	t.Caption = l.what
	if len(limits) > 0 {
		t.Caption += " within " + strings.Join(keys(limits), ", ") + " seconds"
	}
	t.Caption += ". ≥ where the bench tried nothing beyond: there it was its own end that was reached, not the limit. " + l.note
	t.column(l.group, columns...)
	for _, p := range problems {
		row := []Cell{label("%s", l.row(p))}
		for _, c := range columns {
			row = append(row, b.furthest(l, best[[2]string{p, c}]))
		}
		t.add(row...)
	}
	return t
}

// column returns the column of a record. The model is omitted for growing instances, which
// are all planned with their RDDL.
func (l *ladder) column(r *Record) string {
	if l.table == "size" && r.Model == "rddl" {
		return runner(r)
	}
	return what(r)
}

// engineOf is the engine of a column.
func engineOf(column string) string {
	e, _, _ := strings.Cut(column, " ")
	return strings.TrimSuffix(e, ",")
}

// furthest returns how far the best of a cell's runs got.
func (b *book) furthest(l *ladder, at []int) Cell {
	if len(at) == 0 {
		return absent
	}
	done := -1
	for _, k := range at {
		r := &b.records[k]
		if (proved(r) || r.Status == "measured") && l.place(r) > 0 && (done < 0 || l.place(r) > l.place(&b.records[done])) {
			done = k
		}
	}
	if done < 0 {
		c := ours("none", at...)
		c.Bad, c.Plain = true, true
		for _, k := range at {
			if e := b.records[k].Error; e != "" {
				c.Note = e
			}
		}
		return c
	}
	r := &b.records[done]
	c := ours(l.text(r), done)
	if last := len(r.Reach) - 1; capped(r) {
		c.Text = "≥ " + c.Text
		c.Note = fmt.Sprintf("the bench ends at %s %d; the limit was not reached", l.stepName, l.step(r.Reach[last]))
	} else if last >= 0 {
		c.Note = fmt.Sprintf("%s %d: %s after %s s", l.stepName, l.step(r.Reach[last]), r.Reach[last].Status, seconds(r.Reach[last].Seconds))
		if r.Error != "" {
			c.Note += ", " + r.Error
		}
	}
	return c
}

// capped reports whether a reach ended because the bench tries nothing beyond: its last run
// still had a proof.
func capped(r *Record) bool {
	return len(r.Reach) > 0 && answered(r.Reach[len(r.Reach)-1].Status)
}

// steps draws the seconds by step of a ladder, one diagram per problem.
func (b *book) steps(l *ladder) *Figure {
	f := &Figure{Name: l.table, Title: l.drawn, Caption: "Runs that ended with a proof, of those in the table above."}
	type key struct{ problem, column string }
	series := map[key]*chart.Series{}
	var problems []string
	var order []key
	add := func(k key, q journal.ReachPoint, id string) {
		p := series[k]
		if p == nil {
			p = &chart.Series{Name: k.column, Titles: []string{}}
			series[k], order = p, append(order, k)
			if !slices.Contains(problems, k.problem) {
				problems = append(problems, k.problem)
			}
		}
		at := fmt.Sprintf("horizon %d", q.Horizon)
		if q.Size > 0 {
			at = fmt.Sprintf("size %d, %s", q.Size, at)
		}
		p.X, p.Y = append(p.X, float64(l.step(q))), append(p.Y, max(min(q.Seconds, journal.MaxSeconds), floor))
		p.Titles = append(p.Titles, fmt.Sprintf("%s, %s, %s: %s s\n%s", k.problem, k.column, at, seconds(q.Seconds), id))
	}
	for i := range b.records {
		r := &b.records[i]
		if r.Table != l.table {
			continue
		}
		k := key{named(r), l.column(r)}
		points := slices.Clone(r.Reach)
		slices.SortStableFunc(points, func(x, y journal.ReachPoint) int { return cmp.Compare(l.step(x), l.step(y)) })
		if r.Kind == journal.KindPlan {
			points = []journal.ReachPoint{{Horizon: r.Horizon, Size: r.Size, Status: r.Status, Seconds: r.Seconds}}
		}
		used := false
		for _, q := range points {
			if answered(q.Status) && l.step(q) > 0 {
				add(k, q, r.ID)
				used = true
			}
		}
		if used {
			f.Records = append(f.Records, i)
		}
	}
	for _, p := range problems {
		c := chart.Chart{Title: l.row(p), X: chart.Axis{Label: l.axis, Log: true}, Y: chart.Axis{Label: "seconds", Log: true}, Height: 260}
		for _, k := range order {
			if k.problem == p {
				c.Series = append(c.Series, *series[k])
			}
		}
		f.Charts = append(f.Charts, c)
	}
	return f
}
