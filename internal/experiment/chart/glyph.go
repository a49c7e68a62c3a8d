package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// polygon is a filled marker, its corners in units of the radius. Those of gonum
// are hairlines, which are hard to see on a screen.
type polygon []vg.Point

// DrawGlyph fills the polygon.
func (g polygon) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.SetColor(style.Color)
	var p vg.Path
	for i, q := range g {
		to := vg.Point{X: at.X + q.X*style.Radius, Y: at.Y + q.Y*style.Radius}
		if i == 0 {
			p.Move(to)
			continue
		}
		p.Line(to)
	}
	p.Close()
	c.Fill(p)
}

// ring is a circle that is not filled.
type ring struct{}

// DrawGlyph draws the circle.
func (ring) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: 1.3})
	var p vg.Path
	p.Move(vg.Point{X: at.X + style.Radius, Y: at.Y})
	p.Arc(at, style.Radius, 0, 2*math.Pi)
	p.Close()
	c.Stroke(p)
}

// glyphs are the markers, of about the same weight to the eye. There is one more
// than there are tones, so that the series after the last tone looks different.
var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{},
	polygon{{X: -.95, Y: -.95}, {X: .95, Y: -.95}, {X: .95, Y: .95}, {X: -.95, Y: .95}},
	polygon{{X: 0, Y: 1.35}, {X: -1.2, Y: -.8}, {X: 1.2, Y: -.8}},
	polygon{{X: 0, Y: 1.35}, {X: 1.35, Y: 0}, {X: 0, Y: -1.35}, {X: -1.35, Y: 0}},
	polygon{{X: -.4, Y: -1.3}, {X: .4, Y: -1.3}, {X: .4, Y: -.4}, {X: 1.3, Y: -.4}, {X: 1.3, Y: .4}, {X: .4, Y: .4}, {X: .4, Y: 1.3}, {X: -.4, Y: 1.3}, {X: -.4, Y: .4}, {X: -1.3, Y: .4}, {X: -1.3, Y: -.4}, {X: -.4, Y: -.4}},
	ring{},
	polygon{{X: 0, Y: -1.35}, {X: -1.2, Y: .8}, {X: 1.2, Y: .8}},
	polygon{{X: -1.2, Y: -1.1}, {X: 1.2, Y: 1.1}, {X: 1.2, Y: -1.1}, {X: -1.2, Y: 1.1}},
}
