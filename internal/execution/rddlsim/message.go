package rddlsim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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
	XMLName xml.Name

	Instance  string    `xml:"instance-name,omitempty"`
	Problem   string    `xml:"problem-name,omitempty"`
	Client    string    `xml:"client-name,omitempty"`
	Language  string    `xml:"input-language,omitempty"`
	NoHeader  *struct{} `xml:"no-header"`
	Execute   string    `xml:"execute-policy,omitempty"`
	Task      string    `xml:"task,omitempty"` // RDDL in base64
	Session   string    `xml:"session-id,omitempty"`
	Rounds    *int      `xml:"num-rounds"`
	Allowed   *float64  `xml:"time-allowed"`
	Round     *int      `xml:"round-num"`
	RoundLeft *int      `xml:"round-left"`
	Reward    *float64  `xml:"round-reward"`
	Used      *int      `xml:"turns-used"`
	Total     *float64  `xml:"total-reward"`
	RoundUsed *int      `xml:"rounds-used"`
	Turn      *int      `xml:"turn-num"`
	Left      *float64  `xml:"time-left"`
	Memory    string    `xml:"memory-left,omitempty"`
	Immediate *float64  `xml:"immediate-reward"`
	Fluents   []Fluent  `xml:"observed-fluent"`
	Blind     *struct{} `xml:"no-observed-fluents"`
	Actions   []Action  `xml:"action"`
}

// Fluent is a fluent with its value, as text.
type Fluent struct {
	Name  string   `xml:"fluent-name"`
	Args  []string `xml:"fluent-arg"`
	Value string   `xml:"fluent-value"`
}

// Action is an action with its value, as text.
type Action struct {
	Name  string   `xml:"action-name"`
	Args  []string `xml:"action-arg"`
	Value string   `xml:"action-value"`
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
	m.XMLName.Local = name
	var b bytes.Buffer
	if !plain {
		b.WriteString(xml.Header)
	}
	if err := xml.NewEncoder(&b).Encode(m); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if !plain {
		b.WriteByte(0)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// reader reads messages one after the other. A message ends with its element, since the zero byte may be missing.
type reader struct {
	r    *bufio.Reader
	left int   // bytes that the present message may still have
	err  error // of reading
}

func newReader(r io.Reader) *reader { return &reader{r: bufio.NewReader(r)} }

// ReadByte is called by the XML decoder, which then reads nothing in advance.
func (r *reader) ReadByte() (b byte, err error) {
	if r.left--; r.left < 0 {
		return 0, nonsensef("a message of more than %d MiB", maxMessage>>20)
	}
	b, r.err = r.r.ReadByte()
	return b, r.err
}

func (r *reader) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

// next reads a message, which must have one of the names. io.EOF means that there is none.
func (r *reader) next(names ...string) (*message, error) {
	if err := r.skip(); err != nil {
		return nil, err
	}
	r.left = maxMessage
	d := xml.NewDecoder(r)
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil } // ASCII is UTF-8 too
	expected := strings.Join(names, " or ")
	for {
		token, err := d.Token()
		if err != nil {
			return nil, r.broken(err, expected)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !slices.Contains(names, start.Name.Local) {
			return nil, nonsensef("expected %s, found <%s>", expected, source.Printable(start.Name.Local, source.MaxLine/2))
		}
		m := &message{}
		if err := d.DecodeElement(m, &start); err != nil {
			return nil, r.broken(err, start.Name.Local)
		}
		return m, nil
	}
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
