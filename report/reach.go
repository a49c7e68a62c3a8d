package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/bench"
	"github.com/fdplan/fdplan/chart"
)

// reach is how far each engine got in its time, a row a problem.
func (b *book) reach() *Table {
	t := &Table{Name: "reach", Title: "How far each engine goes"}
	t.column("", "problem")
	var problems, columns []string
	for _, l := range b.paper.learning {
		problems = append(problems, l[0])
	}
	best := map[[2]string][]int{} // the records of a cell, the furthest first
	limits := map[string]bool{}
	for i := range b.records {
		r := &b.records[i]
		if r.Table != "reach" {
			continue
		}
		p, c := named(r), what(r)
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
	t.Caption = "The longest horizon that was answered with a proof"
	if len(limits) > 0 {
		t.Caption += " within " + strings.Join(keys(limits), ", ") + " seconds"
	}
	t.Caption += ", for each size of problem."
	t.column("longest horizon", columns...)
	for _, p := range problems {
		row := []Cell{label("%s", p)}
		for _, c := range columns {
			row = append(row, b.furthest(best[[2]string{p, c}]))
		}
		t.add(row...)
	}
	return t
}

// engineOf is the engine of a column.
func engineOf(column string) string {
	e, _, _ := strings.Cut(column, " ")
	return strings.TrimSuffix(e, ",")
}

// furthest is the longest horizon among runs.
func (b *book) furthest(at []int) Cell {
	if len(at) == 0 {
		return absent
	}
	done := -1
	for _, k := range at {
		r := &b.records[k]
		if (proved(r) || r.Status == "measured") && r.Horizon > 0 && (done < 0 || r.Horizon > b.records[done].Horizon) {
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
	return ours(fmt.Sprint(b.records[done].Horizon), done)
}

// horizons draws the seconds by horizon, a diagram a problem.
func (b *book) horizons() *Figure {
	f := &Figure{Name: "reach", Title: "Seconds by horizon", Caption: "Runs that ended with a proof, of those in the table above."}
	type key struct{ problem, column string }
	series := map[key]*chart.Series{}
	var problems []string
	var order []key
	add := func(k key, h int, s float64, id string) {
		p := series[k]
		if p == nil {
			p = &chart.Series{Name: k.column, Titles: []string{}}
			series[k], order = p, append(order, k)
			if !slices.Contains(problems, k.problem) {
				problems = append(problems, k.problem)
			}
		}
		p.X, p.Y = append(p.X, float64(h)), append(p.Y, max(s, floor))
		p.Titles = append(p.Titles, fmt.Sprintf("%s, %s, horizon %d: %s s\n%s", k.problem, k.column, h, seconds(s), id))
	}
	for i := range b.records {
		r := &b.records[i]
		if r.Table != "reach" {
			continue
		}
		k := key{named(r), what(r)}
		points := slices.Clone(r.Reach)
		slices.SortStableFunc(points, func(x, y bench.ReachPoint) int { return cmp.Compare(x.Horizon, y.Horizon) })
		if r.Kind == bench.KindPlan {
			points = []bench.ReachPoint{{Horizon: r.Horizon, Status: r.Status, Seconds: r.Seconds}}
		}
		used := false
		for _, q := range points {
			if q.Status == "optimal" || q.Status == "infeasible" {
				add(k, q.Horizon, min(q.Seconds, maxSeconds), r.ID)
				used = true
			}
		}
		if used {
			f.Records = append(f.Records, i)
		}
	}
	for _, p := range problems {
		c := chart.Chart{Title: p, X: chart.Axis{Label: "horizon", Log: true}, Y: chart.Axis{Label: "seconds", Log: true}, Height: 260}
		for _, k := range order {
			if k.problem == p {
				c.Series = append(c.Series, *series[k])
			}
		}
		f.Charts = append(f.Charts, c)
	}
	return f
}
