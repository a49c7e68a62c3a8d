package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// testLease is short, so that units of workers that vanish are soon delivered again.
const testLease = 300 * time.Millisecond

// start starts a server on a folder of the test's own.
func start(t testing.TB, dir string) *Server {
	t.Helper()
	s, err := Serve(t.Context(), ServerConfig{Store: dir, Listen: "127.0.0.1:0", MaxStore: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// testOptions are those of a client of a test.
func testOptions(url string) Options {
	return Options{URL: url, Name: "test", Patience: 20 * time.Second, Now: time.Now, Jitter: rand.Float64}
}

func connect(t testing.TB, url string) *Client {
	t.Helper()
	c, err := Connect(t.Context(), testOptions(url))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func session(t testing.TB, c *Client) *Session {
	t.Helper()
	s, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	s.look = 500 * time.Millisecond
	t.Cleanup(s.Close)
	return s
}

// runnerFunc is a Runner that is a function.
type runnerFunc func(ctx context.Context, u *Unit, dir string) (*Outcome, error)

func (f runnerFunc) Run(ctx context.Context, _ int, u *Unit, dir string) (*Outcome, error) {
	return f(ctx, u, dir)
}

// work runs a worker until the test ends or the returned function is called.
func work(t testing.TB, c *Client, name string, slots int, r Runner) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	dir := t.TempDir()
	go func() {
		done <- c.Work(ctx, WorkerConfig{Version: "v", Name: name, Slots: slots, Runner: r, Dir: dir, Cache: 1 << 20, Lease: testLease, Drain: time.Second})
	}()
	stop = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() { stop() })
	return stop
}

func unit(n int) *Unit {
	return &Unit{Version: "v", Kind: "test", Args: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n)), Seed: uint64(n)}
}

// square is a Runner that squares n.
func square(_ context.Context, u *Unit, _ string) (*Outcome, error) {
	return &Outcome{Output: u.Seed * u.Seed}, nil
}

func TestManyUnits(t *testing.T) {
	url := start(t, t.TempDir()).URL()
	for i := range 3 {
		work(t, connect(t, url), fmt.Sprint("w", i), 4, runnerFunc(square))
	}
	s := session(t, connect(t, url))
	var all sync.WaitGroup
	for n := range 200 {
		all.Go(func() {
			r, err := s.Do(t.Context(), unit(n))
			if err != nil || string(r.Output) != fmt.Sprint(n*n) {
				t.Errorf("unit %d: %v, %v", n, r, err)
			}
		})
	}
	all.Wait()
	st, err := s.c.Status(t.Context(), 300*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if len(st.Workers) != 3 || st.Done != 200 || st.Waiting != 0 || st.Failed != 0 {
		t.Errorf("status %+v", st)
	}
	var done int64
	for _, w := range st.Workers {
		done += w.Done
	}
	if done != 200 {
		t.Errorf("%d units were run for 200 results", done)
	}
}

// TestStoredResult asks for a result that exists: no worker is needed.
func TestStoredResult(t *testing.T) {
	url := start(t, t.TempDir()).URL()
	var runs atomic.Int64
	stop := work(t, connect(t, url), "w", 1, runnerFunc(func(ctx context.Context, u *Unit, dir string) (*Outcome, error) {
		runs.Add(1)
		return square(ctx, u, dir)
	}))
	s := session(t, connect(t, url))
	for range 2 {
		if _, err := s.Do(t.Context(), unit(3)); err != nil {
			t.Fatal(err)
		}
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	r, err := s.Do(t.Context(), unit(3))
	if err != nil || string(r.Output) != "9" || runs.Load() != 1 {
		t.Errorf("%v, %v after %d runs", r, err, runs.Load())
	}
}

// TestFiles sends contents of several sizes to a worker, which sends them back.
func TestFiles(t *testing.T) {
	url := start(t, t.TempDir()).URL()
	work(t, connect(t, url), "w", 2, runnerFunc(func(_ context.Context, _ *Unit, dir string) (*Outcome, error) {
		text, err := os.ReadFile(filepath.Join(dir, "in", "x"))
		if err != nil {
			return nil, err
		}
		return &Outcome{Output: len(text), Files: []string{"out"}}, os.WriteFile(filepath.Join(dir, "out"), append(text, '!'), 0o666)
	}))
	s := session(t, connect(t, url))
	rng := rand.NewChaCha8([32]byte{1})
	for _, size := range []int{0, 1, chunkSize - 1, chunkSize, chunkSize + 1, 3*chunkSize + 5} {
		text := make([]byte, size)
		rng.Read(text)
		name := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		h, err := s.Add(t.Context(), name)
		if err != nil || h != HashOf(text) {
			t.Fatalf("%d bytes: %v", size, err)
		}
		u := unit(size)
		u.Inputs = map[string]Hash{"in/x": h}
		r, err := s.Do(t.Context(), u)
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		got, err := s.c.Bytes(t.Context(), r.Files["out"], size+1)
		if err != nil || !bytes.Equal(got, append(text, '!')) {
			t.Errorf("%d bytes come back as %d, %v", size, len(got), err)
		}
	}
}

// TestDeaths lets the process of a unit die always, of another one twice.
func TestDeaths(t *testing.T) {
	url := start(t, t.TempDir()).URL()
	var first, second atomic.Int64
	work(t, connect(t, url), "w", 2, runnerFunc(func(ctx context.Context, u *Unit, dir string) (*Outcome, error) {
		if u.Seed == 1 {
			first.Add(1)
			return nil, &DeathError{Reason: "signal: killed", Output: "out of\nmemory\n"}
		}
		if second.Add(1) <= 2 {
			return nil, &DeathError{Reason: "signal: killed"}
		}
		return square(ctx, u, dir)
	}))
	s := session(t, connect(t, url))
	_, err := s.Do(t.Context(), unit(1))
	aside := new(AsideError)
	if !errors.As(err, &aside) || first.Load() != maxDeaths || aside.Output != "out of\nmemory\n" || !strings.Contains(err.Error(), "3 times, last by signal: killed: memory") {
		t.Errorf("%v after %d runs", err, first.Load())
	}
	if r, err := s.Do(t.Context(), unit(2)); err != nil || string(r.Output) != "4" {
		t.Errorf("%v, %v after %d runs", r, err, second.Load())
	}
	st, err := s.c.Status(t.Context(), 100*time.Millisecond)
	if err != nil || st.Failed != 1 || len(st.Aside) != 1 || st.Workers[0].Deaths != maxDeaths+2 {
		t.Errorf("%+v, %v", st, err)
	}
	// A session that asks later has it tried again.
	if _, err := s.Do(t.Context(), unit(1)); !errors.As(err, &aside) || first.Load() != 2*maxDeaths {
		t.Errorf("%v after %d runs", err, first.Load())
	}
}

// TestRefused sends what is no unit.
func TestRefused(t *testing.T) {
	url := start(t, t.TempDir()).URL()
	c := connect(t, url)
	for _, text := range []string{"", "{", `{"version":"v","kind":"test","args":1}`, `{"version":"v","kind":"../x","args":1,"time":0,"memory":0,"seed":0}`,
		`{"version":"v","kind":"test","args":{},"inputs":{"../../etc/passwd":"` + string(HashOf(nil)) + `"},"time":0,"memory":0,"seed":0}`,
		`{"version":"other","kind":"test","args":{},"time":0,"memory":0,"seed":0}`, strings.Repeat(" ", MaxUnit+1)} {
		if _, err := c.js.Publish(t.Context(), unitSubject+"v."+string(HashOf([]byte(text))), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.js.Publish(t.Context(), unitSubject+"v.nohash", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	var ran atomic.Int64
	work(t, connect(t, url), "w", 1, runnerFunc(func(context.Context, *Unit, string) (*Outcome, error) { ran.Add(1); return &Outcome{}, nil }))
	for {
		st, err := c.Status(t.Context(), 100*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if len(st.Workers) == 1 && st.Workers[0].Refused == 8 && st.Waiting+uint64(st.Running) == 0 {
			if st.Failed != 7 || ran.Load() != 0 {
				t.Errorf("%+v, %d run", st, ran.Load())
			}
			break
		}
	}
	for _, u := range []*Unit{{Version: "a b", Kind: "x", Args: json.RawMessage("1")}, {Version: "v", Kind: "X", Args: json.RawMessage("1")}, {Version: "v", Kind: "x"},
		{Version: "v", Kind: "x", Args: json.RawMessage("1"), Time: -1}, {Version: "v", Kind: "x", Args: json.RawMessage("1"), Inputs: map[string]Hash{"a": "b"}}} {
		if _, err := u.ID(); err == nil {
			t.Errorf("%+v is a unit", u)
		}
	}
}

// TestVanished lets a worker take units and vanish, and the server restart on its
// store while units run and wait.
func TestVanished(t *testing.T) {
	dir := t.TempDir()
	srv := start(t, dir)
	url := srv.URL()
	port := strings.TrimPrefix(url, "nats://")
	c := connect(t, url)
	taken := make(chan struct{}, 100)
	work(t, c, "gone", 2, runnerFunc(func(ctx context.Context, _ *Unit, _ string) (*Outcome, error) {
		taken <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	s := session(t, connect(t, url))
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			if r, err := s.Do(t.Context(), unit(n)); err != nil || string(r.Output) != fmt.Sprint(n*n) {
				t.Errorf("unit %d: %v, %v", n, r, err)
			}
		})
	}
	<-taken
	<-taken
	c.nc.Close() // as a killed process would
	var runs atomic.Int64
	work(t, connect(t, url), "w", 2, runnerFunc(func(ctx context.Context, u *Unit, dir string) (*Outcome, error) {
		runs.Add(1)
		time.Sleep(30 * time.Millisecond)
		return square(ctx, u, dir)
	}))
	for runs.Load() < 5 {
		time.Sleep(time.Millisecond)
	}
	srv.Close()
	time.Sleep(200 * time.Millisecond)
	again, err := Serve(t.Context(), ServerConfig{Store: dir, Listen: port, MaxStore: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.Close)
	all.Wait()
}

// TestEmptiedStore replaces the server by one that has lost everything.
func TestEmptiedStore(t *testing.T) {
	srv := start(t, t.TempDir())
	url := srv.URL()
	s := session(t, connect(t, url))
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, []byte("seven"), 0o666); err != nil {
		t.Fatal(err)
	}
	h, err := s.Add(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range 5 {
		all.Go(func() {
			u := unit(n)
			u.Inputs = map[string]Hash{"x": h}
			if r, err := s.Do(t.Context(), u); err != nil || string(r.Output) != `"seven"` {
				t.Errorf("unit %d: %v, %v", n, r, err)
			}
		})
	}
	for {
		st, err := s.c.Status(t.Context(), 0)
		if err == nil && st.Waiting == 5 {
			break
		}
	}
	srv.Close()
	again, err := Serve(t.Context(), ServerConfig{Store: t.TempDir(), Listen: strings.TrimPrefix(url, "nats://"), MaxStore: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.Close)
	work(t, connect(t, url), "w", 2, runnerFunc(func(_ context.Context, _ *Unit, dir string) (*Outcome, error) {
		text, err := os.ReadFile(filepath.Join(dir, "x"))
		return &Outcome{Output: string(text)}, err
	}))
	all.Wait()
}

// TestGivesUp closes a server for good: idle workers, busy ones and sessions end after their
// patience, not before.
func TestGivesUp(t *testing.T) {
	srv := start(t, t.TempDir())
	o := testOptions(srv.URL())
	o.Patience = 500 * time.Millisecond
	began := make(chan struct{})
	ends := make(chan error, 3)
	for i := range 3 {
		c, err := Connect(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		if i == 2 {
			<-began
			s := session(t, c)
			go func() { _, err := s.Do(t.Context(), unit(2)); ends <- err }()
			continue
		}
		dir := t.TempDir()
		go func() {
			ends <- c.Work(t.Context(), WorkerConfig{Version: fmt.Sprint("v", i), Name: "w", Slots: 1, Dir: dir, Lease: testLease, Runner: runnerFunc(func(ctx context.Context, u *Unit, dir string) (*Outcome, error) {
				close(began)
				time.Sleep(300 * time.Millisecond)
				return square(ctx, u, dir)
			})})
		}()
		if i == 0 {
			u := unit(1)
			u.Version = "v0"
			s := session(t, connect(t, srv.URL()))
			go s.Do(t.Context(), u)
		}
	}
	for {
		if st, err := connect(t, srv.URL()).Status(t.Context(), 0); err == nil && st.Waiting == 1 {
			break // the unit that no worker takes
		}
	}
	srv.Close()
	closed := time.Now()
	for range 3 {
		if err := <-ends; !errors.As(err, new(*UnreachableError)) {
			t.Error(err)
		}
		if time.Since(closed) < o.Patience {
			t.Errorf("gave up after %v", time.Since(closed))
		}
	}
}

// TestWithdrawn ends the context of a unit that runs and of one that waits.
func TestWithdrawn(t *testing.T) {
	url := start(t, t.TempDir()).URL()
	began, ended := make(chan struct{}), make(chan struct{})
	work(t, connect(t, url), "w", 1, runnerFunc(func(ctx context.Context, _ *Unit, _ string) (*Outcome, error) {
		close(began)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	}))
	s := session(t, connect(t, url))
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for n := range 2 {
		all.Go(func() {
			if n == 1 {
				<-began
			}
			if _, err := s.Do(ctx, unit(n)); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	<-began
	for {
		if st, err := s.c.Status(t.Context(), 0); err == nil && st.Waiting == 1 {
			break
		}
	}
	cancel()
	all.Wait()
	<-ended
	if st, err := s.c.Status(t.Context(), 0); err != nil || st.Waiting+uint64(st.Running) != 0 {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestOpenAddress refuses to be reached from other machines without TLS and a secret.
func TestOpenAddress(t *testing.T) {
	for _, c := range []struct {
		o    ServerConfig
		want string
	}{
		{ServerConfig{Listen: "0.0.0.0:0"}, "expected TLS"},
		{ServerConfig{Listen: ":4222"}, "expected TLS"},
		{ServerConfig{Listen: "0.0.0.0:0", Cert: "a", Key: "b"}, "expected a token or nkeys"},
		{ServerConfig{Listen: "127.0.0.1:0", Token: "short"}, "easily guessed"},
		{ServerConfig{Listen: "127.0.0.1:0", Cert: "a"}, "expected both files"},
		{ServerConfig{Listen: "127.0.0.1"}, "not an address"},
	} {
		c.o.Store = t.TempDir()
		if _, err := Serve(t.Context(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v; want %q", c.o, err, c.want)
		}
	}
	// On systems without locks nothing prevents a second server on a store.
	dir := t.TempDir()
	start(t, dir)
	if _, err := Serve(t.Context(), ServerConfig{Store: dir, Listen: "127.0.0.1:0"}); runtime.GOOS == "linux" && (err == nil || !strings.Contains(err.Error(), "another server uses it")) {
		t.Error(err)
	}
	for _, url := range []string{"", "http://x", "nats://", "nats://user:secret@localhost:4222"} {
		if _, err := Connect(t.Context(), testOptions(url)); err == nil {
			t.Errorf("%q is an address", url)
		}
	}
}

// TestDamagedObject changes a stored chunk.
func TestDamagedObject(t *testing.T) {
	c := connect(t, start(t, t.TempDir()).URL())
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, make([]byte, 2*chunkSize+1), 0o666); err != nil {
		t.Fatal(err)
	}
	h, err := c.Put(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.objects.Put(t.Context(), chunkKey(HashOf(make([]byte, chunkSize))), []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), h, io.Discard); !errors.Is(err, errDamaged) {
		t.Error(err)
	}
	if err := c.Get(t.Context(), HashOf([]byte("no")), io.Discard); !errors.Is(err, errMissing) {
		t.Error(err)
	}
}
