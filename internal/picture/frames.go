package picture

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/svg"
)

// Frames is a picture in parts, for a page that shows one state at a time. The parts are SVG
// elements without the svg element around them; their colours are classes of StyleSheet.
type Frames struct {
	Title   string   `json:"title"`
	Summary string   `json:"summary"`
	Verdict []string `json:"verdict"` // the most important line first
	Bad     bool     `json:"bad"`     // the plan failed
	Width   float64  `json:"width"`   // of every frame, in pixels
	Height  float64  `json:"height"`
	Base    string   `json:"base"`    // common to all frames
	Frames  []Frame  `json:"frames"`  // one per state
	Choices []Choice `json:"choices"` // what can be chosen as an initial value
	Notes   []string `json:"notes"`
	// Whole is a complete svg element with all steps; empty if each frame shows them.
	Whole string `json:"whole,omitempty"`
}

// Frame is what a picture adds to its base for one state.
type Frame struct {
	Step   string `json:"step"`   // the actions that led here; "start" for the first state
	Text   string `json:"text"`   // the state in words
	Markup string `json:"markup"` // SVG elements
}

// Choice is an area of a picture that stands for initial values, such as a cell of a maze for
// the robot to start in.
type Choice struct {
	X      float64 `json:"x"` // the left upper corner, in pixels
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Title  string  `json:"title"`
	// Values are name=value. A Boolean that is set to true is the only true one of those with
	// its base name.
	Values []string `json:"values"`
}

// chooser is a view with choices.
type chooser interface{ choices() []Choice }

// Frames returns the picture in parts.
func (p *Picture) Frames() (*Frames, error) {
	if err := p.drawable(); err != nil {
		return nil, err
	}
	w, h := p.view.size()
	out := &Frames{
		Title: p.Title(), Summary: p.summary, Verdict: p.verdict.Lines, Bad: p.verdict.Bad,
		Width: w, Height: h, Base: markup(p.view.base()), Notes: p.notes(), Choices: []Choice{},
	}
	for k := range len(p.steps) + 1 {
		f := Frame{Step: "start", Text: p.view.describe(k), Markup: markup(p.view.frame(k))}
		if k > 0 {
			f.Step = p.steps[k-1]
		}
		out.Frames = append(out.Frames, f)
	}
	if c, ok := p.view.(chooser); ok {
		out.Choices = append(out.Choices, c.choices()...)
	}
	if s := p.view.whole(); s != nil && len(p.steps) > 0 {
		out.Whole = fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s">%s</svg>`,
			svg.Num(s.w), svg.Num(s.h), svg.Num(s.w), svg.Num(s.h), markup(s.parts))
	}
	return out, nil
}

// choices are the cells that are not blocked.
func (m *maze) choices() []Choice {
	var out []Choice
	for r, y := range m.rows {
		for c, x := range m.columns {
			p := place{c, r}
			name := "robot-at(" + x + "," + y + ")"
			if _, ok := m.h.index[name]; !ok || m.blocked[p] {
				continue
			}
			q := m.centre(p)
			out = append(out, Choice{q.x - cell/2, q.y - cell/2, cell, cell, "Start in cell " + m.name(p), []string{name + "=true"}})
		}
	}
	return out
}

// choices are the cells without a block.
func (d *dungeon) choices() []Choice {
	var out []Choice
	for y := range d.rows {
		for x := range d.columns {
			s := spot{int64(x), int64(y)}
			if slices.Contains(d.blocks, s) {
				continue
			}
			q := d.centre(s)
			out = append(out, Choice{q.x - cell/2, q.y - cell/2, cell, cell, "Cellda starts at " + s.String(),
				[]string{fmt.Sprintf("cellda-loc(x)=%d", x), fmt.Sprintf("cellda-loc(y)=%d", y)}})
		}
	}
	return out
}

// StyleSheet returns the colours of pictures for a page whose root element has the attribute
// data-theme, light or dark.
func StyleSheet() string {
	return shapeStyle("svg ") + colours("svg ", 0) + "\n" + colours(`[data-theme="dark"] svg `, 1) + "\n"
}
