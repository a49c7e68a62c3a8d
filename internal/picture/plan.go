package picture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/source"
)

// Value is a variable's value in a plan: an integer, 0 or 1 for a Boolean, or a text such as a
// value of an enumeration, see Plan.Texts.
type Value struct {
	Name string
	X    int64
	Bool bool // the variable is Boolean
}

// firstText is the X of the first of a plan's texts; integers are below.
const firstText = 1 << 60

// texts are the values of a plan that are no numbers.
type texts []string

// format writes a value that is not Boolean.
func (t texts) format(x int64) string {
	switch {
	case x == absent:
		return ""
	case x >= firstText && x-firstText < int64(len(t)):
		return t[x-firstText]
	}
	return strconv.FormatInt(x, 10)
}

// add returns the X of a text.
func (t *texts) add(text string) int64 {
	i := slices.Index(*t, text)
	if i < 0 {
		i = len(*t)
		*t = append(*t, text)
	}
	return firstText + int64(i)
}

// Plan is a plan with its trace, as in a plan document. Variables have the document's order,
// the same in every state.
type Plan struct {
	Problem string
	Status  string
	// Question is what was asked in place of the problem's own goal and ranges.
	Question struct {
		Goal  string
		Range []string
	}
	Reward  *float64  // nil if unknown
	Texts   []string  // a Value X of 1<<60 + i stands for the text i
	Actions [][]Value // of each step, those that do not have their default
	States  [][]Value // one more than the number of steps
	Verdict Verdict
	Bands   []Band // of a plan that holds against errors
	// Planned or Observed, if not nil, is what is drawn beside: of a run the states that its
	// plans expected, of a plan those that a simulator showed, which may be fewer.
	Planned, Observed [][]Value
}

// Text returns the X of a Value that is a text.
func (p *Plan) Text(text string) int64 { return (*texts)(&p.Texts).add(text) }

// schema is the version of plan documents that Read accepts.
const schema = 1

// maxValues bounds the values of a plan, so that a broken file cannot fill the memory: it is
// twenty times the number in the longest bundled plans, of ten thousand steps.
const maxValues = 10_000_000

// maxTexts bounds the different texts of a plan.
const maxTexts = 10_000

// Read parses the plan document in data as `fdplan plan --json` prints it. Unlike a checker
// it requires the trace, since pictures show it. Errors are *source.Error with the place in
// the file called name.
func Read(name string, data []byte) (*Plan, error) {
	r := &reader{name: name, data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	r.dec.UseNumber()
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		// The decoder counts the bytes up to and including the wrong one.
		r.at = len(data)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			r.at = int(syntax.Offset) - 1
			if r.at == len(data)-1 && syntax.Error() == "unexpected end of JSON input" {
				r.at = len(data)
			}
		}
		return nil, r.fail("expected a plan as a JSON object: %v", err)
	}
	return r.document()
}

// reader reads a well-formed JSON document.
type reader struct {
	name   string
	data   []byte
	dec    *json.Decoder
	at     int // where the last token begins
	values int
	texts  texts
	record record
	known  known
}

func (r *reader) fail(format string, args ...any) error {
	at := min(max(r.at, 0), len(r.data))
	before := r.data[:at]
	line := 1 + bytes.Count(before, []byte("\n"))
	return source.Errorf(r.name, line, at-bytes.LastIndexByte(before, '\n'), format, args...)
}

// next moves to where the next token begins.
func (r *reader) next() {
	r.at = int(r.dec.InputOffset())
	for r.at < len(r.data) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[r.at]) >= 0 {
		r.at++
	}
}

// token reads one token, which exists since the document is well-formed.
func (r *reader) token() json.Token {
	r.next()
	t, err := r.dec.Token()
	if err != nil {
		return nil
	}
	return t
}

// number reports whether the next token is a number.
func (r *reader) number() bool {
	r.next()
	return r.at < len(r.data) && r.data[r.at] >= '0' && r.data[r.at] <= '9'
}

// decode reads a value that is no object of variables; one that is not needed if to is nil.
func (r *reader) decode(key string, to any) error {
	r.next()
	if to == nil {
		to = new(json.RawMessage)
	}
	if r.dec.Decode(to) == nil {
		return nil
	}
	switch to.(type) {
	case *int:
		return r.fail("expected %q:%d", key, schema)
	case *string:
		return r.fail("expected %q as a string", key)
	case **float64:
		return r.fail("expected %q as a number, or null", key)
	}
	return r.fail("%q has a value of another form than fdplan writes", key)
}

// members calls read for each name of an object whose { was read.
func (r *reader) members(what string, read func(key string) error) error {
	seen := map[string]bool{}
	for r.dec.More() {
		key, _ := r.token().(string)
		if seen[key] {
			return r.fail("%s occurs twice in %s", source.Quote(key), what)
		}
		seen[key] = true
		if err := read(key); err != nil {
			return err
		}
	}
	r.token() // }
	return nil
}

// listed reads a list of objects, or null, which gives nil; read is called after the { of each, for values counted from 1.
func listed[T any](r *reader, key string, read func(what string) (T, error)) ([]T, error) {
	switch r.token() {
	case nil:
		return nil, nil
	case json.Delim('['):
	default:
		return nil, r.fail("expected %q as a list of objects", key)
	}
	out := []T{}
	for r.dec.More() {
		what := fmt.Sprintf("%s step %d", key, len(out)+1)
		if r.token() != json.Delim('{') {
			return nil, r.fail("%s: expected an object", what)
		}
		x, err := read(what)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	r.token() // ]
	return out, nil
}

func (r *reader) document() (*Plan, error) {
	if r.token() != json.Delim('{') {
		return nil, r.fail("expected a plan as a JSON object")
	}
	p := &Plan{}
	version := 0
	k := &r.known
	to := map[string]any{
		"schema": &version, "problem": &p.Problem, "status": &p.Status, "reward": &p.Reward, "question": &p.Question,
		"valid": &k.valid, "simulated_reward": &k.simulated, "simulator_says": &k.says, "says": &k.says, "note": &k.note, "chance": &k.chance,
		"unsupported": &k.unsupported, "evidence": &k.evidence, "unseen_steps": &k.unseen, "surprises": &k.surprises, "failure": &k.failure,
		"robust": &k.robust, "assuming": &k.assuming, "verdict": &k.verdict,
	}
	err := r.members("the plan", func(key string) (err error) {
		switch key {
		case "plan":
			p.Actions, err = listed(r, key, r.object)
		case "trace":
			p.States, err = listed(r, key, r.object)
		case "observed":
			p.Observed, err = listed(r, key, r.object)
		case "steps":
			if r.number() { // of learning by acting: how many were taken
				return r.decode(key, nil)
			}
			r.record.steps, err = listed(r, key, r.step)
		case "final":
			r.record.final, err = r.optional(key)
		default:
			k.isRun, k.isExplained = k.isRun || key == "replan_every", k.isExplained || key == "conflict"
			err = r.decode(key, to[key])
		}
		switch text, _ := to[key].(*string); {
		case err != nil:
			return err
		case key == "schema" && version != schema:
			return r.fail(`expected "schema":%d`, schema)
		case (key == "problem" || key == "status") && strings.ContainsFunc(*text, unicode.IsControl):
			return r.fail("the %s is %q; expected no control characters", key, *text)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.at = 0
	if version == 0 {
		return nil, r.fail(`expected "schema":%d`, schema)
	}
	if err := r.tell(p); err != nil {
		return nil, err
	}
	p.Texts, p.Bands = r.texts, k.robust.Tube
	return p, r.check(p)
}

// object reads the values of an object whose { was read; what names it.
func (r *reader) object(what string) ([]Value, error) {
	vs := []Value{}
	err := r.members(what, func(name string) error {
		v := Value{Name: name}
		if v.Name == "" || strings.ContainsFunc(v.Name, unicode.IsControl) {
			return r.fail("%s: %q is not a name of a variable", what, v.Name)
		}
		if r.values++; r.values > maxValues {
			return r.fail("the plan has more than %d values", maxValues)
		}
		switch x := r.token().(type) {
		case bool:
			v.Bool = true
			if x {
				v.X = 1
			}
		case json.Number:
			n, err := x.Int64()
			_, fraction := new(big.Rat).SetString(x.String())
			switch {
			case err == nil && n <= 1<<53 && n >= -1<<53:
				v.X = n
			case !fraction || !strings.Contains(x.String(), ".") || strings.ContainsAny(x.String(), "eE"):
				return r.fail("%s: %s is not a value for %s; expected true, false, an integer or a decimal number", what, source.Quote(x.String()), source.Quote(v.Name))
			default: // of fixed decimals, drawn as it is written
				v.X = r.texts.add(x.String())
			}
		case string:
			if strings.ContainsFunc(x, unicode.IsControl) || x == "" {
				return r.fail("%s: %q is not a value for %s", what, x, source.Quote(v.Name))
			}
			v.X = r.texts.add(x)
		default:
			return r.fail("%s: no value for %s; expected true, false, an integer or a name", what, source.Quote(v.Name))
		}
		if len(r.texts) > maxTexts {
			return r.fail("the plan has more than %d different texts", maxTexts)
		}
		vs = append(vs, v)
		return nil
	})
	return vs, err
}

// check refuses documents without a plan and a matching trace, and reorders the variables of
// all states as in the first.
func (r *reader) check(p *Plan) error {
	if len(p.Actions) == 0 {
		if p.Status != "" {
			return r.fail(`there is no plan to show, its status is %q; expected a "plan" of at least one step`, p.Status)
		}
		return r.fail(`expected a "plan" of at least one step`)
	}
	if p.States == nil {
		return r.fail(`expected a "trace": a picture shows the states that the plan passes`)
	}
	if len(p.States) != len(p.Actions)+1 {
		return r.fail("the trace has %s, a plan of %s passes %d", counted.Of(len(p.States), "state"), counted.Of(len(p.Actions), "step"), len(p.Actions)+1)
	}
	first := p.States[0]
	if first == nil { // {} is the state of a problem without state variables
		return r.fail("the first state is not known; expected an object of state variables")
	}
	place := map[string]int{}
	for i, v := range first {
		place[v.Name] = i
	}
	for t, state := range p.States {
		ordered := make([]Value, len(first))
		for _, v := range state {
			i, ok := place[v.Name]
			if !ok {
				return r.fail("trace step %d has the variable %s, which step 1 has not", t+1, source.Quote(v.Name))
			}
			if v.Bool != first[i].Bool && v.X&^1 != 0 {
				return r.fail("trace step %d: %s is %d, and a Boolean in step 1", t+1, source.Quote(v.Name), v.X)
			}
			v.Bool = first[i].Bool
			ordered[i] = v
		}
		if len(state) != len(first) {
			return r.fail("trace step %d has %d state variables, step 1 has %d", t+1, len(state), len(first))
		}
		p.States[t] = ordered
	}
	for t, step := range p.Actions {
		var on []Value
		for _, v := range step {
			if _, ok := place[v.Name]; ok {
				return r.fail("plan step %d: %s is a state variable of the trace; expected an action", t+1, source.Quote(v.Name))
			}
			if v.X != 0 || !v.Bool {
				on = append(on, v)
			}
		}
		p.Actions[t] = on
	}
	return nil
}
