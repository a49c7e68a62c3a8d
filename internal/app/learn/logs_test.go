package learn

import (
	"context"
	"flag"
	"path/filepath"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

var logs = flag.String("logs", "", "glob of task files whose logs of 100 to 3,000 rows are learned too, such as 'DIR/*/task.toml'")

// learnable returns a problem of states, all of which are learned, and actions, with the schema of its rows.
func learnable(t *testing.T, name string, variables ...factored.Variable) (*factored.Problem, *dataset.Schema) {
	t.Helper()
	p := factored.NewProblem(name)
	for _, v := range variables {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	p.Outputs = p.Bits(factored.State)
	p.Inputs = append(p.Bits(factored.State), p.Bits(factored.Action)...)
	schema, err := dataset.OfProblem(p)
	if err != nil {
		t.Fatal(err)
	}
	return p, schema
}

// collected draws transitions of a problem.
func collected(t *testing.T, p *load.Problem, o collect.Options) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := Collect(context.Background(), p, file, o); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSupportedRows: of the rows that a log supports, drawn anew, at most one in a thousand
// is wrong, over all logs together.
func TestSupportedRows(t *testing.T) {
	type job struct {
		name string
		rows []int
	}
	jobs := []job{{"sysadmin/5", []int{100}}, {"inventory/4", []int{30}}, {"navigation/4x4", []int{500}}}
	if *noisyWorlds > 1 {
		jobs = append(jobs, job{"cellda/x", []int{300}})
	}
	if *logs != "" {
		files, err := filepath.Glob(*logs)
		if err != nil || len(files) == 0 {
			t.Fatalf("-logs %s: %v, expected task files", *logs, err)
		}
		for _, f := range files {
			jobs = append(jobs, job{f, []int{100, 300, 1000, 3000}})
		}
	}
	sure, wrong := 0, 0
	for _, j := range jobs {
		p, err := load.Load(context.Background(), load.Ref{Name: j.name, Untrained: true})
		if err != nil {
			t.Fatal(err)
		}
		policies := []collect.Policy{collect.Restart, collect.Exploration}
		if Collect(context.Background(), p, filepath.Join(t.TempDir(), "rows.csv"), collect.Options{Rows: 1, Policy: collect.Restart}) != nil {
			policies = policies[1:] // its states are too rare to be drawn
		}
		rows, err := measuredSources(t.Context(), p, collected(t, p, collect.Options{Rows: 4000, Policy: policies[0], Seed: 77}))
		if err != nil {
			t.Fatal(err)
		}
		for _, policy := range policies {
			for _, n := range j.rows {
				res, err := Train(context.Background(), p, collected(t, p, collect.Options{Rows: n, Policy: policy, Seed: 1}), Training{Recipe: RecipeStructure, Config: train.Config{Threads: 1, Seed: 1}})
				if err != nil {
					t.Fatal(err)
				}
				trained, err := load.ReadTrained("", res.file)
				if err != nil {
					t.Fatal(err)
				}
				if trained.Support == nil {
					t.Logf("%s, %d rows of policy %s: all legal rows", j.name, n, policy)
					continue
				}
				c, _, err := countErrors(p, measure.Network(res.file.Network), nil, rows.data)
				if err != nil {
					t.Fatal(err)
				}
				s := detailed(p, res.file.Network, c, trained).Supported
				sure, wrong = sure+s.Rows, wrong+s.Wrong
				t.Logf("%s, %d rows of policy %s: %d of %d rows supported, %d of these wrong", j.name, n, policy, s.Rows, rows.data[0].Data.Rows, s.Wrong)
			}
		}
	}
	if wrong*1000 > sure || sure == 0 {
		t.Errorf("%d of %d supported rows are wrong, expected at most one in a thousand", wrong, sure)
	}
	t.Logf("%d of %d supported rows are wrong", wrong, sure)
}
