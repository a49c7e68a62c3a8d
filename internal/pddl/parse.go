package pddl

import (
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/nearest"
)

// Read reads a problem and its domain. Errors have the place in the file.
func Read(domainFile string, domain []byte, problemFile string, problem []byte) (*Problem, error) {
	d, err := readDomain(domainFile, domain)
	if err != nil {
		return nil, err
	}
	return d.readProblem(problemFile, problem)
}

// define reads (define (KIND name) …).
func define(file string, text []byte, kind string) (name *tree, sections []*tree, err error) {
	trees, err := parseTrees(file, text)
	if err != nil {
		return nil, nil, err
	}
	if len(trees) != 1 || trees[0].head() != "define" || len(trees[0].list) < 2 || trees[0].list[1].head() != kind || len(trees[0].list[1].list) != 2 {
		at := pos{file, 1, 1}
		if len(trees) > 0 {
			at = trees[0].pos
		}
		return nil, nil, at.errorf("this is no %s; expected (define (%s NAME) …)", kind, kind)
	}
	for _, s := range trees[0].list[2:] {
		if s.head() == "" {
			return nil, nil, s.errorf("%s is no section; expected one such as (:predicates …)", s)
		}
	}
	return trees[0].list[1].list[1], trees[0].list[2:], nil
}

func readDomain(file string, text []byte) (*Domain, error) {
	name, sections, err := define(file, text, "domain")
	if err != nil {
		return nil, err
	}
	d := NewDomain(name.word)
	// Actions may stand before what they read.
	sort.SliceStable(sections, func(i, j int) bool {
		return slices.Index(domainSections, sections[i].head()) < slices.Index(domainSections, sections[j].head())
	})
	for _, s := range sections {
		if err := d.section(s); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// domainSections are the sections of a domain. What others read stands first.
var domainSections = []string{":requirements", ":types", ":constants", ":predicates", ":functions", ":derived", ":action"}

func (d *Domain) section(s *tree) error {
	switch s.head() {
	case ":requirements":
		return requirements(s.list[1:])
	case ":types":
		return d.readTypes(s.list[1:])
	case ":constants":
		var err error
		d.Constants, err = d.readObjects(s.list[1:])
		return err
	case ":predicates":
		return d.symbols(s.list[1:], d.Predicates, false)
	case ":functions":
		return d.symbols(s.list[1:], d.Functions, true)
	case ":action":
		return d.readAction(s)
	case ":derived":
		return d.readDerived(s)
	case ":durative-action", ":process", ":event", ":constraints":
		return s.errorf("%s is not supported; expected actions without duration", s.head())
	}
	return s.errorf("there is no section %s%s", s.head(), nearest.Hint(s.head(), domainSections))
}

// supported are the requirements that are read.
var supported = []string{
	":strips", ":typing", ":negative-preconditions", ":disjunctive-preconditions", ":equality", ":existential-preconditions", ":universal-preconditions",
	":quantified-preconditions", ":conditional-effects", ":adl", ":derived-predicates", ":action-costs", ":fluents", ":numeric-fluents", ":object-types",
}

func requirements(list []*tree) error {
	for _, r := range list {
		if !slices.Contains(supported, r.word) {
			return r.errorf("the requirement %s is not supported; expected some of %s", r, strings.Join(supported, ", "))
		}
	}
	return nil
}

// readTypes reads the hierarchy of types.
func (d *Domain) readTypes(list []*tree) error {
	groups, err := typed(list, "", "object")
	if err != nil {
		return err
	}
	for _, g := range groups {
		if g.Name == "object" {
			continue
		}
		d.types = append(d.types, g.Name)
		d.Parent[g.Name] = append(d.Parent[g.Name], g.Types...)
	}
	for _, g := range groups {
		for _, up := range g.Types {
			if up != "object" && d.Parent[up] == nil { // declared by being above another
				d.types, d.Parent[up] = append(d.types, up), []string{"object"}
			}
		}
	}
	return nil
}

// typed reads a list of names with types: a b - t c. Variables begin with the prefix.
func typed(list []*tree, prefix, without string) ([]Param, error) {
	var out []Param
	first := 0
	for i := 0; i < len(list); i++ {
		t := list[i]
		if !strings.HasPrefix(t.word, "-") {
			if t.open || !strings.HasPrefix(t.word, prefix) || t.word == prefix {
				return nil, t.errorf("%s is no name; expected one%s", t, map[bool]string{true: " that begins with " + prefix}[prefix != ""])
			}
			out = append(out, Param{t.word[len(prefix):], []string{without}})
			continue
		}
		if t.word == "-" {
			i++
		}
		if i == len(list) || len(out) == 0 {
			return nil, t.errorf("a type is missing here; expected NAME - TYPE")
		}
		types := []string{strings.TrimPrefix(list[i].word, "-")} // also without a blank
		if list[i].open {
			if types = nil; list[i].head() != "either" || len(list[i].list) < 2 {
				return nil, list[i].errorf("%s is no type; expected a name or (either TYPE …)", list[i])
			}
			for _, x := range list[i].list[1:] {
				types = append(types, x.word)
			}
		}
		for ; first < len(out); first++ {
			out[first].Types = types
		}
	}
	return out, nil
}

// params reads parameters, whose types must exist.
func (d *Domain) params(list []*tree, at pos) ([]Param, error) {
	out, err := typed(list, "?", "object")
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, p := range out {
		if seen[p.Name] {
			return nil, at.errorf("there are two variables ?%s", p.Name)
		}
		seen[p.Name] = true
		if err := d.checkTypes(p.Types, at); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (d *Domain) checkTypes(types []string, at pos) error {
	for _, t := range types {
		if t != "object" && d.Parent[t] == nil {
			return at.errorf("there is no type %s%s", t, nearest.Hint(t, d.types))
		}
	}
	return nil
}

func (d *Domain) readObjects(list []*tree) ([]Object, error) {
	groups, err := typed(list, "", "object")
	if err != nil {
		return nil, err
	}
	var out []Object
	for _, g := range groups {
		if err := d.checkTypes(g.Types, list[0].pos); err != nil {
			return nil, err
		}
		out = append(out, Object(g))
	}
	return out, nil
}

// symbols reads the declarations of predicates or of functions.
func (d *Domain) symbols(list []*tree, into map[string]*Symbol, numbers bool) error {
	for i := 0; i < len(list); i++ {
		t := list[i]
		if numbers && t.word == "-" && i+1 < len(list) {
			if i++; list[i].word != "number" {
				return list[i].errorf("functions of type %s are not supported; expected number", list[i])
			}
			continue
		}
		if t.head() == "" {
			return t.errorf("%s is no declaration; expected (NAME ?variable - type …)", t)
		}
		params, err := typed(t.list[1:], "?", "object") // names may be the same: they say nothing
		if err != nil {
			return err
		}
		for _, p := range params {
			if err := d.checkTypes(p.Types, t.pos); err != nil {
				return err
			}
		}
		name := t.head()
		if into[name] != nil {
			return t.errorf("%s is declared twice", name)
		}
		into[name] = &Symbol{name, params, t.pos}
	}
	return nil
}

// fields are the parts of an action, by their names.
func fields(s *tree, from int, allowed ...string) (map[string]*tree, error) {
	out := map[string]*tree{}
	for i := from; i < len(s.list); i += 2 {
		key := s.list[i]
		switch {
		case !slices.Contains(allowed, key.word):
			return nil, key.errorf("%s is not expected here; expected %s", key, strings.Join(allowed, ", "))
		case i+1 == len(s.list):
			return nil, key.errorf("nothing follows %s", key)
		case out[key.word] != nil:
			return nil, key.errorf("%s stands here twice", key)
		}
		out[key.word] = s.list[i+1]
	}
	return out, nil
}

func (d *Domain) readAction(s *tree) error {
	if len(s.list) < 2 || s.list[1].open {
		return s.errorf("the action has no name; expected (:action NAME …)")
	}
	parts, err := fields(s, 2, ":parameters", ":precondition", ":effect")
	if err != nil {
		return err
	}
	a := &Action{Name: s.list[1].word, pos: s.list[1].pos, Pre: &Expr{Op: "and", pos: s.pos}, Effect: &Expr{Op: "and", pos: s.pos}}
	if slices.ContainsFunc(d.Actions, func(b *Action) bool { return b.Name == a.Name }) {
		return a.pos.errorf("there are two actions %s", a.Name)
	}
	if t := parts[":parameters"]; t != nil {
		if a.Params, err = d.params(t.list, t.pos); err != nil {
			return err
		}
	}
	x := &reader{Domain: d, scope: a.Params}
	if t := parts[":precondition"]; t != nil {
		if a.Pre, err = x.condition(t); err != nil {
			return err
		}
	}
	if t := parts[":effect"]; t != nil {
		if a.Effect, err = x.effect(t); err != nil {
			return err
		}
	}
	d.Actions = append(d.Actions, a)
	return nil
}

func (d *Domain) readDerived(s *tree) error {
	if len(s.list) != 3 || s.list[1].head() == "" {
		return s.errorf("this defines no predicate; expected (:derived (NAME ?variable …) CONDITION)")
	}
	head := s.list[1]
	was := d.Predicates[head.head()]
	if was == nil {
		return head.errorf("there is no predicate %s%s", head.head(), d.like(head.head(), d.Predicates))
	}
	params, err := d.params(head.list[1:], head.pos)
	if err != nil {
		return err
	}
	if len(params) != len(was.Params) {
		return head.errorf("%s has %d arguments; expected %d", head.head(), len(params), len(was.Params))
	}
	x := &reader{Domain: d, scope: params}
	body, err := x.condition(s.list[2])
	if err != nil {
		return err
	}
	d.Derived = append(d.Derived, &Derived{Symbol{was.Name, params, head.pos}, body})
	return nil
}

func (d *Domain) like(name string, of map[string]*Symbol) string {
	return nearest.Hint(name, slices.Sorted(maps.Keys(of)))
}

func (d *Domain) readProblem(file string, text []byte) (*Problem, error) {
	name, sections, err := define(file, text, "problem")
	if err != nil {
		return nil, err
	}
	p := &Problem{Domain: d, Name: name.word, Objects: slices.Clone(d.Constants), objects: map[string]int{}}
	order := []string{":domain", ":requirements", ":objects", ":init", ":goal", ":metric"}
	sort.SliceStable(sections, func(i, j int) bool {
		return slices.Index(order, sections[i].head()) < slices.Index(order, sections[j].head())
	})
	for _, s := range sections {
		if err := p.section(s); err != nil {
			return nil, err
		}
	}
	if p.Goal == nil {
		return nil, name.errorf("the problem has no goal; expected (:goal CONDITION)")
	}
	p.index()
	return p, nil
}

func (p *Problem) index() {
	for i, o := range p.Objects {
		p.objects[o.Name] = i
	}
}

func (p *Problem) section(s *tree) (err error) {
	switch s.head() {
	case ":domain":
		if len(s.list) != 2 || s.list[1].word != p.Domain.Name {
			return s.errorf("the problem is of another domain than %s", p.Domain.Name)
		}
	case ":requirements":
		return requirements(s.list[1:])
	case ":objects":
		more, err := p.readObjects(s.list[1:])
		if err != nil {
			return err
		}
		for _, o := range more {
			if i := slices.IndexFunc(p.Objects, func(x Object) bool { return x.Name == o.Name }); i >= 0 {
				if i >= len(p.Constants) {
					return s.errorf("there are two objects %s", o.Name)
				}
				continue
			}
			p.Objects = append(p.Objects, o)
		}
	case ":init":
		p.index()
		for _, t := range s.list[1:] {
			if err := p.fact(t); err != nil {
				return err
			}
		}
	case ":goal":
		p.index()
		if len(s.list) != 2 {
			return s.errorf("the goal is not one condition; expected (:goal CONDITION)")
		}
		x := &reader{Domain: p.Domain, objects: p.Objects}
		p.Goal, err = x.condition(s.list[1])
	case ":metric":
		if len(s.list) != 3 || s.list[1].word != "minimize" && s.list[1].word != "maximize" {
			return s.errorf("this is no metric; expected (:metric minimize EXPRESSION) or maximize")
		}
		p.Maximize = s.list[1].word == "maximize"
		x := &reader{Domain: p.Domain, objects: p.Objects, metric: true}
		p.Metric, err = x.number(s.list[2])
	default:
		return s.errorf("there is no section %s", s.head())
	}
	return err
}

// SetGoal replaces the goal by a condition, which is of the file in errors.
func (p *Problem) SetGoal(file string, text []byte) error {
	list, err := parseTrees(file, text)
	if err != nil {
		return err
	}
	if len(list) != 1 {
		return pos{file, 1, 1}.errorf("the goal is not one condition; expected one in brackets, such as (and (at b room) (handempty))")
	}
	x := &reader{Domain: p.Domain, objects: p.Objects}
	p.Goal, err = x.condition(list[0])
	return err
}

// fact reads an item of the initial state.
func (p *Problem) fact(t *tree) error {
	value, number := 0.0, false
	if t.head() == "=" && len(t.list) == 3 && t.list[1].open {
		v, err := strconv.ParseFloat(t.list[2].word, 64)
		if err != nil {
			return t.list[2].errorf("%s is no number", t.list[2])
		}
		value, number, t = v, true, t.list[1]
	}
	symbols, what := p.Predicates, "predicate"
	if number {
		symbols, what = p.Functions, "function"
	}
	if t.head() == "not" {
		return nil // what is not listed is false
	}
	s := symbols[t.head()]
	if s == nil {
		return t.errorf("there is no %s %s%s", what, t.head(), p.like(t.head(), symbols))
	}
	f := Fact{Name: s.Name, Value: value, pos: t.pos}
	if len(t.list)-1 != len(s.Params) {
		return t.errorf("%s has %d arguments; expected %d", s.Name, len(t.list)-1, len(s.Params))
	}
	for i, a := range t.list[1:] {
		k, ok := p.objects[a.word]
		if !ok {
			return a.errorf("there is no object %s", a)
		}
		if !p.is(p.Objects[k].Types, s.Params[i].Types) {
			return a.errorf("%s is a %s; expected a %s", a, strings.Join(p.Objects[k].Types, " or "), strings.Join(s.Params[i].Types, " or "))
		}
		f.Args = append(f.Args, a.word)
	}
	if number {
		p.Values = append(p.Values, f)
	} else {
		p.Init = append(p.Init, f)
	}
	return nil
}
