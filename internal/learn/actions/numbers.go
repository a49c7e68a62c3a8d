package actions

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/pddl"
)

// numbers is what was learned of an action's numbers.
type numbers struct {
	conditions, effects []*pddl.Expr
}

// maxDigits bounds the digits after the point: what is behind is rounding.
const maxDigits = 6

// precision is the number of digits after the point that some number in the trajectories has.
func precision(runs []*pddl.Trajectory) (digits int) {
	for _, run := range runs {
		for i := range run.Transitions {
			for _, s := range []*pddl.Observed{run.Transitions[i].Before, run.Transitions[i].After} {
				if s == nil {
					continue
				}
				for _, v := range s.Values {
					_, after, _ := strings.Cut(strings.TrimRight(strconv.FormatFloat(v, 'f', maxDigits, 64), "0"), ".")
					digits = max(digits, len(after))
				}
			}
		}
	}
	return digits
}

// values reads the values of the functions that have one in all rows.
func (l *learner) values() string {
	unit := math.Pow10(l.digits)
	all := l.functions
	l.functions = nil
	for _, s := range all {
		if !slices.ContainsFunc(l.rows, func(r *row) bool {
			x := s.image(r.objects)
			_, before := r.Before.Values[x]
			_, after := r.After.Values[x]
			return !before || !after
		}) {
			l.functions = append(l.functions, s)
		}
	}
	for _, r := range l.rows {
		r.values, r.next = nil, nil
		known := map[string]bool{}
		for i := range l.functions {
			x := l.functions[i].image(r.objects)
			if known[x] {
				return "the rows that name an object twice leave open which number an effect is about"
			}
			known[x] = true
			v, w := r.Before.Values[x]*unit, r.After.Values[x]*unit
			if max(math.Abs(v), math.Abs(w)) > 1<<52 {
				return fmt.Sprintf("(%s) is too large", x)
			}
			r.values, r.next = append(r.values, int64(math.Round(v))), append(r.next, int64(math.Round(w)))
		}
		for x, v := range r.After.Values {
			if was, ok := r.Before.Values[x]; !known[x] && !strings.HasPrefix(x, "total-cost") && (!ok || math.Round(was*unit) != math.Round(v*unit)) {
				return fmt.Sprintf("it changes (%s), in line %s, of which it does not name all objects", x, r.Place())
			}
		}
	}
	return ""
}

// learnNumbers learns the equations and inequalities that hold before the action, and how it changes numbers; why is the reason if it cannot.
func (l *learner) learnNumbers() (why string) {
	l.products = nil // that effects are about
	l.numbers, l.out.Equations, l.out.Inequalities, l.out.Products, l.out.Plain = numbers{}, 0, 0, 0, false
	if why = l.values(); why != "" || len(l.functions) == 0 {
		return why
	}
	for i := range l.functions {
		if slices.ContainsFunc(l.rows, func(r *row) bool { return r.next[i] != r.values[i] }) {
			e, ok := l.changed(i)
			if !ok {
				return fmt.Sprintf("no sum of at most %d numbers says how it changes %s", maxSum, l.expr("fn", &l.functions[i], nil))
			}
			l.numbers.effects = append(l.numbers.effects, e)
		}
	}
	var all []int // functions that the precondition may read
	for i, s := range l.functions {
		if slices.ContainsFunc(l.read, func(r symbol) bool { return r.name == s.name && slices.Equal(r.args, s.args) }) {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return ""
	}
	equations := reduce(l.hull(all, true).lines, len(all)+1)
	var free []int // of functions that are no constant, and no other function and a constant
	for k, i := range all {
		if !slices.ContainsFunc(equations, func(e []*big.Int) bool { return bound(e, k) }) {
			free = append(free, i)
		}
	}
	fits := true
	for _, e := range equations {
		fits = fits && l.linear("=", e, all)
		l.out.Equations++
	}
	for k, x := range l.products { // what effects are about, preconditions may be, too
		if slices.Contains(all, x[0]) && slices.Contains(all, x[1]) {
			free = append(free, len(l.functions)+k)
			l.out.Products++
		}
	}
	if fits = fits && l.bounds(free, max(1, min(l.Terms, len(free)))); fits {
		return ""
	}
	l.numbers.conditions, l.out.Equations, l.out.Inequalities, l.out.Products, l.out.Plain = nil, 0, 0, 0, true
	fits = true
	for n := range min(l.Terms, len(all)) {
		subsets(all, n+1, func(set []int) { fits = fits && l.plain(set) })
	}
	if !fits {
		return "its numbers are too large"
	}
	return ""
}

// bounds learns the inequalities of so many functions that hold before the action. It is false where their numbers are too large.
func (l *learner) bounds(free []int, terms int) bool {
	before := len(l.numbers.conditions)
	seen := map[string]bool{}
	ok := true
	subsets(free, terms, func(set []int) {
		if !ok {
			return
		}
		for _, r := range l.hull(set, false).rays {
			if !slices.ContainsFunc(r.at[1:], func(x *big.Int) bool { return x.Sign() != 0 }) {
				continue
			}
			key := ""
			for k, i := range set {
				if r.at[k+1].Sign() != 0 {
					key += fmt.Sprint(i, ":", r.at[k+1], " ")
				}
			}
			if key += r.at[0].String(); !seen[key] {
				seen[key] = true
				ok = ok && l.linear(">=", r.at, set)
			}
		}
	})
	l.out.Inequalities = len(l.numbers.conditions) - before
	return ok
}

// plain adds the least and the most of all sums of some functions with factors 1 and -1. It is false where these are too large.
func (l *learner) plain(set []int) bool {
	for signs := range 1 << (len(set) - 1) {
		sides := [][]*big.Int{{nil}, {nil}} // as inequalities
		for k := range set {
			sign := 1 - 2*int64(signs>>k&1)
			sides[0], sides[1] = append(sides[0], big.NewInt(sign)), append(sides[1], big.NewInt(-sign))
		}
		least, most := int64(math.MaxInt64), int64(math.MinInt64)
		for _, r := range l.rows {
			sum := int64(0)
			for k, i := range set {
				sum += r.values[i] * (1 - 2*int64(signs>>k&1))
			}
			least, most = min(least, sum), max(most, sum)
		}
		sides[0][0], sides[1][0] = big.NewInt(-least), big.NewInt(most)
		if least == most {
			l.out.Equations++
			if !l.linear("=", sides[0], set) {
				return false
			}
			continue
		}
		l.out.Inequalities += 2
		if !l.linear(">=", sides[0], set) || !l.linear(">=", sides[1], set) {
			return false
		}
	}
	return true
}

// bound reports whether an equation gives a function as a constant, or as a later function and a constant.
func bound(e []*big.Int, i int) bool {
	first, n := -1, 0
	for k, x := range e[1:] {
		if x.Sign() != 0 {
			if n++; n == 1 {
				first = k
			}
		}
	}
	return first == i && n <= 2
}

// subsets calls f with all sets of so many of some numbers.
func subsets(of []int, size int, f func([]int)) {
	var extend func(set []int, from int)
	extend = func(set []int, from int) {
		if len(set) == size {
			f(set)
			return
		}
		for i := from; i < len(of); i++ {
			extend(append(slices.Clone(set), of[i]), i+1)
		}
	}
	if size <= len(of) {
		extend(nil, 0)
	}
}

// hull is the cone of what holds for some functions in all rows: equations alone, or inequalities too.
func (l *learner) hull(set []int, equations bool) *cone {
	c := newCone(len(set))
	seen := map[string]bool{}
	var points [][]*big.Int
	for _, r := range l.rows {
		p := make([]*big.Int, len(set))
		for k, i := range set {
			p[k] = l.column(r, i)
		}
		if key := fmt.Sprint(p); !seen[key] {
			seen[key] = true
			points = append(points, p)
		}
	}
	for _, p := range points {
		if equations {
			c.rays = nil
			if n := len(c.lines); n == 0 {
				break
			}
		}
		if c.add(p); equations {
			c.rays, c.points = nil, nil
		}
	}
	return c
}

// mostBits bounds the factors of an inequality, which are written as numbers of PDDL.
const mostBits = 50

// linear adds b + a·f op 0 to the conditions, with all negative terms on the other side. Numbers that are too large are refused.
func (l *learner) linear(op string, e []*big.Int, set []int) bool {
	left, right := []*pddl.Expr{}, []*pddl.Expr{}
	for k, i := range set {
		x := l.factor(i, new(big.Rat).SetInt(e[k+1])).Num()
		if x.BitLen() > mostBits {
			return false
		}
		if x.Sign() == 0 {
			continue
		}
		t := l.columnExpr(i)
		if a := new(big.Int).Abs(x); a.Cmp(big.NewInt(1)) != 0 {
			t = &pddl.Expr{Op: "*", Args: []*pddl.Expr{number(new(big.Rat).SetInt(a)), t}}
		}
		if x.Sign() > 0 {
			left = append(left, t)
		} else {
			right = append(right, t)
		}
	}
	b := new(big.Rat).Quo(new(big.Rat).SetInt(e[0]), l.unit())
	if e[0].BitLen() > mostBits {
		return false
	}
	switch {
	case b.Sign() > 0 && len(left) > 0 && len(right) > 0 || b.Sign() > 0 && len(right) > 0:
		left = append(left, number(b))
	case b.Sign() != 0:
		right = append(right, number(b.Neg(b)))
	}
	if len(left) == 0 && op == "=" {
		left, right = right, left
	}
	l.numbers.conditions = append(l.numbers.conditions, &pddl.Expr{Op: op, Args: []*pddl.Expr{sum(left), sum(right)}})
	return true
}

func sum(of []*pddl.Expr) *pddl.Expr {
	switch len(of) {
	case 0:
		return &pddl.Expr{Op: "num"}
	case 1:
		return of[0]
	}
	out := of[0]
	for _, x := range of[1:] {
		out = &pddl.Expr{Op: "+", Args: []*pddl.Expr{out, x}}
	}
	return out
}

// number is a rational number as PDDL.
func number(x *big.Rat) *pddl.Expr {
	v, _ := x.Float64()
	if n, exact := x.FloatPrec(); exact && n <= maxDigits {
		return &pddl.Expr{Op: "num", Num: v}
	}
	return &pddl.Expr{Op: "/", Args: []*pddl.Expr{number(new(big.Rat).SetInt(x.Num())), number(new(big.Rat).SetInt(x.Denom()))}}
}
