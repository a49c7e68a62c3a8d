package policy_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/policy"
)

// grid is a small problem and one of its answers as text, of each kind.
func grid(t testing.TB) (p *load.Problem, answers []string) {
	t.Helper()
	p, err := load.Load(t.Context(), load.Ref{Chance: true, Source: load.Source{
		Domain: "../../../examples/drift/drift.rddl", Instance: "../../../examples/drift/stairs.rddl", Question: load.Question{Goal: "x == 1 ^ y == 1 ^ ~lost"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []policy.Request{{}, {Blind: true}, {Robust: &policy.Robust{Disturbances: 1}}} {
		r.Horizon, r.Now, r.Started, r.Limits.Memory = 3, time.Now, time.Now(), 1<<28
		d, err := policy.Plan(t.Context(), p, r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, string(text))
	}
	return p, answers
}

// FuzzRead reads policy files and has the evaluator judge those that can be read. Errors say where they are.
func FuzzRead(f *testing.F) {
	p, answers := grid(f)
	for _, a := range answers {
		f.Add(a)
		f.Add(strings.Replace(a, `"rows":[[0,`, `"rows":[[1,`, 1))
		f.Add(strings.Replace(a, `"east":true`, `"east":1`, 1))
		f.Add(strings.Replace(a, `"horizon":3`, `"horizon":65535`, 1))
		f.Add(strings.Replace(a, `"disturbances":1`, `"disturbances":99999999999`, 1))
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := policy.Read(p, "file", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "file:") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q", err)
			}
			return
		}
		v, err := d.Judge(p)
		if err == nil && v.Valid && v.Value == nil {
			t.Fatalf("%+v", v)
		}
	})
}
