package learn

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/outcomes"
	"github.com/fdplan/fdplan/internal/experiment/chart"
)

// mostDrawn is the number of rows of a quantity that are drawn: of more, the first.
const mostDrawn = 150

// CanDraw returns an error if there is nothing to draw in a file of that name.
func (t *Tested) CanDraw(name string) error {
	switch {
	case !strings.HasSuffix(strings.ToLower(name), ".svg"):
		return fmt.Errorf("%s: the picture of quantities is an SVG; expected a name that ends in .svg", name)
	case len(t.Quantities) == 0:
		return errors.New("there is no quantity with a function to draw on data; expected a network that has some, and a data set")
	}
	return nil
}

// WriteFit draws what was predicted one and several steps ahead beside what was logged, with the bands that grow with the
// run's misses.
func (t *Tested) WriteFit(w io.Writer) error {
	var charts []chart.Chart
	for i := range t.Quantities {
		q := &t.Quantities[i]
		for k, ahead := range []string{"one step", fmt.Sprintf("%d steps", q.Steps)} {
			if len(q.Fit[k]) == 0 {
				continue
			}
			logged := chart.Series{Name: "logged", Style: chart.Points}
			predicted, band := chart.Series{Name: "predicted"}, chart.Series{Name: fmt.Sprintf("band, %g %%", 100*q.Share)}
			drawn := q.Fit[k][:min(mostDrawn, len(q.Fit[k]))]
			add := func(s *chart.Series, f *outcomes.Fit, y float64) {
				s.X, s.Y = append(s.X, float64(f.Row+1)), append(s.Y, y)
			}
			for i := range drawn {
				f := &drawn[i]
				add(&logged, f, f.Logged)
				add(&predicted, f, f.Predicted)
				add(&band, f, f.Low)
			}
			for _, f := range slices.Backward(drawn) { // and back, around the area
				add(&band, &f, f.High)
			}
			charts = append(charts, chart.Chart{
				Title: q.Fluent + ", predicted " + ahead + " ahead", X: chart.Axis{Label: "row"}, Y: chart.Axis{Label: q.Fluent},
				Series: []chart.Series{band, logged, predicted}, Width: 760, Height: 340,
			})
		}
	}
	return chart.WriteSVG(w, charts...)
}
