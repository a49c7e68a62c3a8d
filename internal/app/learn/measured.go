package learn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// ErrorLine is a network's error on some rows. Errors are shares of 1, of rows counted as
// often as they were seen or, with Distinct, of distinct rows.
type ErrorLine struct {
	Rows             int     `json:"rows"`       // distinct
	Wrong            int     `json:"wrong"`      // of these
	Seen             int     `json:"rows_seen"`  // as often as they were seen
	WrongSeen        int     `json:"wrong_seen"` // of these
	RowError         float64 `json:"row_error"`
	BitError         float64 `json:"bit_error"`
	DistinctRowError float64 `json:"distinct_row_error"`
	DistinctBitError float64 `json:"distinct_bit_error"`
	// Bits has the error of each output bit that is ever wrong, by name.
	Bits map[string]float64 `json:"bits,omitempty"`

	// The following fields are for `fdplan test` and reports.

	// Unseen counts the distinct rows that were not training rows; null if unknown. It is a
	// lower bound if the training rows are not known exactly.
	Unseen *int `json:"unseen,omitempty"`
	// Supported is about the distinct rows that the training rows support; null if it is not
	// recorded what they settle.
	Supported *SupportedLine `json:"supported,omitempty"`
	Outputs   []OutputLine   `json:"outputs,omitempty"` // every output bit, in order
	// Worst is the fluent whose value is wrong most often; null if none is.
	Worst *FluentLine `json:"worst_fluent,omitempty"`
}

// SupportedLine counts distinct rows of which all outputs that goal, rules and reward reach are
// supported.
type SupportedLine struct {
	Rows  int    `json:"rows"`
	Wrong int    `json:"wrong"` // of these
	Class string `json:"class"` // of functions, all of which have the supported values
}

// OutputLine is the error of one output bit.
type OutputLine struct {
	Bit           string  `json:"bit"`
	Values        string  `json:"values"` // the values that have the bit, as a condition on its fluent
	Wrong         int     `json:"wrong"`
	WrongSeen     int     `json:"wrong_seen"`
	Error         float64 `json:"error"`
	DistinctError float64 `json:"distinct_error"`
}

// FluentLine is the error of a fluent's value, and its confusion matrix.
type FluentLine struct {
	Fluent        string          `json:"fluent"`
	Wrong         int             `json:"wrong"`
	WrongSeen     int             `json:"wrong_seen"`
	Error         float64         `json:"error"`
	DistinctError float64         `json:"distinct_error"`
	Confusion     []ConfusionLine `json:"confusion"` // pairs that occur, by true value
}

// ConfusionLine counts the rows with a pair of true and predicted values of a fluent, equal
// or not. Values are bool or int64; a predicted value may be out of range.
type ConfusionLine struct {
	Truth     any `json:"truth"`
	Predicted any `json:"predicted"`
	Rows      int `json:"rows"` // distinct
	Seen      int `json:"rows_seen"`
}

func errorLine(p *load.Problem, m *train.Measure) *ErrorLine {
	l := &ErrorLine{
		Rows: m.Rows, Wrong: m.WrongRows, Seen: m.Total, WrongSeen: m.TotalRows, RowError: m.RowError(true), BitError: m.BitError(true),
		DistinctRowError: m.RowError(false), DistinctBitError: m.BitError(false),
	}
	for i, wrong := range m.TotalBits {
		if wrong > 0 {
			if l.Bits == nil {
				l.Bits = map[string]float64{}
			}
			l.Bits[p.Problem.BitName(p.Problem.Outputs[i])] = share(wrong, m.Total)
		}
	}
	return l
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// measure is errorLine with all its details.
func measure(p *load.Problem, net *bnn.Network, trained load.Trained, rows *train.Examples) (*ErrorLine, error) {
	m, err := train.Test(net, rows)
	if err != nil {
		return nil, err
	}
	l := errorLine(p, m)
	for i, b := range p.Problem.Outputs {
		l.Outputs = append(l.Outputs, OutputLine{
			Bit: p.Problem.BitName(b), Values: p.Problem.Condition(factored.Lit{Bit: b}), Wrong: m.WrongBits[i], WrongSeen: m.TotalBits[i],
			Error: share(m.TotalBits[i], m.Total), DistinctError: share(m.WrongBits[i], m.Rows),
		})
	}
	if seen := trained.Seen; seen != nil && !seen.AllLegal() {
		n := 0
		for i := range rows.Rows() {
			if !seen.Has(rows.Input(i)) {
				n++
			}
		}
		l.Unseen = &n
	}
	if trained.Support != nil {
		q := *p
		q.Network, q.Support = net, trained.Support
		l.Supported = supported(net, load.Scoped(&q).Support, rows)
	}
	l.Worst, err = worst(p, net, rows)
	return l, err
}

// supported counts the rows that the training rows support.
func supported(net *bnn.Network, s *coverage.Support, rows *train.Examples) *SupportedLine {
	l := &SupportedLine{Class: s.Class()}
	eval := bnn.NewEvaluator(net)
	scratch, out := eval.NewScratch(), make([]uint64, bnn.Words(rows.Outputs))
	for i := range rows.Rows() {
		eval.Forward(out, rows.Input(i), scratch)
		if len(s.Open(rows.Input(i), out)) > 0 {
			continue
		}
		l.Rows++
		for o := range rows.Outputs {
			if s.Asks(o) && (out[o/64]^rows.Output(i)[o/64])>>(o%64)&1 == 1 {
				l.Wrong++
				break
			}
		}
	}
	return l
}

// worst finds the fluent whose value is wrong most often, the first of several,
// and its confusion.
func worst(p *load.Problem, net *bnn.Network, rows *train.Examples) (*FluentLine, error) {
	var fluents []*factored.Variable
	var groups [][]int
	for i, b := range p.Problem.Outputs {
		v, _ := p.Problem.Owner(b)
		if n := len(fluents); n == 0 || fluents[n-1] != v {
			fluents, groups = append(fluents, v), append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], i)
	}
	cells, err := train.Confusions(net, rows, groups)
	if err != nil {
		return nil, err
	}
	var worst *FluentLine
	for k, v := range fluents {
		l := &FluentLine{Fluent: v.Name}
		value := func(x uint64) any {
			var sum int64
			for j, i := range groups[k] {
				if x>>(len(groups[k])-1-j)&1 == 1 {
					_, at := p.Problem.Owner(p.Problem.Outputs[i])
					sum += v.Weight(at)
				}
			}
			if v.Bool {
				return sum != 0
			}
			return sum
		}
		for _, c := range cells[k] {
			if c.Truth != c.Predicted {
				l.Wrong, l.WrongSeen = l.Wrong+c.Rows, l.WrongSeen+c.Total
			}
			l.Confusion = append(l.Confusion, ConfusionLine{value(c.Truth), value(c.Predicted), c.Rows, c.Total})
		}
		l.Error, l.DistinctError = share(l.WrongSeen, rows.Total()), share(l.Wrong, rows.Rows())
		if l.Wrong > 0 && (worst == nil || l.WrongSeen > worst.WrongSeen) {
			worst = l
		}
	}
	return worst, nil
}

// Tested is the outcome of `fdplan test`.
type Tested struct {
	Schema  int          `json:"schema"`
	Problem string       `json:"problem"`
	Network string       `json:"network"`
	Trained *TrainedLine `json:"trained_on"` // null if the file does not contain them
	Data    *ErrorLine   `json:"data"`       // null if no data set was given
	Legal   *ErrorLine   `json:"legal"`      // on every legal row; null if they are too many
	// Drawn is the error on legal rows drawn at random, if there are too many to list, and
	// null otherwise.
	Drawn *ErrorLine `json:"drawn"`
	// Unlisted is the reason why Legal is missing, absent if it is not.
	Unlisted string `json:"unlisted,omitempty"`
}

// TrainedLine describes the training rows as recorded in a network's file.
type TrainedLine struct {
	Rows     int  `json:"rows"`      // distinct
	AllLegal bool `json:"all_legal"` // they are the legal ones, as far as these can be listed
	Exact    bool `json:"exact"`     // each of them is known
}

const (
	maxLegal  = 20_000_000 // bounds the attempted steps for listing all legal rows
	DrawnRows = 200_000    // number of rows drawn if that does not suffice and no other is asked for
)

// Test measures a network file on a data set, which may be empty, and on all legal rows of
// the problem or, if they cannot be listed, on so many samples drawn from them with a seed.
func Test(ctx context.Context, p *load.Problem, network string, text []byte, data string, seed uint64, samples int) (*Tested, error) {
	if _, err := learner(p); err != nil {
		return nil, err
	}
	f, err := bnn.ReadFile(network, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if err := load.Fits(network, f, p.Problem); err != nil {
		return nil, err
	}
	trained, err := load.ReadTrained(network, f)
	if err != nil {
		return nil, err
	}
	var rows *train.Examples
	if data != "" {
		if rows, err = examples(ctx, p, data); err != nil {
			return nil, err
		}
	}
	return test(ctx, p, f.Network, trained, rows, seed, samples, maxLegal)
}

// test measures a network on rows, if there are any, and on legal ones, which are drawn if
// limit does not suffice to list them.
func test(ctx context.Context, p *load.Problem, net *bnn.Network, trained load.Trained, rows *train.Examples, seed uint64, samples, limit int) (*Tested, error) {
	out := &Tested{Schema: app.Schema, Problem: p.Problem.Name, Network: net.Shape()}
	seen := trained.Seen
	if seen != nil {
		out.Trained = &TrainedLine{Rows: seen.Rows(), AllLegal: seen.AllLegal(), Exact: seen.Exact()}
	}
	var err error
	if rows != nil {
		if out.Data, err = measure(p, net, trained, rows); err != nil {
			return nil, err
		}
	}
	if p.Truth == nil {
		out.Unlisted = "not known without RDDL"
		return out, nil
	}
	legal, err := train.Legal(ctx, p.Truth.Compiled, p.Truth.Sim, false, limit)
	switch {
	case err == nil:
		if out.Legal, err = measure(p, net, trained, legal); err == nil && seen != nil {
			none := out.Legal.Unseen == nil || *out.Legal.Unseen == 0
			out.Trained.AllLegal = none && seen.Exact() && seen.Rows() == legal.Rows()
		}
		return out, err
	case !errors.Is(err, train.ErrTooMany):
		return nil, err
	}
	_, number, _ := strings.Cut(err.Error(), ": ")
	out.Unlisted = "too many to list: " + number + "; test --prove compares them without a list"
	drawn, err := draw(ctx, p, seed, samples)
	switch {
	case err == nil:
		out.Drawn, err = measure(p, net, trained, drawn)
		return out, err
	case ctx.Err() != nil:
		return nil, err
	}
	out.Unlisted += fmt.Sprintf(", and to draw some of them fails: %v", err)
	return out, nil
}

// draw takes legal rows at random.
func draw(ctx context.Context, p *load.Problem, seed uint64, samples int) (*train.Examples, error) {
	schema, err := collect.Schema(p.Truth.Sim)
	if err != nil {
		return nil, err
	}
	d := &dataset.Data{Schema: schema, Rows: samples}
	err = collect.Rows(ctx, p.Truth.Sim, collect.Options{Rows: samples, Policy: collect.Restart, Seed: seed}, func(values []float64) error {
		d.Values = append(d.Values, values...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return train.FromData(d, p.Problem)
}

// String returns the line as text.
func (l *ErrorLine) String() string {
	s := fmt.Sprintf("%d of %d distinct rows wrong; row error %.3f %%, bit error %.4f %%", l.Wrong, l.Rows, 100*l.RowError, 100*l.BitError)
	switch {
	case l.Worst != nil:
		s += fmt.Sprintf("; worst fluent %s, %.3f %%", l.Worst.Fluent, 100*l.Worst.Error)
	case len(l.Bits) > 0:
		worst, most := "", 0.0
		for name, e := range l.Bits {
			if e > most || e == most && strings.Compare(name, worst) < 0 {
				worst, most = name, e
			}
		}
		fluent, _, integer := strings.Cut(worst, "#")
		least := map[bool]string{true: "at least "}[integer] // one bit of it is
		s += fmt.Sprintf("; %s wrong in %s%.3f %%", fluent, least, 100*most)
	}
	return s
}

// WriteText writes the outcome as text: a line for each set of rows and, if rows are wrong, a
// table of the output bits, each as the values that have it, and the confusion of the worst fluent. In tables rows count as
// often as they were seen, and once.
func (t *Tested) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", t.Problem, t.Network)
	if k := t.Trained; k != nil {
		of := ""
		if k.AllLegal {
			of = ", all that are legal"
		}
		fmt.Fprintf(&b, "trained on %d distinct rows%s\n", k.Rows, of)
	}
	exact := t.Trained != nil && t.Trained.Exact
	if t.Data != nil {
		t.Data.write(&b, "data", exact)
	}
	switch {
	case t.Legal != nil:
		t.Legal.write(&b, "all legal rows", exact)
	case t.Drawn != nil:
		t.Drawn.write(&b, "legal rows drawn at random", exact)
	}
	if t.Unlisted != "" {
		fmt.Fprintf(&b, "all legal rows: %s\n", t.Unlisted)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// maxCells bounds the confusions written as text.
const maxCells = 30

func (l *ErrorLine) write(b *strings.Builder, name string, exact bool) {
	fmt.Fprintf(b, "%s: %v\n", name, l)
	if l.Unseen != nil && *l.Unseen > 0 {
		least := map[bool]string{false: "at least "}[exact]
		fmt.Fprintf(b, "  %s%d of %d distinct rows were not among the training rows\n", least, *l.Unseen, l.Rows)
	}
	if s := l.Supported; s != nil {
		fmt.Fprintf(b, "  supported by the training rows: %d of %d distinct rows, %d of these wrong (%s)\n", s.Rows, l.Rows, s.Wrong, s.Class)
	}
	if l.Worst == nil {
		return
	}
	fmt.Fprintf(b, "  rows as often as they were seen: %d of %d wrong, %.3f %%; distinct rows: %d of %d, %.3f %%\n",
		l.WrongSeen, l.Seen, 100*l.RowError, l.Wrong, l.Rows, 100*l.DistinctRowError)
	fmt.Fprintf(b, "  %10s %10s %10s %10s  output\n", "wrong", "error", "distinct", "error")
	for _, o := range l.Outputs {
		fmt.Fprintf(b, "  %10d %8.3f %% %10d %8.3f %%  %s\n", o.WrongSeen, 100*o.Error, o.Wrong, 100*o.DistinctError, o.Values)
	}
	f := l.Worst
	fmt.Fprintf(b, "  worst fluent %s: %d wrong, %.3f %%; of distinct rows %d, %.3f %%\n", f.Fluent, f.WrongSeen, 100*f.Error, f.Wrong, 100*f.DistinctError)
	fmt.Fprintf(b, "  %10s %10s %10s %10s\n", "truth", "predicted", "rows", "distinct")
	for i, c := range f.Confusion {
		if i == maxCells {
			fmt.Fprintf(b, "  and %d more\n", len(f.Confusion)-i)
			break
		}
		fmt.Fprintf(b, "  %10v %10v %10d %10d\n", c.Truth, c.Predicted, c.Seen, c.Rows)
	}
}
