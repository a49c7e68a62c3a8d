package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Picture is a plan that can be drawn, as package picture makes it.
type Picture interface {
	SVG(w io.Writer) error
}

// Drawer draws the plan document in data; name is for messages.
type Drawer func(name string, data []byte) (Picture, error)

// Drawing is a picture of a plan.
type Drawing struct {
	Title, Caption string
	SVG            []byte // nil if there is none; Err is then the reason
	Err            string
	Record         int
}

// figure1 is the paper's Figure 1: plans as executed in the real system.
func (b *book) figure1(draw Drawer) *Figure {
	f := &Figure{Name: "figure1", Drawn: true, Title: "Figure 1: Cellda, planned naively and with what was learned",
		Caption: "Each panel is a state that the dungeon's simulator passed through."}
	for i := range b.records {
		r := &b.records[i]
		if r.Table != "figure1" {
			continue
		}
		f.Records = append(f.Records, i)
		d := Drawing{Record: i}
		d.Title, d.Caption = tell(r)
		switch {
		case r.Document == nil:
			d.Err = "the record has no plan"
		case draw == nil:
			d.Err = "there is nothing to draw plans with"
		default:
			var svg bytes.Buffer
			p, err := draw(r.ID, r.Document)
			if err == nil {
				err = p.SVG(&svg)
			}
			if d.SVG = svg.Bytes(); err != nil {
				d.SVG, d.Err = nil, tidy(err.Error())
			}
		}
		f.Drawings = append(f.Drawings, d)
	}
	// The attempt that fails stands first, as in the paper.
	slices.SortStableFunc(f.Drawings, func(x, y Drawing) int { return holds(&b.records[x.Record]) - holds(&b.records[y.Record]) })
	return f
}

// holds is 0 for a plan that fails in the simulator, 1 for others.
func holds(r *Record) int {
	if r.Simulator != nil && !*r.Simulator {
		return 0
	}
	return 1
}

// tell describes the outcome of a plan, from the record and its document.
func tell(r *Record) (title, caption string) {
	var d struct {
		Plan  []map[string]any `json:"plan"`
		Trace []map[string]any `json:"trace"`
		Says  string           `json:"simulator_says"`
	}
	waits := 0
	if json.Unmarshal(r.Document, &d) == nil {
		for waits < len(d.Plan) && len(d.Plan[waits]) == 0 {
			waits++
		}
	}
	title = "The plan with what was learned"
	if f := familyOf(r); f == "published" {
		title += " by the published network"
	}
	if r.Model == "naive" {
		title = "The naive plan, as if the enemy stood still,"
	}
	switch {
	case waits == 1:
		title += " waits a step, and"
	case waits > 1:
		title += fmt.Sprintf(" waits %d steps, and", waits)
	}
	switch {
	case r.Document == nil:
		title += " was not found"
	case holds(r) == 0 && len(d.Trace) > 0 && d.Trace[len(d.Trace)-1]["cellda-alive"] == false:
		title += " is caught"
	case holds(r) == 0:
		title += " fails in the simulator"
	default:
		title += " escapes"
	}
	caption = fmt.Sprintf("%s, horizon %d: %s", r.Problem, r.Horizon, r.Status)
	if r.Reward != nil {
		caption += fmt.Sprintf(", reward %g", *r.Reward)
	}
	switch {
	case r.Simulator == nil:
		caption += "; not tried in the simulator"
	case *r.Simulator:
		caption += "; it holds in the simulator"
	default:
		caption += "; it fails in the simulator"
	}
	if d.Says != "" {
		caption += ": " + tidy(d.Says)
	}
	return title, caption
}
