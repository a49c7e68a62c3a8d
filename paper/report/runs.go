package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// book is a journal in the order of its listing, with the paper beside it.
type book struct {
	records []Record
	paper   *paper
}

// tables is the order of the listing.
var tables = []string{"figure1", "learning", "literal", "engines", "incremental", "encodings", "reach", "size"}

// newBook sorts a journal, so that the order in which runs ended does not show. Of sessions
// on the same machine one is kept: how often a bench was resumed is not a result.
func newBook(j *Journal) (*book, error) {
	p, err := readPaper()
	if err != nil {
		return nil, err
	}
	b := &book{paper: p}
	machines := map[string]bool{}
	for _, r := range j.Records {
		if r.Kind == journal.KindMachine {
			if text := machineText(&r); machines[text] {
				continue
			} else {
				machines[text] = true
			}
		}
		if r.Clock == journal.ClockCPU {
			r.Seconds = r.CPU
		}
		b.records = append(b.records, r)
	}
	slices.SortStableFunc(b.records, func(x, y Record) int {
		// By column before problem: what a mean is made from stands together.
		return cmp.Or(b.rank(&x)-b.rank(&y), cmp.Compare(x.Kind, y.Kind), engineRank(x.Engine)-engineRank(y.Engine), encodingRank(x.Encoding)-encodingRank(y.Encoding),
			cmp.Compare(what(&x), what(&y)), cmp.Compare(x.Landmarks, y.Landmarks), cmp.Compare(x.Recipe, y.Recipe), b.problem(&x)-b.problem(&y),
			cmp.Compare(named(&x), named(&y)), cmp.Compare(x.Horizon, y.Horizon), cmp.Compare(x.Stats["n"], y.Stats["n"]), cmp.Compare(x.Stats["p"], y.Stats["p"]), cmp.Compare(x.ID, y.ID))
	})
	return b, nil
}

// machineText is a machine on one line.
func machineText(r *Record) string {
	var out []string
	for _, k := range keys(r.Machine) {
		out = append(out, k+" "+r.Machine[k])
	}
	return strings.Join(out, "\n")
}

func (b *book) rank(r *Record) int {
	if r.Kind == journal.KindMachine {
		return -1
	}
	if i := slices.Index(tables, r.Table); i >= 0 {
		return i
	}
	return len(tables)
}

// problem is the place of a record's problem in the paper.
func (b *book) problem(r *Record) int {
	for i, l := range b.paper.learning {
		if l[0] == named(r) {
			return i
		}
	}
	return len(b.paper.learning)
}

func engineRank(engine string) int {
	order := append(registry.Single(), registry.Auto)
	if i := slices.Index(order, engine); i >= 0 {
		return i
	}
	return len(order)
}

// grid is runs by instance and column.
type grid struct {
	columns []string
	rows    []instance           // the paper's first, then others
	cells   map[instance][][]int // places of records by column, by rising cost; more than one if run under several seeds
	by      map[string]int       // columns by name
}

// instances arranges the records that keep accepts; column names their columns.
// The expected columns are there even if nothing was run.
func (b *book) instances(expected []string, keep func(*Record) bool, column func(*Record) string) *grid {
	g := &grid{cells: map[instance][][]int{}, by: map[string]int{}}
	var chosen []int
	for i := range b.records {
		r := &b.records[i]
		if keep(r) {
			chosen = append(chosen, i)
		}
	}
	// Columns by engine first: the listing goes by problem.
	slices.SortStableFunc(chosen, func(x, y int) int {
		p, q := &b.records[x], &b.records[y]
		return cmp.Or(-cmp.Compare(p.Planner, q.Planner), engineRank(p.Engine)-engineRank(q.Engine), encodingRank(p.Encoding)-encodingRank(q.Encoding), cmp.Compare(p.Solver, q.Solver), cmp.Compare(column(p), column(q)))
	})
	var found []string
	for _, i := range chosen {
		if c := column(&b.records[i]); !slices.Contains(found, c) {
			found = append(found, c)
		}
	}
	g.columns = columns(expected, found)
	for k, c := range g.columns {
		g.by[c] = k
	}
	for _, p := range b.paper.instances {
		g.rows = append(g.rows, p.instance)
	}
	for _, i := range chosen {
		r := &b.records[i]
		at := instance{named(r), r.Horizon}
		if _, ok := b.paper.place[at]; !ok && !slices.Contains(g.rows, at) {
			g.rows = append(g.rows, at)
		}
		if g.cells[at] == nil {
			g.cells[at] = make([][]int, len(g.columns))
		}
		c := &g.cells[at][g.by[column(r)]]
		*c = b.join(*c, i)
	}
	extra := g.rows[len(b.paper.instances):]
	slices.SortFunc(extra, func(x, y instance) int {
		return cmp.Or(cmp.Compare(x.problem, y.problem), cmp.Compare(x.horizon, y.horizon))
	})
	return g
}

// columns lists the columns of a grid: for each expected one those found of it,
// or itself, and then the others that were found.
func columns(expected, found []string) []string {
	var out []string
	for _, e := range expected {
		these := []string{}
		for _, c := range found {
			if of(c, e) {
				these = append(these, c)
			}
		}
		if len(these) == 0 {
			these = []string{e}
		}
		out = append(out, these...)
	}
	for _, c := range found {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// solvers lists the solvers of all records.
func (b *book) solvers() []Solver {
	var out []Solver
	for i := range b.records {
		r := &b.records[i]
		if r.Version == "" && r.Command == "" {
			continue
		}
		s := Solver{cmp.Or(r.Solver, "built in") + " (engine " + r.Engine + ")", r.Version, r.Command}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(x, y Solver) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Version, y.Version), cmp.Compare(x.Command, y.Command))
	})
	return out
}

func encodingRank(e string) int {
	return slices.Index([]string{"", "default", "paper", "published", "unidirectional"}, e)
}

// join adds a run to those of a cell, by rising cost. Of runs under different
// limits those under the longest stay; of two under one seed the later.
func (b *book) join(cell []int, i int) []int {
	r := &b.records[i]
	for k, at := range cell {
		old := &b.records[at]
		switch {
		case old.TimeLimit > r.TimeLimit:
			return cell
		case old.TimeLimit < r.TimeLimit:
			cell = nil
		case old.Seed == r.Seed:
			cell = slices.Delete(slices.Clone(cell), k, k+1)
		default:
			continue
		}
		break
	}
	cell = append(cell[:len(cell):len(cell)], i)
	slices.SortStableFunc(cell, func(x, y int) int { return cmp.Compare(cost(&b.records[x]), cost(&b.records[y])) })
	return cell
}

// all returns the places of the runs of a cell, by rising cost.
func (g *grid) all(i instance, column int) []int {
	if c := g.cells[i]; c != nil && column >= 0 {
		return c[column]
	}
	return nil
}

// at returns the place of the run with the median cost, -1 if there is none. Of
// an even number it is the costlier of the two in the middle.
func (g *grid) at(i instance, column int) int {
	c := g.all(i, column)
	if len(c) == 0 {
		return -1
	}
	return c[len(c)/2]
}

// of reports whether a column is of the kind that is expected, or a variant of it.
func of(column, kind string) bool { return column == kind || strings.HasPrefix(column, kind+",") }

// find is the first column of a kind with anything in it, -1 for none.
func (g *grid) find(kind string) int {
	for k, c := range g.columns {
		if !of(c, kind) {
			continue
		}
		for _, i := range g.rows {
			if g.at(i, k) >= 0 {
				return k
			}
		}
	}
	return -1
}

// The paper's planners, as records name them.
const (
	satPlanner = "FD-SAT-Plan+"
	blpPlanner = "FD-BLP-Plan+"
)

// family is a kind of networks. Tables and figures are of one: times with different networks
// say nothing about the planners.
type family struct{ key, name string }

// families are all of them, as records name them in Model, in the order of the page. The
// paper's own networks come first.
var families = []family{
	{"published", "the published networks"}, {"bundled", "the bundled networks"}, {"trained", "networks trained here at the paper's shapes"},
}

// ofFamily returns the name that a table has for another family.
func (t *Table) ofFamily(other family) string {
	for _, f := range families {
		if name, ok := strings.CutSuffix(t.Name, "-"+f.key); ok {
			return name + "-" + other.key
		}
	}
	return t.Name
}

// familyOf is the key of a record's family, empty for runs without a network.
func familyOf(r *Record) string {
	switch {
	case r.Files != "":
		return "published"
	case r.Model == "":
		return "bundled"
	case slices.ContainsFunc(families, func(f family) bool { return f.key == r.Model }):
		return r.Model
	}
	return ""
}

// families are those with runs of planners, the first of them that of the page's summary. If
// nothing was run, it is the bundled one.
func (b *book) families() []family {
	var out []family
	for _, f := range families {
		if slices.ContainsFunc(b.records, func(r Record) bool {
			return r.Kind != journal.KindReach && r.Table != "figure1" && familyOf(&r) == f.key && r.Kind != journal.KindMachine && r.Kind != journal.KindTrain
		}) {
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		out = []family{{"bundled", "the bundled networks"}}
	}
	return out
}

// The columns that tables have in any case.
var (
	literal   = []string{satPlanner, blpPlanner}
	engines   = registry.Single()
	encodings = []string{"default", "paper", "published", "unidirectional"}
)

// name is how tables name an instance.
func (b *book) name(i instance) string {
	if k, ok := b.paper.place[i]; ok {
		return b.paper.instances[k].name
	}
	return i.problem + "," + limit(float64(i.horizon))
}
