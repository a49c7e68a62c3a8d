package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/experiment/chart"
	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// The recipes of networks, as records name them, with what tables call them.
var recipes = []struct{ key, name string }{
	{"paper", "the paper's shape and recipe"}, {"grid", "the paper's grid, run here"}, {"bundled", "bundled"},
}

// trained are the records of networks, by recipe and problem: one per seed, in the order of
// the seeds, the one with the longest time limit.
func (b *book) trained() map[string]map[string][]int {
	out := map[string]map[string][]int{}
	for i := range b.records {
		r := &b.records[i]
		if r.Kind != journal.KindTrain || r.Table != "learning" {
			continue
		}
		if out[r.Recipe] == nil {
			out[r.Recipe] = map[string][]int{}
		}
		all := out[r.Recipe][named(r)]
		switch k := slices.IndexFunc(all, func(k int) bool { return b.records[k].Seed == r.Seed }); {
		case k < 0:
			all = append(all, i)
		case better(&b.records[all[k]], r):
			all[k] = i
		}
		slices.SortStableFunc(all, func(x, y int) int { return cmp.Compare(b.records[x].Seed, b.records[y].Seed) })
		out[r.Recipe][named(r)] = all
	}
	return out
}

// learning is the paper's table of learning.
func (b *book) learning() *Table {
	t := &Table{Name: "table1-learning", Title: "Table 1: learning the transitions",
		Caption: "Errors in percent: of bits, and of rows with a wrong bit. “Explored” are rows of the exploration policy, as often as they were seen: those held out from training, and all of them for the bundled networks, which were trained on others. " +
			"“Legal” are all legal states and actions, each once. Where several seeds were run, each with rows and initial weights of its own, the mean is followed by the 95 % interval of the mean. The paper does not give its number of epochs, and gives errors of bits on its own explored rows only."}
	t.column("", "problem")
	t.column("paper", "network", "error")
	runs := b.trained()
	names := recipes
	for _, key := range keys(runs) {
		if !slices.ContainsFunc(recipes, func(r struct{ key, name string }) bool { return r.key == key }) {
			names = append(names[:len(names):len(names)], struct{ key, name string }{key, cmp.Or(key, "unnamed recipe")})
		}
	}
	for _, recipe := range names {
		t.column(recipe.name, "network", "explored bits", "explored rows", "legal bits", "legal rows", "neurons", "seconds")
	}
	row := func(problem string, cells ...Cell) {
		for _, recipe := range names {
			cells = append(cells, b.networks(runs[recipe.key][problem])...)
		}
		t.add(cells...)
	}
	var done []string
	for _, l := range b.paper.learning {
		row(l[0], label("%s", l[1]), theirs(l[2]), theirs(l[3]))
		done = append(done, l[0])
	}
	for _, recipe := range names {
		for _, p := range keys(runs[recipe.key]) {
			if !slices.Contains(done, p) {
				row(p, label("%s", p), Cell{Kind: None}, Cell{Kind: None})
				done = append(done, p)
			}
		}
	}
	return t
}

// networkCells are the cells of networks.
const networkCells = 7

// networks describes the networks of one recipe and problem.
func (b *book) networks(at []int) []Cell {
	if len(at) == 0 {
		return slices.Repeat([]Cell{absent}, networkCells)
	}
	var done []int
	for _, k := range at {
		if b.records[k].Status == "trained" {
			done = append(done, k)
		}
	}
	if len(done) == 0 {
		r := &b.records[at[0]]
		c := ours(r.Status, at...)
		c.Bad, c.Plain, c.Note = true, true, r.Error
		return append([]Cell{c}, slices.Repeat([]Cell{{Kind: None}}, networkCells-1)...)
	}
	var shapes, sizes []string
	legal := true
	for _, k := range done {
		r := &b.records[k]
		if !slices.Contains(shapes, r.Network) {
			shapes = append(shapes, r.Network)
		}
		if n := count(int64(r.Neurons)); !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
		legal = legal && r.LegalRows > 0
	}
	share := func(of func(*Record) float64) Cell {
		return b.interval(done, func(r *Record) float64 { return 100 * of(r) }, func(f float64) string { return strconv.FormatFloat(f, 'f', 3, 64) })
	}
	net, size := ours(strings.Join(shapes, ", "), done...), ours(strings.Join(sizes, ", "), done...)
	net.Plain, size.Plain = true, true
	out := []Cell{net, share(func(r *Record) float64 { return r.TestError }), share(func(r *Record) float64 { return r.TestRowError }), absent, absent, size,
		b.interval(done, func(r *Record) float64 { return r.Seconds }, seconds)}
	if legal {
		out[3], out[4] = share(func(r *Record) float64 { return r.LegalError }), share(func(r *Record) float64 { return r.LegalRowError })
		r := &b.records[done[0]]
		if len(done) == 1 {
			out[4].Note = fmt.Sprintf("%s of %s rows are wrong", count(int64(r.WrongRows)), count(int64(r.LegalRows)))
		}
	}
	return out
}

// student has the quantiles of Student's distribution within which 95 % of it lie, by
// degrees of freedom from 1 on.
var student = []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228}

// interval is the mean of records, with the 95 % interval of the mean if there are several.
func (b *book) interval(at []int, of func(*Record) float64, text func(float64) string) Cell {
	sum := 0.0
	for _, k := range at {
		sum += of(&b.records[k])
	}
	n := float64(len(at))
	mean := sum / n
	c := ours(text(mean), at...)
	if len(at) == 1 {
		return c
	}
	squares := 0.0
	for _, k := range at {
		d := of(&b.records[k]) - mean
		squares += d * d
	}
	t := 1.96
	if len(at)-2 < len(student) {
		t = student[len(at)-2]
	}
	c.Text += " ± " + text(t*math.Sqrt(squares/(n-1)/n))
	c.Note = fmt.Sprintf("mean and 95 %% interval of %d networks", len(at))
	return c
}

// curves draws how the networks' errors decreased.
func (b *book) curves() *Figure {
	f := &Figure{Name: "learning-curves", Title: "Learning curves",
		Caption: "Of the first seed. Lines end where training did, or where nothing was wrong any more: a logarithmic axis has no place for 0."}
	loss := chart.Chart{Title: "Loss", X: chart.Axis{Label: "epoch"}, Y: chart.Axis{Label: "loss", Log: true}, Height: 260}
	held := chart.Chart{Title: "Wrong bits on held-out rows", X: chart.Axis{Label: "epoch"}, Y: chart.Axis{Label: "%", Log: true}, Height: 260}
	runs := b.trained()
	for _, recipe := range keys(runs) {
		for _, p := range keys(runs[recipe]) {
			k := runs[recipe][p][0]
			if len(b.records[k].Curve) == 0 {
				continue
			}
			name := p
			if recipe != "" && len(runs) > 1 {
				name += ", " + recipe
			}
			l, h := chart.Series{Name: name}, chart.Series{Name: name}
			for _, q := range b.records[k].Curve {
				l.X, l.Y = append(l.X, float64(q.Epoch)), append(l.Y, q.Loss)
				h.X, h.Y = append(h.X, float64(q.Epoch)), append(h.Y, 100*q.Test)
			}
			loss.Series, held.Series = append(loss.Series, l), append(held.Series, h)
			f.Records = append(f.Records, k)
		}
	}
	if len(f.Records) > 0 {
		f.Charts = []chart.Chart{held, loss}
	}
	return f
}

// neurons draws the size of one neuron's encoding by n and k, against the bound.
func (b *book) neurons() (*Table, *Figure) {
	t := &Table{Name: "neuron-sizes", Title: "One neuron: sizes by n and k",
		Caption: "A neuron v ⇔ (at least p of n inputs) as clauses; k is the power of two to which the cardinality network counts. The paper's bound for variables and clauses is of the order of n·(log₂ k)²; the last column has clauses divided by it."}
	t.column("", "encoding")
	t.column("", "n", "p", "k", "variables", "clauses", "literals", "clauses / n (log₂ k)²")
	f := &Figure{Name: "neuron-sizes", Title: "Encoding sizes by n and k",
		Caption: "Clauses of one neuron against the paper's bound. A line that rises no faster than the diagonal keeps it; the sequential counters of the uni-directional encoding have about (n−1)² registers whatever p is (the paper says O(np))."}
	c := chart.Chart{Title: "Clauses of one neuron", X: chart.Axis{Label: "n (log₂ k)²", Log: true}, Y: chart.Axis{Label: "clauses", Log: true}, Diagonal: true, Height: 360}
	series := map[string]*chart.Series{}
	var order []string
	for i := range b.records {
		r := &b.records[i]
		n, k := r.Stats["n"], r.Stats["k"]
		if r.Kind != journal.KindEncode || r.Table != "encodings" || n <= 0 {
			continue
		}
		name := r.Encoding
		if name == "" {
			name = "default"
		}
		row := []Cell{label("%s", name)}
		for _, s := range []string{"n", "p", "k", "variables", "clauses", "literals"} {
			if v, ok := r.Stats[s]; ok {
				row = append(row, ours(count(v), i))
			} else {
				row = append(row, Cell{Kind: None})
			}
		}
		bound, clauses := order2(n, k), r.Stats["clauses"]
		if bound <= 0 || clauses <= 0 {
			t.add(append(row, Cell{Kind: None})...)
			continue
		}
		t.add(append(row, ours(strconv.FormatFloat(float64(clauses)/bound, 'f', 2, 64), i))...)
		s := series[name]
		if s == nil {
			s = &chart.Series{Name: name, Style: chart.Points, Titles: []string{}}
			series[name], order = s, append(order, name)
		}
		s.X, s.Y = append(s.X, bound), append(s.Y, float64(clauses))
		s.Titles = append(s.Titles, fmt.Sprintf("%s, n %d, p %d, k %d: %s clauses\n%s", name, n, r.Stats["p"], k, count(clauses), r.ID))
		f.Records = append(f.Records, i)
	}
	for _, name := range order {
		c.Series = append(c.Series, *series[name])
	}
	if len(f.Records) > 0 {
		f.Charts = []chart.Chart{c}
	}
	return t, f
}
