package expr

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// ParseFunction reads the next value of a state: NAME' = F, where F is
//
//	SUM                                a sum of variables and conditions with decimal weights
//	(if (SUM <= SUM) then F else F)    or <, >=, >
//	min(F, NUMBER), max(F, NUMBER)     around the whole
//
// over the variables of now. What F gives is rounded to the step of the state, halves to the even multiple of it, and clamped
// to its range.
func ParseFunction(p *factored.Problem, text string) (*factored.Function, error) {
	name, rest, ok := strings.Cut(text, "' = ")
	v, found := p.Find(name)
	switch {
	case !ok:
		return nil, errors.New("expected NAME' = EXPRESSION")
	case !found || v.Kind != factored.State:
		return nil, fmt.Errorf("there is no state variable %q to have a function%s", name, p.Hint(name, factored.State))
	case v.Enumeration() || v.Quantity():
		return nil, fmt.Errorf("%s has no numbers for values", v.Name)
	}
	f := &functionReader{p: p, v: v, out: &factored.Function{Lo: v.Lo, Hi: v.Hi, Text: text}}
	for i := range p.Variables {
		if &p.Variables[i] == v {
			f.out.Variable = i
		}
	}
	rest, err := f.clamps(rest)
	if err != nil {
		return nil, err
	}
	if f.out.Root, rest, err = f.node(rest, 0); err == nil && strings.TrimSpace(rest) != "" {
		err = fmt.Errorf("%q stands after the function; expected the end", rest)
	}
	return f.out, err
}

// functionReader reads one function.
type functionReader struct {
	p   *factored.Problem
	v   *factored.Variable
	out *factored.Function
}

// clamps reads min and max around the whole.
func (f *functionReader) clamps(text string) (string, error) {
	for {
		word := text[:min(len(text), len("min("))]
		if word != "min(" && word != "max(" {
			return text, nil
		}
		body, ok := strings.CutSuffix(text[len(word):], ")")
		at := strings.LastIndex(body, ", ")
		if !ok || at < 0 {
			return "", fmt.Errorf("expected %sF, NUMBER)", word)
		}
		bound, ok := new(big.Rat).SetString(body[at+2:])
		if !ok {
			return "", fmt.Errorf("%q is no number to clamp to", body[at+2:])
		}
		x := min(max(f.v.Nearest(bound), f.v.Lo), f.v.Hi)
		if word == "min(" {
			f.out.Hi = min(f.out.Hi, x)
		} else {
			f.out.Lo = max(f.out.Lo, x)
		}
		if f.out.Lo > f.out.Hi {
			return "", errors.New("it is clamped to nothing")
		}
		text = body[:at]
	}
}

// maxFunctionDepth bounds conditions within conditions.
const maxFunctionDepth = 64

// node reads a tree and returns the text behind it.
func (f *functionReader) node(text string, depth int) (*factored.FunctionNode, string, error) {
	inner, ok := strings.CutPrefix(text, "(if (")
	if !ok {
		n := &factored.FunctionNode{}
		sum, rest := cutSum(text)
		err := f.sum(&n.Sum, sum)
		return n, rest, err
	}
	if depth > maxFunctionDepth {
		return nil, "", errors.New("its conditions are nested too deeply")
	}
	condition, rest := cutSum(inner)
	rest, ok = strings.CutPrefix(rest, ") then ")
	if !ok {
		return nil, "", errors.New("expected (if (CONDITION) then F else F)")
	}
	n := &factored.FunctionNode{}
	swapped, err := f.condition(&n.Sum, condition)
	if err != nil {
		return nil, "", err
	}
	if n.Low, rest, err = f.node(rest, depth+1); err != nil {
		return nil, "", err
	}
	if rest, ok = strings.CutPrefix(rest, " else "); !ok {
		return nil, "", errors.New("expected else")
	}
	if n.High, rest, err = f.node(rest, depth+1); err != nil {
		return nil, "", err
	}
	if rest, ok = strings.CutPrefix(rest, ")"); !ok {
		return nil, "", errors.New("expected ) after else F")
	}
	if swapped {
		n.Low, n.High = n.High, n.Low
	}
	return n, rest, nil
}

// cutSum cuts a text before the bracket that closes more than were opened, and before " else ".
func cutSum(text string) (sum, rest string) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth < 0 {
				return text[:i], text[i:]
			}
		case '"':
			if n := strings.IndexByte(text[i+1:], '"'); n >= 0 {
				i += n + 1
			}
		case ' ':
			if depth == 0 && strings.HasPrefix(text[i:], " else ") {
				return text[:i], text[i:]
			}
		}
	}
	return text, ""
}

// condition reads SUM <= SUM as a sum that is at most 0; swapped says that it is the negation.
func (f *functionReader) condition(a *factored.Affine, text string) (swapped bool, err error) {
	e, err := Parse(f.p, text, Options{})
	if err != nil {
		return false, err
	}
	n := e.root
	if len(n.args) != 2 {
		return false, fmt.Errorf("%q is no comparison of sums; expected one such as level <= 2.5", text)
	}
	sum := &affine{p: f.p, k: new(big.Rat)}
	one, minus := big.NewRat(1, 1), big.NewRat(-1, 1)
	switch n.op {
	case "<=", ">":
		err = errors.Join(sum.add(n.args[0], one), sum.add(n.args[1], minus))
	case ">=", "<":
		err = errors.Join(sum.add(n.args[0], minus), sum.add(n.args[1], one))
	default:
		err = fmt.Errorf("%q is no comparison of sums; expected <=, <, >= or >", text)
	}
	if err == nil {
		err = sum.scaled(a)
	}
	return n.op == ">" || n.op == "<", err
}

// sum reads a sum, in steps of the state.
func (f *functionReader) sum(a *factored.Affine, text string) error {
	ps := &parser{lex: lexer{p: f.p, text: text}}
	if err := ps.advance(); err != nil {
		return err
	}
	n, err := ps.binary(comparisons + 1)
	if err != nil {
		return err
	}
	if ps.tok.kind != tokEnd {
		return ps.lex.errorf(ps.tok.col, "expected + or - or the end of the sum, found %s", ps.tok.text)
	}
	if err := ps.plain(n); err != nil {
		return err
	}
	sum := &affine{p: f.p, k: new(big.Rat)}
	if err := sum.add(n, new(big.Rat).Inv(f.v.Step())); err != nil {
		return err
	}
	return sum.scaled(a)
}

// affine is a sum with fractions for weights.
type affine struct {
	p     *factored.Problem
	k     *big.Rat
	terms []factored.Summand // without Coef
	coefs []*big.Rat
}

// add adds f*n.
func (a *affine) add(n *node, f *big.Rat) error {
	switch {
	case n.op == "number":
		a.k.Add(a.k, new(big.Rat).Mul(n.num, f))
	case n.op == "neg":
		return a.add(n.args[0], new(big.Rat).Neg(f))
	case n.op == "+" || n.op == "-":
		g := f
		if n.op == "-" {
			g = new(big.Rat).Neg(f)
		}
		return errors.Join(a.add(n.args[0], f), a.add(n.args[1], g))
	case n.op == "*":
		x, y := n.args[0], n.args[1]
		if !x.constant() {
			x, y = y, x
		}
		factor := &affine{p: a.p, k: new(big.Rat)}
		if err := factor.add(x, f); err != nil {
			return err
		}
		if len(factor.terms) > 0 {
			return source.Errorf("", 1, n.col, "a product of variables is no part of a linear function")
		}
		return a.add(y, factor.k)
	case n.op == "name":
		a.term(factored.Summand{Variable: a.index(n.v)}, new(big.Rat).Mul(f, n.v.Step()))
	case n.op == "==" && n.args[0].op == "name" && n.args[1].op == "number":
		x, ok := n.args[1].integer()
		if !ok || n.args[0].v.Fixed() {
			return source.Errorf("", 1, n.col, "expected a comparison with a value of an enumeration")
		}
		a.term(factored.Summand{Variable: a.index(n.args[0].v), Is: true, Value: x}, f)
	default:
		return source.Errorf("", 1, n.col, "%s is no part of a linear function; expected sums of variables and of conditions such as x == 3", n.op)
	}
	return nil
}

func (a *affine) index(v *factored.Variable) int {
	for i := range a.p.Variables {
		if &a.p.Variables[i] == v {
			return i
		}
	}
	return -1 // never: it is of the problem
}

func (a *affine) term(t factored.Summand, f *big.Rat) {
	a.terms, a.coefs = append(a.terms, t), append(a.coefs, f)
}

// scaled sets out to the sum with integers over their common denominator.
func (a *affine) scaled(out *factored.Affine) error {
	const most = 40 // bits
	den := new(big.Int).Set(a.k.Denom())
	for _, c := range a.coefs {
		d := c.Denom()
		den.Div(new(big.Int).Mul(den, d), new(big.Int).GCD(nil, nil, den, d))
	}
	integer := func(x *big.Rat) int64 {
		return new(big.Int).Mul(x.Num(), new(big.Int).Div(den, x.Denom())).Int64()
	}
	all := append(append([]*big.Rat{}, a.coefs...), a.k)
	for _, c := range all {
		if den.BitLen() > most || new(big.Int).Mul(c.Num(), new(big.Int).Div(den, c.Denom())).BitLen() > most {
			return errors.New("its weights have too many digits")
		}
	}
	out.K, out.Den = integer(a.k), den.Int64()
	for i, t := range a.terms {
		if t.Coef = integer(a.coefs[i]); t.Coef != 0 {
			out.Terms = append(out.Terms, t)
		}
	}
	return nil
}
