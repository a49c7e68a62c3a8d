package task

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/data/bins"
	"github.com/fdplan/fdplan/internal/rddl/translate"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// Fluent is a state or action fluent that the task file declares itself. With neither Range,
// Values nor Bins it is Boolean.
type Fluent struct {
	Name    string
	Range   *translate.Range // of an integer or a quantity of fixed decimals
	Values  []string         // of an enumeration
	Bins    *bins.Bins
	Initial any // of a state: bool, int64, float64 or string; nil leaves it open
	Default any // of an action: the value that plans omit; nil for none, and for a Boolean false
	// Listed makes plans list a Boolean action in every step: neither of its values does nothing.
	Listed bool
	Lag    factored.Lag // of a state that has the value of another fluent some steps before, and its type
	Given  bool         // an input: a state that the system reads and does not decide
	Ends   bool         // of a state with a range: no step leaves it
}

// fluentTable is a fluent in TOML.
type fluentTable struct {
	Name     string    `toml:"name"`
	Range    any       `toml:"range"`
	Decimals *int      `toml:"decimals"` // of the range
	Values   []string  `toml:"values"`
	Lo       *float64  `toml:"lo"`
	Hi       *float64  `toml:"hi"`
	Bits     *int      `toml:"bits"`
	Edges    []float64 `toml:"edges"`
	Unit     string    `toml:"unit"`
	Initial  any       `toml:"initial"`
	Default  any       `toml:"default"`
	Listed   bool      `toml:"listed"`
	Lag      *lagTable `toml:"lag"`
	Outside  string    `toml:"outside"` // of a range: "clamp", the default, or "end"
}

// lagTable says that a state is the value of a fluent some steps before.
type lagTable struct {
	Of string `toml:"of"`
	By *int   `toml:"by"` // 1 if absent
}

// Log says how a log of the fluents is read.
type Log struct {
	Delimiter string            `toml:"delimiter"` // of a CSV; inferred if empty
	Episode   string            `toml:"episode"`   // column
	Entity    string            `toml:"entity"`    // column of the device that a row is about
	Next      map[string]string `toml:"next"`      // column of the next state, by that of the state
	Ends      []string          `toml:"ends"`      // columns that are true where a row ends its episode
	Time      string            `toml:"time"`      // column
	Gap       float64           `toml:"gap"`       // longest time between rows of an episode; inferred if 0
	Derive    []string          `toml:"derive"`    // columns that are made of stamps: hour, weekday, month
	Missing   string            `toml:"missing"`   // drop, previous, keep or error
	Columns   map[string]string `toml:"columns"`   // by fluent, of those with another name
	// Reward has the weights of columns whose sum is the reward of a step. Without it, it is the column reward, if there is one.
	Reward map[string]float64 `toml:"reward"`
	// Unused says what is empty in a column where another one does not use it.
	Unused map[string]Unused `toml:"unused"`
}

// Unused is a column of an action that is empty where another column has none of some values, such as a speed where a machine is repaired.
type Unused struct {
	Of   string   `toml:"of"`   // column
	Uses []string `toml:"uses"` // its values with which the column is of use
	None string   `toml:"none"` // what an empty cell stands for elsewhere
}

// DelimiterRune returns the delimiter, 0 if it is to be inferred.
func (l *Log) DelimiterRune() rune {
	for _, r := range l.Delimiter {
		return r
	}
	return 0
}

// The arrays of tables that declare fluents.
const (
	stateTables  = "state"
	actionTables = "action"
	inputTables  = "input"
)

// table names the array of tables of state i, and its number there.
func (t *Task) table(i int) (string, string) {
	if inputs := len(t.States) - t.inputs; i >= inputs {
		return inputTables, strconv.Itoa(i - inputs)
	}
	return stateTables, strconv.Itoa(i)
}

// Declares reports whether the task declares its fluents itself and has no RDDL.
func (t *Task) Declares() bool { return t.Domain == "" }

// setDeclared reads the fluents that the task declares.
func (t *Task) setDeclared(f *file) error {
	for _, list := range []struct {
		key  string
		from []fluentTable
		to   *[]Fluent
	}{{stateTables, f.State, &t.States}, {inputTables, f.Input, &t.States}, {actionTables, f.Action, &t.Actions}} {
		for i := range list.from {
			one, err := list.from[i].fluent(list.key)
			if err != nil {
				return t.errorAt([]string{list.key, strconv.Itoa(i), "name"}, "%v", err)
			}
			one.Given = list.key == inputTables
			*list.to = append(*list.to, one)
		}
	}
	t.inputs = len(f.Input)
	if err := t.setLags(f.State); err != nil {
		return err
	}
	if err := t.setEntities(f.Entity); err != nil {
		return err
	}
	t.Rules, t.Final, t.Log = f.Rules, f.Final, f.Log
	if t.Log.Gap < 0 {
		return t.errorAt([]string{"log", "gap"}, "gap is %v; expected a time above 0", t.Log.Gap)
	}
	if !slices.Contains([]string{"", "drop", "previous", "keep", "error"}, t.Log.Missing) {
		return t.errorAt([]string{"log", "missing"}, "missing is %q; expected drop, previous, keep or error", t.Log.Missing)
	}
	if f.Reward != nil {
		t.Reward = *f.Reward
	}
	declared := len(t.States)+len(t.Actions) > 0
	switch {
	case t.Domain != "" && (declared || t.Final != nil):
		return source.Errorf(t.File, 1, 1, "the domain declares fluents; expected no [[state]], [[action]], [[input]] or final beside it")
	case t.Domain != "":
		return t.setInitial(f.Initial)
	case f.Initial != nil:
		return source.Errorf(t.File, 1, 1, "[initial] belongs to RDDL; expected initial = VALUE of each [[state]]")
	case !declared:
		return source.Errorf(t.File, 1, 1, "there is no domain; expected domain = \"FILE\", or fluents in [[state]] and [[action]]")
	case len(f.State) == 0 || len(t.Actions) == 0:
		return source.Errorf(t.File, 1, 1, "there are %d states and %d actions; expected [[state]] and [[action]] at least once each", len(f.State), len(t.Actions))
	case t.Instance != "" || len(f.Ranges) > 0 || len(f.Bins) > 0:
		return source.Errorf(t.File, 1, 1, "instance, [ranges] and [discretize] belong to RDDL; expected range, edges or values of each fluent")
	}
	if t.Learned == nil && len(f.Chance) == 0 {
		for _, s := range t.States {
			if !s.known() {
				t.Learned = append(t.Learned, s.Name)
			}
		}
	}
	return nil
}

// setInitial reads the initial values that replace those of the RDDL.
func (t *Task) setInitial(from map[string]any) error {
	for _, name := range sorted(from) {
		switch x := from[name].(type) {
		case bool, int64, float64, string:
			t.Initial = append(t.Initial, fmt.Sprintf("%s=%v", name, x))
		default:
			return t.errorAt([]string{"initial", name}, "this is not a value of %s; expected a Boolean, a number or a text", name)
		}
	}
	return nil
}

func (f *fluentTable) fluent(key string) (Fluent, error) {
	out := Fluent{Name: factored.Canonical(f.Name), Values: f.Values, Initial: f.Initial, Default: f.Default, Listed: f.Listed, Ends: f.Outside == "end"}
	table := binsTable{Lo: f.Lo, Hi: f.Hi, Bits: f.Bits, Edges: f.Edges, Unit: f.Unit}
	quantity := f.Lo != nil || f.Hi != nil || f.Bits != nil || f.Edges != nil
	kinds := 0
	for _, is := range []bool{f.Range != nil, f.Values != nil, quantity} {
		if is {
			kinds++
		}
	}
	switch {
	case !validName(out.Name):
		return out, fmt.Errorf("%q is not a name; expected letters, digits, _ and -, and arguments in brackets", f.Name)
	case kinds > 1:
		return out, fmt.Errorf("%s has more than one type; expected range, values, edges, or nothing for a Boolean", out.Name)
	case f.Decimals != nil && f.Range == nil:
		return out, fmt.Errorf("%s has decimals and no range; expected range = [LO, HI] beside them", out.Name)
	case f.Values != nil && len(f.Values) == 0:
		return out, fmt.Errorf("%s has no values; expected one at least", out.Name)
	case key != actionTables && f.Default != nil:
		return out, fmt.Errorf("%s is no action; expected initial instead of default", out.Name)
	case key == actionTables && f.Initial != nil:
		return out, fmt.Errorf("%s is an action; expected default instead of initial", out.Name)
	case f.Lag != nil && key != stateTables:
		return out, fmt.Errorf("%s is no state; expected a lag in [[state]]", out.Name)
	case f.Outside != "" && (key != stateTables || f.Range == nil || f.Lag != nil):
		return out, fmt.Errorf("%s has no range that a step can leave; expected outside beside the range of a state", out.Name)
	case f.Outside != "" && f.Outside != "clamp" && !out.Ends:
		return out, fmt.Errorf("%s has outside = %q; expected \"clamp\" or \"end\"", out.Name, f.Outside)
	case f.Listed && (key != actionTables || f.Default != nil):
		return out, fmt.Errorf("%s cannot be listed; expected listed = true for an action without a default", out.Name)
	}
	if f.Range != nil {
		r, err := readRange(f.Range, f.Decimals)
		if err != nil {
			return out, fmt.Errorf("this is not a range for %s; %w", out.Name, err)
		}
		if r.View != nil {
			r.View.Unit = f.Unit
		}
		out.Range = &r
	}
	if f.Unit != "" && !quantity && (out.Range == nil || out.Range.View == nil) {
		return out, fmt.Errorf("%s has a unit and no bins or step; expected edges, or range = \"LO..HI by STEP\"", out.Name)
	}
	for i, v := range f.Values {
		if strings.TrimPrefix(v, "@") == "" || slices.Contains(f.Values[:i], v) {
			return out, fmt.Errorf("%s has the value %q twice or without a name", out.Name, v)
		}
	}
	if quantity {
		b, err := table.read()
		if err != nil {
			return out, fmt.Errorf("%s cannot be discretised: %w", out.Name, err)
		}
		out.Bins = &b
	}
	return out, nil
}

// known reports whether the next value of a state is not learned: a lag, or an input.
func (f *Fluent) known() bool { return f.Given || f.Lag != (factored.Lag{}) }

// validName reports whether expressions can mention a fluent of this name.
func validName(name string) bool {
	base, args, bracket := strings.Cut(name, "(")
	for i, r := range base {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '-')) {
			return false
		}
	}
	return base != "" && base != "true" && base != "false" && (!bracket || strings.HasSuffix(args, ")") && len(args) > 1)
}

// variable returns the fluent as a variable.
func (f *Fluent) variable(k factored.Kind, levels bool) factored.Variable {
	v := factored.Variable{Name: f.Name, Kind: k, Lag: f.Lag}
	switch {
	case f.Range != nil:
		v.Lo, v.Hi, v.View = f.Range.Lo, f.Range.Hi, f.Range.View
		if v.Ends = f.Ends; v.Ends {
			v.Lo, v.Hi = v.Lo-1, v.Hi+1
		}
	case f.Values != nil:
		v.Hi, v.View = int64(len(f.Values))-1, &factored.View{Names: f.Values}
	case f.Bins != nil:
		v.Hi = int64(f.Bins.Levels()) - 1
		if !levels {
			v.View = &factored.View{Edges: f.Bins.Edges, Unit: f.Bins.Unit}
		}
	default:
		v.Bool = true
	}
	if k == factored.Action && (!v.Bool || f.Listed) {
		v.Default = v.Lo - 1 // none: a log does not tell which value does nothing
	}
	return v
}

// Factored compiles a task that declares its fluents itself. All of its transitions are
// learned, except that a state fluent not listed in Learned is drawn by [[chance]] or keeps its value. Nothing is said of
// the next values of inputs.
func (t *Task) Factored(name string) (*factored.Problem, error) {
	p := factored.NewProblem(name)
	p.Horizon = t.Horizon
	if err := t.addFluents(p); err != nil {
		return nil, err
	}
	if err := p.ConnectLags(nil); err != nil {
		return nil, t.errorAt([]string{stateTables, "0", "name"}, "%v", err)
	}
	for i, text := range t.Rules {
		if err := t.require(p, text, fmt.Sprintf("rule %d", i+1)); err != nil {
			return nil, t.errorAt([]string{"rules"}, "rule %d, %s: %v%s", i+1, text, err, t.ofSeveral(text))
		}
	}
	for i, text := range t.Final {
		e, err := t.condition(p, text, false)
		if err == nil {
			err = e.End(p, fmt.Sprintf("final state %d", i+1))
		}
		if err != nil {
			return nil, t.errorAt([]string{"final"}, "final state %d, %s: %v", i+1, text, err)
		}
	}
	if t.Goal != "" {
		e, err := t.condition(p, t.Goal, false)
		if err == nil {
			err = e.Goal(p, "goal")
		}
		if err != nil {
			return nil, t.errorAt([]string{"goal"}, "%s: %v", t.Goal, err)
		}
	}
	if t.Reward != "" {
		if err := expr.SetReward(p, t.Reward, "reward"); err != nil {
			return nil, t.errorAt([]string{"reward"}, "%s: %v", t.Reward, err)
		}
	}
	if err := t.addLearned(p); err != nil {
		return nil, err
	}
	return p, p.Check()
}

// condition parses a condition, in which no comparison may be decided by ranges.
func (t *Task) condition(p *factored.Problem, text string, next bool) (*expr.Expr, error) {
	e, err := expr.Parse(p, text, expr.Options{Next: next})
	if err == nil && len(e.Constants()) > 0 {
		err = errors.New(e.Constants()[0])
	}
	return e, err
}

func (t *Task) require(p *factored.Problem, text, origin string) error {
	e, err := t.condition(p, text, true)
	if err != nil {
		return err
	}
	return e.Require(p, false, origin)
}

// addFluents declares the variables, actions first, and their initial values.
func (t *Task) addFluents(p *factored.Problem) error {
	for _, list := range []struct {
		key     string
		kind    factored.Kind
		fluents []Fluent
	}{{actionTables, factored.Action, t.Actions}, {stateTables, factored.State, t.States}} {
		for i := range list.fluents {
			f := &list.fluents[i]
			at := func(key string, err error) error {
				table, number := list.key, strconv.Itoa(i)
				if list.kind == factored.State {
					table, number = t.table(i)
				}
				return t.errorAt([]string{table, number, key}, "%v", err)
			}
			v := f.variable(list.kind, t.Levels)
			v.Given = f.Given && !t.draws(f.Name)
			if f.Default != nil {
				x, err := f.value(&v, f.Default)
				if err != nil {
					return at("default", err)
				}
				v.Default = x
			}
			id, err := p.AddVariable(v)
			if err != nil {
				return at("name", err)
			}
			if f.Initial == nil {
				continue
			}
			w := &p.Variables[id]
			x, err := f.value(w, f.Initial)
			if err != nil {
				return at("initial", err)
			}
			p.Initial = append(p.Initial, w.Equals(x, "initial value of "+w.Name)...)
		}
	}
	return nil
}

// value converts a value of the task file. Quantities stand for themselves.
func (f *Fluent) value(v *factored.Variable, x any) (int64, error) {
	w := *v
	if f.Bins != nil {
		w.View = &factored.View{Edges: f.Bins.Edges, Unit: f.Bins.Unit}
	}
	var n int64
	var err error
	_, isText := x.(string)
	switch _, isBool := x.(bool); {
	case isBool != w.Bool, isText != w.Enumeration():
		return 0, fmt.Errorf("%v is not a value of %s; expected %s", x, w.Name, w.RangeText())
	default:
		n, err = w.Parse(fmt.Sprint(x))
	}
	if lo, hi := w.Inside(); err == nil && (n < lo || n > hi) {
		err = fmt.Errorf("%s cannot be %v; its range is %s", w.Name, w.Show(n), w.RangeText())
	}
	return n, err
}

// addLearned sets what the network reads and gives, and keeps the other states.
func (t *Task) addLearned(p *factored.Problem) error {
	learned := map[string]bool{}
	for _, name := range t.Learned {
		v, ok := p.Find(name)
		switch {
		case !ok || v.Kind != factored.State:
			return t.errorAt([]string{"learned"}, "there is no state fluent %s to be learned%s", name, p.Hint(name, factored.State))
		case v.Given:
			return t.errorAt([]string{"learned"}, "%s is an input, which is given; expected states that are not", v.Name)
		case v.Lagged():
			return t.errorAt([]string{"learned"}, "%s is a lag of %s, which is known; expected states that are not", v.Name, v.Lag.Of)
		}
		learned[factored.Canonical(name)] = true
	}
	for i := range p.Variables {
		v := &p.Variables[i]
		if v.Kind == factored.Auxiliary {
			continue
		}
		if t.Inputs == nil {
			p.Inputs = append(p.Inputs, v.Bits()...)
		}
		switch {
		case v.Kind != factored.State:
		case learned[v.Name]:
			p.Outputs = append(p.Outputs, v.Bits()...)
		case t.draws(v.Name), v.Lagged(), v.Given:
		default:
			p.Keep(v, v, v.Name+" is not learned and keeps its value")
		}
	}
	for _, name := range t.Inputs {
		v, ok := p.Find(name)
		if !ok || v.Kind == factored.Auxiliary {
			return t.errorAt([]string{"inputs"}, "there is no state or action fluent %s for the network to read", name)
		}
		p.Inputs = append(p.Inputs, v.Bits()...)
	}
	return nil
}
