package bench

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
)

// The paper's Figure 1 is of the dungeon whose door is at (3,3).
const (
	figureProblem = "cellda/y"
	figureHorizon = 8 // the shortest horizon with a plan
)

// naiveModel is the Record.Model of a plan that assumes that the enemy does not move.
const naiveModel = "naive"

// figure1 lists the two attempts of the paper's Figure 1. Both look for the best plan of at
// most figureHorizon steps, and the shortest among equally good ones.
func (l *lister) figure1() error {
	t, err := bundled.Task(figureProblem)
	if err != nil {
		return err
	}
	horizons := "1.." + strconv.Itoa(figureHorizon)
	naive := l.record(journal.KindPlan, "figure1", l.c.TimeLimit)
	naive.Problem, naive.Model, naive.Engine = figureProblem, naiveModel, registry.Search
	naive.Args = []string{"plan", "--domain", "naive.rddl", "--instance", "instance.rddl", "--goal", t.Goal}
	for _, f := range slices.Sorted(maps.Keys(t.Ranges)) {
		naive.Args = append(naive.Args, "--range", fmt.Sprintf("%s=%d..%d", f, t.Ranges[f].Lo, t.Ranges[f].Hi))
	}
	naive.Args = slices.Concat(naive.Args, []string{"-H", horizons, "--engine", naive.Engine}, l.common(l.c.TimeLimit))
	naive.ID = id("figure1", naive.Problem, "H="+horizons, "model="+naiveModel, l.setting(true))
	l.jobs = append(l.jobs, Job{Record: naive, do: func(ctx context.Context, b *bench, r *journal.Record) error {
		return b.naive(ctx, r, t.Domain, t.Instance)
	}})

	if !l.files.has(figureProblem) {
		return nil
	}
	r := l.record(journal.KindPlan, "figure1", l.c.TimeLimit)
	r.Problem, r.Files, r.Model, r.Engine = l.files.name(figureProblem), l.files.tag, l.model, registry.Search
	r.Args = slices.Concat([]string{"plan"}, l.files.args(figureProblem), []string{"-H", horizons, "--engine", r.Engine}, l.common(l.c.TimeLimit))
	r.ID = id("figure1", r.Problem, "H="+horizons, l.setting(false))
	l.jobs = append(l.jobs, Job{Record: r, do: learned})
	return nil
}

// learned plans with the learned behaviour of the enemy.
func learned(ctx context.Context, b *bench, r *journal.Record) error {
	doc, err := b.documented(ctx, r, b.dir)
	if doc != nil {
		r.Document = doc
	}
	return err
}

// documented runs `fdplan plan` and returns its document, nil if there is no plan.
func (b *bench) documented(ctx context.Context, r *journal.Record, dir string) (json.RawMessage, error) {
	out, err := b.run(ctx, limitsOf(r), dir, r.Args...)
	if err != nil {
		return nil, err
	}
	if readPlan(r, out); r.Reward == nil {
		return nil, nil
	}
	var d planDocument
	if err := decodeAnswer(out.stdout, &d); err == nil && d.Horizon != nil {
		r.Horizon = *d.Horizon
	}
	return bytes.TrimSpace(out.stdout), nil
}

// enemyRule matches the enemy's transition in the dungeon's RDDL.
var enemyRule = regexp.MustCompile(`(?m)^(\s*enem-loc'\(\?e, \?d\) = )[^;]*;`)

// naive plans with knowledge of the enemy's present position only, and executes the plan in
// the real dungeon. The record's document is the execution.
func (b *bench) naive(ctx context.Context, r *journal.Record, domain, instance string) error {
	dir, remove, err := b.scratch()
	if err != nil {
		return err
	}
	defer remove()
	text, err := bundled.Read(domain)
	if err != nil {
		return err
	}
	if !enemyRule.Match(text) {
		return fmt.Errorf("%s has no rule of the enemy that could be replaced", domain)
	}
	text = enemyRule.ReplaceAll(text, []byte("${1}enem-loc(?e, ?d);"))
	if err := os.WriteFile(filepath.Join(dir, "naive.rddl"), text, 0o644); err != nil {
		return err
	}
	if text, err = bundled.Read(instance); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "instance.rddl"), text, 0o644); err != nil {
		return err
	}
	believed, err := b.documented(ctx, r, dir)
	if believed == nil {
		return err
	}
	r.Believed = believed
	if err := os.WriteFile(filepath.Join(dir, "plan.json"), believed, 0o644); err != nil {
		return err
	}
	var steps, verdict *outcome
	if verdict, err = b.run(ctx, limitsOf(r), dir, "simulate", r.Problem, "--plan", "plan.json", "--json"); err != nil || failed(r, verdict) {
		return err
	}
	if steps, err = b.run(ctx, limitsOf(r), dir, "simulate", r.Problem, "--plan", "plan.json", "--csv"); err != nil || failed(r, steps) {
		return err
	}
	var says struct {
		Reward  float64
		Failure *struct{ Text string }
	}
	if err := decodeAnswer(verdict.stdout, &says); err != nil {
		fail(r, "simulating: %v", err)
		return nil
	}
	holds := says.Failure == nil
	r.Simulator = &holds
	// The document describes the execution: the plan's own reward is the believed one.
	changes := map[string]any{"problem": r.Problem, "reward": nil, "bound": nil, "gap": nil, "valid": map[string]*bool{"model": nil, "simulator": &holds}}
	if holds {
		r.Simulated, changes["simulated_reward"] = &says.Reward, says.Reward
	} else {
		r.Simulated, changes["simulator_says"], changes["status"] = nil, says.Failure.Text, "infeasible"
	}
	if r.Document, err = happened(believed, steps.stdout, changes); err != nil {
		fail(r, "simulating: %v", err)
	}
	return nil
}

// happened returns a plan's document with the states that the simulator visited, taken from
// its CSV, instead of those that the plan predicted. Actions after the end of the simulation
// are removed.
func happened(document, steps []byte, changes map[string]any) (json.RawMessage, error) {
	var d map[string]json.RawMessage
	var plan, trace []json.RawMessage
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(d["plan"], &plan); err != nil {
		return nil, fmt.Errorf("the plan: %w", err)
	}
	if err := json.Unmarshal(d["trace"], &trace); err != nil || len(trace) == 0 {
		return nil, fmt.Errorf("the trace has %d states: %w", len(trace), err)
	}
	names, err := keysInOrder(trace[0])
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(steps)).ReadAll()
	if err != nil || len(rows) < 2 || len(rows)-2 > len(plan) {
		return nil, fmt.Errorf("%d lines of states for %d steps: %w", len(rows), len(plan), err)
	}
	trace = nil
	for _, row := range rows[1:] {
		var state bytes.Buffer
		for i, name := range names {
			at := slices.Index(rows[0], name)
			if at < 0 || !json.Valid([]byte(row[at])) {
				return nil, fmt.Errorf("there is no value of %s", name)
			}
			key, err := json.Marshal(name)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&state, "%c%s:%s", "{,"[min(i, 1)], key, row[at])
		}
		trace = append(trace, append(state.Bytes(), '}'))
	}
	changes["plan"], changes["trace"], changes["horizon"] = plan[:len(trace)-1], trace, len(trace)-1
	for name, v := range changes {
		if d[name], err = json.Marshal(v); err != nil {
			return nil, err
		}
	}
	return json.Marshal(d)
}

// keysInOrder lists the keys of an object of plain values.
func keysInOrder(object []byte) ([]string, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var out []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if _, err := dec.Token(); err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprint(key))
	}
	return out, nil
}
