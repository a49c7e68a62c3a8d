package outcomes

import (
	"math"
	"slices"
	"sort"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// withLags adds columns of earlier rows to data sets, for a problem that reads them; rows that do not go back far enough are
// left out.
func withLags(p *factored.Problem, lags []load.Lagged, from []train.Source) ([]train.Source, error) {
	if len(lags) == 0 {
		return from, nil
	}
	schema, err := dataset.OfProblem(p)
	if err != nil {
		return nil, err
	}
	most := 0
	for _, l := range lags {
		most = max(most, l.By)
	}
	out := slices.Clone(from)
	for i := range out {
		s := &out[i]
		rows := deep(s.Logged(), most)
		s.Data = lagged(s.Data, schema, lags, rows)
		if s.Stored != nil {
			s.Stored = lagged(s.Stored, schema.Stored(), lags, rows)
		}
		if s.Cut > 0 {
			s.Cut = sort.SearchInts(rows, s.Cut)
		}
	}
	return out, nil
}

// deep lists the rows that go back a number of rows: each begins where the one before ended.
func deep(d *dataset.Data, back int) (rows []int) {
	states := d.Schema.NumStates()
	next := len(d.Schema.Columns) - states
	last, row := make([]float64, len(d.Schema.Columns)), make([]float64, len(d.Schema.Columns))
	depth := 0
	for r := range d.Rows {
		d.Read(r, row)
		depth++
		if r == 0 || isBegin(d.Begins, r) || !slices.Equal(row[:states], last[next:]) {
			depth = 0
		}
		if depth >= back {
			rows = append(rows, r)
		}
		copy(last, row)
	}
	return rows
}

// places are those of the columns by their names.
func places(s *dataset.Schema) map[string]int {
	column := map[string]int{}
	for i := range s.Columns {
		column[s.Columns[i].Name] = i
	}
	return column
}

// lagged is a view of some rows of d with the columns of a schema, which are those of d and lags.
func lagged(d *dataset.Data, s *dataset.Schema, lags []load.Lagged, rows []int) *dataset.Data {
	column := places(d.Schema)
	type place struct{ column, back int }
	at := make([]place, len(s.Columns))
	for i := range s.Columns {
		name := s.Columns[i].Name
		at[i] = place{-1, 0}
		if k, ok := column[name]; ok {
			at[i] = place{k, 0}
		}
		for _, l := range lags {
			switch k := column[l.Of]; name {
			case l.Name:
				at[i] = place{k, l.By}
			case l.Name + "'":
				at[i] = place{k, l.By - 1}
			}
		}
	}
	values := make([]float64, len(d.Schema.Columns))
	out := &dataset.Data{Schema: s, Rows: len(rows), View: func(i int, row []float64) {
		for k, p := range at {
			if row[k] = math.NaN(); p.column >= 0 {
				d.Read(rows[i]-p.back, values)
				row[k] = values[p.column]
			}
		}
	}}
	if d.Line != nil {
		out.Line = func(i int) int { return d.Line(rows[i]) }
	}
	return out
}
