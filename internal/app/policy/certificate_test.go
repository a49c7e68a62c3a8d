package policy_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/policy"
	solver "github.com/fdplan/fdplan/internal/engine/policy"
)

// claim is an answer with a certificate, and the problem that it is about.
type claim struct {
	name string
	p    *load.Problem
	d    *policy.Document
	dir  string
}

// forgeries are few where each is checked in some milliseconds, for there are some thousand.
var forgeries = flag.Int("forgeries", 1, "values that take the place of each field of a certificate; 0 is all")

// some are the values that are tried at the next place: others than at the place before.
func some(values []string, place *int) []string {
	if *forgeries == 0 {
		return values
	}
	var out []string
	for range *forgeries {
		out = append(out, values[*place%len(values)])
		*place++
	}
	return out
}

// made are the certificates of claims, and madeIn is their folder.
var (
	made   []claim
	madeIn string
)

// A collection of garbage for every few megabytes takes a quarter of the time of these tests.
func init() { debug.SetGCPercent(400) }

// TestMain removes the certificates.
func TestMain(m *testing.M) {
	status := m.Run()
	if madeIn != "" {
		_ = os.RemoveAll(madeIn)
	}
	os.Exit(status)
}

// claims makes certificates of each kind, once for all tests.
func claims(t *testing.T) (list []claim) {
	t.Helper()
	if made != nil {
		return made
	}
	var err error
	if madeIn, err = os.MkdirTemp("", "claims"); err != nil {
		t.Fatal(err)
	}
	slippery, err := load.Load(t.Context(), load.Ref{
		Source: load.Source{Domain: "../../../examples/drift/drift.rddl", Instance: "../../../examples/drift/slippery.rddl", Question: load.Question{Goal: "x == SIDE ^ y == SIDE"}}, Chance: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	machines, err := load.Load(t.Context(), load.Ref{Source: load.Source{Domain: "../../../examples/machines/machines.rddl"}, Chance: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		p    *load.Problem
		r    policy.Request
	}{
		{"success", pits(t), policy.Request{}},
		{"reward", machines, policy.Request{Horizon: 4}},
		{"worst", slippery, policy.Request{Robust: &policy.Robust{Disturbances: 2, MinHorizon: 1}}},
		{"none", slippery, policy.Request{Horizon: 7, Robust: &policy.Robust{Disturbances: 2, MinHorizon: 6}}},
		{"worst reward", machines, policy.Request{Horizon: 4, Robust: &policy.Robust{Disturbances: 2}}},
		{"blind success", pits(t), policy.Request{Horizon: 5, Blind: true}},
		{"blind reward", machines, policy.Request{Horizon: 3, Blind: true}},
		{"blind worst", slippery, policy.Request{Blind: true, Robust: &policy.Robust{Disturbances: 1, MinHorizon: 7}}},
		{"blind none", slippery, policy.Request{Blind: true, Horizon: 7, Robust: &policy.Robust{Disturbances: 1, MinHorizon: 7}}},
	} {
		c.r.Certify, c.r.Now, c.r.Started, c.r.Limits.Memory = true, time.Now, time.Now(), 1<<30
		d, err := policy.Plan(t.Context(), c.p, c.r)
		if err != nil || d.Proof == nil {
			t.Fatalf("%s: %v, %v", c.name, d, err)
		}
		dir := filepath.Join(madeIn, c.name)
		if err := d.Write(dir); err != nil {
			t.Fatal(err)
		}
		list = append(list, claim{c.name, c.p, d, dir})
	}
	made = list
	return list
}

// changed checks a certificate in which one file has other contents.
func (c *claim) changed(t *testing.T, name string, data any) (accepted bool, says string) {
	t.Helper()
	file := filepath.Join(c.dir, name)
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	defer os.WriteFile(file, was, 0o666)
	text, err := json.Marshal(data)
	if err == nil {
		err = os.WriteFile(file, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := policy.Certify(t.Context(), c.dir, c.p)
	if err != nil {
		return false, err.Error()
	}
	return r.Accepted, r.Refused
}

// file reads a file of a certificate as it is written.
func file[T any](t *testing.T, dir, name string) (v T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestOtherQuestion: a certificate that is about another question is refused with what differs.
func TestOtherQuestion(t *testing.T) {
	c := claims(t)[0]
	for _, want := range []struct{ goal, says string }{
		{"", "expected --goal as it was"},
		{"x == SIDE ^ y == SIDE", `expected "x == SIDE ^ y == SIDE"`}, // the same states, and other words
	} {
		p, err := load.Load(t.Context(), load.Ref{
			Source: load.Source{Domain: "../../../examples/drift/drift.rddl", Instance: "../../../examples/drift/pits.rddl", Question: load.Question{Goal: want.goal}}, Chance: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := policy.Certify(t.Context(), c.dir, p)
		if err != nil || r.Accepted != (want.says == "") || !strings.Contains(r.Refused, want.says) {
			t.Errorf("goal %q: %+v, %v", want.goal, r, err)
		}
	}
	for _, change := range []struct {
		name, value, says string
	}{
		{"objective", `"reward"`, "its objective is reward, and that of answer.json is success"},
		{"horizon", "7", "its horizon is 7, and that of answer.json is 12"},
		{"disturbances", "1", "its bounds are for runs with at most 1 disturbances, and answer.json is for values on average"},
	} {
		fields := file[map[string]json.RawMessage](t, c.dir, policy.CeilingFile)
		fields[change.name] = json.RawMessage(change.value)
		if ok, says := c.changed(t, policy.CeilingFile, fields); ok || !strings.Contains(says, change.says) {
			t.Errorf("%s: %s", change.name, says)
		}
	}
}

// TestForgedAnswer changes, deletes and adds fields of answers, but the first horizon of a range: where that is another, less is claimed, or
// what the table shows too.
func TestForgedAnswer(t *testing.T) {
	place, aside := 0, []string{"from", "engine", "seconds", "states", "pairs", "updates", "policy", "stopped"}
	for _, c := range claims(t) {
		fields := file[map[string]json.RawMessage](t, c.dir, certify.AnswerFile)
		if ok, says := c.changed(t, certify.AnswerFile, fields); !ok {
			t.Fatalf("%s: %s", c.name, says)
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			was := fields[name]
			if slices.Contains(aside, name) || name == "table" {
				continue
			}
			for _, value := range some([]string{"1", "-7.5", "null", `"infeasible"`, "true", `{"certificate":"c","states":1,"pairs":1,"bounds":1}`}, &place) {
				if value == string(was) {
					continue
				}
				fields[name] = json.RawMessage(value)
				if ok, _ := c.changed(t, certify.AnswerFile, fields); ok {
					t.Errorf("%s: %s for %s of %s is accepted", c.name, value, was, name)
				}
			}
			delete(fields, name)
			if ok, _ := c.changed(t, certify.AnswerFile, fields); ok && name != "table" {
				t.Errorf("%s: without %s it is accepted", c.name, name)
			}
			fields[name] = was
		}
		fields["value "] = json.RawMessage("1")
		if ok, _ := c.changed(t, certify.AnswerFile, fields); ok {
			t.Errorf("%s: a field that answers do not have is accepted", c.name)
		}
	}
}

// TestForgedBounds changes entries of tables. A change that is not refused may only have made a bound weaker
// which the proof does not need: the answer that is accepted is always the true one.
func TestForgedBounds(t *testing.T) {
	place := 0
	for _, c := range claims(t) {
		fields := file[map[string]json.RawMessage](t, c.dir, policy.CeilingFile)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			was := fields[name]
			if name == "states" || name == "rows" {
				continue
			}
			for _, value := range some([]string{"0", "1", "7", "-1", "100", "null", `"success"`, `"reward"`, "true", "false", `["x"]`}, &place) {
				if value == string(was) || value == "null" && (string(was) == "0" || string(was) == "false") {
					continue
				}
				fields[name] = json.RawMessage(value)
				if ok, _ := c.changed(t, policy.CeilingFile, fields); ok {
					t.Errorf("%s: %s for %s of %s is accepted", c.name, value, was, name)
				}
			}
			fields[name] = was
		}
		c.rows(t)
	}
}

// rows changes rows of a table.
func (c *claim) rows(t *testing.T) {
	fields := file[policy.Ceiling](t, c.dir, policy.CeilingFile)
	number := func(x int64) *int64 { return &x }
	must := func(what string, k, j int) {
		if ok, _ := c.changed(t, policy.CeilingFile, fields); ok {
			t.Errorf("%s: row %d with another %s, entry %d, is accepted", c.name, k, what, j)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 3 {
		k := rng.IntN(len(fields.Rows))
		row := fields.Rows[k]
		j := 3 + rng.IntN(len(row)-3)
		was := row[j]
		// What is lower than what follows by more than rounding is refused; what is worth nothing or impossible cannot be lower.
		if was != nil {
			down := int64(1)
			if fields.Disturbances == nil {
				down = 1 << 12
			}
			row[j] = number(*was - down)
			must("lower bound", k, j)
			if row[j] = nil; was != nil {
				must("bound that says never", k, j)
			}
		}
		row[j] = number(1 << 60)
		if !c.d.Blind && (fields.Objective != solver.Success || fields.Disturbances != nil) {
			must("bound that is too large", k, j)
		}
		row[j] = was
		for at, values := range [][]int64{{-1, int64(len(fields.States)), 1 << 40}, {-1, 9, 1 << 40}, {0, -1, 1 << 40}} {
			was := row[at]
			for _, x := range values {
				row[at] = number(x)
				must(fmt.Sprint("head ", x), k, at)
			}
			row[at] = was
		}
		fields.Rows = append(fields.Rows, row)
		must("row of the same", k, 0)
		fields.Rows = fields.Rows[:len(fields.Rows)-1]
	}
	if !c.d.Blind { // what bounds do not settle, the checker tries
		start := fields.Rows
		fields.Rows = fields.Rows[1:]
		must("start, none", 0, 0)
		fields.Rows = nil
		must("nothing at all", 0, 0)
		fields.Rows = start
	}
	was := fields.States[0]
	for _, s := range [][]any{nil, {}, was[1:], {"x", true, 1.5}, fields.States[1]} {
		fields.States[0] = s
		must(fmt.Sprint("state ", s), 0, 0)
	}
	fields.States[0] = was
}

// TestForgedPlan changes the plan of an answer that sees nothing.
func TestForgedPlan(t *testing.T) {
	for _, c := range claims(t) {
		if !c.d.Blind || c.d.Plan == nil {
			continue
		}
		fields := file[map[string]json.RawMessage](t, c.dir, certify.AnswerFile)
		var plan []map[string]json.RawMessage
		if err := json.Unmarshal(fields["plan"], &plan); err != nil {
			t.Fatal(err)
		}
		for k := range plan {
			for _, other := range []map[string]json.RawMessage{{}, {"west": []byte("true")}, {"reboot(c5)": []byte("true")}, {"fly": []byte("true")}} {
				was := plan[k]
				plan[k] = other
				var err error
				if fields["plan"], err = json.Marshal(plan); err != nil {
					t.Fatal(err)
				}
				if ok, _ := c.changed(t, certify.AnswerFile, fields); ok && fmt.Sprint(other) != fmt.Sprint(was) {
					t.Errorf("%s: with %v at step %d it is accepted", c.name, other, k+1)
				}
				plan[k] = was
			}
		}
	}
}

// TestWeakBounds raises bounds at random: what is then accepted is still the answer as it was.
func TestWeakBounds(t *testing.T) {
	for _, c := range claims(t) {
		rng := rand.New(rand.NewPCG(2, 2))
		refused := 0
		for range 10 {
			fields := file[policy.Ceiling](t, c.dir, policy.CeilingFile)
			row := fields.Rows[rng.IntN(len(fields.Rows))]
			x := rng.Int64N(1 << 50)
			row[3+rng.IntN(len(row)-3)] = &x
			if ok, says := c.changed(t, policy.CeilingFile, fields); !ok {
				if refused++; !strings.Contains(says, "follow") && !strings.Contains(says, "not proven") && !strings.Contains(says, "bound") {
					t.Errorf("%s: %s", c.name, says)
				}
			}
		}
		if refused == 0 && !c.d.Blind {
			t.Errorf("%s: no table with a bound that is too weak is refused", c.name)
		}
	}
}
