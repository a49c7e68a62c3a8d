package chart

import (
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/svg"
)

// Measures of the layout, in points.
const (
	defaultWidth  = 460.0
	defaultHeight = 300.0
	margin        = 8.0 // left free around a chart
	textSize      = 12.0
	tickSize      = 10.0         // of the labels of ticks
	gap           = 4.0          // between a text and what it belongs to
	tickLength    = 8.0          // minor ticks have half of it
	padding       = 6.0          // between an axis and the first value
	swatch        = 20.0         // the example in the legend
	rowHeight     = textSize + 4 // of the legend
	lineWidth     = 1.3
	axisWidth     = 0.5
)

var dashes = []string{"", "5 2", "2 2", "7 2 2 2"}

// WriteSVG draws charts, one above the other, as one SVG file that follows the
// theme of the reader's system; printed it is dark on light. There must be at
// least one; a chart without points has empty axes.
func WriteSVG(w io.Writer, charts ...Chart) error {
	return write(w, "<style>"+StyleSheet()+"</style>\n", charts)
}

// WriteInline is WriteSVG for a page that already contains the StyleSheet.
func WriteInline(w io.Writer, charts ...Chart) error { return write(w, "", charts) }

func write(w io.Writer, style string, charts []Chart) error {
	if len(charts) == 0 {
		return fmt.Errorf("%w: there is no chart", ErrValue)
	}
	var wide, high float64
	var titles []string
	c := &canvas{}
	for i := range charts {
		if err := charts[i].check(); err != nil {
			return err
		}
		w, h := charts[i].size()
		charts[i].draw(c, w, high, high+h)
		wide, high = max(wide, w), high+h
		titles = append(titles, charts[i].Title)
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" role="img" aria-label="%s">`+"\n%s%s</svg>\n",
		svg.Num(wide), svg.Num(high), svg.Escape(strings.Join(titles, "; ")), style, c.b.String())
	return err
}

// size is that of the drawing, in points.
func (c *Chart) size() (w, h float64) {
	w, h = defaultWidth, defaultHeight
	if c.Width > 0 {
		w = c.Width
	}
	if c.Height > 0 {
		h = c.Height
	}
	return w, h + rowHeight*float64(len(c.legendRows(w)))
}

// draw draws the chart into a stripe of the drawing of that width.
func (c *Chart) draw(to *canvas, wide, top, bottom float64) {
	rx, ry := c.ranges()
	x, y := c.X.scale(rx), c.Y.scale(ry)
	// The legend stands below, in as many rows as it needs: it hides nothing, and a
	// narrow screen shows all of it.
	rows := c.legendRows(wide)
	low := bottom
	bottom -= rowHeight * float64(len(rows))
	x.to = wide - margin - padding
	y.to = top + margin + padding
	if c.Title != "" {
		y.to += textSize + gap
	}
	axisY := bottom - margin - gap - tickSize - tickLength
	if c.X.Label != "" {
		axisY -= textSize + gap
	}
	axisX := margin + y.widest() + gap + tickLength
	if c.Y.Label != "" {
		axisX += textSize + gap
	}
	x.from, y.from = axisX+padding, axisY-padding
	c.grid(to, &x, &y)
	to.text(point{(x.from + x.to) / 2, top + margin + textSize - 2}, textSize, middle, false, c.Title)
	c.axes(to, &x, &y, axisX, axisY)
	to.text(point{(x.from + x.to) / 2, bottom - margin - 2}, textSize, middle, false, c.X.Label)
	to.text(point{margin + textSize - 2, (y.from + y.to) / 2}, textSize, middle, true, c.Y.Label)
	if lo, hi := max(x.lo, y.lo), min(x.hi, y.hi); c.Diagonal && lo < hi {
		to.line(guide, axisWidth*2, "", point{x.place(lo), y.place(lo)}, point{x.place(hi), y.place(hi)})
	}
	for i := range c.Series {
		c.series(to, i, &x, &y)
	}
	for r, row := range rows {
		at, y := margin, low-margin-rowHeight*(float64(len(rows)-r)-0.5)
		for _, i := range row {
			c.legend(to, i, at, y)
			at += c.entryWidth(i)
		}
	}
}

// entryWidth returns the width of an entry of the legend with the space after it.
// It has room for a font wider than the estimated one.
func (c *Chart) entryWidth(i int) float64 {
	return swatch + gap + width(c.Series[i].Name, textSize)*1.12 + 2*margin
}

// legendRows lays out the entries of the named series that are visible, in rows
// of a chart of that width.
func (c *Chart) legendRows(wide float64) [][]int {
	var rows [][]int
	left := 0.0
	for i := range c.Series {
		if c.Series[i].Name == "" || len(c.runs(&c.Series[i])) == 0 {
			continue
		}
		need := c.entryWidth(i)
		if len(rows) == 0 || need > left {
			rows, left = append(rows, nil), wide-2*margin
		}
		last := len(rows) - 1
		rows[last] = append(rows[last], i)
		left -= need
	}
	return rows
}

// legend draws the entry of series i, whose middle is at the height y.
func (c *Chart) legend(to *canvas, i int, x, y float64) {
	if c.Series[i].Style == Points {
		to.glyph(i, point{x + swatch/2, y})
	} else {
		to.line(tone(i), lineWidth, dashes[i%len(dashes)], point{x, y}, point{x + swatch, y})
	}
	to.text(point{x + swatch + gap, y + gap}, textSize, start, false, c.Series[i].Name)
}

// grid draws a line for each labelled tick.
func (c *Chart) grid(to *canvas, x, y *scale) {
	for _, t := range x.ticks {
		if t.label != "" {
			to.line(grid, axisWidth, "", point{x.place(t.value), y.from}, point{x.place(t.value), y.to})
		}
	}
	for _, t := range y.ticks {
		if t.label != "" {
			to.line(grid, axisWidth, "", point{x.from, y.place(t.value)}, point{x.to, y.place(t.value)})
		}
	}
}

// axes draws both axes with their ticks.
func (c *Chart) axes(to *canvas, x, y *scale, axisX, axisY float64) {
	length := func(t tick) float64 {
		if t.label == "" {
			return tickLength / 2
		}
		return tickLength
	}
	to.line(ink, axisWidth, "", point{x.from, axisY}, point{x.to, axisY})
	for _, t := range x.ticks {
		at := x.place(t.value)
		to.line(ink, axisWidth, "", point{at, axisY}, point{at, axisY + length(t)})
		to.text(point{at, axisY + tickLength + tickSize}, tickSize, middle, false, t.label)
	}
	to.line(ink, axisWidth, "", point{axisX, y.from}, point{axisX, y.to})
	for _, t := range y.ticks {
		at := y.place(t.value)
		to.line(ink, axisWidth, "", point{axisX - length(t), at}, point{axisX, at})
		to.text(point{axisX - tickLength - gap/2, at + tickSize*0.36}, tickSize, end, false, t.label)
	}
}

// series draws series i.
func (c *Chart) series(to *canvas, i int, x, y *scale) {
	s := &c.Series[i]
	for _, run := range c.runs(s) {
		ps := make([]point, len(run))
		for k, q := range run {
			ps[k] = point{x.place(s.X[q]), y.place(s.Y[q])}
		}
		if s.Style != Points {
			through := ps
			if s.Style == Steps {
				through = steps(ps)
			}
			to.line(tone(i), lineWidth, dashes[i%len(dashes)], through...)
		}
		// A point alone shows no line.
		if s.Style == Line && len(run) > 1 && s.Titles == nil {
			continue
		}
		for k, q := range run {
			mark := func() { to.glyph(i, ps[k]) }
			if s.Titles != nil {
				to.titled(tone(i), s.Titles[q], ps[k], mark)
			} else {
				mark()
			}
		}
	}
}

// steps joins points by lines that keep the height of a point until the next.
func steps(ps []point) []point {
	out := ps[:1:1]
	for k := 1; k < len(ps); k++ {
		out = append(out, point{ps[k].x, ps[k-1].y}, ps[k])
	}
	return out
}
