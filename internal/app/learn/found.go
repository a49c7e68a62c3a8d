package learn

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/svg"
	"github.com/fdplan/fdplan/problem/factored"
)

// FoundLine is what the structure recipe found about an output bit.
type FoundLine struct {
	Bit    string   `json:"bit"`
	Inputs []string `json:"inputs"` // bits
	How    string   `json:"how"`    // "table" or "tree"
	// Cells counts the joint values of the inputs that rows have, of Possible; a
	// number beyond 2^53 is given as 0.
	Cells    int   `json:"cells"`
	Possible int64 `json:"possible"`
	// Wrong counts the rows that do not follow the function, of Rows; Held those
	// held out that did not follow what was learned without them.
	Wrong   int    `json:"wrong"`
	Rows    int    `json:"rows"`
	Held    int    `json:"held_out_wrong"`
	Verdict string `json:"verdict"` // "exact", "noise" or "hidden state"
}

// Found is what the structure recipe found.
type Found struct {
	Noisy   bool        `json:"noisy"` // exceptions were expected
	Outputs []FoundLine `json:"outputs"`

	links []link
}

// link says that a variable after a step depends on one before it.
type link struct{ from, to string }

func foundOf(p *load.Problem, st *structure.Structure) *Found {
	f := &Found{Noisy: st.Noisy}
	seen := map[link]bool{}
	for i := range st.Outputs {
		o := &st.Outputs[i]
		to, _ := p.Problem.Owner(p.Problem.Outputs[i])
		l := FoundLine{Bit: p.Problem.BitName(p.Problem.Outputs[i]), Inputs: []string{}, How: string(o.Kind), Cells: o.Cells, Wrong: o.Wrong, Rows: o.Rows, Held: o.Held, Verdict: string(o.Verdict)}
		if n := len(o.Inputs); n <= 53 {
			l.Possible = 1 << n
		}
		for _, k := range o.Inputs {
			b := p.Problem.Inputs[k]
			from, _ := p.Problem.Owner(b)
			l.Inputs = append(l.Inputs, p.Problem.BitName(b))
			if x := (link{from.Name, to.Name + "'"}); !seen[x] {
				seen[x] = true
				f.links = append(f.links, x)
			}
		}
		f.Outputs = append(f.Outputs, l)
	}
	return f
}

// writeText writes a line an output.
func (f *Found) writeText(w io.Writer) error {
	var b strings.Builder
	if f.Noisy {
		b.WriteString("The rows have exceptions: inputs were chosen by the shortest description.\n")
	}
	fmt.Fprintf(&b, "%-14s %-6s %16s %16s %10s  output bit: inputs\n", "verdict", "by", "cells seen", "rows wrong", "held out")
	for _, o := range f.Outputs {
		possible := "2^" + fmt.Sprint(len(o.Inputs))
		if len(o.Inputs) < 14 {
			possible = fmt.Sprint(o.Possible)
		}
		fmt.Fprintf(&b, "%-14s %-6s %16s %16s %10d  %s: %s\n", o.Verdict, o.How, fmt.Sprintf("%d of %s", o.Cells, possible),
			fmt.Sprintf("%d of %d", o.Wrong, o.Rows), o.Held, o.Bit, strings.Join(o.Inputs, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// warnings say, in a line each, which verdicts need a look.
func (f *Found) warnings() []string {
	var lines []string
	for _, v := range []structure.Verdict{structure.Noise, structure.Hidden} {
		var bits []string
		for _, o := range f.Outputs {
			if o.Verdict == string(v) {
				bits = append(bits, o.Bit)
			}
		}
		if len(bits) == 0 {
			continue
		}
		what := "some rows are exceptions, as often whatever the inputs: single values were recorded wrongly, or chance decides"
		if v == structure.Hidden {
			what = "exceptions gather at some values of the inputs: something that is not recorded decides (hidden state), or inputs were recorded wrongly"
		}
		const most = 5
		names := strings.Join(bits[:min(most, len(bits))], ", ")
		if len(bits) > most {
			names += ", …"
		}
		lines = append(lines, fmt.Sprintf("%d of %d output bits (%s): %s", len(bits), len(f.Outputs), names, what))
	}
	return lines
}

// writeSVG draws the structure: variables before the step on the left, after it
// on the right, and a line for each dependence.
func (f *Found) writeSVG(p *factored.Problem) func(io.Writer) error {
	return func(w io.Writer) error {
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
		before, after := variablesOf(p, p.Inputs, ""), variablesOf(p, p.Outputs, "'")
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
		for _, l := range f.links {
			y1, y2, class := left[l.from], right[l.to], "link"
			if l.from+"'" == l.to {
				class = "own"
			}
			fmt.Fprintf(&b, `<path class="%s" d="M%s %sC%s %s %s %s %s %s"><title>%s depends on %s</title></path>`+"\n", class,
				svg.Num(x1), svg.Num(y1), svg.Num(x1+110), svg.Num(y1), svg.Num(x2-110), svg.Num(y2), svg.Num(x2), svg.Num(y2), svg.Escape(l.to), svg.Escape(l.from))
		}
		_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" role="img" aria-label="Which variables depend on which">
<style>svg{background:#fff}text{font:%spx system-ui,sans-serif;fill:#1f2328}path{fill:none;stroke:#0072b2;stroke-width:1.2}path.own{stroke:#b9bdc2}path:hover{stroke:#d55e00;stroke-width:3}
@media screen and (prefers-color-scheme:dark){svg{background:#15181c}text{fill:#e8eaed}path{stroke:#56b4e9}path.own{stroke:#4a525b}}</style>
<text x="%s" y="14" text-anchor="end">state and action</text><text x="%s" y="14">next state</text>
%s</svg>
`, svg.Num(x2+gap+7.2*float64(max(widest, 10))+10), svg.Num(height), svg.Num(size), svg.Num(x1-gap), svg.Num(x2+gap), b.String())
		return err
	}
}

// variablesOf lists the variables of bits, each once, in order.
func variablesOf(p *factored.Problem, bits []factored.Bit, suffix string) []string {
	var names []string
	for _, b := range bits {
		v, _ := p.Owner(b)
		if name := v.Name + suffix; len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names
}
