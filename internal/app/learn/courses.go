package learn

import (
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Courses are the next values that rows at the end of a log have, beside those that are predicted from the row before.
type Courses struct {
	Lines   []int    `json:"lines"` // of the rows in their file
	Fluents []Course `json:"fluents"`
}

// Course is one fluent in these rows. A Boolean is 0 or 1, an enumeration the number of its value, and a quantity in bins
// the middle of its bin.
type Course struct {
	Fluent    string    `json:"fluent"`
	Unit      string    `json:"unit,omitempty"`
	Values    []string  `json:"values,omitempty"` // of an enumeration
	Logged    []float64 `json:"logged"`
	Predicted []float64 `json:"predicted"`
}

// courseRows bounds the rows of courses, and courseFluents their fluents: what a chart can show.
const (
	courseRows    = 200
	courseFluents = 100
)

// coursesOf predicts the last rows whose values are all known; nil if there are none.
func coursesOf(p *factored.Problem, predict measure.Predict, from []train.Source) (*Courses, error) {
	out, rows := &Courses{Lines: []int{}}, 0
	for i := range from {
		rows += from[i].Data.Rows
	}
	var fluents []*factored.Variable
	for _, b := range p.Outputs {
		v, _ := p.Owner(b)
		if n := len(fluents); (n == 0 || fluents[n-1] != v) && n < courseFluents {
			fluents = append(fluents, v)
		}
	}
	for _, v := range fluents {
		c := Course{Fluent: v.Name}
		if v.View != nil {
			c.Unit, c.Values = v.View.Unit, v.View.Names
		}
		out.Fluents = append(out.Fluents, c)
	}
	in, words := make([]uint64, bnn.Words(len(p.Inputs))), make([]uint64, bnn.Words(len(p.Outputs)))
	next := make(factored.Valuation, p.NumBits())
	value := func(v *factored.Variable, bit func(i int) bool) float64 {
		for i, b := range p.Outputs {
			next[b] = bit(i)
		}
		x := v.Value(next)
		if !v.Real() {
			return float64(x)
		}
		return v.Center(min(max(x, v.Lo), v.Hi))
	}
	err := train.EachOf(p, func(i int) bool { return i >= rows-courseRows }, func(r *train.Row) {
		if r.InKnown != nil || r.OutKnown != nil || len(r.Outside) > 0 {
			return
		}
		bnn.PackInto(in, r.In)
		predict(words, in)
		out.Lines = append(out.Lines, r.Line)
		for k, v := range fluents {
			c := &out.Fluents[k]
			c.Logged = append(c.Logged, value(v, func(i int) bool { return r.Out[i] }))
			c.Predicted = append(c.Predicted, value(v, func(i int) bool { return words[i/64]>>(i%64)&1 == 1 }))
		}
	}, from...)
	if len(out.Lines) == 0 {
		return nil, err
	}
	return out, err
}
