package expr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// A quantity stands for the bin that contains it. Only a comparison with a bin edge has the
// same truth for all values of a bin, so that it is all that is accepted:
// x < e and x >= e, as bins contain their lower edge.

// special returns the variable of n if its values are named or bins.
func (n *node) special() *factored.Variable {
	if n.op == "name" && n.v.View != nil {
		return n.v
	}
	return nil
}

// plain refuses quantities, named values and fractions where integers are needed.
func (ps *parser) plain(nodes ...*node) error {
	for _, n := range nodes {
		if n.op == "neg" && n.args[0].op == "real" {
			n = n.args[0]
		}
		switch v := n.special(); {
		case v == nil && n.op == "value":
			return ps.lex.errorf(n.col, "%s is a value of an enumeration; expected it in a comparison such as x == %s", n.text, n.text)
		case v == nil && n.op == "real" && ps.fractions:
		case v == nil && n.op == "real":
			return ps.lex.errorf(n.col, "%s is not an integer; only a quantity is compared with fractions", n.text)
		case v == nil:
		case v.Enumeration():
			return ps.lex.errorf(n.col, "%s is one of %s; expected a comparison such as %s == @%s", v.Name, v.RangeText(), v.Name, strings.TrimPrefix(v.View.Names[0], "@"))
		default:
			return ps.lex.errorf(n.col, "%s is a quantity in bins; expected a comparison with a number such as %s >= %s", v.Name, v.Name, number(v.View.Edges[1]))
		}
	}
	return nil
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// compare translates a comparison with a quantity or an enumeration to one of integers. It
// returns its operands unchanged if neither side is one.
func (ps *parser) compare(op token, a, b *node) (*node, *node, string, error) {
	kind := op.kind
	if kind == "!=" {
		kind = "~="
	}
	v, w := a.special(), b.special()
	switch {
	case v == nil && w == nil:
		fractions := ps.fractions
		ps.fractions = false
		err := ps.plain(a, b)
		ps.fractions = fractions
		return a, b, kind, err
	case v == nil:
		mirror := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}
		if m, ok := mirror[kind]; ok {
			kind = m
		}
		a, b, v, w = b, a, w, nil
	}
	if v.Enumeration() {
		return ps.compareNames(op, kind, a, b, v, w)
	}
	if w != nil {
		return nil, nil, "", ps.lex.errorf(op.col, "%s and %s are quantities, known by their bins; expected a comparison with a number", v.Name, w.Name)
	}
	return ps.compareQuantity(op, kind, a, b)
}

func (ps *parser) compareNames(op token, kind string, a, b *node, v, w *factored.Variable) (*node, *node, string, error) {
	fail := func(col int, format string, args ...any) (*node, *node, string, error) {
		return nil, nil, "", ps.lex.errorf(col, format, args...)
	}
	if kind != "==" && kind != "~=" {
		return fail(op.col, "%s has names for values, which have no order; expected == or ~=", v.Name)
	}
	if w != nil {
		if !w.Enumeration() {
			return fail(b.col, "%s and %s have different values", v.Name, w.Name)
		}
		same, shared := sameNames(a, b)
		switch {
		case len(shared) == 0:
			return fail(b.col, "%s and %s have different values", v.Name, w.Name)
		case same:
			return a, b, kind, nil
		}
		any := shared[0]
		for _, n := range shared[1:] {
			any = &node{op: "|", args: []*node{any, n}, col: a.col}
		}
		return any, &node{op: "number", num: 1, col: b.col}, kind, nil
	}
	if b.op != "value" {
		return fail(b.col, "expected one of %s", v.RangeText())
	}
	x, err := v.Named(b.text)
	if err != nil {
		return fail(b.col, "%v", err)
	}
	return a, &node{op: "number", num: x, col: b.col}, kind, nil
}

// sameNames returns, for two variables with named values, the conditions that both have one
// name, for each name that they share; same reports that they have the same name just if they
// have the same number.
func sameNames(a, b *node) (same bool, shared []*node) {
	v, w := a.v, b.v
	same = true
	for i, name := range v.View.Names {
		x := v.Lo + int64(i)
		j := slices.IndexFunc(w.View.Names, func(other string) bool {
			return strings.TrimPrefix(other, "@") == strings.TrimPrefix(name, "@")
		})
		y := w.Lo + int64(j)
		if j < 0 {
			same = same && (x < w.Lo || x > w.Hi)
			continue
		}
		same = same && x == y
		is := func(n *node, x int64) *node {
			return &node{op: "==", args: []*node{n, {op: "number", num: x, col: n.col}}, col: n.col}
		}
		shared = append(shared, &node{op: "^", args: []*node{is(a, x), is(b, y)}, col: a.col})
	}
	return same, shared
}

func (ps *parser) compareQuantity(op token, kind string, a, b *node) (*node, *node, string, error) {
	fail := func(format string, args ...any) (*node, *node, string, error) {
		return nil, nil, "", ps.lex.errorf(op.col, format, args...)
	}
	v := a.v
	x, ok := b.real()
	if !ok {
		return fail("%s is a quantity in bins; expected a number to compare it with", v.Name)
	}
	text := fmt.Sprintf("%s %s %s", ps.name(a), kind, number(x))
	if kind == "==" || kind == "~=" {
		return fail("%s: a bin is no single number; expected <, <=, > or >= with a bin edge: %s", text, v.EdgesText())
	}
	level, below, err := v.Bound(kind, x)
	if err != nil {
		return fail("%s: %v", text, err)
	}
	kind = ">="
	if below {
		kind = "<"
	}
	return a, &node{op: "number", num: level, col: b.col}, kind, nil
}

func (ps *parser) name(n *node) string {
	if n.next {
		return n.v.Name + "'"
	}
	return n.v.Name
}

// real returns the number that n is, if it is one.
func (n *node) real() (float64, bool) {
	switch n.op {
	case "number":
		return float64(n.num), true
	case "real":
		return n.float, true
	case "neg":
		x, ok := n.args[0].real()
		return -x, ok
	}
	return 0, false
}

// bounds returns the least and the greatest value of n within the ranges of its variables,
// taken apart, and saturated.
func (n *node) bounds() (lo, hi float64) {
	switch n.op {
	case "number":
		return float64(n.num), float64(n.num)
	case "name":
		return float64(n.v.Lo), float64(n.v.Hi)
	case "neg":
		lo, hi = n.args[0].bounds()
		return -hi, -lo
	case "+", "-", "*":
		a, b := n.args[0], n.args[1]
		l, h := a.bounds()
		m, k := b.bounds()
		switch n.op {
		case "+":
			return l + m, h + k
		case "-":
			return l - k, h - m
		}
		products := []float64{l * m, l * k, h * m, h * k}
		return slices.Min(products), slices.Max(products)
	}
	return 0, 1
}

// noteConstant records a comparison that the ranges of its variables decide.
func (ps *parser) noteConstant(a, b *node, kind string, col int) {
	if a.constant() && b.constant() {
		return
	}
	l, h := a.bounds()
	m, k := b.bounds()
	var always, never bool
	switch kind {
	case "==":
		never = h < m || k < l
		always = l == h && m == k && l == m
	case "~=":
		always = h < m || k < l
		never = l == h && m == k && l == m
	case "<":
		always, never = h < m, l >= k
	case "<=":
		always, never = h <= m, l > k
	case ">":
		always, never = l > k, h <= m
	case ">=":
		always, never = l >= k, h < m
	}
	if !always && !never {
		return
	}
	word := "always"
	if never {
		word = "never"
	}
	text := strings.TrimSpace(ps.lex.text[min(col-1, len(ps.lex.text)):min(ps.tok.col-1, len(ps.lex.text))])
	ranges := ""
	for _, n := range []*node{a, b} {
		if n.op == "name" {
			ranges += fmt.Sprintf("; the range of %s is %s", n.v.Name, n.v.RangeText())
		}
	}
	ps.constants = append(ps.constants, fmt.Sprintf("%s is %s true%s", text, word, ranges))
}

// Constants lists the comparisons in e that the ranges of their variables decide, such as
// floor == 5 where floor is 0..3. What they say is seldom what was meant.
func (e *Expr) Constants() []string { return e.constants }
