package judge

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/execution/simulator"
)

// lamps is a problem that RDDLSim reads too. The recorded session is of it.
const lamps = `domain lamps {
	requirements = { reward-deterministic };
	types { lamp : object; };
	pvariables {
		BRIGHT(lamp) : { non-fluent, real, default = 1.0 };
		lit(lamp) : { state-fluent, bool, default = false };
		dark : { state-fluent, bool, default = true };
		light(lamp) : { action-fluent, bool, default = false };
	};
	cpfs {
		lit'(?l) = if (light(?l)) then KronDelta(true) else if (lit(?l)) then Bernoulli(0.8) else KronDelta(false);
		dark' = KronDelta(~(exists_{?l : lamp} lit(?l)));
	};
	reward = [sum_{?l : lamp} BRIGHT(?l) * lit(?l)] - [sum_{?l : lamp} 0.25 * light(?l)];
}
non-fluents bulbs {
	domain = lamps;
	objects { lamp : {hall, yard}; };
	non-fluents { BRIGHT(yard) = 2.5; };
}
instance lamps_inst__1 {
	domain = lamps;
	non-fluents = bulbs;
	init-state { lit(hall); };
	max-nondef-actions = 1;
	horizon = HORIZON;
	discount = 1.0;
}
`

// lampsFile writes the problem in a folder of its own.
func lampsFile(t *testing.T, horizon int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "lamps.rddl")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(lamps, "HORIZON", fmt.Sprint(horizon))), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// loaded is the problem under another name, determinised.
func loaded(t *testing.T, name string) *load.Problem {
	t.Helper()
	file := filepath.Join(t.TempDir(), "other.rddl")
	text := strings.ReplaceAll(strings.ReplaceAll(lamps, "HORIZON", "6"), "lamps", name)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := load.Load(context.Background(), load.Ref{Source: load.Source{Domain: file, Determinize: "most-likely"}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// playSession runs a session of a server, of the problem that it sends.
func playSession(ctx context.Context, address string, seed uint64) (*execute.EpisodesDocument, error) {
	ref := execute.SimulatorRef{Name: "rddlsim:" + address, Timeout: bind.Duration(20 * time.Second), Seed: seed}
	at, of, err := execute.Join(ctx, ref, load.Ref{Source: load.Source{Determinize: "most-likely"}})
	if err != nil {
		return nil, err
	}
	defer at.Leave()
	p, err := load.Load(ctx, of)
	if err != nil {
		return nil, err
	}
	return execute.Episodes(ctx, p, execute.EpisodesRequest{RunRequest: execute.RunRequest{Engine: "search", Horizon: bind.Steps(3), Seed: seed}, Simulator: at})
}

// replay answers a client as a recorded server did, and refuses other messages than the recorded ones.
func replay(t *testing.T, l net.Listener, file string) <-chan error {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- func() error {
			conn, err := l.Accept()
			if err != nil {
				return err
			}
			defer conn.Close()
			in := bufio.NewReader(conn)
			for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
				message := xml.Header + line[2:] + "\x00"
				if line[0] == '<' {
					if _, err := conn.Write([]byte(message)); err != nil {
						return err
					}
					continue
				}
				if got, err := in.ReadString(0); err != nil || got != message {
					return fmt.Errorf("the client sent %q, %v; want %q", got, err, message)
				}
			}
			return nil
		}()
	}()
	return done
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// TestRecordedSession plays a session that RDDLSim was recorded in.
func TestRecordedSession(t *testing.T) {
	l := listen(t)
	done := replay(t, l, "testdata/rddlsim.txt")
	d, err := playSession(context.Background(), l.Addr().String()+"/lamps_inst__1", 1)
	if said := <-done; said != nil || err != nil {
		t.Fatalf("client: %v, server: %v", err, said)
	}
	if len(d.Episodes) != 2 || d.Episodes[0].Reward.Reward != 8.5 || d.Episodes[1].Reward.Reward != 11.25 || d.Server.Total == nil || *d.Server.Total != 19.75 {
		t.Errorf("episodes %+v, server %+v", d.Episodes, d.Server)
	}
	if d.Server.Session != "1" || d.Server.Rounds != 2 || d.Server.Seconds != 100 || d.Noop != nil || d.Plan.Mean != 9.875 {
		t.Errorf("server %+v, plan %+v", d.Server, d.Plan)
	}
}

// judging starts a server of the lamps and returns its address and its answer.
func judging(ctx context.Context, t *testing.T, r Request) (string, <-chan *Document) {
	t.Helper()
	p, err := load.Load(ctx, load.Ref{Source: load.Source{Domain: lampsFile(t, 6), Model: load.RDDL}, Simulate: true})
	if err != nil {
		t.Fatal(err)
	}
	ready, done := make(chan string, 1), make(chan *Document, 1)
	r.Listen, r.Now = "127.0.0.1:0", time.Now
	r.Ready = func(d *Document) { ready <- d.Address }
	go func() {
		d, err := Serve(ctx, p, r)
		if err != nil {
			t.Error(err)
		}
		done <- d
	}()
	return <-ready, done
}

// TestServe: a session of fdplan's own server has the rewards of episodes of the same seeds in the RDDL, and the
// server's account agrees with the client's.
func TestServe(t *testing.T) {
	ctx := context.Background()
	address, done := judging(ctx, t, Request{Sessions: 2, Rounds: 5, Allowed: time.Minute, Seed: 7})
	p, err := load.Load(ctx, load.Ref{Source: load.Source{Domain: lampsFile(t, 6), Determinize: "most-likely"}})
	if err != nil {
		t.Fatal(err)
	}
	run := execute.RunRequest{Engine: "search", Horizon: bind.Steps(3), Seed: 7}
	want, err := execute.Episodes(ctx, p, execute.EpisodesRequest{RunRequest: run, Episodes: 5, Simulator: execute.SimulatorRef{Name: "rddl", Seed: 7}})
	if err != nil {
		t.Fatal(err)
	}
	sent, err := playSession(ctx, address+"/lamps_inst__1", 7)
	if err != nil {
		t.Fatal(err)
	}
	named, err := execute.Episodes(ctx, p, execute.EpisodesRequest{RunRequest: run, Simulator: execute.SimulatorRef{Name: "rddlsim:" + address, Seed: 7}})
	if err != nil {
		t.Fatal(err)
	}
	server := <-done
	for i, e := range want.Episodes {
		for who, got := range map[string]float64{
			"sent": sent.Episodes[i].Reward.Reward, "named": named.Episodes[i].Reward.Reward,
			"first session": server.Sessions[0].Rounds[i].Reward, "second session": server.Sessions[1].Rounds[i].Reward,
		} {
			if got != e.Reward.Reward {
				t.Errorf("round %d: %s has reward %v, the RDDL %v", i+1, who, got, e.Reward.Reward)
			}
		}
	}
	if s := server.Sessions[0]; s.Mean != want.Plan.Mean || s.Error != want.Plan.Error || s.Total != *sent.Server.Total || s.Says != "" || s.Client != "fdplan" {
		t.Errorf("session %+v, episodes %+v", s, want.Plan)
	}
}

// TestShortRun: what a run leaves of a round passes without actions.
func TestShortRun(t *testing.T) {
	ctx := context.Background()
	address, done := judging(ctx, t, Request{Sessions: 1, Rounds: 2, Allowed: time.Minute})
	p, err := load.Load(ctx, load.Ref{Source: load.Source{Domain: lampsFile(t, 6), Determinize: "most-likely"}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := execute.Episodes(ctx, p, execute.EpisodesRequest{RunRequest: execute.RunRequest{Engine: "search", Horizon: bind.Steps(2), Steps: 2}, Simulator: execute.SimulatorRef{Name: "rddlsim:" + address}})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range (<-done).Sessions[0].Rounds {
		if r.Steps != 6 || d.Episodes[i].Steps != 2 || r.Reward != d.Episodes[i].Reward.Reward {
			t.Errorf("round %+v, episode %+v", r, d.Episodes[i])
		}
	}
}

// TestSessionTime: a session whose time is over ends with its round.
func TestSessionTime(t *testing.T) {
	ctx := context.Background()
	address, done := judging(ctx, t, Request{Sessions: 1, Rounds: 1000000, Allowed: 200 * time.Millisecond})
	d, err := playSession(ctx, address+"/lamps_inst__1", 1)
	if err != nil {
		t.Fatal(err)
	}
	s := (<-done).Sessions[0]
	if s.Says != "the time of 200ms was over" || len(s.Rounds) != len(d.Episodes) || d.Stopped == "" || d.Server.Total == nil || *d.Server.Total != s.Total {
		t.Errorf("server %s, %d rounds, total %v; client %q, %d episodes, %+v", s.Says, len(s.Rounds), s.Total, d.Stopped, len(d.Episodes), d.Server)
	}
}

// TestSessionErrors: errors of servers and of their names are one line, at once.
func TestSessionErrors(t *testing.T) {
	ctx := context.Background()
	address, _ := judging(ctx, t, Request{Rounds: 1, Allowed: time.Minute})
	other := loaded(t, "candles")
	for _, c := range []struct{ name, want string }{
		{"rddlsim:localhost", "expected rddlsim:HOST:PORT"},
		{"rddlsim:localhost:0", "expected rddlsim:HOST:PORT"},
		{"rddlsim::2323", "expected rddlsim:HOST:PORT"},
		{"rddlsim:" + address, "closed the connection, as a server does that has no instance candles_inst__1"},
		{"rddlsim:127.0.0.1:1", "cannot be reached"},
	} {
		_, err := execute.Episodes(ctx, other, execute.EpisodesRequest{RunRequest: execute.RunRequest{Engine: "search"}, Simulator: execute.SimulatorRef{Name: c.name}})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
	_, err := execute.Episodes(ctx, other, execute.EpisodesRequest{RunRequest: execute.RunRequest{Engine: "search"}, Simulator: execute.SimulatorRef{Name: "rddlsim:" + address + "/lamps_inst__1"}})
	if want := "is of the domain lamps; expected candles"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v; want %q", err, want)
	}
	_, _, err = execute.Join(ctx, execute.SimulatorRef{Name: "rddlsim:" + address}, load.Ref{})
	if want := "no problem is named"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v; want %q", err, want)
	}
}

// TestSessionStops: a client of a server that does not answer stops when its context ends, and tells of a timeout.
func TestSessionStops(t *testing.T) {
	l := listen(t)
	p := loaded(t, "lamps")
	q := execute.EpisodesRequest{RunRequest: execute.RunRequest{Engine: "search"}, Simulator: execute.SimulatorRef{Name: "rddlsim:" + l.Addr().String(), Timeout: bind.Duration(50 * time.Millisecond)}}
	if _, err := execute.Episodes(context.Background(), p, q); !errors.Is(err, simulator.ErrTimeout) {
		t.Errorf("%v; want a timeout", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stopped by the test")
	time.AfterFunc(50*time.Millisecond, func() { cancel(stop) })
	q.Simulator.Timeout = bind.Duration(time.Hour)
	if _, err := execute.Episodes(ctx, p, q); !errors.Is(err, stop) {
		t.Errorf("%v; want %v", err, stop)
	}
}

// freePort returns a port that nobody listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// TestRddlsim plays a session of RDDLSim itself. FDPLAN_RDDLSIM is its folder, with bin/ and lib/.
func TestRddlsim(t *testing.T) {
	folder, err := filepath.Abs(os.Getenv("FDPLAN_RDDLSIM"))
	java, missing := exec.LookPath("java")
	if os.Getenv("FDPLAN_RDDLSIM") == "" || err != nil || missing != nil {
		t.Skip("FDPLAN_RDDLSIM names no folder of RDDLSim, or java is not installed")
	}
	jars, err := filepath.Glob(filepath.Join(folder, "lib", "*.jar"))
	if err != nil {
		t.Fatal(err)
	}
	port, file := freePort(t), lampsFile(t, 6)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server := exec.CommandContext(ctx, java, "-Djava.net.preferIPv4Stack=true", "-cp", strings.Join(append(jars, filepath.Join(folder, "bin")), ":"),
		"rddl.competition.Server", filepath.Dir(file), port, "3", "1", "1", "60", t.TempDir(), "0")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "Initialized") {
	}
	d, err := playSession(ctx, "127.0.0.1:"+port+"/lamps_inst__1", 1)
	if err != nil {
		t.Fatal(err)
	}
	var rest strings.Builder
	for lines.Scan() {
		rest.WriteString(lines.Text() + "\n")
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server: %v", err)
	}
	if said := fmt.Sprintf("Accumulated reward: %v", *d.Server.Total); len(d.Episodes) != 3 || !strings.Contains(rest.String(), said) {
		t.Errorf("%d episodes, want 3 and %q; the server said\n%s", len(d.Episodes), said, rest.String())
	}
}

// TestProst has the planner PROST play a session. FDPLAN_PROST is its program prost.py.
func TestProst(t *testing.T) {
	prost, err := filepath.Abs(os.Getenv("FDPLAN_PROST"))
	if os.Getenv("FDPLAN_PROST") == "" || err != nil {
		t.Skip("FDPLAN_PROST names no program")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	address, done := judging(ctx, t, Request{Sessions: 1, Rounds: 2, Allowed: time.Minute, Seed: 1})
	host, port, _ := net.SplitHostPort(address)
	cmd := exec.CommandContext(ctx, prost, "lamps_inst__1", "-h", host, "-p", port, "[Prost -s 1 -se [IPC2014]]")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := (<-done).Sessions[0]
	if want := fmt.Sprintf("TOTAL REWARD: %f", s.Total); len(s.Rounds) != 2 || s.Client != "prost" || !strings.Contains(string(out), want) {
		t.Errorf("session %+v; want %q in\n%s", s, want, out)
	}
}
