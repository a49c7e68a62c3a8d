package rddlsim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/rddl"
	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
)

// TestClientErrors answers a client with what is not the protocol.
func TestClientErrors(t *testing.T) {
	const begin = `<session-init><session-id>1</session-id><num-rounds>2</num-rounds><time-allowed>1000.0</time-allowed></session-init>`
	const round = begin + "\x00<round-init><round-num>1</round-num></round-init>\x00"
	const end = round + `<round-end><round-reward>-1.0</round-reward><immediate-reward>-1.0</immediate-reward></round-end>`
	for _, c := range []struct {
		sent, want string
		kind       error
	}{
		{"", "it closed the connection", ErrClosed},
		{"HTTP/1.1 400 Bad Request\r\n\r\n", `expected XML, found "HTTP/1.1 400 Bad Request"`, ErrNonsense},
		{"<html><body>404</body></html>", "expected session-init, found <html>", ErrNonsense},
		{"<session-init><num-rounds>2</num-rounds>", "in the middle of a message", ErrClosed},
		{"<session-init><num-rounds>2</session-init>", "expected session-init: XML syntax error", ErrNonsense},
		{"<session-init><num-rounds>two</num-rounds></session-init>", `parsing "two": invalid syntax`, ErrNonsense},
		{"<session-init></session-init>", "num-rounds of at least 1", ErrNonsense},
		{"<session-init><num-rounds>0</num-rounds></session-init>", "num-rounds of at least 1", ErrNonsense},
		{"<session-init><task>%</task><num-rounds>1</num-rounds></session-init>", "illegal base64", ErrNonsense},
		{"<session-init>\x01</session-init>", "illegal character", ErrNonsense},
		{begin, "it closed the connection", ErrClosed},
		{begin + "\x00<turn></turn>", "expected round-init or session-end, found <turn>", ErrNonsense},
		{begin + "\x00<session-end></session-end>", "expected session-end to have total-reward", ErrNonsense},
		{begin + "\x00<session-end><total-reward>NaN</total-reward></session-end>", "not finite", ErrNonsense},
		{round + "<round-init/>", "expected turn or round-end, found <round-init>", ErrNonsense},
		{round + "<round-end><round-reward>1</round-reward></round-end>", "expected round-end to have", ErrNonsense},
		{end + "\x00junk", `expected XML, found "junk"`, ErrNonsense},
	} {
		err := played(t, c.sent)
		var known *Error
		if !errors.As(err, &known) || known.Kind != c.kind || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v; want %q", c.sent, err, c.want)
		}
	}
}

// played is the error of a client whose server sends a text and closes the connection.
func played(t *testing.T, text string) error {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = conn.Write([]byte(text))
		_ = conn.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn) // until the client has gone
		conn.Close()
	}()
	c, err := Dial(context.Background(), l.Addr().String(), "x", 10*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		turn, err := c.Round(context.Background())
		for err == nil && turn.End == nil {
			turn, err = c.Act(context.Background(), nil)
		}
		if err != nil {
			return err
		}
	}
}

// FuzzNext reads any bytes as messages: no panic, and an end.
func FuzzNext(f *testing.F) {
	f.Add([]byte("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<turn><turn-num>1</turn-num><observed-fluent><fluent-name>a</fluent-name><fluent-value>true</fluent-value></observed-fluent></turn>\x00"))
	f.Add([]byte("<!DOCTYPE a [<!ENTITY b \"c\">]><turn>&b;</turn>"))
	f.Add([]byte("<turn><turn-num>99999999999999999999</turn-num></turn>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := newReader(bytes.NewReader(data))
		for {
			m, err := r.next(turn, roundEnd)
			if err != nil {
				return
			}
			if m.Name != turn && m.Name != roundEnd {
				t.Fatalf("read <%s>", m.Name)
			}
		}
	})
}

// counter counts what it is told to add.
const counter = `domain counting {
	types { thing : object; mode : { @slow, @fast }; };
	pvariables {
		n : { state-fluent, int, default = 0 };
		way(thing) : { state-fluent, mode, default = @slow };
		add(thing) : { action-fluent, bool, default = false };
		change(thing) : { action-fluent, mode, default = @slow };
	};
	cpfs {
		n' = n + [sum_{?t : thing} add(?t)];
		way'(?t) = change(?t);
	};
	reward = n;
	action-preconditions { n < 3; };
}
instance counting_1 { domain = counting; objects { thing : {a, b}; }; horizon = 3; discount = 0.5; }`

func serving(ctx context.Context, t *testing.T, s *Server, sessions int) (address string, done <-chan []*SessionReport) {
	t.Helper()
	f, err := rddl.Parse("counting.rddl", []byte(counter))
	if err != nil {
		t.Fatal(err)
	}
	g, err := ground.File(ctx, f, "")
	if err != nil {
		t.Fatal(err)
	}
	if s.Sim, err = sim.New(g); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Task, s.Steps, s.Now = []byte(counter), 3, time.Now
	out := make(chan []*SessionReport, 1)
	go func() {
		all, err := s.Serve(ctx, l, sessions)
		if err != nil {
			t.Error(err)
		}
		out <- all
	}()
	return l.Addr().String(), out
}

// TestServer: turns, rewards with the discount, refused and wrong actions.
func TestServer(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name    string
		actions []Action
		states  string // in the turns of the first round
		reward  float64
		broken  string // the rule that ends the round
		says    string // why the session ends
	}{
		{name: "nothing", states: "0 @slow @slow; 0 @slow @slow; 0 @slow @slow; ", reward: 0},
		{name: "one", actions: []Action{{"add", []string{"a"}, "true"}}, states: "0 @slow @slow; 1 @slow @slow; 2 @slow @slow; ", reward: 0 + 0.5*1 + 0.25*2},
		{name: "prefix", actions: []Action{{"add", []string{" $a "}, " true "}}, states: "0 @slow @slow; 1 @slow @slow; 2 @slow @slow; ", reward: 1},
		{name: "enumeration", actions: []Action{{"change", []string{"b"}, "@fast"}}, states: "0 @slow @slow; 0 @slow @fast; 0 @slow @fast; "},
		{name: "refused", actions: []Action{{"add", []string{"a"}, "true"}, {"add", []string{"b"}, "true"}}, states: "0 @slow @slow; 2 @slow @slow; 4 @slow @slow; ", reward: 1, broken: "n < 3"},
		{name: "unknown", actions: []Action{{"ad", []string{"a"}, "true"}}, states: "0 @slow @slow; ", says: `round 1: step 1: an answer that is not understood: there is no action "ad(a)"`},
		{name: "value", actions: []Action{{"add", []string{"a"}, "yes"}}, states: "0 @slow @slow; ", says: "expected true or false"},
		{name: "twice", actions: []Action{{"add", []string{"a"}, "true"}, {"add", []string{"a"}, "false"}}, states: "0 @slow @slow; ", says: "add(a) has two values"},
	} {
		address, done := serving(ctx, t, &Server{Rounds: 2, Allowed: time.Minute}, 1)
		states, reward := playing(t, address, c.actions)
		s := (<-done)[0]
		if states != c.states || c.says == "" && reward != c.reward || !strings.Contains(s.Says, c.says) || c.says == "" && s.Says != "" {
			t.Errorf("%s: states %s, reward %v, %q; want %s, %v, %q", c.name, states, reward, s.Says, c.states, c.reward, c.says)
		}
		if c.says == "" && (len(s.Rounds) != 2 || s.Total != 2*c.reward || !strings.Contains(s.Rounds[0].Broken, c.broken) || c.broken == "" && s.Rounds[0].Broken != "") {
			t.Errorf("%s: %+v; want two rounds of %v, broken %q", c.name, s, c.reward, c.broken)
		}
	}
}

// playing plays the same actions in all turns, and returns the states of the first round and its reward.
func playing(t *testing.T, address string, list []Action) (states string, reward float64) {
	t.Helper()
	ctx := context.Background()
	c, err := Dial(ctx, address, "counting_1", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if string(c.Init.Task) != counter {
		t.Errorf("the task is %q", c.Init.Task)
	}
	for round := 0; c.More(); round++ {
		turn, err := c.Round(ctx)
		for err == nil && turn.End == nil {
			for _, f := range turn.State {
				if round == 0 {
					states += strings.TrimSpace(f.Value) + " "
				}
			}
			if round == 0 {
				states = strings.TrimSpace(states) + "; "
			}
			turn, err = c.Act(ctx, list)
		}
		if err != nil {
			return states, 0
		}
		reward = turn.End.Reward
	}
	if c.Total() == nil {
		t.Error("no total reward at the end")
	}
	return states, reward
}

// TestServerMessages: a client that wants no XML declaration, asks what is left, and sends what is not expected.
func TestServerMessages(t *testing.T) {
	ctx := context.Background()
	address, done := serving(ctx, t, &Server{Rounds: 1, Allowed: time.Minute}, 1)
	for _, c := range []struct{ sent, want string }{
		{"GET / HTTP/1.1\r\n\r\n", ""},
		{"<session-request><problem-name>another</problem-name></session-request>\x00", ""},
		{"<session-request><problem-name>counting_1</problem-name><client-name>x</client-name><no-header/></session-request>\x00" +
			"<resource-request> </resource-request>\x00<round-request/>\x00<resource-request/>\x00<session-request/>\x00",
			"<session-init> <resource-notification> <round-init> <turn> <resource-notification>"},
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte(c.sent)); err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(conn)
		conn.Close()
		var names []string
		for _, part := range bytes.Split(got, []byte("</")) {
			for _, n := range []string{sessionInit, roundInit, turn, resourcesLeft} {
				if bytes.Contains(part, []byte("<"+n+">")) {
					names = append(names, "<"+n+">")
				}
			}
		}
		if s := strings.Join(names, " "); s != c.want || bytes.ContainsAny(got, "\x00?") {
			t.Errorf("%q: %s; want %s, no declaration and no zero byte\n%s", c.sent, s, c.want, got)
		}
	}
	if all := <-done; len(all) != 1 || !strings.Contains(all[0].Says, "expected actions or resource-request, found <session-request>") {
		t.Errorf("sessions %+v", all)
	}
}

// TestServerStops: a server ends at once with its context, also in the middle of a session.
func TestServerStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	address, done := serving(ctx, t, &Server{Rounds: 1, Allowed: time.Hour}, 0)
	c, err := Dial(context.Background(), address, "counting_1", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cancel()
	select {
	case all := <-done:
		if len(all) != 1 || all[0].Says != fmt.Sprint(context.Canceled) {
			t.Errorf("sessions %+v", all)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the server goes on")
	}
}
