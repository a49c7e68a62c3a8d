package serve

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/problem/factored"
)

// words is the vocabulary of these tests.
func words(t testing.TB) *factored.Problem {
	t.Helper()
	text, err := json.Marshal(inspect.Summary{Schema: app.Schema, Problem: "a/b", Variables: []inspect.VariableLine{
		{Name: "go", Kind: "action", Bool: true, Hi: 1},
		{Name: "robot-at(x1,y1)", Kind: "state", Bool: true, Hi: 1},
		{Name: "robot-at(x1,y2)", Kind: "state", Bool: true, Hi: 1},
		{Name: "floor", Kind: "state", Hi: 3},
		{Name: "door", Kind: "state", Hi: 1, Values: []string{"closed", "open"}},
		{Name: "load", Kind: "state", Hi: 2, Edges: []float64{0, 200, 400, 600}, Unit: "kg"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := vocabulary(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestExpressions checks texts by their use; | marks the beginning and the end of the error.
func TestExpressions(t *testing.T) {
	for _, c := range []struct{ use, text, message string }{
		{useRule, "floor == 3 => ~go", ""},
		{useRule, "robot-at(x1,y1) | go'", "go"},
		{useRule, "floor@2 <= 1", ""},
		{useRule, "floor' <= floor + 1", ""},
		{useRule, "floor == |5|", "floor == 5"},
		{useRule, "|flor| == 1", "flor"},
		{useRule, "load |>| 300", "300"},
		{useRule, "door == |@ajar|", "ajar"},
		{useRule, "(floor == 1|", "expected"},
		{useProperty, "floor <= 3", "+"},
		{useProperty, "|floor|@2 <= 1", ""},
		{useGoal, "floor == 0 ^ door == @open", ""},
		{useGoal, "go", "state"},
		{useGoal, "floor' == 0", ""},
		{useReward, "-go - 0.5*(load >= 400)", ""},
		{useReward, "-go >= 1", ""},
		{useInitial, "floor=2", ""},
		{useInitial, "door=open", ""},
		{useInitial, "floor=|7|", "7"},
		{useInitial, "|flor|=7", "flor"},
		{useInitial, "floor", "expected VARIABLE=VALUE"},
		{useRange, "floor=0..2", ""},
		{useRange, "|flor|=0..2", "flor"},
		{useRange, "|robot|-at=0..2", "number"},
		{useRange, "|floor=2|", "FLUENT=LO..HI"},
	} {
		text, from, to := c.text, -1, -1
		if from = strings.Index(text, "|"); strings.Count(text, "|") == 2 {
			to = strings.LastIndex(text, "|") - 1
			text = strings.ReplaceAll(text, "|", "")
		}
		doc := expression{Variables: []string{}}
		err := doc.check(words(t), text, c.use)
		switch {
		case c.message == "+": // a warning
			if err != nil || len(doc.Warnings) != 1 {
				t.Errorf("%s %q: %v, warnings %v", c.use, text, err, doc.Warnings)
			}
		case to < 0:
			wrong := slices.Contains([]string{"floor", "robot-at(x1,y1) | go'", "(floor == 1|", "go", "floor' == 0", "-go >= 1", "floor@2 <= 1"}, c.text) && (c.use != useRule || c.text != "floor@2 <= 1")
			if (err != nil) != wrong {
				t.Errorf("%s %q: %v", c.use, text, err)
			}
		case err == nil:
			t.Errorf("%s %q is taken", c.use, text)
		default:
			if e := errorIn(text, err); e.From > to || e.To < from || !strings.Contains(e.Message, c.message) {
				t.Errorf("%s %q: %+v, expected %d..%d %q", c.use, text, e, from, to, c.message)
			}
		}
	}
}

// TestCompletions completes texts at |; the part that is replaced is marked by [ and ].
func TestCompletions(t *testing.T) {
	for _, c := range []struct{ use, text, replaced, want string }{
		{useRule, "|", "[]", "go robot-at(x1,y1) robot-at(x1,y2) floor door load"},
		{useRule, "rob|", "[rob]", "robot-at(x1,y1) robot-at(x1,y2)"},
		{useRule, "go => ~robot-at(x1,y|", "go => ~[robot-at(x1,y]", "robot-at(x1,y1) robot-at(x1,y2)"},
		{useRule, "robot-at(x|1,y1) ^ go", "[robot-at(x1,y1)] ^ go", "robot-at(x1,y1) robot-at(x1,y2)"},
		{useRule, "(fl|oor == 1)", "([floor] == 1)", "floor"},
		{useRule, "at(|", "[at(]", "robot-at(x1,y1) robot-at(x1,y2)"},
		{useRule, "floor == |", "floor == []", "0 1 2 3"},
		{useRule, "floor' >= |", "floor' >= []", "0 1 2 3"},
		{useRule, "door == @o|", "door == [@o]", "@open"},
		{useRule, "door ~= |", "door ~= []", "@closed @open"},
		{useRule, "load >= 2|", "load >= [2]", "200"},
		{useRule, "go |", "go []", "=> ^ | <=> == ~= <= >= < > + - *"},
		{useRule, "floor == 1 ^ |", "floor == 1 ^ []", "go robot-at(x1,y1) robot-at(x1,y2) floor door load"},
		{useGoal, "|", "[]", "robot-at(x1,y1) robot-at(x1,y2) floor door load"},
		{useReward, "go |", "go []", "+ - *"},
		{useInitial, "door=|", "door=[]", "closed open"},
		{useInitial, "robot-at(x1,y1)=t|", "robot-at(x1,y1)=[t]", "true"},
		{useRange, "|", "[]", "floor load"},
		{useRange, "fl|", "[fl]", "floor"},
		{useRange, "floor |", "floor []", "="},
		{useRule, "xyz|", "[xyz]", ""},
		{useRule, "é go|", "é [go]", "go"},
	} {
		at := strings.Index(c.text, "|")
		text := strings.Replace(c.text, "|", "", 1)
		l := complete(words(t), text, at, c.use)
		var got []string
		for _, i := range l.Items {
			got = append(got, i.Text)
		}
		from, ok1 := byteOffset(text, l.From)
		to, ok2 := byteOffset(text, l.To)
		if !ok1 || !ok2 {
			t.Fatalf("%q: from %d to %d", c.text, l.From, l.To)
		}
		if replaced := text[:from] + "[" + text[from:to] + "]" + text[to:]; replaced != c.replaced || strings.Join(got, " ") != c.want {
			t.Errorf("%s %q: %s becomes %q, expected %s and %q", c.use, c.text, replaced, got, c.replaced, c.want)
		}
	}
}

// FuzzComplete wants completions of any text to replace a part of it that has the cursor.
func FuzzComplete(f *testing.F) {
	for _, text := range []string{"", "floor == 1", "robot-at(x1,y", "door == @o", "é^🙂 go", "\xff(", "floor@2'"} {
		f.Add(text, len(text))
	}
	p := words(f)
	f.Fuzz(func(t *testing.T, text string, cursor int) {
		for _, use := range []string{useRule, useProperty, useGoal, useReward, useInitial} {
			doc := expression{Variables: []string{}}
			if err := doc.check(p.Clone(), text, use); err != nil {
				if e := errorIn(text, err); e.From < 0 || e.To < e.From || e.To > unitOffset(text, len(text)) {
					t.Fatalf("%q: the error is at %+v", text, e)
				}
			}
			at, ok := byteOffset(text, cursor)
			if !ok {
				continue
			}
			l := complete(p, text, at, use)
			if l.From < 0 || l.From > unitOffset(text, at) || l.To < unitOffset(text, at) || l.To > unitOffset(text, len(text)) {
				t.Fatalf("%q at %d: %+v", text, cursor, l)
			}
		}
	})
}

// TestExpressionRequests asks over HTTP.
func TestExpressionRequests(t *testing.T) {
	x := serveTest(t)
	path := "problems/navigation%2F3x3/expression"
	var doc expression
	x.call("POST", path, obj{"text": "robot-at(x14,y12) => ~mov", "cursor": 25}, http.StatusOK, &doc)
	if doc.Valid || doc.Error.From != 22 || doc.Completions.From != 22 || len(doc.Completions.Items) != 4 {
		t.Errorf("the answer is %+v, %+v", doc, doc.Error)
	}
	x.call("POST", path, obj{"text": "robot-at(x14,y12) => ~move-north"}, http.StatusOK, &doc)
	if !doc.Valid || doc.Error != nil || !slices.Equal(doc.Variables, []string{"robot-at(x14,y12)", "move-north"}) {
		t.Errorf("the answer is %+v", doc)
	}
	x.refused("POST", path, obj{"text": "true", "cursor": 5}, http.StatusBadRequest, "the text ends at 4")
	x.refused("POST", path, obj{"text": "true", "cursor": -1}, http.StatusBadRequest, "the cursor is at -1")
	x.refused("POST", path, obj{"text": "true", "use": "fun"}, http.StatusBadRequest, "is not a use")
	x.refused("POST", path, obj{"text": strings.Repeat("~", 10_001)}, http.StatusBadRequest, "at most 10000")
	x.refused("POST", "problems/nothing/expression", obj{"text": ""}, http.StatusNotFound, "there is no problem")
}
