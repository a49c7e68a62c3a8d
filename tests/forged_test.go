package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/proofs"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/solve/proof"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
)

var forgeries = flag.Int("forgeries", 4, "changes of each field of a certified answer to check; 0 is all")

// uncheckable are the only fields that certify may list as not checked where it is given the
// problem. A new field of an answer is derived anew in package proofs, or has a reason here.
var uncheckable = []string{
	"engine", "seconds", "seconds.", "stats", "stats.", "stopped", "proof.by", "proof.certificate", "certificate", // how the run went, and where
	"note",            // an engine's remark
	"horizons.status", // whether an open horizon of a range that was cut short had a plan
	// How Algorithm 1 went. Without an excluded plan the answer is the same as if it had not been
	// used, and so it is if the system that was asked showed what the RDDL shows.
	"incremental", "incremental.", "simulator",
	// Reasons, which are listed as trusted, and which joint actions were tried besides those
	// that leave one action out.
	"conflict", "conflict.", "steps.omitted", "steps.alternatives", "steps.alternatives.failure.", "steps.alternatives.against", "steps.alternatives.against.",
	"steps.alternatives.because", "steps.alternatives.because.", "steps.others.failure.", "steps.others.against", "steps.others.against.",
	"steps.others.because", "steps.others.because.", "steps.alternatives.failure", "steps.others.failure",
}

// forger changes the answers of one certificate.
type forger struct {
	dir, file string
	check     func() (*certify.Report, error)
	original  []byte
	tried     map[string]int // by field
}

// newForger prepares for the certificate in a folder, about a problem.
func newForger(t *testing.T, dir string, ref load.Ref) *forger {
	t.Helper()
	p, err := load.Load(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	f := &forger{dir: dir, file: filepath.Join(dir, certify.AnswerFile), tried: map[string]int{}}
	f.check = func() (*certify.Report, error) { return proofs.Check(t.Context(), certify.Files{Folder: dir}, p) }
	if _, err := os.Stat(filepath.Join(dir, proofs.File)); err == nil {
		f.file = filepath.Join(dir, proofs.File)
	}
	if f.original, err = os.ReadFile(f.file); err != nil {
		t.Fatal(err)
	}
	r, err := f.check()
	if err != nil || !r.Accepted {
		t.Fatalf("%s is refused as it is: %+v, %v", dir, r, err)
	}
	for _, path := range r.Unchecked {
		if !listed(path) {
			t.Errorf("%s: %s is not checked; expected a field of %v", dir, path, uncheckable)
		}
	}
	return f
}

func listed(path string) bool {
	return slices.ContainsFunc(uncheckable, func(u string) bool {
		return path == u || strings.HasSuffix(u, ".") && strings.HasPrefix(path, u)
	})
}

// all changes every field, deletes it and adds one beside it.
func (f *forger) all(t *testing.T) {
	t.Helper()
	var v any
	dec := json.NewDecoder(bytes.NewReader(f.original))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	f.change(t, "", v, func(x any) any { return x })
	if err := os.WriteFile(f.file, f.original, 0o600); err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, n := range f.tried {
		sum += n
	}
	t.Logf("%d changed answers", sum)
}

// change changes v, which put puts into the answer, and all in it.
func (f *forger) change(t *testing.T, path string, v any, put func(any) any) {
	t.Helper()
	switch x := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(x)) {
			with := func(value any) any {
				y := maps.Clone(x)
				y[name] = value
				return put(y)
			}
			for _, value := range variants(name, x[name]) {
				f.forge(t, join(path, name), with(value))
			}
			f.change(t, join(path, name), x[name], with)
			without := maps.Clone(x)
			delete(without, name)
			f.forge(t, join(path, name), put(without))
			if upper := strings.ToUpper(name); upper != name {
				doubled := maps.Clone(x)
				doubled[upper] = x[name]
				f.forge(t, join(path, name), put(doubled))
				delete(doubled, name)
				f.forge(t, join(path, name), put(doubled))
			}
		}
		more := maps.Clone(x)
		more["more"] = true
		f.forge(t, join(path, "more"), put(more))
	case []any:
		for i := range x {
			with := func(value any) any {
				y := slices.Clone(x)
				y[i] = value
				return put(y)
			}
			f.change(t, path, x[i], with)
			f.forge(t, path, put(slices.Delete(slices.Clone(x), i, i+1)))
			f.forge(t, path, put(slices.Insert(slices.Clone(x), i, x[i])))
		}
	}
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// variants are other values for a field.
func variants(name string, v any) []any {
	switch x := v.(type) {
	case nil:
		return []any{json.Number("0"), json.Number("1"), true, "x", []any{}, map[string]any{}}
	case bool:
		return []any{!x, nil}
	case json.Number:
		n, _ := x.Float64()
		return []any{json.Number(fmt.Sprint(n + 1)), json.Number(fmt.Sprint(n - 1)), json.Number(fmt.Sprint(n + .5)), nil}
	case string:
		out := []any{x + "x", "", nil}
		if name == "status" {
			for _, s := range []string{"optimal", "feasible", "infeasible", "unknown", "holds", "fails", "bogus"} {
				if s != x {
					out = append(out, s)
				}
			}
		}
		if name == "consequence" {
			for _, s := range []string{"illegal", "dead-end", "goal-missed", "costs-more", "as-good", "better", "not known"} {
				if s != x {
					out = append(out, s)
				}
			}
		}
		return out
	case []any:
		return []any{nil, []any{}}
	}
	return []any{nil, map[string]any{}}
}

// forge checks a changed answer: it is refused, or the change is in what is not checked.
func (f *forger) forge(t *testing.T, path string, answer any) {
	t.Helper()
	if *forgeries > 0 && f.tried[path] >= *forgeries {
		return
	}
	var b bytes.Buffer
	if err := app.WriteJSON(&b, answer); err != nil {
		t.Fatal(err)
	}
	if same(f.original, b.Bytes()) {
		return
	}
	if err := os.WriteFile(f.file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	f.tried[path]++
	r, err := f.check()
	var at *source.Error
	switch {
	case err != nil && !errors.As(err, &at):
		t.Errorf("%s: %s changed: %v; expected an error with its place", f.dir, path, err)
	case err == nil && r.Accepted && !listed(path):
		t.Errorf("%s: accepted with %s changed:\n%.600s\nnot checked: %v", f.dir, path, b.Bytes(), r.Unchecked)
	}
}

// same reports whether two texts are the same JSON.
func same(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// certificateOf runs a command that writes a certificate into a folder.
func certificateOf(t *testing.T, want int, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "c")
	if status, _, stderr := session(append(args, "--certify", dir)...); status != want {
		t.Fatalf("%v: exit status %d: %s", args, status, stderr)
	}
	return dir
}

// TestForged changes every field of every kind of answer. None is accepted unless certify lists
// the field as one that it does not check.
func TestForged(t *testing.T) {
	shop, silent := learnedShop(t)
	for _, c := range []struct {
		name   string
		ref    load.Ref
		status int
		args   []string
	}{
		{"optimal", load.Ref{Name: "navigation/3x3"}, 0, []string{"plan", "navigation/3x3", "-H", "4"}},
		{"infeasible", load.Ref{Name: "navigation/3x3"}, 4, []string{"plan", "navigation/3x3", "-H", "3"}},
		{"all known", load.Ref{Name: "inventory/2", Source: load.Source{Model: load.RDDL}}, 0, []string{"plan", "inventory/2", "--model", "rddl", "--engine", "pb"}},
		{"range", load.Ref{Name: "navigation/3x3"}, 0, []string{"plan", "navigation/3x3", "-H", "2..5"}},
		{"range without a plan", load.Ref{Name: "navigation/3x3"}, 4, []string{"plan", "navigation/3x3", "-H", "1..3"}},
		{"supported", load.Ref{Name: shop}, 0, []string{"plan", shop, "--safe"}},
		{"supported range", load.Ref{Name: shop}, 0, []string{"plan", shop, "--safe", "-H", "2..3"}},
		{"no record of rows", load.Ref{Name: silent}, 0, []string{"plan", silent, "-H", "3"}},
		{"Algorithm 1", load.Ref{Name: shop}, 0, []string{"plan", shop, "--incremental"}},
		{"tried by request", load.Ref{Name: "navigation/3x3"}, 0, []string{"plan", "navigation/3x3", "--simulator", "rddl"}},
		{"property", load.Ref{Name: "navigation/3x3"}, 0, []string{"verify", "navigation/3x3", "--property", "~(move-east & move-west)"}},
		{"property with a warning", load.Ref{Name: shop}, 0, []string{"verify", shop, "--property", "stock(milk)' <= 9"}},
		{"explained", load.Ref{Name: "inventory/2"}, 0, []string{"explain", "inventory/2", "-H", "3"}},
		{"explained with a record of rows", load.Ref{Name: shop}, 0, []string{"explain", shop, "-H", "3"}},
		{"explained conflict", load.Ref{Name: "navigation/3x3"}, 4, []string{"explain", "navigation/3x3", "-H", "3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			newForger(t, certificateOf(t, c.status, c.args...), c.ref).all(t)
		})
	}
	t.Run("feasible", func(t *testing.T) { newForger(t, bounded(t, 5, 5), load.Ref{Name: "navigation/3x3"}).all(t) })
	t.Run("open range", func(t *testing.T) { newForger(t, bounded(t, 3, 5), load.Ref{Name: "navigation/3x3"}).all(t) })
}

// learnedShop returns the paths of a task with a network that was trained on few rows, and of the
// same without a record of these.
func learnedShop(t *testing.T) (shop, silent string) {
	t.Helper()
	dir, without := t.TempDir(), t.TempDir()
	for _, name := range []string{"task.toml", "two-product.rddl"} {
		text, err := os.ReadFile(filepath.Join("../examples/two-product", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	task, rows, network := filepath.Join(dir, "task.toml"), filepath.Join(dir, "few.csv"), filepath.Join(dir, "network.bnn")
	for _, args := range [][]string{{"collect", task, "-n", "100", "--seed", "1", "-o", rows}, {"train", rows, "--task", task, "-o", network}} {
		if status, _, stderr := session(args...); status != 0 {
			t.Fatalf("%v: %s", args, stderr)
		}
	}
	if err := os.CopyFS(without, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(network)
	if err != nil {
		t.Fatal(err)
	}
	f, err := bnn.ReadFile(network, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	f.Meta = nil
	var b bytes.Buffer
	if err := bnn.WriteFile(&b, f); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(without, "network.bnn"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return task, filepath.Join(without, "task.toml")
}

// bounded certifies a plan with a bound above its reward, as of a run that was cut short: over
// one horizon or, with a range, with the last of its horizons open.
func bounded(t *testing.T, from, to int) string {
	t.Helper()
	p, err := load.Load(t.Context(), load.Ref{Name: "navigation/3x3"})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "c")
	d, err := plan.Plan(t.Context(), p, plan.Request{Query: plan.Query{Horizon: bind.Horizon{Min: from, Max: to}}, Prove: func(res *engine.Result) error {
		above := res.Reward + 1
		a := certify.Answer{Horizon: res.Trace.Horizon(), Status: engine.Feasible, Trace: res.Trace, Reward: res.Reward, Bound: &above}
		answers := []certify.Answer{a}
		for i, h := range res.Horizons {
			answers = append(answers[:i], certify.Answer{Horizon: h.Horizon, Status: h.Status})
			switch {
			case i == len(res.Horizons)-1:
				answers[i].Status, answers[i].Bound = engine.Unknown, &above
			case h.Status == engine.Optimal:
				answers[i] = certify.Answer{Horizon: h.Horizon, Status: h.Status, Trace: res.Trace, Reward: res.Reward, Bound: &res.Reward}
			}
		}
		res.Bound = &above
		return certify.Write(t.Context(), p.Task, answers, dir, certify.Options{Format: proof.VeriPB20})
	}})
	if err != nil {
		t.Fatal(err)
	}
	if d.Status = engine.Feasible; from < to {
		d.Horizons[to-from].Status, d.Horizons[to-from].Reward = engine.Unknown, nil
	}
	d.Sum(p.Task)
	d.Certified(dir)
	text, err := json.Marshal(d)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, certify.AnswerFile), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
