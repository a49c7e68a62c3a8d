package pddl

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// NewDomain returns an empty domain.
func NewDomain(name string) *Domain {
	return &Domain{Name: name, Parent: map[string][]string{}, Predicates: map[string]*Symbol{}, Functions: map[string]*Symbol{}}
}

// Declare declares a predicate, or a function if it is a number, of objects of some types, unless it is declared.
func (d *Domain) Declare(name string, types []string, number bool) error {
	if err := named(append(types, name)); err != nil {
		return err
	}
	into := d.Predicates
	if number {
		into = d.Functions
	}
	if s := into[name]; s != nil {
		return d.same(s.Params, types)
	}
	into[name] = &Symbol{name, d.variables(types), pos{line: len(d.Predicates) + len(d.Functions)}}
	return nil
}

// DeclareAction declares an action without conditions and effects, unless it is declared.
func (d *Domain) DeclareAction(name string, types []string) error {
	if err := named(append(types, name)); err != nil {
		return err
	}
	if i := slices.IndexFunc(d.Actions, func(a *Action) bool { return a.Name == name }); i >= 0 {
		return d.same(d.Actions[i].Params, types)
	}
	d.Actions = append(d.Actions, &Action{Name: name, Params: d.variables(types), Pre: &Expr{Op: "and"}, Effect: &Expr{Op: "and"}})
	return nil
}

// named reports names that have a meaning of their own, or cannot be written.
func named(names []string) error {
	for _, name := range names {
		if err := writable(name); err != nil {
			return err
		}
		if strings.Contains(" and or not imply forall exists when either increase decrease assign scale-up scale-down ", " "+name+" ") || strings.IndexAny(name, "-:=<>+*/") == 0 {
			return fmt.Errorf("%s is a word of PDDL; expected another name", name)
		}
	}
	return nil
}

// writable reports characters that a word cannot have, such as blanks that divide no words in PDDL.
func writable(word string) error {
	if !utf8.ValidString(word) || strings.ContainsFunc(word, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		return fmt.Errorf("%q has a character that cannot be part of a name; expected printable ones in UTF-8", word)
	}
	return nil
}

// same holds what is declared to what is used.
func (d *Domain) same(params []Param, types []string) error {
	if len(params) != len(types) {
		return fmt.Errorf("it has %d objects here, and %d elsewhere", len(types), len(params))
	}
	for i, p := range params {
		if p.Types[0] != types[i] {
			return fmt.Errorf("object %d is a %s here, and a %s elsewhere", i+1, types[i], p.Types[0])
		}
	}
	return nil
}

func (d *Domain) variables(types []string) (out []Param) {
	for i, t := range types {
		if t != "object" && d.Parent[t] == nil {
			d.types, d.Parent[t] = append(d.types, t), []string{"object"}
		}
		out = append(out, Param{fmt.Sprintf("x%d", i+1), []string{t}})
	}
	return out
}

// Builder makes a trajectory of rows that are not in a trajectory's format.
type Builder struct {
	d    *Domain
	file string
	t    *Trajectory
}

// NewBuilder returns one for a file.
func NewBuilder(d *Domain, file string) *Builder { return &Builder{d, file, d.newTrajectory()} }

// Add adds the action of a line, with the values of atoms and functions before and after it; after is nil for an action that failed.
func (b *Builder) Add(line int, call []string, before, after map[string]float64) error {
	at := pos{b.file, line, 1}
	x := Transition{Step: Step{Name: call[0], pos: at}}
	a, err := b.d.action(call[0], at)
	if err != nil {
		return err
	}
	if err := b.t.arguments(b.d, treesOf(call, at), a.Params, &x.Args); err != nil {
		return err
	}
	if x.Before, err = b.state(before, at); err == nil && after != nil {
		x.After, err = b.state(after, at)
	}
	b.t.Transitions = append(b.t.Transitions, x)
	return err
}

func treesOf(words []string, at pos) (out []*tree) {
	for _, w := range words {
		out = append(out, &tree{pos: at, word: w})
	}
	return out
}

func (b *Builder) state(values map[string]float64, at pos) (*Observed, error) {
	o := &Observed{map[string]bool{}, map[string]float64{}}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		words := strings.Fields(name)
		s, number := b.d.Predicates[words[0]], false
		if s == nil {
			s, number = b.d.Functions[words[0]], true
		}
		var args []string
		if err := b.t.arguments(b.d, treesOf(words, at), s.Params, &args); err != nil {
			return nil, err
		}
		switch {
		case number:
			o.Values[name] = v
		case v != 0 && v != 1:
			return nil, at.errorf("(%s) is %v; expected 0 or 1 for a predicate", name, v)
		case v == 1:
			o.Atoms[name] = true
		}
	}
	return o, nil
}

// Trajectory returns what was added.
func (b *Builder) Trajectory() *Trajectory { return b.t.finish() }
