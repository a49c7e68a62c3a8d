package sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/nearest"
	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// ActionNamed returns the joint action with values given by name, in the order of Actions. The
// others are at their default.
func (s *Simulator) ActionNamed(given map[string]json.RawMessage) ([]float64, error) {
	return valuesOf(s.p, "action", s.actions, s.Noop(nil), given)
}

// StateNamed returns the state with values given by name, in the order of States. The others
// are at their initial value.
func (s *Simulator) StateNamed(given map[string]json.RawMessage) ([]float64, error) {
	var state []float64
	for _, f := range s.states {
		state = append(state, s.p.Fluents[f].Initial)
	}
	return valuesOf(s.p, "state", s.states, state, given)
}

// valuesOf sets the values of some fluents, states or actions as what says, by name, in values.
func valuesOf(g *ground.Problem, what string, fluents []int, values []float64, given map[string]json.RawMessage) ([]float64, error) {
	var names []string
	for _, f := range fluents {
		names = append(names, g.Fluents[f].Name)
	}
	seen := map[int]string{}
	for name, raw := range given {
		i := slices.Index(names, strings.ReplaceAll(name, " ", ""))
		if i < 0 {
			return nil, fmt.Errorf("there is no %s %q in %s%s", what, name, g.Instance, nearest.Hint(name, names))
		}
		if _, ok := seen[i]; ok {
			return nil, fmt.Errorf("%s has two values", names[i])
		}
		seen[i] = name
		x, err := valueOf(&g.Fluents[fluents[i]], raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", names[i], err)
		}
		values[i] = x
	}
	return values, nil
}

// valueOf reads a value of a fluent in JSON: true or false, a number, or the name of a value
// with or without @.
func valueOf(f *ground.Fluent, raw json.RawMessage) (float64, error) {
	text := string(raw)
	if err := json.Unmarshal(raw, &text); err != nil {
		text = string(raw)
	}
	switch f.Type {
	case ground.Bool:
		switch text {
		case "true", "1":
			return 1, nil
		case "false", "0":
			return 0, nil
		}
		return 0, fmt.Errorf("%s, expected true or false", raw)
	case ground.Enum:
		at := func(v string) bool { return strings.TrimPrefix(v, "@") == strings.TrimPrefix(text, "@") }
		if k := slices.IndexFunc(f.Values, at); k >= 0 {
			return float64(k), nil
		}
		return 0, fmt.Errorf("%s, expected one of %s", raw, strings.Join(f.Values, ", "))
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x-x != 0 {
		return 0, fmt.Errorf("%s, expected a number", raw)
	}
	if f.Type == ground.Int && x != float64(int64(x)) {
		return 0, fmt.Errorf("%s, expected an integer", raw)
	}
	return x, nil
}
