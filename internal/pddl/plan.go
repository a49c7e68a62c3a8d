package pddl

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Step is an action of a plan, with its objects.
type Step struct {
	Name string
	Args []string
	pos  pos
}

func (s Step) String() string {
	return "(" + strings.Join(append([]string{s.Name}, s.Args...), " ") + ")"
}

// StepOf is the step that a ground action is.
func StepOf(action string) Step {
	name, rest, _ := strings.Cut(strings.TrimSuffix(action, ")"), "(")
	s := Step{Name: strings.TrimSuffix(name, "'")}
	if rest != "" {
		s.Args = strings.Split(rest, ",")
	}
	return s
}

// IsPlan reports whether a text is a plan in the format of the competitions: steps in brackets, which may have a number before them, and comments.
func IsPlan(text []byte) bool {
	trees, err := parseTrees("", unnumbered(text))
	if err != nil || len(trees) == 0 {
		return err == nil && strings.HasPrefix(strings.TrimSpace(string(text)), ";") // no step, and a comment
	}
	for _, t := range trees {
		if t.head() == "" || t.head() == "define" {
			return false
		}
	}
	return true
}

// unnumbered replaces the numbers before steps, and durations behind them, by blanks.
func unnumbered(text []byte) []byte {
	out := []byte(string(text))
	depth, comment := 0, false
	for i, c := range out {
		switch {
		case c == '\n':
			comment = false
		case comment:
		case c == ';':
			comment = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && (c >= '0' && c <= '9' || c == ':' || c == '.' || c == '[' || c == ']'):
			out[i] = ' '
		}
	}
	return out
}

// ReadPlan reads a plan in the format of the competitions.
func ReadPlan(file string, text []byte) ([]Step, error) {
	trees, err := parseTrees(file, unnumbered(text))
	if err != nil {
		return nil, err
	}
	var out []Step
	for _, t := range trees {
		s := Step{Name: t.head(), pos: t.pos}
		if s.Name == "" {
			return nil, t.errorf("%s is no step; expected (ACTION OBJECT …)", t)
		}
		for _, a := range t.list[1:] {
			if a.open {
				return nil, a.errorf("%s is no object", a)
			}
			s.Args = append(s.Args, a.word)
		}
		out = append(out, s)
	}
	return out, nil
}

// WritePlan writes a plan in the format of the competitions, with its cost as a comment. Where steps have several actions, a comment says where each begins.
func WritePlan(w io.Writer, steps [][]Step, cost float64) error {
	b := bufio.NewWriter(w)
	joint := slices.ContainsFunc(steps, func(s []Step) bool { return len(s) > 1 })
	for i, s := range steps {
		if joint {
			fmt.Fprintf(b, "; step %d\n", i+1)
		}
		for _, a := range s {
			fmt.Fprintln(b, a)
		}
	}
	fmt.Fprintf(b, "; cost = %v\n", cost)
	return b.Flush()
}
