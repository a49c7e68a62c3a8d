package bind

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestJSONError wants errors that name fields and no types of Go.
func TestJSONError(t *testing.T) {
	type inner struct {
		Depth int `json:"depth"`
	}
	type request struct {
		Memory int64     `json:"memory"`
		Seed   uint64    `json:"seed"`
		Rate   float64   `json:"rate"`
		Name   string    `json:"name"`
		Quick  *bool     `json:"quick"`
		Rules  []string  `json:"rules"`
		Inner  *inner    `json:"inner"`
		Many   []float64 `json:"many"`
	}
	for text, want := range map[string]string{
		`{"memory":"1GiB"}`:          "memory is a text; expected a whole number",
		`{"memory":1.5}`:             "memory is the number 1.5; expected a whole number",
		`{"memory":1e400}`:           "memory is the number 1e400; expected a whole number",
		`{"seed":-1}`:                "seed is the number -1; expected a whole number from 0",
		`{"rate":true}`:              "rate is true or false; expected a number",
		`{"name":[]}`:                "name is a list; expected a text",
		`{"quick":3}`:                "quick is the number; expected true or false",
		`{"rules":{}}`:               "rules is an object; expected a list",
		`{"rules":[1]}`:              "rules is the number; expected a text",
		`{"inner":{"depth":"deep"}}`: "inner.depth is a text; expected a whole number",
		`{"inner":7}`:                "inner is the number; expected an object",
		`{"goal":"x"}`:               `there is no field "goal"`,
		`[]`:                         "it is a list; expected an object",
		`{"memory":}`:                "it is no JSON: invalid character '}' looking for beginning of value, at byte 11",
		`{"memory":1`:                "it ends before the JSON does",
		``:                           "it ends before the JSON does",
	} {
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		err := d.Decode(new(request))
		if err == nil {
			t.Errorf("%s is accepted", text)
			continue
		}
		if got := JSONError(err).Error(); got != want {
			t.Errorf("%s: %q, expected %q", text, got, want)
		}
	}
}
