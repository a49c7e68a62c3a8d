package act

import (
	"fmt"

	"github.com/fdplan/fdplan/certify/learned"
	"github.com/fdplan/fdplan/internal/execution/acting"
	"github.com/fdplan/fdplan/problem/factored"
)

// recordOf is what was observed and concluded, as the checker reads it.
func recordOf(p *factored.Problem, horizon int, res *acting.Result) *learned.Record {
	m := res.Model
	states, actions := p.Bits(factored.State), p.Bits(factored.Action)
	r := &learned.Record{
		Schema: learned.Schema, Problem: p.Name, Horizon: horizon, States: names(p, states), Actions: names(p, actions), Learned: names(p, m.Outputs),
		K: m.K, Start: digits(res.Start, states), Variables: []learned.Variable{}, Rows: []string{}, Clauses: []learned.Clause{}, Plan: []string{},
	}
	for i := range m.Variables {
		r.Variables = append(r.Variables, variableOf(p, &m.Variables[i]))
	}
	r.Reward = rewardOf(p, m.Reward)
	for _, s := range m.Shared() {
		r.Functions = append(r.Functions, learned.Function{Next: names(p, s.Outputs), Views: s.Places})
	}
	for _, state := range res.Ended {
		row := digits(state, states) + " - -"
		if m.Reward != nil {
			row += " 0"
		}
		r.Rows = append(r.Rows, row)
	}
	for _, t := range res.Observed {
		next := "-"
		if t.Next != nil {
			next = digits(t.Next, states)
		}
		row := digits(t.Now, states) + " " + digits(t.Now, actions) + " " + next
		if m.Reward != nil {
			reward, _ := acting.Micro(*t.Reward) // it was one before
			row += fmt.Sprint(" ", reward)
		}
		r.Rows = append(r.Rows, row)
	}
	for i := range m.Clauses {
		c := &m.Clauses[i]
		out := learned.Clause{Next: p.BitName(c.Output), Value: c.Value, If: []learned.Condition{}}
		for k, v := range c.Variables {
			out.If = append(out.If, learned.Condition{Variable: v, Is: pattern(c.Is[k], len(m.Variables[v].Bits))})
		}
		r.Clauses = append(r.Clauses, out)
	}
	if res.Trace != nil {
		for _, val := range res.Trace.Steps[:res.Trace.Horizon()] {
			r.Plan = append(r.Plan, digits(val, actions))
		}
	}
	if e := res.Extent; e != nil {
		r.Model = &learned.Model{States: e.States, Steps: e.Steps}
		for _, s := range e.From {
			r.Model.From = append(r.Model.From, digits(s, states))
		}
	}
	return r
}

func variableOf(p *factored.Problem, of *acting.Variable) learned.Variable {
	v := learned.Variable{Bits: names(p, of.Bits), Count: of.Count}
	for _, x := range of.Legal {
		if v.Count || len(v.Bits) == 0 {
			v.Legal = append(v.Legal, fmt.Sprint(x))
		} else {
			v.Legal = append(v.Legal, pattern(x, len(v.Bits)))
		}
	}
	return v
}

// rewardOf is what was concluded of a reward; nil if it was not learned.
func rewardOf(p *factored.Problem, m *acting.Reward) *learned.Reward {
	if m == nil {
		return nil
	}
	r := &learned.Reward{Most: m.Most, Degree: m.Degree, Next: m.Next, Known: [][]learned.Condition{}}
	for i := range m.Variables {
		r.Variables = append(r.Variables, variableOf(p, &m.Variables[i]))
	}
	for _, k := range m.Known {
		region := []learned.Condition{}
		for i, v := range k.Variables {
			region = append(region, learned.Condition{Variable: v, Is: pattern(k.Is[i], len(m.Variables[v].Bits))})
		}
		r.Known = append(r.Known, region)
	}
	return r
}

func names(p *factored.Problem, bits []factored.Bit) []string {
	all := []string{}
	for _, b := range bits {
		all = append(all, p.BitName(b))
	}
	return all
}

// digits writes the values of bits as 0 and 1.
func digits(val factored.Valuation, bits []factored.Bit) string {
	text := make([]byte, len(bits))
	for i, b := range bits {
		text[i] = digit(val[b])
	}
	return string(text)
}

// pattern writes the first n bits of a number, from the lowest.
func pattern(x uint64, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = digit(x>>i&1 == 1)
	}
	return string(text)
}

func digit(on bool) byte {
	if on {
		return '1'
	}
	return '0'
}
