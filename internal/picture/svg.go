package picture

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/svg"
)

// printer writes elements; its writer keeps the first error.
type printer struct {
	w *bufio.Writer
}

func (p *printer) f(format string, args ...any) { fmt.Fprintf(p.w, format, args...) }

// paint is the class of a shape: its colours.
func paint(e *element) string {
	out := "f-" + names[e.fill]
	if e.stroke != none {
		out += " s-" + names[e.stroke]
	}
	return out
}

func (p *printer) element(e *element) {
	rest := ""
	if e.stroke != none {
		rest += ` stroke-width="` + svg.Num(e.width) + `"`
	}
	if e.dashed {
		rest += ` stroke-dasharray="4 3"`
	}
	if e.opacity != 0 {
		rest += ` opacity="` + svg.Num(e.opacity) + `"`
	}
	switch e.shape {
	case group:
		p.f("<g")
		if e.thing != "" {
			p.f(` data-thing="%s"`, svg.Escape(e.thing))
		}
		if e.x != 0 || e.y != 0 || e.scale != 1 {
			p.f(` transform="translate(%s %s)`, svg.Num(e.x), svg.Num(e.y))
			if e.scale != 1 {
				p.f(" scale(%s)", strconv.FormatFloat(e.scale, 'f', 4, 64))
			}
			p.f(`"`)
		}
		p.f("%s>", rest)
		if e.title != "" {
			p.f("<title>%s</title>", svg.Escape(e.title))
		}
		p.elements(e.parts)
		p.f("</g>")
	case rectangle:
		p.f(`<rect class="%s" x="%s" y="%s" width="%s" height="%s"`, paint(e), svg.Num(e.x), svg.Num(e.y), svg.Num(e.w), svg.Num(e.h))
		if e.r != 0 {
			p.f(` rx="%s"`, svg.Num(e.r))
		}
		p.f("%s/>", rest)
	case circle:
		p.f(`<circle class="%s" cx="%s" cy="%s" r="%s"%s/>`, paint(e), svg.Num(e.x), svg.Num(e.y), svg.Num(e.r), rest)
	case line:
		var d strings.Builder
		for i, q := range e.points {
			d.WriteByte("ML"[min(i, 1)])
			d.WriteString(svg.Num(q.x) + " " + svg.Num(q.y))
		}
		if e.closed {
			d.WriteByte('Z')
		}
		p.f(`<path class="%s" d="%s"%s/>`, paint(e), d.String(), rest)
	case words:
		p.f(`<text class="%s" x="%s" y="%s" font-size="%s"`, paint(e), svg.Num(e.x), svg.Num(e.y), svg.Num(e.size))
		if e.anchor != start {
			p.f(` text-anchor="%s"`, [...]string{"start", "middle", "end"}[e.anchor])
		}
		if e.bold {
			p.f(` font-weight="600"`)
		}
		p.f("%s>%s</text>", rest, svg.Escape(e.text))
	}
}

func (p *printer) elements(es []element) {
	for i := range es {
		p.element(&es[i])
	}
}

// style is the style sheet of drawings: colours by class, for both themes.
func style(within string) string {
	return shapeStyle(within) + "\n" + colours(within, 0) + "\n@media screen and (prefers-color-scheme:dark){" + colours(within, 1) + "}\n"
}

// shapeStyle is the part of the style sheet that does not depend on the theme.
func shapeStyle(within string) string {
	return within + "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans',sans-serif}" +
		within + ".f-none{fill:none}" + within + "path{stroke-linejoin:round;stroke-linecap:round}"
}

// colours are the rules for the colours of a theme.
func colours(within string, theme int) string {
	var b strings.Builder
	for r := paper; r < roles; r++ {
		c := themes[theme][r]
		fmt.Fprintf(&b, "%s.f-%s{fill:#%02x%02x%02x}", within, names[r], c.R, c.G, c.B)
		fmt.Fprintf(&b, "%s.s-%s{stroke:#%02x%02x%02x}", within, names[r], c.R, c.G, c.B)
	}
	return b.String()
}

// writeSVG writes a scene as a separate file. The description is for screen readers.
func writeSVG(w io.Writer, s *scene, title, description string) error {
	p := &printer{w: bufio.NewWriter(w)}
	p.f(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" aria-labelledby="t d">`, svg.Num(s.w), svg.Num(s.h), svg.Num(s.w), svg.Num(s.h))
	p.f("\n<title id=\"t\">%s</title>\n<desc id=\"d\">%s</desc>\n<style>%s</style>\n", svg.Escape(title), svg.Escape(description), style(""))
	p.f(`<rect class="f-paper" width="%s" height="%s"/>`+"\n", svg.Num(s.w), svg.Num(s.h))
	for i := range s.parts {
		p.element(&s.parts[i])
		p.f("\n")
	}
	p.f("</svg>\n")
	return p.w.Flush()
}
