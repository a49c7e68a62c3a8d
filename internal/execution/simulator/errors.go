package simulator

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// The kinds of a ProcessError, for errors.Is.
var (
	ErrStart    = errors.New("cannot be started")
	ErrConnect  = errors.New("cannot be reached")
	ErrTimeout  = errors.New("does not answer")
	ErrCrash    = errors.New("ended")
	ErrNonsense = errors.New("gave an answer that is not understood")
	ErrRefused  = errors.New("reports an error")
)

// The kinds of the other errors, for errors.Is.
var (
	ErrBudget         = errors.New("the budget of simulator steps is used up")
	ErrNonDeterminism = errors.New("the simulator is not deterministic")
	ErrReset          = errors.New("the simulator is not in the state that it was reset to")
	ErrPartial        = errors.New("the simulator does not show the whole state")
)

// ProcessError reports a process that does not work as a simulator, or no longer does.
type ProcessError struct {
	Kind    error  // ErrStart, ErrConnect, ErrTimeout, ErrCrash, ErrNonsense or ErrRefused
	Command string // the command line, or the name of a server
	Call    string // hello, reset, step, or a message to a server; "" before the first call
	Number  int    // of the call, hello being 0
	Detail  string
	Line    string // the answer, if it was the reason
	Stderr  string // the end of what the process wrote to standard error
}

// Is lets errors.Is find the Kind.
func (e *ProcessError) Is(target error) bool { return e.Kind == target }

// Error returns one line, followed by the last lines of the process's standard error.
func (e *ProcessError) Error() string {
	s := fmt.Sprintf("the simulator %q %v", source.Printable(e.Command, maxCommand), e.Kind)
	if e.Call != "" {
		s += fmt.Sprintf(" (call %d, %s)", e.Number, e.Call)
	}
	s += ": " + source.Printable(e.Detail, source.MaxLine/2)
	if e.Line != "" {
		s += fmt.Sprintf(": %q", shorten(e.Line))
	}
	if e.Stderr != "" {
		lines := strings.Split(e.Stderr, "\n")
		lines = lines[max(0, len(lines)-maxStderrLines):]
		s += "\nits standard error ends with\n  " + source.PrintableLines(strings.Join(lines, "\n  "), source.MaxLine)
	}
	return s
}

// maxStderrLines bounds a message; ProcessError.Stderr has more.
const maxStderrLines = 10

// maxCommand bounds the command in a message.
const maxCommand = 100

// shorten cuts a line for a message.
func shorten(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}

// PartialError reports a system that omits required observations.
type PartialError struct {
	What    string   // what requires them
	Missing []string // the variables; empty if the system itself declares to be partial
}

func (e *PartialError) Error() string {
	s := fmt.Sprintf("%v, which %s needs", ErrPartial, e.What)
	if len(e.Missing) > 0 {
		s += "; not observed: " + strings.Join(e.Missing, ", ")
	}
	return s
}

// Is lets errors.Is find ErrPartial.
func (e *PartialError) Is(target error) bool { return target == ErrPartial }

// nonDeterminism reports a system that gave two answers to the same call, as the values that differ. Steps are counted
// over the session, from 1; 0 means a reset.
func (s *Session) nonDeterminism(before *Answer, action factored.Valuation, first, second []Value, firstStep int) error {
	call := "reset"
	if before != nil {
		list := func(values []Value) string { return cmp.Or(joinValues(values), "nothing") }
		call = fmt.Sprintf("action %s in state %s", list(active(s.p, factored.Action, action)), list(active(s.p, factored.State, before.State)))
	}
	return fmt.Errorf("%w: to %s it answered %s (at its step %d) and %s (at its step %d)",
		ErrNonDeterminism, call, joinValues(first), firstStep, joinValues(second), s.used)
}

// contradiction compares two answers to the same call; it returns nil if they agree.
func contradiction(p *factored.Problem, a, b *Answer) (first, second []Value) {
	note := func(name string, x, y any) {
		if x != y {
			first, second = append(first, Value{name, x}), append(second, Value{name, y})
		}
	}
	if a.State != nil && b.State != nil {
		first, second = Differing(p, a, b)
		input := func(x Value) bool { v, ok := p.Lookup(x.Name); return ok && v.Given }
		first, second = slices.DeleteFunc(first, input), slices.DeleteFunc(second, input)
	} else {
		note("taken", a.State != nil, b.State != nil)
	}
	note("out of range", showOutside(a), showOutside(b))
	note("reward", showReward(a), showReward(b))
	note("terminal", a.Terminal, b.Terminal)
	note("violation", showViolation(a), showViolation(b))
	return first, second
}

func showOutside(a *Answer) string {
	if len(a.Outside) == 0 {
		return "none"
	}
	var all []Value
	for _, o := range a.Outside {
		all = append(all, Value{o.Variable, o.Value})
	}
	return joinValues(all)
}

func showReward(a *Answer) any {
	if a.Reward == nil {
		return "none"
	}
	return *a.Reward
}

func showViolation(a *Answer) any {
	if a.Violation == nil {
		return "none"
	}
	return a.Violation.Constraint
}
