package ground

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// forced is what each distribution draws when it draws what Mean prescribes, computed
// independently of the program. Discrete draws the index of its first greatest weight.
func forced(name string, a []float64) (float64, error) {
	switch name {
	case "Bernoulli":
		if a[0] >= 0.5 {
			return 1, nil
		}
		return 0, nil
	case "Discrete", "UnnormDiscrete":
		best := 0
		for i := range a {
			if a[i] > a[best] {
				best = i
			}
		}
		return float64(best), nil
	case "Uniform":
		return (a[0] + a[1]) / 2, nil
	case "Poisson":
		return math.RoundToEven(a[0]), nil
	case "Binomial":
		return math.RoundToEven(a[0] * a[1]), nil
	case "Geometric":
		return math.RoundToEven(1 / a[0]), nil
	case "NegativeBinomial":
		return math.RoundToEven(a[0] * (1 - a[1]) / a[1]), nil
	case "Gamma":
		return a[0] * a[1], nil
	case "Beta":
		return a[0] / (a[0] + a[1]), nil
	}
	return a[0], nil
}

// TestDeterminizeForcesDraws compares determinised expressions with the original ones whose
// draws are forced, in random states.
func TestDeterminizeForcesDraws(t *testing.T) {
	p := mustGround(t, foldDomain)
	g := &generator{rng: rand.New(rand.NewPCG(5, 6)), draw: true}
	compared, drawn := 0, 0
	for i := range 3000 {
		text := g.truth(1 + i%4)
		if i%2 == 1 {
			text = g.number(1 + i%3)
		}
		e, err := typed(p, text)
		if err != nil {
			continue // a draw where none is allowed, or a division by a literal zero
		}
		n, err := p.Expr(e)
		if err != nil || findRandom(n) == nil {
			continue
		}
		drawn++
		q := *p
		q.Reward = n
		d, err := q.Determinize(Mean)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if r := findRandom(d.Reward); r != nil {
			t.Fatalf("%s: %s is left", text, r)
		}
		if d.Origin == nil || d.Origin.Problem != &q {
			t.Fatal("the origin is not known")
		}
		for range 10 {
			now := randomState(p, g.rng)
			want, err := Eval(n, &Values{Now: now, Draw: forced})
			if err != nil || math.Abs(want) > 1e12 {
				continue
			}
			got, err := Eval(d.Reward, &Values{Now: now})
			if err != nil || math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("%s = %v in %v\ndeterminised %s = %v, %v", n, want, now, d.Reward, got, err)
			}
			compared++
		}
	}
	if drawn < 500 || compared < 4000 {
		t.Errorf("only %d expressions draw, %d values compared", drawn, compared)
	}
}

func randomState(p *Problem, rng *rand.Rand) []float64 {
	now := make([]float64, len(p.Fluents))
	for i, f := range p.Fluents {
		switch f.Type {
		case Bool:
			now[i] = float64(rng.IntN(2))
		case Enum:
			now[i] = float64(rng.IntN(len(f.Values)))
		case Int:
			now[i] = float64(rng.IntN(7) - 3)
		case Real:
			now[i] = float64(rng.IntN(17)-8) / 4
		}
	}
	return now
}

func TestDeterminize(t *testing.T) {
	for _, c := range []struct{ text, want, mean string }{
		{"Bernoulli(0.5)", "true", ""},
		{"Bernoulli(0.499)", "false", ""},
		{"Bernoulli(r)", "r >= 0.5", ""},
		{"q ^ Bernoulli(0.3) | a", "a", ""},
		{"Discrete(color, @red : 0.2, @green : 0.4, @blue : 0.4)", "@green", ""},
		{"Discrete(color, @blue : 0.4, @red : 0.2, @green : 0.4)", "@blue", ""},
		{"UnnormDiscrete(color, @red : TWO, @green : n)", "if (n <= 2) then @red else @green", ""},
		{"Normal(n, 2)", "Normal draws a number, which has no most likely value; expected --determinize mean", "n"},
		{"Poisson(2.5)", "Poisson draws a number", "2"},
		{"Poisson(r)", "Poisson draws a number", "round[r]"},
		{"Uniform(n, 3)", "Uniform draws a number", "(n + 3) / 2"},
		{"Student(3)", "Student draws a number", "0"},
		{"n + 1", "n + 1", ""},
	} {
		p := mustGround(t, foldDomain)
		e, err := typed(p, c.text)
		if err != nil {
			t.Fatal(err)
		}
		if p.Reward, err = p.Expr(e); err != nil {
			t.Fatal(err)
		}
		for _, rule := range Determinizations {
			want := c.want
			if rule == Mean && c.mean != "" {
				want = c.mean
			}
			d, err := p.Determinize(rule)
			switch {
			case err != nil && !strings.Contains(err.Error(), want):
				t.Errorf("%s, %s: %v, want %s", c.text, rule, err, want)
			case err == nil && d.Reward.String() != want:
				t.Errorf("%s, %s: %s, want %s", c.text, rule, d.Reward, want)
			case err == nil && findRandom(p.Reward) == nil && d != p:
				t.Errorf("%s, %s: a problem without draws is not returned as it is", c.text, rule)
			}
		}
	}
	if _, err := mustGround(t, foldDomain).Determinize("likely"); err == nil {
		t.Error("an unknown rule is accepted")
	}
}

// TestNormalised: weights that are divided by their sum are compared without it, which reads
// fewer fluents; a probability that is a quotient is compared without dividing.
func TestNormalised(t *testing.T) {
	p := mustGround(t, `domain d {
		types { v : {@a, @b, @c}; o : object; };
		pvariables {
			x(o) : { state-fluent, bool, default = false };
			pick : { state-fluent, v, default = @a };
			many : { state-fluent, bool, default = false };
		};
		cpfs {
			x'(?o) = x(?o);
			pick' = Discrete(v, @a : 1.5 * x(o1) / (1 + [sum_{?o : o} x(?o)]), @b : x(o2) * 2 / (1 + [sum_{?o : o} x(?o)]), @c : 1 / (1 + [sum_{?o : o} x(?o)]));
			many' = Bernoulli([sum_{?o : o} x(?o)] / [sum_{?o : o} (1 + x(o1))]);
		};
		reward = 0;
	}
	instance i { domain = d; objects { o : {o1, o2, o3}; }; horizon = 1; discount = 1.0; }`)
	d, err := p.Determinize(MostLikely)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pick", "many"} {
		if text := d.Fluents[d.ByName[name]].CPF.String(); strings.Contains(text, "/") {
			t.Errorf("%s' = %s divides", name, text)
		}
	}
	for row := range 8 {
		v := &Values{Now: make([]float64, len(p.Fluents))}
		x := [3]float64{}
		sum := 0.0
		for i := range x {
			x[i] = float64(row >> i & 1)
			v.Now[p.ByName["x(o"+string(rune('1'+i))+")"]] = x[i]
			sum += x[i]
		}
		pick, many := 0.0, 0.0
		if w := []float64{1.5 * x[0], 2 * x[1], 1}; w[1] > w[0] && w[1] >= w[2] {
			pick = 1
		} else if w[2] > w[0] {
			pick = 2
		}
		if sum >= 0.5*3*(1+x[0]) {
			many = 1
		}
		for name, want := range map[string]float64{"pick": pick, "many": many} {
			if got, err := Eval(d.Fluents[d.ByName[name]].CPF, v); err != nil || got != want {
				t.Errorf("row %d: %s' = %v, %v; want %v", row, name, got, err, want)
			}
		}
	}
}
