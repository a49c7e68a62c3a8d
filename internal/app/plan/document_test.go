package plan

import (
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/apptest"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestDocumentRoundTrip writes a trace as a document and reads it back.
func TestDocumentRoundTrip(t *testing.T) {
	p := apptest.Integers(t)
	tr := &factored.Trace{Steps: []factored.Valuation{
		apptest.Valuation(t, p, map[string]int64{"on(c1)": 1, "level": -1, "order": 3}),
		apptest.Valuation(t, p, map[string]int64{"level": 4, "go": 1}),
		apptest.Valuation(t, p, map[string]int64{"level": 5}),
	}}
	d := Document{Schema: app.Schema, Problem: p.Name}
	d.Tell(p, tr)
	var b strings.Builder
	if err := app.WriteJSON(&b, d); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"plan":[{"order":3},{"go":true}]`, `"trace":[{"on(c1)":true,"level":-1},`, `"horizon":null`, `"bound":null`} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%s lacks %s", b.String(), part)
		}
	}
	got, err := app.ReadPlan(p, "plan.json", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for i, val := range tr.Steps {
		for j, b := range p.Bits(factored.State) {
			if got.States[i][b] != val[b] {
				t.Errorf("state %d bit %d is lost", i, j)
			}
		}
		if i < tr.Horizon() {
			for j, b := range p.Bits(factored.Action) {
				if got.Actions[i][b] != val[b] {
					t.Errorf("action %d bit %d is lost", i, j)
				}
			}
		}
	}
}
