package ground

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/rddl/operator"
	"github.com/fdplan/fdplan/internal/source"
)

// Rounded returns the problem in which real states and actions have steps: their values are multiples of them, and
// next values are rounded to the nearest one, halves to the even one; so are initial values and defaults. Constants of expressions
// become Short. step returns the step of a real fluent, not a number for none. It is p itself if there are no steps.
func (p *Problem) Rounded(step func(f *Fluent) operator.Rat) (*Problem, error) {
	q := *p
	q.Fluents, q.Unrounded = append([]Fluent(nil), p.Fluents...), p
	some := false
	for i := range q.Fluents {
		f := &q.Fluents[i]
		if f.Type != Real || f.Kind != State && f.Kind != Action {
			continue
		}
		if f.Step = step(f); !f.Step.Valid() {
			continue
		}
		if f.Step.Sign() <= 0 {
			return nil, source.Errorf(f.Pos.File, f.Pos.Line, f.Pos.Col, "%s has the step %s, expected a positive number", f.Name, f.Step)
		}
		some = true
		s := f.Step.Float()
		for _, v := range []*float64{&f.Default, &f.Initial} {
			if r, err := operator.RoundTo.Call(*v, s); err == nil && !math.IsNaN(*v) {
				*v = r
			}
		}
		if f.CPF != nil {
			by := &Node{Op: Const, Type: Real, Val: s, Pos: f.CPF.Pos}
			f.CPF = &Node{Op: Func, Type: Real, Name: operator.RoundTo.Name, Args: []*Node{f.CPF, by}, Pos: f.CPF.Pos}
		}
	}
	if !some {
		return p, nil
	}
	memo := map[*Node]*Node{}
	return q.rewritten(func(n *Node) *Node { return shorter(n, memo) }), nil
}

// Steps lists the steps of the real states, with their names where there are several; "" if there are none.
func (p *Problem) Steps() string {
	names := map[operator.Rat][]string{}
	for i := range p.Fluents {
		if f := &p.Fluents[i]; f.Step.Valid() && f.Kind == State && !slices.Contains(names[f.Step], f.Base) {
			names[f.Step] = append(names[f.Step], f.Base)
		}
	}
	var steps []operator.Rat
	for s := range names {
		steps = append(steps, s)
	}
	slices.SortStableFunc(steps, func(a, b operator.Rat) int { return a.Cmp(b) })
	var parts []string
	for _, s := range steps {
		text := fmt.Sprintf("%v", s.Float())
		if len(steps) > 1 {
			text += " (" + strings.Join(names[s], ", ") + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " and ")
}

// Short returns the number for which a constant stands in a problem whose reals have steps: itself if it is a fraction of small terms, else
// rounded to six digits after the point or, below 1, to six digits. Sums of longer ones leave 56 bits.
func Short(x float64) float64 {
	const few, decimals = 1000, 1_000_000
	r := operator.Simplest(x)
	if r.Valid() && (r.D <= few || decimals%r.D == 0) || x-x != 0 {
		return x
	}
	digits := 6
	if a := math.Abs(x); a < 1 {
		digits -= 1 + int(math.Floor(math.Log10(a)))
	}
	scale := math.Pow(10, float64(min(digits, 15)))
	return math.RoundToEven(x*scale) / scale
}

// shorter copies an expression with short constants; nil for nil.
func shorter(n *Node, memo map[*Node]*Node) *Node {
	if n == nil {
		return nil
	}
	if done := memo[n]; done != nil {
		return done
	}
	m := *n
	if m.Op == Const && m.Type == Real {
		m.Val = Short(m.Val)
	}
	m.Args = append([]*Node(nil), n.Args...)
	for i, a := range n.Args {
		if n.Op != Random || n.Type == Real || n.Type == Int { // probabilities stay
			m.Args[i] = shorter(a, memo)
		}
	}
	memo[n] = &m
	return &m
}
