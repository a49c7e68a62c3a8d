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
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/execution/incremental"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestCorrected certifies an answer about a network that was corrected to an observed
// transition, and has it refused with another number of them, another outcome, or none.
func TestCorrected(t *testing.T) {
	ctx := context.Background()
	p, err := load.Load(ctx, load.Ref{Name: "navigation/3x3"})
	if err != nil {
		t.Fatal(err)
	}
	bits := func(of []factored.Bit, v factored.Valuation) (text string) {
		for _, b := range of {
			text += map[bool]string{false: "0", true: "1"}[v[b]]
		}
		return text
	}
	// A step of the best plan that changes the state leads nowhere.
	tr := solve(t, search.Engine{}, p.Task, 5, 5).Trace
	i := 0
	for i < 4 && bits(p.Problem.Outputs, tr.Steps[i]) == bits(p.Problem.Outputs, tr.Steps[i+1]) {
		i++
	}
	at := bits(p.Problem.Bits(factored.State), tr.Steps[i])
	mark := engine.Landmark{Trace: &factored.Trace{Steps: tr.Steps[i : i+1]}, Depth: 1}
	state := &incremental.State{Failures: []incremental.Failure{{Landmark: mark, Observed: []string{at, at}}}}
	net, n, err := state.Corrected(p.Problem, p.Network)
	if err != nil || n != 1 {
		t.Fatalf("%d transitions are corrected, %v", n, err)
	}
	task := p.Task
	task.Network = net
	dir := t.TempDir()
	res := solve(t, search.Engine{}, task, 5, 5)
	answers := []certify.Answer{{Horizon: 5, Status: res.Status, Trace: res.Trace, Reward: res.Reward, Bound: res.Bound, Excluded: []engine.Landmark{mark}}}
	if err := certify.Write(ctx, task, answers, dir, certify.Options{Format: proof.VeriPB20}); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := state.Write(&text, p.Problem, 5, "simulator"); err != nil {
		t.Fatal(err)
	}
	answer := func(n int) string {
		return fmt.Sprintf(`{"schema":1,"horizon":5,"status":%q,"incremental":{"simulator":"simulator","corrected":%d}}`, res.Status, n)
	}
	other := strings.Replace(text.String(), `"`+at+`"]`, `"`+strings.Repeat("1", len(at))+`"]`, 1)
	if other == text.String() {
		t.Fatalf("the outcome is not in the file:\n%s", other)
	}
	for _, c := range []struct {
		excluded  string
		corrected int
		accepted  bool
	}{{text.String(), 1, true}, {text.String(), 2, false}, {text.String(), 0, false}, {other, 1, false}, {"", 1, false}} {
		writeText(t, filepath.Join(dir, certify.AnswerFile), answer(c.corrected))
		name := filepath.Join(dir, certify.ExcludedFile)
		if writeText(t, name, c.excluded); c.excluded == "" {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		r, err := certify.Check(ctx, certify.Files{Folder: dir}, &certify.Against{Task: p.Task})
		if err != nil || r.Accepted != c.accepted {
			t.Errorf("%d transitions of %q: %+v, %v", c.corrected, c.excluded, r, err)
		}
	}
}
