package pddl

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Ground is a ground problem to write as a domain and a problem: its facts are predicates without arguments, and its actions have no parameters.
type Ground struct {
	Domain, Name string
	Comments     []string
	Atoms        []string // any names; those that are written are made of them
	Initial      []bool   // by atom, those that are derived left out
	Derived      []GroundDerived
	Actions      []GroundAction
	Goal         [][][]Literal // of each condition the cases
	Steps        int           // of a plan, just so many; 0 for any number
}

// Literal is that an atom is true or false.
type Literal struct {
	Atom int
	On   bool
}

// GroundDerived is an atom that is true where all of one of the cases hold.
type GroundDerived struct {
	Atom  int
	Cases [][]Literal
}

// GroundAction is an action: what it needs, what it changes and where, and what it costs.
type GroundAction struct {
	Name    string
	Needs   []Literal
	Effects []GroundEffect
	Cost    int64
	Joint   []int // the actions that it is of, by the user's numbers
}

// GroundEffect makes an atom true or false where others have values.
type GroundEffect struct {
	Literal
	When []Literal
}

// names are words of PDDL for any names, each another one.
func names(of []string, taken map[string]bool) []string {
	out := make([]string, len(of))
	for i, name := range of {
		word := strings.Trim(strings.Map(func(c rune) rune {
			switch {
			case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_':
				return c
			case c >= 'A' && c <= 'Z':
				return c + 'a' - 'A'
			}
			return '-'
		}, name), "-")
		if word == "" || word[0] < 'a' || word[0] > 'z' {
			word = "x" + word
		}
		full := word
		for n := 2; taken[full]; n++ {
			full = fmt.Sprintf("%s--%d", word, n)
		}
		taken[full] = true
		out[i] = full
	}
	return out
}

// groundWriter writes a ground problem.
type groundWriter struct {
	*Ground
	b     *bufio.Writer
	atoms []string
}

// Words are the names of atoms and actions as they are written.
func (g *Ground) Words() (atoms, actions []string) {
	for _, a := range g.Actions {
		actions = append(actions, a.Name)
	}
	return names(g.Atoms, map[string]bool{"now": true, "after": true}), names(actions, map[string]bool{})
}

// Write writes the domain and the problem.
func (g *Ground) Write(domain, problem io.Writer) error {
	atoms, actions := g.Words()
	w := &groundWriter{Ground: g, b: bufio.NewWriter(domain), atoms: atoms}
	head := names([]string{g.Domain, g.Name}, map[string]bool{})
	w.domain(head[0], actions)
	if err := w.b.Flush(); err != nil {
		return err
	}
	w.b = bufio.NewWriter(problem)
	w.problem(head[0], head[1])
	return w.b.Flush()
}

func (w *groundWriter) domain(name string, actions []string) {
	for _, c := range w.Comments {
		fmt.Fprintf(w.b, "; %s\n", c)
	}
	fmt.Fprintf(w.b, "(define (domain %s)\n (:requirements :adl :action-costs)\n", name)
	params, needs, effects := "", "", ""
	if w.Steps > 0 {
		fmt.Fprint(w.b, " (:types moment)\n")
		params, needs, effects = "?t ?u - moment", " (now ?t) (after ?t ?u)", " (not (now ?t)) (now ?u)"
	}
	fmt.Fprint(w.b, " (:predicates")
	for _, a := range w.atoms {
		fmt.Fprintf(w.b, " (%s)", a)
	}
	if w.Steps > 0 {
		fmt.Fprint(w.b, " (now ?t - moment) (after ?t ?u - moment)")
	}
	fmt.Fprint(w.b, ")\n (:functions (total-cost) - number)\n")
	for _, d := range w.Derived {
		fmt.Fprintf(w.b, " (:derived (%s)%s)\n", w.atoms[d.Atom], w.any(d.Cases))
	}
	for i, a := range w.Actions {
		fmt.Fprintf(w.b, " (:action %s :parameters (%s)\n  :precondition (and%s%s)\n  :effect (and%s", actions[i], params, needs, w.all(a.Needs), effects)
		for _, e := range a.Effects {
			if len(e.When) == 0 {
				fmt.Fprint(w.b, w.all([]Literal{e.Literal}))
			} else {
				fmt.Fprintf(w.b, " (when (and%s)%s)", w.all(e.When), w.all([]Literal{e.Literal}))
			}
		}
		fmt.Fprintf(w.b, " (increase (total-cost) %d)))\n", a.Cost)
	}
	fmt.Fprint(w.b, ")\n")
}

// all writes literals, each after a blank.
func (w *groundWriter) all(list []Literal) string {
	var b strings.Builder
	for _, l := range list {
		if l.On {
			fmt.Fprintf(&b, " (%s)", w.atoms[l.Atom])
		} else {
			fmt.Fprintf(&b, " (not (%s))", w.atoms[l.Atom])
		}
	}
	return b.String()
}

// any writes that all literals of one of some cases hold.
func (w *groundWriter) any(cases [][]Literal) string {
	if len(cases) == 1 {
		return " (and" + w.all(cases[0]) + ")"
	}
	var b strings.Builder
	for _, c := range cases {
		fmt.Fprintf(&b, " (and%s)", w.all(c))
	}
	return " (or" + b.String() + ")"
}

func (w *groundWriter) problem(domain, name string) {
	fmt.Fprintf(w.b, "(define (problem %s) (:domain %s)\n", name, domain)
	if w.Steps > 0 {
		fmt.Fprint(w.b, " (:objects")
		for t := range w.Steps + 1 {
			fmt.Fprintf(w.b, " t%d", t)
		}
		fmt.Fprint(w.b, " - moment)\n")
	}
	fmt.Fprint(w.b, " (:init (= (total-cost) 0)")
	for i, on := range w.Initial {
		if on {
			fmt.Fprintf(w.b, " (%s)", w.atoms[i])
		}
	}
	if w.Steps > 0 {
		fmt.Fprint(w.b, " (now t0)")
	}
	for t := range w.Steps {
		fmt.Fprintf(w.b, " (after t%d t%d)", t, t+1)
	}
	fmt.Fprint(w.b, ")\n (:goal (and")
	if w.Steps > 0 {
		fmt.Fprintf(w.b, " (now t%d)", w.Steps)
	}
	for _, cases := range w.Goal {
		fmt.Fprint(w.b, w.any(cases))
	}
	fmt.Fprint(w.b, "))\n (:metric minimize (total-cost)))\n")
}
