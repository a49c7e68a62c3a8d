package load

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/problem/fdsat"
)

// Changes are the changes that a user makes to a problem.
type Changes struct {
	Edits
	Given bind.Given `http:"yes" help:"What inputs are: a file with a row for each step and a column for each input, INPUT=VALUE, INPUT=VALUE,VALUE,… by step, or INPUT=LO..HI for anything in between; repeatable. Other inputs keep their first value." placeholder:"FILE|INPUT=VALUE" sep:"none"`
}

// Edits are the changes that are not of inputs.
type Edits struct {
	Reward     bind.Lines    `http:"yes" help:"Reward of a step in place of the problem's own: an expression, or a file of variable,weight lines." placeholder:"EXPR|FILE"`
	Initial    string        `json:"-" help:"File of variable=value lines that replaces the initial state." placeholder:"FILE"`
	SetInitial bind.Settings `http:"yes" also:"initial" help:"Set the initial value of a state variable; repeatable." placeholder:"VARIABLE=VALUE" sep:"none"`
	Require    []string      `http:"yes" help:"Add a constraint, an expression or literals,op,number; repeatable." placeholder:"CONSTRAINT" sep:"none"`
}

// None reports whether nothing changes.
func (c *Changes) None() bool {
	return !c.Reward.Given() && c.Initial == "" && len(c.SetInitial)+len(c.Require)+len(c.Given) == 0
}

// Apply changes p in place.
func (p *Problem) Apply(c Changes) error {
	if c.Reward.Given() {
		p.OwnReward, p.LearnedReward = true, false
	}
	p.OwnInitial = p.OwnInitial || c.Initial != "" || len(c.SetInitial) > 0
	p.Problem, p.world = p.World(), nil
	if err := c.apply(p.Problem); err != nil {
		return err
	}
	if err := p.give(c.Given); err != nil {
		return err
	}
	if err := p.requireAll("--require", c.Require); err != nil {
		return err
	}
	p.changes = append(slices.Clone(p.changes), c)
	return p.addSteps()
}

// requireAll adds constraints that an option asks for.
func (p *Problem) requireAll(option string, texts []string) error {
	p.requires = slices.Clone(p.requires)
	for _, text := range texts {
		p.requires = append(p.requires, text)
		if err := p.require(text, fmt.Sprintf("require %d", len(p.requires))); err != nil {
			return fmt.Errorf("%s %s: %w", option, text, err)
		}
	}
	return nil
}

// Changed returns p with changes, and leaves p as it is.
func (p *Problem) Changed(c Changes) (*Problem, error) {
	q := *p
	q.Problem, q.world = p.World().Clone(), nil
	q.Required, q.Timed = slices.Clone(p.Required), slices.Clone(p.Timed)
	return &q, q.Apply(c)
}

func (c *Changes) apply(p *factored.Problem) error {
	if err := c.setReward(p); err != nil {
		return err
	}
	if c.Initial != "" {
		text, err := source.ReadFile(c.Initial)
		if err == nil {
			p.Initial, err = readInitial(p, c.Initial, text)
		}
		if err != nil {
			return err
		}
	}
	given := map[string]bool{}
	for _, text := range c.SetInitial {
		v, err := setInitial(p, text)
		if err != nil {
			return fmt.Errorf("--set-initial %s: %w", text, err)
		}
		given[v.Name] = true
	}
	followInitial(p, given)
	return p.Check()
}

// weights matches lines of variable,weight.
var weights = regexp.MustCompile(`^(\s*([^\n]*,\s*[-+0-9.eE]+\s*|#[^\n]*)?(\n|$))+$`)

// setReward replaces the reward by that of a file, of lines, or by an expression.
func (c *Changes) setReward(p *factored.Problem) error {
	text, name := c.Reward.Text, "reward"
	if c.Reward.File != "" {
		read, err := source.ReadFile(c.Reward.File)
		switch {
		case err == nil:
			text, name = string(read), c.Reward.File
		case !errors.Is(err, fs.ErrNotExist):
			return err
		default:
			if err := expr.SetReward(p, c.Reward.File, "reward"); err != nil {
				return fmt.Errorf("--reward %s: there is no such file, and as an expression: %w", c.Reward.File, err)
			}
			return nil
		}
	}
	switch {
	case !c.Reward.Given():
		return nil
	case name == "reward" && !weights.MatchString(text):
		if err := expr.SetReward(p, text, "reward"); err != nil {
			return fmt.Errorf("--reward %s: %w", text, err)
		}
		return nil
	}
	r, err := fdsat.ReadReward(p, name, strings.NewReader(text))
	if err == nil {
		p.Reward = r
	}
	return err
}

// followInitial gives the lags of variables with a new initial value that value, unless they have one of their own: nothing
// has moved before the first step.
func followInitial(p *factored.Problem, given map[string]bool) {
	val, _ := p.InitialBits()
	for i := range p.Variables {
		v := &p.Variables[i]
		if of, ok := p.Lookup(v.Lag.Of); v.Lagged() && ok && given[of.Name] && !given[v.Name] {
			replaceInitial(p, v, v.Equals(of.Value(val), "the initial value of "+of.Name))
		}
	}
}

// layoutConstraint matches a constraint as the FD-SAT-Plan files write it: literals, an
// operator and a number, separated by commas.
var layoutConstraint = regexp.MustCompile(`,\s*(<=|>=|==)\s*,\s*[+-]?[0-9]+\s*$`)

// readInitial reads a state: lines variable=value, or constraints of the FD-SAT-Plan layout.
// Variables that it does not mention are open.
func readInitial(p *factored.Problem, name string, data []byte) ([]factored.Constraint, error) {
	var out []factored.Constraint
	seen := map[*factored.Variable]int{}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		text := strings.TrimSpace(line)
		switch {
		case text == "" || strings.HasPrefix(text, "#"):
			continue
		case layoutConstraint.MatchString(text):
			one, err := fdsat.ReadStateConstraints(p, name, strings.NewReader(text))
			if err != nil {
				return nil, relocate(err, name, n)
			}
			for i := range one {
				one[i].Origin = fmt.Sprintf("%s:%d", name, n)
			}
			out = append(out, one...)
		default:
			v, cs, err := parseSetting(p, text, fmt.Sprintf("%s:%d", name, n))
			if err != nil {
				return nil, source.Errorf(name, n, 0, "%v", err)
			}
			if before := seen[v]; before > 0 {
				return nil, source.Errorf(name, n, 0, "%s has a value already in line %d", v.Name, before)
			}
			seen[v] = n
			out = append(out, cs...)
		}
	}
	return out, nil
}

// relocate moves an error about a single line to its position in a file.
func relocate(err error, name string, line int) error {
	var e *source.Error
	if errors.As(err, &e) {
		return source.Errorf(name, line, e.Col, "%s", e.Msg)
	}
	return err
}

// parseSetting parses variable=value and sets the variable's bits.
func parseSetting(p *factored.Problem, text, origin string) (*factored.Variable, []factored.Constraint, error) {
	i := strings.LastIndexByte(text, '=')
	if i < 0 {
		return nil, nil, fmt.Errorf("expected variable=value, found %q", text)
	}
	name, value := strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:])
	v, ok := p.Find(name)
	if !ok {
		return nil, nil, fmt.Errorf("there is no variable %q in %s%s", name, p.Name, p.Hint(name, factored.State))
	}
	if v.Kind != factored.State {
		return nil, nil, fmt.Errorf("%s is an %s variable; expected a state variable", v.Name, v.Kind)
	}
	x, err := v.Parse(value)
	if err != nil {
		return nil, nil, err
	}
	val := make(factored.Valuation, p.NumBits())
	if err := v.Set(val, x); err != nil {
		return nil, nil, err
	}
	return v, val.Fix(v.Bits(), origin), nil
}

// setInitial sets the initial value of a variable, which it returns.
func setInitial(p *factored.Problem, text string) (*factored.Variable, error) {
	v, cs, err := parseSetting(p, text, "--set-initial "+text)
	if err == nil {
		replaceInitial(p, v, cs)
	}
	return v, err
}

// replaceInitial replaces the constraints of I on a variable alone.
func replaceInitial(p *factored.Problem, v *factored.Variable, by []factored.Constraint) {
	var kept []factored.Constraint
	for _, c := range p.Initial {
		others := false
		for _, t := range c.Terms {
			owner, _ := p.Owner(t.Lit.Bit)
			others = others || owner != v
		}
		if others {
			kept = append(kept, c)
		}
	}
	p.Initial = append(kept, by...)
}
