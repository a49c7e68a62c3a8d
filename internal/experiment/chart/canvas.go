package chart

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/svg"
)

// tone is a colour by purpose: its value depends on the reader's theme. Tones from 0 on are
// those of series.
type tone int

const (
	ink   tone = -1 - iota // texts and axes
	grid                   // lines that lead the eye
	guide                  // the diagonal
)

// themes has the series' colours on light and on dark paper: those of Okabe and
// Ito that show there, the same hues in the same places.
var themes = [2][]string{
	{"#0072b2", "#d55e00", "#009e73", "#c0589a", "#b87f00", "#3a97d0", "#000000"},
	{"#56b4e9", "#ff8a3d", "#2fc79a", "#e3a3c8", "#f0c419", "#9fd4f5", "#f2f4f7"},
}

func (t tone) class() string {
	switch t {
	case ink:
		return "chart-ink"
	case grid:
		return "chart-grid"
	case guide:
		return "chart-guide"
	}
	return "chart-" + strconv.Itoa(int(t)%len(themes[0]))
}

// StyleSheet is the style sheet of charts, for pages that contain them inline.
func StyleSheet() string {
	var b strings.Builder
	b.WriteString(".chart text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans',sans-serif;fill:currentColor}" +
		".chart-l{fill:none;stroke:currentColor}.chart-f{fill:currentColor}.chart-hit{fill:transparent}.chart g:hover>.chart-f{stroke:currentColor;stroke-width:3}\n")
	for i, sheet := range []string{"%s", "@media screen and (prefers-color-scheme:dark){%s}\n"} {
		other := [2]string{".chart{background:#fff}.chart-ink{color:#1f2328}.chart-grid{color:#e4e2dc}.chart-guide{color:#8b8f94}",
			".chart{background:#15181c}.chart-ink{color:#e8eaed}.chart-grid{color:#2e343b}.chart-guide{color:#7d848d}"}[i]
		for k, c := range themes[i] {
			other += fmt.Sprintf(".chart-%d{color:%s}", k, c)
		}
		fmt.Fprintf(&b, sheet, other+"\n")
	}
	return b.String()
}

// point is a position in the drawing, in points, with y increasing downwards.
type point struct{ x, y float64 }

// canvas writes SVG whose colours are classes.
type canvas struct{ b bytes.Buffer }

// path writes the points in SVG's notation.
func path(ps []point) string {
	var b strings.Builder
	for i, p := range ps {
		b.WriteByte("ML"[min(i, 1)])
		b.WriteString(svg.Num(p.x) + " " + svg.Num(p.y))
	}
	return b.String()
}

// line draws a line through the points.
func (c *canvas) line(t tone, width float64, dash string, ps ...point) {
	fmt.Fprintf(&c.b, `<path class="chart-l %s" d="%s" stroke-width="%s"`, t.class(), path(ps), svg.Num(width))
	if dash != "" {
		fmt.Fprintf(&c.b, ` stroke-dasharray="%s"`, dash)
	}
	c.b.WriteString("/>\n")
}

// The anchors of texts: which part of a text its place is.
const (
	start  = "start"
	middle = "middle"
	end    = "end"
)

// text writes a text in ink; a turned one runs upwards.
func (c *canvas) text(p point, size float64, anchor string, turned bool, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(&c.b, `<text class="%s" x="%s" y="%s" font-size="%s"`, ink.class(), svg.Num(p.x), svg.Num(p.y), svg.Num(size))
	if anchor != start {
		fmt.Fprintf(&c.b, ` text-anchor="%s"`, anchor)
	}
	if turned {
		fmt.Fprintf(&c.b, ` transform="rotate(-90 %s %s)"`, svg.Num(p.x), svg.Num(p.y))
	}
	fmt.Fprintf(&c.b, ">%s</text>\n", svg.Escape(text))
}

// titled draws a point with a title, shown where a pointer rests near it.
func (c *canvas) titled(t tone, title string, p point, draw func()) {
	if title == "" {
		draw()
		return
	}
	fmt.Fprintf(&c.b, `<g class="%s"><title>%s</title><circle class="chart-hit" cx="%s" cy="%s" r="6"/>`+"\n", t.class(), svg.Escape(title), svg.Num(p.x), svg.Num(p.y))
	draw()
	c.b.WriteString("</g>\n")
}

// width estimates the width of a text in a sans-serif font, in points.
func width(text string, size float64) float64 {
	var em float64
	for _, r := range text {
		switch {
		case strings.ContainsRune("iljI.,:;'|! ", r):
			em += 0.25
		case strings.ContainsRune("ftr()[]/-", r):
			em += 0.33
		case strings.ContainsRune("mwMW@%", r):
			em += 0.87
		case 'A' <= r && r <= 'Z':
			em += 0.69
		case r > 0x2e80: // as wide as high
			em++
		default:
			em += 0.556
		}
	}
	return em * size
}
