package serve

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// maxExpression bounds the bytes of an expression.
const maxExpression = 10_000

// Uses of an expression.
const (
	useRule     = "rule"     // at every step, or one
	useProperty = "property" // of every legal step
	useGoal     = "goal"     // of the last state
	useReward   = "reward"   // a sum
	useInitial  = "initial"  // VARIABLE=VALUE
	useRange    = "range"    // FLUENT=LO..HI
)

// expressionRequest is a text with its use, and where completions are wanted.
type expressionRequest struct {
	Text   string `json:"text"`
	Use    string `json:"use"`
	Cursor *int   `json:"cursor"` // in UTF-16 units
}

// expression is what is known of an expression that somebody types.
type expression struct {
	Valid       bool            `json:"valid"`
	Error       *textError      `json:"error"`
	Warnings    []string        `json:"warnings"`
	Variables   []string        `json:"variables"`
	Completions *completionList `json:"completions"`
}

// textError is an error at a part of a text, in UTF-16 units.
type textError struct {
	Message string `json:"message"`
	From    int    `json:"from"`
	To      int    `json:"to"`
}

// checkExpression checks an expression as the commands do, and completes it.
func (s *Server) checkExpression(w http.ResponseWriter, r *http.Request, t *target) error {
	var q expressionRequest
	if err := decode(r, &q); err != nil {
		return err
	}
	switch {
	case q.Use == "":
		q.Use = useRule
	case !slices.Contains([]string{useRule, useProperty, useGoal, useReward, useInitial, useRange}, q.Use):
		return bad("%.40q is not a use of an expression; expected rule, property, goal, reward, initial or range", q.Use)
	}
	if len(q.Text) > maxExpression {
		return bad("the expression has %d bytes; expected at most %d", len(q.Text), maxExpression)
	}
	text, err := s.summary(r, t)
	if err != nil {
		return err
	}
	p, err := vocabulary(text)
	if err != nil {
		return err
	}
	doc := expression{Warnings: []string{}, Variables: []string{}}
	if err := doc.check(p, q.Text, q.Use); err != nil && (q.Use != useGoal || !s.isGoal(r, t, q.Text)) {
		doc.Error = errorIn(q.Text, err)
	}
	doc.Valid = doc.Error == nil
	if q.Cursor != nil {
		at, ok := byteOffset(q.Text, *q.Cursor)
		if !ok {
			return bad("the cursor is at %d; the text ends at %d", *q.Cursor, unitOffset(q.Text, len(q.Text)))
		}
		doc.Completions = complete(p, q.Text, at, q.Use)
	}
	return answer(w, http.StatusOK, doc)
}

// isGoal reports whether a text is a goal of the problem in its own language, which has more than expressions.
func (s *Server) isGoal(r *http.Request, t *target, text string) bool {
	model, err := modelOf(r)
	if err != nil {
		return false
	}
	model["goal"] = text
	_, err = s.show(r.Context(), t, model)
	return err == nil
}

// vocabulary returns a problem that has the variables of a summary and nothing else: what
// expressions are checked against.
func vocabulary(summary []byte) (*factored.Problem, error) {
	var doc struct {
		Problem   string                 `json:"problem"`
		Variables []inspect.VariableLine `json:"variables"`
	}
	if err := json.Unmarshal(summary, &doc); err != nil {
		return nil, err
	}
	p := factored.NewProblem(doc.Problem)
	for i := range doc.Variables {
		l := &doc.Variables[i]
		v := factored.Variable{Name: l.Name, Bool: l.Bool, Lo: l.Lo, Hi: l.Hi, Meaning: l.Meaning}
		for _, k := range []factored.Kind{factored.State, factored.Action, factored.Auxiliary} {
			if k.String() == l.Kind {
				v.Kind = k
			}
		}
		if l.Values != nil || l.Edges != nil {
			v.View = &factored.View{Names: l.Values, Edges: l.Edges, Unit: l.Unit}
		}
		if step, ok := new(big.Rat).SetString(l.Step.String()); ok {
			v.View = &factored.View{Num: step.Num().Int64(), Den: step.Denom().Int64(), Unit: l.Unit}
		}
		if _, err := p.AddVariable(v); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// check notes the variables and the doubts of an expression; the error is the expression's.
func (x *expression) check(p *factored.Problem, text, use string) error {
	switch use {
	case useReward:
		return expr.SetReward(p, text, "reward")
	case useInitial:
		return checkInitial(p, text)
	case useRange:
		return checkRange(p, text)
	}
	e, err := expr.Parse(p, text, expr.Options{Next: use != useGoal, Step: use == useRule})
	if err != nil {
		return err
	}
	now, next := e.Variables()
	for _, v := range append(now, next...) {
		if !slices.Contains(x.Variables, v.Name) {
			x.Variables = append(x.Variables, v.Name)
		}
	}
	if decided := e.Constants(); use == useRule && len(decided) > 0 {
		return errors.New(decided[0])
	} else if decided != nil {
		x.Warnings = decided
	}
	switch use {
	case useGoal:
		return e.Goal(p, "goal")
	case useRule:
		if e.Step() > 0 {
			return nil
		}
		return e.Require(p, false, "rule")
	}
	return nil
}

// checkInitial checks VARIABLE=VALUE.
func checkInitial(p *factored.Problem, text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return errors.New("expected VARIABLE=VALUE")
	}
	v, known := p.Lookup(strings.TrimSpace(name))
	if !known || v.Kind != factored.State {
		return source.Errorf("", 1, 1, "there is no state variable %s", source.Quote(strings.TrimSpace(name)))
	}
	x, err := v.Parse(strings.TrimSpace(value))
	if err == nil {
		err = v.Set(make(factored.Valuation, p.NumBits()), x)
	}
	if err != nil {
		return source.Errorf("", 1, len(name)+2, "%v", err)
	}
	return nil
}

// checkRange checks FLUENT=LO..HI, where the fluent may have several variables.
func checkRange(p *factored.Problem, text string) error {
	name, _, err := task.ParseRange(text)
	if err != nil {
		return err
	}
	known := slices.ContainsFunc(p.Variables, func(v factored.Variable) bool {
		base, _, _ := strings.Cut(v.Name, "(")
		return v.Kind != factored.Auxiliary && !v.Bool && !v.Enumeration() && (v.Name == factored.Canonical(name) || base == name)
	})
	if !known {
		return source.Errorf("", 1, 1, "there is no number %s", source.Quote(name))
	}
	return nil
}

// errorIn is an error at its place in a text: up to the end of the word there, or the whole
// text if it has no place.
func errorIn(text string, err error) *textError {
	at := new(source.Error)
	if !errors.As(err, &at) || at.Col < 1 {
		return &textError{Message: err.Error(), To: unitOffset(text, len(text))}
	}
	from := min(at.Col-1, len(text))
	to := from
	for to < len(text) && (isWordByte(text[to]) || to == from && !utf8.RuneStart(text[to])) {
		to++
	}
	if to == from && to < len(text) {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	return &textError{Message: at.Msg, From: unitOffset(text, from), To: unitOffset(text, to)}
}

// isWordByte reports whether c can be inside of a name without arguments.
func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// unitOffset turns an offset in bytes into one in UTF-16 units.
func unitOffset(text string, at int) int { return len(utf16.Encode([]rune(text[:at]))) }

// byteOffset turns an offset in UTF-16 units into one in bytes; false beyond the end.
func byteOffset(text string, units int) (int, bool) {
	n := 0
	for i, r := range text {
		if n >= units {
			return i, units >= 0
		}
		n += max(1, utf16.RuneLen(r))
	}
	return len(text), units >= 0 && n >= units
}
