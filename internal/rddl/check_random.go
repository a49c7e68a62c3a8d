package rddl

import (
	"math"

	"github.com/fdplan/fdplan/internal/counted"
)

// constant is the value of an expression of numbers alone.
func constant(e Expr) (v float64, ok bool) {
	switch e := e.(type) {
	case *Number:
		return e.Value, true
	case *Bool:
		if e.Value {
			return 1, true
		}
		return 0, true
	case *Unary:
		v, ok = constant(e.X)
		if e.Op == Neg {
			v = -v
		}
		return v, ok && e.Op != Not
	}
	return 0, false
}

// random refuses a draw where every evaluation must have the same result.
func (c *checker) random(pos Pos, name string) {
	if rule := &placeRules[c.place]; !rule.random {
		fail(pos, "%s is a random draw, which %s cannot have", name, rule.name)
	}
}

func (c *checker) dist(e *Dist, want Type) Expr {
	d := Distributions[e.Name]
	if d.Result != (Type{}) {
		c.random(e.Pos, e.Name)
		want = Type{}
	}
	if len(e.Args) != len(d.Params) {
		fail(e.Pos, "%s has %s, expected %d", e.Name, counted.Of(len(e.Args), "argument"), len(d.Params))
	}
	x := *e
	x.Args = nil
	for i, a := range e.Args {
		a = c.expr(a, want)
		if d.Result != (Type{}) {
			c.number(a, "the "+d.Params[i].Name+" of "+e.Name)
			if v, ok := constant(a); ok {
				if err := d.CheckParameter(i, v); err != nil {
					fail(start(a), "%v", err)
				}
			}
		}
		x.Args = append(x.Args, a)
	}
	x.Type = d.Result
	if d.Result == (Type{}) {
		x.Type = x.Args[0].ResultType()
		if e.Name == "KronDelta" && x.Type.Kind == RealType {
			fail(start(x.Args[0]), "KronDelta of type real, expected bool, int or an enumeration; DiracDelta is for reals")
		}
		if e.Name == "DiracDelta" && x.Type.IsFinite() {
			fail(start(x.Args[0]), "DiracDelta of type %v, expected a number; KronDelta is for enumerations", x.Type)
		}
	}
	if len(x.Args) == 2 {
		a, ok1 := constant(x.Args[0])
		b, ok2 := constant(x.Args[1])
		if ok1 && ok2 {
			if err := d.Check(a, b); err != nil {
				fail(start(x.Args[1]), "%v", err)
			}
		}
	}
	return &x
}

func (c *checker) probability(e Expr, v float64) {
	if v < 0 || v > 1 {
		fail(start(e), "probability %v, expected a number from 0 to 1", v)
	}
}

func (c *checker) discrete(e *Discrete) Expr {
	name := "Discrete"
	if e.Unnorm {
		name = "UnnormDiscrete"
	}
	c.random(e.Pos, name)
	x := *e
	if e.Params != nil {
		outer := c.scope
		x.Params = c.bind(e.Params)
		if len(x.Params) != 1 {
			fail(x.Params[1].Pos, "second variable of %s, expected one", name)
		}
		x.Body = c.number(c.expr(e.Body, Type{}), "the probability of "+name)
		c.scope = outer
		x.Type = x.Params[0].Type
		return &x
	}
	x.Type = c.finite(e.TypeName)
	x.Outcomes = nil
	sum, allConst, seen := 0.0, true, map[string]bool{}
	for _, o := range e.Outcomes {
		v := c.caseValue(o.Value, x.Type)
		if seen[v.Name] {
			fail(v.Pos, "second probability of %s%s", signOf(v.At), v.Name)
		}
		seen[v.Name] = true
		if o.Prob == nil {
			if e.Unnorm {
				fail(v.Pos, "otherwise has no meaning in UnnormDiscrete, expected a weight")
			}
			x.Outcomes = append(x.Outcomes, Outcome{Value: v})
			continue
		}
		prob := c.number(c.expr(o.Prob, Type{}), "the probability of "+v.Name)
		if w, ok := constant(prob); !ok {
			allConst = false
		} else if sum += w; e.Unnorm && w < 0 {
			fail(start(prob), "weight %v, expected 0 or more", w)
		} else if !e.Unnorm {
			c.probability(prob, w)
		}
		x.Outcomes = append(x.Outcomes, Outcome{v, prob})
	}
	otherwise := x.Outcomes[len(x.Outcomes)-1].Prob == nil
	if !e.Unnorm && allConst && (otherwise && sum > 1+SumTolerance || !otherwise && math.Abs(sum-1) > SumTolerance) {
		fail(e.Pos, "the probabilities add up to %v, expected 1", sum)
	}
	return &x
}
