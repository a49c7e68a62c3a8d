package learn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/experiment/chart"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// Report is how training went and how the network does.
type Report struct {
	problem string
	history []train.Record
	tested  *Tested
	heldOut bool   // rows chose the epoch
	found   *Found // by the structure recipe; nil otherwise
	of      *factored.Problem
}

// ReportFile is one file of a report.
type ReportFile struct {
	Name  string
	Write func(io.Writer) error
}

// NewReport measures the network that training gave on the whole data set and on the
// legal rows of the problem, as Test does, and puts that beside the course of
// training. Where ctx has ended, as it has after an interrupted training, the data
// set alone is measured. A report depends on what training depends on, and on
// nothing else: not on time or threads.
func NewReport(ctx context.Context, p *load.Problem, t *Trained) (*Report, error) {
	trained, err := load.ReadTrained("", t.file)
	if err != nil {
		return nil, err
	}
	r := &Report{problem: t.Problem, history: t.history, heldOut: t.chosen, found: t.Found, of: p.Problem}
	r.tested, err = test(ctx, p, t.file.Network, trained, t.from, Testing{Legal: p.Truth != nil})
	if err != nil && ctx.Err() != nil {
		r.tested, err = test(ctx, p, t.file.Network, trained, t.from, Testing{})
		if err == nil {
			r.tested.Unlisted = "not measured, " + context.Cause(ctx).Error()
		}
	}
	return r, err
}

// Files are the report:
//
//   - of the dense recipe epochs.csv, loss, edges and errors after each epoch, and
//     epochs.svg, the same drawn;
//   - of the structure recipe structure.txt and structure.json, what was found of
//     each output bit, and structure.svg, which variables depend on which;
//   - errors.txt and errors.json: what `fdplan test` says of the network and the
//     whole data set.
func (r *Report) Files() []ReportFile {
	files := []ReportFile{{"epochs.csv", r.writeCSV}, {"epochs.svg", r.writeSVG}}
	if r.found != nil {
		files = []ReportFile{
			{"structure.txt", r.found.writeText},
			{"structure.json", func(w io.Writer) error { return app.WriteJSON(w, r.found) }},
			{"structure.svg", r.found.writeSVG(r.of)},
		}
	}
	return append(files,
		ReportFile{"errors.txt", r.tested.WriteText},
		ReportFile{"errors.json", func(w io.Writer) error { return app.WriteJSON(w, r.tested) }})
}

// writeCSV writes a line an epoch; what an epoch does not have is empty. Errors are
// of the network before the discrete search.
func (r *Report) writeCSV(w io.Writer) error {
	_, err := fmt.Fprintln(w, "epoch,loss,edges,best,train_wrong,train_row_error,train_bit_error,test_wrong,test_row_error,test_bit_error,polished_wrong")
	for _, e := range r.history {
		best, test, polished := "", ",,", ""
		if e.Best {
			best = "1"
		}
		if r.heldOut {
			test = errorsCSV(e.Test)
		}
		if e.Polished >= 0 {
			polished = strconv.Itoa(e.Polished)
		}
		_, failed := fmt.Fprintf(w, "%d,%g,%d,%s,%s,%s,%s\n", e.Epoch, e.Loss, e.Edges, best, errorsCSV(e.Train), test, polished)
		err = errors.Join(err, failed)
	}
	return err
}

func errorsCSV(e train.Errors) string {
	return fmt.Sprintf("%d,%g,%g", e.Wrong, e.RowError, e.BitError)
}

// writeSVG draws the loss, and the errors in percent. Errors of 0 have no place on
// the logarithmic axis: a line ends where nothing is wrong any more.
func (r *Report) writeSVG(w io.Writer) error {
	series := func(name string, value func(*train.Record) float64) chart.Series {
		s := chart.Series{Name: name}
		for i := range r.history {
			s.X = append(s.X, float64(r.history[i].Epoch))
			s.Y = append(s.Y, value(&r.history[i]))
		}
		return s
	}
	epochs := chart.Axis{Label: "epoch"}
	loss := chart.Chart{
		Title: r.problem + ": loss", X: epochs, Y: chart.Axis{Label: "loss", Log: true},
		Series: []chart.Series{series("", func(e *train.Record) float64 { return e.Loss })},
	}
	wrong := chart.Chart{Title: r.problem + ": errors", X: epochs, Y: chart.Axis{Label: "wrong, %", Log: true}, Series: []chart.Series{
		series("training rows", func(e *train.Record) float64 { return 100 * e.Train.RowError }),
		series("training bits", func(e *train.Record) float64 { return 100 * e.Train.BitError }),
	}}
	if r.heldOut {
		wrong.Series = append(wrong.Series,
			series("held-out rows", func(e *train.Record) float64 { return 100 * e.Test.RowError }),
			series("held-out bits", func(e *train.Record) float64 { return 100 * e.Test.BitError }))
	}
	return chart.WriteSVG(w, loss, wrong)
}
