package draw

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/picture"
)

// Policy returns the picture of a policy with a run of it: that drawn by a seed, or the most likely one where seed is nil.
func Policy(d *policy.Document, seed *uint64) (*picture.Picture, error) {
	c, err := d.Course()
	if err != nil {
		return nil, err
	}
	says := d.Says()
	p := &picture.Policy{
		Problem: d.Problem, Summary: counted.Of(d.Reached, "state") + ", " + counted.Of(d.Horizon, "step"), Lines: []string{strings.ToUpper(says[:1]) + says[1:] + "."},
		Success: c.Success, Robust: d.Disturbances != nil, Run: c.Likely(), RunName: "the most likely run",
	}
	if seed != nil {
		p.Run, p.RunFails = c.Sample(*seed)
		p.RunName = fmt.Sprintf("the run drawn by seed %d", *seed)
	}
	for _, a := range d.Table.Actions {
		p.Actions = append(p.Actions, a.Text())
	}
	states(p, &d.Table)
	for _, layer := range c.Steps {
		var stands []picture.Stand
		for i := range layer {
			s := &layer[i]
			stand := picture.Stand{State: s.State, Spent: s.Spent, P: s.P, Value: s.Value, Action: s.Action, Goal: s.Goal}
			for _, b := range s.Next {
				stand.Next = append(stand.Next, picture.Branch{To: b.To, P: b.P})
			}
			stands = append(stands, stand)
		}
		p.Steps = append(p.Steps, stands)
	}
	return picture.NewPolicy(p)
}

// states writes the states of a table into p, by what varies among them, and of Booleans what is not as at the start.
func states(p *picture.Policy, t *policy.Table) {
	var varies []bool
	for v := range t.Variables {
		varies = append(varies, slices.ContainsFunc(t.States, func(s []any) bool { return s[v] != t.States[0][v] }))
	}
	axes := map[int]bool{}
	for v, name := range t.Variables {
		if t.Ranges != nil && t.Ranges[v] != nil && !slices.ContainsFunc(t.States, func(s []any) bool { _, ok := s[v].(int64); return !ok }) {
			axes[v] = true
			p.Axes = append(p.Axes, picture.Axis{Name: name, Lo: t.Ranges[v][0], Hi: t.Ranges[v][1]})
		}
	}
	for _, s := range t.States {
		var out picture.PolicyState
		var rest app.Values
		var parts []string
		for v, name := range t.Variables {
			e := app.Entry{Name: name, Value: s[v]}
			if axes[v] {
				out.Integers = append(out.Integers, s[v].(int64))
			} else {
				rest = append(rest, e)
			}
			switch isTrue, ok := s[v].(bool); {
			case !varies[v], ok && s[v] == t.States[t.Start][v]:
			case isTrue:
				parts = append(parts, name)
			case ok:
				parts = append(parts, "~"+name)
			default:
				parts = append(parts, fmt.Sprintf("%s=%v", name, s[v]))
			}
		}
		if out.Text = strings.Join(parts, ", "); out.Text == "" {
			out.Text = "as at the start"
		}
		out.Rest = rest.String()
		p.States = append(p.States, out)
	}
}
