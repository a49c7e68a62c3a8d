package rddlsim

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/element"
	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/source"
)

// The names of messages.
const (
	sessionRequest = "session-request"
	sessionInit    = "session-init"
	sessionEnd     = "session-end"
	roundRequest   = "round-request"
	roundInit      = "round-init"
	roundEnd       = "round-end"
	turn           = "turn"
	actions        = "actions"
	resources      = "resource-request"
	resourcesLeft  = "resource-notification"
)

// message is any message: each has some of these elements. Times are in milliseconds.
type message struct {
	Name string

	Instance, Problem, Client, Language             string
	NoHeader                                        bool
	Execute, Task, Session                          string // Task is RDDL in base64
	Rounds, Round, Used, RoundLeft, RoundUsed, Turn *int
	Allowed, Reward, Total                          *float64
	Left, Immediate                                 *float64
	Memory                                          string
	Fluents                                         []Fluent
	Blind                                           bool
	Actions                                         []Action
}

// fields are the elements of a message but for lists, in the order in which RDDLSim has them.
func (m *message) fields() []field {
	return []field{
		{"instance-name", &m.Instance}, {"problem-name", &m.Problem}, {"client-name", &m.Client}, {"input-language", &m.Language},
		{"no-header", &m.NoHeader}, {"execute-policy", &m.Execute}, {"task", &m.Task}, {"session-id", &m.Session}, {"num-rounds", &m.Rounds},
		{"time-allowed", &m.Allowed}, {"round-num", &m.Round}, {"round-left", &m.RoundLeft}, {"round-reward", &m.Reward}, {"turns-used", &m.Used},
		{"total-reward", &m.Total}, {"rounds-used", &m.RoundUsed}, {"turn-num", &m.Turn}, {"time-left", &m.Left}, {"memory-left", &m.Memory},
		{"immediate-reward", &m.Immediate}, {"no-observed-fluents", &m.Blind},
	}
}

// field is an element of a message, with where its value is: in a string, a truth, which an element without a text says, or a number
// that may be missing.
type field struct {
	name string
	at   any
}

// text is the value of a field; false where the message does not have it.
func (f *field) text() (string, bool) {
	switch at := f.at.(type) {
	case *string:
		return *at, *at != ""
	case *bool:
		return "", *at
	case **int:
		if *at != nil {
			return strconv.Itoa(**at), true
		}
	case **float64:
		if *at != nil {
			return strconv.FormatFloat(**at, 'g', -1, 64), true
		}
	}
	return "", false
}

// set reads the value of a field.
func (f *field) set(text string) (err error) {
	number := strings.TrimSpace(text)
	switch at := f.at.(type) {
	case *string:
		*at = text
	case *bool:
		*at = true
	case **int:
		*at = new(int)
		**at, err = strconv.Atoi(number)
	case **float64:
		*at = new(float64)
		**at, err = strconv.ParseFloat(number, 64)
	}
	return err
}

// Fluent is a fluent with its value, as text.
type Fluent struct {
	Name  string
	Args  []string
	Value string
}

// Action is an action with its value, as text.
type Action Fluent

// read reads a fluent or an action from an element whose elements begin with a prefix.
func (f *Fluent) read(prefix string, e *element.Element) {
	for _, x := range e.Elements {
		switch x.Name {
		case prefix + "-name":
			f.Name = x.Text
		case prefix + "-arg":
			f.Args = append(f.Args, x.Text)
		case prefix + "-value":
			f.Value = x.Text
		}
	}
}

// write adds the elements of a fluent or an action.
func (f *Fluent) write(prefix string, e *element.Element) {
	e.Add(prefix+"-name", f.Name)
	for _, a := range f.Args {
		e.Add(prefix+"-arg", a)
	}
	e.Add(prefix+"-value", f.Value)
}

// Ground returns the name with its arguments, as package ground writes it.
func (f *Fluent) Ground() string { return grounded(f.Name, f.Args) }

// Text returns the value without spaces around it.
func (f *Fluent) Text() string { return object(f.Value) }

// actionOf returns the joint action that a list of actions names; all others are at their default.
func actionOf(s *sim.Simulator, list []Action) ([]float64, error) {
	given := map[string]json.RawMessage{}
	for i := range list {
		name := grounded(list[i].Name, list[i].Args)
		if _, twice := given[name]; twice {
			return nil, nonsensef("the action %s has two values", source.Printable(name, source.MaxLine/2))
		}
		given[name] = json.RawMessage(object(list[i].Value))
	}
	action, err := s.ActionNamed(given)
	if err != nil {
		return nil, nonsensef("%s", source.Printable(err.Error(), source.MaxLine/2))
	}
	return action, nil
}

// grounded returns a name with arguments.
func grounded(name string, args []string) string {
	if name = strings.TrimSpace(name); len(args) == 0 {
		return name
	}
	plain := make([]string, len(args))
	for i, a := range args {
		plain[i] = object(a)
	}
	return name + "(" + strings.Join(plain, ",") + ")"
}

// object returns the name of an object or a value without the prefix of objects, $, or of enumerations, @.
func object(s string) string { return strings.TrimLeft(strings.TrimSpace(s), "$@") }

// Written returns a fluent with a value as RDDLSim writes it: values of enumerations begin with @.
func Written(g *ground.Problem, f *ground.Fluent, value float64) Fluent {
	out := Fluent{Name: f.Base, Args: f.Args, Value: sim.FormatValue(f, value)}
	prog := g.Program()
	if prog == nil || prog.PVars[f.Base] == nil {
		return out
	}
	v := prog.PVars[f.Base]
	if v.Type.Kind == rddl.EnumType {
		out.Value = "@" + out.Value
	}
	for i, t := range v.ParamTypes {
		if t.Kind == rddl.EnumType {
			out.Args = slices.Clone(out.Args)
			out.Args[i] = "@" + out.Args[i]
		}
	}
	return out
}

// maxMessage bounds the bytes of a message.
const maxMessage = 64 << 20

// write sends a message, all of it in one write. A client can ask for messages without XML declaration, and
// then RDDLSim omits the zero byte too.
func write(w io.Writer, m *message, name string, plain bool) error {
	e := &element.Element{Name: name}
	for _, f := range m.fields() {
		if text, ok := f.text(); ok {
			e.Add(f.name, text)
		}
	}
	for i := range m.Fluents {
		m.Fluents[i].write("fluent", e.Add("observed-fluent", ""))
	}
	for i := range m.Actions {
		(*Fluent)(&m.Actions[i]).write("action", e.Add("action", ""))
	}
	if plain {
		_, err := w.Write(e.Append(nil))
		return err
	}
	_, err := w.Write(append(e.Append([]byte(header)), 0))
	return err
}

// header is the XML declaration.
const header = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// reader reads messages one after the other. A message ends with its element, since the zero byte may be missing.
type reader struct {
	r    *bufio.Reader
	left int   // bytes that the present message may still have
	err  error // of reading
}

func newReader(r io.Reader) *reader { return &reader{r: bufio.NewReader(r)} }

// ReadByte reads a byte of the present message.
func (r *reader) ReadByte() (b byte, err error) {
	if r.left--; r.left < 0 {
		return 0, nonsensef("a message of more than %d MiB", maxMessage>>20)
	}
	b, r.err = r.r.ReadByte()
	return b, r.err
}

// next reads a message, which must have one of the names. io.EOF means that there is none.
func (r *reader) next(names ...string) (*message, error) {
	if err := r.skip(); err != nil {
		return nil, err
	}
	r.left = maxMessage
	expected := strings.Join(names, " or ")
	e, err := element.Read(r, func(name string, depth int) error {
		if depth == 0 && !slices.Contains(names, name) {
			return nonsensef("expected %s, found <%s>", expected, source.Printable(name, source.MaxLine/2))
		}
		if depth == 0 {
			expected = name
		}
		return nil
	})
	if errors.As(err, new(*Error)) && r.err == nil {
		return nil, err
	}
	m := &message{}
	if err == nil {
		err = m.read(e)
	}
	if err != nil {
		return nil, r.broken(err, expected)
	}
	return m, nil
}

// read takes what is known of an element.
func (m *message) read(e *element.Element) error {
	m.Name = e.Name
	places := map[string]field{}
	for _, f := range m.fields() {
		places[f.name] = f
	}
	for _, x := range e.Elements {
		f := Fluent{}
		switch x.Name {
		case "observed-fluent":
			f.read("fluent", x)
			m.Fluents = append(m.Fluents, f)
		case "action":
			f.read("action", x)
			m.Actions = append(m.Actions, Action(f))
		default:
			if f, ok := places[x.Name]; ok {
				if err := f.set(x.Text); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// broken describes an error in the middle of a message.
func (r *reader) broken(err error, expected string) error {
	switch {
	case errors.Is(r.err, io.EOF):
		return io.ErrUnexpectedEOF
	case r.err != nil:
		return r.err
	}
	return nonsensef("expected %s: %s", expected, source.Printable(err.Error(), source.MaxLine/2))
}

// skip skips what is between messages and checks that XML follows.
func (r *reader) skip() error {
	for {
		b, err := r.r.ReadByte()
		switch {
		case err != nil:
			return err
		case b == 0 || b == ' ' || b == '\n' || b == '\r' || b == '\t':
			continue
		case b == '<':
			return r.r.UnreadByte()
		}
		found := []byte{b}
		if n := r.r.Buffered(); n > 0 {
			more, _ := r.r.Peek(min(n, 60))
			found = append(found, more...)
		}
		line, _, _ := strings.Cut(string(found), "\n")
		return nonsensef("expected XML, found %s", source.Quote(strings.TrimSpace(line)))
	}
}
