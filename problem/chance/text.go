package chance

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// Lines writes a model, one item a line:
//
//	draw NAME, NAME          begins a group
//	blocked rest             clamp, keep, others or rest; see Blocked
//	noise NAME 1/500         the share of wrong records of an output; absent for 0
//	follow NAME = VALUE when CONDITION
//	                         what an output is after a step by what others of the group are then; see Follow
//	when CONDITION           begins a context; or otherwise
//	rows 213                 that its probabilities were counted in; absent for none
//	150/213: row + 1         an outcome: its probability and its effects
//
// The effects are separated by commas, and an output without one keeps its value: NAME + N and NAME - N
// add, NAME = VALUE sets, NAME = NAME - NAME + N adds to a sum, NAME' is the value that the deterministic transition
// predicts, to which NAME' + N adds; keep stands for no effect at all.
func (m *Model) Lines() []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for i := range m.Groups {
		g := &m.Groups[i]
		var names []string
		for _, v := range g.Outputs {
			names = append(names, m.Problem.Variables[v].Name)
		}
		add("draw %s", strings.Join(names, ", "))
		add("blocked %s", g.Blocked)
		for j, n := range g.Noise {
			if n.Wrong > 0 {
				add("noise %s %d/%d", names[j], n.Wrong, n.Of)
			}
		}
		for k := range g.Follows {
			for _, c := range g.Cases(k) {
				if c[0] != "" {
					c[1] += " when " + c[0]
				}
				add("follow %s", c[1])
			}
		}
		for k := range g.Contexts {
			c := &g.Contexts[k]
			if c.When == "" {
				add("otherwise")
			} else {
				add("when %s", c.When)
			}
			if c.Rows > 0 {
				add("rows %d", c.Rows)
			}
			for _, o := range c.Outcomes {
				share := big.NewRat(o.Weight, c.Total).RatString()
				if c.Total == c.Rows {
					share = fmt.Sprintf("%d/%d", o.Weight, c.Total) // of the rows
				}
				add("%s: %s", share, g.Text(o.Effects))
			}
		}
	}
	return out
}

// Text writes a joint effect as Lines does.
func (g *Group) Text(effects []Effect) string {
	var parts []string
	for j, e := range effects {
		if g.follows(j) != nil {
			continue
		}
		v := &g.p.Variables[g.Outputs[j]]
		switch name := v.Name; {
		case e.Kind == Set:
			parts = append(parts, name+" = "+valueText(v, e.By))
		case e.Kind == Predict:
			parts = append(parts, name+"'"+signed(v, e.By))
		case e.Sum > 0:
			parts = append(parts, name+" = "+g.Sums[e.Sum-1].Text(g.p)+signed(v, e.By))
		case e.By != 0:
			parts = append(parts, name+signed(v, e.By))
		}
	}
	if len(parts) == 0 {
		return "keep"
	}
	return strings.Join(parts, ", ")
}

// signed writes what is added; nothing for 0.
func signed(v *factored.Variable, x int64) string {
	amount := strconv.FormatInt(max(x, -x), 10)
	if v.Fixed() {
		amount = v.Decimal(max(x, -x))
	}
	switch {
	case x > 0:
		return " + " + amount
	case x < 0:
		return " - " + amount
	}
	return ""
}

// valueText writes a value such that Parse reads it.
func valueText(v *factored.Variable, x int64) string {
	switch {
	case v.Enumeration():
		return strconv.Quote(v.View.Names[x-v.Lo])
	case v.Quantity():
		return strconv.FormatFloat(v.Center(x), 'g', -1, 64)
	}
	return fmt.Sprint(v.Show(x))
}

// Parse reads what Lines writes. The error is about the line, from 0, that it returns beside.
func Parse(p *factored.Problem, lines []string) (m *Model, line int, err error) {
	r := reader{p: p}
	for i, text := range lines {
		if err := r.line(i, text); err != nil {
			return nil, i, err
		}
	}
	if err := r.close(); err != nil {
		return nil, r.opened(), err
	}
	m, g, c, err := New(p, r.groups)
	switch {
	case err != nil && c >= 0:
		return nil, r.contexts[g][c], err
	case err != nil:
		return nil, r.begins[g], err
	}
	return m, 0, nil
}

// reader collects the groups of a file.
type reader struct {
	p        *factored.Problem
	groups   []Group
	begins   []int   // the line of each group
	contexts [][]int // and of each of its contexts
	fraction []*big.Rat
}

// opened returns the line of the last context, or else of the last group.
func (r *reader) opened() int {
	if n := len(r.contexts); n > 0 {
		if c := r.contexts[n-1]; len(c) > 0 {
			return c[len(c)-1]
		}
		return r.begins[n-1]
	}
	return 0
}

func (r *reader) line(i int, text string) error {
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	if word == "draw" {
		if err := r.close(); err != nil {
			return err
		}
		g, err := NewGroup(r.p, split(rest))
		if err != nil {
			return err
		}
		r.groups, r.begins, r.contexts = append(r.groups, *g), append(r.begins, i), append(r.contexts, nil)
		return nil
	}
	if len(r.groups) == 0 {
		return errors.New("expected draw NAME, … first")
	}
	g := &r.groups[len(r.groups)-1]
	at := &r.contexts[len(r.contexts)-1]
	switch {
	case word == "blocked" && len(*at) == 0:
		var err error
		g.Blocked, err = ParseBlocked(rest)
		return err
	case word == "noise" && len(*at) == 0:
		return g.parseNoise(rest)
	case word == "follow" && len(*at) == 0:
		return g.parseFollow(rest)
	case word == "when" || text == "otherwise":
		if err := r.close(); err != nil {
			return err
		}
		if word == "when" && rest == "" {
			return errors.New("the condition is empty; expected when CONDITION, or otherwise")
		}
		g.Contexts, *at = append(g.Contexts, Context{When: rest}), append(*at, i)
		return nil
	case len(*at) == 0:
		return errors.New("expected when CONDITION or otherwise before an outcome")
	case word == "rows":
		n, err := strconv.ParseInt(rest, 10, 64)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a number of rows; expected 1 or more", rest)
		}
		g.Contexts[len(g.Contexts)-1].Rows = n
		return nil
	}
	f, o, err := g.parseOutcome(text)
	if err != nil {
		return err
	}
	c := &g.Contexts[len(g.Contexts)-1]
	c.Outcomes, r.fraction = append(c.Outcomes, *o), append(r.fraction, f)
	return nil
}

// close ends the last context: its probabilities get a common denominator.
func (r *reader) close() error {
	if len(r.groups) == 0 {
		return nil
	}
	g := &r.groups[len(r.groups)-1]
	if len(g.Contexts) == 0 {
		return nil
	}
	f := r.fraction
	r.fraction = nil
	return g.Contexts[len(g.Contexts)-1].weigh(f)
}

// weigh sets the weights of the outcomes of a context to probabilities, which must sum to 1.
func (c *Context) weigh(fractions []*big.Rat) error {
	if len(fractions) == 0 {
		return errors.New("the context has no outcome; expected one at least")
	}
	weights, common := factored.Common(fractions, 62)
	if common.Cmp(big.NewInt(maxTotal)) > 0 {
		return fmt.Errorf("the probabilities have no common denominator up to %d; expected fewer digits", int64(maxTotal))
	}
	sum := new(big.Rat)
	for _, f := range fractions {
		sum.Add(sum, f)
	}
	if sum.Cmp(big.NewRat(1, 1)) != 0 {
		f, _ := sum.Float64()
		text := sum.RatString()
		if len(text) > 12 {
			text = strconv.FormatFloat(f, 'g', 6, 64)
		}
		return fmt.Errorf("the probabilities sum to %s; expected 1 (a third is 1/3)", text)
	}
	each := int64(1)
	if c.Total = common.Int64(); c.Rows > 0 && c.Rows%c.Total == 0 && c.Rows <= maxTotal {
		each, c.Total = c.Rows/c.Total, c.Rows // the weights are counts
	}
	for i, w := range weights {
		c.Outcomes[i].Weight = w.Int64() * each
	}
	return nil
}

// NewGroup returns a group that draws the named state variables, without contexts.
func NewGroup(p *factored.Problem, names []string) (*Group, error) {
	g := &Group{p: p}
	for _, name := range names {
		v, ok := p.Find(name)
		if !ok || v.Kind != factored.State {
			return nil, fmt.Errorf("there is no state variable %q to draw%s", name, p.Hint(name, factored.State))
		}
		g.Outputs = append(g.Outputs, p.Index(v))
	}
	g.Noise = make([]Noise, len(g.Outputs))
	return g, nil
}

// ParseBlocked reads the name of a value of Blocked.
func ParseBlocked(name string) (Blocked, error) {
	i := slices.Index(blockedNames, name)
	if i < 0 {
		return 0, fmt.Errorf("blocked is %q; expected %s", name, strings.Join(blockedNames, ", "))
	}
	return Blocked(i), nil
}

// parseNoise reads NAME WRONG/OF.
func (g *Group) parseNoise(text string) error {
	i := strings.LastIndexByte(text, ' ')
	if i < 0 {
		return errors.New("expected noise NAME WRONG/OF")
	}
	j := g.output(text[:i])
	a, b, ok := strings.Cut(text[i+1:], "/")
	wrong, err1 := strconv.ParseInt(a, 10, 64)
	of, err2 := strconv.ParseInt(b, 10, 64)
	if j < 0 || !ok || err1 != nil || err2 != nil || wrong < 0 || of < 1 || wrong > of {
		return fmt.Errorf("%q is no share of wrong records; expected noise NAME WRONG/OF, such as 1/500, for a variable of the group", text)
	}
	g.Noise[j] = Noise{wrong, of}
	return nil
}

// output returns the number of an output among those of the group; -1 for none.
func (g *Group) output(name string) int {
	v, ok := g.p.Find(strings.TrimSpace(name))
	if !ok {
		return -1
	}
	return slices.Index(g.Outputs, g.p.Index(v))
}

// AddContext adds a context with outcomes as Lines writes them. The error is about the outcome that it
// returns beside, from 0, or about their sum where it is -1.
func (g *Group) AddContext(when string, outcomes []string) (at int, err error) {
	c := Context{When: when}
	var fractions []*big.Rat
	for i, text := range outcomes {
		f, o, err := g.parseOutcome(text)
		if err != nil {
			return i, err
		}
		c.Outcomes, fractions = append(c.Outcomes, *o), append(fractions, f)
	}
	if err := c.weigh(fractions); err != nil {
		return -1, err
	}
	g.Contexts = append(g.Contexts, c)
	return 0, nil
}

// parseOutcome reads P: EFFECTS.
func (g *Group) parseOutcome(text string) (*big.Rat, *Outcome, error) {
	p, rest, ok := strings.Cut(text, ":")
	if !ok {
		return nil, nil, fmt.Errorf("%q is no outcome; expected PROBABILITY: EFFECTS, such as 4/5: x + 1, y = 0", text)
	}
	f, err := parseProbability(strings.TrimSpace(p))
	if err != nil {
		return nil, nil, err
	}
	o := &Outcome{Effects: make([]Effect, len(g.Outputs))}
	if rest = strings.TrimSpace(rest); rest == "keep" {
		return f, o, nil
	}
	set := make([]bool, len(g.Outputs))
	for _, part := range split(rest) {
		j, e, err := g.parseEffect(part)
		if err != nil {
			return nil, nil, err
		}
		if set[j] {
			return nil, nil, fmt.Errorf("%s has two effects in one outcome; expected one", g.p.Variables[g.Outputs[j]].Name)
		}
		set[j], o.Effects[j] = true, e
	}
	return f, o, nil
}

// parseProbability reads a fraction, a decimal number or a percentage exactly.
func parseProbability(text string) (*big.Rat, error) {
	number, percent := strings.CutSuffix(text, "%")
	number = strings.TrimSpace(number)
	f, ok := new(big.Rat), false
	if len(number) <= 40 && !strings.ContainsAny(number, "eEpPxX_+") {
		f, ok = f.SetString(number)
	}
	switch {
	case !ok:
		return nil, fmt.Errorf("%q is no probability; expected a fraction such as 4/5, a number such as .8, or 80%%", text)
	case percent:
		f.Quo(f, big.NewRat(100, 1))
	}
	if f.Sign() <= 0 || f.Cmp(big.NewRat(1, 1)) > 0 {
		return nil, fmt.Errorf("the probability %s is outside 0..1; expected more than 0, at most 1", text)
	}
	return f, nil
}

// parseEffect reads the effect on one output.
func (g *Group) parseEffect(text string) (j int, e Effect, err error) {
	name, op, arg := text, "", ""
	for _, o := range []string{" = ", " + ", " - "} {
		if a, b, ok := strings.Cut(text, o); ok {
			name, op, arg = a, strings.TrimSpace(o), strings.TrimSpace(b)
			break
		}
	}
	name = strings.TrimSpace(name)
	base, primed := strings.CutSuffix(name, "'")
	if j = g.output(base); j < 0 {
		return 0, e, fmt.Errorf("%q is no effect; expected keep, NAME + N, NAME - N, NAME = VALUE, NAME = SUM or NAME' for a variable of the group", text)
	}
	v := &g.p.Variables[g.Outputs[j]]
	if primed {
		e.Kind = Predict
	}
	switch op {
	case "":
		return j, e, nil
	case "=":
		if primed {
			return 0, e, fmt.Errorf("%q sets a prediction; expected %s = VALUE", text, v.Name)
		}
		if s, rest, ok := g.parseSum(arg); ok && !v.Enumeration() {
			if rest == "" {
				rest = "+ 0"
			}
			e.Sum = g.sum(s)
			e.By, err = g.parseAmount(v, strings.TrimSpace(rest[1:]), rest[0] == '-')
			return j, e, err
		}
		if q, err := strconv.Unquote(arg); err == nil {
			arg = q
		}
		e.Kind = Set
		if e.By, err = v.Parse(arg); err == nil && (e.By < v.Lo || e.By > v.Hi) {
			err = fmt.Errorf("%s cannot be %s; its range is %s", v.Name, arg, v.RangeText())
		}
		return j, e, err
	}
	if v.Enumeration() {
		return 0, e, fmt.Errorf("%s has names for values, to which nothing can be added; expected %s = VALUE", v.Name, v.Name)
	}
	e.By, err = g.parseAmount(v, arg, op == "-")
	return j, e, err
}

// parseAmount reads what is added to a variable, or taken from it.
func (g *Group) parseAmount(v *factored.Variable, arg string, negative bool) (by int64, err error) {
	if v.Fixed() {
		q, ok := new(big.Rat).SetString(arg)
		if by, err = v.Parse(arg); err != nil || !ok || by < 0 || by > maxEffect || q.Quo(q, v.Step()).Cmp(new(big.Rat).SetInt64(by)) != 0 {
			return 0, fmt.Errorf("%q is no number of steps of %s to add to %s; expected 0 or more", arg, v.Decimal(1), v.Name)
		}
	} else if by, err = strconv.ParseInt(arg, 10, 64); err != nil || by < 0 || by > maxEffect {
		return 0, fmt.Errorf("%q is no whole number to add to %s; expected 0 or more", arg, v.Name)
	}
	if negative {
		by = -by
	}
	return by, nil
}

// split splits at commas that are followed by a space and are neither in brackets nor quoted.
func split(text string) []string {
	var out []string
	depth, quoted, from := 0, false, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth <= 0 && strings.HasPrefix(text[i:], ", "):
			out = append(out, strings.TrimSpace(text[from:i]))
			from = i + 1
		}
	}
	return append(out, strings.TrimSpace(text[from:]))
}
