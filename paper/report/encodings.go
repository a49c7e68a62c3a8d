package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/experiment/chart"
	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// order2 is n (log2 k)^2, the paper's bound without its constant; 0 if k is below 2.
func order2(n, k int64) float64 {
	if k < 2 {
		return 0
	}
	l := math.Log2(float64(k))
	return float64(n) * l * l
}

// encoding names an encoding's columns.
func encoding(r *Record) string { return cmp.Or(r.Encoding, "default") }

// sizes contains the sizes of whole problems, by encoding.
func (b *book) sizes(f family) *Table {
	t := &Table{Name: "encoding-sizes-" + f.key, Title: "Encodings: sizes, " + f.name,
		Caption: "Of the whole problem as clauses. The paper has no such table; it shows times alone, as a diagram."}
	t.column("", "instance")
	g := b.encoded(f)
	stats := []string{"variables", "clauses", "literals"}
	for _, c := range g.columns {
		t.column(c, stats...)
	}
	for _, i := range g.rows {
		row := []Cell{label("%s", b.name(i))}
		for c := range g.columns {
			k := g.at(i, c)
			for _, s := range stats {
				switch {
				case k < 0:
					row = append(row, absent)
				case b.records[k].Status == "error" || b.records[k].Stats == nil:
					row = append(row, Cell{Kind: Ours, Text: "error", Note: b.records[k].Error, Bad: true, Plain: true, Records: []int{k}})
				default:
					v, ok := b.records[k].Stats[s]
					if !ok {
						row = append(row, absent)
						continue
					}
					row = append(row, ours(count(v), k))
				}
			}
		}
		t.add(row...)
	}
	return t
}

// encoded are the sizes of whole problems.
func (b *book) encoded(f family) *grid {
	return b.instances(encodings, func(r *Record) bool {
		return familyOf(r) == f.key && r.Table == "encodings" && r.Kind == journal.KindEncode && r.Stats["n"] == 0
	}, encoding)
}

// bothSizes draws the clauses of the bi- against those of the uni-directional
// encoding.
func (b *book) bothSizes(nets family) *Figure {
	f := &Figure{Name: "encoding-sizes", Title: "Clauses: bi- against uni-directional encoding",
		Caption: "Clauses of the whole problem, with " + nets.name + ". Below the diagonal the bi-directional encoding is smaller; the uni-directional one has about (n−1)² registers a neuron whatever its threshold is (the paper says O(np)), so that it can be smaller where neurons have few inputs."}
	g := b.encoded(nets)
	uni, bi := g.ways()
	if uni < 0 || bi < 0 {
		return f
	}
	s := newScatter()
	for _, i := range g.rows {
		p, q := g.at(i, uni), g.at(i, bi)
		if p < 0 || q < 0 {
			continue
		}
		x, y := b.records[p].Stats["clauses"], b.records[q].Stats["clauses"]
		if x <= 0 || y <= 0 {
			continue
		}
		s.add(i, float64(x), float64(y), true, fmt.Sprintf("%s: %s and %s clauses\n%s\n%s", b.name(i), count(x), count(y), b.records[p].ID, b.records[q].ID))
		f.Records = append(f.Records, p, q)
	}
	if len(f.Records) > 0 {
		f.Charts = []chart.Chart{{Title: "Clauses", X: chart.Axis{Label: "uni-directional", Log: true}, Y: chart.Axis{Label: "bi-directional (" + g.columns[bi] + ")", Log: true},
			Diagonal: true, Series: s.series, Height: 400}}
	}
	return f
}

// ways returns the columns of the uni-directional encoding and of a bi-directional one, the
// paper's if present.
func (g *grid) ways() (uni, bi int) {
	bi = -1
	for _, name := range []string{"paper", "published", "default"} {
		if bi < 0 {
			bi = g.find(name)
		}
	}
	return g.find("unidirectional"), bi
}

// encodingRuns are the times of FD-SAT-Plan+ by encoding.
func (b *book) encodingRuns(f family) *grid {
	return b.instances(encodings, func(r *Record) bool { return familyOf(r) == f.key && r.Table == "encodings" && isPlan(r) }, func(r *Record) string {
		if r.Solver != "" {
			return encoding(r) + ", " + r.Solver
		}
		return encoding(r)
	})
}

// encodingTimes tabulates them.
func (b *book) encodingTimes(f family) *Table {
	t := &Table{Name: "encoding-times-" + f.key, Title: "Encodings: seconds, " + f.name,
		Caption: "With " + f.name + ". FD-SAT-Plan+ (engine maxsat) with each encoding, from the start of the process to the proof."}
	t.column("", "instance")
	g := b.encodingRuns(f)
	t.column("seconds", g.columns...)
	b.times(t, g, func(instance) []Cell { return nil })
	return t
}

// times adds one row per instance: the paper's figures, then the runs of a grid.
func (b *book) times(t *Table, g *grid, before func(instance) []Cell) {
	for _, i := range g.rows {
		row := append([]Cell{label("%s", b.name(i))}, before(i)...)
		for c := range g.columns {
			if k := g.at(i, c); k >= 0 {
				row = append(row, b.median(g.all(i, c), k))
			} else {
				row = append(row, absent)
			}
		}
		t.add(row...)
	}
}

// bothWays draws the paper's Figure 4: bi- against uni-directional.
func (b *book) bothWays(nets family) *Figure {
	f := &Figure{Name: "figure4-encodings", Title: "Figure 4: bi- against uni-directional encoding",
		Caption: "Seconds of FD-SAT-Plan+ to the proof, with " + nets.name + ". Below the diagonal the bi-directional encoding is faster. The paper shows this comparison as a picture without figures."}
	g := b.encodingRuns(nets)
	uni, bi := g.ways()
	if uni < 0 || bi < 0 {
		return f
	}
	f.against(b, g, "Ours", uni, bi, "uni-directional (sequential counters), s", "bi-directional ("+g.columns[bi]+"), s")
	return f
}

// scatter collects points by the paper's domains.
type scatter struct {
	series []chart.Series
}

func newScatter() *scatter {
	s := &scatter{}
	for _, d := range domains {
		s.series = append(s.series, chart.Series{Name: d.name, Style: chart.Points, Titles: []string{}})
	}
	s.series = append(s.series, chart.Series{Name: "others", Style: chart.Points, Titles: []string{}}, chart.Series{Name: "not in time", Style: chart.Points, Titles: []string{}})
	return s
}

// add draws a point. If neither run finished in time, it is drawn apart.
func (s *scatter) add(i instance, x, y float64, in bool, title string) {
	k := slices.IndexFunc(domains, func(d struct{ key, name string }) bool { return d.key == i.domain() })
	if k < 0 {
		k = len(domains)
	}
	if !in {
		k = len(domains) + 1
	}
	p := &s.series[k]
	p.X, p.Y, p.Titles = append(p.X, x), append(p.Y, y), append(p.Titles, title)
}

// floor is the least time that diagrams show: the resolution of process times is not a finer.
const floor = 0.001

// against draws one column of a grid against another, as far as both were run.
func (f *Figure) against(b *book, g *grid, title string, x, y int, xLabel, yLabel string) {
	s, before := newScatter(), len(f.Records)
	for _, i := range g.rows {
		p, q := g.at(i, x), g.at(i, y)
		if p < 0 || q < 0 || !drawable(&b.records[p]) || !drawable(&b.records[q]) {
			continue
		}
		rp, rq := &b.records[p], &b.records[q]
		s.add(i, max(cost(rp), floor), max(cost(rq), floor), proved(rp) && proved(rq),
			fmt.Sprintf("%s: %s s and %s s\n%s\n%s", b.name(i), timed(rp, p).Text, timed(rq, q).Text, rp.ID, rq.ID))
		f.Records = append(f.Records, p, q)
	}
	if len(f.Records) == before {
		return
	}
	f.Charts = append(f.Charts, chart.Chart{Title: title, X: chart.Axis{Label: xLabel, Log: true}, Y: chart.Axis{Label: yLabel, Log: true},
		Diagonal: true, Series: s.series, Height: 400})
}

// drawable reports whether a run has a time to draw: it ended, or reached a limit.
func drawable(r *Record) bool { return proved(r) || r.Status == "feasible" || r.Status == "unknown" }
