package structure

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/fdplan/fdplan/internal/svg"
)

// Link states that the variable To, after a step, depends on the variable From,
// before it. The name of a variable after a step ends with a prime.
type Link struct{ From, To string }

// WriteSVG draws a structure: the variables before a step on the left, those after
// it on the right, and a line for each dependence.
func WriteSVG(w io.Writer, before, after []string, links []Link) error {
	const row, size, top, gap = 18.0, 12.0, 30.0, 8.0
	left, right := map[string]float64{}, map[string]float64{}
	var b strings.Builder
	place := func(at map[string]float64, names []string, x float64, anchor string) float64 {
		for i, name := range names {
			y := top + row*float64(i)
			at[name] = y
			fmt.Fprintf(&b, `<text x="%s" y="%s" text-anchor="%s">%s</text>`+"\n", svg.Num(x), svg.Num(y+size/3), anchor, svg.Escape(name))
		}
		return top + row*float64(len(names))
	}
	longest := 0
	for _, n := range before {
		longest = max(longest, len(n))
	}
	x1 := 10 + 7.2*float64(longest)
	x2 := x1 + 260
	widest := 0
	for _, n := range after {
		widest = max(widest, len(n))
	}
	height := math.Max(place(left, before, x1-gap, "end"), place(right, after, x2+gap, "start"))
	for _, l := range links {
		y1, y2, class := left[l.From], right[l.To], "link"
		if l.From+"'" == l.To {
			class = "own"
		}
		fmt.Fprintf(&b, `<path class="%s" d="M%s %sC%s %s %s %s %s %s"><title>%s depends on %s</title></path>`+"\n", class,
			svg.Num(x1), svg.Num(y1), svg.Num(x1+110), svg.Num(y1), svg.Num(x2-110), svg.Num(y2), svg.Num(x2), svg.Num(y2), svg.Escape(l.To), svg.Escape(l.From))
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" role="img" aria-label="Which variables depend on which">
<style>svg{background:#fff}text{font:%spx system-ui,sans-serif;fill:#1f2328}path{fill:none;stroke:#0072b2;stroke-width:1.2}path.own{stroke:#b9bdc2}path:hover{stroke:#d55e00;stroke-width:3}
@media screen and (prefers-color-scheme:dark){svg{background:#15181c}text{fill:#e8eaed}path{stroke:#56b4e9}path.own{stroke:#4a525b}}</style>
<text x="%s" y="14" text-anchor="end">state and action</text><text x="%s" y="14">next state</text>
%s</svg>
`, svg.Num(x2+gap+7.2*float64(max(widest, 10))+10), svg.Num(height), svg.Num(size), svg.Num(x1-gap), svg.Num(x2+gap), b.String())
	return err
}
