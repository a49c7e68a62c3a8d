package chart

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/svg"
)

// radius is that of markers, in points.
const radius = 3

// glyph is a marker: a filled polygon, its corners in units of the radius, y running
// up; or without corners a circle, filled or not.
type glyph struct {
	corners []point
	hollow  bool
}

// glyphs are the markers, of about the same weight to the eye. There is one more
// than there are tones, so that the series after the last tone looks different.
var glyphs = []glyph{
	{},
	{corners: []point{{-.95, -.95}, {.95, -.95}, {.95, .95}, {-.95, .95}}},
	{corners: []point{{0, 1.35}, {-1.2, -.8}, {1.2, -.8}}},
	{corners: []point{{0, 1.35}, {1.35, 0}, {0, -1.35}, {-1.35, 0}}},
	{corners: []point{{-.4, -1.3}, {.4, -1.3}, {.4, -.4}, {1.3, -.4}, {1.3, .4}, {.4, .4}, {.4, 1.3}, {-.4, 1.3}, {-.4, .4}, {-1.3, .4}, {-1.3, -.4}, {-.4, -.4}}},
	{hollow: true},
	{corners: []point{{0, -1.35}, {-1.2, .8}, {1.2, .8}}},
	{corners: []point{{-1.2, -1.1}, {1.2, 1.1}, {1.2, -1.1}, {-1.2, 1.1}}},
}

// glyph draws the marker of series i.
func (c *canvas) glyph(i int, at point) {
	g, t := &glyphs[i%len(glyphs)], tone(i)
	if g.corners == nil {
		class, stroke := "chart-f", ""
		if g.hollow {
			class, stroke = "chart-l", ` stroke-width="1.3"`
		}
		// Half a circle at a time: an arc of a whole one has no direction.
		fmt.Fprintf(&c.b, `<path class="%s %s" d="M%[3]s %[4]sA%[5]s %[5]s 0 0 0 %[6]s %[4]sA%[5]s %[5]s 0 0 0 %[3]s %[4]sZ"%[7]s/>`+"\n",
			class, t.class(), svg.Num(at.x+radius), svg.Num(at.y), svg.Num(radius), svg.Num(at.x-radius), stroke)
		return
	}
	ps := make([]point, len(g.corners))
	for k, q := range g.corners {
		ps[k] = point{at.x + q.x*radius, at.y - q.y*radius}
	}
	fmt.Fprintf(&c.b, `<path class="chart-f %s" d="%sZ"/>`+"\n", t.class(), path(ps))
}
