package task

import (
	"strconv"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// Chance is what is drawn in the steps of a task.
type Chance = chance.Model

// ReadChance reads what is drawn from the lines of a network's file. The error is about the line, from 0, that it
// returns beside.
func ReadChance(p *factored.Problem, lines []string) (*Chance, int, error) {
	return chance.Parse(p, lines)
}

// The arrays of tables that declare what is drawn.
const (
	chanceTables  = "chance"
	contextTables = "context"
)

// chanceTable declares a group of states that are drawn together.
type chanceTable struct {
	Draw    []string       `toml:"draw"`
	Blocked string         `toml:"blocked"` // clamp if empty
	Context []contextTable `toml:"context"`
}

// contextTable declares a context of a group; the last one needs no condition.
type contextTable struct {
	When     string   `toml:"when"`
	Outcomes []string `toml:"outcomes"`
}

// draws reports whether the task declares that a state is drawn.
func (t *Task) draws(name string) bool {
	for i := range t.chances {
		for _, n := range t.chances[i].Draw {
			if factored.Canonical(n) == name {
				return true
			}
		}
	}
	return false
}

// setChance reads what is drawn. Other states are learned if there is a network, and else keep their values.
func (t *Task) setChance(from []chanceTable) error {
	if t.chances = from; len(from) == 0 {
		return nil
	}
	for i := range from {
		if len(from[i].Draw) == 0 {
			return t.errorAt([]string{chanceTables, strconv.Itoa(i), "draw"}, "[[chance]] %d draws nothing; expected draw = [\"FLUENT\", …]", i+1)
		}
	}
	if t.Domain != "" {
		return source.Errorf(t.File, 1, 1, "[[chance]] belongs to tasks without RDDL; expected draws in its cpfs")
	}
	for _, name := range t.Learned {
		if t.draws(factored.Canonical(name)) {
			return t.errorAt([]string{"learned"}, "%s is learned and drawn by [[chance]]; expected one of them", name)
		}
	}
	if t.Learned == nil && t.Network != "" {
		for _, s := range t.States {
			if !t.draws(s.Name) && !s.known() {
				t.Learned = append(t.Learned, s.Name)
			}
		}
	}
	return nil
}

// Chances returns the groups that the task declares; p is what Factored returned.
func (t *Task) Chances(p *factored.Problem) (groups []chance.Group, err error) {
	for i := range t.chances {
		c := &t.chances[i]
		at := func(key string, err error) error {
			return t.errorAt([]string{chanceTables, strconv.Itoa(i), key}, "%v", err)
		}
		g, err := chance.NewGroup(p, c.Draw)
		if err != nil {
			return nil, at("draw", err)
		}
		if c.Blocked != "" {
			if g.Blocked, err = chance.ParseBlocked(c.Blocked); err != nil {
				return nil, at("blocked", err)
			}
		}
		for j := range c.Context {
			if _, err := g.AddContext(c.Context[j].When, c.Context[j].Outcomes); err != nil {
				return nil, t.chanceError(i, j, "outcomes", err)
			}
		}
		groups = append(groups, *g)
	}
	if len(groups) > 0 {
		if _, i, j, err := chance.New(p, groups); err != nil {
			return nil, t.chanceError(i, j, "when", err)
		}
	}
	return groups, nil
}

// WithChance adds the groups that the task declares to what the file of its network says to be drawn, which may be nil, as
// is the result if nothing is drawn.
func (t *Task) WithChance(p *factored.Problem, learned *Chance) (*Chance, error) {
	groups, err := t.Chances(p)
	if err != nil || len(groups) == 0 {
		return learned, err
	}
	if learned != nil {
		groups = append(groups, learned.Groups...)
	}
	m, _, _, err := chance.New(p, groups)
	return m, err
}

// chanceError is an error about a context of a group, or about the group where it is -1.
func (t *Task) chanceError(group, context int, key string, err error) error {
	if context < 0 {
		return t.errorAt([]string{chanceTables, strconv.Itoa(group), "draw"}, "%v", err)
	}
	// The contexts of all groups are counted together in the file.
	for i := range group {
		context += len(t.chances[i].Context)
	}
	table := []string{chanceTables, contextTables, strconv.Itoa(context)}
	if t.at(append(table, key)...) == (place{}) {
		key = "outcomes"
	}
	if t.at(append(table, key)...) == (place{}) {
		return source.Errorf(t.File, 1, 1, "[[chance.context]] %d: %v", context+1, err)
	}
	return t.errorAt(append(table, key), "%v", err)
}
