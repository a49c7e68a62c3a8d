package chart

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of one chart, and what is left free around it, in points.
const (
	width  vg.Length = 560
	height vg.Length = 300
	margin vg.Length = 8
)

// colours are those of Okabe and Ito that show on white.
var colours = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff}, color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff}, color.RGBA{0x56, 0xb4, 0xe9, 0xff}, color.RGBA{0x00, 0x00, 0x00, 0xff},
}

var (
	dashes = [][]vg.Length{nil, {5, 2}, {2, 2}, {7, 2, 2, 2}}
	glyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.CrossGlyph{}, draw.TriangleGlyph{}, draw.PlusGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}}
)

// WriteSVG draws charts, one above the other, as one SVG file. There must be at
// least one; a chart without points has empty axes.
func WriteSVG(w io.Writer, charts ...Chart) error {
	if len(charts) == 0 {
		return fmt.Errorf("%w: there is no chart", ErrValue)
	}
	canvas := vgsvg.New(width, height*vg.Length(len(charts)))
	all := draw.New(canvas)
	for i := range charts {
		p, err := charts[i].lay()
		if err != nil {
			return err
		}
		below := height * vg.Length(len(charts)-1-i)
		place := draw.Crop(all, margin, -margin, below+margin, below+height-margin-all.Size().Y)
		side := p.legend.Rectangle(place).Size().X + margin
		p.legend.Draw(place)
		p.Draw(draw.Crop(place, 0, -side, 0, 0))
	}
	_, err := canvas.WriteTo(w)
	return err
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
	p.Title.Text = c.Title
	p.legend.Top = true
	for _, t := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.legend.TextStyle} {
		t.Font.Variant = "Sans"
	}
	x, y := c.ranges()
	p.X.Label.Text, p.Y.Label.Text = c.X.Label, c.Y.Label
	p.Add(plotter.NewGrid())
	if c.Diagonal {
		lo, hi := max(x[0], y[0]), min(x[1], y[1])
		l, err := plotter.NewLine(plotter.XYs{{X: lo, Y: lo}, {X: hi, Y: hi}})
		if err != nil {
			return nil, err
		}
		l.Color = color.Gray{0x99}
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
			xys[k] = plotter.XY{X: q[0], Y: q[1]}
		}
		line, points, err := plotter.NewLinePoints(xys)
		if err != nil {
			return fmt.Errorf("%w: %q: %w", ErrValue, s.Name, err)
		}
		line.Color, line.Dashes, line.Width = colours[i%len(colours)], dashes[i%len(dashes)], 1
		points.Color, points.Shape, points.Radius = colours[i%len(colours)], glyphs[i%len(glyphs)], 2
		if s.Style == Steps {
			line.StepStyle = plotter.PostStep
		}
		if s.Style != Points {
			p.Add(line)
			legend = line
		}
		// A point alone shows no line.
		if s.Style != Line || len(run) == 1 {
			p.Add(points)
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
				t.Label = strconv.FormatFloat(v, 'g', 3, 64)
			}
			if m == 1 || last-first <= 10 {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}
