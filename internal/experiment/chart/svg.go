package chart

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/svg"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The size of a chart that names none, and what is left free around it, in
// points.
const (
	width  vg.Length = 560
	height vg.Length = 300
	margin vg.Length = 8
)

var dashes = [][]vg.Length{nil, {5, 2}, {2, 2}, {7, 2, 2, 2}}

// WriteSVG draws charts, one above the other, as one SVG file that follows the
// theme of the reader's system; printed it is dark on light. There must be at
// least one; a chart without points has empty axes.
func WriteSVG(w io.Writer, charts ...Chart) error {
	return write(w, "<style>"+StyleSheet()+"</style>\n", charts)
}

// WriteInline draws as WriteSVG does, for a page that has the StyleSheet already.
func WriteInline(w io.Writer, charts ...Chart) error { return write(w, "", charts) }

func write(w io.Writer, style string, charts []Chart) error {
	if len(charts) == 0 {
		return fmt.Errorf("%w: there is no chart", ErrValue)
	}
	var wide, high vg.Length
	var titles []string
	for i := range charts {
		w, h := charts[i].size()
		wide, high = max(wide, w), high+h
		titles = append(titles, charts[i].Title)
	}
	c := newCanvas(wide, high)
	all := draw.New(c)
	top := high
	for i := range charts {
		p, err := charts[i].lay()
		if err != nil {
			return err
		}
		w, h := charts[i].size()
		place := draw.Crop(all, margin, w-wide-margin, top-h+margin, top-margin-high)
		top -= h
		// The legend stands in a column of its own at the right.
		// It has room for readers whose font is wider than the one measured with.
		side := p.legend.Rectangle(place).Size().X*1.12 + 2*margin
		p.legend.Draw(draw.Crop(place, place.Size().X-side+2*margin, 0, 0, 0))
		p.Draw(draw.Crop(place, 0, -side, 0, 0))
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" role="img" aria-label="%s">`+"\n%s%s</svg>\n",
		svg.Num(wide.Points()), svg.Num(high.Points()), svg.Escape(strings.Join(titles, "; ")), style, c.b.String())
	return err
}

// size is that of the drawing, in points.
func (c *Chart) size() (w, h vg.Length) {
	w, h = width, height
	if c.Width > 0 {
		w = vg.Length(c.Width)
	}
	if c.Height > 0 {
		h = vg.Length(c.Height)
	}
	return w, h
}

// laid is a chart whose legend stands beside it, where it hides nothing.
type laid struct {
	*plot.Plot
	legend plot.Legend
}

// lay lays out one chart.
func (c *Chart) lay() (*laid, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	p := &laid{plot.New(), plot.NewLegend()}
	p.Title.Text, p.BackgroundColor = c.Title, nil
	p.legend.Top, p.legend.Left, p.legend.Padding = true, true, 3
	for _, t := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.legend.TextStyle} {
		t.Font.Variant = "Sans"
	}
	x, y := c.ranges()
	p.X.Label.Text, p.Y.Label.Text = c.X.Label, c.Y.Label
	lines := plotter.NewGrid()
	lines.Horizontal.Color, lines.Vertical.Color = grid, grid
	p.Add(lines)
	if c.Diagonal {
		lo, hi := max(x[0], y[0]), min(x[1], y[1])
		l, err := plotter.NewLine(plotter.XYs{{X: lo, Y: lo}, {X: hi, Y: hi}})
		if err != nil {
			return nil, err
		}
		l.Color = guide
		p.Add(l)
	}
	for i := range c.Series {
		if err := c.add(p, i); err != nil {
			return nil, err
		}
	}
	// Last, since what is added widens the axes.
	c.X.set(&p.X, x)
	c.Y.set(&p.Y, y)
	return p, nil
}

// add draws series i.
func (c *Chart) add(p *laid, i int) error {
	s := &c.Series[i]
	var legend plot.Thumbnailer
	for _, run := range c.runs(s) {
		xys := make(plotter.XYs, len(run))
		for k, q := range run {
			xys[k] = plotter.XY{X: s.X[q], Y: s.Y[q]}
		}
		line, points, err := plotter.NewLinePoints(xys)
		if err != nil {
			return fmt.Errorf("%w: %q: %w", ErrValue, s.Name, err)
		}
		line.Color, line.Dashes, line.Width = tone(i), dashes[i%len(dashes)], 1.3
		points.Color, points.Shape, points.Radius = tone(i), glyphs[i%len(glyphs)], 3
		if s.Style == Steps {
			line.StepStyle = plotter.PostStep
		}
		if s.Style != Points {
			p.Add(line)
			legend = line
		}
		// A point alone shows no line.
		if s.Style != Line || len(run) == 1 || s.Titles != nil {
			p.Add(&marks{points, s, run})
		}
		if s.Style == Points {
			legend = points
		}
	}
	if s.Name != "" && legend != nil {
		p.legend.Add(s.Name, legend)
	}
	return nil
}

// marks are the points of a run, with their titles.
type marks struct {
	*plotter.Scatter
	series *Series
	run    []int
}

// Plot draws the points as plotter.Scatter does.
func (m *marks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	// What is cropped is a canvas around another.
	var whole vg.Canvas = c
	for part, ok := whole.(draw.Canvas); ok; part, ok = whole.(draw.Canvas) {
		whole = part.Canvas
	}
	mine, ok := whole.(*canvas)
	for _, i := range m.run {
		at := vg.Point{X: x(m.series.X[i]), Y: y(m.series.Y[i])}
		if ok && m.series.Titles != nil {
			mine.titled(m.series.Titles[i], at, func() { c.DrawGlyph(m.GlyphStyle, at) })
			continue
		}
		c.DrawGlyph(m.GlyphStyle, at)
	}
}

// set gives an axis its range, scale and ticks.
func (a *Axis) set(to *plot.Axis, r [2]float64) {
	to.Min, to.Max, to.Tick.Marker = r[0], r[1], plot.TickerFunc(linearTicks)
	if a.Log {
		to.Scale, to.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
	}
}

// linearTicks labels four to ten multiples of 1, 2 or 5 times a power of ten.
func linearTicks(lo, hi float64) []plot.Tick {
	step := math.Pow10(int(math.Floor(math.Log10((hi - lo) / 4))))
	for _, m := range []float64{5, 2} {
		if (hi-lo)/(m*step) >= 4 {
			step *= m
			break
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(lo / step); k*step <= hi; k++ {
		v := k * step
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
	}
	return ticks
}

// logTicks labels powers of ten, or where the range holds less than two of them
// also their multiples by 2 and 5, and marks all multiples.
func logTicks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	step := 1 + (last-first)/10
	for e := first; e <= last; e++ {
		for m := 1; m <= 9; m++ {
			v := float64(m) * math.Pow10(e)
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 && (e-first)%step == 0 || (m == 2 || m == 5) && last-first <= 2 {
				t.Label = power(m, e)
			}
			if m == 1 || last-first <= 10 {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// power is m times a power of ten, written out where that is short.
func power(m, e int) string {
	if e < -4 || e > 5 {
		return fmt.Sprintf("%de%d", m, e)
	}
	return strconv.FormatFloat(float64(m)*math.Pow10(e), 'f', max(0, -e), 64)
}
