package simulator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/execution/rddlsim"
	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/sim"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// ErrOver is the error of a reset where a server has ended the session.
var ErrOver = errors.New("the server has ended the session")

// serverPrefix begins the names of RDDLSim servers among simulators.
const serverPrefix = "rddlsim:"

// Server names a server that speaks the protocol of RDDLSim: rddlsim:HOST:PORT or rddlsim:HOST:PORT/INSTANCE.
type Server struct {
	Address  string // HOST:PORT
	Instance string // "" for that of the problem
}

func (s Server) String() string {
	if s.Instance == "" {
		return serverPrefix + s.Address
	}
	return serverPrefix + s.Address + "/" + s.Instance
}

// ParseServer reads the name of a server. It returns false for that of another kind of simulator.
func ParseServer(name string) (s Server, ok bool, err error) {
	rest, ok := strings.CutPrefix(name, serverPrefix)
	if !ok {
		return s, false, nil
	}
	s.Address, s.Instance, _ = strings.Cut(rest, "/")
	at := strings.LastIndexByte(s.Address, ':')
	if port, err := strconv.ParseUint(s.Address[at+1:], 10, 16); at < 1 || err != nil || port == 0 || strings.ContainsAny(name, " \t\n") {
		return s, true, fmt.Errorf("%s is not a server; expected rddlsim:HOST:PORT, such as rddlsim:localhost:2323, or rddlsim:HOST:PORT/INSTANCE", source.Quote(name))
	}
	return s, true, nil
}

// Rddlsim is a System behind a server that speaks the protocol of RDDLSim. Each reset begins a round of the
// session. A round ends when the server says so, in an answer that is terminal and shows no state.
type Rddlsim struct {
	server Server
	client *rddlsim.Client
	calls  int
	dead   error

	p        *factored.Problem
	truth    *Truth                     // nil for none
	known    map[string]int             // its fluents, by the names of action variables
	ignored  map[string]bool            // fluents that the server shows and the problem lacks
	defaults map[string]json.RawMessage // of fluents that the server need not show
	last     *Answer
	round    Round
}

// Round is the present round of a session, or the last one.
type Round struct {
	Number int
	Steps  int
	// End is what the server says of it; nil before its end.
	End *rddlsim.RoundEnd
}

// Connect requests a session of a server. Each answer must come within the timeout; DefaultTimeout if 0. The problem
// is named by Attach. Errors are *ProcessError or ctx's.
func Connect(ctx context.Context, s Server, timeout time.Duration) (*Rddlsim, error) {
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	r := &Rddlsim{server: s}
	var err error
	r.client, err = rddlsim.Dial(ctx, s.Address, s.Instance, timeout)
	var known *rddlsim.Error
	switch {
	case err == nil:
		r.calls++
		return r, nil
	case errors.As(err, &known) && known.Kind == rddlsim.ErrClosed:
		known.Detail += fmt.Sprintf(", as a server does that has no instance %s", source.Printable(s.Instance, maxCommand))
	case known == nil && ctx.Err() == nil:
		return nil, &ProcessError{Kind: ErrConnect, Command: s.String(), Detail: err.Error()}
	}
	return nil, r.failed("session-request", err)
}

// Session is what the server said at the beginning of the session.
func (s *Rddlsim) Session() rddlsim.Session { return s.client.Init }

// Attach names the problem whose variables are observed and set. Of fluents that the server does not show, the
// RDDL, which may be nil, has the defaults. It is an error if the RDDL that the server sent is of another domain.
func (s *Rddlsim) Attach(p *factored.Problem, t *Truth) error {
	s.p, s.truth, s.known, s.ignored, s.defaults = p, t, map[string]int{}, map[string]bool{}, map[string]json.RawMessage{}
	if t == nil {
		return nil
	}
	for _, f := range t.Sim.Actions() {
		if v, ok := p.Find(t.Sim.Problem().Fluents[f].Name); ok {
			s.known[v.Name] = f
		}
	}
	for _, f := range t.Sim.States() {
		fl := &t.Sim.Problem().Fluents[f]
		if v, ok := p.Find(fl.Name); !ok || v.Kind != factored.State {
			s.ignored[fl.Name] = true
		} else {
			s.defaults[v.Name] = valueOf(v, sim.FormatValue(fl, fl.Default))
		}
	}
	return s.sameDomain(t.Sim.Problem().Domain)
}

// sameDomain refuses an instance of another domain.
func (s *Rddlsim) sameDomain(own string) error {
	text := s.Session().Task
	if text == nil {
		return nil
	}
	f, err := rddl.Parse(s.server.String(), text)
	if err != nil {
		return err
	}
	for _, i := range f.Instances {
		if i.Name.Name == s.server.Instance && i.Domain.Name != own {
			return fmt.Errorf("the instance of %s is of the domain %s; expected %s, that of the problem", s.server, i.Domain.Name, own)
		}
	}
	return nil
}

// Info describes the server.
func (s *Rddlsim) Info() Info { return Info{Name: s.server.String()} }

// Round returns the present round, or the last one.
func (s *Rddlsim) Round() Round { return s.round }

// More reports whether the session has a further round.
func (s *Rddlsim) More() bool { return s.client.More() }

// Total is the reward of the session according to the server; nil before its end.
func (s *Rddlsim) Total() *float64 { return s.client.Total() }

// Reset begins the next round. What is left of the present one passes without actions.
func (s *Rddlsim) Reset(ctx context.Context, _ factored.Valuation) (*Answer, error) {
	if s.dead != nil {
		return nil, s.dead
	}
	if err := s.Finish(ctx); err != nil {
		return nil, err
	}
	s.calls++
	t, err := s.client.Round(ctx)
	if errors.Is(err, rddlsim.ErrOver) {
		return nil, ErrOver
	}
	if err != nil {
		return nil, s.failed("round-request", err)
	}
	s.round = Round{Number: s.round.Number + 1}
	if t.End != nil {
		return nil, s.failed("round-request", &rddlsim.Error{Kind: rddlsim.ErrNonsense, Detail: "expected turn, found <round-end>"})
	}
	return s.observed("round-request", t)
}

// Finish lets what is left of a round pass without actions.
func (s *Rddlsim) Finish(ctx context.Context) error {
	for s.client.Inside() {
		if _, err := s.act(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// Step performs a joint action.
func (s *Rddlsim) Step(ctx context.Context, action factored.Valuation) (*Answer, error) {
	if s.dead != nil {
		return nil, s.dead
	}
	if !s.client.Inside() {
		return nil, s.failed("actions", &rddlsim.Error{Kind: rddlsim.ErrClosed, Detail: "the round has ended"})
	}
	t, err := s.act(ctx, s.actions(action))
	if err != nil {
		return nil, err
	}
	return s.observed("actions", t)
}

// actions lists the actions that are not at their default.
func (s *Rddlsim) actions(action factored.Valuation) (list []rddlsim.Action) {
	var values []float64
	if s.truth != nil {
		values = s.truth.Compiled.Values(action)
	}
	for _, v := range s.p.OfKind(factored.Action) {
		if v.Value(action) == v.Default {
			continue
		}
		base, args := split(v.Name)
		a := rddlsim.Action{Name: base, Args: args, Value: fmt.Sprint(v.Show(v.Value(action)))}
		if f, ok := s.known[v.Name]; ok {
			a = rddlsim.Action(rddlsim.Written(s.truth.Sim.Problem(), &s.truth.Sim.Problem().Fluents[f], values[f]))
		}
		list = append(list, a)
	}
	return list
}

// act sends actions.
func (s *Rddlsim) act(ctx context.Context, list []rddlsim.Action) (*rddlsim.Turn, error) {
	s.calls++
	t, err := s.client.Act(ctx, list)
	if err != nil {
		return nil, s.failed("actions", err)
	}
	s.round.Steps++
	s.round.End = t.End
	return t, nil
}

// observed reads a turn. After the last step of a round no state is shown.
func (s *Rddlsim) observed(call string, t *rddlsim.Turn) (*Answer, error) {
	a := &Answer{}
	if s.round.Steps > 0 {
		a.Reward = &t.Reward
	}
	if t.End == nil {
		if err := s.read(a, t.State); err != nil {
			return nil, s.failed(call, &rddlsim.Error{Kind: rddlsim.ErrNonsense, Detail: err.Error()})
		}
		s.last = a
		return a, nil
	}
	if turns := t.End.Turns; turns != nil && *turns < s.round.Steps {
		s.round.Steps = *turns
		return &Answer{Terminal: true, Violation: &Violation{Group: "simulator", Constraint: "the server refused the action and ended the round"}}, nil
	}
	a.State, a.Terminal = s.last.State, true
	for _, v := range s.p.OfKind(factored.State) {
		a.Missing = append(a.Missing, v.Name)
	}
	return a, nil
}

// read reads a state.
func (s *Rddlsim) read(a *Answer, fluents []rddlsim.Fluent) error {
	state := map[string]json.RawMessage{}
	for _, f := range fluents {
		name := f.Ground()
		v, ok := s.p.Find(name)
		switch {
		case !ok && s.ignored[name]:
			continue
		case !ok || v.Kind != factored.State:
			return fmt.Errorf("%s is not a state variable of %s", source.Printable(name, source.MaxLine/2), s.p.Name)
		}
		if _, twice := state[v.Name]; twice {
			return fmt.Errorf("%s has two values", v.Name)
		}
		state[v.Name] = valueOf(v, f.Text())
		if !json.Valid(state[v.Name]) {
			return fmt.Errorf("%s: expected a number or true or false, found %s", v.Name, source.Quote(shorten(f.Text())))
		}
	}
	for name, x := range s.defaults {
		if _, ok := state[name]; !ok {
			state[name] = x
		}
	}
	var last factored.Valuation
	if s.last != nil {
		last = s.last.State
	}
	return readState(s.p, last, false, a, state)
}

// valueOf writes a value of a server as one of a process.
func valueOf(v *factored.Variable, text string) json.RawMessage {
	if !v.Enumeration() {
		return json.RawMessage(text)
	}
	if _, err := v.Named(text); err != nil { // a level of a real, such as 1.0
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			text = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return json.RawMessage(quote(text))
}

// split splits the name of an action in its base and its arguments.
func split(name string) (base string, args []string) {
	base, rest, ok := strings.Cut(name, "(")
	if !ok {
		return name, nil
	}
	return base, strings.Split(strings.TrimSuffix(rest, ")"), ",")
}

// Close ends the session.
func (s *Rddlsim) Close() error {
	if s.dead == nil {
		s.dead = fmt.Errorf("the session of %s is closed", s.server)
	}
	_ = s.client.Close() // of a connection that is broken too
	return nil
}

// failed returns the error that all later calls return too.
func (s *Rddlsim) failed(call string, err error) error {
	var known *rddlsim.Error
	if !errors.As(err, &known) {
		s.dead = fmt.Errorf("the simulator %q was stopped: %w", s.server.String(), err)
		return s.dead
	}
	kind := map[error]error{rddlsim.ErrTimeout: ErrTimeout, rddlsim.ErrClosed: ErrCrash, rddlsim.ErrNonsense: ErrNonsense}[known.Kind]
	s.dead = &ProcessError{Kind: kind, Command: s.server.String(), Call: call, Number: s.calls, Detail: known.Detail}
	return s.dead
}
