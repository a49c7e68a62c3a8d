package fromlog

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/outcomes"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/data/rawlog"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

const (
	// stages is the number of parts of a run that are compared.
	stages = 3
	// comparedRows bounds the rows that are.
	comparedRows = 200_000
)

// ageing returns the request in which a column that counts the rows of each run is a state, and a note, if next states or rewards differ from early to late
// rows in what no other column tells: systems age, and more is sold before a season ends. Without, the note is empty.
func (x *looked) ageing(ctx context.Context, p *factored.Problem, read *rawlog.Read, asked Request) (again Request, note string, err error) {
	i := slices.IndexFunc(x.fluents, func(f rawlog.Fluent) bool { return f.Runs })
	if i < 0 || x.reading.Episode == "" {
		return asked, "", nil
	}
	f := &x.fluents[i]
	parts := x.parts(f.Column)
	why := stratified(read.Data, parts)
	if why == "" {
		of := load.Problem{}
		of.Problem = p
		data := *read.Data
		data.Entity = func(i int) string { return parts.names[parts.of(data.Line(i))] }
		if why, err = outcomes.Unlike(ctx, &of, train.Source{Data: &data}, app.Threads(0)); err != nil || why == "" {
			return asked, "", err
		}
	}
	asked.Episode = x.reading.Episode
	asked.Rename = append(slices.Clone(asked.Rename), f.Column+"="+f.Name)
	return asked, fmt.Sprintf("%s counts the rows of each run and is a state, since what follows depends on it: %s", f.Column, why), nil
}

// runParts are early to late parts of runs.
type runParts struct {
	names []string
	of    func(line int) int
}

// parts divides the lines by a column that counts the rows of each run.
func (x *looked) parts(counter string) runParts {
	c := &x.t.Columns[x.t.Column(counter)]
	var numbers []float64
	for i := range x.t.Rows() {
		v, _ := c.Number(i)
		numbers = append(numbers, v)
	}
	slices.Sort(numbers)
	var r runParts
	var ends []float64
	for k := 1; k <= stages; k++ {
		from, end := numbers[0], numbers[k*len(numbers)/stages-1]
		if k > 1 {
			from = ends[k-2] + 1
		}
		r.names, ends = append(r.names, fmt.Sprintf("%s=%g..%g", counter, from, end)), append(ends, end)
	}
	r.of = func(line int) int {
		row := sort.Search(x.t.Rows(), func(i int) bool { return x.t.Line(i) >= line })
		v, _ := c.Number(min(row, x.t.Rows()-1))
		return max(0, slices.IndexFunc(ends, func(end float64) bool { return v <= end }))
	}
	return r
}

// score is how much a value is higher in a part of the rows than in the others with the same states and action.
type score struct{ sum, variance, weight float64 }

// bits is the evidence that it is not by chance, by the normal distribution.
func (s *score) bits() float64 {
	if s.variance == 0 {
		return 0
	}
	return s.sum * s.sum / s.variance / 2 / math.Ln2
}

// stratified says which next state or reward differs most between parts of runs, given states and actions; "" if none does. Rows of one state and action are compared with
// each other alone, by how far their values are from the mean (Mantel, Chi-square tests with one degree of freedom, 1963).
func stratified(d *dataset.Data, parts runParts) string {
	s := d.Schema
	width := len(s.Columns)
	known, end := width-s.NumStates(), width-s.NumInputs()
	groups := map[string][]int{}
	var order []string
	row := make([]float64, width)
	for i := range min(d.Rows, comparedRows) {
		d.Read(i, row)
		key := string(keyOf(nil, row[:known]))
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], i)
	}
	scores := make([][stages]score, end-known+1) // the last one is that of rewards
	for _, key := range order {
		stratum(d, groups[key], known, end, parts, scores)
	}
	most, at, in := outcomes.UnlikeBits+math.Log2(float64(stages*len(scores))), -1, 0
	for k := range scores {
		for j := range scores[k] {
			if bits := scores[k][j].bits(); bits > most {
				most, at, in = bits, k, j
			}
		}
	}
	if at < 0 {
		return ""
	}
	what, more := "the reward", "higher"
	if at < end-known {
		what = s.Columns[known+at].Name
		if s.Columns[known+at].Values != nil {
			what, more = "the most frequent "+what, "more frequent"
		}
	}
	by := scores[at][in].sum / scores[at][in].weight
	if by < 0 {
		more = map[string]string{"higher": "lower", "more frequent": "less frequent"}[more]
	}
	return fmt.Sprintf("after the same states and actions %s is %s by %.3g where %s", what, more, math.Abs(by), parts.names[in])
}

// stratum adds the rows of one state and action to the scores of the columns from known to end, and of rewards.
func stratum(d *dataset.Data, rows []int, known, end int, parts runParts, scores [][stages]score) {
	if len(rows) < 2 {
		return
	}
	values, part := make([][]float64, len(scores)), make([]int, len(rows))
	row := make([]float64, len(d.Schema.Columns))
	for j, i := range rows {
		d.Read(i, row)
		part[j] = parts.of(d.Line(i))
		for k := known; k < end; k++ {
			values[k-known] = append(values[k-known], row[k])
		}
		if d.Rewards != nil {
			values[end-known] = append(values[end-known], d.Rewards[i])
		}
	}
	for k := range scores {
		if k < end-known && d.Schema.Columns[known+k].Values != nil {
			values[k] = indicators(values[k])
		}
		compare(&scores[k], values[k], part)
	}
}

// indicators are 1 where a value is the most frequent one, else 0.
func indicators(values []float64) []float64 {
	count := map[float64]int{}
	most := values[0]
	for _, v := range values {
		if count[v]++; count[v] > count[most] {
			most = v
		}
	}
	out := make([]float64, len(values))
	for i, v := range values {
		if v == most {
			out[i] = 1
		}
	}
	return out
}

// rounding is the relative difference of values that are taken to be equal.
const rounding = 1e-9

// compare adds the rows of one state and action to the scores of each part.
func compare(scores *[stages]score, values []float64, part []int) {
	n, mean, squares := float64(len(values)), 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	if noise := rounding * max(1, math.Abs(mean)); !(squares > n*noise*noise) { // no difference, or a value is not known
		return
	}
	for k := range scores {
		in, sum := 0.0, 0.0
		for j, v := range values {
			if part[j] == k {
				in, sum = in+1, sum+v-mean
			}
		}
		if others := n - in; in > 0 && others > 0 {
			s := &scores[k]
			s.sum, s.variance, s.weight = s.sum+sum, s.variance+in*others/n/(n-1)*squares, s.weight+in*others/n
		}
	}
}
