package certify_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/execute"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/execution/incremental"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// excluding writes a certificate of the best plan that does not begin as some
// plans do, which are said to fail in the RDDL.
func excluding(t *testing.T, p *load.Problem, horizon int, marks []engine.Landmark) string {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	s, err := search.Engine{}.Open(ctx, p.Task, horizon)
	if err != nil {
		t.Fatal(err)
	}
	state := &incremental.State{}
	for _, m := range marks {
		if err := s.Exclude(m); err != nil {
			t.Fatal(err)
		}
		state.Failures = append(state.Failures, incremental.Failure{Landmark: m, Text: "it fails"})
	}
	res, err := s.Solve(ctx, engine.Limits{Threads: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := certify.Answer{Horizon: horizon, Status: res.Status, Trace: res.Trace, Reward: res.Reward, Bound: res.Bound, Excluded: marks}
	if err := certify.Write(ctx, p.Task, []certify.Answer{a}, dir, certify.Options{Format: proof.VeriPB20}); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := state.Write(&text, p.Problem, horizon, "rddl"); err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(dir, certify.ExcludedFile), text.String())
	answer := fmt.Sprintf(`{"schema":1,"horizon":%d,"status":%q,"incremental":{"simulator":"rddl"}}`, horizon, res.Status)
	writeText(t, filepath.Join(dir, certify.AnswerFile), answer)
	return dir
}

func writeText(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestExcluded certifies answers about the plans that are left. A plan that does not
// fail in the RDDL, and rows of the file that no excluded plan accounts for, are
// refused.
func TestExcluded(t *testing.T) {
	ctx := context.Background()
	p, err := load.Load(ctx, load.Ref{Name: "navigation/3x3"})
	if err != nil {
		t.Fatal(err)
	}
	res := solve(t, search.Engine{}, p.Task, 5, 5)
	check := func(dir string) *certify.Report {
		r, err := certify.Check(ctx, certify.Files{Folder: dir}, &certify.Against{Task: p.Task, Confirm: func(s *incremental.State, horizon int) error {
			return execute.Confirm(ctx, p, s, horizon)
		}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	dir := excluding(t, p, 5, []engine.Landmark{{Trace: res.Trace, Depth: 5}})
	if r := check(dir); r.Accepted || !strings.Contains(r.Refused, "do not fail") {
		t.Errorf("a plan that reaches the goal is said to fail: %+v", r)
	}
	lazy := *res.Trace
	lazy.Steps = append(lazy.Steps[:0:0], lazy.Steps...)
	for i := range 5 { // the first action again and again
		lazy.Steps[i] = res.Trace.Steps[0]
	}
	dir = excluding(t, p, 5, []engine.Landmark{{Trace: &lazy, Depth: 5}})
	if r := check(dir); !r.Accepted || r.Replayed != 1 {
		t.Errorf("a plan that fails is excluded: %+v", r)
	}
	if err := os.Remove(filepath.Join(dir, certify.ExcludedFile)); err != nil {
		t.Fatal(err)
	}
	if r := check(dir); r.Accepted {
		t.Errorf("accepted without the plan that the file excludes")
	}
}
