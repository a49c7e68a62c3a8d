package picture

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/counted"
)

// EffectGroup are variables whose next values are drawn together.
type EffectGroup struct {
	Variables []string
	Contexts  []EffectContext
}

// EffectContext is a condition with what happens where it holds.
type EffectContext struct {
	When     string // empty for all other states and actions
	Rows     int    // that the probabilities were counted in; 0 if unknown
	Outcomes []Effect
}

// Effect is one outcome in words.
type Effect struct {
	P    float64
	Text string
}

// effects is the view of what is drawn in a step: a bar for each outcome, and arrows where two numbers change.
type effects struct {
	groups []EffectGroup
	parts  []element
	w, h   float64
}

// NewEffects returns the picture of what is drawn in a step.
func NewEffects(title, summary string, groups []EffectGroup) *Picture {
	e := &effects{groups: groups}
	e.lay()
	return &Picture{what: "Effects in " + title, title: title, summary: summary, verdict: &Verdict{}, view: e}
}

const (
	effectsWide                       = 700.0
	barLeft, barWide, barStep, barOff = 74.0, 150.0, 20.0, 12.0
	compassWide                       = 120.0
)

// lay places all parts, from top to bottom.
func (e *effects) lay() {
	y := 4.0
	for i := range e.groups {
		g := &e.groups[i]
		head := label(0, y+14, 14, start, ink, shorten("Drawn together: "+strings.Join(g.Variables, ", "), 80))
		if len(g.Variables) == 1 {
			head.text = shorten("Drawn: "+g.Variables[0], 80)
		}
		head.bold = true
		e.parts = append(e.parts, head)
		y += 30
		for j := range g.Contexts {
			y = e.context(g, &g.Contexts[j], y) + 14
		}
	}
	e.w, e.h = effectsWide, y
}

// context draws a context from y on, and returns where it ends.
func (e *effects) context(g *EffectGroup, c *EffectContext, y float64) float64 {
	when := "otherwise"
	if c.When != "" {
		when = c.When
	}
	top := y
	for _, l := range wrap(when, 62) {
		line := label(0, y+12, 12, start, ink, l)
		line.bold = true
		e.parts = append(e.parts, line)
		y += 16
	}
	if c.Rows > 0 {
		e.parts = append(e.parts, label(effectsWide, top+12, 11, end, faint, counted.Of(c.Rows, "row")))
	}
	y += 4
	bars := y
	for _, o := range c.Outcomes {
		e.parts = append(e.parts, as("outcome", percent(o.P)+": "+o.Text, 0, y,
			label(barLeft-8, barOff, 12, end, ink, percent(o.P)), rect(barLeft, 2, barWide, 12, 3, floor), rect(barLeft, 2, max(1, barWide*o.P), 12, 3, level),
			label(barLeft+barWide+10, barOff, 12, start, ink, shorten(o.Text, 46))))
		y += barStep
	}
	if arrows := compass(g.Variables, c.Outcomes); arrows != nil {
		e.parts = append(e.parts, as("directions", when, effectsWide-compassWide/2, bars+compassWide/2-4, arrows...))
		y = max(y, bars+compassWide-10)
	}
	return y
}

// change matches an effect that adds to a variable.
var change = regexp.MustCompile(`^(.+) ([+-]) ([0-9]{1,9})$`)

// compass draws outcomes that add to two variables as arrows, as thick as they are likely; nil for others.
func compass(variables []string, outcomes []Effect) (parts []element) {
	if len(variables) != 2 || len(outcomes) < 2 {
		return nil
	}
	turned, down := orient(variables[0], variables[1])
	rest := 0.0 // of outcomes that keep both
	for _, o := range outcomes {
		var d [2]float64
		if o.Text != "keep" {
			for _, part := range strings.Split(o.Text, ", ") {
				m := change.FindStringSubmatch(part)
				if m == nil || !slices.Contains(variables, m[1]) {
					return nil
				}
				d[slices.Index(variables, m[1])], _ = strconv.ParseFloat(m[2]+m[3], 64)
			}
		}
		if turned {
			d[0], d[1] = d[1], d[0]
		}
		if !down {
			d[1] = -d[1]
		}
		n := math.Hypot(d[0], d[1])
		if n == 0 {
			rest += o.P
			continue
		}
		x, y, w := d[0]/n, d[1]/n, 1.5+8*o.P
		tip := 6 + w
		parts = append(parts, stroke(agent, w, point{10 * x, 10 * y}, point{(38 - tip) * x, (38 - tip) * y}),
			area(agent, point{38 * x, 38 * y}, point{(38-tip)*x - tip*.6*y, (38-tip)*y + tip*.6*x}, point{(38-tip)*x + tip*.6*y, (38-tip)*y - tip*.6*x}),
			label(46*x+12*x*math.Abs(x), 46*y+3, 9, middle, faint, percent(o.P)))
	}
	if rest > 0 {
		parts = append(parts, disc(0, 0, 2+6*rest, agent))
	} else {
		parts = append(parts, disc(0, 0, 2, faint))
	}
	return parts
}

func (e *effects) size() (w, h float64) { return e.w, e.h }

func (e *effects) base() []element { return e.parts }

func (e *effects) frame(int) []element { return nil }

func (e *effects) whole() *scene { return nil }

func (e *effects) describe(int) string {
	n := 0
	for i := range e.groups {
		n += len(e.groups[i].Contexts)
	}
	return counted.Of(n, "context")
}

func (e *effects) legend() string {
	return "Each context with its outcomes and how often they were seen. What is not listed was never seen; that does not make it impossible."
}

func (e *effects) source() string { return "" }

func (e *effects) text(b *strings.Builder, _ int) {
	for i := range e.groups {
		for _, c := range e.groups[i].Contexts {
			when := c.When
			if when == "" {
				when = "otherwise"
			}
			fmt.Fprintf(b, "%s\n", when)
			for _, o := range c.Outcomes {
				fmt.Fprintf(b, "  %8s  %s\n", percent(o.P), o.Text)
			}
		}
	}
}
