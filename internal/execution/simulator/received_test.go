package simulator

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/factored"
)

// TestFirstValue takes the initial value of the problem for a first one that cannot be read.
func TestFirstValue(t *testing.T) {
	p := factored.NewProblem("tank")
	for _, v := range []factored.Variable{{Name: "count", Kind: factored.State, Hi: 3}, {Name: "open", Kind: factored.State, Bool: true}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	for b, k := range map[factored.Bit]int64{0: 1, 1: 0} { // count is 2; open is not fixed
		p.Initial = append(p.Initial, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: b}}}, Op: factored.EQ, K: k})
	}
	a := &Answer{}
	if err := readState(p, nil, false, a, map[string]json.RawMessage{"count": []byte("null"), "open": []byte("true")}); err != nil {
		t.Fatal(err)
	}
	if v, _ := p.Lookup("count"); v.Value(a.State) != 2 || len(a.Outside) != 1 {
		t.Errorf("count is %d, %v", v.Value(a.State), a.Outside)
	}
	err := readState(p, nil, false, &Answer{}, map[string]json.RawMessage{"count": []byte("1"), "open": []byte("null")})
	if err == nil || !strings.Contains(err.Error(), "nor an initial one is known") {
		t.Error(err)
	}
}

// TestReceived reads values that variables have, values that they do not have, and what is no value.
func TestReceived(t *testing.T) {
	p := factored.NewProblem("tank")
	for _, v := range []factored.Variable{
		{Name: "level", Kind: factored.State, Hi: 2, View: &factored.View{Edges: []float64{0, 1, 2.5, 4}, Unit: "m"}},
		{Name: "count", Kind: factored.State, Lo: -2, Hi: 3},
		{Name: "mode", Kind: factored.State, Hi: 2, View: &factored.View{Names: []string{"a", "b", "c"}}},
		{Name: "open", Kind: factored.State, Bool: true},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	last := valuation(t, p, "level=1 count=2 mode=1 open=1")
	for _, c := range []struct {
		name, sent string
		want       string // the value
		outside    string // of it, or the error
		first      string // the error of a first answer, if it is another
	}{
		{name: "level", sent: "4", want: "2.5–4 m"},
		{name: "level", sent: "4.1", want: "2.5–4 m", outside: "4.1, expected 0..4 m; taken for 2.5–4 m"},
		{name: "level", sent: "-3", want: "0–1 m", outside: "-3, expected 0..4 m; taken for 0–1 m"},
		{name: "level", sent: "1e400", want: "2.5–4 m", outside: `"1e400", expected 0..4 m; taken for 2.5–4 m`},
		{name: "level", sent: "null", want: "1–2.5 m", outside: "none, expected 0..4 m; taken for 1–2.5 m", first: "neither an earlier value nor an initial one is known"},
		{name: "level", sent: `"1"`, outside: `level: expected a number, found "1"`},
		{name: "level", sent: "true", outside: "level: expected a number, found true"},
		{name: "count", sent: "-2", want: "-2"},
		{name: "count", sent: "3.0", want: "3"},
		{name: "count", sent: "-9", want: "-2", outside: "-9, expected -2..3; taken for -2"},
		{name: "count", sent: "99999999999999999999", want: "3", outside: "1e+20, expected -2..3; taken for 3"},
		{name: "count", sent: "-1e999", want: "-2", outside: `"-1e999", expected -2..3; taken for -2`},
		{name: "count", sent: "1.5", want: "2", outside: "1.5, expected -2..3; taken for 2"},
		{name: "count", sent: "null", want: "2", outside: "none, expected -2..3; taken for 2", first: "count: expected one of -2..3, found null, and neither an earlier value nor an initial one is known"},
		{name: "count", sent: "[1]", outside: "count: expected a number, found [1]"},
		{name: "mode", sent: `"c"`, want: "c"},
		{name: "mode", sent: `"d"`, want: "b", outside: `"d", expected a, b, c; taken for b`, first: `mode: expected one of a, b, c, found "d", and neither an earlier value nor an initial one is known`},
		{name: "mode", sent: "2", outside: "mode: expected one of a, b, c, found 2"},
		{name: "open", sent: "true", want: "true"},
		{name: "open", sent: "0", want: "false"},
		{name: "open", sent: "2", want: "true", outside: "2, expected false or true; taken for true"},
		{name: "open", sent: `"yes"`, outside: `open: expected true or false, found "yes"`},
	} {
		state := map[string]json.RawMessage{"level": []byte("0"), "count": []byte("0"), "mode": []byte(`"a"`), "open": []byte("false")}
		state[c.name] = []byte(c.sent)
		for _, from := range []factored.Valuation{last, nil} {
			a := &Answer{}
			err := readState(p, from, false, a, state)
			got, fails := "", c.want == ""
			v, _ := p.Lookup(c.name)
			want := c.outside
			if from == nil && c.first != "" {
				want, fails = c.first, true
			}
			switch {
			case err != nil:
				got = err.Error()
			case fmt.Sprint(v.Show(v.Value(a.State))) != c.want:
				t.Errorf("%s %s is %v, want %s", c.name, c.sent, v.Show(v.Value(a.State)), c.want)
			case len(a.Outside) > 0:
				got = strings.TrimPrefix(a.Outside[0].String(), "step 0, "+c.name+": ")
			}
			if fails != (err != nil) || !strings.Contains(got, want) || want == "" && got != "" || len(a.Outside) > 1 {
				t.Errorf("%s %s: got %q, want %q", c.name, c.sent, got, want)
			}
		}
	}
}
