package expr

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
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
	variable := slices.IndexFunc(p.Variables, func(w factored.Variable) bool { return w.Name == v.Name })
	f := &functionReader{p: p, v: v, out: &factored.Function{Variable: variable, Lo: v.Lo, Hi: v.Hi, Text: text}}
	ps := &parser{lex: lexer{p: p, text: rest}}
	if err := ps.advance(); err != nil {
		return nil, err
	}
	n, err := ps.operand()
	if err != nil {
		return nil, err
	}
	if ps.tok.kind != tokEnd {
		return nil, ps.lex.errorf(ps.tok.col, "%q stands after the function; expected the end", rest[ps.tok.col-1:])
	}
	if n, err = f.clamps(n); err == nil {
		f.out.Root, err = f.tree(n, 0)
	}
	return f.out, err
}

// functionReader makes one function of its expression.
type functionReader struct {
	p   *factored.Problem
	v   *factored.Variable
	out *factored.Function
}

// clamps takes min and max off the whole.
func (f *functionReader) clamps(n *node) (*node, error) {
	for n.op == "min" || n.op == "max" {
		var bound *big.Rat
		if len(n.args) == 2 && n.args[1].constant() {
			bound = n.args[1].exact(nil, nil)
		}
		switch {
		case bound == nil:
			return nil, source.Errorf("", 1, n.args[1].col, "%s is no number to clamp to; expected %s(F, NUMBER)", n.args[1], n.op)
		case n.op == "min":
			f.out.Hi = min(f.out.Hi, max(f.v.Nearest(bound), f.v.Lo))
		default:
			f.out.Lo = max(f.out.Lo, min(f.v.Nearest(bound), f.v.Hi))
		}
		if f.out.Lo > f.out.Hi {
			return nil, errors.New("it is clamped to nothing")
		}
		n = n.args[0]
	}
	return n, nil
}

// maxFunctionDepth bounds conditions within conditions.
const maxFunctionDepth = 64

// tree makes conditions and sums of n.
func (f *functionReader) tree(n *node, depth int) (*factored.FunctionNode, error) {
	out := &factored.FunctionNode{}
	if n.op != "if" {
		sum := &affine{p: f.p, k: new(big.Rat)}
		if err := sum.add(n, new(big.Rat).Inv(f.v.Step())); err != nil {
			return nil, err
		}
		return out, sum.scaled(&out.Sum)
	}
	if depth > maxFunctionDepth {
		return nil, errors.New("its conditions are nested too deeply")
	}
	low, high := n.args[1], n.args[2]
	swapped, err := f.condition(&out.Sum, n.args[0])
	if err != nil {
		return nil, err
	}
	if swapped {
		low, high = high, low
	}
	if out.Low, err = f.tree(low, depth+1); err == nil {
		out.High, err = f.tree(high, depth+1)
	}
	return out, err
}

// condition makes SUM <= SUM a sum that is at most 0; swapped says that it is the negation.
func (f *functionReader) condition(a *factored.Affine, n *node) (swapped bool, err error) {
	sum := &affine{p: f.p, k: new(big.Rat)}
	one, minus := big.NewRat(1, 1), big.NewRat(-1, 1)
	switch n.op {
	case "<=", ">":
		err = errors.Join(sum.add(n.args[0], one), sum.add(n.args[1], minus))
	case ">=", "<":
		err = errors.Join(sum.add(n.args[0], minus), sum.add(n.args[1], one))
	default:
		err = source.Errorf("", 1, n.col, "%s is no comparison of sums; expected <=, <, >= or >, such as in level <= 2.5", n)
	}
	if err == nil {
		err = sum.scaled(a)
	}
	return n.op == ">" || n.op == "<", err
}

// affine is a sum with fractions for weights.
type affine struct {
	p     *factored.Problem
	k     *big.Rat
	terms []factored.Summand // without Coef
	coefs []*big.Rat
}

// add adds f*n.
func (a *affine) add(n *node, f *big.Rat) (err error) {
	fail := func(n *node, format string, args ...any) {
		if err == nil {
			err = source.Errorf("", 1, n.col, format, args...)
		}
	}
	n.split(f, a.k, func(n *node, f *big.Rat) {
		switch {
		case n.op == "name":
			a.term(factored.Summand{Variable: a.index(n.v)}, new(big.Rat).Mul(f, n.v.Step()))
		case n.op == "==" && n.args[0].op == "name" && n.args[1].op == "number":
			v := n.args[0].v
			x, ok := n.args[1].integer()
			if v.Fixed() {
				x = v.Nearest(n.args[1].num)
				ok = new(big.Rat).Mul(new(big.Rat).SetInt64(x), v.Step()).Cmp(n.args[1].num) == 0
			}
			if !ok {
				fail(n, "expected a comparison with a value of %s", v.Name)
				return
			}
			a.term(factored.Summand{Variable: a.index(n.args[0].v), Is: true, Value: x}, f)
		case n.op == "*":
			fail(n, "a product of variables is no part of a linear function")
		default:
			fail(n, "%s is no part of a linear function; expected sums of variables and of conditions such as x == 3", n.op)
		}
	})
	return err
}

// split calls term for each summand of f*n with its factor, and adds the numbers to k.
func (n *node) split(f, k *big.Rat, term func(n *node, f *big.Rat)) {
	switch n.op {
	case "number":
		k.Add(k, new(big.Rat).Mul(n.num, f))
		return
	case "neg":
		n.args[0].split(new(big.Rat).Neg(f), k, term)
		return
	case "+", "-":
		n.args[0].split(f, k, term)
		if n.op == "-" {
			f = new(big.Rat).Neg(f)
		}
		n.args[1].split(f, k, term)
		return
	case "*":
		a, b := n.args[0], n.args[1]
		if !a.constant() {
			a, b = b, a
		}
		if a.constant() {
			if x := a.exact(nil, nil); x != nil {
				b.split(new(big.Rat).Mul(x, f), k, term)
				return
			}
		}
	}
	term(n, f)
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
	all, den := factored.Common(append(slices.Clone(a.coefs), a.k), most)
	if den.BitLen() > most || slices.ContainsFunc(all, func(x *big.Int) bool { return x.BitLen() > most }) {
		return errors.New("its weights have too many digits; expected numbers, and products of weights and steps, that are integers of up to 40 bits over one denominator of as many")
	}
	out.K, out.Den = all[len(a.terms)].Int64(), den.Int64()
	for i, t := range a.terms {
		if t.Coef = all[i].Int64(); t.Coef != 0 {
			out.Terms = append(out.Terms, t)
		}
	}
	return nil
}
