package simulator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/problem/factored"
)

// TestFaults: each fault of a process in the middle of a plan is a specific error, and ends
// the process.
func TestFaults(t *testing.T) {
	p := counter(t)
	for _, c := range []struct {
		mode    string
		kind    error
		message string
	}{
		{"garbage", ErrNonsense, `(call 3, step): invalid character 'W'`},
		{"list", ErrNonsense, "cannot unmarshal array"},
		{"no-state", ErrNonsense, `expected a "state"`},
		{"wrong-id", ErrNonsense, `expected "id":3, the request's`},
		{"no-id", ErrNonsense, `expected "id":3, the request's: "{\"state\"`},
		{"missing", ErrNonsense, "on is missing from the state"},
		{"unknown", ErrNonsense, "y is not a state variable of counter"},
		{"action", ErrNonsense, "inc is not a state variable of counter"},
		{"twice", ErrNonsense, "on has two values"},
		{"text", ErrNonsense, `on: expected true or false, found "yes"`},
		{"typo", ErrNonsense, `unknown field "terminated"`},
		{"two", ErrNonsense, "expected one JSON object a line"},
		{"nameless", ErrNonsense, `expected a violation to name its "constraint"`},
		{"listed", ErrNonsense, "the value of x: expected true, false, a number or a name, found [1]"},
		{"nan", ErrNonsense, "invalid character 'N'"},
		{"endless", ErrNonsense, "a line of more than 16 MiB"},
		{"refuses", ErrRefused, "reports an error (call 3, step): the robot has left the building"},
		{"crashes", ErrCrash, "ended (call 3, step): exit status 3\nits standard error ends with\n  line 20\n"},
		{"leaves", ErrCrash, "ended (call 3, step): exit status 0"},
		{"killed", ErrCrash, "signal: killed"},
		{"mute", ErrCrash, "it closed its standard input or output"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			s := begin(t, p, c.mode)
			began := time.Now()
			_, err := NewSession(p, s, Options{}).Replay(context.Background(), nil, actions(t, p, "inc", "inc", "toggle"))
			var e *ProcessError
			if !errors.As(err, &e) || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.message) || e.Number != 3 || e.Call != "step" {
				t.Fatalf("got %v", err)
			}
			if _, again := s.Step(context.Background(), valuation(t, p, "inc")); again != err {
				t.Errorf("asked again: %v", again)
			}
			s.Close()
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("it took %v", took) // the helper sleeps a minute
			}
		})
	}
}

// TestBadStarts starts processes that fail as simulators from the beginning.
func TestBadStarts(t *testing.T) {
	p := counter(t)
	for _, c := range []struct {
		command, message string
		kind             error
	}{
		{"/nonexistent/simulator", "cannot be started: ", ErrStart},
		{"no-such-program-anywhere", "executable file not found", ErrStart},
		{"", "the command is empty", ErrStart},
		{"python3 'x", "a quote ' is not closed", ErrStart},
		{command(t, "version"), `(call 0, hello): expected "version":1`, ErrNonsense},
		{command(t, "sometimes"), `expected "resets" to be "initial" or "any"`, ErrNonsense},
		{command(t, "dies-at-once"), "exit status 1\nits standard error ends with\n  no module named gym", ErrCrash},
	} {
		s, err := Start(context.Background(), p, c.command, ProcessOptions{Grace: 300 * time.Millisecond})
		if s != nil || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%q: got %v", c.command, err)
		}
	}
}

func TestTimeout(t *testing.T) {
	p := counter(t)
	s, err := Start(context.Background(), p, command(t, "silent"), ProcessOptions{Timeout: 2 * time.Second, Grace: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = NewSession(p, s, Options{}).Replay(context.Background(), nil, actions(t, p, "inc", "inc"))
	const want = "does not answer (call 3, step): nothing came within 2s\nits standard error ends with\n  thinking"
	if !errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// TestContextEnds: in the middle of a call, and before one.
func TestContextEnds(t *testing.T) {
	p := counter(t)
	why := errors.New("enough")
	for _, mode := range []string{"silent", "moody"} {
		ctx, cancel := context.WithCancelCause(context.Background())
		s, err := Start(ctx, p, command(t, mode), ProcessOptions{Grace: 300 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Reset(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if mode == "silent" {
			if _, err := s.Step(ctx, valuation(t, p, "inc")); err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(50*time.Millisecond, func() { cancel(why) })
		} else {
			cancel(why)
		}
		if _, err := s.Step(ctx, valuation(t, p, "inc")); !errors.Is(err, why) {
			t.Errorf("%s: got %v", mode, err)
		}
		select {
		case <-s.child.Ended: // without Close
		case <-time.After(10 * time.Second):
			t.Errorf("%s: the process goes on", mode)
		}
		s.Close()
	}
}

// TestClose: processes that end by themselves, that do not, and that leave others behind; no
// group remains.
func TestClose(t *testing.T) {
	p := counter(t)
	for mode, grace := range map[string]time.Duration{"moody": 20 * time.Second, "stubborn": 300 * time.Millisecond, "parent": 300 * time.Millisecond} {
		s, err := Start(context.Background(), p, command(t, mode), ProcessOptions{Grace: grace})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for range 2 {
			if err := s.Close(); err != nil {
				t.Errorf("%s: %v", mode, err)
			}
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: closing took %v", mode, took)
		}
		if _, err := s.Reset(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "is closed") {
			t.Errorf("%s: a closed process answers: %v", mode, err)
		}
		if killed := s.child.Err != nil; killed && mode == "moody" || !killed && mode == "stubborn" {
			t.Errorf("%s: ended with %v", mode, s.child.Err)
		}
	}
}

// TestAnswers reads the answers that a correct process may give.
func TestAnswers(t *testing.T) {
	p := counter(t)
	ctx := context.Background()
	s := begin(t, p, "numbers", "rewards", "goal", "any", "ends")
	if got := s.Info(); got != (Info{Name: "counter", AnyState: true}) {
		t.Errorf("info %+v", got)
	}
	a, err := s.Reset(ctx, valuation(t, p, "x=1 on"))
	if err != nil || len(a.Missing) != 0 || p.Variables[0].Value(a.State) != 1 || !a.State[3] || a.Reward != nil || a.Terminal || a.Goal != nil {
		t.Fatalf("reset: %+v, %v", a, err)
	}
	a, err = s.Step(ctx, valuation(t, p, "inc"))
	if err != nil || p.Variables[0].Value(a.State) != 2 || *a.Reward != 1 || !a.Terminal || a.Goal.Holds || a.Violation != nil {
		t.Fatalf("step: %+v, %v", a, err)
	}
	partial := begin(t, p, "partial", "deterministic")
	a, err = partial.Reset(ctx, nil)
	if err != nil || strings.Join(a.Missing, " ") != "on" || !partial.Info().Partial || !partial.Info().Deterministic {
		t.Errorf("partial: %+v, %v", a, err)
	}
	judges := begin(t, p, "judges")
	if _, err := judges.Reset(ctx, nil); err != nil {
		t.Fatal(err)
	}
	a, err = judges.Step(ctx, valuation(t, p, "inc toggle"))
	const want = "step 4: the simulator constraint one thing at a time fails; inc=true, toggle=1, x=2.5"
	if err != nil || a.State != nil || a.Violation.After || a.Violation.Text(4) != want {
		t.Errorf("refused: %+v, %v", a, err)
	}
	outside := begin(t, p, "range")
	if _, err := outside.Reset(ctx, nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if a, err = outside.Step(ctx, valuation(t, p, "inc")); err != nil {
			t.Fatal(err)
		}
	}
	if len(a.Outside) != 1 || a.Outside[0].String() != "step 0, x: 9, expected 0..7; taken for 7" || p.Variables[0].Value(a.State) != 7 || a.Violation != nil {
		t.Errorf("outside the range: %+v", a)
	}
	outside = begin(t, p, "range")
	if _, err := outside.Reset(ctx, nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if a, err = outside.Step(ctx, valuation(t, p, "inc")); err != nil {
			t.Fatal(err)
		}
		p.Variables[0].Ends = true // of 1..6
	}
	if a.Violation == nil || a.Violation.Text(2) != "step 2: x is 9, outside of 1..6, where the run ends" {
		t.Errorf("a run that ends: %+v, %v", a, err)
	}
}

// TestShownLags: a process knows nothing of lags, which follow from what it showed and what was done.
func TestShownLags(t *testing.T) {
	p := counter(t)
	for _, v := range []factored.Variable{
		{Name: "x1", Kind: factored.State, Hi: 7, Lag: factored.Lag{Of: "x", By: 1}}, {Name: "x2", Kind: factored.State, Hi: 7, Lag: factored.Lag{Of: "x", By: 2}},
		{Name: "inc1", Kind: factored.State, Bool: true, Lag: factored.Lag{Of: "inc", By: 1}},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.ConnectLags(nil); err != nil {
		t.Fatal(err)
	}
	s := begin(t, p, "any")
	shown := func(a *Answer, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, name := range []string{"x", "x1", "x2", "inc1"} {
			v, _ := p.Lookup(name)
			out = append(out, fmt.Sprint(v.Value(a.State)))
		}
		return strings.Join(out, " ")
	}
	ctx := context.Background()
	for _, c := range []struct{ got, want string }{
		{shown(s.Reset(ctx, valuation(t, p, "x=4 x1=3 x2=1 inc1"))), "4 3 1 1"},
		{shown(s.Step(ctx, valuation(t, p, "inc"))), "5 4 3 1"},
		{shown(s.Step(ctx, valuation(t, p, "toggle"))), "5 5 4 0"},
		{shown(s.Reset(ctx, nil)), "0 0 0 0"},
		{shown(s.Step(ctx, valuation(t, p, "inc"))), "1 0 0 1"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

// TestRequests checks the requests against the specification.
func TestRequests(t *testing.T) {
	if _, err := os.Stat("/dev/stdin"); err != nil {
		t.Skip("there is no /dev/stdin")
	}
	p := counter(t)
	log := t.TempDir() + "/log"
	// The last answer is to the reset; the log has what came in.
	s, err := Start(context.Background(), p, `sh -c 'read a; echo "$a" > `+log+`; echo "{\"id\":0,\"version\":1}"; read a; echo "$a" >> `+log+
		`; echo "{\"id\":1,\"state\":{\"x\":5,\"on\":true}}"; read a; echo "$a" >> `+log+`; echo "{\"id\":2,\"state\":{\"x\":5,\"on\":true}}"'`, ProcessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Reset(context.Background(), valuation(t, p, "x=5 on")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Step(context.Background(), valuation(t, p, "toggle")); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(log)
	const want = `{"id":0,"call":"hello","version":1,"problem":"counter","states":[{"name":"x","type":"int","lo":0,"hi":7},{"name":"on","type":"bool"}],"actions":[{"name":"inc","type":"bool"},{"name":"toggle","type":"bool"}]}
{"id":1,"call":"reset","state":{"x":5,"on":true}}
{"id":2,"call":"step","action":{"inc":false,"toggle":true}}
`
	if err != nil || string(got) != want {
		t.Errorf("got\n%s%v", got, err)
	}
}
