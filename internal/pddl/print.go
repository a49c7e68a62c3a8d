package pddl

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// String is an expression as PDDL.
func (e *Expr) String() string {
	var parts []string
	head := e.Op
	switch e.Op {
	case "num":
		return strconv.FormatFloat(e.Num, 'f', -1, 64)
	case "atom", "fn":
		head = e.Name
	case "eq":
		head = "="
	case "forall", "exists":
		parts = append(parts, "("+paramText(e.Vars)+")")
	}
	for _, t := range e.Terms {
		if t.Var {
			parts = append(parts, "?"+t.Name)
		} else {
			parts = append(parts, t.Name)
		}
	}
	for _, x := range e.Args {
		parts = append(parts, x.String())
	}
	return "(" + strings.Join(append([]string{head}, parts...), " ") + ")"
}

// typeText is types as PDDL.
func typeText(types []string) string {
	if len(types) == 1 {
		return types[0]
	}
	return "(either " + strings.Join(types, " ") + ")"
}

func paramText(params []Param) string {
	var parts []string
	for _, p := range params {
		parts = append(parts, "?"+p.Name+" - "+typeText(p.Types))
	}
	return strings.Join(parts, " ")
}

// Text is the domain as PDDL, which ReadDomain reads again. Lines of the comment stand in front.
func (d *Domain) Text(comment ...string) string {
	var b strings.Builder
	for _, line := range comment {
		fmt.Fprintf(&b, "; %s\n", line)
	}
	fmt.Fprintf(&b, "(define (domain %s)\n  (:requirements %s)\n", d.Name, strings.Join(d.requires(), " "))
	if len(d.types) > 0 {
		b.WriteString("  (:types\n")
		for _, t := range d.types {
			fmt.Fprintf(&b, "    %s - %s\n", t, typeText(d.Parent[t]))
		}
		b.WriteString("  )\n")
	}
	if len(d.Constants) > 0 {
		b.WriteString("  (:constants\n")
		for _, c := range d.Constants {
			fmt.Fprintf(&b, "    %s - %s\n", c.Name, typeText(c.Types))
		}
		b.WriteString("  )\n")
	}
	symbolText(&b, ":predicates", d.Predicates, "")
	symbolText(&b, ":functions", d.Functions, " - number")
	for _, x := range d.Derived {
		fmt.Fprintf(&b, "  (:derived (%s)\n    %s)\n", strings.TrimSpace(x.Name+" "+paramText(x.Params)), x.Body)
	}
	for _, a := range d.Actions {
		fmt.Fprintf(&b, "  (:action %s\n    :parameters (%s)\n", a.Name, paramText(a.Params))
		partText(&b, ":precondition", a.Pre)
		partText(&b, ":effect", a.Effect)
		b.WriteString("  )\n")
	}
	b.WriteString(")\n")
	return b.String()
}

// partText writes a condition or an effect, each part of a conjunction on a line.
func partText(b *strings.Builder, name string, e *Expr) {
	if e.Op != "and" || len(e.Args) == 0 {
		fmt.Fprintf(b, "    %s %s\n", name, e)
		return
	}
	fmt.Fprintf(b, "    %s (and\n", name)
	for _, x := range e.Args {
		fmt.Fprintf(b, "      %s\n", x)
	}
	b.WriteString("    )\n")
}

func symbolText(b *strings.Builder, section string, of map[string]*Symbol, suffix string) {
	if len(of) == 0 {
		return
	}
	fmt.Fprintf(b, "  (%s\n", section)
	for _, s := range symbolsOf(of) {
		fmt.Fprintf(b, "    (%s)%s\n", strings.TrimSpace(s.Name+" "+paramText(s.Params)), suffix)
	}
	b.WriteString("  )\n")
}

// symbolsOf lists predicates or functions in the order of their declarations.
func symbolsOf(of map[string]*Symbol) []*Symbol {
	return slices.SortedFunc(maps.Values(of), func(a, b *Symbol) int {
		if a.pos.line != b.pos.line {
			return a.pos.line - b.pos.line
		}
		if a.pos.col != b.pos.col {
			return a.pos.col - b.pos.col
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// requires lists the requirements of what the domain has in it.
func (d *Domain) requires() []string {
	need := map[string]bool{":strips": true, ":typing": true, ":numeric-fluents": len(d.Functions) > 0, ":derived-predicates": len(d.Derived) > 0}
	var walk func(e *Expr, condition bool)
	walk = func(e *Expr, condition bool) {
		switch e.Op {
		case "not":
			need[":negative-preconditions"] = need[":negative-preconditions"] || condition
		case "or", "imply":
			need[":disjunctive-preconditions"] = true
		case "eq":
			need[":equality"] = true
		case "forall":
			need[":universal-preconditions"] = need[":universal-preconditions"] || condition
			need[":conditional-effects"] = need[":conditional-effects"] || !condition
		case "exists":
			need[":existential-preconditions"] = true
		case "when":
			need[":conditional-effects"] = true
			walk(e.Args[0], true)
			walk(e.Args[1], false)
			return
		}
		for _, x := range e.Args {
			walk(x, condition)
		}
	}
	for _, a := range d.Actions {
		walk(a.Pre, true)
		walk(a.Effect, false)
	}
	for _, x := range d.Derived {
		walk(x.Body, true)
	}
	return slices.DeleteFunc(slices.Clone(supported), func(r string) bool { return !need[r] })
}
