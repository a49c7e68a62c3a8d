package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/fdplan/fdplan/internal/experiment/bench"
	"github.com/fdplan/fdplan/internal/experiment/chart"
)

// trained are the records of networks, by recipe and problem: for each the one with the
// longest time.
func (b *book) trained() map[string]map[string]int {
	out := map[string]map[string]int{}
	for i := range b.records {
		r := &b.records[i]
		if r.Kind != bench.KindTrain || r.Table != "learning" {
			continue
		}
		if out[r.Recipe] == nil {
			out[r.Recipe] = map[string]int{}
		}
		if k, ok := out[r.Recipe][named(r)]; !ok || better(&b.records[k], r) {
			out[r.Recipe][named(r)] = i
		}
	}
	return out
}

// learning is the paper's table of learning.
func (b *book) learning() *Table {
	t := &Table{Name: "table1-learning", Title: "Table 1: learning the transitions",
		Caption: "Errors are the share of wrong bits on held-out rows of the exploration policy, in percent; wrong rows are among all legal states and actions."}
	t.column("", "problem")
	t.column("paper", "network", "test error, %")
	runs := b.trained()
	recipes := keys(runs)
	if len(recipes) == 0 {
		recipes = []string{""}
	}
	for _, recipe := range recipes {
		group := "ours"
		if recipe != "" {
			group += ", recipe " + recipe
		}
		t.column(group, "network", "test error, %", "neurons", "edges", "wrong legal rows", "seconds")
	}
	row := func(problem string, cells ...Cell) {
		for _, recipe := range recipes {
			if k, ok := runs[recipe][problem]; ok {
				cells = append(cells, b.network(k)...)
			} else {
				cells = append(cells, slices.Repeat([]Cell{absent}, networkCells)...)
			}
		}
		t.add(cells...)
	}
	var done []string
	for _, l := range b.paper.learning {
		row(l[0], label("%s", l[1]), theirs(l[2]), theirs(l[3]))
		done = append(done, l[0])
	}
	for _, recipe := range recipes {
		for _, p := range keys(runs[recipe]) {
			if !slices.Contains(done, p) {
				row(p, label("%s", p), Cell{Kind: None}, Cell{Kind: None})
				done = append(done, p)
			}
		}
	}
	return t
}

// networkCells are the cells of network.
const networkCells = 6

// network describes the result of one training.
func (b *book) network(k int) []Cell {
	r := &b.records[k]
	if r.Status != "trained" {
		c := ours(r.Status, k)
		c.Bad, c.Plain, c.Note = true, true, r.Error
		return append([]Cell{c}, slices.Repeat([]Cell{{Kind: None}}, networkCells-1)...)
	}
	rows := Cell{Kind: NotRun, Text: "not counted"}
	if r.LegalRows > 0 {
		rows = ours(fmt.Sprintf("%s of %s", count(int64(r.WrongRows)), count(int64(r.LegalRows))), k)
	}
	net := ours(r.Network, k)
	net.Plain = true
	return []Cell{net, ours(percent(r.TestError), k), ours(count(int64(r.Neurons)), k), ours(count(int64(r.Edges)), k), rows, ours(seconds(r.Seconds), k)}
}

// curves draws how the networks' errors decreased.
func (b *book) curves() *Figure {
	f := &Figure{Name: "learning-curves", Title: "Learning curves",
		Caption: "Lines end where training did, or where nothing was wrong any more: a logarithmic axis has no place for 0."}
	loss := chart.Chart{Title: "Loss", X: chart.Axis{Label: "epoch"}, Y: chart.Axis{Label: "loss", Log: true}, Height: 260}
	held := chart.Chart{Title: "Wrong bits on held-out rows", X: chart.Axis{Label: "epoch"}, Y: chart.Axis{Label: "%", Log: true}, Height: 260}
	runs := b.trained()
	for _, recipe := range keys(runs) {
		for _, p := range keys(runs[recipe]) {
			k := runs[recipe][p]
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
		Caption: "Clauses of one neuron against the paper's bound. A line that rises no faster than the diagonal keeps it; the sequential counters of the uni-directional encoding grow with n·p."}
	c := chart.Chart{Title: "Clauses of one neuron", X: chart.Axis{Label: "n (log₂ k)²", Log: true}, Y: chart.Axis{Label: "clauses", Log: true}, Diagonal: true, Height: 360}
	series := map[string]*chart.Series{}
	var order []string
	for i := range b.records {
		r := &b.records[i]
		n, k := r.Stats["n"], r.Stats["k"]
		if r.Kind != bench.KindEncode || r.Table != "encodings" || n <= 0 {
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
