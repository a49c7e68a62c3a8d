package load

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// forEntities makes the problem that of some of the entities of its task: of one, with its first values, or of several side by side, with
// variables of their own such as level(A).
func (p *Problem) forEntities(r Ref) error {
	names := r.Entity
	first := make([]map[string]int64, len(names))
	for i, name := range names {
		var err error
		if first[i], err = p.Declared.Begin(p.Problem, name); err != nil {
			return err
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("--entity %s: it is named twice", name)
		}
	}
	rename := func(name, _ string) string { return name }
	if len(names) > 1 {
		if len(p.Declared.Final) > 0 {
			return source.Errorf(p.Declared.File, 0, 0, "--entity: runs end in final states, which is planned for one entity at a time")
		}
		q, err := p.Problem.Copies(names)
		if err != nil {
			return err
		}
		alone := *p
		p.Entities, p.Alone = names, &alone
		p.Problem, rename = q, factored.NameOf
		if p.Network != nil {
			p.Network = bnn.Copies(p.Network, len(names))
		}
		p.Trained = Trained{Reward: p.Reward, RewardRows: p.RewardRows}
		for i, name := range names {
			p.takeErrors(&alone, name, first[i])
		}
		if err := p.SetChance(alone.Chance); err != nil {
			return err
		}
		p.Unknown = unknownOf(p.Unknown, names)
	}
	p.single = map[string]string{}
	for i, name := range names {
		given := map[string]bool{}
		for _, f := range p.Declared.States {
			p.single[rename(f.Name, name)] = f.Name
		}
		for state, x := range first[i] {
			v, _ := p.Problem.Lookup(rename(state, name))
			replaceInitial(p.Problem, v, v.Equals(x, "initial value of "+v.Name))
			given[v.Name] = true
		}
		followInitial(p.Problem, given)
	}
	return nil
}

// takeErrors gives one of several entities, which begins with some values, the errors of functions that are those of it, or of all.
func (p *Problem) takeErrors(alone *Problem, entity string, begin map[string]int64) {
	for fluent, errors := range alone.Residuals {
		if _, ok := alone.Problem.Lookup(fluent); !ok {
			continue // of one machine
		}
		for name, x := range begin {
			if v, _ := alone.Problem.Lookup(name); v.Enumeration() {
				if own := alone.Residuals[Where(fluent, Machine(v, x))]; own != nil {
					errors = own
				}
			}
		}
		if p.Residuals == nil {
			p.Residuals = map[string][]int64{}
		}
		p.Residuals[factored.NameOf(fluent, entity)] = errors
	}
	for action, logged := range alone.Logged {
		if p.Logged == nil {
			p.Logged = map[string]Logged{}
		}
		p.Logged[factored.NameOf(action, entity)] = logged
	}
}

// SetChance makes what is drawn that of a model of the problem, or of that of each of several entities; nil for nothing.
func (p *Problem) SetChance(m *task.Chance) (err error) {
	if p.Alone != nil && m != nil {
		m, err = m.Copies(p.Problem, p.Entities)
	}
	p.Chance = m
	return err
}

// One is the problem of one of several entities, or that itself where it is not about several.
func (p *Problem) One() *Problem {
	if p.Alone != nil {
		return p.Alone
	}
	return p
}

// Each divides the values of all variables into those of each entity; they are one part where there are not several.
func (p *Problem) Each(val factored.Valuation) []factored.Valuation {
	if p.Alone == nil {
		return []factored.Valuation{val}
	}
	parts, n := make([]factored.Valuation, len(p.Entities)), p.Alone.Problem.NumBits()
	for k := range parts {
		parts[k] = val[k*n : (k+1)*n]
	}
	return parts
}

// unknownOf names the learned states of several entities.
func unknownOf(states, entities []string) (out []string) {
	for _, e := range entities {
		for _, s := range states {
			out = append(out, factored.NameOf(s, e))
		}
	}
	return out
}
