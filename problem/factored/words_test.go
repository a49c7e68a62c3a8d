package factored_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/factored"
)

// spoken is a problem with variables of each kind.
func spoken(t *testing.T) *factored.Problem {
	p := factored.NewProblem("p")
	add := func(v factored.Variable) {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		add(factored.Variable{Name: fmt.Sprintf("s%d", i), Bool: true})
	}
	for i := range 5 {
		add(factored.Variable{Name: fmt.Sprintf("r(x%d,y)", i), Bool: true})
		add(factored.Variable{Name: fmt.Sprintf("go(x%d)", i), Kind: factored.Action, Bool: true})
	}
	add(factored.Variable{Name: "floor", Hi: 4})
	add(factored.Variable{Name: "level", Lo: -3, Hi: 6})
	add(factored.Variable{Name: "count", Hi: 30})
	add(factored.Variable{Name: "wide", Lo: -5, Hi: 9000})
	add(factored.Variable{Name: "command", Kind: factored.Action, Hi: 3, View: &factored.View{Names: []string{"close", "down", "open", "wait"}}})
	add(factored.Variable{Name: "mode", Hi: 1, View: &factored.View{Names: []string{"manual", "self"}}})
	add(factored.Variable{Name: "load", Hi: 4, View: &factored.View{Edges: []float64{0, 20, 45.5, 60, 80, 100}, Unit: "kg"}})
	add(factored.Variable{Name: "aux", Kind: factored.Auxiliary, Bool: true, Meaning: "heavy"})
	if _, err := p.AddClock(2); err != nil {
		t.Fatal(err)
	}
	return p
}

// randomConstraint draws terms over a few variables, some with the weights of their bits.
func randomConstraint(r *rand.Rand, p *factored.Problem) factored.Constraint {
	c := factored.Constraint{Op: factored.Op(r.IntN(3))}
	seen := map[factored.Lit]bool{}
	term := func(coef int64, l factored.Lit) {
		if key := (factored.Lit{Bit: l.Bit, Next: l.Next}); !seen[key] && coef != 0 {
			seen[key] = true
			c.Terms = append(c.Terms, factored.Term{Coef: coef, Lit: l})
		}
	}
	style, unit := r.IntN(4), int64(1+r.IntN(2))
	if r.IntN(2) == 0 {
		unit = -unit
	}
	for range 1 + r.IntN(4) {
		v := &p.Variables[r.IntN(len(p.Variables))]
		next := v.Kind == factored.State && r.IntN(3) == 0
		f := int64(r.IntN(5) - 2)
		for i := range v.Width {
			l := factored.Lit{Bit: v.First + factored.Bit(i), Next: next}
			switch style {
			case 0: // a sum of values
				term(f*v.Weight(i), l)
			case 1: // counted
				term(unit, l)
			case 2: // a clause
				l.Neg = r.IntN(2) == 0
				if r.IntN(2) == 0 {
					term(1, l)
				}
			default:
				l.Neg = r.IntN(4) == 0
				term(int64(r.IntN(7)-3), l)
			}
		}
	}
	if style == 1 && r.IntN(2) == 0 { // all of a kind
		c.Terms, seen = nil, map[factored.Lit]bool{}
		for i := range p.Variables {
			if v := &p.Variables[i]; strings.HasPrefix(v.Name, []string{"go(", "r("}[r.IntN(8)/7]) {
				term(unit, factored.Lit{Bit: v.First})
			}
		}
	}
	if c.K = int64(r.IntN(9) - 4); style == 2 {
		c.Op, c.K = factored.GE, 1
	}
	return c
}

// TestWords reads the sentences and formulas of random constraints back: on random states they
// have the truth of the constraint, and no bit is in them.
func TestWords(t *testing.T) {
	p := spoken(t)
	r := rand.New(rand.NewPCG(7, 8))
	forms := map[string]int{}
	for range 5000 {
		c := randomConstraint(r, p)
		text, formula := p.Words(&c), p.Format(&c)
		if strings.Contains(text+formula, "#") {
			t.Fatalf("%v: a bit in %q or %q", c, text, formula)
		}
		for range 4 {
			w := &reader{p: p, now: randomValues(r, p), next: randomValues(r, p)}
			if r.IntN(2) == 0 { // close to the other step
				w.next = append(factored.Valuation(nil), w.now...)
			}
			want := c.Holds(w.now, w.next)
			if got := w.sentence(text); w.err != nil || got != want {
				t.Fatalf("%s (%v): %q is %v, %v; the constraint is %v", formula, c, text, got, w.err, want)
			}
			if got := w.formula(formula); w.err != nil || got != want {
				t.Fatalf("%v: %q is %v, %v; the constraint is %v", c, formula, got, w.err, want)
			}
		}
		for _, form := range []string{"at least", "exactly", "at most one", "cannot both", "the 5 go(", "the 5 r(", "if ", "at step 2", " or ", "mod", " kg", "must equal", "must not be chosen", "heavy holds"} {
			if strings.Contains(text, form) {
				forms[form]++
			}
		}
	}
	for form, n := range forms {
		if n < 3 {
			t.Errorf("only %d sentences have %q", n, form)
		}
	}
	if len(forms) < 13 {
		t.Errorf("not all forms occur: %v", forms)
	}
}

// TestPayoffs compares the parts of random rewards, with their values read from their texts,
// with the reward of random steps.
func TestPayoffs(t *testing.T) {
	p := spoken(t)
	r := rand.New(rand.NewPCG(3, 4))
	integers := 0
	for range 500 {
		p.Reward = factored.Reward{Scale: 1, Constant: int64(r.IntN(5))}
		for _, x := range randomConstraint(r, p).Terms {
			p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: x.Lit, Weight: x.Coef})
		}
		w := &reader{p: p, now: randomValues(r, p), next: randomValues(r, p)}
		sum := p.Reward.Constant
		for _, x := range p.Payoffs() {
			switch {
			case x.Of != nil:
				_, value := w.variable(x.Text)
				sum += x.Weight * value
				integers++
			case w.formula(x.Text):
				sum += x.Weight
			}
		}
		if want := p.Reward.StepReward(w.now, w.next); w.err != nil || sum != want {
			t.Fatalf("%+v pay %d, %v; the reward is %d", p.Payoffs(), sum, w.err, want)
		}
	}
	if integers < 50 {
		t.Errorf("only %d values of integers are paid", integers)
	}
}

// randomValues draws values within the ranges.
func randomValues(r *rand.Rand, p *factored.Problem) factored.Valuation {
	val := make(factored.Valuation, p.NumBits())
	for i := range p.Variables {
		v := &p.Variables[i]
		if err := v.Set(val, v.Lo+r.Int64N(v.Hi-v.Lo+1)); err != nil {
			panic(err)
		}
	}
	return val
}

// reader evaluates sentences over a step.
type reader struct {
	p         *factored.Problem
	now, next factored.Valuation
	err       error
}

func (w *reader) fail(format string, args ...any) bool {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
	return false
}

// variable reads a variable, with "next " before or ' after it.
func (w *reader) variable(text string) (*factored.Variable, int64) {
	val := w.now
	name, primed := strings.CutSuffix(text, "'")
	name, next := strings.CutPrefix(name, "next ")
	if primed || next {
		val = w.next
	}
	if name == "heavy" || name == "(heavy)" {
		name = "aux"
	}
	v, ok := w.p.Lookup(name)
	if !ok {
		w.fail("no variable %q", text)
		return &factored.Variable{Bool: true}, 0
	}
	return v, v.Value(val)
}

var (
	counted  = regexp.MustCompile(`^(at least|at most|exactly) (one|\d+) of (.*) (?:must|can) be (?:true|chosen)$`)
	compare  = regexp.MustCompile(`^(.*) must (be at most|be at least|equal) (.*)$`)
	alone    = regexp.MustCompile(`^[^+*]* must be at (most|least) -?[0-9.]+( kg)?$`)
	negative = regexp.MustCompile(`^-\d+$`)
	split    = regexp.MustCompile(`^(.*?) (?:must be|must not be|must hold|must not hold|is not|is|holds|does not hold)(?: (.*))?$`)
)

// sentence evaluates a rule.
func (w *reader) sentence(text string) bool {
	if rest, ok := strings.CutPrefix(text, "at step "); ok {
		step, rest, _ := strings.Cut(rest, ", ")
		_, now := w.variable("@" + step)
		return w.sentence(rest) || now == 0
	}
	if rest, ok := strings.CutPrefix(text, "if "); ok {
		ifs, then, _ := strings.Cut(rest, ", then ")
		all := true
		for _, part := range strings.Split(ifs, " and ") {
			all = w.simple(part) && all
		}
		return w.sentence(then) || !all
	}
	if text == "anything can be" || text == "this cannot be" {
		return text == "anything can be"
	}
	if m := counted.FindStringSubmatch(text); m != nil {
		k, n := int64(1), w.trueOf(m[3], ", ")
		if m[2] != "one" {
			k, _ = strconv.ParseInt(m[2], 10, 64)
		}
		return m[1] == "at least" && n >= k || m[1] == "at most" && n <= k || m[1] == "exactly" && n == k
	}
	if both, ok := strings.CutSuffix(text, " cannot both be true"); ok {
		return w.trueOf(both, " and ") < 2
	}
	if both, ok := strings.CutSuffix(text, " cannot both be chosen"); ok {
		return w.trueOf(both, " and ") < 2
	}
	if m := compare.FindStringSubmatch(text); m != nil && !alone.MatchString(text) {
		a, b := w.sum(m[1]), w.sum(m[3])
		return m[2] == "be at most" && a <= b || m[2] == "be at least" && a >= b || m[2] == "equal" && a == b
	}
	if strings.Contains(text, " and ") || strings.HasPrefix(text, "the 5 ") {
		list, verb, _ := strings.Cut(text, " must ")
		n := int64(len(w.names(list, " and ")))
		if verb == "be false" || verb == "not be chosen" {
			n = 0
		}
		return w.trueOf(list, " and ") == n
	}
	return w.simple(text)
}

// names reads a list of variables, or "the 5 go(…)".
func (w *reader) names(list, last string) []string {
	if rest, ok := strings.CutPrefix(list, "the 5 "); ok {
		var out []string
		base := strings.TrimSuffix(rest, "…)")
		next := ""
		if strings.HasPrefix(base, "next ") {
			base, next = strings.TrimPrefix(base, "next "), "next "
		}
		for i := range w.p.Variables {
			if strings.HasPrefix(w.p.Variables[i].Name, base) {
				out = append(out, next+w.p.Variables[i].Name)
			}
		}
		return out
	}
	return strings.Split(strings.ReplaceAll(list, last, ", "), ", ")
}

func (w *reader) trueOf(list, last string) (n int64) {
	for _, name := range w.names(list, last) {
		_, x := w.variable(name)
		n += x
	}
	return n
}

// simple evaluates a statement on one variable.
func (w *reader) simple(text string) bool {
	m := split.FindStringSubmatch(text)
	if m == nil {
		return w.fail("no verb in %q", text)
	}
	name, what := m[1], m[2]
	not := strings.Contains(text[len(name):], " not ")
	if name == "the next step" {
		_, then := w.variable("next @" + what)
		return (then == 1) != not
	}
	if name == "it" {
		_, now := w.variable("@" + strings.TrimPrefix(what, "step "))
		return (now == 1) != not
	}
	name, mod, remainder := strings.Cut(name, " mod ")
	v, x := w.variable(name)
	if remainder {
		k, _ := strconv.ParseInt(mod, 10, 64)
		x = ((x % k) + k) % k
		v = &factored.Variable{Lo: 0, Hi: k - 1}
	}
	if v.Bool {
		return (x == 1) != (not || what == "false")
	}
	return w.oneOf(v, x, what) != not
}

// oneOf reports whether x is among values such as "below 20 kg", "0, 2 or 4 to 6".
func (w *reader) oneOf(v *factored.Variable, x int64, what string) bool {
	if what == "any of its values" {
		return true
	}
	if v.Enumeration() {
		for _, name := range strings.Split(strings.ReplaceAll(what, " or ", ", "), ", ") {
			if v.Show(x) == name {
				return true
			}
		}
		return false
	}
	q := float64(x)
	if v.Quantity() {
		q = v.Center(x)
	}
	for _, part := range strings.Split(strings.ReplaceAll(what, " or ", ", "), ", ") {
		part = strings.TrimSuffix(strings.TrimPrefix(part, "in "), " kg")
		lo, hi := q, q
		var err error
		number := func(s string) (y float64) {
			y, err = strconv.ParseFloat(s, 64)
			return y
		}
		switch a, b, between := strings.Cut(strings.NewReplacer("–", " to ", "..", " to ").Replace(part), " to "); {
		case strings.HasPrefix(part, "below "):
			hi = number(part[len("below "):])
			if !v.Quantity() {
				hi--
			}
		case strings.HasPrefix(part, "at most "):
			hi = number(part[len("at most "):])
		case strings.HasPrefix(part, "at least "):
			lo = number(part[len("at least "):])
		case between:
			if lo = number(a); err == nil {
				hi = number(b)
			}
		default:
			lo = number(part)
			hi = lo
		}
		if err != nil {
			return w.fail("%q of %q: %v", part, what, err)
		}
		if q >= lo && q <= hi {
			return true
		}
	}
	return false
}

// sum evaluates a sum with conditions in parentheses.
func (w *reader) sum(text string) (sum int64) {
	sign := int64(1)
	if strings.HasPrefix(text, "-") && !negative.MatchString(text) {
		sign, text = -1, text[1:]
	}
	for text != "" {
		part, after := text, sign
		depth := 0
		for i := 0; i < len(text); i++ {
			switch text[i] {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth > 0 {
				continue
			}
			rest, plus := strings.CutPrefix(text[i:], " + ")
			if !plus {
				var minus bool
				if rest, minus = strings.CutPrefix(text[i:], " - "); !minus {
					continue
				}
			}
			part, after = text[:i], 1
			if !plus {
				after = -1
			}
			text = rest
			break
		}
		sum += sign * w.addend(part)
		if len(part) == len(text) && part == text {
			break
		}
		sign = after
	}
	return sum
}

func (w *reader) addend(part string) int64 {
	f := int64(1)
	if a, b, ok := strings.Cut(part, "*"); ok {
		f, _ = strconv.ParseInt(a, 10, 64)
		part = b
	}
	if x, err := strconv.ParseInt(part, 10, 64); err == nil {
		return f * x
	}
	if strings.HasPrefix(part, "~") {
		return f * (1 - w.addend(part[1:]))
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(part, "("), ")")
	if bin, ok := strings.CutPrefix(inner, "bin of "); ok {
		inner = bin
	}
	if part[0] == '(' && strings.Contains(inner, " ") && !strings.HasPrefix(inner, "next ") || strings.Contains(inner, " is ") {
		holds := false
		if split.MatchString(inner) && !strings.Contains(inner, " is one of ") {
			holds = w.simple(inner)
		} else {
			holds = w.formula(inner)
		}
		if holds {
			return f
		}
		return 0
	}
	if part[0] != '(' {
		inner = part
	}
	_, x := w.variable(inner)
	return f * x
}

// formula evaluates what Format returns.
func (w *reader) formula(text string) bool {
	if a, b, ok := strings.Cut(text, " => "); ok {
		return w.addend(a) == 0 || w.formula(b)
	}
	if strings.HasSuffix(text, " has no value") {
		return false
	}
	for _, in := range []string{" in ", " is one of ", " ~= ", " < ", " == ", " >= ", " <= "} {
		a, b, ok := strings.Cut(text, in)
		name, mod, remainder := strings.Cut(a, " mod ")
		if !ok || strings.ContainsAny(a, "+*") || strings.HasPrefix(a, "(") || strings.HasPrefix(a, "~") || strings.Contains(a, " - ") || strings.HasPrefix(a, "-") || a == "0" || a == "" {
			continue
		}
		v, x := w.variable(name)
		if v.Bool {
			break
		}
		if remainder {
			k, _ := strconv.ParseInt(mod, 10, 64)
			x, v = ((x%k)+k)%k, &factored.Variable{Hi: k - 1}
		}
		switch b = strings.TrimSpace(b); {
		case in == " in " && b == v.RangeText():
			return true
		case in == " < ":
			b = "below " + b
		case in == " <= ":
			b = "at most " + b
		case in == " >= ":
			b = "at least " + b
		}
		return w.oneOf(v, x, b) != (in == " ~= ")
	}
	at := strings.LastIndexAny(text, "<>=")
	if at < 1 {
		return w.addend(text) == 1
	}
	a, op := w.sum(strings.TrimSpace(text[:at-1])), text[at-1:at+1]
	b, err := strconv.ParseInt(strings.TrimSpace(text[at+1:]), 10, 64)
	if err != nil {
		return w.fail("%q: %v", text, err)
	}
	return op == "<=" && a <= b || op == ">=" && a >= b || op == "==" && a == b
}
