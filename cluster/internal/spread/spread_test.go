package spread

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/collect"
)

// childVariable is set in the environment of this test as a child process.
const childVariable = "FDPLAN_TEST_CHILD"

// TestMain is also the child process of the workers that tests start. It has kinds of
// units that misbehave.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	kinds["panic"] = func(context.Context, *Env, *request) (*cluster.Outcome, error) { panic("a bug in the unit") }
	kinds["exit"] = func(context.Context, *Env, *request) (*cluster.Outcome, error) { os.Exit(7); return nil, nil }
	kinds["fail"] = func(context.Context, *Env, *request) (*cluster.Outcome, error) {
		return nil, errors.New("there is no such problem")
	}
	kinds["sleep"] = func(ctx context.Context, _ *Env, r *request) (*cluster.Outcome, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	kinds["grow"] = func(ctx context.Context, _ *Env, r *request) (*cluster.Outcome, error) {
		var all [][]byte
		for ctx.Err() == nil {
			all = append(all, bytes.Repeat([]byte{1}, 1<<20))
			time.Sleep(time.Millisecond)
		}
		return &cluster.Outcome{Output: len(all)}, nil
	}
	kinds["pid"] = func(context.Context, *Env, *request) (*cluster.Outcome, error) {
		return &cluster.Outcome{Output: os.Getpid()}, nil
	}
	if err := Serve(context.Background(), &Env{Now: time.Now}, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// children returns a runner whose child processes are this test.
func children(t testing.TB) *Children {
	k := &Children{Command: func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childVariable+"=1")
		return cmd
	}}
	t.Cleanup(k.Close)
	return k
}

// start starts a server with some workers of one slot each, and returns a
// coordinator.
func start(t *testing.T, workers int) *Coordinator {
	t.Helper()
	c, _ := startWarned(t, workers, nil)
	return c
}

// startWarned does the same, and returns the server's address. The clients warn by warn.
func startWarned(t *testing.T, workers int, warn func(string)) (*Coordinator, string) {
	t.Helper()
	srv, err := cluster.Serve(t.Context(), cluster.ServerConfig{Store: t.TempDir(), Listen: "127.0.0.1:0", MaxStore: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	connect := func() *cluster.Client {
		c, err := cluster.Connect(t.Context(), cluster.Options{URL: srv.URL(), Patience: 10 * time.Second, Now: time.Now, Jitter: rand.Float64, Warn: warn})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	for i := range workers {
		c, k := connect(), children(t)
		k.Beside = Beside(c)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		dir := t.TempDir()
		go func() {
			done <- c.Work(ctx, cluster.WorkerConfig{Version: "v", Name: fmt.Sprint("w", i), Slots: 1, Runner: k, Dir: dir, Cache: 1 << 30, Log: func(text string) { t.Log(text) }})
		}()
		t.Cleanup(func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
	s, err := connect().NewSession()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &Coordinator{Session: s, Version: "v"}, srv.URL()
}

// TestMisbehavingUnits runs units that end their process or need too much.
func TestMisbehavingUnits(t *testing.T) {
	c := start(t, 1)
	for _, x := range []struct {
		kind string
		u    cluster.Unit
		want string
	}{
		{"panic", cluster.Unit{}, "a bug in the unit"},
		{"exit", cluster.Unit{}, "3 times, last by exit status 7"},
		{"grow", cluster.Unit{Memory: 256 << 20}, "3 times, last by its memory limit of 256 MiB"},
		{"fail", cluster.Unit{}, "was set aside: there is no such problem"},
		{"nothing", cluster.Unit{}, `there is no kind of unit "nothing"`},
	} {
		u := x.u
		u.Version, u.Kind, u.Args = "v", x.kind, json.RawMessage("{}")
		_, err := c.Session.Do(t.Context(), &u)
		aside := new(cluster.AsideError)
		if !errors.As(err, &aside) || !strings.Contains(err.Error()+aside.Output, x.want) {
			t.Errorf("%s: %v; want %q", x.kind, err, x.want)
		}
	}
}

// TestChildIsKept runs two units in one process, and a third after it was killed.
func TestChildIsKept(t *testing.T) {
	k := children(t)
	u := &cluster.Unit{Version: "v", Kind: "pid", Args: json.RawMessage("{}")}
	pid := func() string {
		out, err := k.Run(t.Context(), 0, u, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return string(out.Output.(json.RawMessage))
	}
	first := pid()
	if again := pid(); again != first {
		t.Errorf("processes %s and %s", first, again)
	}
	k.kids[0].kill()
	<-k.kids[0].Ended
	if again := pid(); again == first {
		t.Error("the process was killed, and goes on")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := k.Run(ctx, 0, &cluster.Unit{Version: "v", Kind: "sleep", Args: json.RawMessage("{}")}, t.TempDir()); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	_, err := k.Run(t.Context(), 0, &cluster.Unit{Version: "v", Kind: "sleep", Args: json.RawMessage("{}"), Time: 1}, t.TempDir())
	if death := new(cluster.DeathError); !errors.As(err, &death) || !strings.Contains(err.Error(), "time limit") {
		t.Error(err)
	}
}

// TestCollect compares the data sets of workers with that of one process.
func TestCollect(t *testing.T) {
	c := start(t, 3)
	for _, x := range []struct {
		ref  load.Ref
		name string
		o    collect.Options
	}{
		{load.Ref{Name: "sysadmin/4"}, "rows.parquet", collect.Options{Rows: 2*collect.PartRows + 777, Seed: 5}},
		{load.Ref{Name: "navigation/3x3"}, "rows.manifest", collect.Options{Rows: collect.PartRows + 1, Seed: 8}},
		{load.Ref{Name: "inventory/2"}, "rows.csv", collect.Options{Rows: 100, Seed: 6, Policy: collect.Restart}},
		{load.Ref{Name: "../../../examples/two-product/task.toml"}, "rows.parquet", collect.Options{Rows: collect.PartRows + 1, Seed: 7}},
	} {
		x.ref.Model, x.ref.Simulate = load.RDDL, true
		p, err := load.Load(t.Context(), x.ref)
		if err != nil {
			t.Fatal(err)
		}
		one, two := filepath.Join(t.TempDir(), x.name), filepath.Join(t.TempDir(), x.name)
		if err := learn.Collect(t.Context(), p, one, x.o); err != nil {
			t.Fatal(err)
		}
		if err := c.Collect(t.Context(), x.ref, two, x.o); err != nil {
			t.Fatalf("%s: %v", x.ref.Name, err)
		}
		if dataset.IsManifest(x.name) {
			for i := range 2 {
				sameFiles(t, dataset.PartName(one, i), dataset.PartName(two, i))
			}
			if d, err := dataset.Read(two); err != nil || d.Rows != x.o.Rows {
				t.Errorf("the parts cannot be read: %v", err)
			}
		}
		sameFiles(t, one, two)
	}
}

// sameFiles compares two files.
func sameFiles(t *testing.T, one, two string) {
	t.Helper()
	text1, err1 := os.ReadFile(one)
	text2, err2 := os.ReadFile(two)
	if err1 != nil || err2 != nil || !bytes.Equal(text1, text2) {
		t.Errorf("%s: %d and %d bytes differ: %v %v", filepath.Base(one), len(text1), len(text2), err1, err2)
	}
}
