package task

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/nearest"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// Entity is one of several systems that the task is a model of, with the first values of its states and inputs, which replace those of
// the task.
type Entity struct {
	Name    string         `toml:"name"`
	Initial map[string]any `toml:"initial"`
}

const entityTables = "entity"

// setEntities checks the entities of a file.
func (t *Task) setEntities(from []Entity) error {
	for i, e := range from {
		fail := func(key, format string, args ...any) error {
			return t.errorAt([]string{entityTables, strconv.Itoa(i), key}, format, args...)
		}
		switch {
		case !validName("x("+e.Name+")") || strings.ContainsAny(e.Name, "(), "):
			return fail("name", "%q is not a name of an entity; expected one without brackets, commas and spaces", e.Name)
		case slices.ContainsFunc(from[:i], func(o Entity) bool { return o.Name == e.Name }):
			return fail("name", "there are two entities %s", e.Name)
		}
		for _, name := range sorted(e.Initial) {
			if !slices.ContainsFunc(t.States, func(f Fluent) bool { return f.Name == factored.Canonical(name) }) {
				return fail("initial", "%s has a first value of %s, and there is no such state or input", e.Name, name)
			}
		}
	}
	t.Entities = from
	return nil
}

// Begin returns the first values of an entity, by the names of the variables of p, which is what Factored returned.
func (t *Task) Begin(p *factored.Problem, entity string) (map[string]int64, error) {
	i := slices.IndexFunc(t.Entities, func(e Entity) bool { return e.Name == entity })
	if i < 0 {
		var known []string
		for _, e := range t.Entities {
			known = append(known, e.Name)
		}
		if known == nil {
			return nil, source.Errorf(t.File, 1, 0, "--entity %s: the task has no entities; expected [[entity]] tables, as init --entity COLUMN writes them", entity)
		}
		return nil, source.Errorf(t.File, 1, 0, "--entity %s: there is no such entity; expected one of %s%s", entity, strings.Join(known, ", "), nearest.Hint(entity, known))
	}
	out := map[string]int64{}
	for name, value := range t.Entities[i].Initial {
		k := slices.IndexFunc(t.States, func(f Fluent) bool { return f.Name == factored.Canonical(name) })
		v, _ := p.Lookup(t.States[k].Name)
		x, err := t.States[k].value(v, value)
		if err != nil {
			return nil, t.errorAt([]string{entityTables, strconv.Itoa(i), "initial"}, "%s: %v", entity, err)
		}
		out[v.Name] = x
	}
	return out, nil
}

// ofSeveral says where a constraint belongs that names entities; empty for others.
func (t *Task) ofSeveral(text string) string {
	for _, e := range t.Entities {
		if strings.Contains(text, "("+e.Name+")") {
			return fmt.Sprintf("; a rule holds for each entity, and a constraint that names them, as (%s), is one of plans: --require with --entity", e.Name)
		}
	}
	return ""
}
