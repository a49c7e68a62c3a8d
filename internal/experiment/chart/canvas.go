package chart

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/svg"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// tone is a colour by what it is for: its value depends on the reader's theme,
// which gonum's own SVG canvas has no way to say. Tones from 0 on are those of
// series.
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

// RGBA makes a tone a color.Color, as gonum wants it; only the name of its
// class is ever written.
func (t tone) RGBA() (r, g, b, a uint32) { return 0, 0, 0, 0xffff }

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

// StyleSheet is the style sheet of charts, for pages that hold them inline.
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

// canvas is a vg.Canvas that writes SVG whose colours are classes and whose
// points can have titles. Positions are transformed here, so that the file has
// none of gonum's upside-down groups.
type canvas struct {
	b     bytes.Buffer
	w, h  vg.Length
	stack []state
}

// state is what Push saves. A point p is drawn at a p.X + c p.Y + e, b p.X + d
// p.Y + f, y running up.
type state struct {
	a, b, c, d, e, f float64
	tone             tone
	line             vg.Length
	dash             []vg.Length
}

func newCanvas(w, h vg.Length) *canvas {
	c := &canvas{w: w, h: h, stack: []state{{a: 1, d: 1, tone: ink}}}
	vg.Initialize(c)
	return c
}

func (c *canvas) top() *state { return &c.stack[len(c.stack)-1] }

// place is where a point is in the file, y running down.
func (c *canvas) place(p vg.Point) (x, y float64) {
	s := c.top()
	px, py := p.X.Points(), p.Y.Points()
	return s.a*px + s.c*py + s.e, c.h.Points() - (s.b*px + s.d*py + s.f)
}

func (c *canvas) Size() (w, h vg.Length) { return c.w, c.h }

func (c *canvas) SetLineWidth(w vg.Length) { c.top().line = w }

func (c *canvas) SetLineDash(dash []vg.Length, _ vg.Length) { c.top().dash = dash }

// SetColor takes tones; another colour, as gonum's black, is ink.
func (c *canvas) SetColor(col color.Color) {
	t, ok := col.(tone)
	if !ok {
		t = ink
	}
	c.top().tone = t
}

func (c *canvas) Rotate(rad float64) {
	s := c.top()
	sin, cos := math.Sincos(rad)
	s.a, s.b, s.c, s.d = s.a*cos+s.c*sin, s.b*cos+s.d*sin, s.c*cos-s.a*sin, s.d*cos-s.b*sin
}

func (c *canvas) Translate(p vg.Point) {
	s := c.top()
	px, py := p.X.Points(), p.Y.Points()
	s.e, s.f = s.e+s.a*px+s.c*py, s.f+s.b*px+s.d*py
}

func (c *canvas) Scale(x, y float64) {
	s := c.top()
	s.a, s.b, s.c, s.d = s.a*x, s.b*x, s.c*y, s.d*y
}

func (c *canvas) Push() { c.stack = append(c.stack, *c.top()) }

func (c *canvas) Pop() { c.stack = c.stack[:len(c.stack)-1] }

func (c *canvas) Stroke(p vg.Path) {
	s := c.top()
	if s.line <= 0 {
		return
	}
	fmt.Fprintf(&c.b, `<path class="chart-l %s" d="%s" stroke-width="%s"`, s.tone.class(), c.data(p), svg.Num(s.line.Points()))
	if len(s.dash) > 0 {
		var d []string
		for _, l := range s.dash {
			d = append(d, svg.Num(l.Points()))
		}
		fmt.Fprintf(&c.b, ` stroke-dasharray="%s"`, strings.Join(d, " "))
	}
	c.b.WriteString("/>\n")
}

func (c *canvas) Fill(p vg.Path) {
	fmt.Fprintf(&c.b, `<path class="chart-f %s" d="%s"/>`+"\n", c.top().tone.class(), c.data(p))
}

// data is a path in SVG's notation. Arcs are circles' or parts of them smaller
// than the whole; half a circle at a time leaves no doubt about which.
func (c *canvas) data(p vg.Path) string {
	var b strings.Builder
	to := func(command string, ps ...vg.Point) {
		b.WriteString(command)
		for i, q := range ps {
			if i > 0 {
				b.WriteByte(' ')
			}
			x, y := c.place(q)
			b.WriteString(svg.Num(x) + " " + svg.Num(y))
		}
	}
	for _, q := range p {
		switch q.Type {
		case vg.MoveComp:
			to("M", q.Pos)
		case vg.LineComp:
			to("L", q.Pos)
		case vg.CurveComp:
			to([]string{"L", "Q", "C"}[min(len(q.Control), 2)], append(q.Control, q.Pos)...)
		case vg.CloseComp:
			b.WriteByte('Z')
		case vg.ArcComp:
			at := func(angle float64) vg.Point {
				sin, cos := math.Sincos(angle)
				return vg.Point{X: q.Pos.X + q.Radius*vg.Length(cos), Y: q.Pos.Y + q.Radius*vg.Length(sin)}
			}
			command := "L"
			if b.Len() == 0 {
				command = "M"
			}
			to(command, at(q.Start))
			sweep := "0" // counter-clockwise where y runs up
			if q.Angle < 0 {
				sweep = "1"
			}
			for k := range 2 {
				r := svg.Num(q.Radius.Points())
				to("A"+r+" "+r+" 0 0 "+sweep+" ", at(q.Start+q.Angle*float64(k+1)/2))
			}
		}
	}
	return b.String()
}

func (c *canvas) FillString(f font.Face, p vg.Point, text string) {
	if f.Font.Size == 0 || text == "" {
		return
	}
	x, y := c.place(p)
	s := c.top()
	fmt.Fprintf(&c.b, `<text class="%s" x="%s" y="%s" font-size="%s"`, s.tone.class(), svg.Num(x), svg.Num(y), svg.Num(f.Font.Size.Points()))
	if angle := math.Atan2(s.b, s.a); math.Abs(angle) > 1e-9 {
		fmt.Fprintf(&c.b, ` transform="rotate(%s %s %s)"`, svg.Num(-angle*180/math.Pi), svg.Num(x), svg.Num(y))
	}
	fmt.Fprintf(&c.b, ">%s</text>\n", svg.Escape(text))
}

// DrawImage draws nothing: no chart has images.
func (c *canvas) DrawImage(vg.Rectangle, image.Image) {}

// titled draws a point with a title, shown where a pointer rests near it.
func (c *canvas) titled(title string, p vg.Point, draw func()) {
	if title == "" {
		draw()
		return
	}
	x, y := c.place(p)
	fmt.Fprintf(&c.b, `<g class="%s"><title>%s</title><circle class="chart-hit" cx="%s" cy="%s" r="6"/>`+"\n", c.top().tone.class(), svg.Escape(title), svg.Num(x), svg.Num(y))
	draw()
	c.b.WriteString("</g>\n")
}
