package report

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/experiment/chart"
)

// engineRuns are the runs on the learned problem.
func (b *book) engineRuns() *grid { return b.instances("engines", engines, isPlan, what) }

// loopRuns are those with Algorithm 1.
func (b *book) loopRuns() *grid {
	return b.instances("incremental", engines, isPlan, func(r *Record) string {
		if r.Landmarks == "" {
			return what(r)
		}
		return what(r) + ", " + r.Landmarks + " landmarks"
	})
}

// summary is the paper's table of mean times, coverage and proofs.
func (b *book) summary(t *Table, g *grid, rows [][]string) *Table {
	t.column("", "domain")
	t.column("paper", "FD-SAT-Plan+", "FD-BLP-Plan+")
	t.column("ours", g.columns...)
	for k, row := range rows {
		cells := []Cell{label("%s", row[0]), theirs(row[1]), theirs(row[2])}
		for c := range g.columns {
			switch {
			case k < len(domains):
				cells = append(cells, b.mean(g, c, domains[k].key))
			case k == len(domains):
				cells = append(cells, b.tally(g, c, covered))
			default:
				cells = append(cells, b.tally(g, c, func(r *Record) bool { return r.Status == "optimal" && covered(r) }))
			}
		}
		t.add(cells...)
	}
	t.Foot = len(rows) - len(domains)
	return t
}

// covered says whether a run found a plan that holds where it was tried.
func covered(r *Record) bool {
	return (r.Status == "optimal" || r.Status == "feasible") && (r.Simulator == nil || *r.Simulator)
}

// mean is the mean time of a domain's instances in the paper; those out of time
// count with the limit, as there.
func (b *book) mean(g *grid, column int, domain string) Cell {
	var sum float64
	var at []int
	all := 0
	for _, p := range b.paper.instances {
		if p.domain() != domain {
			continue
		}
		all++
		if k := g.at(p.instance, column); k >= 0 && drawable(&b.records[k]) {
			sum += cost(&b.records[k])
			at = append(at, k)
		}
	}
	if len(at) == 0 {
		return absent
	}
	c := ours(seconds(sum/float64(len(at))), at...)
	c.Note = fmt.Sprintf("mean of %d runs", len(at))
	if len(at) < all {
		c.Text += fmt.Sprintf(" (%d of %d)", len(at), all)
	}
	return c
}

// tally counts the paper's instances that a column did, and says how many it was
// not tried on.
func (b *book) tally(g *grid, column int, did func(*Record) bool) Cell {
	var at []int
	n := 0
	for _, p := range b.paper.instances {
		if k := g.at(p.instance, column); k >= 0 {
			at = append(at, k)
			if did(&b.records[k]) {
				n++
			}
		}
	}
	if len(at) == 0 {
		return absent
	}
	all := len(b.paper.instances)
	c := ours(fmt.Sprintf("%d/%d", n, all), at...)
	if len(at) < all {
		c.Text += fmt.Sprintf(", %d not run", all-len(at))
	}
	return c
}

// learned is the paper's table of the learned problem.
func (b *book) learned() *Table {
	return b.summary(&Table{Name: "table2-learned", Title: "Table 2: planning on the learned problem",
		Caption: "Mean seconds by domain; runs out of time count with their limit. Where fewer instances were run than the paper has, their number follows."},
		b.engineRuns(), b.paper.learned)
}

// looped is the paper's table of Algorithm 1.
func (b *book) looped() *Table {
	return b.summary(&Table{Name: "table3-incremental", Title: "Table 3: planning with the simulator (Algorithm 1)",
		Caption: "As Table 2, until a plan also holds in the simulator."},
		b.loopRuns(), b.paper.incremental)
}

// appendix is the paper's appendix table, in its three parts.
func (b *book) appendix() (plan, loop, landmarks *Table) {
	plan = &Table{Name: "appendix-learned", Title: "Appendix: every instance, learned problem",
		Caption: "Seconds. Where the time was not enough: the limit, and the gap between the best plan and the best bound, or that there was none. “no plan” is a proof that the model has none."}
	g := b.engineRuns()
	plan.column("", "instance")
	plan.column("paper", "FD-SAT-Plan+", "FD-BLP-Plan+")
	plan.column("ours", g.columns...)
	b.times(plan, g, func(i instance) []Cell {
		return b.published(i, func(p *paperInstance) [2]string { return [2]string{p.sat, p.blp} })
	})

	loop = &Table{Name: "appendix-incremental", Title: "Appendix: every instance, Algorithm 1", Caption: "Seconds, as above, until a plan also holds in the simulator."}
	g = b.loopRuns()
	loop.column("", "instance")
	loop.column("paper", "FD-SAT-Plan+", "FD-BLP-Plan+")
	loop.column("ours", g.columns...)
	b.times(loop, g, func(i instance) []Cell {
		return b.published(i, func(p *paperInstance) [2]string { return [2]string{p.incSAT, p.incBLP} })
	})

	landmarks = &Table{Name: "appendix-landmarks", Title: "Appendix: generalized landmarks of Algorithm 1",
		Caption: "How many plans, or parts of plans, failed in the simulator and were excluded; n ≤ where the time was over before the last."}
	landmarks.Columns = loop.Columns
	for _, i := range g.rows {
		row := append([]Cell{label("%s", b.name(i))}, b.published(i, func(p *paperInstance) [2]string { return [2]string{p.landmarkSAT, p.landmarkBLP} })...)
		for c := range g.columns {
			k := g.at(i, c)
			switch {
			case k < 0:
				row = append(row, absent)
			case !drawable(&b.records[k]):
				row = append(row, Cell{Kind: None})
			case proved(&b.records[k]):
				row = append(row, ours(count(int64(b.records[k].Count)), k))
			default: // there would have been more
				row = append(row, ours(count(int64(b.records[k].Count))+" ≤", k))
			}
		}
		landmarks.add(row...)
	}
	return plan, loop, landmarks
}

// published is what the paper says of an instance.
func (b *book) published(i instance, of func(*paperInstance) [2]string) []Cell {
	k, ok := b.paper.place[i]
	if !ok {
		return []Cell{{Kind: None}, {Kind: None}}
	}
	two := of(&b.paper.instances[k])
	return []Cell{theirs(two[0]), theirs(two[1])}
}

// satBLP draws the paper's Figure 5, ours and the paper's own times.
func (b *book) satBLP() *Figure {
	f := &Figure{Name: "figure5-engines", Title: "Figure 5: FD-SAT-Plan+ against FD-BLP-Plan+",
		Caption: "Seconds to the proof. Above the diagonal FD-SAT-Plan+ is faster. The second diagram has the times of the paper's appendix, on its own machine with MaxHS and CPLEX."}
	g := b.engineRuns()
	if x, y := g.find("maxsat (FD-SAT-Plan+)"), g.find("blp (FD-BLP-Plan+)"); x >= 0 && y >= 0 {
		f.against(b, g, x, y, g.columns[x]+", s", g.columns[y]+", s")
	}
	s := newScatter()
	for _, p := range b.paper.instances {
		x, in := paperSeconds(p.sat)
		y, in2 := paperSeconds(p.blp)
		s.add(p.instance, x, y, in && in2, fmt.Sprintf("%s: %s s and %s s\nthe paper's appendix", p.name, paperText(p.sat), paperText(p.blp)))
	}
	f.Partial = len(f.Charts) == 0
	f.Charts = append(f.Charts, chart.Chart{Title: "The paper's", X: chart.Axis{Label: "FD-SAT-Plan+, s", Log: true}, Y: chart.Axis{Label: "FD-BLP-Plan+, s", Log: true},
		Diagonal: true, Series: s.series, Height: 400})
	return f
}

// cactus draws how many instances each engine had solved within a time.
func (b *book) cactus() *Figure {
	f := &Figure{Name: "cactus", Title: "Instances solved within a time",
		Caption: "Of the paper's 27 instances, those answered with a proof. The paper's own times are of another machine."}
	c := chart.Chart{Title: "Solved with a proof", X: chart.Axis{Label: "seconds", Log: true}, Y: chart.Axis{Label: "instances", Zero: true}, Height: 380}
	type solved struct {
		at    float64
		title string
	}
	add := func(name string, all []solved) {
		slices.SortStableFunc(all, func(x, y solved) int {
			switch {
			case x.at < y.at:
				return -1
			case x.at > y.at:
				return 1
			}
			return 0
		})
		s := chart.Series{Name: name, Style: chart.Steps, Titles: []string{}}
		for n, p := range all {
			s.X, s.Y, s.Titles = append(s.X, max(p.at, floor)), append(s.Y, float64(n+1)), append(s.Titles, p.title)
		}
		if len(all) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	g := b.engineRuns()
	for k, name := range g.columns {
		var all []solved
		for _, p := range b.paper.instances {
			at := g.at(p.instance, k)
			if at < 0 || !proved(&b.records[at]) {
				continue
			}
			r := &b.records[at]
			all = append(all, solved{r.Seconds, fmt.Sprintf("%s: %s s, %s\n%s", p.name, seconds(r.Seconds), name, r.ID)})
			f.Records = append(f.Records, at)
		}
		add(name, all)
	}
	f.Partial = len(c.Series) == 0
	for k, name := range []string{"paper's FD-SAT-Plan+", "paper's FD-BLP-Plan+"} {
		var all []solved
		for _, p := range b.paper.instances {
			text := [2]string{p.sat, p.blp}[k]
			if s, in := paperSeconds(text); in {
				all = append(all, solved{s, fmt.Sprintf("%s: %s s, %s\nthe paper's appendix", p.name, text, name)})
			}
		}
		add(name, all)
	}
	f.Charts = []chart.Chart{c}
	return f
}
