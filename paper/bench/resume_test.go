//go:build unix

package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/source"
)

// records reads a journal's lines.
func records(t *testing.T, dir string) []journal.Record {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, journal.Name))
	if err != nil {
		t.Fatal(err)
	}
	var out []journal.Record
	for line := range bytes.Lines(data) {
		var r journal.Record
		if err := json.Unmarshal(line, &r); err != nil || !bytes.HasSuffix(line, []byte("\n")) {
			t.Fatalf("%v in %q", err, line)
		}
		out = append(out, r)
	}
	return out
}

// ids are the runs of a journal, without the sessions.
func ids(records []journal.Record) []string {
	var out []string
	for _, r := range records {
		if r.Kind != journal.KindMachine {
			out = append(out, r.ID)
		}
	}
	return out
}

// TestKilled kills a bench, with a signal that no process can handle, at random moments, and
// resumes it until it ends. The journal has the runs of an uninterrupted bench, in the same
// order and each once. Sometimes the last line is also left incomplete.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	whole := t.TempDir()
	if _, err := Run(context.Background(), fakeConfig(whole, "ok")); err != nil {
		t.Fatal(err)
	}
	want := ids(records(t, whole))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	rng := rand.New(rand.NewPCG(1, 2))
	kills, torn := 0, 0
	for {
		cmd := exec.Command(self, dir)
		cmd.Env = append(os.Environ(), fakeMode+"=bench", fakeLog+"="+log)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		killed := false
		select {
		case err = <-done:
		case <-time.After(time.Duration(200+kills*40+rng.IntN(400)) * time.Millisecond):
			killed = cmd.Process.Kill() == nil
			err = <-done
		}
		if err == nil {
			break
		}
		if !killed {
			t.Fatalf("%v: %s", err, stderr.String())
		}
		if kills++; kills%2 == 0 {
			torn++
			f, err := os.OpenFile(filepath.Join(dir, journal.Name), os.O_APPEND|os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteString(`{"schema":1,"kind":"plan","id":"engi`)
				f.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if kills == 0 {
		t.Error("it was never killed")
	}
	got := ids(records(t, dir))
	if !slices.Equal(got, want) {
		t.Errorf("%d runs after %d kills\n%s\nnot %d\n%s", len(got), kills, strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
	}
	// Runs with a line were not repeated: only interrupted ones were.
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	subprocesses := 0
	for _, r := range records(t, dir) {
		if len(r.Args) > 0 && r.Same == "" {
			subprocesses++
		}
	}
	if n := bytes.Count(text, []byte("\n")); n > subprocesses+kills {
		t.Errorf("%d subprocesses for %d runs and %d kills", n, subprocesses, kills)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, scratchPrefix+"*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	t.Logf("%d kills, %d unfinished lines", kills, torn)
}

// TestParallel checks that runs made in parallel are the same, each once.
func TestParallel(t *testing.T) {
	var lists [2][]string
	for i, n := range []int{1, 4} {
		dir := t.TempDir()
		c := fakeConfig(dir, "ok")
		c.Parallel = n
		reports := 0
		last := Progress{}
		c.Progress = func(p Progress) { reports, last = reports+1, p }
		s, err := Run(context.Background(), c)
		if err != nil || s.Done != s.Jobs || reports != 2*s.Jobs || last.Done != s.Jobs || last.Left != 0 {
			t.Errorf("%+v %v, %d reports, the last %+v", s, err, reports, last)
		}
		lists[i] = ids(records(t, dir))
		slices.Sort(lists[i])
	}
	if !slices.Equal(lists[0], lists[1]) {
		t.Errorf("%v\nnot\n%v", lists[1], lists[0])
	}
}

// TestCopied checks that a run that two tables need is made once.
func TestCopied(t *testing.T) {
	dir := t.TempDir()
	if _, err := Run(context.Background(), fakeConfig(dir, "ok")); err != nil {
		t.Fatal(err)
	}
	by := map[string]journal.Record{}
	copies := 0
	for _, r := range records(t, dir) {
		by[r.ID] = r
		if r.Same == "" {
			continue
		}
		copies++
		first, ok := by[r.Same]
		r.ID, r.Table, r.Planner, r.Same = first.ID, first.Table, first.Planner, ""
		if !ok || !reflect.DeepEqual(first, r) {
			t.Errorf("%+v is no copy of %+v", r, first)
		}
	}
	if copies != len(QuickEncodings()) {
		t.Errorf("%d copies", copies)
	}
}

// TestRepeated checks that short runs are repeated, and long ones are not.
func TestRepeated(t *testing.T) {
	for mode, want := range map[string]int{"ok": 3, "long": 1} {
		c := fakeConfig(t.TempDir(), mode)
		c.Tables, c.Engines, c.Repeats, c.Parallel = []string{"engines"}, []string{"maxsat"}, 1, 8
		if mode == "ok" {
			c.RepeatBelow = time.Minute // whatever else the machine does
		}
		one, err := Run(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		c.Repeats = 3
		s, err := Run(context.Background(), c)
		if err != nil || s.Jobs != 3*one.Jobs || s.Before+s.Done != s.Jobs || s.Stopped != "" {
			t.Errorf("%s: %+v, %v", mode, s, err)
		}
		if got := len(ids(records(t, c.Dir))); got != want*one.Jobs {
			t.Errorf("%s: %d runs, expected %d of each of %d", mode, got, want, one.Jobs)
		}
	}
}

// TestDisturbed checks that runs which waited for a core are made three times and get no line,
// and that a later bench makes them.
func TestDisturbed(t *testing.T) {
	c := fakeConfig(t.TempDir(), "long")
	c.Tables, c.Engines, c.Parallel, c.MaxLoad = []string{"engines"}, []string{"blp"}, 8, 1.15
	c.Env = append(c.Env, fakeLog+"="+filepath.Join(c.Dir, "log"))
	s, err := Run(context.Background(), c)
	if err != nil || s.Jobs != len(QuickBLP()) || s.Busy != s.Jobs || s.Done != 0 || !strings.Contains(s.Stopped, "7 without a line") {
		t.Errorf("%+v, %v", s, err)
	}
	log, err := os.ReadFile(filepath.Join(c.Dir, "log"))
	if n := strings.Count(string(log), "\n"); err != nil || n != attempts*s.Jobs {
		t.Errorf("%d runs, %v; expected %d of each", n, err, attempts)
	}
	c.Env, c.MaxLoad = append(c.Env, fakeMode+"=ok"), 1000 // whatever else is at work here
	if s, err = Run(context.Background(), c); err != nil || s.Done != s.Jobs || s.Stopped != "" {
		t.Errorf("the second time: %+v, %v", s, err)
	}
	for _, r := range records(t, c.Dir) {
		if r.Kind == journal.KindPlan && (r.Clock != journal.ClockCPU || r.CPU <= 0) {
			t.Errorf("%s counts by %q, %g s of CPU", r.ID, r.Clock, r.CPU)
		}
	}
}

// TestImplied checks that Algorithm 1 is not run where there was no first plan, under the
// same limits, and that the line tells so.
func TestImplied(t *testing.T) {
	for mode, want := range map[string]bool{"unknown": true, "ok": false, "infeasible": false} {
		c := fakeConfig(t.TempDir(), mode)
		c.Tables, c.Engines, c.Parallel = []string{"engines", "incremental"}, []string{"maxsat"}, 1
		if _, err := Run(context.Background(), c); err != nil {
			t.Fatal(err)
		}
		plain := map[string]journal.Record{}
		implied := 0
		for _, r := range records(t, c.Dir) {
			plain[r.ID] = r
			if r.Implied == "" {
				continue
			}
			implied++
			p := plain[r.Implied]
			if p.ID == "" || p.Landmarks != "" || r.Landmarks == "" || p.Problem != r.Problem || p.Horizon != r.Horizon || r.Status != statusUnknown || r.Seconds != p.Seconds {
				t.Errorf("%+v is implied by %+v", r, p)
			}
		}
		if (implied > 0) != want {
			t.Errorf("%s: %d runs are implied", mode, implied)
		}
	}
}

// TestResumed checks that errors are repeated, other results kept, and runs that a limit
// ended repeated only under a longer limit.
func TestResumed(t *testing.T) {
	dir := t.TempDir()
	session := func(mode string, limit time.Duration) *Summary {
		t.Helper()
		c := fakeConfig(dir, mode)
		c.Tables, c.Engines, c.TimeLimit = []string{"engines"}, []string{"search"}, limit
		s, err := Run(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	n := len(bundled.Published())
	for _, step := range []struct {
		mode         string
		limit        time.Duration
		before, done int
		status       string
	}{
		{"usage", 5 * time.Second, 0, n, "error"},
		{"unknown", 5 * time.Second, 0, n, "unknown"},
		{"ok", 5 * time.Second, n, 0, "unknown"},
		{"ok", 6 * time.Second, 0, n, "optimal"},
		{"usage", 6 * time.Second, n, 0, "optimal"},
		{"usage", 7 * time.Second, n, 0, "optimal"},
	} {
		s := session(step.mode, step.limit)
		if s.Before != step.before || s.Done != step.done || s.Status[step.status] != n || s.Jobs != n || s.Stopped != "" {
			t.Errorf("%s, %v: %+v", step.mode, step.limit, s)
		}
	}
	sessions := 0
	for _, r := range records(t, dir) {
		if r.Kind == journal.KindMachine {
			sessions++
		}
	}
	if sessions != 3 {
		t.Errorf("%d sessions", sessions)
	}
}

// TestInterrupted checks that a bench stops soon when told to, leaves no line of the run in
// progress, and reports the reason.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	cause := errors.New("somebody said so")
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(300*time.Millisecond, func() { cancel(cause) })
	c := fakeConfig(dir, "hang")
	c.Engines = []string{"search"}
	began := time.Now()
	s, err := Run(ctx, c)
	if err != nil || s.Done != 0 || s.Stopped != cause.Error() {
		t.Errorf("%+v, %v", s, err)
	}
	if time.Since(began) > 20*time.Second {
		t.Error("it does not stop")
	}
	if got := ids(records(t, dir)); len(got) > 0 {
		t.Errorf("lines of %v", got)
	}
	// Likewise when the time for the whole is over.
	c = fakeConfig(dir, "slow")
	c.Engines, c.Total = []string{"search"}, 200*time.Millisecond
	if s, err = Run(context.Background(), c); err != nil || s.Stopped == "" || s.Done >= s.Jobs {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestJournal(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, journal.Name)
	j, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(dir); !errors.Is(err, journal.ErrBusy) {
		t.Errorf("opened twice: %v", err)
	}
	for _, status := range []string{"error", "optimal"} {
		if err := j.Append(&journal.Record{ID: "a", Status: status}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	// Wherever the last line ends, what is before it is kept, and appending continues behind
	// that.
	first := bytes.IndexByte(text, '\n') + 1
	for cut := first; cut <= len(text); cut += 7 {
		if err := os.WriteFile(name, text[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		j, err := journal.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if r := j.Last("a"); r == nil || r.Status != "error" || j.Torn != cut-first {
			t.Errorf("cut at %d: %+v, %d bytes torn", cut, r, j.Torn)
		}
		if err := j.Append(&journal.Record{ID: "b"}); err != nil {
			t.Fatal(err)
		}
		j.Close()
		if got := ids(records(t, dir)); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("cut at %d: %v", cut, got)
		}
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if j, err = journal.Open(dir); err != nil || j.Last("a").Status != "optimal" {
		t.Errorf("the later line does not count: %v", err)
	}
	j.Close()
	for _, bad := range []string{"hello\n", `{"schema":2,"id":"a"}` + "\n", `{"schema":1}` + "\n"} {
		if err := os.WriteFile(name, append(slices.Clone(text), bad...), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := journal.Open(dir)
		var at *source.Error
		if !errors.As(err, &at) || !strings.HasPrefix(err.Error(), name+":3:") {
			t.Errorf("%q: %v", bad, err)
		}
		if kept, _ := os.ReadFile(name); len(kept) != len(text)+len(bad) {
			t.Errorf("%q: the journal was changed", bad)
		}
	}
}
