package bound

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// Summary is a bound on the reward of all plans of a horizon and what makes it.
// Rewards and costs are scaled as the problem's; those with a fraction are
// prices.
type Summary struct {
	Infeasible bool  // no plan exists
	Without    int64 // the bound without prices
	Bound      int64 // the bound with prices
	Groups     []GroupSummary
	Rules      []RuleSummary
}

// GroupSummary is a group and what its table says.
type GroupSummary struct {
	Variables []string // its state variables; of a group without any, the actions and shared bits that it reads
	Values    int
	Moves     int
	Cost      float64 // least cost of the whole horizon at the prices, everything outside free
}

// RuleSummary is what couples groups, with its prices.
type RuleSummary struct {
	// Text is the rule, or the bit that several groups must agree on.
	Text      string
	Words     string // a rule in plain English; "" for an agreement
	Agreement bool
	Sum       bool        // a sum over other groups that one counts as a whole
	Op        factored.Op // of a rule
	Prices    []float64   // by step; of an inequality, what one more unit of room saves at most
}

// Summarize improves the prices of a search that has just been started, and says
// what makes the bound.
func Summarize(ctx context.Context, s *Search) *Summary {
	if s.f == nil {
		return &Summary{Infeasible: true}
	}
	f, o := s.f, s.o
	out := &Summary{Infeasible: f.cost(o.bound, scale) >= infinite}
	if out.Infeasible {
		return out
	}
	out.Without = f.reward(f.cost(o.bound, scale))
	for range 5 {
		o.restart()
		o.improve(ctx, 400, infinite)
	}
	out.Bound = f.reward(f.cost(o.bound, scale))
	for id := range f.parts {
		out.Groups = append(out.Groups, f.summarizeGroup(id, o.best))
	}
	for e := range f.rels {
		r := RuleSummary{Agreement: f.rels[e].rule < 0, Op: factored.EQ}
		r.Text, r.Words = f.relText(e)
		r.Sum = f.amountOf(e) >= 0
		if k := f.rels[e].rule; k >= 0 {
			r.Op = f.s.rules[k].Op
		}
		priced := false
		for t := range f.horizon {
			price := float64(o.best.Price[t][e]) / scale
			r.Prices = append(r.Prices, price)
			priced = priced || price != 0
		}
		if priced {
			out.Rules = append(out.Rules, r)
		}
	}
	return out
}

func (f *Factors) summarizeGroup(id int, t *Tables) GroupSummary {
	g := &f.parts[id]
	out := GroupSummary{Values: len(g.values), Moves: g.total, Variables: f.unitNames(int32(id))}
	if len(g.units) == 0 {
		for _, v := range g.reads {
			if name := f.bitName(v); !slices.Contains(out.Variables, name) {
				out.Variables = append(out.Variables, name)
			}
		}
	}
	best := int64(infinite)
	for _, v := range g.starts {
		best = min(best, t.At[id][0][v])
	}
	out.Cost = float64(best) / scale
	return out
}

// bitName names a variable of the one-step model.
func (f *Factors) bitName(v int32) string {
	if f.r.role[v] == quantity {
		return f.classText(v)
	}
	if f.r.bit[v] < 0 {
		return "a hidden unit"
	}
	return f.r.Task.Problem.Condition(factored.Lit{Bit: factored.Bit(f.r.bit[v]), Next: f.r.role[v] == after})
}

// relText is a relation as people read it, and a rule in words.
func (f *Factors) relText(e int) (text, words string) {
	x := &f.rels[e]
	if x.rule < 0 {
		return f.bitName(x.variable) + " as read by " + strings.Join(f.unitNames(x.copier), ", "), ""
	}
	if id := f.amountOf(e); id >= 0 {
		return f.amountText(&f.r.amounts[id]), ""
	}
	s := &f.s.rules[x.rule]
	if text := f.guardText(s); text != "" {
		return text, ""
	}
	c := factored.Constraint{Op: s.Op, K: s.K}
	for _, t := range s.Terms {
		v := t.Lit.Var()
		if f.r.bit[v] < 0 {
			return "a rule between hidden units", ""
		}
		c.Terms = append(c.Terms, factored.Term{Coef: t.Coef, Lit: factored.Lit{Bit: factored.Bit(f.r.bit[v]), Next: f.r.role[v] == after, Neg: t.Lit < 0}})
	}
	return f.r.Task.Problem.Format(&c), f.r.Task.Problem.Words(&c)
}

// amountText says what an amount is the sum of, and whose group counts it.
func (f *Factors) amountText(a *amount) string {
	var b strings.Builder
	for i, t := range a.terms {
		if i > 0 {
			b.WriteString(" + ")
		}
		if t.Coef != 1 {
			fmt.Fprintf(&b, "%d ", t.Coef)
		}
		if t.Lit < 0 {
			b.WriteString("~")
		}
		b.WriteString(f.bitName(t.Lit.Var()))
	}
	return b.String() + ", as counted by " + strings.Join(f.unitNames(f.s.home[a.bits[0]]), ", ")
}

// unitNames names the variables of a group.
func (f *Factors) unitNames(id int32) (names []string) {
	for _, u := range f.parts[id].units {
		names = append(names, f.r.Task.Problem.Variables[u].Name)
	}
	return names
}
