package proofs_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/proofs"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// certified explains a problem with a certificate, and returns its folder.
func certified(t *testing.T, name string, horizon int, version proof.Format) (dir string, p *load.Problem) {
	t.Helper()
	ctx := context.Background()
	p, err := load.Load(ctx, load.Ref{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	l := engine.Limits{Threads: 1, Memory: 1 << 30}
	m := &proofs.Maker{Folder: t.TempDir(), Options: certify.Options{Format: version, Limits: l}}
	if _, err := m.Explain(ctx, p, explain.Request{Horizon: bind.One(horizon), Limits: l}); err != nil || m.None != nil {
		t.Fatal(err, m.None)
	}
	return m.Folder, p
}

func write(t *testing.T, dir string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, proofs.File), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// verdicts checks a folder without and with the problem.
func verdicts(t *testing.T, dir string, p *load.Problem) (alone, with *certify.Report) {
	t.Helper()
	alone, err := proofs.Check(context.Background(), certify.Files{Folder: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if with, err = proofs.Check(context.Background(), certify.Files{Folder: dir}, p); err != nil {
		t.Fatal(err)
	}
	return alone, with
}

// TestAccepted certifies explanations of plans, and that there is none.
func TestAccepted(t *testing.T) {
	for i, c := range []struct {
		problem string
		horizon int
		claims  int // at least
	}{{"navigation/3x3", 4, 9}, {"navigation/3x3", 5, 10}, {"navigation/3x3", 3, 1}, {"inventory/2", 5, 6}, {"sysadmin/4", 2, 3}, {"cellda/y", 8, 9}} {
		dir, p := certified(t, c.problem, c.horizon, []proof.Format{proof.VeriPB12, proof.VeriPB20, proof.VeriPB30}[i%3])
		alone, with := verdicts(t, dir, p)
		if !alone.Accepted || !with.Accepted || len(with.Claims) < c.claims || len(alone.Claims) != len(with.Claims) {
			t.Errorf("%s, horizon %d: %d claims\n%+v\n%+v", c.problem, c.horizon, len(with.Claims), alone, with)
		}
	}
}

// TestRefused changes what explanations say.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		problem  string
		horizon  int
		from, to string
		withOnly bool // it takes the problem to tell
	}{
		{"navigation/3x3", 4, `"consequence":"goal-missed"`, `"consequence":"illegal"`, true},
		{"navigation/3x3", 4, `"consequence":"goal-missed"`, `"consequence":"dead-end"`, true},
		{"navigation/3x3", 4, `"consequence":"goal-missed","reward":null`, `"consequence":"as-good","reward":-4`, false},
		{"navigation/3x3", 4, `"best":-4`, `"best":-3`, false},
		{"navigation/3x3", 4, `"horizon":4`, `"horizon":5`, false},
		{"navigation/3x3", 4, `"reward":-1`, `"reward":-2`, false},
		{"navigation/3x3", 4, `"action":{"move-east":true}`, `"action":{"move-west":true}`, true},
		{"navigation/3x3", 4, `"action":{"move-east":true}`, `"action":{"move-up":true}`, true},
		{"navigation/3x3", 3, `"status":"infeasible"`, `"status":"optimal"`, false},
		{"inventory/2", 5, `"consequence":"costs-more","reward":-14`, `"consequence":"costs-more","reward":-13`, false},
		{"inventory/2", 5, `"consequence":"costs-more"`, `"consequence":"better"`, false},
		{"inventory/2", 5, `"consequence":"dead-end"`, `"consequence":"as-good"`, false},
	} {
		dir, p := certified(t, c.problem, c.horizon, proof.VeriPB20)
		data, err := os.ReadFile(filepath.Join(dir, proofs.File))
		if err != nil {
			t.Fatal(err)
		}
		changed := bytes.Replace(data, []byte(c.from), []byte(c.to), 1)
		if bytes.Equal(changed, data) {
			t.Fatalf("%s, horizon %d: there is no %s in\n%s", c.problem, c.horizon, c.from, data)
		}
		write(t, dir, changed)
		alone, with := verdicts(t, dir, p)
		if with.Accepted || alone.Accepted != c.withOnly {
			t.Errorf("%s, horizon %d, %s for %s: accepted alone %v, with the problem %v", c.problem, c.horizon, c.to, c.from, alone.Accepted, with.Accepted)
		}
		if !strings.Contains(with.Refused, proofs.File) {
			t.Errorf("%s: refused with %q", c.to, with.Refused)
		}
	}
}

// TestMissing removes the proof of a change, and exchanges two.
func TestMissing(t *testing.T) {
	dir, p := certified(t, "navigation/3x3", 5, proof.VeriPB20)
	others, first := filepath.Join(dir, "step-2", "others"), filepath.Join(dir, "step-1", "others")
	if err := os.Rename(others, others+"-moved"); err != nil {
		t.Fatal(err)
	}
	alone, _ := verdicts(t, dir, p)
	if alone.Accepted || !strings.Contains(alone.Refused, "has no proof") {
		t.Errorf("without a proof: %+v", alone)
	}
	if err := os.Rename(first, others); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(others+"-moved", first); err != nil {
		t.Fatal(err)
	}
	alone, with := verdicts(t, dir, p)
	if alone.Accepted || with.Accepted {
		t.Errorf("with the proof of another step: %v, %v", alone.Accepted, with.Accepted)
	}
}

// TestForeignField gives the answer about a change a field that only plans have.
func TestForeignField(t *testing.T) {
	dir, p := certified(t, "navigation/3x3", 5, proof.VeriPB20)
	file := filepath.Join(dir, "step-1", "others", certify.AnswerFile)
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, bytes.Replace(data, []byte("{"), []byte(`{"safe":{},`), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := proofs.Check(t.Context(), certify.Files{Folder: dir}, p); err == nil || !strings.Contains(err.Error(), `no "safe"`) {
		t.Errorf("the error is %v", err)
	}
}
