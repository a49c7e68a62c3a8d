package app

import (
	"reflect"
	"testing"

	"github.com/fdplan/fdplan/internal/app/apptest"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

func TestReadPlan(t *testing.T) {
	p := apptest.Integers(t)
	got, err := ReadPlan(p, "plan.json", []byte(`{"schema":1,"other":[1],
		"plan":[{"go":true,"order":6},{}],
		"trace":[{"on(c1)":true,"level":-2},{"on[ c1 ]":false,"level":5},{"on(c1)":1,"level":0}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := validate.Plan{
		Actions: []factored.Valuation{apptest.Valuation(t, p, map[string]int64{"go": 1, "order": 6}), apptest.Valuation(t, p, nil)},
		States: []factored.Valuation{
			apptest.Valuation(t, p, map[string]int64{"on(c1)": 1, "level": -2}),
			apptest.Valuation(t, p, map[string]int64{"level": 5}), apptest.Valuation(t, p, map[string]int64{"on(c1)": 1}),
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func FuzzReadPlan(f *testing.F) {
	for _, s := range []string{
		`{"schema":1,"plan":[{"go":true,"order":6},{}]}`, `{"schema":1,"plan":[{}],"trace":[{"on(c1)":true,"level":-2},{"on(c1)":true,"level":0}]}`,
		`{"schema":1`, `[]`, `{"schema":1,"plan":[{"order":1e3}]}`, `{"plan":[null]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := apptest.Integers(t)
		plan, err := ReadPlan(p, "plan.json", data)
		if err != nil {
			return
		}
		if _, err := validate.Check(p, nil, plan); err != nil {
			t.Fatal(err)
		}
	})
}
