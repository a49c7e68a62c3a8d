package learn

import (
	"slices"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// ErrorLine is a network's error on some rows, each counted as often as it was seen. Errors are
// shares of 1.
type ErrorLine struct {
	*measure.Measure
	RowError float64 `json:"row_error"`
	BitError float64 `json:"bit_error"`
	// Bits has the error of each output bit that is ever wrong, by name.
	Bits map[string]float64 `json:"bits,omitempty"`
	// Incomplete counts the rows that lack a value, which nothing else counts.
	Incomplete int `json:"incomplete,omitempty"`
	// Outside lists the first values that their fluents do not have.
	Outside []dataset.Outside `json:"outside,omitempty"`

	// The following fields are for `fdplan test` and reports.

	// Unseen counts the rows with a state and an action that no training row has; null if unknown. It is a
	// lower bound if the training rows are not known exactly.
	Unseen *int `json:"unseen,omitempty"`
	// Supported is about the rows that the training rows support; null if it is not
	// recorded what they settle.
	Supported *SupportedLine `json:"supported,omitempty"`
	Outputs   []OutputLine   `json:"outputs,omitempty"` // every output bit, in order
	// Worst is the fluent whose value is wrong most often; null if none is.
	Worst *FluentLine `json:"worst_fluent,omitempty"`
}

// SupportedLine counts rows of which all outputs that goal, rules and reward reach are
// supported.
type SupportedLine struct {
	Rows  int    `json:"rows"`
	Wrong int    `json:"wrong"` // of these
	Class string `json:"class"` // of functions, all of which have the supported values
}

// OutputLine is the error of one output bit.
type OutputLine struct {
	Bit    string  `json:"bit"`
	Values string  `json:"values"` // the values that have the bit, as a condition on its fluent
	Wrong  int     `json:"wrong"`
	Error  float64 `json:"error"`
}

// FluentLine is the error of a fluent's value, and its confusion matrix.
type FluentLine struct {
	Fluent    string          `json:"fluent"`
	Wrong     int             `json:"wrong"`
	Error     float64         `json:"error"`
	Confusion []ConfusionLine `json:"confusion"` // pairs that occur, by true value
}

// ConfusionLine counts the rows with a pair of true and predicted values of a fluent, equal
// or not. Values are bool or int64; a predicted value may be out of range.
type ConfusionLine struct {
	Truth     any `json:"truth"`
	Predicted any `json:"predicted"`
	Rows      int `json:"rows"`
}

// lineOf returns the errors that were counted.
func lineOf(p *load.Problem, c *measure.Counter) *ErrorLine {
	m := c.Measure()
	l := &ErrorLine{Measure: m, RowError: m.Share(m.Wrong)}
	sum := 0
	for i, wrong := range c.Bits() {
		if sum += wrong; wrong > 0 {
			if l.Bits == nil {
				l.Bits = map[string]float64{}
			}
			l.Bits[p.Problem.BitName(p.Problem.Outputs[i])] = m.Share(wrong)
		}
	}
	if m.Rows > 0 {
		l.BitError = float64(sum) / float64(m.Rows*len(p.Problem.Outputs))
	}
	return l
}

// detailed is lineOf with all its details.
func detailed(p *load.Problem, net *bnn.Network, c *measure.Counter, trained load.Trained) *ErrorLine {
	l := lineOf(p, c)
	for i, b := range p.Problem.Outputs {
		wrong := c.Bits()[i]
		l.Outputs = append(l.Outputs, OutputLine{p.Problem.BitName(b), p.Problem.Condition(factored.Lit{Bit: b}), wrong, l.Share(wrong)})
	}
	if seen := trained.Seen; seen != nil && !seen.AllLegal() {
		n := l.Rows // those without an input for the network too
		c.EachPair(func(x measure.Pair) {
			if seen.Has(x.In) {
				n -= x.Rows
			}
		})
		l.Unseen = &n
	}
	if trained.Support != nil {
		q := *p
		q.Network, q.Support = net, trained.Support
		l.Supported = supported(load.Scoped(&q).Support, c)
	}
	l.Worst = worst(c, l.Measure)
	return l
}

// supported counts the rows that the training rows support.
func supported(s *coverage.Support, c *measure.Counter) *SupportedLine {
	l := &SupportedLine{Class: s.Class()}
	c.EachPair(func(x measure.Pair) {
		if len(s.Open(x.In, x.Predicted)) > 0 {
			return
		}
		l.Rows += x.Rows
		if x.WrongIn(s.Asks) {
			l.Wrong += x.Rows
		}
	})
	return l
}

// worst describes the fluent whose value is wrong most often, the first of several.
func worst(c *measure.Counter, m *measure.Measure) *FluentLine {
	k, most := 0, 0
	for i := range m.Fluents {
		if n := m.Fluents[i].Wrong; n > most {
			k, most = i, n
		}
	}
	if most == 0 {
		return nil
	}
	f := &FluentLine{Fluent: m.Fluents[k].Name, Wrong: most, Error: m.Share(most), Confusion: []ConfusionLine{}}
	value := func(x int64) any {
		if c.Variables()[k].Bool {
			return x != 0
		}
		return x
	}
	for _, x := range c.Confusion(k) {
		f.Confusion = append(f.Confusion, ConfusionLine{value(x.Truth), value(x.Predicted), x.Rows})
	}
	return f
}

// countErrors counts the errors of predictions on the rows for which keep holds, nil for all; of rows that are alike it
// is asked once.
func countErrors(p *load.Problem, predict measure.Predict, keep func(*train.Row) bool, from []train.Source) (c *measure.Counter, incomplete int, err error) {
	c = measure.NewCounter(p.Problem, predict)
	incomplete, err = measure.Each(p.Problem, func(r *train.Row) *measure.Counter {
		if keep != nil && !keep(r) {
			return nil
		}
		return c
	}, from...)
	return c, incomplete, err
}

// trainedLines are the errors of a network on the rows that were learned from and on those held out, nil if
// there are none.
func trainedLines(p *load.Problem, net *bnn.Network, h *holding, from []train.Source) (trained, held *ErrorLine, err error) {
	parts := [2]*measure.Counter{measure.NewCounter(p.Problem, measure.Network(net)), measure.NewCounter(p.Problem, measure.Network(net))}
	each := measure.EachRow
	if h.held == nil || h.alike {
		each = measure.Each
	}
	_, err = each(p.Problem, func(r *train.Row) *measure.Counter {
		if h.held != nil && h.held(r) {
			return parts[1]
		}
		return parts[0]
	}, from...)
	if err != nil {
		return nil, nil, err
	}
	if trained = lineOf(p, parts[0]); h.held != nil {
		held = lineOf(p, parts[1])
	}
	return trained, held, nil
}

// addOutside adds what was found of values outside while a data set was read.
func (l *ErrorLine) addOutside(o *outsides) {
	l.Outside = slices.Clone(o.first)
	l.OutOfRange += len(o.unreadable)
}
