package ground

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// generator writes random expressions over foldDomain, fully bracketed, under the variables
// in scope.
type generator struct {
	rng  *rand.Rand
	vars []string
	draw bool // with draws as leaves
}

func (g *generator) pick(list ...string) string { return list[g.rng.IntN(len(list))] }

func (g *generator) object() string {
	return g.pick(append([]string{"@x1", "@x2", "@x3", "HOME", "at"}, g.vars...)...)
}

// over puts body, made with one more variable, under a quantifier.
func (g *generator) over(op string, body func() string) string {
	v := fmt.Sprintf("?v%d", len(g.vars))
	g.vars = append(g.vars, v)
	defer func() { g.vars = g.vars[:len(g.vars)-1] }()
	return fmt.Sprintf("(%s_{%s : xpos} [%s])", op, v, body())
}

func (g *generator) truth(depth int) string {
	if depth == 0 && g.draw && g.rng.IntN(3) == 0 {
		return g.pick("Bernoulli(HALF)", "Bernoulli(0.49)", "Bernoulli(q * 0.7)", "Bernoulli(1 / (1 + abs[n]))",
			"(Discrete(color, @red : 0.4, @green : 0.4, @blue : 0.2) == @green)",
			"(UnnormDiscrete(color, @red : TWO, @green : abs[n], @blue : 1 + q) ~= @green)",
			"(Discrete(color, @blue : HALF * q, @red : 0.25, @green : otherwise) == @green)")
	}
	if depth == 0 {
		return g.pick("q", "a", "YES", "NO", "true", "p("+g.object()+")", "WALL("+g.object()+")",
			"NEXT("+g.object()+", "+g.object()+")", "("+g.object()+" == "+g.object()+")", "(c("+g.object()+") ~= @red)")
	}
	sub := func() string { return g.truth(depth - 1) }
	number := func() string { return g.number(depth - 1) }
	switch g.rng.IntN(10) {
	case 0:
		return "~" + sub()
	case 1, 2:
		return "(" + sub() + g.pick(" ^ ", " | ", " => ", " <=> ") + sub() + ")"
	case 3:
		return "(" + number() + g.pick(" < ", " <= ", " > ", " >= ", " == ", " ~= ") + number() + ")"
	case 4:
		return "(" + sub() + g.pick(" == ", " ~= ") + sub() + ")"
	case 5:
		return "(if (" + sub() + ") then " + sub() + " else " + sub() + ")"
	case 6:
		return g.over(g.pick("forall", "exists"), sub)
	case 7:
		return "((" + g.over(g.pick("argmin", "argmax"), number) + ") == " + g.object() + ")"
	case 8:
		return "(switch (c(" + g.object() + ")) { case @red : " + sub() + ", case @green : " + sub() + ", default : " + sub() + " })"
	}
	return g.truth(0)
}

func (g *generator) number(depth int) string {
	if depth == 0 && g.draw && g.rng.IntN(3) == 0 {
		return g.pick("Normal(n, 1)", "Poisson(2.5)", "Uniform(r, r + TWO)", "Binomial(5, HALF)", "Exponential(abs[n] + HALF)",
			"Geometric(0.4)", "Beta(1, 2)", "Gamma(2, HALF)", "NegativeBinomial(3, 0.4)", "Laplace(r, 1)")
	}
	if depth == 0 {
		return g.pick("n", "r", "ZERO", "TWO", "HALF", "1", "0", "2.5", "m("+g.object()+")", "COST("+g.object()+")")
	}
	sub := func() string { return g.number(depth - 1) }
	switch g.rng.IntN(9) {
	case 0:
		return "(-" + sub() + ")"
	case 1, 2, 3:
		return "(" + sub() + g.pick(" + ", " - ", " * ", " / ") + sub() + ")"
	case 4:
		return "(if (" + g.truth(depth-1) + ") then " + sub() + " else " + sub() + ")"
	case 5:
		return g.over(g.pick("sum", "prod", "min", "max", "avg"), sub)
	case 6:
		return g.pick("abs", "sgn", "floor", "ceil", "round") + "[" + sub() + "]"
	case 7:
		return g.pick("min", "max", "pow", "fmod") + "[" + sub() + ", " + sub() + "]"
	}
	return "(" + g.truth(depth-1) + " * " + sub() + ")"
}

// TestFoldingKeepsValues compares each folded expression with the same expression grounded
// without folding, in random states: if the plain one has a value, the folded one has the
// same.
func TestFoldingKeepsValues(t *testing.T) {
	p := mustGround(t, foldDomain)
	g := &generator{rng: rand.New(rand.NewPCG(1, 2))}
	var texts []string
	for _, c := range foldCases {
		texts = append(texts, c.text)
	}
	for i := range 4000 {
		if i%2 == 0 {
			texts = append(texts, g.truth(1+i%4))
		} else {
			texts = append(texts, g.number(1+i%4))
		}
	}
	compared, shrunk := 0, 0
	for _, text := range texts {
		e, err := typed(p, text)
		if err != nil && strings.Contains(err.Error(), "division by zero") {
			continue // contains a literal zero
		} else if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		folded, err := p.Expr(e)
		if err != nil {
			continue // it always divides by zero or has a similar fault
		}
		plainBuilder := newBuilder(context.Background(), maxNodes)
		plainBuilder.plain = true
		pg := newGrounder(p, plainBuilder)
		plain := pg.expr(e)
		if plainBuilder.err != nil {
			t.Fatalf("%s, plain: %v", text, plainBuilder.err)
		}
		if findRandom(plain) != nil {
			continue
		}
		if size(folded) < size(plain) {
			shrunk++
		}
		for range 10 {
			now := make([]float64, len(p.Fluents))
			for i, f := range p.Fluents {
				switch f.Type {
				case Bool:
					now[i] = float64(g.rng.IntN(2))
				case Enum:
					now[i] = float64(g.rng.IntN(len(f.Values)))
				case Int:
					now[i] = float64(g.rng.IntN(7) - 3)
				case Real:
					now[i] = float64(g.rng.IntN(17)-8) / 4
				}
			}
			want, err := Eval(plain, &Values{Now: now})
			if err != nil || math.Abs(want) > 1e12 {
				continue
			}
			got, err := Eval(folded, &Values{Now: now})
			if err != nil || got != want {
				t.Fatalf("%s\nplain  %s = %v\nfolded %s = %v, %v\nin %v", text, plain, want, folded, got, err, now)
			}
			compared++
		}
	}
	if compared < 10*len(texts)/2 || shrunk < len(texts)/4 {
		t.Errorf("only %d values compared and %d of %d expressions made smaller", compared, shrunk, len(texts))
	}
}

func size(n *Node) int {
	if n == nil {
		return 0
	}
	total := 1
	for _, a := range n.Args {
		total += size(a)
	}
	return total
}
