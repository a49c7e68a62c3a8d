package picture

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/source"
)

// TestRead reads what was written.
func TestRead(t *testing.T) {
	for _, s := range samples {
		p, err := Read("plan.json", document(t, s.plan()))
		if err != nil {
			t.Fatal(err)
		}
		for name, write := range formats {
			if name == "gif" {
				continue
			}
			a := written(t, func(w io.Writer) error { return write(pictureOf(t, p, s.facts), w) })
			b := written(t, func(w io.Writer) error { return write(pictureOf(t, s.plan(), s.facts), w) })
			if a != b {
				t.Errorf("%s: the %s of the plan read back differs", s.name, name)
			}
		}
	}
	// All states are reordered as the first.
	p, err := Read("p", []byte(`{"schema":1,"x":[{"y":1}],"plan":[{"go":false}],"trace":[{"b":true,"a":2},{"a":3,"b":false}],"reward":null}`))
	if err != nil || p.States[1][0] != (Value{"b", 0, true}) || p.States[1][1] != (Value{"a", 3, false}) || len(p.Actions[0]) != 0 {
		t.Errorf("%v, %v", p, err)
	}
}

// TestMalformed checks faults of plan files and their places.
func TestMalformed(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":             {"", "plan.json:1:1: expected a plan as a JSON object"},
		"no JSON":           {"plan", "plan.json:1:1: expected a plan as a JSON object"},
		"cut off":           {"{\"schema\":1,\n\"plan\":[", "plan.json:2:9: expected a plan"},
		"a list":            {`[]`, "plan.json:1:1: expected a plan as a JSON object"},
		"text after it":     {`{"schema":1,"plan":[{}]} x`, "plan.json:1:26: expected a plan"},
		"no schema":         {`{"plan":[{}],"trace":[{},{}]}`, `plan.json:1:1: expected "schema":1`},
		"other schema":      {`{"schema":7}`, `plan.json:1:11: expected "schema":1`},
		"key twice":         {`{"schema":1,"schema":1}`, `plan.json:1:13: "schema" occurs twice`},
		"plan is a number":  {"{\"schema\":1,\n \"plan\":4}", `plan.json:2:9: expected "plan" as a list`},
		"step is a list":    {`{"schema":1,"plan":[[]]}`, "plan.json:1:21: plan step 1: expected an object"},
		"empty string":      {`{"schema":1,"plan":[{"go":""}]}`, `plan.json:1:27: plan step 1: "" is not a value for "go"`},
		"value is a list":   {`{"schema":1,"plan":[{"go":[]}]}`, `plan.json:1:27: plan step 1: no value for "go"; expected true, false, an integer or a name`},
		"value is huge":     {`{"schema":1,"plan":[{"go":9999999999999999999}]}`, "is not a value"},
		"value twice":       {`{"schema":1,"plan":[{"go":true,"go":true}]}`, `plan.json:1:32: "go" occurs twice in plan step 1`},
		"control character": {`{"schema":1,"plan":[{"g\no":true}]}`, `"g\no" is not a name`},
		"no name":           {`{"schema":1,"plan":[{"":true}]}`, `"" is not a name`},
		"reward is text":    {`{"schema":1,"reward":"much"}`, `plan.json:1:22: expected "reward" as a number, or null`},
		"problem is a list": {`{"schema":1,"problem":[]}`, `plan.json:1:23: expected "problem" as a string`},
		"no plan":           {`{"schema":1}`, `expected a "plan" of at least one step`},
		"infeasible":        {`{"schema":1,"status":"infeasible","plan":null,"trace":null}`, `there is no plan to show, its status is "infeasible"`},
		"no trace":          {`{"schema":1,"plan":[{}]}`, `expected a "trace"`},
		"short trace":       {`{"schema":1,"plan":[{}],"trace":[{"a":true}]}`, "the trace has 1 state, a plan of 1 step passes 2"},
		"one empty state":   {`{"schema":1,"plan":[{}],"trace":[{},{"a":1}]}`, `trace step 2 has the variable "a", which step 1 has not`},
		"variable missing":  {`{"schema":1,"plan":[{}],"trace":[{"a":true,"b":1},{"a":true}]}`, "trace step 2 has 1 state variables, step 1 has 2"},
		"another variable":  {`{"schema":1,"plan":[{}],"trace":[{"a":true},{"b":true}]}`, `trace step 2 has the variable "b", which step 1 has not`},
		"another type":      {`{"schema":1,"plan":[{}],"trace":[{"a":true},{"a":7}]}`, `trace step 2: "a" is 7, and a Boolean in step 1`},
		"state as action":   {`{"schema":1,"plan":[{"a":true}],"trace":[{"a":true},{"a":true}]}`, `plan step 1: "a" is a state variable`},
	} {
		_, err := Read("plan.json", []byte(c.text))
		var at *source.Error
		if !errors.As(err, &at) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, expected %s", name, err, c.want)
		}
	}
}

// FuzzRead draws whatever Read accepts.
func FuzzRead(f *testing.F) {
	for _, s := range samples {
		f.Add(document(f, s.plan()))
	}
	f.Add([]byte(`{"schema":1,"plan":[{}],"trace":[{},{}]}`))
	f.Add([]byte(`{"schema":1,"plan":[{"a":true}],"trace":[{},{}]}`))
	f.Add([]byte(`{"schema":1,"plan":[{}],"trace":[{"robot-at(a,b)":true,"robot-at(a)":true},{"robot-at(a)":true,"robot-at(a,b)":false}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read("plan.json", data)
		if err != nil {
			return
		}
		for _, s := range samples {
			pic, err := New(p, s.facts)
			if err != nil {
				return
			}
			if err := pic.Text(io.Discard); err != nil {
				t.Fatal(err)
			}
			if pic.drawable() != nil {
				return
			}
			if err := errors.Join(pic.SVG(io.Discard), pic.HTML(io.Discard)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
