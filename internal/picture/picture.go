package picture

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/counted"
)

// MaxSteps bounds the plans that are drawn; pages and text list longer ones.
const MaxSteps = 400

// view is one way to draw a plan.
type view interface {
	// size is that of a frame, in pixels.
	size() (w, h float64)
	// base is the part common to all frames.
	base() []element
	// frame is what state k adds to the base.
	frame(k int) []element
	// whole is a drawing with all steps; nil if the base is one.
	whole() *scene
	// describe describes state k in words.
	describe(k int) string
	// legend explains a drawing's symbols.
	legend() string
	// source names the origin of facts that the plan lacks; empty if the plan lacks none.
	source() string
	// text draws the plan with characters, at most width of them per line if possible.
	text(b *strings.Builder, width int)
}

// sourceOf is the source of facts that are of a problem; "" if none was found.
func sourceOf(unknown, known, problem string) string {
	if problem == "" {
		return unknown + " not known: the plan does not say it, and no problem that does was found."
	}
	return known + " " + problem + "."
}

// Picture is a plan or a policy, ready to be drawn.
type Picture struct {
	what    string   // is drawn: "Plan of NAME"
	title   string   // the problem's name
	summary string   // status, reward and length
	verdict *Verdict // what is known of it
	steps   []string // the names of the steps; there is a state more
	view    view
	report  *Report // nil for none
}

// New determines the kind of a plan's problem from its variables, and returns its picture. It
// is an error if two variables have the same name.
func New(p *Plan, f Facts) (*Picture, error) {
	if p.Verdict.Lines == nil {
		own := *p
		own.Verdict.compose(p.Status)
		p = &own
	}
	h, err := newHistory(p, f.Goal)
	if err != nil {
		return nil, err
	}
	pic := &Picture{title: cmp.Or(p.Problem, "plan"), summary: p.summary(h.H()), verdict: &p.Verdict, view: viewOf(h, &f, p.Bands)}
	pic.what = "Plan of " + pic.title
	for k := range h.H() {
		pic.steps = append(pic.steps, h.step(k))
	}
	names, states := [2]string{"What happened", "What was planned"}, p.Planned
	if states == nil {
		names, states = [2]string{"What was planned", "What happened in the simulator"}, p.Observed
	}
	if len(states) < 2 || slices.EqualFunc(states, p.States, slices.Equal[[]Value]) {
		return pic, nil
	}
	second := &Plan{Problem: p.Problem, Texts: p.Texts, States: states, Actions: p.Actions[:min(len(states)-1, len(p.Actions))]}
	g, err := newHistory(second, f.Goal)
	if err != nil {
		return nil, err
	}
	if v := viewOf(g, &f, nil); reflect.TypeOf(v) == reflect.TypeOf(pic.view) {
		pic.view = newBeside(names, h, g, pic.view, v)
	} else { // a course that does not fit the special picture
		pic.view = newBeside(names, h, g, newTable(h, &f, p.Bands), newTable(g, &f, nil))
	}
	return pic, nil
}

// viewOf chooses the view of a history.
func viewOf(h *history, f *Facts, bands []Band) view {
	for _, try := range []func(*history, *Facts) view{newMaze, newDungeon, newStock, newAges} {
		if v := try(h, f); v != nil {
			return v
		}
	}
	return newTable(h, f, bands)
}

// Title returns the problem's name.
func (p *Picture) Title() string { return p.title }

// summary returns the plan's status, reward and length.
func (p *Plan) summary(h int) string {
	var parts []string
	if p.Status != "" {
		parts = append(parts, p.Status)
	}
	if p.Reward != nil {
		parts = append(parts, "reward "+strconv.FormatFloat(*p.Reward, 'g', -1, 64))
	}
	return strings.Join(append(parts, counted.Of(h, "step")), ", ")
}

// moment returns the name of state k.
func (p *Picture) moment(k int) string {
	if k == 0 {
		return "start"
	}
	return fmt.Sprintf("step %d of %d: %s", k, len(p.steps), p.steps[k-1])
}

// notes are written below a drawing.
func (p *Picture) notes() []string {
	out := []string{p.view.legend()}
	if s := p.view.source(); s != "" {
		out = append(out, s)
	}
	return out
}

// Text writes the picture with characters.
func (p *Picture) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", p.Title(), p.summary)
	for _, l := range p.verdict.Lines {
		fmt.Fprintf(&b, "%s\n", l)
	}
	p.view.text(&b, 80)
	if s := p.view.source(); s != "" {
		fmt.Fprintf(&b, "%s\n", s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// drawable refuses what is too large to display.
func (p *Picture) drawable() error {
	if h := len(p.steps); h > MaxSteps {
		return fmt.Errorf("the plan has %d steps; expected at most %d for a picture, or a name that ends in .html or .txt, without one", h, MaxSteps)
	}
	if w, h := p.view.size(); w*h > maxArea {
		return fmt.Errorf("the picture would be %.0f by %.0f pixels; expected at most %d in all: write it as text, to a name that ends in .txt", w, h, maxArea)
	}
	return nil
}

// maxArea bounds pictures by what browsers and memory can handle.
const maxArea = 30_000_000

// SVG writes a drawing with all steps.
func (p *Picture) SVG(w io.Writer) error {
	if err := p.drawable(); err != nil {
		return err
	}
	s := p.sheet()
	describe := make([]string, 0, len(p.steps)+1)
	for k := range len(p.steps) + 1 {
		describe = append(describe, p.moment(k)+": "+p.view.describe(k)+".")
	}
	describe = append(slices.Clone(p.verdict.Lines), describe...)
	return writeSVG(w, s, p.what+": "+p.summary, strings.Join(describe, " "))
}

// all returns the drawing of all steps.
func all(v view) *scene {
	if s := v.whole(); s != nil {
		return s
	}
	w, h := v.size()
	return &scene{w, h, v.base()}
}

// sheet returns the drawing of all steps between a heading and the notes.
func (p *Picture) sheet() *scene {
	const margin, head, lineHeight = 16, 58, 17
	inner := all(p.view)
	s := &scene{w: max(inner.w, 320) + 2*margin, parts: []element{
		{shape: words, x: margin, y: margin + 14, size: 17, bold: true, fill: ink, text: p.Title()},
		label(margin, margin+33, 13, start, faint, p.summary),
	}}
	y := float64(head)
	for i, l := range p.verdict.Lines {
		for _, part := range wrap(l, int((s.w-2*margin)/7.8)) {
			line := label(margin, y+10, 13, start, p.tone(i), part)
			line.bold = i == 0
			s.parts = append(s.parts, line)
			y += lineHeight
		}
	}
	y += 8
	s.parts = append(s.parts, as("", "", margin+(s.w-2*margin-inner.w)/2, y+6, inner.parts...))
	y += inner.h + 24
	for _, n := range p.notes() {
		for _, l := range wrap(n, int((s.w-2*margin)/6.2)) {
			s.parts = append(s.parts, label(margin, y, 12, start, faint, l))
			y += lineHeight
		}
	}
	s.h = y
	return s
}

// tone is the colour of line i of the verdict.
func (p *Picture) tone(i int) role {
	if v := p.verdict; i == 0 && v.Bad || strings.HasPrefix(v.Lines[i], "Unseen") || strings.HasPrefix(v.Lines[i], "Disputed") {
		return alarm
	}
	return ink
}

// wrap breaks text into lines of about n characters.
func wrap(text string, n int) []string {
	var out []string
	current := ""
	for _, w := range strings.Fields(text) {
		if current != "" && len(current)+1+len(w) > n {
			out = append(out, current)
			current = ""
		}
		if current != "" {
			current += " "
		}
		current += w
	}
	return append(out, current)
}

// shorten cuts a text that is longer than n characters.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
