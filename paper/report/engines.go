package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/experiment/chart"
	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// planners are the columns of the tables of planners: the paper's two with its own
// settings, then the engines of fdplan.
func planners() []string { return slices.Concat(literal, engines) }

// engineRuns are the runs on the learned problem with one family of networks.
func (b *book) engineRuns(f family) *grid {
	return b.instances(planners(), func(r *Record) bool {
		return isPlan(r) && familyOf(r) == f.key && (r.Table == "engines" || r.Table == "literal" && r.Landmarks == "")
	}, runner)
}

// loopRuns are those with Algorithm 1.
func (b *book) loopRuns(f family) *grid {
	keep := func(r *Record) bool {
		return isPlan(r) && familyOf(r) == f.key && (r.Table == "incremental" || r.Table == "literal" && r.Landmarks != "")
	}
	return b.instances(planners(), keep, func(r *Record) string {
		if r.Landmarks == "" {
			return runner(r)
		}
		name := runner(r) + ", " + r.Landmarks + " landmarks"
		if r.Restart {
			name += ", begun anew"
		}
		return name
	})
}

// summary is the paper's table of mean times, coverage and proofs.
func (b *book) summary(t *Table, g *grid, rows [][]string) *Table {
	t.column("", "domain")
	t.column("paper", "FD-SAT-Plan+", "FD-BLP-Plan+")
	t.columnsOf(g)
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
	par := []Cell{label("PAR-2, s"), {Kind: None}, {Kind: None}}
	for c := range g.columns {
		par = append(par, b.par2(g, c))
	}
	t.add(par...)
	t.Foot = len(rows) - len(domains) + 1
	return t
}

// columnsOf appends the columns of a grid: the paper's planners as they are run
// here, then fdplan's engines.
func (t *Table) columnsOf(g *grid) {
	for _, c := range g.columns {
		if of(c, satPlanner) || of(c, blpPlanner) {
			t.column("the paper's planners, run here", c)
		} else {
			t.column("fdplan", c)
		}
	}
}

// par2 is the mean time over the paper's instances, a run without an answer
// counting twice its limit; absent if nothing was run.
func (b *book) par2(g *grid, column int) Cell {
	var sum float64
	var at []int
	for _, p := range b.paper.instances {
		k := g.at(p.instance, column)
		if k < 0 || !drawable(&b.records[k]) {
			continue
		}
		if r := &b.records[k]; proved(r) {
			sum += r.Seconds
		} else {
			sum += 2 * cost(r)
		}
		at = append(at, k)
	}
	if len(at) == 0 {
		return absent
	}
	c := ours(seconds(sum/float64(len(at))), at...)
	if all := len(b.paper.instances); len(at) < all {
		c.Text += fmt.Sprintf(" (%d of %d)", len(at), all)
	}
	return c
}

// median is the time of the run in the middle, k, of those of a cell, with the
// least and the greatest time in its note.
func (b *book) median(cell []int, k int) Cell {
	c := timed(&b.records[k], k)
	if len(cell) > 1 {
		first, last := &b.records[cell[0]], &b.records[cell[len(cell)-1]]
		note := fmt.Sprintf("median of %d runs, %s to %s s", len(cell), seconds(cost(first)), seconds(cost(last)))
		if c.Note != "" {
			note += "; " + c.Note
		}
		c.Note, c.Records = note, slices.Concat([]int{k}, slices.DeleteFunc(slices.Clone(cell), func(i int) bool { return i == k }))
	}
	return c
}

// covered reports whether a run found a plan that holds where it was tried.
func covered(r *Record) bool {
	return (r.Status == "optimal" || r.Status == "feasible") && (r.Simulator == nil || *r.Simulator)
}

// both are the paper's instances of a domain that both of its planners proved, as they were run
// here. Means are over these: one over runs that ended at their limit would tell the limit.
func (b *book) both(g *grid, domain string) []instance {
	var out []instance
	x, y := g.find(satPlanner), g.find(blpPlanner)
	did := func(i instance, column int) bool {
		k := g.at(i, column)
		return k >= 0 && proved(&b.records[k])
	}
	for _, p := range b.paper.instances {
		if p.domain() == domain && did(p.instance, x) && did(p.instance, y) {
			out = append(out, p.instance)
		}
	}
	return out
}

// mean counts the paper's instances of a domain that a column proved, of those that it ran, with
// its mean time on those of both planners if it proved all of these.
func (b *book) mean(g *grid, column int, domain string) Cell {
	var at, others []int
	n, sum := 0, 0.0
	both := b.both(g, domain)
	whole := len(both) > 0
	for _, p := range b.paper.instances {
		if p.domain() != domain {
			continue
		}
		k := g.at(p.instance, column)
		done := k >= 0 && proved(&b.records[k])
		if done {
			n++
		}
		if slices.Contains(both, p.instance) {
			whole = whole && done
			if k >= 0 {
				at, sum = append(at, k), sum+b.records[k].Seconds
			}
		} else if k >= 0 {
			others = append(others, k)
		}
	}
	if len(at)+len(others) == 0 {
		return absent
	}
	c := ours(fmt.Sprintf("%d/%d", n, len(at)+len(others)), slices.Concat(at, others)...)
	if whole {
		c.Text += fmt.Sprintf(", %s s on %d", seconds(sum/float64(len(at))), len(at))
	}
	return c
}

// tally counts the paper's instances that a column solved, and reports how many were not
// tried.
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
func (b *book) learned(f family) *Table {
	return b.summary(&Table{Name: "table2-learned-" + f.key, Title: "Table 2: planning on the learned problem, " + f.name,
		Caption: "Our runs are with " + f.name + ". By domain: proofs within the limit, of the instances that were run, and the mean time on those that both FD-SAT-Plan+ and FD-BLP-Plan+ proved here, where the column proved them all. The paper's are means in which runs out of time count with its limit of an hour. In PAR-2 they count with twice their limit. FD-SAT-Plan+ and FD-BLP-Plan+ have the paper's own settings (bi-directional encoding of the paper, the bare linear program); maxsat and blp have fdplan's best. " + b.clock(f)},
		b.engineRuns(f), b.paper.learned)
}

// looped is the paper's table of Algorithm 1.
func (b *book) looped(f family) *Table {
	return b.summary(&Table{Name: "table3-incremental-" + f.key, Title: "Table 3: planning with the simulator (Algorithm 1), " + f.name,
		Caption: "As Table 2, until a plan also holds in the simulator. FD-SAT-Plan+ and FD-BLP-Plan+ exclude whole plans; “begun anew” is Algorithm 1 as the paper has it, where an iteration keeps nothing of those before. Our runs are with " + f.name + "." + f.landmarkNote()},
		b.loopRuns(f), b.paper.incremental)
}

// landmarkNote tells what Algorithm 1 means for a family.
func (f family) landmarkNote() string {
	switch f.key {
	case "published":
		return " SysAdmin is left out: no connections of the computers explain more than 93 % of the running bits of these networks, so that landmarks against any RDDL mean nothing."
	case "bundled":
		return " These networks have no errors, so that the first plan holds."
	case "trained":
		return " These networks are wrong at many states."
	}
	return ""
}

// appendix is the paper's appendix table on the learned problem.
func (b *book) appendix(f family) *Table {
	plan := &Table{Name: "appendix-learned-" + f.key, Title: "Table D.4: every instance, " + f.name,
		Caption: "The paper's appendix, learned problem. States are those that the problem reaches within the horizon, as search counted them. Our runs are with " + f.name + ". Seconds. Where the time was not enough: the limit, and the gap between the best plan and the best bound, or that there was none. “no plan” is a proof that the model has none."}
	g := b.engineRuns(f)
	plan.column("", "instance", "states")
	plan.column("paper", "FD-SAT-Plan+", "FD-BLP-Plan+")
	plan.columnsOf(g)
	b.times(plan, g, func(i instance) []Cell {
		return append([]Cell{b.states(g, i)}, b.published(i, func(p *paperInstance) [2]string { return [2]string{p.sat, p.blp} })...)
	})
	return plan
}

// loops is the paper's appendix table on Algorithm 1, in its two parts.
func (b *book) loops(f family) (loop, landmarks *Table) {
	loop = &Table{Name: "appendix-incremental-" + f.key, Title: "Table D.4: every instance, Algorithm 1, " + f.name,
		Caption: "The paper's appendix, Algorithm 1. Seconds, as above, until a plan also holds in the simulator. Where a planner has no plan for the learned problem within the limit, Algorithm 1 has nothing to begin with and was not run."}
	g := b.loopRuns(f)
	loop.column("", "instance")
	loop.column("paper", "FD-SAT-Plan+", "FD-BLP-Plan+")
	loop.columnsOf(g)
	b.times(loop, g, func(i instance) []Cell {
		return b.published(i, func(p *paperInstance) [2]string { return [2]string{p.incSAT, p.incBLP} })
	})

	landmarks = &Table{Name: "appendix-landmarks-" + f.key, Title: "Table D.4: generalized landmarks of Algorithm 1, " + f.name,
		Caption: "The paper's appendix. How many plans, or parts of plans, failed in the simulator and were excluded; n ≤ where the time was over before the last."}
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
	return loop, landmarks
}

// states is how many states an instance reaches, by the runs of search.
func (b *book) states(g *grid, i instance) Cell {
	k := g.at(i, g.find(registry.Search))
	if k < 0 || b.records[k].Stats["states"] == 0 || !proved(&b.records[k]) {
		return Cell{Kind: None}
	}
	return ours(count(b.records[k].Stats["states"]), k)
}

// clock tells what the times of runs with a family of networks are.
func (b *book) clock(nets family) string {
	if slices.ContainsFunc(b.records, func(r Record) bool { return r.Model == nets.key && r.Clock == journal.ClockCPU }) {
		return "Times are of CPU; a run counts only if it had a core for itself."
	}
	return "Times are of the wall's clock, whatever else the machine did."
}

// published returns the paper's figures for an instance.
func (b *book) published(i instance, of func(*paperInstance) [2]string) []Cell {
	k, ok := b.paper.place[i]
	if !ok {
		return []Cell{{Kind: None}, {Kind: None}}
	}
	two := of(&b.paper.instances[k])
	return []Cell{theirs(two[0]), theirs(two[1])}
}

// satBLP draws the paper's Figure 5, with our times and the paper's.
func (b *book) satBLP(nets family) *Figure {
	f := &Figure{Name: "figure5-engines", Title: "Figure 5: FD-SAT-Plan+ against FD-BLP-Plan+",
		Caption: "Ours with " + nets.name + ". Seconds to the proof. Above the diagonal FD-SAT-Plan+ is faster. A diagram each has FD-BLP-Plan+ with HiGHS and with other solvers of its rows: scip-cp is SCIP, by propagation and conflicts; “pb, clasp” is clasp, with the rows as a pseudo-Boolean file. The last one has the times of the paper's appendix, on its own machine with MaxHS and CPLEX."}
	g := b.engineRuns(nets)
	if x := g.find(satPlanner); x >= 0 {
		for y, c := range g.columns {
			if of(c, blpPlanner) || c == registry.PB+", clasp" {
				f.against(b, g, "Ours, "+c, x, y, g.columns[x]+", s", c+", s")
			}
		}
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

// solved is an instance that was answered with a proof.
type solved struct {
	at    float64 // seconds
	title string
}

// steps is the line of how many instances were solved within a time.
func steps(name string, all []solved) chart.Series {
	slices.SortStableFunc(all, func(x, y solved) int { return cmp.Compare(x.at, y.at) })
	s := chart.Series{Name: name, Style: chart.Steps, Titles: []string{}}
	for n, p := range all {
		s.X, s.Y, s.Titles = append(s.X, max(p.at, floor)), append(s.Y, float64(n+1)), append(s.Titles, p.title)
	}
	return s
}

// cactus draws how many instances each engine had solved within a time.
func (b *book) cactus(nets family) *Figure {
	f := &Figure{Name: "cactus", Title: "Instances solved within a time",
		Caption: "Ours with " + nets.name + ". Of the paper's 27 instances, those answered with a proof. The virtual best is the quickest run of each instance. The paper's own times are of another machine."}
	c := chart.Chart{Title: "Solved with a proof", X: chart.Axis{Label: "seconds", Log: true}, Y: chart.Axis{Label: "instances", Zero: true}, Height: 380}
	add := func(name string, all []solved) {
		if len(all) > 0 {
			c.Series = append(c.Series, steps(name, all))
		}
	}
	g := b.engineRuns(nets)
	best := map[instance]solved{}
	for k, name := range g.columns {
		var all []solved
		for _, p := range b.paper.instances {
			at := g.at(p.instance, k)
			if at < 0 || !proved(&b.records[at]) {
				continue
			}
			r := &b.records[at]
			one := solved{r.Seconds, fmt.Sprintf("%s: %s s, %s\n%s", p.name, seconds(r.Seconds), name, r.ID)}
			all = append(all, one)
			if old, ok := best[p.instance]; !ok || one.at < old.at {
				best[p.instance] = one
			}
			f.Records = append(f.Records, at)
		}
		add(name, all)
	}
	var virtual []solved
	for _, p := range b.paper.instances {
		if s, ok := best[p.instance]; ok {
			virtual = append(virtual, s)
		}
	}
	if len(g.columns) > 1 {
		add("virtual best", virtual)
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
