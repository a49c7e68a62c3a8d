package learn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/reward"
	"github.com/fdplan/fdplan/problem/factored"
)

// Bounds of the curved features that are tried.
const (
	mostNumbers  = 16   // that are multiplied with each other, and compared
	mostFactors  = 40   // conditions that numbers are multiplied by
	mostKinks    = 200  // levels of a number, beyond which it begins to count
	fewLevels    = 20   // of a number, whose parts beyond one are multiplied by others
	mostTried    = 3000 // features, about
	smallError   = 1e-6 // of a reward, by which more than these are not looked for
	curvedGroups = 2000 // groups of rows that they are chosen on
)

// number is a number in a row, as an expression.
type number struct {
	text     string
	later    bool
	variable int  // of its feature
	ranged   bool // it has more than two values
	value    func(row []float64) float64
	levels   []float64 // values in rows, ascending
}

// curves finds the products of numbers, and levels beyond which a number begins to count, that explain the rewards of rows much better than the
// variables one by one.
func (x *rewardRows) curves(ctx context.Context, p *factored.Problem, atoms []rewardAtom, seed uint64) ([]rewardAtom, error) {
	groups := x.draw(seed)
	if len(groups) > curvedGroups {
		every := float64(len(groups)) / curvedGroups
		for i := range curvedGroups {
			groups[i] = groups[int(float64(i)*every)]
		}
		groups = groups[:curvedGroups]
	}
	numbers, factors := numbersOf(p, x.sources[0].Data.Schema, atoms)
	x.measure(numbers, groups)
	plain := slices.DeleteFunc(slices.Clone(atoms), func(a rewardAtom) bool {
		return a.Negation != "" && (a.Later || slices.ContainsFunc(numbers, func(x number) bool { return x.variable == a.Variable })) // kinks stand for bounds
	})
	tried := append(products(numbers, factors), differences(numbers)...)
	var more []curve
	for i := range numbers {
		kinks := numbers[i].kinks(0, len(numbers[i].levels))
		tried = append(tried, kinks...)
		if len(numbers[i].levels) <= fewLevels && len(more) < mostTried {
			more = append(more, slopes(kinks, numbers, factors)...)
		}
	}
	chosen, left, err := x.choose(ctx, plain, tried, groups)
	if err != nil {
		return nil, err
	}
	if left > smallError && len(more) > 0 {
		others, less, err := x.choose(ctx, plain, append(slices.Clone(tried), more...), groups)
		if err != nil {
			return nil, err
		}
		if less < .5*left {
			chosen = others
		}
	}
	tried = slices.Clone(chosen)
	for _, c := range chosen {
		if c.step > 1 {
			tried = append(tried, c.of.kinks(c.at-c.step, c.at+c.step+1)...)
		}
	}
	if len(tried) > len(chosen) {
		if chosen, _, err = x.choose(ctx, plain, tried, groups); err != nil {
			return nil, err
		}
	}
	var out []rewardAtom
	for _, c := range chosen {
		out = append(out, c.rewardAtom)
	}
	return out, nil
}

// choose chooses curves, and returns the error that is left.
func (x *rewardRows) choose(ctx context.Context, plain []rewardAtom, tried []curve, groups []int) (chosen []curve, left float64, err error) {
	atoms := slices.Clone(plain)
	for _, c := range tried {
		atoms = append(atoms, c.rewardAtom)
	}
	places, left, err := x.table(atoms, groups, nil, true).Curves(ctx)
	for _, a := range places {
		chosen = append(chosen, tried[a-len(plain)])
	}
	return chosen, left, err
}

// numbersOf lists the numbers of rows, and conditions that a number may be multiplied by.
func numbersOf(p *factored.Problem, s *dataset.Schema, atoms []rewardAtom) (numbers []number, factors []rewardAtom) {
	for i := range s.Columns {
		c := &s.Columns[i]
		v, ok := p.Find(strings.TrimSuffix(c.Name, "'"))
		if !ok || v.Bool || v.Enumeration() || v.Quantity() || v.Hi == v.Lo {
			continue
		}
		at := slices.IndexFunc(atoms, func(a rewardAtom) bool { return a.Text == c.Name && a.Negation == "" })
		if at >= 0 && len(numbers) < mostNumbers {
			numbers = append(numbers, number{text: c.Name, variable: atoms[at].Variable, later: c.Role == dataset.Next, ranged: v.Hi > v.Lo+1, value: atoms[at].value})
		}
	}
	for _, a := range atoms {
		if a.Negation != "" && !a.Later && (a.Value || a.Plain) && !strings.HasSuffix(a.Text, "'") && len(factors) < mostFactors {
			factors = append(factors, a)
		}
	}
	return numbers, factors
}

// measure lists the levels that numbers have in groups of rows.
func (x *rewardRows) measure(numbers []number, groups []int) {
	seen := make([]map[float64]bool, len(numbers))
	for i := range seen {
		seen[i] = map[float64]bool{}
	}
	for _, g := range groups {
		row := x.values(&x.groups[g].first)
		for i := range numbers {
			seen[i][numbers[i].value(row)] = true
		}
	}
	for i := range numbers {
		for y := range seen[i] {
			numbers[i].levels = append(numbers[i].levels, y)
		}
		slices.Sort(numbers[i].levels)
	}
}

// curve is a curved feature.
type curve struct {
	rewardAtom
	of       *number // of a kink: the number that begins to count,
	at, step int     // the place of its level, and how far from it the next one is that is tried
}

// newCurve makes a curved feature.
func newCurve(text string, later bool, value func(row []float64) float64) curve {
	return curve{rewardAtom: rewardAtom{reward.Atom{Text: text, Variable: -1, Curved: true, Later: later}, value}}
}

// products are those of two numbers, of which one is of after the step at most, and of a number and a condition.
func products(numbers []number, factors []rewardAtom) (out []curve) {
	for i := range numbers {
		x := &numbers[i]
		for j := range i + 1 {
			if y := &numbers[j]; !(x.later && y.later) && (i != j || x.ranged) {
				out = append(out, newCurve(x.text+"*"+y.text, x.later || y.later, func(row []float64) float64 { return x.value(row) * y.value(row) }))
			}
		}
		for _, c := range factors {
			out = append(out, newCurve(grouped(c.Text)+"*"+x.text, x.later, func(row []float64) float64 { return c.value(row) * x.value(row) }))
		}
	}
	return out
}

// slopes are products of what a number is beyond a level with another number before the step, or with a condition.
func slopes(kinks []curve, numbers []number, factors []rewardAtom) (out []curve) {
	for _, c := range kinks {
		add := func(text string, value func(row []float64) float64) {
			out = append(out, newCurve(text+"*"+c.Text, c.Later, func(row []float64) float64 { return value(row) * c.value(row) }))
		}
		for i := range numbers {
			if x := &numbers[i]; x != c.of && !x.later {
				add(x.text, x.value)
			}
		}
		for _, a := range factors {
			add(grouped(a.Text), a.value)
		}
	}
	return out
}

// grouped is an expression as a factor.
func grouped(text string) string {
	if strings.Contains(text, " ") {
		return "(" + text + ")"
	}
	return text
}

// differences are what a number is above another.
func differences(numbers []number) (out []curve) {
	for i := range numbers {
		for j := range numbers {
			x, y := &numbers[i], &numbers[j]
			if i == j || !x.ranged || !y.ranged || x.levels[0] >= y.levels[len(y.levels)-1] || y.levels[0] >= x.levels[len(x.levels)-1] {
				continue
			}
			out = append(out, newCurve(fmt.Sprintf("max[0, %s - %s]", x.text, y.text), x.later || y.later, func(row []float64) float64 { return max(0, x.value(row)-y.value(row)) }))
		}
	}
	return out
}

// kinks are what a number is above and below some levels of those from one place to another.
func (x *number) kinks(from, to int) (out []curve) {
	from, to = max(from, 1), min(to, len(x.levels)-1) // beyond the others there is nothing
	step := max(1, (to-from+mostKinks-1)/mostKinks)
	for i := from; i < to; i += step {
		level := x.levels[i]
		for _, above := range []bool{true, false} {
			text, sign := fmt.Sprintf("max[0, %s]", minus(x.text, level)), 1.0
			if !above {
				text, sign = fmt.Sprintf("max[0, %v - %s]", level, x.text), -1
			}
			c := newCurve(text, x.later, func(row []float64) float64 { return max(0, sign*(x.value(row)-level)) })
			c.Variable, c.of, c.at, c.step = x.variable, x, i, step
			out = append(out, c)
		}
	}
	return out
}

// minus is an expression less a number.
func minus(text string, level float64) string {
	if level < 0 {
		return fmt.Sprintf("%s + %v", text, -level)
	}
	return fmt.Sprintf("%s - %v", text, level)
}
