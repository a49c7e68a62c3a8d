package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/experiment/chart"
)

// Figure is a figure of the report: diagrams, or drawings of plans.
type Figure struct {
	Name     string // of its file
	Title    string
	Caption  string
	Charts   []chart.Chart
	Drawings []Drawing
	Drawn    bool  // it is of drawings, a file each
	Records  []int // that it was made from
	Partial  bool  // only the paper's data are drawn
}

// Section is a part of the report.
type Section struct {
	ID, Title, Text string
	Items           []Item
	Open            bool // the page shows it at once; the others are folded
}

// Item is a table or a figure.
type Item struct {
	Table  *Table
	Figure *Figure
}

// Report is a journal's report, ready to be written.
type Report struct {
	Sections []Section
	Missing  []Missing
	Records  []Record
	Warning  string
	Solvers  []Solver
	Main     string // the main table as Markdown: the paper's instances, one line each
	Disputed int    // number of instances with contradictory claims
}

// Solver is a solver outside this program that runs used.
type Solver struct {
	Name    string // with the engine that writes its files
	Version string // as it tells itself
	Command string // with places such as {in}; empty for one that is called as a library
}

// New returns the report of a journal. Without a Drawer, plans are not drawn.
func New(j *Journal, draw Drawer) (*Report, error) {
	b, err := newBook(j)
	if err != nil {
		return nil, err
	}
	r := &Report{Records: b.records, Warning: j.Warning, Solvers: b.solvers(), Main: b.main(b.families()[0]), Sections: b.sections(draw)}
	disputes := b.disputes()
	r.Disputed = len(disputes.at)
	said := Section{ID: "disputes", Title: "Contradictions", Text: disputes.text(), Open: len(disputes.at) > 0}
	if r.Disputed > 0 {
		said.Items = []Item{{Table: b.contradictions(disputes)}}
	}
	r.Sections = append(r.Sections, said)
	r.Missing = r.missing()
	return r, nil
}

// sections are the parts of the page that are about results. Summary and diagrams are of the
// first family of networks; every family has its tables.
func (b *book) sections(draw Drawer) []Section {
	nets := b.families()
	first := nets[0]
	table := func(t *Table) Item { return Item{Table: t} }
	figure := func(f *Figure) Item { return Item{Figure: f} }
	neuronTable, neuronFigure := b.neurons()
	reach, size := b.reaches(), grows()
	main := Section{ID: "main", Title: "Summary", Text: "The paper's tables on the learned problem: the paper's seconds, its planners as it describes them run here, and fdplan's engines, with " + first.name + ".",
		Items: []Item{table(b.learned(first)), table(b.appendix(first))}, Open: true}
	plans := Section{ID: "engines", Title: "Planning on the learned problem", Text: "The paper's two planners, and the engines that came after.", Items: []Item{figure(b.cactus(first)), figure(b.satBLP(first))}}
	loops := Section{ID: "incremental", Title: "Planning with the simulator", Text: "Algorithm 1: plan, try the plan, exclude what failed, plan again."}
	codes := Section{ID: "encodings", Title: "Encodings", Text: "What a neuron costs as clauses.", Items: []Item{figure(b.bothWays(first)), figure(b.bothSizes(first)), figure(neuronFigure), table(neuronTable)}}
	for k, f := range nets {
		if k > 0 {
			plans.Items = append(plans.Items, table(b.learned(f)), table(b.appendix(f)))
		}
		loop, landmarks := b.loops(f)
		loops.Items = append(loops.Items, table(b.looped(f)), table(loop), table(landmarks))
		if k == 0 || f.key != "trained" {
			codes.Items = append(codes.Items, table(b.encodingTimes(f)), table(b.sizes(f)))
		}
	}
	return []Section{
		main,
		{ID: "figure1", Title: "The example", Text: "An agent who must fetch a key and leave, and an enemy whose behaviour is learned.", Items: []Item{figure(b.figure1(draw))}},
		{ID: "learning", Title: "Learning", Text: "Networks of binary units, learned from transitions.", Items: []Item{table(b.learning()), figure(b.curves())}},
		plans, loops, codes,
		{ID: "beyond", Title: "Beyond the paper", Text: "Longer horizons and larger problems, until a run has no proof within its limit.", Items: []Item{table(b.climbed(reach)), figure(b.steps(reach)), table(b.climbed(size)), figure(b.steps(size))}},
	}
}

// items lists everything in order.
func (r *Report) items() []Item {
	var out []Item
	for _, s := range r.Sections {
		out = append(out, s.Items...)
	}
	return out
}

// Missing is a part of a table or figure that was not run.
type Missing struct {
	Where string // title of the table or figure
	What  string // columns
	Of    string // "all", or how many and which rows
}

// missing lists the cells that read "not run"; columns that lack the same rows
// share a line.
func (r *Report) missing() []Missing {
	var out []Missing
	for _, it := range r.items() {
		if f := it.Figure; f != nil {
			if len(f.Charts)+len(f.Drawings) == 0 || f.Partial {
				out = append(out, Missing{f.Title, "ours", "all"})
			}
			continue
		}
		t := it.Table
		if len(t.Rows) == 0 || len(t.Columns) < 2 {
			out = append(out, Missing{t.Title, "ours", "all"})
			continue
		}
		lines := map[string][]string{}
		var order []string
		for c, head := range t.heads() {
			var rows []string
			for _, row := range t.Body() {
				if row[c].Kind == NotRun {
					rows = append(rows, row[0].Text)
				}
			}
			if len(rows) == 0 {
				continue
			}
			of := fmt.Sprintf("%d of %d: %s", len(rows), len(t.Body()), strings.Join(rows, "; "))
			if len(rows) == len(t.Body()) {
				of = "all"
			}
			if lines[of] == nil {
				order = append(order, of)
			}
			lines[of] = append(lines[of], head)
		}
		for _, of := range order {
			m := Missing{t.Title, strings.Join(t.brief(lines[of]), "; "), of}
			same := slices.IndexFunc(out, func(o Missing) bool { return o.What == m.What && o.Of == m.Of })
			if same >= 0 {
				out[same].Where += "; " + m.Where
				continue
			}
			out = append(out, m)
		}
	}
	return out
}

// brief names a group instead of its columns where all are among the heads.
func (t *Table) brief(heads []string) []string {
	all := t.heads()
	var out []string
	for c := range all {
		group := t.Columns[c].Group
		whole := group != ""
		for k := range all {
			whole = whole && (t.Columns[k].Group != group || slices.Contains(heads, all[k]))
		}
		name := all[c]
		if whole {
			name = group
		}
		if slices.Contains(heads, all[c]) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
